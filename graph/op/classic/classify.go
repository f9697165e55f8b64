package classic

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
)

// voters are trees that classify. Two classes are a case of their own, with rules of ONNX Runtime: where no leaf scores
// the second, there is one score, which becomes two.
type voters struct {
	*forest
	labels
	binary   bool // all leaves score the same one of two classes
	positive bool // no leaf lowers a score
}

func votersOf(n *graph.Node) (*voters, error) {
	f, err := oldForestOf(n, "class_")
	if err != nil {
		return nil, err
	}
	v := &voters{forest: f, labels: labelsOf(n), binary: f.width == 2, positive: true}
	first := int64(-1)
	for _, leaf := range f.leaves {
		for _, s := range leaf {
			if first < 0 {
				first = s.target
			}
			v.binary = v.binary && s.target == first
			v.positive = v.positive && s.weight >= 0
		}
	}
	if k := int64(len(f.base)); k > f.width || f.width == 2 && f.post == probit {
		return nil, op.Unsupported("%d classes with %d base_values and post_transform %s: that", f.width, k, f.post)
	}
	return v, nil
}

// limit is the score above which a row is of the second of two classes.
func (v *voters) limit() float64 {
	if v.binary && v.positive {
		return 0.5
	}
	return 0
}

// pair returns the labels of two classes: those that are given only if trees score one of them.
func (v *voters) pair() labels {
	if v.binary {
		return v.labels
	}
	return labels{0, 1}
}

func (v *voters) score(row []float64) (int64, []float64) {
	s, said := v.scores(row)
	if v.width == 2 {
		return v.two(s, said[0] > 0, said[1] > 0)
	}
	for i, b := range v.base {
		s[i] += b
		said[i] = 1
	}
	if v.width == 1 {
		return v.pair().choose(s[0] > 0), v.post.apply(s)
	}
	chosen := slices.Clone(s)
	for i := range chosen {
		if said[i] == 0 {
			chosen[i] = math.Inf(-1)
		}
	}
	return v.labels[argmax(chosen)], v.post.apply(s)
}

// two classifies by scores of two classes, those of the classes that a leaf scored, and 0.
func (v *voters) two(s []float64, first, second bool) (int64, []float64) {
	switch {
	case len(v.base) == 2 && second:
		if s[1] = s[0] + v.base[1]; first {
			s[0] = -s[1]
		}
	case len(v.base) > 0 && first:
		s[0] += v.base[0]
	}
	deciding := s[0]
	if second {
		deciding = s[1]
	}
	label := v.pair().choose(deciding > v.limit())
	switch {
	case second || len(v.base) == 2:
		return label, v.post.apply(s)
	case v.limit() > 0 || v.post == logistic:
		return label, v.post.pair(s[0])
	}
	return label, []float64{-s[0], s[0]}
}

func (v *voters) nodes(d *op.Decomposer, x *graph.Value) (label, scores *graph.Value) {
	always, never, count := make([]bool, v.width), make([]bool, v.width), false
	for class := range v.width {
		sure, ever := v.scored(class)
		always[class], never[class] = sure, !ever
		matters := class >= int64(len(v.base)) // with a base value, a class takes part whether a leaf scores it or not
		if v.width == 2 {
			matters = class == 1 || v.base != nil
		}
		never[class] = never[class] && matters
		count = count || matters && ever && !sure
	}
	f := *v.forest
	if v.width == 2 && never[1] && !count && len(v.base) < 2 { // the second column is not needed
		f.width = 1
	}
	s, said := f.walk(d, x), (*graph.Value)(nil)
	if count {
		said = f.saidNodes(d, x)
	}
	column := func(i int64) *graph.Value { return d.Cut(s, 1, min(i, f.width-1), min(i, f.width-1)+1) }
	switch {
	case v.width != 2:
		return v.manyNodes(d, s, said, never)
	case count:
		second := d.Cut(said, 1, 1, 2)
		first := d.Cast(d.Cut(said, 1, 0, 1), s.Type)
		label1, s1 := v.twoNodes(d, column(0), column(1), first, true)
		label0, s0 := v.twoNodes(d, column(0), column(1), first, false)
		return apply(d, "Where", second, label1, label0), apply(d, "Where", second, s1, s0)
	}
	first := d.Number(s, 0)
	if always[0] {
		first = d.Number(s, 1)
	}
	return v.twoNodes(d, column(0), column(1), first, !never[1])
}

// manyNodes adds what classifies by scores of other than two classes. Said, if not nil, says which ones leaves scored;
// never lists those that none does.
func (v *voters) manyNodes(d *op.Decomposer, s, said *graph.Value, never []bool) (label, scores *graph.Value) {
	base, least := graph.NewTensor(s.Type, 1, v.width), graph.NewTensor(s.Type, 1, v.width)
	if copy(base.F, v.base) > 0 {
		s = apply(d, "Add", s, d.Const(base))
	}
	chosen := s
	switch {
	case v.width == 1:
		return v.pair().where(d, s, 0), v.post.nodes(d, s)
	case said != nil:
		chosen = apply(d, "Where", said, s, d.Number(s, math.Inf(-1)))
	case slices.Contains(never, true):
		for class, is := range never {
			if is {
				least.F[class] = math.Inf(-1)
			}
		}
		chosen = apply(d, "Add", s, d.Const(least))
	}
	return v.largest(d, chosen), v.post.nodes(d, s)
}

// twoNodes is two; first is 1 where a leaf scores the first class, and else 0.
func (v *voters) twoNodes(d *op.Decomposer, s0, s1, first *graph.Value, second bool) (label, scores *graph.Value) {
	switch {
	case len(v.base) == 2 && second:
		s1 = apply(d, "Add", s0, d.Number(s0, v.base[1]))
		s0 = apply(d, "Mul", first, apply(d, "Neg", s1))
	case len(v.base) > 0:
		s0 = apply(d, "Add", s0, apply(d, "Mul", first, d.Number(s0, v.base[0])))
	}
	deciding := s0
	if second {
		deciding = s1
	}
	label = v.pair().where(d, deciding, v.limit())
	switch {
	case second || len(v.base) == 2:
		return label, v.post.nodes(d, beside(d, s0, s1))
	case v.limit() > 0 || v.post == logistic:
		return label, v.post.pairNodes(d, s0)
	}
	return label, beside(d, apply(d, "Neg", s0), s0)
}
