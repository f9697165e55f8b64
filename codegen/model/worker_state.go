package model

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/wmtune/wmtune/codegen/native"
)

// What NAME_state does, as runtime/state.c has it.
const (
	setLength = 10 + iota
	putRows
	getRows
)

// A stateRequest asks how many rows a state has, and has it forget all but the first Keep before.
type stateRequest struct {
	Keep int64 // -1: it forgets none
}

// Length returns how many rows the state of a bundle has.
func (l *Loaded) Length(ctx context.Context) (int64, error) {
	r, err := l.ask(ctx, request{State: &stateRequest{Keep: -1}})
	return r.Rows, err
}

// Truncate has the state of a bundle forget all rows but the first so many.
func (l *Loaded) Truncate(ctx context.Context, rows int64) error {
	if rows < 0 {
		return fmt.Errorf("model: a state of %d rows", rows)
	}
	_, err := l.ask(ctx, request{State: &stateRequest{Keep: rows}})
	return err
}

func (s *server) changeState(q *stateRequest, r *response) error {
	if s.state == nil {
		return fmt.Errorf("bundle %s has no state", s.name)
	}
	if q.Keep >= 0 {
		if code := s.truncate(s.context, q.Keep); code != 0 {
			return fmt.Errorf("%s", native.String(s.text(code)))
		}
	}
	r.Rows = s.length(s.context)
	return nil
}

// beginState has each of several runs begin with the same state: that of the arrays that are given, or as it is.
func (s *server) beginState(first bool) error {
	switch {
	case s.state == nil:
		return nil
	case len(s.kept) > 0:
		s.before = s.extents[len(s.extents)-1]
		if first {
			return s.tellState(putRows, &s.in[len(s.in)-1-len(s.kept)]) // one more is never read
		}
	case first:
		s.before = s.length(s.context)
		return nil
	}
	return s.tellState(setLength, nil)
}

// endState gives the arrays of the state what it is after a run.
func (s *server) endState() error {
	n := len(s.kept)
	if n == 0 {
		return nil
	}
	pointers := s.out[len(s.out)-1-2*n:]
	arrays := make([]uintptr, n)
	for i, v := range s.kept {
		arrays[i] = pointers[2*i]
		shape := unsafe.Slice(*(**int64)(unsafe.Pointer(&pointers[2*i+1])), len(v.Shape)) // mapped memory
		copy(shape, v.Shape)
		shape[v.Axis] = s.length(s.context)
	}
	return s.tellState(getRows, &arrays[0])
}

func (s *server) tellState(what int32, arrays *uintptr) error {
	if code := s.state(s.context, what, s.before, uintptr(unsafe.Pointer(arrays))); code != 0 {
		return fmt.Errorf("%s", native.String(s.text(code)))
	}
	return nil
}
