package tirtest

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// AttentionText is attention of 120 queries and keys in 4 heads, with a scale and a mask.
const AttentionText = `input x: float32[120, 4, 16]
input y: float32[120, 4, 16]
input v: float32[120, 4, 64]
input m: float32[120, 120]
s(h: 4, i: 120, j: 120) = sum(k: 16) x[i, h, k]*y[j, h, k]
scaled(h: 4, i: 120, j: 120) = s[h, i, j]*0.25
masked(h: 4, i: 120, j: 120) = scaled[h, i, j] + m[i, j]
top(h: 4, i: 120) = max(j: 120) masked[h, i, j]
e(h: 4, i: 120, j: 120) = exp(masked[h, i, j] - top[h, i])
total(h: 4, i: 120) = sum(j: 120) e[h, i, j]
mixed(i: 120, h: 4, d: 64) = sum(j: 120) e[h, i, j]*v[j, h, d]
attend(i: 120, h: 4, d: 64) = mixed[i, h, d]/total[h, i]
output attend
`

// attention is a softmax of scores times values, divided by the sums of rows behind the product. The scores may be an
// input, a product, or one with a mask, and the heads of the output may come before or after the queries.
func (g *gen) attention() {
	d := g.dims(4, 700)
	heads, queries, keys, size := d[0], d[1], d[2], d[3]
	var s *tir.Buffer
	if g.coin() {
		s = g.input("S", heads, queries, keys)
	} else {
		q, k := g.input("Q", heads, queries, 2), g.input("K", keys, heads, 2)
		s = g.fold(compute.Sum, "S", []int64{heads, queries, keys}, []int64{2}, func(at, r []tir.Expr) tir.Expr {
			return mul(load(q, at[0], at[1], r[0]), load(k, at[2], at[0], r[0]))
		})
	}
	if g.coin() {
		scores, mask := s, g.input("M", queries, keys)
		s = g.compute("masked", []int64{heads, queries, keys}, func(at []tir.Expr) tir.Expr {
			return add(load(scores, at...), load(mask, at[1], at[2]))
		})
	}
	rows := []int64{heads, queries}
	row := func(at, r []tir.Expr) []tir.Expr { return []tir.Expr{at[0], at[1], r[0]} }
	top := g.fold(compute.MaxOf, "max", rows, []int64{keys},
		func(at, r []tir.Expr) tir.Expr { return load(s, row(at, r)...) })
	exp := g.compute("exp", []int64{heads, queries, keys}, func(at []tir.Expr) tir.Expr {
		return &tir.Call{Fn: tir.Exp, Args: []tir.Expr{sub(load(s, at...), load(top, at[:2]...))}}
	})
	sum := g.fold(compute.Sum, "sum", rows, []int64{keys},
		func(at, r []tir.Expr) tir.Expr { return load(exp, row(at, r)...) })
	v := g.input("V", heads, keys, size)
	shape, head, query := []int64{heads, queries, size}, 0, 1
	if g.coin() {
		shape, head, query = []int64{queries, heads, size}, 1, 0
	}
	y := g.fold(compute.Sum, "Y", shape, []int64{keys}, func(at, r []tir.Expr) tir.Expr {
		return mul(load(exp, at[head], at[query], r[0]), load(v, at[head], r[0], at[2]))
	})
	g.output(g.compute("attend", shape, func(at []tir.Expr) tir.Expr {
		return tir.Bin(tir.Div, load(y, at...), load(sum, at[head], at[query]))
	}))
}
