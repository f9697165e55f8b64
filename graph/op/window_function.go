package op

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// windowFunctions has the weights by which signals are cut into pieces.
var windowFunctions = []Row{
	windowRow("HannWindow", 0.5, 0.5, 0),
	windowRow("HammingWindow", 25.0/46, 21.0/46, 0),
	windowRow("BlackmanWindow", 0.42, 0.5, 0.08),
}

// windowRow returns the row of a sum of cosines: a - b*cos(2*pi*i/n) + c*cos(4*pi*i/n).
func windowRow(name string, a, b, c float64) Row {
	return Row{
		Op: name, Since: 17, In: "T1:I", Infer: inferWindow,
		Eval: func(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
			t, err := typeAttr(n, "output_datatype", tir.F32)
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
			return []*graph.Tensor{convert(r, t)}, nil
		}, Opaque: &Function{Make: func(n *graph.Node) (*tir.Func, error) {
			return opaqueWindow(n, func(angle tir.Expr) tir.Expr {
				v := sub(num(angle, a), mul(num(angle, b), fn(tir.Cos, angle)))
				return add(v, mul(num(angle, c), fn(tir.Cos, add(angle, angle))))
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

func inferWindow(n *graph.Node) ([]Type, error) {
	x := n.Inputs[0]
	t, err := typeAttr(n, "output_datatype", tir.F32)
	switch {
	case err != nil:
		return nil, err
	case x.Type != tir.I32 && x.Type != tir.I64 || x.Elems() != 1:
		return nil, Unsupported("a size that is %s", x)
	case x.Const == nil:
		return nil, &OpenError{Input: 0}
	}
	size := x.Const.Tensor().I[0]
	if size < 0 {
		return nil, fmt.Errorf("a window of %d elements", size)
	}
	return []Type{{DType: t, Shape: []int64{size}}}, nil
}

// opaqueWindow checks the size. The window has as many elements as the model was compiled for.
func opaqueWindow(n *graph.Node, value func(angle tir.Expr) tir.Expr) *tir.Func {
	size, out, fault := flat("size", n.Inputs[0]), parameter("out", n.Outputs[0]), errorFlag()
	wrong := ne(Cast(load(size, tir.Int(0)), tir.I64), tir.Int(out.Shape[0]))
	part := tir.Float(tir.F64, 2*math.Pi/period(n, out.Shape[0]))
	return function(n.Op, 2, seq(clearFault(fault), &tir.If{Cond: wrong, Then: setFault(fault)},
		loop("i", out.Shape[0], func(i tir.Expr) tir.Stmt {
			return store(out, castTo(value(mul(Cast(i, tir.F64), part)), out.Type), i)
		})), size, out, fault)
}
