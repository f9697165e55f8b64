package reduce

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// Dynamic has the quantization by the least and the greatest number of a tensor.
var Dynamic = []op.Row{
	{Op: "DynamicQuantizeLinear", Since: 11, In: "T1:F", Infer: inferDynamicQuantize, Eval: evalDynamicQuantize,
		Opaque: &op.Function{Make: anyDynamicQuantize, For: dynamicQuantizeFor, Divides: true}},
}

func inferDynamicQuantize(n *graph.Node) ([]op.Type, error) {
	if x := n.Inputs[0]; x.Type != tir.F32 || x.Elems() == 0 {
		return nil, op.Unsupported("a dynamic quantization of %s", x)
	}
	return []op.Type{{DType: tir.U8, Shape: n.Inputs[0].Shape}, {DType: tir.F32}, {DType: tir.U8}}, nil
}

// evalDynamicQuantize rounds as float32 does: a quotient between two integers must come out on the same side.
func evalDynamicQuantize(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	most, least := float32(max(0, array.LargestOf(x.F))), float32(min(0, array.SmallestOf(x.F)))
	scale := float32(1) / 255
	if most != least {
		scale = (most - least) / 255
	}
	zero := array.Truncate(tir.U8, math.RoundToEven(float64(-least/scale)))
	r := graph.NewTensor(tir.U8, x.Shape...)
	for i, v := range x.F {
		r.I[i] = array.Truncate(tir.U8, math.RoundToEven(float64(float32(v)/scale))+float64(zero))
	}
	return []*graph.Tensor{r, graph.Scalar(tir.F32, float64(scale)), graph.Scalar(tir.U8, float64(zero))}, nil
}

// A dynamicKernel is the function of a DynamicQuantizeLinear. It reads the numbers twice: parts in parallel find the
// least and the greatest of their own at once, and then parts in parallel become bytes.
//
//	parallel part: low[part], high[part] = min(0, x...), max(0, x...)
//	scale, zero = ... of all low and high
//	parallel part: y... = round(x.../scale) + zero
//
// A part is a block of rows and columns, so that threads divide x as its kernel divided it (lower.Shares), by either.
type dynamicKernel struct {
	rows, cols int64    // of parts
	part       [2]int64 // rows and columns of one
	width      int64    // of vectors, which divides columns of a part
	rest       int64    // elements behind the parts

	x, y, scale, zero *tir.Buffer
	low, high         *tir.Buffer // of each part, and of the rest
}

const (
	mostParts    = 64
	partColumns  = 4
	partVectors  = 4    // of one step
	flatVectors  = 64   // of a row, where rows are no whole vectors
	leastPart    = 1024 // elements
	greatestByte = 255
)

func anyDynamicQuantize(n *graph.Node) (*tir.Func, error) {
	return dynamicQuantizeFor(n, target.Generic(64, 1))
}

func dynamicQuantizeFor(n *graph.Node, t target.Target) (*tir.Func, error) {
	x := n.Inputs[0]
	k := &dynamicKernel{x: Flat("x", x)}
	k.divide(x.Shape, t.Hardware.Lanes(tir.F32.Bytes()))
	k.low = &tir.Buffer{Name: "low", Type: tir.F32, Shape: []int64{k.rows*k.cols + 1}}
	k.high = &tir.Buffer{Name: "high", Type: tir.F32, Shape: k.low.Shape}
	f := NewFunc("dynamic_quantize", 0, nil, k.x)
	own := []*tir.Buffer{k.low, k.high}
	for i, to := range []**tir.Buffer{&k.y, &k.scale, &k.zero} {
		*to = &tir.Buffer{Name: []string{"y", "scale", "zero"}[i], Type: tir.U8}
		if i == 1 {
			(*to).Type = tir.F32
		}
		switch v := n.Outputs[i]; {
		case v != nil:
			f.Params, f.Outputs = append(f.Params, *to), f.Outputs+1
		case i > 0:
			own = append(own, *to)
		}
	}
	k.y.Shape = k.x.Shape
	stmts := []tir.Stmt{k.extremes(), k.parameters()}
	if n.Outputs[0] != nil {
		stmts = append(stmts, k.bytes())
	}
	f.Body = Allocs(Seq(stmts...), own...)
	return f, nil
}

// divide divides a tensor into parts: blocks of its rows, or of rows of its elements in order, if its own rows are no
// whole vectors.
func (k *dynamicKernel) divide(shape []int64, lanes int64) {
	elems, row := graph.Elems(shape), lanes*flatVectors
	if len(shape) > 0 && shape[len(shape)-1]%lanes == 0 {
		row = shape[len(shape)-1]
	}
	rows := elems / row
	if rows == 0 {
		row, rows = lanes, elems/lanes
	}
	k.rest = elems - rows*row
	if rows == 0 {
		return
	}
	vectors := row / lanes
	k.cols = divisor(vectors, partColumns)
	k.part[1] = row / k.cols
	most := max(1, min(mostParts/k.cols, elems/leastPart/k.cols))
	k.rows = divisor(rows, most)
	k.part[0] = rows / k.rows
	k.width = divisor(vectors/k.cols, partVectors) * lanes
}

