package op

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/winograd"
)

// buildWinograd: conv2d_winograd is a 3×3 convolution of stride 1 by F(tile×tile, 3×3) of
// Lavin and Gray, Fast Algorithms for Convolutional Neural Networks (2015). The
// constant weights come transformed: kernel[eps, nu, co, ci] is (G g Gᵀ)[eps, nu]
// for the 3×3 weights g of channels ci and co, with G of package winograd.
//
//	data_pad(i0, i1, i2, i3) = tir.if_then_else(..., data[...], 0f)
//	input_tile(eps, nu, p, ci) = data_pad[...]
//	data_pack(eps, nu, p, ci) += ((input_tile[r_a, r_b, p, ci]*B[r_a, eps])*B[r_b, nu])
//	bgemm(eps, nu, p, co) += (data_pack[eps, nu, p, ci]*kernel[eps, nu, co, ci])
//	inverse(vh, vw, p, co) += ((bgemm[r_a, r_b, p, co]*A[r_a, vh])*A[r_b, vw])
//	conv2d_winograd(n, h, w, co) = inverse[floormod(h, 2), floormod(w, 2), ..., co]
//
// where p counts the tiles of all images, and the stages A and B are constant
// matrices. It refuses integers.
func buildWinograd(g *Builder, p *params) result {
	return g.winograd(winogradConv{
		batch: p.int("batch"), h: p.int("h"), w: p.int("w"), ci: p.int("ci"), co: p.int("co"), pad: p.int("p"),
		tile: p.int("tile"),
	})
}

type winogradConv struct{ batch, h, w, ci, co, pad, tile int64 }

func (g *Builder) winograd(c winogradConv) result {
	g.needFloat("conv2d_winograd")
	side := c.tile + winograd.Size - 1 // of a tile of the image
	win := Window{Size: winograd.Size, Stride: 1, Dilation: 1, Before: c.pad, After: c.pad}
	out := g.slide([]int64{c.h, c.w}, []Window{win, win})
	tiles := []int64{(out[0] + c.tile - 1) / c.tile, (out[1] + c.tile - 1) / c.tile}
	rows := c.batch * tiles[0] * tiles[1]
	m, err := winograd.New(c.tile)
	if err != nil {
		panic("BUG: " + err.Error()) // callers take 2, 4 or 6
	}

	data := g.input("data", g.store, c.batch, c.h, c.w, c.ci)
	// The last tiles may stick out.
	margins := []Margin{{}, {c.pad, c.pad + tiles[0]*c.tile - out[0]}, {c.pad, c.pad + tiles[1]*c.tile - out[1]}, {}}
	padded := g.Pad("data_pad", data, margins, nil)

	s := g.stage("input_tile", []int64{side, side, rows, c.ci}, nil)
	row := floormod(floordiv(s.at(2), tiles[1]), tiles[0])
	tile := g.Pointwise(s, g.read(padded, floordiv(s.at(2), tiles[0]*tiles[1]),
		add(mul(row, tir.Int(c.tile)), s.at(0)), add(mul(floormod(s.at(2), tiles[1]), tir.Int(c.tile)), s.at(1)), s.at(3)))
	b := g.constMatrix("B", m.Input)
	s = g.stage("data_pack", []int64{side, side, rows, c.ci}, []int64{side, side})
	pack := g.SumOf(s, mul(mul(tile.At(s.r(0), s.r(1), s.at(2), s.at(3)), b.At(s.r(0), s.at(0))), b.At(s.r(1), s.at(1))),
		compute.Attrs{SimplifyConstTensorIndices: []string{"eps", "nu", "r_a", "r_b"}})

	kernel := g.input("kernel", g.store, side, side, c.co, c.ci)
	s = g.stage("bgemm", []int64{side, side, rows, c.co}, []int64{c.ci})
	gemm := g.SumOf(s, mul(pack.At(s.at(0), s.at(1), s.at(2), s.r(0)), g.read(kernel, s.at(0), s.at(1), s.at(3), s.r(0))),
		free(kernel))

	a := g.constMatrix("A", m.Output)
	s = g.stage("inverse", []int64{c.tile, c.tile, rows, c.co}, []int64{side, side})
	products := mul(mul(gemm.At(s.r(0), s.r(1), s.at(2), s.at(3)), a.At(s.r(0), s.at(0))), a.At(s.r(1), s.at(1)))
	inverse := g.SumOf(s, products,
		compute.Attrs{SimplifyConstTensorIndices: []string{"vh", "vw", "r_a", "r_b"}})

	s = g.stage("conv2d_winograd", []int64{c.batch, out[0], out[1], c.co}, nil)
	n, h, w := s.at(0), s.at(1), s.at(2)
	first := mul(mul(n, tir.Int(tiles[0])), tir.Int(tiles[1])) // tile of the image
	place := add(add(first, mul(floordiv(h, c.tile), tir.Int(tiles[1]))), floordiv(w, c.tile))
	return result{g.Pointwise(s, inverse.At(floormod(h, c.tile), floormod(w, c.tile), place, s.at(3))), 3}
}

// constMatrix adds a stage that computes a constant matrix.
func (g *Builder) constMatrix(key string, m [][]float64) compute.Tensor {
	s := g.stage(key, []int64{int64(len(m)), int64(len(m[0]))}, nil)
	return g.Pointwise(s, winograd.Element(m, g.arith, s.at(0), s.at(1)))
}
