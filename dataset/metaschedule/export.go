package metaschedule

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A nest is a block of a trace that is being written: the loops of a stage.
type nest struct {
	block   string          // its variable
	op      *compute.Op     // of the program; nil if the state made it
	steps   []schedule.Step // that change its loops, or since it was divided into parts
	order   []int           // the stage's axes as TVM orders its loops before the steps; nil: in order
	loops   []string        // variables, outermost first, after the steps
	extents []int64         // of the loops
	copies  *nest           // what it copies out; nil if it is no copy
	part    *parts          // of a reduction, which the next nest adds up; nil if it is none
}

// A parts says how a reduction was divided.
type parts struct {
	factor schedule.Rfactor
	steps  []schedule.Step // before it
}

// A traceWriter makes the instructions of a state.
type traceWriter struct {
	state  *schedule.State
	bounds []*schedule.Nest
	nests  []*nest // by stage; nil for inputs
	trace  *Trace
	made   int // variables
	err    error
}

// Trace returns instructions for w's program that make the loops of a state of w.DAG. The layout of weights is not
// among them. The error is an *UnmappedError if TVM has no such schedule, as of a state for a GPU.
//
// It is the counterpart of State. The instructions split, reorder and fuse loops as the steps of the state do. They
// place a block after those that read it. A block in a loop of another one gets new loops there, of the lengths that
// its readers need. A block that is in no loop has all of its loops, where a state computes only what is read.
func (w *Workload) Trace(s *schedule.State) (*Trace, error) {
	t := &traceWriter{state: s, trace: &Trace{}}
	var err error
	if t.bounds, err = s.Nests(); err != nil {
		return nil, fmt.Errorf("a state without bounds: %w", err)
	}
	for _, op := range w.DAG.Ops {
		n := &nest{op: op}
		t.nests = append(t.nests, nil)
		for _, b := range w.Blocks {
			if b.Op == op {
				n.block = t.emit("GetSBlock", "b", 1, nil, b.Name, "main")[0]
				t.nests[len(t.nests)-1] = n
			}
		}
	}
	for _, step := range s.Steps {
		if t.sort(step); t.err != nil {
			return nil, t.err
		}
	}
	t.inline()
	for i, n := range slices.Backward(t.nests) {
		if n != nil && s.Stages[i].At != schedule.Inlined && t.err == nil {
			t.loops(i, n)
		}
	}
	if t.err == nil {
		t.annotate()
	}
	if t.err != nil {
		return nil, t.err
	}
	return t.trace, nil
}

func (t *traceWriter) unmapped(format string, args ...any) {
	if t.err == nil {
		t.err = &UnmappedError{fmt.Sprintf(format, args...), true}
	}
}

// emit appends an instruction, and returns its outputs: so many variables of a kind.
func (t *traceWriter) emit(kind, variable string, outputs int, inputs []any, attrs ...any) []string {
	in := Instruction{Kind: kind, Inputs: raw(inputs), Attrs: raw(attrs), Outputs: make([]string, outputs)}
	for i := range in.Outputs {
		in.Outputs[i] = fmt.Sprint(variable, t.made)
		t.made++
	}
	t.trace.Instructions = append(t.trace.Instructions, in)
	return slices.Clone(in.Outputs)
}

// raw returns values as JSON.
func raw(values []any) []json.RawMessage {
	list := make([]json.RawMessage, len(values))
	for i, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		list[i] = text
	}
	return list
}

// values returns variables as inputs.
func values(names []string) []any {
	list := make([]any, len(names))
	for i, n := range names {
		list[i] = n
	}
	return list
}

// sort gives a step to the nest whose loops it changes, and makes the nests of new stages.
func (t *traceWriter) sort(step schedule.Step) {
	at := step.Stage()
	n := t.nests[at]
	switch step := step.(type) {
	case schedule.CacheWrite:
		if step.Scope == "shared" {
			t.unmapped("a copy in the scope shared")
		} else if n.copies != nil || t.copied(at) {
			t.unmapped("a copy of a copy")
		}
		t.nests = slices.Insert(t.nests, at+1, &nest{copies: n})
	case schedule.Rfactor:
		t.nests = slices.Insert(t.nests, at, &nest{part: &parts{step, n.steps}})
		n.steps = nil
	case schedule.CacheRead, schedule.StorageAlign, schedule.Winograd, schedule.Phases:
		t.unmapped("a step %s", step.Kind())
	case schedule.Split, schedule.FollowSplit, schedule.FollowFusedSplit, schedule.Reorder, schedule.Fuse:
		n.steps = append(n.steps, step)
	}
}

