package compile

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/sequence"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A ranged is a value of a group by the reference, and the least and the largest numbers that a kernel may get which
// rounds. Where all of them are one number, lo and hi are v.
type ranged struct {
	v, lo, hi *graph.Tensor
	vague     bool // no rule says how far a kernel may be off
}

func exactly(v *graph.Tensor) *ranged { return &ranged{v: v, lo: v, hi: v} }

func (r *ranged) exact() bool { return r.lo == r.v && r.hi == r.v && !r.vague }

// ranges evaluates the nodes of a group, whose inputs are exact, with ranges.
type ranges struct {
	call   *graph.Call
	lookup func(n *graph.Node) (graph.EvalFunc, error)
	values map[*graph.Value]*ranged
	states map[*graph.Value]*graph.Tensor // what the kernel computed
	terms  float64                        // numbers that the longest sum of the group adds up
	growth float64                        // times that errors of sums are larger, by the kernel's algorithm; at least 1
	vague  map[string]bool
}

func newRanges(ctx context.Context, terms, growth float64) *ranges {
	e := op.Evaluator()
	return &ranges{call: graph.NewCall(ctx, e), lookup: e.Lookup, values: map[*graph.Value]*ranged{}, terms: terms,
		growth: max(growth, 1), vague: map[string]bool{}}
}

// value returns the range of v: an operand that nobody reads the elements of has zeros.
func (r *ranges) value(v *graph.Value) *ranged {
	if v == nil {
		return exactly(nil)
	}
	if k := r.values[v]; k != nil {
		return k
	}
	t := graph.NewTensor(v.Type, v.Shape...)
	if v.Const != nil {
		t = v.Const.Tensor()
	}
	r.values[v] = exactly(t)
	return r.values[v]
}

// node evaluates a node by the rule of its operator.
func (r *ranges) node(n *graph.Node) error {
	rule := ruleOf(n)
	in := make([]*ranged, len(n.Inputs))
	for i, v := range n.Inputs {
		in[i] = r.value(v)
	}
	if n.Domain == "wmtune" && n.Op == "Recurrence" { // each step is judged from the kernel's own state
		in = append(in, make([]*ranged, sequence.Given-len(n.Inputs))...)
		for i := range in {
			in[i] = cmp.Or(in[i], exactly(nil))
		}
		in = append(in, exactly(r.states[n.Output(0)]))
	}
	out, err := r.eval(n, in, func(x *ranged) *graph.Tensor { return x.v })
	if err != nil {
		return err
	}
	list := make([]*ranged, len(out))
	for i, t := range out {
		list[i] = exactly(t)
	}
	sums := rule.kind == sum && out[0].Type.IsFloat()
	switch {
	case rule.parts != nil:
		err = r.apart(n, list, rule.parts)
	case sums:
		err = r.sums(n, in, list[0])
	default:
		err = r.corners(n, in, list, rule)
	}
	if err != nil {
		return err
	}
	for i, v := range n.Outputs {
		if v == nil {
			continue
		}
		k := list[i]
		k.vague = rule.kind == vague && k.v.Type.IsFloat() || slices.ContainsFunc(in, func(x *ranged) bool { return x.vague })
		if rule.kind == vague && k.v.Type.IsFloat() {
			r.vague[n.Op] = true
		}
		certain := rule.kind == plainly && !slices.ContainsFunc(in, func(x *ranged) bool { return !x.exact() })
		if k.v.Type.IsFloat() && !sums && rule.parts == nil {
			k.round(rule.units, certain)
		}
		r.values[v] = k
	}
	return nil
}

// eval evaluates a node for one tensor of each operand.
func (r *ranges) eval(n *graph.Node, in []*ranged, of func(*ranged) *graph.Tensor) ([]*graph.Tensor, error) {
	f, err := r.lookup(n)
	if err != nil {
		return nil, err
	}
	list := make([]*graph.Tensor, len(in))
	for i, x := range in {
		if x.v != nil {
			list[i] = of(x)
		}
	}
	return f(r.call, n, list)
}

