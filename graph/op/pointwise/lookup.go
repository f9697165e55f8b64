package pointwise

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Lookups has the operator that replaces each byte of operand 0 by the byte that a table has for it: element x becomes
// table[x].
var Lookups = []op.Row{
	{Op: "wmtune.Lookup", In: "T:I T:I", Class: op.Injective, Infer: inferLookup, Eval: evalLookup, Body: bodyLookup},
}

func inferLookup(n *graph.Node) ([]op.Type, error) {
	x, table := n.Inputs[0], n.Inputs[1]
	if x.Type != tir.U8 || table.Elems() != tir.TableSize || len(table.Shape) != 1 {
		return nil, fmt.Errorf("a table %s for elements of type %s: it must have %d bytes, for uint8", table, x.Type,
			tir.TableSize)
	}
	return []op.Type{{DType: tir.U8, Shape: x.Shape}}, nil
}

func evalLookup(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	y := graph.NewTensor(tir.U8, in[0].Shape...)
	for i, x := range in[0].I {
		y.I[i] = in[1].I[x]
	}
	return []*graph.Tensor{y}, nil
}

// bodyLookup reads the table at the place that the byte says:
//
//	lookup(i0, i1) = table[int64(x[i0, i1])]
func bodyLookup(b *op.Body) error {
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		return b.Input(1).At(Cast(Cast(b.Read(0, at...), tir.U8), tir.I64))
	})
	return nil
}
