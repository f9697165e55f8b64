package image

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// decomposeResize resizes one axis after the other.
func decomposeResize(d *op.Decomposer) error {
	n := d.Node
	r, err := resizeOf(n)
	if err != nil {
		return err
	}
	x := d.Input(0)
	var list []resizeAxis
	roi, scales, sizes, open := r.operands(n)
	if open == nil {
		if list, err = r.plan(x.Shape, roi, scales, sizes); err != nil {
			return err
		}
	}
	if y := n.Outputs[0]; y.Elems() == 0 {
		d.Output(d.Const(graph.NewTensor(y.Type, y.Shape...)))
		return nil
	}
	round := !x.Type.IsFloat() && (r.mode != "nearest" || r.transform == "tf_crop_and_resize")
	if round {
		x = d.Cast(x, tir.F32)
	}
	for _, a := range list {
		if !a.same() {
			x = addResizeAxis(d, a, r.taps(a), x)
		}
	}
	if open != nil {
		x = resizeOpen(d, r, x)
	}
	if round {
		x = d.Cast(d.Apply("Round", []*graph.Value{x}), d.Input(0).Type)
	}
	if x == d.Input(0) {
		x = d.Apply("Identity", []*graph.Value{x})
	}
	d.Output(x)
	return nil
}

// addResizeAxis adds a wmtune.ResizeAxis. Weights that are all 1, and extras that are all 0, are left out, and so are
// places that follow from output positions by a quotient.
func addResizeAxis(d *op.Decomposer, a resizeAxis, t taps, x *graph.Value) *graph.Value {
	count := int64(len(t.weights[0]))
	weights, extra := graph.NewTensor(Register(x.Type), a.out, count), graph.NewTensor(Register(x.Type), a.out)
	ones, zeros := true, true
	for o, row := range t.weights {
		for k, w := range row {
			ones = ones && w == 1
			if weights.F != nil {
				weights.F[int64(o)*count+int64(k)] = w
			}
		}
		zeros = zeros && t.extra[o] == 0
		if extra.F != nil {
			extra.F[o] = t.extra[o]
		}
	}
	inputs := []*graph.Value{x, nil, nil, nil}
	attrs := []graph.Attr{graph.IntAttr("axis", int64(a.dim)), graph.IntAttr("taps", count),
		graph.IntAttr("out", a.out)}
	if mul, plus, div, ok := quotient(t.first, a.in, count); ok {
		attrs = append(attrs, graph.IntsAttr("place", mul, plus, div))
	} else {
		inputs[1] = d.Const(graph.Ints(t.first...))
	}
	if !ones {
		inputs[2] = d.Const(weights)
	}
	if !zeros {
		inputs[3] = d.Const(extra)
	}
	return d.Apply("wmtune.ResizeAxis", inputs, attrs...)
}

// quotient returns numbers such that first[o] is (o*mul+plus)/div rounded down, for all o, or stands for the same
// elements if places outside of in elements stand for the nearest one.
func quotient(first []int64, in, taps int64) (mul, plus, div int64, ok bool) {
	out := int64(len(first))
	for div := int64(1); div <= 64; div++ {
		for mul := max(1, div*in/max(1, out)-1); mul <= div*in/max(1, out)+1; mul++ {
			lo, hi := int64(-1<<40), int64(1<<40)
			for o, f := range first {
				base := f*div - int64(o)*mul
				if f > -taps+1 { // below that, all taps are the first element
					lo = max(lo, base)
				}
				if f < in-1 {
					hi = min(hi, base+div-1)
				}
			}
			if lo <= hi && lo > -1<<40 {
				return mul, lo, div, true
			}
			if lo <= hi && hi < 1<<40 {
				return mul, hi, div, true
			}
		}
	}
	return 0, 0, 0, false
}

// inferResizeAxis is that of wmtune.ResizeAxis: input 1 holds the place of the first tap of each output, or attribute
// place does (mul, plus, div: (o*mul+plus)/div rounded down); input 2 the weights [out, taps], or all are 1; input 3
// what is added to each output, or nothing.
func inferResizeAxis(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	shape := slices.Clone(x.Shape)
	d := n.Int("axis", -1)
	if d < 0 || d >= int64(len(shape)) {
		return nil, fmt.Errorf("BUG: axis %d of shape %v", d, shape)
	}
	shape[d] = n.Int("out", 0)
	return []op.Type{{DType: x.Type, Shape: shape}}, nil
}