// apart gives the outputs of a node the ranges that the nodes have which it stands for.
func (r *ranges) apart(n *graph.Node, list []*ranged, parts func(d *op.Decomposer)) error {
	nodes, outputs, err := op.DecomposeBy(n, func(d *op.Decomposer) error { parts(d); return nil })
	if err != nil {
		return err
	}
	for _, part := range nodes {
		if err := r.node(part); err != nil {
			return err
		}
	}
	for o, k := range list[:len(n.Outputs)] {
		by := r.value(outputs[o])
		k.own()
		for i, v := range k.v.F {
			if x := by.v.F[i]; x == x { // where parts are no number, as in a row of minus infinity, the node may be one
				k.lo.F[i], k.hi.F[i] = min(v, by.lo.F[i]), max(v, by.hi.F[i])
			}
		}
		for i, v := range k.v.I {
			k.lo.I[i], k.hi.I[i] = min(v, by.lo.I[i]), max(v, by.hi.I[i])
		}
		if k.v.Type.IsFloat() {
			k.round(unitsOfOp, false)
		}
	}
	return nil
}

// fewCorners is the number of inexact operands up to which all corners are evaluated.
const fewCorners = 3

// corners widens the results of a node to those at the corners of what its operands may be, which is all that a
// function may give that is monotone in each of them. Of many operands it is their least, and their largest, at a time.
func (r *ranges) corners(n *graph.Node, in []*ranged, list []*ranged, rule rule) error {
	wide := slices.Clone(in)
	var loose []int
	for i, x := range in {
		if i == 0 && rule.kind == edge && x.v.Type.IsFloat() { // a rounding inside decides on which side of a step it is
			k := exactly(x.v)
			k.lo, k.hi = x.lo, x.hi
			k.round(rule.units, false)
			wide[i] = k
		}
		if x.v != nil && (wide[i].lo != x.v || wide[i].hi != x.v) {
			loose = append(loose, i)
		}
	}
	if len(loose) == 0 {
		return nil
	}
	masks := []int{0, 1<<min(len(loose), 62) - 1}
	if len(loose) <= fewCorners {
		masks = masks[:0]
		for m := range 1 << len(loose) {
			masks = append(masks, m)
		}
	}
	for _, m := range masks {
		at := slices.Clone(wide)
		for k, i := range loose {
			at[i] = exactly(wide[i].lo)
			if m>>min(k, 62)&1 != 0 || len(loose) > fewCorners && m != 0 {
				at[i] = exactly(wide[i].hi)
			}
		}
		out, err := r.eval(n, at, func(x *ranged) *graph.Tensor { return x.v })
		if err != nil {
			return err
		}
		for i := range list {
			if out[i] != nil {
				list[i].include(out[i])
			}
		}
	}
	return nil
}

// include widens a range to the elements of t. What is no number in t, and one in v, may be anything.
func (k *ranged) include(t *graph.Tensor) {
	k.own()
	if !slices.Equal(t.Shape, k.v.Shape) {
		k.vague = true
		return
	}
	for i, x := range t.F {
		switch {
		case x != x && k.v.F[i] == k.v.F[i]:
			k.lo.F[i], k.hi.F[i] = math.Inf(-1), math.Inf(1)
		case x < k.lo.F[i]:
			k.lo.F[i] = x
		case x > k.hi.F[i]:
			k.hi.F[i] = x
		}
	}
	for i, x := range t.I {
		k.lo.I[i], k.hi.I[i] = min(k.lo.I[i], x), max(k.hi.I[i], x)
	}
}

// own gives a range bounds that may be changed.
func (k *ranged) own() {
	clone := func(t *graph.Tensor) *graph.Tensor {
		c := *t
		c.F, c.I = slices.Clone(t.F), slices.Clone(t.I)
		return &c
	}
	if k.lo == k.v {
		k.lo = clone(k.v)
	}
	if k.hi == k.v {
		k.hi = clone(k.v)
	}
}