// copied reports whether the next stage copies one out.
func (t *traceWriter) copied(stage int) bool {
	next := stage + 1
	return next < len(t.nests) && t.nests[next] != nil && t.nests[next].copies == t.nests[stage]
}

// inline writes what must be said before there are loops: inlined blocks, and blocks of their own for copies and
// factored reductions.
func (t *traceWriter) inline() {
	for i, n := range t.nests {
		switch {
		case n == nil:
		case t.state.Stages[i].At == schedule.Inlined:
			if n.block == "" {
				t.unmapped("a copy that is inlined")
				return
			}
			if t.copied(i) {
				t.unmapped("a copy of what is inlined")
				return
			}
			t.emit("ComputeInline", "", 0, values([]string{n.block}))
		case n.copies != nil:
			n.block = t.emit("CacheWrite", "b", 1, []any{n.copies.block, []any{}}, 0, "global")[0]
		case n.part != nil:
			t.factor(i, n, t.nests[i+1])
		}
	}
}

// factor makes a block of the parts of a reduction. TVM keeps the order that the loops were in; where it makes loops
// anew, the new axis comes first in both blocks.
func (t *traceWriter) factor(stage int, part, all *nest) {
	if all.op == nil {
		t.unmapped("a factored reduction of a stage that is not the program's")
		return
	}
	spatial, reduced := len(all.op.Axes), len(all.op.ReduceAxes)
	all.loops = t.emit("GetLoops", "l", spatial+reduced, values([]string{all.block}))
	extents := make([]int64, 0, spatial+reduced)
	for _, a := range slices.Concat(all.op.Axes, all.op.ReduceAxes) {
		extents = append(extents, a.Extent)
	}
	before, whole := 0, product(extents)
	for _, step := range part.part.steps {
		before = len(all.loops)
		extents = t.step(all, step, extents)
	}
	if product(extents) != whole {
		t.unmapped("a factored reduction in pieces that do not divide it") // TVM forgets what is beyond the end
		return
	}
	f := part.part.factor
	part.block = t.emit("RFactor", "b", 1, values(all.loops[f.Iter:f.Iter+1]), f.FactorIter)[0]
	if t.computedAt(stage) {
		part.order = firstOf(f.FactorIter, len(all.loops))
	} else {
		// Pieces of the loop that was split come last in the state.
		cut, _ := part.part.steps[len(part.part.steps)-1].(schedule.Split)
		part.order = make([]int, len(all.loops))
		next := spatial + 1
		for _, pieces := range []bool{false, true} {
			for i := range all.loops {
				switch is := i >= cut.Iter && i <= cut.Iter+len(all.loops)-before; {
				case i < spatial && i < f.FactorIter:
					part.order[i] = i
				case i < spatial:
					part.order[i] = i + 1
				case i == f.Iter:
					part.order[i] = f.FactorIter
				case is == pieces:
					part.order[i] = next
					next++
				}
			}
		}
	}
	if t.computedAt(stage + 1) {
		all.order = firstOf(spatial, spatial+1)
	}
}

func product(list []int64) int64 {
	p := int64(1)
	for _, n := range list {
		p *= n
	}
	return p
}

// computedAt reports whether a stage is computed in loops of another.
func (t *traceWriter) computedAt(stage int) bool {
	_, ok := t.state.Attach.At(stage)
	return ok
}

// loops puts a block where it belongs and makes its loops.
func (t *traceWriter) loops(stage int, n *nest) {
	above := t.depth(stage)
	if at, ok := t.state.Attach.At(stage); ok {
		t.emit("ComputeAt", "", 0, values([]string{n.block, t.nests[at.Stage].loops[at.Iter]}), true, -1)
	}
	op, region := t.state.Stages[stage].Op, t.bounds[stage].Region
	fresh := t.emit("GetLoops", "l", above+len(region), values([]string{n.block}))[above:]
	var extents []int64
	for i, a := range slices.Concat(op.Axes, op.ReduceAxes) {
		if extents = append(extents, a.Extent); t.computedAt(stage) {
			extents[i] = region[i].Extent
		}
	}
	n.loops = slices.Clone(fresh)
	for i, l := range fresh {
		if n.order != nil {
			n.loops[n.order[i]] = l
		}
	}
	if !slices.Equal(n.loops, fresh) {
		t.emit("Reorder", "", 0, values(n.loops))
	}
	for _, step := range n.steps {
		if extents = t.step(n, step, extents); t.err != nil {
			return
		}
	}
	n.extents = extents
}

