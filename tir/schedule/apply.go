package schedule

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir/compute"
)

// New returns the state of d with no steps: each op in loops of its own, one
// per axis. All states of d share what no step has changed in it.
func New(d *compute.DAG) *State {
	return d.Derived(func() any { return newState(d) }).(*State)
}

func newState(d *compute.DAG) *State {
	s := &State{DAG: d, Current: d, Stages: make([]*Stage, len(d.Ops)), flow: new(flow)}
	for i, op := range d.Ops {
		s.Stages[i] = newStage(op)
	}
	s.dataflow() // all states of the DAG share what it knows of the ops
	return s
}

func newStage(op *compute.Op) *Stage {
	st := &Stage{Op: op}
	if op.IsPlaceholder() {
		return st
	}
	n := len(op.Axes) + len(op.ReduceAxes)
	if n == 0 {
		return st
	}
	list := make([]Iterator, n)
	st.Iters = make([]*Iterator, n)
	for i := range list {
		a, kind := axisOf(op, i), Spatial
		if i >= len(op.Axes) {
			kind = Reduction
		}
		list[i] = Iterator{Name: cleanName(a.Var.Name), Extent: a.Extent, Kind: kind}
		st.Iters[i] = &list[i]
	}
	st.loops = newLoopTree(n)
	return st
}

// axisOf returns axis i of op, counting spatial ones first.
func axisOf(op *compute.Op, i int) *compute.Axis {
	if i < len(op.Axes) {
		return op.Axes[i]
	}
	return op.ReduceAxes[i-len(op.Axes)]
}

// Replay applies steps to New(d). FSP and FFSP steps read the lengths of the
// whole list, so changing a Split changes its followers. The error, if any, is
// a *StepError.
func Replay(d *compute.DAG, steps []Step) (*State, error) {
	b := newBuilder(New(d), len(steps))
	last := -1 // that inlines
	for i, step := range steps {
		if err := b.add(step); err != nil {
			return nil, err
		}
		if step.Kind() == CI {
			last = i
		}
	}
	if last >= 0 {
		if err := b.s.checkBodies(); err != nil {
			return nil, &StepError{Index: last, Step: steps[last], Why: err.Error()}
		}
	}
	return b.s, nil
}

// Apply returns the state that results from applying step to s, which is
// unchanged unless it is a draft. If the step is illegal on s, the error is a *StepError.
func (s *State) Apply(step Step) (*State, error) {
	if s.draft != nil {
		if err := s.draft.add(step); err != nil {
			return nil, err
		}
		return s, nil
	}
	b := newBuilder(s, 1)
	if err := b.add(step); err != nil {
		return nil, err
	}
	return b.s, nil
}

// Draft returns a copy of s for one goroutine, which Apply changes in place and returns:
// many steps in a row cost no copies of the state. It must not be used after a step that
// failed. InferBound and Bounds end it: it is a state like others from then on.
func (s *State) Draft() *State {
	b := newBuilder(s, len(s.Stages))
	b.s.draft = b
	return b.s
}

// A StepError says which step is illegal and why.
type StepError struct {
	Index int // in the steps
	Step  Step
	Why   string
}

func (e *StepError) Error() string {
	return fmt.Sprintf("schedule: step %d (%s): %s", e.Index, e.Step.Kind(), e.Why)
}

// A builder is a state in the making. What it shares with the state that it
// started from is copied before the first change.
type builder struct {
	s          *State
	own        []bool // by stage: the Stage may be changed
	ownsAttach bool
	ownsFlow   bool
}

// newBuilder starts from s with room for more steps.
func newBuilder(s *State, more int) *builder {
	c := *s
	c.bounds, c.draft = nil, nil
	c.Stages = slices.Clone(s.Stages)
	c.Steps = append(make([]Step, 0, len(s.Steps)+more), s.Steps...)
	return &builder{s: &c, own: make([]bool, len(s.Stages))}
}

func (b *builder) add(step Step) error {
	if step == nil {
		panic("BUG: schedule: nil step")
	}
	if err := step.apply(b); err != nil {
		return &StepError{Index: len(b.s.Steps), Step: step, Why: err.Error()}
	}
	b.s.Steps = append(b.s.Steps, step)
	return nil
}

// stage returns stage i for changing.
func (b *builder) stage(i int) *Stage {
	if !b.own[i] {
		c := *b.s.Stages[i]
		b.s.Stages[i] = &c
		b.own[i] = true
	}
	return b.s.Stages[i]
}

// attach returns the attach map for changing.
func (b *builder) attach() AttachMap {
	if !b.ownsAttach || b.s.Attach.target == nil {
		b.s.Attach = b.s.Attach.clone(len(b.s.Stages))
		b.ownsAttach = true
	}
	return b.s.Attach
}

// insert puts a new stage at index i and takes ops as the ops of all stages.
func (b *builder) insert(i int, st *Stage) {
	b.s.Stages = slices.Insert(b.s.Stages, i, st)
	b.own = slices.Insert(b.own, i, true)
	b.s.Attach = b.s.Attach.shifted(i)
	b.ownsAttach = true
}

// computed returns stage i for reading, or why a step cannot transform it.
func (b *builder) computed(i int) (*Stage, error) {
	if i < 0 || i >= len(b.s.Stages) {
		return nil, fmt.Errorf("no stage %d: there are %d", i, len(b.s.Stages))
	}
	st := b.s.Stages[i]
	if st.Op.IsPlaceholder() {
		return nil, fmt.Errorf("stage %d (%s) is a placeholder", i, st.Op.Name)
	}
	return st, nil
}

// iterator returns iterator iter of stage i, or why there is none.
func (b *builder) iterator(i, iter int) (*Stage, *Iterator, error) {
	st, err := b.computed(i)
	if err != nil {
		return nil, nil, err
	}
	if iter < 0 || iter >= len(st.Iters) {
		return nil, nil, fmt.Errorf("no iterator %d: stage %s has %d", iter, st.Op.Name, len(st.Iters))
	}
	return st, st.Iters[iter], nil
}

// forgetExtents makes the extents of a stage unknown: they depend on where it
// is computed.
func (st *Stage) forgetExtents() {
	iters := make([]*Iterator, len(st.Iters))
	list := make([]Iterator, len(st.Iters))
	for k, it := range st.Iters {
		list[k] = *it
		list[k].Min, list[k].Extent = nil, Unknown
		iters[k] = &list[k]
	}
	st.Iters = iters
}

// Concrete reports whether all split lengths are chosen.
func (s *State) Concrete() bool {
	for _, step := range s.Steps {
		if sp, ok := step.(Split); ok && slices.Contains(sp.Lengths, OpenLength) {
			return false
		}
	}
	return true
}
