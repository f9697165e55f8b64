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

// Outside says of each element of a value whether it lies beyond the extent of a digit; nil if there are no extents.
func Outside(digits []Digit, entries []int64) []bool {
	if len(digits) == 0 || entries == nil {
		return nil
	}
	var list []bool
	blocks(digits, entries, func(from, to int, beyond bool) {
		for range to - from {
			list = append(list, beyond)
		}
	})
	return list
}

// blocks calls do for stretches of elements in order: all of one lie beyond the extent of a digit, or none do.
func blocks(digits []Digit, entries []int64, do func(from, to int, beyond bool)) {
	sizes := make([]int, len(digits)+1) // of what lies inside of a digit
	sizes[len(digits)] = 1
	last := 0 // digits from there on have no extents
	for d := len(digits) - 1; d >= 0; d-- {
		sizes[d] = sizes[d+1] * int(digits[d].Upper)
		if digits[d].Entry >= 0 && last == 0 {
			last = d + 1
		}
	}
	var visit func(d, from int)
	visit = func(d, from int) {
		if d >= last {
			do(from, from+sizes[d], false)
			return
		}
		count := int(digits[d].Upper)
		if e := digits[d].Entry; e >= 0 {
			count = int(min(max(entries[e], 0), digits[d].Upper))
		}
		for p := range count {
			visit(d+1, from+p*sizes[d+1])
		}
		if count < int(digits[d].Upper) {
			do(from+count*sizes[d+1], from+sizes[d], true)
		}
	}
	visit(0, 0)
}

func evalMask(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	r := array.Like(x, x.Shape)
	blocks(Hidden(n), in[1].I, func(from, to int, beyond bool) {
		switch {
		case !beyond && r.F != nil:
			copy(r.F[from:to], x.F[from:to])
		case !beyond:
			copy(r.I[from:to], x.I[from:to])
		case r.F != nil:
			fill(r.F[from:to], n.Float("value", 0))
		default:
			fill(r.I[from:to], n.Int("ivalue", 0))
		}
	})
	return []*graph.Tensor{r}, nil
}

func fill[T any](list []T, x T) {
	for i := range list {
		list[i] = x
	}
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
		outer = outer || e.Axis == digits[d].Axis && i < d && e.Upper > 1
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

// IsMask reports whether n is a wmtune.Mask.
func IsMask(n *graph.Node) bool { return n != nil && n.Domain == "wmtune" && n.Op == "Mask" }

// Hidden returns the digits of a Mask of which those that it does not hide have no entry.
func Hidden(n *graph.Node) []Digit {
	list := Digits(n)
	for i := range list {
		if !slices.Contains(n.Ints("hides"), int64(i)) {
			list[i].Entry = -1
		}
	}
	return list
}

// Transposed returns the attributes of a Mask that stands before the transpose by perm of its operand.
func Transposed(n *graph.Node, perm []int64) []graph.Attr {
	digits := Digits(n)
	for i, d := range digits {
		digits[i].Axis = int(perm[d.Axis])
	}
	order := array.UpTo(int64(len(digits)))
	slices.SortStableFunc(order, func(a, b int64) int { return digits[a].Axis - digits[b].Axis })
	var list []Digit
	var hides []int64
	for to, from := range order {
		if list = append(list, digits[from]); slices.Contains(n.Ints("hides"), from) {
			hides = append(hides, int64(to))
		}
	}
	return append(Attrs(list), graph.IntsAttr("hides", hides...))
}

// Reshaped returns the attributes of a Mask whose operand has another shape of as many elements; ok is false if a digit
// of a true extent would be divided.
func Reshaped(n *graph.Node, shape []int64) (attrs []graph.Attr, ok bool) {
	digits, hides := Digits(n), n.Ints("hides")
	list, from, ok := Regroup(digits, shape)
	var moved []int64
	for to, d := range from {
		if slices.Contains(hides, int64(d)) {
			moved = append(moved, int64(to))
		}
	}
	for _, h := range hides { // a digit of one place is hidden if its extent is 0
		ok = ok && digits[h].Upper != 1
	}
	return append(Attrs(list), graph.IntsAttr("hides", moved...)), ok
}

// Regroup returns the digits of a value of another shape of as many elements, and of which digit each is a part; ok is
// false if a digit of a true extent would be divided. Digits of one place are left out.
func Regroup(digits []Digit, shape []int64) (list []Digit, from []int, ok bool) {
	i, left := 0, int64(1) // of digit i-1, what is not in list
	for axis, size := range shape {
		for size > 1 {
			for left == 1 && i < len(digits) {
				left = digits[i].Upper
				i++
			}
			if left <= 1 {
				return nil, nil, false
			}
			d, part := digits[i-1], min(left, size)
			if left%part != 0 || size%part != 0 || part < d.Upper && d.Entry >= 0 {
				return nil, nil, false
			}
			list, from = append(list, Digit{Axis: axis, Upper: part, Entry: d.Entry}), append(from, i-1)
			left, size = left/part, size/part
		}
	}
	return list, from, true
}
