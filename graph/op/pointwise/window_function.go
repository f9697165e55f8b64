package pointwise

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// WindowFunctions has the weights by which signals are cut into pieces.
var WindowFunctions = []op.Row{
	windowRow("HannWindow", 0.5, 0.5, 0),
	windowRow("HammingWindow", 25.0/46, 21.0/46, 0),
	windowRow("BlackmanWindow", 0.42, 0.5, 0.08),
}

// windowRow returns the row of a sum of cosines: a - b*cos(2*pi*i/n) + c*cos(4*pi*i/n).
func windowRow(name string, a, b, c float64) op.Row {
	return op.Row{
		Op: name, Since: 17, In: "T1:I", Infer: inferWindow,
		Eval: func(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
			t, err := op.TypeAttr(n, "output_datatype", tir.F32)
			if err != nil {
				return nil, err
			}
			size := in[0].I[0]
			if size < 0 {
				return nil, fmt.Errorf("a window of %d elements", size)
			}
			r := graph.NewTensor(tir.F64, size)
			for i := range r.F {
				angle := 2 * math.Pi * float64(i) / period(n, size)
				r.F[i] = a - b*math.Cos(angle) + c*math.Cos(2*angle)
			}
			return []*graph.Tensor{array.Convert(r, t)}, nil
		}, Opaque: &op.Function{Make: func(n *graph.Node) (*tir.Func, error) {
			return opaqueWindow(n, func(angle tir.Expr) tir.Expr {
				v := Sub(Num(angle, a), Mul(Num(angle, b), Fn(tir.Cos, angle)))
				return Add(v, Mul(Num(angle, c), Fn(tir.Cos, Add(angle, angle))))
			}), nil
		}}}
}

// period is the number of elements after which a window begins anew. One that is not periodic ends as it begins.
func period(n *graph.Node, size int64) float64 {
	if n.Int("periodic", 1) == 0 {
		size--
	}
	return float64(size)
}

func inferWindow(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	t, err := op.TypeAttr(n, "output_datatype", tir.F32)
	switch {
	case err != nil:
		return nil, err
	case x.Type != tir.I32 && x.Type != tir.I64 || x.Elems() != 1:
		return nil, op.Unsupported("a size that is %s", x)
	case x.Const == nil:
		return nil, &op.OpenError{Input: 0}
	}
	size := x.Const.Tensor().I[0]
	if size < 0 {
		return nil, fmt.Errorf("a window of %d elements", size)
	}
	return []op.Type{{DType: t, Shape: []int64{size}}}, nil
}

// opaqueWindow checks the size. The window has as many elements as the model was compiled for.
func opaqueWindow(n *graph.Node, value func(angle tir.Expr) tir.Expr) *tir.Func {
	size, out, fault := Flat("size", n.Inputs[0]), Parameter("out", n.Outputs[0]), ErrorFlag()
	wrong := Ne(Cast(Load(size, tir.Int(0)), tir.I64), tir.Int(out.Shape[0]))
	part := tir.Float(tir.F64, 2*math.Pi/period(n, out.Shape[0]))
	return NewFunc(n.Op, 2, Seq(ClearFault(fault), &tir.If{Cond: wrong, Then: SetFault(fault)},
		Loop("i", out.Shape[0], func(i tir.Expr) tir.Stmt {
			return Store(out, CastTo(value(Mul(Cast(i, tir.F64), part)), out.Type), i)
		})), size, out, fault)
}
