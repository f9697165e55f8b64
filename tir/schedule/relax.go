package schedule

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/tape"
)

// A Relaxed is a state whose split lengths are variables, of any real value: what InferBound knows of it, as
// functions of the lengths. They are exact where lengths divide what they split.
type Relaxed struct {
	State  *State
	Vars   []Length
	Nests  []*RelaxedNest // by stage; nil for placeholders and inlined stages
	Uneven bool           // a length does not divide what it splits: there are fractions of iterations
}

// A Length is a variable: a length of a split.
type Length struct {
	Step, Part int
	Extent     int64 // of what is split
	Value      int64 // in the state
}

// A RelaxedNest is the loop nest of a stage.
type RelaxedNest struct {
	Loops  []tape.Real // extents by iterator
	Region []tape.Real // extents by axis, spatial ones first
	Value  []Form      // of each axis

	nodes []tape.Real
	path  []enclosing
	stage *Stage
}

// Relax returns the bounds of a state on a tape. The lengths of the splits that free names are its variables, but
// for those that a computation depends on. The error says why the state cannot be relaxed: its lengths do not
// divide, or loops are taken apart in a way that no formula here tells of.
func (s *State) Relax(t *tape.Tape, free func(step int) bool) (*Relaxed, error) {
	vars, lengths, err := s.openLengths(t, free)
	if err != nil {
		return nil, err
	}
	b, err := s.Bounds()
	if err != nil {
		return nil, err
	}
	r := &relaxer{Relaxed: &Relaxed{State: b.State, Vars: vars, Nests: make([]*RelaxedNest, len(s.Stages))},
		in: &inference{s: b.State, flow: b.State.dataflow()}, lengths: lengths}
	for i := len(s.Stages) - 1; i >= 0; i-- {
		st := b.State.Stages[i]
		if st.Op.IsPlaceholder() || st.At == Inlined {
			continue
		}
		n := &RelaxedNest{stage: st, path: r.pathOf(i)}
		start := r.regionOf(i, n)
		r.passDown(i, n)
		r.passUp(i, n, start)
		r.Nests[i] = n
		for k, e := range b.extents[i] {
			switch v := n.nodes[k].Value(); {
			case nearly(v, float64(e)):
			case v < float64(e) && v > float64(e)/2: // pieces are rounded up
				r.Uneven = true
			default:
				return nil, fmt.Errorf("schedule: relaxed: a loop of stage %s has %g iterations, and not %d",
					st.Op.Name, v, e)
			}
		}
	}
	return r.Relaxed, nil
}

// A relaxer is an inference over real lengths.
type relaxer struct {
	*Relaxed
	in      *inference
	lengths [][]tape.Real // by stage and relation
}

// tag is a prime that divides no length of a program.
const tag = 65521

// openLengths makes variables of lengths, and returns the length of each split relation. Steps follow lengths of
// others: each variable is a prime for once, so that a length shows of which variables it is a product.
func (s *State) openLengths(t *tape.Tape, free func(step int) bool) ([]Length, [][]tape.Real, error) {
	var vars []Length
	lengths := make([][]tape.Real, len(s.Stages))
	for i, st := range s.Stages {
		for _, r := range st.loops.rels {
			lengths[i] = append(lengths[i], number(float64(r.length)))
		}
	}
	for i, step := range s.Steps {
		sp, ok := step.(Split)
		if !ok || !sp.InnerToOuter || !free(i) {
			continue
		}
		for k, l := range sp.Lengths {
			tagged, err := s.tagged(i, k)
			if err != nil {
				return nil, nil, err
			}
			if tagged == nil {
				continue
			}
			vars = append(vars, Length{i, k, sp.Extent, l})
			n := t.Variable(math.Log(float64(l)))
			for i, st := range tagged.Stages {
				for k, r := range st.loops.rels {
					for ; r.kind == splitRel && r.length%tag == 0; r.length /= tag {
						lengths[i][k] = lengths[i][k].Over(number(float64(l))).Times(n)
					}
				}
			}
		}
	}
	return vars, lengths, nil
}

// tagged returns the state with the tag as a length; nil if that computes something else.
func (s *State) tagged(step, part int) (*State, error) {
	steps := slices.Clone(s.Steps)
	sp := steps[step].(Split)
	sp.Lengths = slices.Clone(sp.Lengths)
	sp.Lengths[part] = tag
	steps[step] = sp
	tagged, err := Replay(s.DAG, steps)
	if err != nil {
		return nil, fmt.Errorf("schedule: relaxed: %w", err)
	}
	same := tagged.Current.ProgramHash() == s.Current.ProgramHash() && len(tagged.Stages) == len(s.Stages)
	for i := 0; same && i < len(s.Stages); i++ {
		same = len(tagged.Stages[i].loops.rels) == len(s.Stages[i].loops.rels)
	}
	if !same {
		return nil, nil
	}
	return tagged, nil
}

// pathOf returns the loops that stage i is computed in, from the inside to the outside.
func (r *relaxer) pathOf(i int) []enclosing {
	at, ok := r.in.s.Attach.At(i)
	if !ok {
		return nil
	}
	var path []enclosing
	for k := at.Iter; k >= 0; k-- {
		path = append(path, enclosing{at: IterKey{at.Stage, k}, ann: r.in.s.Stages[at.Stage].Iters[k].Ann})
	}
	return append(path, r.Nests[at.Stage].path...)
}

