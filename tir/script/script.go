// Package script makes states as the scripts of TVM's templates do: stages and loops are values, and steps are calls.
package script

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Script makes a state. The first error stays, and the calls after it do nothing.
type Script struct {
	state *schedule.State // a draft
	err   error
	ops   []*Stage          // in the order of the state's stages
	named map[string]*Stage // those of the DAG
}

// A Stage is one of the state, with its loops.
type Stage struct {
	Loops  []*Loop
	script *Script
}

// A Loop is an iterator of a stage.
type Loop struct{ of *Stage }

// A StepError says which step is illegal where it stands.
type StepError struct {
	Kind schedule.Kind
	Err  error
}

func (e *StepError) Error() string {
	return fmt.Sprintf("a step %s that is illegal here (%v)", e.Kind, e.Err)
}

// Unwrap returns what the state says of the step.
func (e *StepError) Unwrap() error { return e.Err }

// New begins with a DAG. The stages are those of its ops.
func New(d *compute.DAG) *Script {
	s := &Script{state: schedule.New(d).Draft(), named: map[string]*Stage{}}
	for _, op := range d.Ops {
		st := s.stage(len(op.Axes) + len(op.ReduceAxes))
		s.ops, s.named[op.Name] = append(s.ops, st), st
	}
	return s
}

// Named returns the stage of an op of the DAG, nil if there is none.
func (s *Script) Named(name string) *Stage { return s.named[name] }

// Computing returns the stage that computes a buffer, or that is it, nil if there is none.
func (s *Script) Computing(b *tir.Buffer) *Stage {
	for i, st := range s.state.Stages {
		if slices.Contains(st.Op.Results, b) && s.err == nil {
			return s.ops[i]
		}
	}
	return nil
}

// Err returns the first error.
func (s *Script) Err() error { return s.err }

// State returns the state with bounds, or the first error.
func (s *Script) State() (*schedule.State, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.state.InferBound()
}

func (s *Script) stage(loops int) *Stage {
	st := &Stage{script: s}
	for range loops {
		st.Loops = append(st.Loops, &Loop{st})
	}
	return st
}

func (s *Script) apply(step schedule.Step) {
	if s.err != nil {
		return
	}
	next, err := s.state.Apply(step)
	if err != nil {
		s.err = &StepError{step.Kind(), err}
		return
	}
	s.state = next
}

func (st *Stage) number() int { return slices.Index(st.script.ops, st) }

func (l *Loop) position() int { return slices.Index(l.of.Loops, l) }

// CacheWrite makes a stage that computes st into a scope; st copies it.
func (st *Stage) CacheWrite(scope string) *Stage {
	s, at := st.script, st.number()
	s.apply(schedule.CacheWrite{At: at, Scope: scope})
	made := s.stage(len(st.Loops))
	s.ops = slices.Insert(s.ops, at, made)
	if s.err == nil {
		st.Loops = st.Loops[:len(s.state.Stages[at+1].Op.Axes)]
	}
	return made
}

// CacheRead makes a copy of st in a scope that the reader reads.
func (st *Stage) CacheRead(scope string, reader *Stage) *Stage {
	s, at := st.script, st.number()
	s.apply(schedule.CacheRead{At: at, Scope: scope, Readers: []int{reader.number()}})
	dims := 0
	if s.err == nil {
		dims = len(s.state.Stages[at+1].Op.Axes)
	}
	made := s.stage(dims)
	s.ops = slices.Insert(s.ops, at+1, made)
	return made
}

// Rfactor makes a stage that sums all but a piece of a reduction, right after its split: the piece is a space axis of
// the new stage, at a place among its axes. The stage sums over the piece.
func (st *Stage) Rfactor(piece *Loop, at int) *Stage {
	s, number := st.script, st.number()
	s.apply(schedule.Rfactor{At: number, Iter: piece.position(), FactorIter: at})
	if s.err != nil {
		return s.stage(len(st.Loops))
	}
	made := s.stage(len(s.state.Stages[number].Iters))
	s.ops = slices.Insert(s.ops, number, made)
	st.Loops = s.stage(len(s.state.Stages[number+1].Iters)).Loops
	for _, l := range st.Loops {
		l.of = st
	}
	return made
}

// Inline computes the stage where it is read.
func (st *Stage) Inline() { st.script.apply(schedule.ComputeInline{At: st.number()}) }

// ComputeAt computes the stage inside a loop of its reader.
func (st *Stage) ComputeAt(l *Loop) {
	st.script.apply(schedule.ComputeAt{At: st.number(), Target: l.of.number(), TargetIter: l.position()})
}

// Split splits a loop into pieces of lengths, of which the first is what remains.
func (l *Loop) Split(lengths []int64) []*Loop { return l.cut(lengths[1:], true) }

// Factor splits a loop in two, the inner piece of a length.
func (l *Loop) Factor(n int64) []*Loop { return l.cut([]int64{n}, true) }

// Parts splits a loop in two, the outer piece of a length.
func (l *Loop) Parts(n int64) []*Loop { return l.cut([]int64{n}, false) }

func (l *Loop) cut(lengths []int64, innerToOuter bool) []*Loop {
	st, at := l.of, l.position()
	s, extent := st.script, int64(0)
	if s.err == nil {
		extent = max(s.state.Stages[st.number()].Iters[at].Extent, 0)
	}
	s.apply(schedule.Split{At: st.number(), Iter: at, Extent: extent, Lengths: lengths, InnerToOuter: innerToOuter})
	pieces := st.script.stage(len(lengths) + 1).Loops
	for _, p := range pieces {
		p.of = st
	}
	st.Loops = slices.Concat(st.Loops[:at], pieces, st.Loops[at+1:]) // templates keep the old list
	return pieces
}

// Reorder gives loops of a stage the places that they have together, in this order.
func (st *Stage) Reorder(list ...*Loop) {
	order, next, k := make([]int, len(st.Loops)), slices.Clone(st.Loops), 0
	for i, l := range st.Loops {
		if slices.Contains(list, l) {
			next[i] = list[k]
			k++
		}
		order[i] = next[i].position()
	}
	st.script.apply(schedule.Reorder{At: st.number(), Order: order})
	st.Loops = next
}

// Fuse makes one of loops that follow each other.
func (st *Stage) Fuse(list ...*Loop) *Loop {
	first := list[0].position()
	iters := make([]int, len(list))
	for i := range list {
		iters[i] = first + i
	}
	st.script.apply(schedule.Fuse{At: st.number(), Iters: iters})
	fused := &Loop{st}
	st.Loops = slices.Concat(st.Loops[:first], []*Loop{fused}, st.Loops[first+len(list):])
	return fused
}

// Annotate says how a loop is carried out.
func (l *Loop) Annotate(a schedule.Annotation) {
	l.of.script.apply(schedule.Annotate{At: l.of.number(), Iter: l.position(), Ann: a})
}

// Bind annotates loops one by one.
func Bind(loops []*Loop, as ...schedule.Annotation) {
	for i, l := range loops {
		l.Annotate(as[i])
	}
}

// Unroll has the inner loops of the stage unrolled up to so many steps.
func (st *Stage) Unroll(steps int64) {
	st.script.apply(schedule.Pragma{At: st.number(), Text: schedule.UnrollPragma(int(steps))})
}

// Len returns the number of steps so far.
func (s *Script) Len() int { return len(s.state.Steps) }
