package pass

import (
	"context"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/product"
	"github.com/wmtune/wmtune/tir"
)

// packWeights has products of real numbers read weights that the file has in few bits as they are, in blocks of rows:
//
//	w = DequantizeLinear(q: int8[K, N], scale, zero); y = MatMul(x, w)
//	=>
//	y = wmtune.BlockMatMul(x, words: int32[blocks, words, N], scale, zero)
//
// Scales must be of columns, or of blocks of rows. Rows of x that were rounded to bytes in these blocks (roundRows) are
// multiplied as bytes. Products of bytes by bytes are left to the pass integers.
func packWeights(ctx context.Context, g *graph.Graph) error {
	return subgraphs(g, func(g *graph.Graph) error {
		e := edit(ctx, g, "weights")
		return e.each(e.packed)
	})
}

func (e *editor) packed(n *graph.Node) bool {
	plain := n.Op == "MatMul" || n.Op == "Gemm" && n.Float("alpha", 1) == 1 && n.Float("beta", 1) == 1
	if !plain || n.Int("transA", 0) != 0 || len(n.Inputs[0].Shape) == 0 || !n.Inputs[0].Type.IsFloat() {
		return false
	}
	w, ok := weightsOf(n.Inputs[1].Dequantized, n.Int("transB", 0) != 0)
	if !ok {
		return false
	}
	if p, _ := e.bytesOf(n); n.Domain == "" && p != nil {
		return false
	}
	x := n.Inputs[0]
	if plain := e.rowBytesOf(n, w); plain != nil {
		x, w.Bytes = plain, true
	}
	nodes, outputs, err := op.DecomposeBy(n, func(d *op.Decomposer) error {
		if y := w.Multiply(d, x); y != nil {
			if c := n.Input(2); c != nil {
				y = d.Two("Add", y, c)
			}
			d.Output(y)
		} else {
			d.Output(n.Outputs[0])
		}
		return nil
	})
	e.check(err)
	for _, k := range nodes {
		e.check(e.decompose(k, 0))
	}
	return outputs[0] != n.Outputs[0] && e.becomes(n, outputs[0])
}

// weightsOf returns the weights that a DequantizeLinear of constants made real numbers, which may be transposed.
func weightsOf(d *graph.Node, turned bool) (w product.Weights, ok bool) {
	if d == nil || len(d.Inputs[0].Shape) != 2 || d.Inputs[0].Type.Bytes() != 1 || d.Inputs[1].Elems() == 0 {
		return w, false
	}
	q, scale, zero := d.Inputs[0].Const, d.Inputs[1].Const.Tensor(), graph.Scalar(tir.I32, 0)
	if z := d.Input(2); z != nil {
		zero = z.Const.Tensor()
	}
	columns := q.Shape[1]
	w = product.Weights{K: q.Shape[0], N: columns, Type: scale.Type}
	rows, axis := int64(0), (d.Int("axis", 1)+2)%2
	if turned {
		w.K, w.N, rows = w.N, w.K, 1
	}
	w.Number = func(k, j int64) int64 {
		if turned {
			k, j = j, k
		}
		if v := q.Data[k*columns+j]; q.Type == tir.I8 {
			return int64(int8(v))
		} else {
			return int64(v)
		}
	}
	at := func(t *graph.Tensor) func(b, j int64) float64 {
		return func(b, j int64) float64 {
			switch {
			case t.Len() == 1:
				return t.At(0)
			case len(t.Shape) == 1:
				return t.At(int(j))
			case turned:
				b, j = j, b
			}
			return t.At(int(b*t.Shape[1] + j))
		}
	}
	w.Scale, w.Zero = at(scale), at(zero)
	switch w.Block = d.Int("block_size", 0); {
	case len(scale.Shape) == 2 && axis == rows && w.Block > 0:
		return w, true
	case scale.Len() == 1 || len(scale.Shape) == 1 && axis != rows:
		w.Block = w.K
		return w, true
	}
	return w, false
}
