package scorerservice

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/target"
)

// Options say what is served.
type Options struct {
	Server string // the program and its version
	Scorer string // its name

	// Open opens the scorer for a kind of target, once. What the scorer has to say of its scores goes to tell.
	Open func(kind target.Kind, tell func(text string)) (search.Scorer, error)
	// Host returns the target of tasks that are opened without one.
	Host func() (target.Target, error)
}

// Serve answers the requests on in until in ends: nil is the error then. Requests are carried
// out one after the other; a cancel is carried out at once. What is wrong with a request is in its
// answer. What is no message, or beyond the limits, ends the service: nothing after it can be read.
//
// When the context ends, Serve returns its error at once, though a read of in may still wait.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{opt: o, out: out, pending: map[uint64]*request{}, tasks: map[uint64]*task{},
		scorers: map[target.Kind]search.Scorer{}, known: map[target.Kind]map[string]bool{}}
	queue := make(chan *request, limits.Waiting)
	var read error
	go func() {
		read = s.read(ctx, bufio.NewReaderSize(in, 1<<16), queue)
		close(queue)
	}()
	done := make(chan error, 1)
	go func() {
		for r := range queue {
			if err := s.carryOut(r); err != nil {
				done <- fmt.Errorf("scorer service: answering message %d: %w", r.frame.Number, err)
				return
			}
		}
		done <- read
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A server is a service under way.
type server struct {
	opt     Options
	greeted bool
	tasks   map[uint64]*task
	opened  uint64 // tasks so far
	scorers map[target.Kind]search.Scorer
	known   map[target.Kind]map[string]bool // records that a scorer has learned which cannot forget a task

	mu      sync.Mutex // of what is below
	out     io.Writer
	pending map[uint64]*request
	bytes   int // of pending
	notes   []string
}

// A request is a message that is not answered yet.
type request struct {
	frame  worker.Frame
	ctx    context.Context
	cancel context.CancelFunc
	bytes  int
}

// read puts requests into the queue until there are no more.
func (s *server) read(ctx context.Context, in io.Reader, queue chan<- *request) error {
	for {
		f, err := worker.ReadFrame(in, requestBounds)
		var garbled *worker.FrameError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &garbled):
			_ = s.send(f.Number, &Answer{Error: errorf(TooLarge, "%s", garbled.Text)}) // the service ends in any case
			return fmt.Errorf("scorer service: %s", garbled.Text)
		case err != nil:
			return fmt.Errorf("scorer service: reading a message: %w", err)
		}
		if err := s.admit(ctx, f, queue); err != nil {
			return fmt.Errorf("scorer service: answering message %d: %w", f.Number, err)
		}
	}
}

// admit puts a request into the queue, or answers it: a cancel, and one too many.
func (s *server) admit(ctx context.Context, f worker.Frame, queue chan<- *request) error {
	var head Cancel
	if json.Unmarshal(f.Header, &head) == nil && head.Type == typeCancel {
		s.mu.Lock()
		r := s.pending[head.Request]
		s.mu.Unlock()
		if r != nil {
			r.cancel()
		}
		return s.send(f.Number, &CancelAnswer{Cancelled: r != nil})
	}
	r := &request{frame: f, bytes: len(f.Header)}
	for _, b := range f.Blobs {
		r.bytes += len(b)
	}
	s.mu.Lock()
	var refused *Error
	switch {
	case s.pending[f.Number] != nil:
		refused = errorf(BadMessage, "request %d is not answered yet: give requests different numbers", f.Number)
	case len(s.pending) >= limits.Waiting || len(s.pending) > 0 && s.bytes+r.bytes > limits.MessageBytes:
		refused = errorf(Busy, "%d requests of %d bytes are waiting: read answers before you send more", len(s.pending),
			s.bytes)
	default:
		r.ctx, r.cancel = context.WithCancel(ctx)
		s.pending[f.Number] = r
		s.bytes += r.bytes
	}
	s.mu.Unlock()
	if refused != nil {
		return s.send(f.Number, &Answer{Error: refused})
	}
	queue <- r // which has room for all that are pending
	return nil
}

// carryOut carries out a request and answers it. The error is that of sending.
func (s *server) carryOut(r *request) error {
	answer, blobs, err := s.dispatch(r)
	if r.ctx.Err() != nil && err != nil {
		err = errorf(Cancelled, "the request was cancelled")
	}
	var e *Error
	switch {
	case err == nil:
	case errors.As(err, &e):
		answer, blobs = &Answer{Error: e}, nil
	default:
		answer, blobs = &Answer{Error: errorf(Failed, "%v", err)}, nil
	}
	s.mu.Lock()
	delete(s.pending, r.frame.Number)
	s.bytes -= r.bytes
	a := answer.answer()
	a.Notes, s.notes = s.notes, nil
	s.mu.Unlock()
	r.cancel()
	return s.send(r.frame.Number, answer, blobs...)
}

// tell keeps what a scorer says for the next answer.
func (s *server) tell(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, text)
}

// An answered is the header of an answer.
type answered interface{ answer() *Answer }

func (s *server) send(number uint64, a answered, blobs ...[]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return worker.WriteFrame(s.out, number, a, blobs...)
}

// dispatch carries out a request.
func (s *server) dispatch(r *request) (answered, [][]byte, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(r.frame.Header, &head); err != nil {
		return nil, nil, errorf(BadMessage, "the header is not a JSON object with a type: %v", err)
	}
	i := slices.IndexFunc(rows, func(row row) bool { return row.name == head.Type })
	switch {
	case i < 0:
		return nil, nil, errorf(UnknownType, "there is no message %q; there are %s", head.Type, names())
	case !s.greeted && head.Type != typeHello:
		return nil, nil, errorf(NoHello, "the first message must be a hello, not %s", head.Type)
	case r.ctx.Err() != nil:
		return nil, nil, r.ctx.Err()
	}
	return rows[i].serve(s, r)
}