// regionOf sets the region of stage i, and returns where it starts.
func (r *relaxer) regionOf(i int, n *RelaxedNest) []Form {
	op := n.stage.Op
	start := make([]Form, len(op.Axes)+len(op.ReduceAxes))
	for d := range start {
		n.Region = append(n.Region, number(float64(axisOf(op, d).Extent)))
	}
	if r.in.flow.ops.outputs[i] {
		return start
	}
	los, his := make([]tape.Real, len(op.Axes)), make([]tape.Real, len(op.Axes))
	whole, seen := make([]bool, len(op.Axes)), false
	for _, reader := range r.in.flow.readers[i] {
		running := r.running(i, reader)
		env := r.Nests[reader].env()
		for _, l := range r.in.flow.loads[reader] {
			if l.stage != i {
				continue
			}
			for d := range op.Axes {
				f, ok := FormOf(l.index[d], env)
				lo, hi, rest := f.span(running)
				switch {
				case !ok:
					whole[d] = true
				case !seen:
					los[d], his[d], start[d] = lo, hi, rest
				case !start[d].alike(rest):
					whole[d] = true
				default:
					los[d], his[d] = los[d].Least(lo), his[d].Most(hi)
				}
			}
			seen = true
		}
	}
	for d := range op.Axes {
		extent := his[d].Minus(los[d]).Plus(number(1))
		if whole[d] || extent.IsConst() && extent.Value() >= n.Region[d].Value() {
			start[d] = Form{}
			continue
		}
		start[d].Const = los[d]
		n.Region[d] = extent.Least(n.Region[d])
	}
	return start
}

// alike reports whether the terms of forms are equal.
func (f Form) alike(g Form) bool {
	d := f.Plus(number(-1), g)
	return len(d.Terms) == 0
}

// running returns which loops run while one execution of stage i provides for a reader, as readerSpans has it.
func (r *relaxer) running(i, reader int) func(IterKey) bool {
	at, attached := r.in.s.Attach.At(i)
	rank := r.in.scopeRank(i)
	still := map[IterKey]bool{}
	found := false
	iters := r.Nests[reader].stage.Iters
	for k := len(iters) - 1; k >= 0; k-- {
		found = found || attached && at == IterKey{reader, k}
		if found && !sharedBy(rank, iters[k].Ann) {
			still[IterKey{reader, k}] = true
		}
	}
	for _, e := range r.Nests[reader].path {
		found = found || attached && at == e.at
		if found && !sharedBy(rank, e.ann) {
			still[e.at] = true
		}
	}
	return func(k IterKey) bool { return !still[k] }
}

// env returns the values of the axes of a nest.
func (n *RelaxedNest) env() func(*tir.Var) (Form, bool) {
	axes := map[*tir.Var]Form{}
	for d, f := range n.Value {
		axes[axisOf(n.stage.Op, d).Var] = f
	}
	return func(v *tir.Var) (Form, bool) { f, ok := axes[v]; return f, ok }
}

// passDown sets the extents of loops from those of the region, as nest.passDown does.
func (r *relaxer) passDown(i int, n *RelaxedNest) {
	t := n.stage.loops
	n.nodes = make([]tape.Real, t.nodes)
	copy(n.nodes, n.Region)
	bound := threadNodes(n.stage)
	for k, rel := range t.rels {
		switch rel.kind {
		case splitRel:
			first, second := rel.inner, rel.outer
			if rel.nparts {
				first, second = rel.outer, rel.inner
			}
			whole, length := n.nodes[rel.parent], r.lengths[i][k]
			n.nodes[first] = length
			if !bound[first] {
				n.nodes[first] = length.Least(whole)
			}
			rest := whole.Over(length)
			if rest.IsConst() {
				rest = number(math.Ceil(rest.Value()))
			}
			n.nodes[second] = rest.Most(number(1))
		case fuseRel:
			n.nodes[rel.parent] = n.nodes[rel.outer].Times(n.nodes[rel.inner])
		case unitRel:
			n.nodes[rel.parent] = number(1)
		}
	}
	for _, leaf := range t.leaves {
		n.Loops = append(n.Loops, n.nodes[leaf])
	}
}

// passUp sets the values of the axes from those of the loops.
func (r *relaxer) passUp(i int, n *RelaxedNest, start []Form) {
	t := n.stage.loops
	at := make([]Form, t.nodes)
	for k, leaf := range t.leaves {
		at[leaf] = loopForm(IterKey{i, k}, n.nodes[leaf])
	}
	for _, rel := range slices.Backward(t.rels) {
		switch rel.kind {
		case splitRel:
			at[rel.parent] = at[rel.inner].Plus(n.nodes[rel.inner], at[rel.outer])
		case fuseRel:
			inner, outer := n.nodes[rel.inner], n.nodes[rel.outer]
			at[rel.outer], at[rel.inner] = at[rel.parent].divide(inner, &outer, &inner)
		}
	}
	for d := range start {
		n.Value = append(n.Value, start[d].Plus(number(1), at[d]))
	}
}
