package model

import (
	"context"
	"fmt"
	"runtime"

	"github.com/ebitengine/purego"

	"github.com/wmtune/wmtune/codegen/native"
	"github.com/wmtune/wmtune/codegen/worker"
)

// A Tap is memory that Watch copies of an argument of a call.
type Tap struct {
	Place  Place
	Bytes  int64
	Before bool // what is there before the call, which changes it; else after it
}

// Watch runs the bundle once. After each call of a kernel, in Program.Calls, it hands over what the taps of the call
// hold, while the run waits; of a call in a loop that is the first most times. It returns how often each call ran. An
// error of tell ends the worker.
func (l *Loaded) Watch(ctx context.Context, taps [][]Tap, most int, tell func(call int, data [][]byte) error,
) ([]int, error) {
	q := &watchRequest{Begin: true, Most: most, Taps: taps}
	for i := range l.outputs {
		q.Slots = append(q.Slots, l.outputs[i]-len(l.cfg.Inputs))
	}
	for {
		r, data, err := l.exchange(ctx, l.cfg.Timeout, request{Watch: q})
		if err != nil || r.Ended {
			return r.Reached, err
		}
		if err := tell(r.Call, data); err != nil {
			l.process.Kill()
			l.process = nil
			return nil, err
		}
		q = &watchRequest{}
	}
}

// A watchRequest asks for the next call that a watched run makes.
type watchRequest struct {
	Begin bool    // the run; the others go on with it
	Taps  [][]Tap // of each call
	Most  int
	Slots []int // of each output: which of the pointers of NAME_run's outputs it is
}

// A watch is a run that the worker is told of, call by call.
type watch struct {
	*watchRequest
	reached []int
	before  [][]byte // taps of the call that may be next
	calls   chan seen
	next    chan bool
}

// seen is a call that ended, or the end of the run.
type seen struct {
	call  int
	data  [][]byte
	ended bool
	err   error
}

// watchRun answers a watchRequest: it lets the run go on to the end of its next call.
func (s *server) watchRun(q *watchRequest, r *response) ([][]byte, error) {
	switch {
	case q.Begin != (s.watching == nil):
		return nil, fmt.Errorf("bundle worker: a request out of place")
	case !q.Begin:
		s.watching.next <- true
	default:
		var tell func(ctx, told uintptr)
		if err := s.library.Bind(native.Symbols{s.name + "_watch": &tell}); err != nil {
			return nil, err
		}
		w := &watch{watchRequest: q, reached: make([]int, len(q.Taps)), calls: make(chan seen), next: make(chan bool)}
		s.watching = w
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			tell(s.context, purego.NewCallback(s.told))
			err := s.run(&runRequest{Calls: 1, Profile: true}, &response{})
			tell(s.context, 0)
			w.calls <- seen{ended: true, err: err}
		}()
	}
	c := <-s.watching.calls
	r.Call, r.Ended = c.call, c.ended
	if c.ended {
		r.Reached, s.watching = s.watching.reached, nil
	}
	return c.data, c.err
}

// told is what the bundle calls at each mark: step ended, or is below 0 and the call -1-step is next.
func (s *server) told(arena, in, out, step uintptr) uintptr {
	w := s.watching
	call := int(step)
	next := -1 - call
	if call >= 0 {
		next = call + 1
		if w.reached[call]++; w.reached[call] <= w.Most {
			s.status.since.Store(0)
			data := w.copy(call, arena, in, out, false)
			for i, b := range w.before {
				if b != nil {
					data[i] = b
				}
			}
			w.calls <- seen{call: call, data: data}
			<-w.next
			s.status.since.Store(worker.Monotonic())
		}
	}
	if w.before = nil; next < len(w.Taps) && w.reached[next] < w.Most {
		w.before = w.copy(next, arena, in, out, true)
	}
	return 0
}

// copy copies those taps of a call that are of before it, or of after it.
func (w *watch) copy(call int, arena, in, out uintptr, before bool) [][]byte {
	data := make([][]byte, len(w.Taps[call]))
	for i, t := range w.Taps[call] {
		if t.Before != before {
			continue
		}
		at := arena
		switch t.Place.Space {
		case Input:
			at = native.Copy[uintptr](in+uintptr(8*t.Place.Index), 1)[0]
		case Output:
			at = native.Copy[uintptr](out+uintptr(8*w.Slots[t.Place.Index]), 1)[0]
		case OutputShape:
			at = native.Copy[uintptr](out+uintptr(8*(w.Slots[t.Place.Index]+1)), 1)[0]
		}
		data[i] = native.Copy[byte](at+uintptr(t.Place.Offset), uint64(t.Bytes))
	}
	return data
}
