package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// functions are what the operator elementwise applies, of one operand or two.
var functions = []struct {
	name  string
	one   func(g *Builder, x tir.Expr) tir.Expr
	two   tir.BinOp
	fn    tir.Intrinsic // if one is nil and two is none: a function of floats
	float bool
}{
	{name: "add", two: tir.Add},
	{name: "sub", two: tir.Sub},
	{name: "mul", two: tir.Mul},
	{name: "div", two: tir.Div, float: true},
	{name: "max", two: tir.Max},
	{name: "min", two: tir.Min},
	{name: "pow", fn: tir.Pow, float: true},
	{name: "copy", one: func(_ *Builder, x tir.Expr) tir.Expr { return x }},
	{name: "neg", one: func(g *Builder, x tir.Expr) tir.Expr { return sub(g.constant(0), x) }},
	{name: "square", one: func(_ *Builder, x tir.Expr) tir.Expr { return mul(x, x) }},
	{name: "relu", one: (*Builder).relu},
	{name: "relu6", one: (*Builder).relu6},
	{name: "gelu", one: (*Builder).gelu, float: true},
	{name: "sigmoid", one: (*Builder).sigmoid, float: true},
	{name: "silu", one: (*Builder).silu, float: true},
	{name: "exp", fn: tir.Exp, float: true},
	{name: "log", fn: tir.Log, float: true},
	{name: "sqrt", fn: tir.Sqrt, float: true},
	{name: "rsqrt", fn: tir.Rsqrt, float: true},
	{name: "tanh", fn: tir.Tanh, float: true},
	{name: "erf", fn: tir.Erf, float: true},
	{name: "sin", fn: tir.Sin, float: true},
	{name: "cos", fn: tir.Cos, float: true},
	{name: "atan", fn: tir.Atan, float: true},
	{name: "abs", fn: tir.Abs, float: true},
	{name: "floor", fn: tir.Floor, float: true},
	{name: "ceil", fn: tir.Ceil, float: true},
	{name: "round", fn: tir.Round, float: true},
	{name: "roundeven", fn: tir.RoundEven, float: true},
}

func functionNames() []string {
	var list []string
	for _, f := range functions {
		list = append(list, f.name)
	}
	return list
}

// buildElementwise: elementwise applies a function to each element of x, and of y if it takes two
// operands. The shape of y may have fewer dimensions, or dimensions of 1, and
// is repeated along those:
//
//	elementwise(i0, i1) = (x[i0, i1]*y[0, i1])
//
// It refuses shapes that do not fit each other, and floats' functions of
// integers.
func buildElementwise(g *Builder, p *params) result {
	name, shape, other := p.text("fn"), p.shape("shape"), p.shape("y")
	f := functions[slices.Index(functionNames(), name)]
	if f.float {
		g.needFloat(name)
	}
	binary := f.two != tir.InvalidOp || f.fn == tir.Pow
	if !binary && other != nil {
		g.refuse("y=%s: %s takes one operand: leave y out", p.text("y"), name)
	}
	if p.int("batch") > 1 {
		shape = append([]int64{p.int("batch")}, shape...)
	}
	if binary && other == nil {
		other = shape
	}
	if err := repeats(shape, other); err != nil {
		g.refuse("%v", err)
		other = shape
	}
	x := g.input("x", g.store, shape...)
	var y compute.Tensor
	if binary {
		y = g.input("y", g.store, other...)
	}
	s := g.stage("elementwise", shape, nil)
	args := []tir.Expr{g.read(x, s.index()...)}
	if binary {
		args = append(args, g.read(y, broadcast(other, s)...))
	}
	var body tir.Expr
	switch {
	case f.one != nil:
		body = f.one(g, args[0])
	case f.two != tir.InvalidOp:
		body = tir.Bin(f.two, args[0], args[1])
	default:
		body = &tir.Call{Fn: f.fn, Args: args}
	}
	return result{g.Pointwise(s, body), len(shape) - 1}
}

// repeats checks that an operand of shape small can be repeated to shape.
func repeats(shape, small []int64) error {
	if len(small) > len(shape) {
		return fmt.Errorf("y of shape %v has more dimensions than x, %v: exchange x and y", small, shape)
	}
	for d, n := range small {
		if m := shape[len(shape)-len(small)+d]; n != m && n != 1 {
			return fmt.Errorf("y of shape %v does not fit x, %v: each dimension must be 1 or that of x, counted from the last",
				small, shape)
		}
	}
	return nil
}