// step writes a step that changes the loops of a nest, which have these extents, and returns the new ones.
func (t *traceWriter) step(n *nest, step schedule.Step, extents []int64) []int64 {
	switch step := step.(type) {
	case schedule.Reorder:
		loops, next := make([]string, len(n.loops)), make([]int64, len(n.loops))
		for i, from := range step.Order {
			loops[i], next[i] = n.loops[from], extents[from]
		}
		if !slices.Equal(loops, n.loops) {
			t.emit("Reorder", "", 0, values(loops))
		}
		n.loops = loops
		return next
	case schedule.Fuse:
		if len(step.Iters) == 0 {
			t.unmapped("a loop that is added around a block")
		}
		if len(step.Iters) < 2 {
			return extents
		}
		from, to := step.Iters[0], step.Iters[len(step.Iters)-1]+1
		all := product(extents[from:to])
		fused := t.emit("Fuse", "l", 1, values(n.loops[from:to]), true)
		n.loops = slices.Replace(n.loops, from, to, fused...)
		return slices.Replace(extents, from, to, all)
	}
	lengths, inner, err := t.state.SplitLengths(step)
	iter := splitIter(step)
	if err != nil || !inner || slices.Contains(lengths, schedule.OpenLength) {
		t.unmapped("a split by the lengths of outer pieces")
		return extents
	}
	pieces := make([]int64, len(lengths)+1)
	rest := extents[iter]
	inputs := make([]any, len(pieces)+1) // the outermost piece is left open
	for i, l := range slices.Backward(lengths) {
		pieces[i+1] = min(l, rest)
		inputs[i+2] = pieces[i+1]
		rest = (rest + l - 1) / l
	}
	pieces[0], inputs[0] = rest, n.loops[iter]
	n.loops = slices.Replace(n.loops, iter, iter+1, t.emit("Split", "l", len(pieces), inputs, true, false)...)
	return slices.Replace(extents, iter, iter+1, pieces...)
}

// splitIter returns the iterator that a step splits.
func splitIter(step schedule.Step) int {
	switch step := step.(type) {
	case schedule.Split:
		return step.Iter
	case schedule.FollowSplit:
		return step.Iter
	case schedule.FollowFusedSplit:
		return step.Iter
	}
	panic("BUG: a " + string(step.Kind()) + " splits nothing")
}

// annotate writes how loops are carried out, and, as TVM does after the search, takes what initializes a reduction
// out of its loops.
func (t *traceWriter) annotate() {
	kinds := map[schedule.Annotation]string{
		schedule.Parallel: "Parallel", schedule.Vectorize: "Vectorize", schedule.Unroll: "Unroll",
	}
	t.emit("EnterPostproc", "", 0, nil)
	for i, n := range t.nests {
		if n == nil || n.loops == nil || t.err != nil {
			continue
		}
		st := t.state.Stages[i]
		for k, l := range n.loops {
			it := st.Iters[k]
			switch kind := kinds[it.Ann]; {
			case it.Ann == schedule.None || n.extents[k] == 1:
			case kind == "" || it.Kind == schedule.Mixed:
				t.unmapped("a loop that is %s", it.Ann)
			default:
				t.emit(kind, "", 0, values([]string{l}))
			}
		}
		if st.AutoUnroll > 0 && len(n.loops) > 0 {
			t.emit("Annotate", "", 0, []any{n.loops[0], st.AutoUnroll}, "pragma_auto_unroll_max_step")
			t.emit("Annotate", "", 0, []any{n.loops[0], 1}, "pragma_unroll_explicit")
		}
	}
	for i, n := range t.nests {
		if n == nil || n.loops == nil {
			continue
		}
		list := t.state.Stages[i].Iters
		k := slices.IndexFunc(list, func(it *schedule.Iterator) bool { return it.Kind != schedule.Spatial })
		if k >= 0 && list[k].Kind == schedule.Reduction {
			t.emit("DecomposeReduction", "b", 1, values([]string{n.block, n.loops[k]}))
		}
	}
}

// depth returns the number of loops around the first loop of a stage.
func (t *traceWriter) depth(stage int) int {
	at, ok := t.state.Attach.At(stage)
	if !ok {
		return 0
	}
	return t.depth(at.Stage) + at.Iter + 1
}
