package tirtest

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// InverseText is like the inverse of a Winograd convolution: tiles of 4x4 pixels of an image, a bias, and what follows.
const InverseText = `input m: float32[6, 6, 4, 32]
input b: float32[32]
matrix(i: 6, j: 4) = select(i == j, 1f32, select(i == j + 1, 2f32, 0f32))
inverse(eps: 4, nu: 4, p: 4, ci: 32) = sum(r_a: 6, r_b: 6) m[r_a, r_b, p, ci]*matrix[r_a, eps]*matrix[r_b, nu]
    simplify_const_tensor_indices eps, nu, r_a, r_b
bias_add(i0: 1, i1: 8, i2: 8, i3: 32) = ` +
	`inverse[floormod(i1, 4), floormod(i2, 4), i0*4 + (floordiv(i1, 4)*2 + floordiv(i2, 4)), i3] + b[i3]
relu(i0: 1, i1: 8, i2: 8, i3: 32) = max(bias_add[i0, i1, i2, i3], 0)
output relu
`

// inverse is what InverseText is like: tiles of any size, of an image that they need not fit, and one or two stages
// that read it, with another image.
func (g *gen) inverse() {
	d := g.dims(3, 100)
	rows, columns, channels := d[0], d[1], d[2]
	tile := int64(2 + g.r.IntN(3))
	across := (columns + tile - 1) / tile
	m := g.input("M", tile+1, tile+1, (rows+tile-1)/tile*across, channels)
	axes, at := axesOf("m", []int64{tile + 1, tile})
	one, two, zero := tir.Const(g.t, 1), tir.Const(g.t, 2), tir.Const(g.t, 0)
	diagonal := func(by int64, then, other tir.Expr) tir.Expr {
		return &tir.Select{Cond: tir.Bin(tir.EQ, at[0], add(at[1], tir.Int(by))), Then: then, Else: other}
	}
	matrix := g.With("matrix", axes, diagonal(0, one, diagonal(1, two, zero)), compute.Attrs{})

	axes, at = axesOf("", []int64{tile, tile, m.Shape[2], channels})
	reduce, r := axesOf("r", []int64{tile + 1, tile + 1})
	e := mul(mul(load(m, r[0], r[1], at[2], at[3]), matrix.At(r[0], at[0])), matrix.At(r[1], at[1]))
	attrs := g.constant(e)
	attrs.SimplifyConstTensorIndices = []string{"i", "j", "ri", "rj"}
	inverse := g.Reduce("inverse", axes, reduce, compute.NewCombiner(compute.Sum, e.DType()), []tir.Expr{e}, attrs)[0]
	mod := func(x tir.Expr) tir.Expr { return tir.Bin(tir.FloorMod, x, tir.Int(tile)) }
	div := func(x tir.Expr) tir.Expr { return tir.Bin(tir.FloorDiv, x, tir.Int(tile)) }
	bias := g.input("B", channels)
	y := g.compute("bias_add", d, func(at []tir.Expr) tir.Expr {
		p := add(times(div(at[0]), across), div(at[1]))
		return add(inverse.At(mod(at[0]), mod(at[1]), p, at[2]), load(bias, at[2]))
	})
	if g.coin() {
		image, sum := g.input("X", d...), y
		y = g.compute("residual", d, func(at []tir.Expr) tir.Expr { return add(load(sum, at...), load(image, at...)) })
	}
	g.output(y)
}
