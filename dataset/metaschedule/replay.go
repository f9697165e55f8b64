package metaschedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A block is a block of a schedule under way: a stage of the state.
type block struct {
	name    string
	stage   int     // its number in the state
	reduces bool    // over axes of its own
	loops   []*loop // the stage's iterators, outermost first
	at      *loop   // of another block, in which it is computed; nil if in none
	order   []int   // the stage's axes as TVM orders them where it makes loops anew; nil: in order
	touched bool    // its loops were split, fused or annotated
	into    *block  // that computes it since it was inlined there; nil if it was not
	hidden  bool    // a copy that the trace has not made yet
	other   bool    // it has no stage: it initializes a reduction, or changes the layout of a weight
}

// A loop is a loop of the schedule, an iterator of a stage.
type loop struct {
	of    *block
	axis  int  // of the stage, spatial ones first; -1 if it is no piece of a single one
	part  int  // number of the piece of the axis, outermost first
	cut   *cut // the split that it is a piece of; nil if none
	ghost bool // it has one iteration, and the trace does not know it: see reverseComputeAt
}

// A cut is a split of a whole axis.
type cut struct {
	step    int // number of the Split step
	lengths []int64
}

// Places that are no loops: where a location says that a block stays, and that it is inlined.
var (
	atRoot  = new(loop)
	inlined = new(loop)
)

// A replay carries out a trace on a state.
type replay struct {
	trace  *Trace
	state  *schedule.State // a draft
	blocks []*block        // in the program's order
	root   *block          // around all of them
	vars   map[string]any  // *block, *loop or int64
	packed *block          // for which the layout of a weight is chosen; nil if for none
	layout bool            // it was chosen
	at     int             // instruction
	err    error
}

// State returns the state of w.DAG that has the loops of a trace's schedule, with bounds. Layout reports
// whether the trace chooses the layout of weights. The error is an *UnmappedError if there is no such state.
//
// Where blocks share loops, TVM's owner is the block that was split, and AutoScheduler's the
// one that reads it: the steps split the reader likewise and compute the other one in it. The limit of
// unrolling, of a whole nest there, is that of the stages in it which reduce.
func (w *Workload) State(t *Trace) (state *schedule.State, layout bool, err error) {
	r := &replay{trace: t, state: schedule.New(w.DAG).Draft(), vars: map[string]any{},
		root: &block{name: "root", other: true}}
	for _, b := range w.Blocks {
		made := &block{name: b.Name, stage: slices.Index(w.DAG.Ops, b.Op), reduces: b.Op.ReduceAxes != nil}
		made.loops = fresh(made, len(b.Op.Axes)+len(b.Op.ReduceAxes))
		r.blocks = append(r.blocks, made)
	}
	r.copies()
	for r.at = 0; r.at < len(t.Instructions) && r.err == nil; r.at++ {
		in := &t.Instructions[r.at]
		if h, ok := instructions[in.Kind]; ok {
			h(r, in)
		} else {
			r.unmapped("an instruction %s", in.Kind)
		}
	}
	if r.err != nil {
		return nil, false, r.err
	}
	if state, err = r.state.InferBound(); err != nil {
		return nil, false, &UnmappedError{What: fmt.Sprintf("a state without bounds (%v)", err)}
	}
	return state, r.layout, nil
}

// fresh returns loops over the axes of a block.
func fresh(b *block, n int) []*loop {
	list := make([]*loop, n)
	for i := range list {
		list[i] = &loop{of: b, axis: i}
	}
	return list
}

func (r *replay) unmapped(format string, args ...any) {
	if r.err == nil {
		r.err = &UnmappedError{What: fmt.Sprintf(format, args...)}
	}
}

func (r *replay) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("instruction %d (%s): %w", r.at, r.trace.Instructions[r.at].Kind, fmt.Errorf(format, args...))
	}
}

// apply applies a step. TVM does things that a state cannot have.
func (r *replay) apply(step schedule.Step) {
	if r.err != nil {
		return
	}
	next, err := r.state.Apply(step)
	var illegal *schedule.StepError
	if errors.As(err, &illegal) {
		r.unmapped("%s where %s", r.trace.Instructions[r.at].Kind, illegal.Why)
		return
	}
	r.state = next
}

// insert makes room for a block that becomes the stage before b's.
func (r *replay) insert(b *block) {
	for _, o := range r.blocks {
		if o.stage > b.stage {
			o.stage++
		}
	}
	b.stage++
}

// copies makes the stages of copies at once. The trace makes them when the loops of
// what they copy are split already, where a state cannot.
//
//	CacheWrite(matmul)  =>  matmul, in "local", and after it matmul_global that copies it out
func (r *replay) copies() {
	names := map[string]string{} // of blocks, by variable
	for r.at = range r.trace.Instructions {
		switch in := &r.trace.Instructions[r.at]; {
		case in.Kind == "GetSBlock" && len(in.Attrs) > 0 && len(in.Outputs) == 1:
			names[in.Outputs[0]] = r.text(in.Attrs[0])
		case in.Kind == "CacheWrite" && len(in.Inputs) > 0:
			b := r.find(names[r.text(in.Inputs[0])])
			if b == nil {
				r.unmapped("a copy of a block that was made by the trace")
				return
			}
			copied := &block{name: b.name, stage: b.stage, hidden: true}
			r.apply(schedule.CacheWrite{At: b.stage, Scope: "local"})
			if r.err != nil {
				return
			}
			r.insert(b)
			copied.stage, b.stage = b.stage, b.stage-1
			op := r.op(copied)
			copied.name = op.Results[0].Name + "_global"
			copied.loops = fresh(copied, len(op.Axes))
			r.blocks = slices.Insert(r.blocks, slices.Index(r.blocks, b)+1, copied)
		}
	}
}

