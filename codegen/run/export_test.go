package run

import (
	"encoding/binary"
	"io"
	"sync/atomic"
)

// WorkerPID returns the process number of the runner's worker, or 0.
func (r *Runner) WorkerPID() int {
	if r.proc == nil {
		return 0
	}
	return r.proc.PID()
}

// Calling returns a function that reports whether the worker of now is calling a
// kernel. It must not be called once the worker is gone.
func (r *Runner) Calling() func() bool {
	page := r.proc.page
	return func() bool { return page.running() > 0 }
}

// Calls returns a function that counts the calls that the worker of now began. It must not be called once the worker is
// gone.
func (r *Runner) Calls() func() int64 {
	page := r.proc.page
	return func() int64 { return atomic.LoadInt64(&page.calls) }
}

// ReferenceCalls returns how often the reference has run for the task.
func (r *Runner) ReferenceCalls() int { return r.references }

// Bounded reports whether a candidate of the task bounds what later ones may take.
func (r *Runner) Bounded() bool { return r.best > 0 || r.anchor != nil }

// SimulatedWorker is Worker with a clock of its own: a call takes a microsecond, and what the run-time's test_clock
// advances by.
func SimulatedWorker(in io.Reader, out io.Writer) error {
	return serve(hostKind, in, out, func(w *server) engine { return simulatedEngine{hostEngine{w}} })
}

type simulatedEngine struct{ hostEngine }

func (e simulatedEngine) found(s *signature, runtimeObject []byte) error {
	if err := e.hostEngine.found(s, runtimeObject); err != nil {
		return err
	}
	paused, err := e.w.base.image.Variable("test_clock", 8)
	if err != nil {
		return err
	}
	var readings int64
	e.w.base.now = func() int64 {
		readings++
		return readings*1000 + int64(binary.NativeEndian.Uint64(paused))
	}
	return nil
}
