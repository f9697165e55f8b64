package padded

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// attentionMask is of wmtune.AttentionMask. The operator finds the position of a query by the number of keys that are
// seen less that of the queries at the bounds. Where the extents change that, the true numbers are put in.
func attentionMask(r *rewriter, n *graph.Node) error {
	l := r.layouts[n.Inputs[0]]
	batch, queries, last := n.Inputs[0].Shape[0], n.Inputs[0].Shape[2], n.Outputs[0]
	if len(l[2]) != 1 || len(l[3]) != 1 {
		return r.refuse(n, elsewhere)
	}
	var lengths *graph.Value
	if n.Input(1) == nil {
		past := make([]int64, len(r.samples))
		for k, s := range r.samples {
			m := s.made[last.Name]
			if m == nil {
				return r.refuse(n, "it is another operator at other extents")
			}
			past[k] = m.Int("past", 0)
		}
		if constant(past) {
			return r.keep(n, l)
		}
		// True keys are below what is made here: nothing but the window hides them.
		lengths = r.shifted(n, past, queries)
		if lengths == nil {
			return r.refuse(n, "the number of keys before follows from the extents by no formula that wmtune knows")
		}
	} else {
		if varies(r.layouts[n.Inputs[1]][0]) {
			return r.refuse(n, "the batch of its lengths varies")
		}
		if !varies(l[2]) || n.Int("left", -1) < 0 && n.Int("right", -1) < 0 {
			return r.keep(n, l)
		}
		short := make([]int64, len(r.samples))
		for k := range short {
			short[k] = -l[2][0].at[k]
		}
		shift := r.shifted(n, short, queries)
		if shift == nil {
			return r.refuse(n, "the number of queries follows from the extents by no formula that wmtune knows")
		}
		// The lengths hide first; then those of the window are longer by the queries that there are not.
		n.Inputs[0] = r.apply(n, "wmtune.AttentionMask", l, slices.Clone(n.Inputs), graph.IntAttr("left", -1),
			graph.IntAttr("right", -1))
		lengths = r.apply(n, "Add", nil, []*graph.Value{r.cast(n, n.Inputs[1], tir.I64), shift})
	}
	if batch > 1 && lengths.Shape[0] == 1 {
		lengths = r.apply(n, "Expand", nil, []*graph.Value{lengths, r.constant(graph.Ints(batch))})
	}
	n.Inputs = []*graph.Value{n.Inputs[0], lengths}
	return r.keep(n, l)
}

// shifted returns an extent, told by its numbers at the samples, plus a number, as a tensor of one element; nil if no
// formula makes it.
func (r *rewriter) shifted(like *graph.Node, at []int64, plus int64) *graph.Value {
	sum := make([]int64, len(at))
	for k := range at {
		sum[k] = at[k] + plus
	}
	return r.entriesOf(like, [][]int64{sum}, []int64{1})
}
