package model

import (
	"fmt"
	"strings"
)

// A State is what a context keeps from run to run: values at the beginning of the arena, to which a run adds rows. The
// last of Program.Dims is the number of rows before the run, which the context knows and no caller tells.
type State struct {
	Max    int64 // rows that there may be
	Grows  int   // the one of Program.Dims by whose extent a run adds rows; -1: By
	By     int64
	Bytes  int64  // of the arena, the length before the values included
	Values []Kept // whose offsets are those in the arena
}

// A Kept is a value of a state.
type Kept struct {
	Input, Output string // what the model calls them
	Port                 // as it lies in the arena
	Axis          int    // along which it has rows
	Offset        int64
}

// StateHead is how many bytes of the arena are before the values of a state: its length.
const StateHead = tensorAlign

// Told returns the dimensions that a caller tells.
func (p *Program) Told() []string {
	if p.State != nil {
		return p.Dims[:len(p.Dims)-1]
	}
	return p.Dims
}

// checkState makes sure that a state fits its program.
func (p *Program) checkState() error {
	s := p.State
	if s.Grows >= len(p.Dims)-1 || s.Grows < 0 && s.By < 1 || s.Max < 1 || s.Bytes > p.Arena {
		return fmt.Errorf("a state of %d rows and %d bytes, growing by %d or dimension %d", s.Max, s.Bytes, s.By, s.Grows)
	}
	for _, v := range s.Values {
		if err := checkPort(v.Port); err != nil {
			return err
		}
		if v.Axis < 0 || v.Axis >= len(v.Shape) || v.Offset < StateHead || v.Offset%tensorAlign != 0 ||
			v.Offset+v.Bytes() > s.Bytes || v.Shape[v.Axis] < s.Max {
			return fmt.Errorf("state %s, %v along axis %d at %d", v.Name, v.Shape, v.Axis, v.Offset)
		}
	}
	return nil
}

// stateChecks are the messages of runtime/state.c.
func (p *Program) stateChecks() []string {
	return []string{
		fmt.Sprintf("the state is full: it has room for %d of %s, and the run adds more than are left; it is as it was",
			p.State.Max, p.Dims[len(p.Dims)-1]),
		"the state has fewer rows than it is to keep, or the number is below 0: it is as it was",
	}
}

// stateData writes the constant wmtune_states, a struct states of runtime/state.c.
func (l *layout) stateData() string {
	s := l.p.State
	var list []string
	for _, v := range s.Values {
		blocks, row := int64(1), int64(v.Type.Bytes())
		for d, n := range v.Shape {
			if d < v.Axis {
				blocks *= n
			} else if d > v.Axis {
				row *= n
			}
		}
		list = append(list, fmt.Sprintf("{ i64, i64, i64, i64 } { i64 %d, i64 %d, i64 %d, i64 %d }", v.Offset, blocks,
			v.Shape[v.Axis]*row, row))
	}
	return fmt.Sprintf("@%skept = internal constant [%d x { i64, i64, i64, i64 }] [%s], align 8\n", placeholder, len(list),
		strings.Join(list, ", ")) +
		fmt.Sprintf("@%sstates = hidden constant { ptr, i64, i64, i32, i32, i32, i32 } "+
			"{ ptr @%skept, i64 %d, i64 %d, i32 %d, i32 %d, i32 %d, i32 %d }, "+
			"align 8\n", placeholder, placeholder, s.Max, s.By, len(list), s.Grows, len(l.checks)-1, len(l.checks))
}