// each runs body for all vectors of parts, a part after another in parallel. Around adds what is before and behind.
func (k *dynamicKernel) each(
	body func(i, lane tir.Expr) tir.Stmt, around func(part tir.Expr, s tir.Stmt) tir.Stmt,
) tir.Stmt {
	return Nest([]int64{k.rows * k.cols}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		row, col := Floordiv(at[0], k.cols), Floormod(at[0], k.cols)
		return around(at[0], Loop("r", k.part[0], func(r tir.Expr) tir.Stmt {
			return Loop("c", k.part[1]/k.width, func(c tir.Expr) tir.Stmt {
				return Vector("l", k.width, func(l tir.Expr) tir.Stmt {
					first := Times(Add(Times(row, k.part[0]), r), k.part[1]*k.cols)
					return body(Add(Add(first, Times(col, k.part[1])), Add(Times(c, k.width), l)), l)
				})
			})
		}))
	})
}

// tail runs body for the elements behind the parts.
func (k *dynamicKernel) tail(body func(i tir.Expr) tir.Stmt) tir.Stmt {
	first := k.x.Elems() - k.rest
	return Loop("t", k.rest, func(i tir.Expr) tir.Stmt { return body(Plus(i, first)) })
}

// extremes finds the least and the greatest number of each part and of the rest, or 0.
func (k *dynamicKernel) extremes() tir.Stmt {
	last := tir.Int(k.rows * k.cols)
	list := []tir.Stmt{Store(k.low, tir.Float(tir.F32, 0), last), Store(k.high, tir.Float(tir.F32, 0), last)}
	if k.rows > 0 {
		low, high := Scratch("low_lanes", tir.F32, k.width), Scratch("high_lanes", tir.F32, k.width)
		both := func(l, from tir.Expr) tir.Stmt {
			return Seq(fold(low, tir.Min, Load(low, from), l), fold(high, tir.Max, Load(high, from), l))
		}
		list = append(list, k.each(func(i, l tir.Expr) tir.Stmt {
			return Seq(fold(low, tir.Min, Load(k.x, i), l), fold(high, tir.Max, Load(k.x, i), l))
		}, func(part tir.Expr, s tir.Stmt) tir.Stmt {
			list := []tir.Stmt{Vector("l", k.width, func(l tir.Expr) tir.Stmt {
				return Seq(Store(low, tir.Float(tir.F32, 0), l), Store(high, tir.Float(tir.F32, 0), l))
			}), s}
			zero := tir.Int(0)
			list = append(list, folded(k.width, both), Store(k.low, Load(low, zero), part),
				Store(k.high, Load(high, zero), part))
			return Allocs(Seq(list...), low, high)
		}))
	}
	return Seq(append(list, k.tail(func(i tir.Expr) tir.Stmt {
		return Seq(fold(k.low, tir.Min, Load(k.x, i), last), fold(k.high, tir.Max, Load(k.x, i), last))
	}))...)
}

// folded folds lanes into the first one: body folds lane from into lane l.
func folded(lanes int64, body func(l, from tir.Expr) tir.Stmt) tir.Stmt {
	var list []tir.Stmt
	for lanes > 1 {
		part := lanes / 2
		switch {
		case lanes%3 == 0: // three vectors
			part = lanes / 3
		case lanes%2 != 0:
			part = 1
		}
		for from := part; from < lanes; from += part {
			list = append(list, Vector("l", part, func(l tir.Expr) tir.Stmt { return body(l, Plus(l, from)) }))
		}
		lanes = part
	}
	return Seq(list...)
}

// fold stores what an operation makes of an element and v.
func fold(b *tir.Buffer, by tir.BinOp, v tir.Expr, at ...tir.Expr) tir.Stmt {
	return Store(b, tir.Bin(by, Load(b, at...), v), at...)
}

// parameters finds the scale and the zero point of all numbers.
func (k *dynamicKernel) parameters() tir.Stmt {
	first := tir.Int(0)
	low, high, scale := Load(k.low, first), Load(k.high, first), Load(k.scale)
	all := Loop("p", k.low.Elems()-1, func(p tir.Expr) tir.Stmt {
		next := Plus(p, 1)
		return Seq(fold(k.low, tir.Min, Load(k.low, next), first), fold(k.high, tir.Max, Load(k.high, next), first))
	})
	between := Sel(Eq(high, low), tir.Float(tir.F32, 1), Sub(high, low))
	return Seq(all, Store(k.scale, Quo(between, tir.Float(tir.F32, greatestByte))),
		Store(k.zero, CastTo(Fn(tir.RoundEven, Quo(Neg(low), scale)), tir.U8)))
}

// bytes rounds all numbers.
func (k *dynamicKernel) bytes() tir.Stmt {
	store := func(i, _ tir.Expr) tir.Stmt {
		q := Add(Fn(tir.RoundEven, Quo(Load(k.x, i), Load(k.scale))), Cast(Load(k.zero), tir.F32))
		return Store(k.y, Clamped(q, tir.U8, 0, greatestByte), i)
	}
	rest := k.tail(func(i tir.Expr) tir.Stmt { return store(i, nil) })
	if k.rows == 0 {
		return rest
	}
	return Seq(k.each(store, func(_ tir.Expr, s tir.Stmt) tir.Stmt { return s }), rest)
}

// divisor returns the largest divisor of n up to most; at least 1.
func divisor(n, most int64) int64 {
	d := max(1, min(n, most))
	for n%d != 0 {
		d--
	}
	return d
}