// evalResizeAxis is the reference of wmtune.ResizeAxis.
func evalResizeAxis(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	t := taps{}
	count := n.Int("taps", 1)
	for o := range n.Int("out", 0) {
		if p := n.Ints("place"); p != nil {
			first, _ := divideFloor(o*p[0]+p[1], p[2])
			t.first = append(t.first, first)
		} else {
			t.first = append(t.first, in[1].I[o])
		}
		weights, extra := []float64{1}, 0.0
		if w := array.Argument(in, 2); w != nil {
			weights = w.F[o*count:][:count]
		}
		if e := array.Argument(in, 3); e != nil {
			extra = e.F[o]
		}
		t.weights, t.extra = append(t.weights, weights), append(t.extra, extra)
	}
	y, err := t.apply(call, array.Convert(in[0], tir.F64), int(n.Int("axis", 0)))
	if err != nil {
		return nil, err
	}
	if !in[0].Type.IsFloat() {
		return []*graph.Tensor{array.Convert(y, in[0].Type)}, nil
	}
	y.Type = in[0].Type
	return []*graph.Tensor{y}, nil
}

// divideFloor returns a/b rounded down, for b above 0, and the rest.
func divideFloor(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}

// expandedTaps is the number of taps up to which bodyResizeAxis writes the sum as one expression.
const expandedTaps = 8

// bodyResizeAxis makes the sum of taps:
//
//	resize(i0, i1) = ((x[i0, max((floordiv((i1 + -1), 2)), 0)]*weights[i1, 0]) + (x[i0, min(...)]*weights[i1, 1]))
func bodyResizeAxis(b *op.Body) error {
	n := b.Node
	x, out := n.Inputs[0], n.Outputs[0]
	d, count := int(n.Int("axis", 0)), n.Int("taps", 1)
	tap := func(at []tir.Expr, k tir.Expr, known int64) tir.Expr {
		index := slices.Clone(at)
		index[d] = tapPlace(b, at[d], k, known, x.Shape[d])
		v := b.Read(0, index...)
		if n.Input(2) != nil {
			v = Mul(v, b.Read(2, at[d], k))
		}
		return v
	}
	finish := func(v, o tir.Expr) tir.Expr {
		if n.Input(3) != nil {
			v = Add(v, b.Read(3, o))
		}
		return v
	}
	if count <= expandedTaps {
		b.Elementwise(func(at []tir.Expr) tir.Expr {
			sum := tap(at, tir.Int(0), 0)
			for k := int64(1); k < count; k++ {
				sum = Add(sum, tap(at, tir.Int(k), k))
			}
			return finish(sum, at[d])
		})
		return nil
	}
	axes, at := b.Axes(out.Shape)
	k := compute.NewAxis("k", count)
	sum := b.Sum(b.Unique("sum"), axes, compute.Axes(k), tap(at, k.Var, -1))
	b.Elementwise(func(at []tir.Expr) tir.Expr { return finish(sum.At(at...), at[d]) })
	return nil
}

// tapPlace is where tap k of output o is among in elements. Known is k, or -1 if it is a variable.
func tapPlace(b *op.Body, o, k tir.Expr, known, in int64) tir.Expr {
	n := b.Node
	p := n.Ints("place")
	least, most := int64(-1), in // of the places: what a constant holds is not known where kernels are measured
	var place tir.Expr
	if p == nil {
		place = Add(Cast(b.Read(1, o), tir.Index), k)
	} else {
		least, _ = divideFloor(p[1], p[2])
		most, _ = divideFloor((n.Int("out", 1)-1)*p[0]+p[1], p[2])
		if place = Plus(Times(o, p[0]), p[1]); p[2] > 1 {
			place = Floordiv(place, p[2])
		}
		if known >= 0 {
			place = Plus(place, known)
			least, most = least+known, most+known
		} else {
			place = Add(place, k)
			most += n.Int("taps", 1) - 1
		}
	}
	if least < 0 {
		place = MaxOf(place, tir.Int(0))
	}
	if most >= in {
		place = MinOf(place, tir.Int(in-1))
	}
	return place
}