// unitOf returns the rounding of an operation and of storing its result: half a unit in the last place of 1 each. What
// is stored in 16 bits is computed in float32.
func unitOf(t tir.DType) (work, store float64) {
	if t == tir.F16 || t == tir.BF16 {
		return compute.Unit(tir.F32), compute.Unit(t)
	}
	return compute.Unit(t), 0
}

// round widens a range by the rounding of an operation. A result that the type holds, of a certain one, is not rounded.
func (k *ranged) round(units float64, certain bool) {
	t := k.v.Type
	work, store := unitOf(t)
	share, least := units*work+store, compute.Smallest(t)
	if t == tir.F16 {
		least *= compute.Unit(t)
	}
	if certain && !slices.ContainsFunc(k.v.F, func(x float64) bool { return x == x && tir.Rounded(t, x) != x }) {
		return
	}
	k.own()
	limit := compute.Largest(t)
	for i, x := range k.v.F {
		if certain && tir.Rounded(t, x) == x || x != x {
			continue
		}
		k.lo.F[i] = below(k.lo.F[i], share, least, limit)
		k.hi.F[i] = -below(-k.hi.F[i], share, least, limit)
	}
}

// below returns x less a share of it, at least so much; and what is beyond the largest number of the type.
func below(x, share, least, limit float64) float64 {
	if math.IsInf(x, 0) {
		return min(x, limit)
	}
	if x -= max(share*math.Abs(x), least); x <= -limit {
		return math.Inf(-1)
	}
	return min(x, limit)
}

// sumUnits is how many units of rounding a sum of n terms may be off, of the sum of their magnitudes. In any order it
// is at most n-1; roundings are as good as independent, so it is of the order of the root of n, at 4 of which no sum
// ends (Higham and Mary, A new approach to probabilistic rounding error analysis, 2019).
func sumUnits(n float64) float64 { return unitsOfOp + 4*math.Sqrt(n) }

// sums gives a sum of products its range: the sum of the magnitudes of its terms times the rounding of the type in
// which it is made, and what the ranges of its operands can add to that sum.
func (r *ranges) sums(n *graph.Node, in []*ranged, k *ranged) error {
	n = positive(n)
	loose := false
	magnitude := func(far bool) ([]*graph.Tensor, error) {
		return r.eval(n, in, func(x *ranged) *graph.Tensor {
			if !x.v.Type.IsFloat() {
				return x.v
			}
			m := graph.NewTensor(x.v.Type, x.v.Shape...)
			loose = loose || !x.exact()
			for i, v := range x.v.F {
				m.F[i] = math.Abs(v)
				if far {
					m.F[i] += max(x.hi.F[i]-v, v-x.lo.F[i])
				}
			}
			return m
		})
	}
	size, err := magnitude(false)
	if err != nil {
		return err
	}
	far := size
	if loose {
		if far, err = magnitude(true); err != nil {
			return err
		}
	}
	t := k.v.Type
	work, store := unitOf(t)
	share, limit := r.growth*sumUnits(r.terms)*work, compute.Largest(t)
	k.own()
	for i, v := range k.v.F {
		large := math.Abs(far[0].F[i]) // of a sum that is negated, too
		by := large - math.Abs(size[0].F[i]) + share*large
		if math.IsNaN(by) {
			by = math.Inf(1)
		}
		if v == v {
			k.lo.F[i] = below(v-by, store, compute.Smallest(t), limit)
			k.hi.F[i] = -below(-v-by, store, compute.Smallest(t), limit)
		}
	}
	return nil
}

// positive returns a node whose factors (alpha and beta of Gemm, coefficients of transforms) are not negative.
func positive(n *graph.Node) *graph.Node {
	k := *n
	k.Attrs = slices.Clone(n.Attrs)
	for i, a := range k.Attrs {
		k.Attrs[i].Float = math.Abs(a.Float)
	}
	k.SetAttr(graph.IntAttr("magnitudes", 1))
	return &k
}
