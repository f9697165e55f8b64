package pass

import (
	"context"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/product"
	"github.com/wmtune/wmtune/tir"
)

// roundRows has what is multiplied by weights of few bits rounded to bytes, by the largest number of each block of a
// row. The blocks are those of the weights:
//
//	y = MatMul(x, w)    =>    q, s = wmtune.RowBytes(x); d = DequantizeLinear(q, s); y = MatMul(d, w)
//
// Other passes multiply the bytes (packWeights). A MatMulNBits gets the accuracy level that says the same. It returns
// the number of products; those of other blocks, or of rows that are no whole blocks, stay as they are.
func roundRows(ctx context.Context, g *graph.Graph, _ Options) (count int, err error) {
	err = subgraphs(g, func(g *graph.Graph) error {
		e := edit(ctx, g, "rows")
		return e.each(func(n *graph.Node) bool {
			if n.Domain == "com.microsoft" && n.Op == "MatMulNBits" {
				n.SetAttr(graph.IntAttr("accuracy_level", bytesLevel))
				count++
				return false
			}
			if n.Domain != "" || n.Op != "MatMul" && n.Op != "Gemm" || n.Inputs[0].Type != tir.F32 {
				return false
			}
			w, ok := weightsOf(n.Inputs[1].Dequantized, n.Int("transB", 0) != 0)
			if !ok || n.Int("transA", 0) != 0 || !wholeWords(w) || len(n.Inputs[0].Shape) == 0 || e.rowBytesOf(n, w) != nil {
				return false
			}
			count++
			inputs := append([]*graph.Value{e.roundedRows(n, w.Block)}, n.Inputs[1:]...)
			return e.becomes(n, e.like(n, inputs))
		})
	})
	return count, err
}

// bytesLevel is the accuracy level of a MatMulNBits that rounds rows to bytes.
const bytesLevel = 4

// wholeWords reports whether weights are whole blocks of whole words, of 4 bits as of 8.
func wholeWords(w product.Weights) bool { return w.K > 0 && w.K%w.Block == 0 && w.Block%8 == 0 }

// roundedRows returns input 0 of n, rounded to bytes and dequantized.
func (e *editor) roundedRows(n *graph.Node, block int64) *graph.Value {
	k := &graph.Node{Name: n.Name, Domain: "wmtune", Op: "RowBytes", Version: 1, Inputs: n.Inputs[:1:1]}
	k.SetAttr(graph.IntAttr("block", block))
	for range 3 {
		k.Outputs = append(k.Outputs, &graph.Value{Name: e.name(first(n).Name + ".bytes")})
	}
	_, err := op.InferNode(e.ctx, k)
	e.check(err)
	e.add(k)
	d := &graph.Node{Name: n.Name, Op: "DequantizeLinear", Version: op.Newest, Inputs: k.Outputs[:2:2]}
	return e.make(n, d, []graph.Attr{graph.IntAttr("axis", -1), graph.IntAttr("block_size", block)})
}

// rowBytesOf returns what a product multiplies that was rounded to bytes in the blocks of its weights, as it was before
// that; nil if it multiplies something else.
func (e *editor) rowBytesOf(n *graph.Node, w product.Weights) *graph.Value {
	d := e.made[n.Inputs[0]]
	if !dequantizes(d) || len(d.Inputs) != 2 {
		return nil
	}
	k := e.made[d.Inputs[0]]
	if k == nil || k.Domain != "wmtune" || k.Op != "RowBytes" || d.Inputs[1] != k.Outputs[1] || !wholeWords(w) ||
		k.Int("block", 0) != w.Block || d.Int("block_size", 0) != w.Block {
		return nil
	}
	return k.Inputs[0]
}
