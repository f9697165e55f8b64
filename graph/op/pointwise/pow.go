package pointwise

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// evalPow computes powers of integers exactly, wrapped to the type; those with negative exponents are truncated, and
// 1/0 is 0.
func evalPow(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, y := in[0], in[1]
	shape, err := array.Broadcast(x.Shape, y.Shape)
	if err != nil {
		return nil, err
	}
	r := graph.NewTensor(x.Type, shape...)
	array.Walk(shape, func(i int, at []int64) {
		switch {
		case x.F != nil:
			r.F[i] = math.Pow(x.F[at[0]], y.At(int(at[1])))
		case y.F != nil:
			r.I[i] = array.Wrap(r.Type, array.Truncate(r.Type, math.Pow(x.At(int(at[0])), y.F[at[1]])))
		default:
			r.I[i] = array.Wrap(r.Type, intPow(x.I[at[0]], y.I[at[1]], array.Unsigned(y.Type)))
		}
	}, array.BroadcastStrides(x.Shape, shape), array.BroadcastStrides(y.Shape, shape))
	return []*graph.Tensor{r}, nil
}

func intPow(x, y int64, unsigned bool) int64 {
	if y < 0 && !unsigned {
		switch {
		case x == 1:
			return 1
		case x == -1:
			return 1 - 2*(-y&1)
		}
		return 0
	}
	r := int64(1)
	for e := uint64(y); e > 0; e >>= 1 {
		if e&1 != 0 {
			r *= x
		}
		x *= x
	}
	return r
}

// bodyPow multiplies where the exponent is a small constant. Powers of integers whose exponent is one too are
// opaquePow's.
func bodyPow(b *op.Body) error {
	exponent, constant := b.Scalar(1)
	base := b.Node.Inputs[0].Type
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		x, y := b.ReadBroadcast(0, at...), b.ReadBroadcast(1, at...)
		if constant && exponent >= 1 && exponent <= 3 && exponent == math.Trunc(exponent) {
			r := Num(x, 1)
			for i := range int(exponent) {
				if r = Mul(r, x); i == 0 {
					r = x
				}
			}
			return r
		}
		if base.IsFloat() {
			return Fn(tir.Pow, x, Cast(y, x.DType()))
		}
		r := Fn(tir.Pow, Cast(x, tir.F64), Cast(y, tir.F64))
		whole := Fn(tir.RoundEven, r) // a power that is a whole number may come out a little less
		near := Le(Fn(tir.Abs, Sub(r, whole)), Mul(Fn(tir.Abs, r), Num(r, 0x1p-50)))
		return CastTo(Sel(near, whole, r), x.DType())
	})
	return nil
}

// isIntPow reports whether bodyPow cannot make the program of n.
func isIntPow(n *graph.Node) bool {
	if n.Inputs[0].Type.IsFloat() || n.Inputs[1].Type.IsFloat() {
		return false
	}
	c := n.Inputs[1].Const
	if c == nil || n.Inputs[1].Elems() != 1 {
		return true
	}
	e := c.Tensor().At(0)
	return e < 1 || e > 3
}

// opaquePow squares and multiplies, for each bit of the exponent.
func opaquePow(n *graph.Node) (*tir.Func, error) {
	x, y, out := Parameter("x", n.Inputs[0]), Parameter("y", n.Inputs[1]), Parameter("out", n.Outputs[0])
	power := &tir.Buffer{Name: "power", Type: tir.I64, Shape: []int64{3}, Scope: tir.Local} // result, base, exponent
	cell := func(i int64) tir.Expr { return Load(power, tir.Int(i)) }
	set := func(i int64, v tir.Expr) tir.Stmt { return Store(power, v, tir.Int(i)) }
	one, two := tir.Int(1), tir.Int(2)
	return NewFunc(n.Op, 1, Nest(out.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		bx, by := Load(x, Repeated(x.Shape, at)...), Load(y, Repeated(y.Shape, at)...)
		result := Cast(cell(0), out.Type)
		if !y.Type.IsUnsigned() {
			odd := Ne(tir.Bin(tir.FloorMod, Cast(by, tir.I64), tir.Int(2)), tir.Int(0))
			fraction := Sel(Eq(bx, Num(bx, 1)), Num(bx, 1), Num(bx, 0))
			if !x.Type.IsUnsigned() {
				fraction = Sel(Eq(bx, Num(bx, -1)), Sel(odd, Num(bx, -1), Num(bx, 1)), fraction)
			}
			result = Sel(Lt(by, Num(by, 0)), fraction, result)
		}
		return Alloc(power, tir.Sequence(
			set(0, one), set(1, Cast(bx, tir.I64)), set(2, Cast(by, tir.I64)),
			Loop("bit", 64, func(tir.Expr) tir.Stmt {
				bit := Eq(tir.Bin(tir.FloorMod, cell(2), two), one)
				return tir.Sequence(
					set(0, Sel(bit, Mul(cell(0), cell(1)), cell(0))),
					set(1, Mul(cell(1), cell(1))),
					set(2, tir.Bin(tir.FloorDiv, cell(2), two)))
			}),
			Store(out, result, at...)))
	}), x, y, out), nil
}
