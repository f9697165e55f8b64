package schedule

import (
	"fmt"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
)

// InferBound returns s with the ranges of all iterators set. It is an error if
// s is not concrete, if a nest has more iterations than can be counted, or if
// inlining makes a body too large.
//
// Inlined stages stay as they are. Bounds are those of TVM
// (te/schedule/bound.cc), save that an extent which TVM leaves symbolic is
// replaced by a constant bound of it.
func (s *State) InferBound() (*State, error) {
	b, err := s.Bounds()
	if err != nil {
		return nil, err
	}
	return b.State, nil
}

// ReplayBound is Replay with the ranges of all iterators set.
func ReplayBound(d *compute.DAG, steps []Step) (*State, error) {
	s, err := Replay(d, steps)
	if err != nil {
		return nil, err
	}
	return s.InferBound()
}

// bound returns the state with the ranges of all iterators set.
func (in *inference) bound() *State {
	c := *in.s
	c.Stages = slices.Clone(in.s.Stages)
	for i, n := range in.nests {
		if n == nil {
			continue
		}
		st := *in.s.Stages[i]
		st.Iters = n.boundIters(&st)
		c.Stages[i] = &st
	}
	return &c
}

// threadName names a loop variable for the printed state: by its thread, if it
// is bound to one.
func threadName(it *Iterator) string {
	if it.Ann.IsThread() {
		return it.Ann.String()
	}
	return varName(it.Name)
}

// boundIters returns the iterators of st with the ranges of n.
func (n *nest) boundIters(st *Stage) []*Iterator {
	list := make([]Iterator, len(st.Iters))
	out := make([]*Iterator, len(st.Iters))
	for k, it := range st.Iters {
		list[k] = *it
		leaf := st.loops.leaves[k]
		list[k].Min, list[k].Extent = nil, n.extents[leaf]
		if leaf < len(n.region) && !n.region[leaf].min.Equal(arith.Affine{}) {
			list[k].Min = n.region[leaf].min.Expr()
		}
		out[k] = &list[k]
	}
	return out
}

// An inference computes which part of its op's domain each stage must compute,
// from the outputs to the inputs.
type inference struct {
	s     *State
	flow  *flow
	name  func(*Iterator) string
	nests []*nest // by stage; nil for placeholders and inlined stages
	last  map[*tir.Var]int64
	spans []arith.Span // of the nodes of a reader, while readerSpans works; from spanLists
}

// spanLists has lists that an inference is done with: a search infers the bounds of
// millions of states.
var spanLists = sync.Pool{New: func() any { return new([]arith.Span) }}

// A nest is the loops of one stage with their ranges.
type nest struct {
	region  []box       // by root axis
	extents []int64     // by node of the loop tree
	vars    []*tir.Var  // by iterator
	path    []enclosing // from inside to outside
}

// A box is one dimension of a region: min, ..., min+extent-1.
type box struct {
	min    arith.Affine
	extent int64
}

// An enclosing loop is one that a nest is computed in.
type enclosing struct {
	at  IterKey
	v   *tir.Var
	ann Annotation
}

func infer(s *State, name func(*Iterator) string) (*inference, error) {
	if !s.Concrete() {
		return nil, fmt.Errorf("schedule: bounds of a state with open split lengths: fill them first")
	}
	if err := s.checkBodies(); err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	loops := 0
	for _, st := range s.Stages {
		loops += len(st.Iters)
	}
	spans := spanLists.Get().(*[]arith.Span)
	in := &inference{s: s, flow: s.dataflow(), name: name, nests: make([]*nest, len(s.Stages)),
		last: make(map[*tir.Var]int64, loops), spans: *spans}
	defer func() {
		clear(in.spans)
		*spans, in.spans = in.spans, nil
		spanLists.Put(spans)
	}()
	for i := len(s.Stages) - 1; i >= 0; i-- {
		st := s.Stages[i]
		if st.Op.IsPlaceholder() || st.At == Inlined {
			continue
		}
		n := &nest{path: in.pathOf(i), region: in.regionOf(i)}
		if err := n.passDown(st); err != nil {
			return nil, err
		}
		in.addVars(st, n)
		in.nests[i] = n
	}
	return in, nil
}

// bounds is the arith.Bounds of all loop variables so far.
func (in *inference) bounds(v *tir.Var) (arith.Interval, bool) {
	last, ok := in.last[v]
	return arith.Interval{Lo: 0, Hi: last}, ok
}

func (in *inference) addVars(st *Stage, n *nest) {
	list := make([]tir.Var, len(st.Iters))
	n.vars = make([]*tir.Var, len(st.Iters))
	for k, it := range st.Iters {
		list[k] = tir.Var{Name: in.name(it), Type: tir.Index}
		n.vars[k] = &list[k]
		in.last[&list[k]] = n.extents[st.loops.leaves[k]] - 1
	}
}

// pathOf returns the loops that stage i is computed in.
func (in *inference) pathOf(i int) []enclosing {
	var path []enclosing
	for {
		at, ok := in.s.Attach.At(i)
		if !ok {
			return path
		}
		for k := at.Iter; k >= 0; k-- {
			path = append(path, enclosing{IterKey{at.Stage, k}, in.nests[at.Stage].vars[k], in.s.Stages[at.Stage].Iters[k].Ann})
		}
		i = at.Stage
	}
}

