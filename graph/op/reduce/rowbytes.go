package reduce

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// RowBytes has what rounds rows of numbers to bytes with a sign, by the largest number of each block of a row. The last
// block is filled up with zeros. The second result is the scale of each block: NaN if the block has an infinity. The
// third is the sum of the block's bytes, which a product by weights with zero points needs.
var RowBytes = []op.Row{
	{Op: "wmtune.RowBytes", In: "T:F", Infer: inferRowBytes, Eval: evalRowBytes,
		Opaque: &op.Function{Make: opaqueRowBytes}},
}

// The largest byte of a block, and what a block of zeros is divided by.
const (
	MostByte   = 127
	LeastScale = 0x1p-126
)

func inferRowBytes(n *graph.Node) ([]op.Type, error) {
	x, block := n.Inputs[0], n.Int("block", 0)
	if len(x.Shape) == 0 || block < 1 || x.Elems() == 0 || x.Type == tir.F64 {
		return nil, op.Unsupported("rounding %s to bytes in blocks of %d", x, block)
	}
	last := len(x.Shape) - 1
	blocks := (x.Shape[last] + block - 1) / block
	with := func(n int64) []int64 { return append(slices.Clone(x.Shape[:last]), n) }
	return []op.Type{{DType: tir.I8, Shape: with(blocks * block)}, {DType: tir.F32, Shape: with(blocks)},
		{DType: tir.I32, Shape: with(blocks)}}, nil
}

func evalRowBytes(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, block := in[0], n.Int("block", 0)
	last := len(x.Shape) - 1
	k := x.Shape[last]
	blocks := (k + block - 1) / block
	with := func(n int64) []int64 { return append(slices.Clone(x.Shape[:last]), n) }
	q, scale := graph.NewTensor(tir.I8, with(blocks*block)...), graph.NewTensor(tir.F32, with(blocks)...)
	sums := graph.NewTensor(tir.I32, scale.Shape...)
	for i := range scale.F {
		row, from := int64(i)/blocks, int64(i)%blocks*block
		part := x.F[row*k+from : row*k+min(from+block, k)]
		most := 0.0
		for _, v := range part {
			most = max(most, math.Abs(v))
		}
		scale.F[i] = tir.Rounded(tir.F32, most/MostByte) + (most - most)
		for j, v := range part {
			b := array.Truncate(tir.I8, math.RoundToEven(tir.Rounded(tir.F32, v/max(scale.F[i], LeastScale))))
			q.I[row*blocks*block+from+int64(j)] = b
			sums.I[i] += b
		}
	}
	return []*graph.Tensor{q, scale, sums}, nil
}

// opaqueRowBytes reads each block twice, while it is in a core's first cache.
func opaqueRowBytes(n *graph.Node) (*tir.Func, error) {
	if n.Outputs[0] == nil || n.Outputs[1] == nil || n.Outputs[2] == nil {
		return nil, fmt.Errorf("BUG: RowBytes without a result")
	}
	block := n.Int("block", 0)
	matrix := func(name string, v *graph.Value) *tir.Buffer {
		columns := v.Shape[len(v.Shape)-1]
		return &tir.Buffer{Name: name, Type: v.Type, Shape: []int64{v.Elems() / columns, columns}}
	}
	x, q := matrix("x", n.Inputs[0]), matrix("q", n.Outputs[0])
	scale, sums := matrix("scale", n.Outputs[1]), matrix("sums", n.Outputs[2])
	k, lanes := x.Shape[1], divisor(block, blockLanes)
	zero := tir.Int(0)
	part := func(row, b tir.Expr, whole bool) tir.Stmt {
		most, total := Scratch("most", tir.F32, lanes), Scratch("total", tir.I32, lanes)
		by := Scratch("by", tir.F32, 1)
		each := func(body func(l, at, v tir.Expr) tir.Stmt) tir.Stmt {
			return Loop("s", block/lanes, func(s tir.Expr) tir.Stmt {
				return Vector("l", lanes, func(l tir.Expr) tir.Stmt {
					at := Add(Times(b, block), Add(Times(s, lanes), l))
					v := Load(x, row, at)
					if !whole {
						v = &tir.Select{Cond: Lt(at, tir.Int(k)), Then: v, Else: tir.Const(x.Type, 0), Lazy: true}
					}
					return body(l, at, Cast(v, tir.F32))
				})
			})
		}
		m := Load(most, zero)
		scaled := Add(Quo(m, tir.Float(tir.F32, MostByte)), Sub(m, m))
		return Allocs(Seq(
			Vector("l", lanes, func(l tir.Expr) tir.Stmt {
				return Seq(Store(most, tir.Float(tir.F32, 0), l), Store(total, Num32(0), l))
			}),
			each(func(l, _, v tir.Expr) tir.Stmt { return fold(most, tir.Max, MaxOf(v, Neg(v)), l) }),
			folded(lanes, func(l, from tir.Expr) tir.Stmt { return fold(most, tir.Max, Load(most, from), l) }),
			Store(scale, scaled, row, b),
			Store(by, MaxOf(scaled, tir.Float(tir.F32, LeastScale)), zero),
			each(func(l, at, v tir.Expr) tir.Stmt {
				b := Clamped(Fn(tir.RoundEven, Quo(v, Load(by, zero))), tir.I8, -MostByte-1, MostByte)
				return Seq(Store(q, b, row, at), fold(total, tir.Add, Cast(b, tir.I32), l))
			}),
			folded(lanes, func(l, from tir.Expr) tir.Stmt { return fold(total, tir.Add, Load(total, from), l) }),
			Store(sums, Load(total, zero), row, b),
		), most, total, by)
	}
	body := Nest([]int64{x.Shape[0]}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		list := []tir.Stmt{Loop("b", k/block, func(b tir.Expr) tir.Stmt { return part(at[0], b, true) })}
		if k%block != 0 {
			list = append(list, part(at[0], tir.Int(k/block), false))
		}
		return Seq(list...)
	})
	return NewFunc("row_bytes", 3, body, x, q, scale, sums), nil
}

// blockLanes is how many numbers of a block are rounded at once.
const blockLanes = 16
