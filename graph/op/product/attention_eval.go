package product

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// evalAttention is the reference of Attention: a query of a head after the other.
func evalAttention(a *attention, call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	types, err := inferAttention(n)
	if err != nil {
		return nil, err
	}
	var out []*graph.Tensor
	for _, t := range types {
		out = append(out, graph.NewTensor(t.DType, t.Shape...))
	}
	y, keys, values, shown := out[0], out[1], out[2], out[3]
	a.present(keys, in[1], array.Argument(in, 4), a.size)
	a.present(values, in[2], array.Argument(in, 5), a.valueSize)
	mode := n.Int("qk_matmul_output_mode", 0)
	e := attentionEval{a, n, array.Argument(in, 3), array.Argument(in, 6)}
	err = array.Parallel(call.Context, int(a.batch*a.heads*a.queries), func(i int) {
		b, h, l := int64(i)/(a.heads*a.queries), int64(i)/a.queries%a.heads, int64(i)%a.queries
		q := in[0].F[a.place(b, h, l, a.heads, a.queries, a.size):][:a.size]
		plane := b*a.keyHeads + h/a.perKeyHead()
		row := shown.F[int64(i)*a.keys:][:a.keys]
		for j := range a.keys {
			row[j] = array.Dot(q, keys.F[(plane*a.keys+j)*a.size:]) * a.scale
		}
		p := e.probabilities(row, b, h, l)
		switch mode {
		case 1:
			e.cap(row)
		case 2:
			e.cap(row)
			e.mask(row, b, h, l)
		case 3:
			copy(row, p)
		}
		to := y.F[a.place(b, h, l, a.heads, a.queries, a.valueSize):]
		for j, w := range p {
			for d := range a.valueSize {
				to[d] += w * values.F[(plane*a.keys+int64(j))*a.valueSize+d]
			}
		}
	})
	return out, err
}

// place is where the elements of a head and a position are in a tensor with so many of them.
func (a *attention) place(b, h, l, heads, length, size int64) int64 {
	if a.flat {
		return ((b*length+l)*heads + h) * size
	}
	return ((b*heads+h)*length + l) * size
}

// present puts the keys or values of the past before those of now.
func (a *attention) present(to, now, past *graph.Tensor, size int64) {
	length := a.keys - a.past
	for b := range a.batch {
		for h := range a.keyHeads {
			row := to.F[(b*a.keyHeads+h)*a.keys*size:]
			if past != nil {
				copy(row, past.F[(b*a.keyHeads+h)*a.past*size:][:a.past*size])
			}
			for l := range length {
				copy(row[(a.past+l)*size:], now.F[a.place(b, h, l, a.keyHeads, length, size):][:size])
			}
		}
	}
}

// An attentionEval has what turns the scores of a query into probabilities.
type attentionEval struct {
	*attention
	n             *graph.Node
	bias, lengths *graph.Tensor // may be nil
}

func (e attentionEval) probabilities(scores []float64, b, h, l int64) []float64 {
	row := append([]float64(nil), scores...)
	e.cap(row)
	e.mask(row, b, h, l)
	return softmaxOf(row)
}

func (e attentionEval) cap(row []float64) {
	if c := e.n.Float("softcap", 0); c > 0 {
		for j, v := range row {
			row[j] = c * math.Tanh(v/c)
		}
	}
}

// mask hides keys from query l of head h.
func (e attentionEval) mask(row []float64, b, h, l int64) {
	position, length := l+e.past, e.keys
	if e.lengths != nil {
		length = e.lengths.I[b]
		position = l + length - e.queries
	}
	left, right := windowOf(e.n)
	for j := range row {
		key := int64(j)
		if key >= length || left >= 0 && key < position-left || right >= 0 && key > position+right {
			row[j] = math.Inf(-1)
			continue
		}
		row[j] += e.biasAt([]int64{b, h, l, key})
	}
}

// biasAt returns what the mask adds to a score.
func (e attentionEval) biasAt(at []int64) float64 {
	m := e.bias
	if m == nil {
		return 0
	}
	place := int64(0)
	for d, s := range array.Strides(m.Shape) {
		i := at[len(at)-len(m.Shape)+d]
		if d == len(m.Shape)-1 && e.hides(m.Shape, i) {
			return math.Inf(-1)
		}
		if m.Shape[d] != 1 {
			place += i * s
		}
	}
	switch {
	case m.Type != tir.Bool:
		return m.At(int(place))
	case m.I[place] == 0:
		return math.Inf(-1)
	}
	return 0
}