// regionOf returns the part of the domain of stage i that its readers need: the
// union over all loads. The reduce axes are always whole, as are the axes of an
// output.
func (in *inference) regionOf(i int) []box {
	op := in.s.Stages[i].Op
	region := make([]box, 0, len(op.Axes)+len(op.ReduceAxes))
	if in.flow.ops.outputs[i] {
		for _, a := range op.Axes {
			region = append(region, box{extent: a.Extent})
		}
	} else {
		spans := make([]arith.Span, len(op.Axes))
		seen := false
		for _, r := range in.flow.readers[i] {
			env := in.readerSpans(i, r)
			for _, l := range in.flow.loads[r] {
				if l.stage == i {
					in.addLoad(spans, l, i, env, seen)
					seen = true
				}
			}
		}
		for d, a := range op.Axes {
			region = append(region, in.boxOf(spans[d], a.Extent))
		}
	}
	for _, a := range op.ReduceAxes {
		region = append(region, box{extent: a.Extent})
	}
	return region
}

// addLoad widens spans by what one load reads. Ends are replaced by those of
// the shape only in pairs, and only if they are certainly tighter: an index out
// of the shape is never read.
func (in *inference) addLoad(spans []arith.Span, l access, i int, env arith.Env, union bool) {
	for d, a := range in.s.Stages[i].Op.Axes {
		whole := arith.Span{Hi: arith.ConstAffine(a.Extent - 1)}
		sp, ok := arith.ExprSpan(l.index[d], env, in.bounds)
		if ok {
			lo, okLo := sp.Lo.Range(in.bounds)
			hi, okHi := sp.Hi.Range(in.bounds)
			ok = !okLo || !okHi || lo.Hi > 0 || hi.Lo < a.Extent-1
		}
		if !ok {
			sp = whole
		}
		if union {
			sp = spans[d].Union(sp, in.bounds)
		}
		spans[d] = sp
	}
}

// boxOf returns a box of constant extent that covers a span.
func (in *inference) boxOf(sp arith.Span, whole int64) box {
	size, exact := sp.Size(in.bounds)
	if !exact && (size < 0 || size >= whole) {
		return box{extent: whole}
	}
	return box{sp.Lo, size}
}

// readerSpans returns the ranges of the axes of reader that one execution of
// stage i must provide for. Loops of the reader inside the attach point of i run
// through their range; those outside are one point, save GPU threads that share
// the memory that i is in.
func (in *inference) readerSpans(i, reader int) arith.Env {
	st, r := in.s.Stages[reader], in.nests[reader]
	at, attached := in.s.Attach.At(i)
	rank := in.scopeRank(i)
	spans := slices.Grow(in.spans[:0], st.loops.nodes)[:st.loops.nodes]
	clear(spans)
	in.spans = spans
	found := false
	for k := len(st.Iters) - 1; k >= 0; k-- {
		found = found || attached && at == IterKey{reader, k}
		leaf := st.loops.leaves[k]
		switch {
		case r.extents[leaf] == 1:
		case found && !sharedBy(rank, st.Iters[k].Ann):
			spans[leaf] = arith.PointSpan(arith.VarAffine(r.vars[k]))
		default:
			spans[leaf].Hi = arith.ConstAffine(r.extents[leaf] - 1)
		}
	}
	var relaxed []*tir.Var
	for _, e := range r.path {
		found = found || attached && at == e.at
		if !found || sharedBy(rank, e.ann) {
			relaxed = append(relaxed, e.v)
		}
	}
	if attached && !found {
		panic("BUG: schedule: stage " + st.Op.Name + " is not computed inside the loop that " +
			in.s.Stages[i].Op.Name + " is attached in")
	}
	r.passUp(st, spans, in.bounds)
	axes := make(map[*tir.Var]arith.Span, len(r.region))
	for d, b := range r.region {
		sp := spans[d].Plus(arith.PointSpan(b.min))
		if len(relaxed) > 0 {
			sp = in.relax(sp, relaxed)
		}
		axes[axisOf(st.Op, d).Var] = sp
	}
	return func(v *tir.Var) (arith.Span, bool) { sp, ok := axes[v]; return sp, ok }
}

// relax lets some variables run through their ranges.
func (in *inference) relax(sp arith.Span, vars []*tir.Var) arith.Span {
	env := func(v *tir.Var) (arith.Span, bool) {
		if !slices.Contains(vars, v) {
			return arith.Span{}, false
		}
		return arith.Span{Hi: arith.ConstAffine(in.last[v])}, true
	}
	return arith.Span{Lo: sp.Lo.Relax(env, in.bounds).Lo, Hi: sp.Hi.Relax(env, in.bounds).Hi}
}

// Ranks order memory scopes and threads by who shares what: threads of a rank
// at least that of the scope share the memory.
const (
	rankGlobal = iota
	rankShared
	rankWarp
	rankLocal
)

// scopeRank returns the rank of the memory that stage i writes. Without a scope
// of its own that is the memory of the innermost threads that it is computed in:
// none of them share it.
func (in *inference) scopeRank(i int) int {
	switch in.s.Stages[i].Op.Results[0].Scope {
	case tir.Global:
		return rankGlobal
	case tir.Shared:
		return rankShared
	case tir.Warp:
		return rankWarp
	}
	return rankLocal
}

// sharedBy reports whether all threads that a loop is bound to share memory of
// the given rank.
func sharedBy(rank int, a Annotation) bool {
	switch {
	case !a.IsThread():
		return false
	case a.IsBlock():
		return rank <= rankGlobal
	case a == ThreadX && rank == rankWarp:
		return true
	}
	return rank <= rankShared
}
