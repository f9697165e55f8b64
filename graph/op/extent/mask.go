package extent

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// wmtune.Mask has another number in place of what lies beyond the true extents of some digits: attribute hides lists
// them, and the number is value, or ivalue of integers.

// Walk calls do for each element of a value, with its place along each digit.
func Walk(digits []Digit, do func(i int, at []int64)) {
	i := 0
	uppers := make([]int64, len(digits))
	for d := range digits {
		uppers[d] = digits[d].Upper
	}
	array.WalkIndex(uppers, func(at []int64) {
		do(i, at)
		i++
	})
}

// Beyond reports whether a place lies beyond the extent of a digit.
func Beyond(d Digit, at int64, entries []int64) bool { return d.Entry >= 0 && at >= entries[d.Entry] }

func evalMask(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, digits, hides := in[0], Digits(n), n.Ints("hides")
	r := array.Like(x, x.Shape)
	Walk(digits, func(i int, at []int64) {
		switch {
		case !slices.ContainsFunc(hides, func(d int64) bool { return Beyond(digits[d], at[d], in[1].I) }):
			array.Put(r, int64(i), x, int64(i))
		case r.F != nil:
			r.F[i] = n.Float("value", 0)
		default:
			r.I[i] = n.Int("ivalue", 0)
		}
	})
	return []*graph.Tensor{r}, nil
}

func bodyMask(b *op.Body) error {
	digits := Digits(b.Node)
	number := tir.Expr(&tir.IntImm{Value: b.Node.Int("ivalue", 0), Type: b.Register()})
	if b.Register().IsFloat() {
		number = tir.Float(b.Register(), b.Node.Float("value", 0))
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		var inside tir.Expr
		for _, d := range b.Node.Ints("hides") {
			c := Lt(place(digits, int(d), at), Cast(b.Input(1).At(tir.Int(int64(digits[d].Entry))), tir.Index))
			if inside == nil {
				inside = c
			} else {
				inside = And(inside, c)
			}
		}
		return Sel(inside, b.Read(0, at...), number)
	})
	return nil
}

// place returns the place along digit d of the element at an index.
func place(digits []Digit, d int, at []tir.Expr) tir.Expr {
	inner, outer := int64(1), false
	for i, e := range digits {
		if e.Axis == digits[d].Axis && i > d {
			inner *= e.Upper
		}
		outer = outer || e.Axis == digits[d].Axis && i < d
	}
	v := at[digits[d].Axis]
	if inner != 1 {
		v = Floordiv(v, inner)
	}
	if outer {
		v = Floormod(v, digits[d].Upper)
	}
	return v
}