// op returns the op of a block's stage.
func (r *replay) op(b *block) *compute.Op { return r.state.Stages[b.stage].Op }

// find returns the block of a name, or nil.
func (r *replay) find(name string) *block {
	for _, b := range append(r.blocks, r.root) {
		if b.name == name && !b.hidden && b.into == nil {
			return b
		}
	}
	return nil
}

// position returns the number of a loop among the iterators of its stage.
func (l *loop) position() int { return slices.Index(l.of.loops, l) }

// above returns the loops that a block is in, as TVM counts them.
func (b *block) above() []*loop {
	var list []*loop
	if b.at != nil {
		outer := b.at.of.above()
		list = slices.Clone(outer[:slices.Index(outer, b.at)+1])
	}
	for _, l := range b.loops {
		if !l.ghost {
			list = append(list, l)
		}
	}
	return list
}

// readers returns the blocks that read a block, in the program's order. A copy that is not made yet does not count.
func (r *replay) readers(b *block) []*block {
	var list []*block
	for _, stage := range r.state.Readers(b.stage) {
		for _, o := range r.blocks {
			switch {
			case o.stage != stage || o.other || o.into != nil:
			case o.hidden:
				list = append(list, r.readers(o)...)
			default:
				list = append(list, o)
			}
		}
	}
	slices.SortFunc(list, func(a, b *block) int { return slices.Index(r.blocks, a) - slices.Index(r.blocks, b) })
	return slices.Compact(list)
}

// move puts a block before or after another in the program's order.
func (r *replay) move(b, beside *block, after int) {
	r.blocks = slices.Delete(r.blocks, slices.Index(r.blocks, b), slices.Index(r.blocks, b)+1)
	r.blocks = slices.Insert(r.blocks, slices.Index(r.blocks, beside)+after, b)
}

// What instructions get.

func (r *replay) text(v json.RawMessage) string {
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		r.fail("%s is no name", v)
	}
	return s
}

// block returns the block of a variable, or that which computes it by now.
func (r *replay) block(in *Instruction, input int) *block {
	if input >= len(in.Inputs) {
		r.fail("it has %d inputs", len(in.Inputs))
		return r.root
	}
	b, ok := r.vars[r.text(in.Inputs[input])].(*block)
	if !ok {
		r.fail("its input %d is no block", input)
		return r.root
	}
	for b.into != nil {
		b = b.into
	}
	return b
}

// stage returns the block of the first input, which must be a stage.
func (r *replay) stage(in *Instruction) *block {
	b := r.block(in, 0)
	if b.other {
		r.unmapped("%s of the block %s", in.Kind, b.name)
	}
	return b
}

// loop returns the loop of a variable, or one of the places that are none.
func (r *replay) loop(v json.RawMessage) *loop {
	l, ok := r.vars[r.text(v)].(*loop)
	switch {
	case !ok:
		r.fail("%s is no loop", v)
		return atRoot
	case l.of != nil && l.position() < 0:
		r.fail("%s is a loop no more", v)
		return atRoot
	}
	return l
}

// ofOne returns loops that must be iterators of one stage.
func (r *replay) ofOne(inputs []json.RawMessage) []*loop {
	var list []*loop
	for _, v := range inputs {
		l := r.loop(v)
		if r.err != nil {
			return nil
		}
		if l.of == nil {
			r.fail("%s is no loop", v)
			return nil
		}
		if l.of != r.loop(inputs[0]).of {
			r.unmapped("%s of loops of two blocks", r.trace.Instructions[r.at].Kind)
			return nil
		}
		list = append(list, l)
	}
	if len(list) == 0 {
		r.fail("it has no loops")
	}
	return list
}

// number returns a value that is a whole number; ok is false for none.
func (r *replay) number(v json.RawMessage) (n int64, ok bool) {
	switch text := strings.TrimSpace(string(v)); {
	case text == "null", text == `"None"`:
		return 0, false
	case strings.HasPrefix(text, `"`):
		if n, ok = r.vars[r.text(v)].(int64); !ok {
			r.fail("%s is no number", v)
		}
	default:
		if err := json.Unmarshal(v, &n); err != nil {
			r.fail("%s is no number", v)
		}
	}
	return n, true
}

// decide reads what was decided in the instruction at hand.
func (r *replay) decide(what any) {
	v, ok := r.trace.Decisions[r.at]
	if !ok {
		r.fail("nothing was decided")
	} else if json.Unmarshal(v, what) != nil {
		r.fail("its decision is %s", clip(v))
	}
}

// set gives outputs their values. A trace that expects another number of them means another schedule.
func set[T any](r *replay, in *Instruction, values ...T) {
	if len(values) != len(in.Outputs) {
		r.unmapped("%s with %d results (here %d)", in.Kind, len(in.Outputs), len(values))
		return
	}
	for i, v := range values {
		r.vars[in.Outputs[i]] = v
	}
}
