package op

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// buildWinograd: conv2d_winograd is a 3×3 convolution of stride 1 by F(tile×tile, 3×3) of
// Lavin and Gray, Fast Algorithms for Convolutional Neural Networks (2015). The
// constant weights come transformed: kernel[eps, nu, co, ci] is (G g Gᵀ)[eps, nu]
// for the 3×3 weights g of channels ci and co, with G of WinogradKernel.
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
func buildWinograd(g *graph, p *params) result {
	return g.winograd(winogradConv{
		batch: p.int("batch"), h: p.int("h"), w: p.int("w"), ci: p.int("ci"), co: p.int("co"), pad: p.int("p"),
		tile: p.int("tile"),
	})
}

type winogradConv struct{ batch, h, w, ci, co, pad, tile int64 }

// winogradSize is that of the kernel.
const winogradSize = 3

func (g *graph) winograd(c winogradConv) result {
	g.needFloat("conv2d_winograd")
	side := c.tile + winogradSize - 1 // of a tile of the image
	win := window{size: winogradSize, stride: 1, dilation: 1, pad: c.pad}
	out := g.slide([]int64{c.h, c.w}, []window{win, win})
	tiles := []int64{(out[0] + c.tile - 1) / c.tile, (out[1] + c.tile - 1) / c.tile}
	rows := c.batch * tiles[0] * tiles[1]
	m := winogradMatrices(c.tile)

	data := g.input("data", g.store, c.batch, c.h, c.w, c.ci)
	// The last tiles may stick out.
	margins := []margin{{}, {c.pad, c.pad + tiles[0]*c.tile - out[0]}, {c.pad, c.pad + tiles[1]*c.tile - out[1]}, {}}
	padded := g.pad("data_pad", data, margins, 0)

	s := g.stage("input_tile", []int64{side, side, rows, c.ci}, nil)
	row := floormod(floordiv(s.at(2), tiles[1]), tiles[0])
	tile := g.pointwise(s, g.read(padded, floordiv(s.at(2), tiles[0]*tiles[1]),
		add(mul(row, tir.Int(c.tile)), s.at(0)), add(mul(floormod(s.at(2), tiles[1]), tir.Int(c.tile)), s.at(1)), s.at(3)))
	b := g.constMatrix("B", m.input)
	s = g.stage("data_pack", []int64{side, side, rows, c.ci}, []int64{side, side})
	pack := g.sum(s, mul(mul(tile.At(s.r(0), s.r(1), s.at(2), s.at(3)), b.At(s.r(0), s.at(0))), b.At(s.r(1), s.at(1))),
		compute.Attrs{SimplifyConstTensorIndices: []string{"eps", "nu", "r_a", "r_b"}})

	kernel := g.input("kernel", g.store, side, side, c.co, c.ci)
	s = g.stage("bgemm", []int64{side, side, rows, c.co}, []int64{c.ci})
	gemm := g.sum(s, mul(pack.At(s.at(0), s.at(1), s.at(2), s.r(0)), g.read(kernel, s.at(0), s.at(1), s.at(3), s.r(0))),
		free(kernel))

	a := g.constMatrix("A", m.output)
	s = g.stage("inverse", []int64{c.tile, c.tile, rows, c.co}, []int64{side, side})
	inverse := g.sum(s, mul(mul(gemm.At(s.r(0), s.r(1), s.at(2), s.at(3)), a.At(s.r(0), s.at(0))), a.At(s.r(1), s.at(1))),
		compute.Attrs{SimplifyConstTensorIndices: []string{"vh", "vw", "r_a", "r_b"}})

	s = g.stage("conv2d_winograd", []int64{c.batch, out[0], out[1], c.co}, nil)
	n, h, w := s.at(0), s.at(1), s.at(2)
	first := mul(mul(n, tir.Int(tiles[0])), tir.Int(tiles[1])) // tile of the image
	place := add(add(first, mul(floordiv(h, c.tile), tir.Int(tiles[1]))), floordiv(w, c.tile))
	return result{g.pointwise(s, inverse.At(floormod(h, c.tile), floormod(w, c.tile), place, s.at(3))), 3}
}

// constMatrix adds a stage that computes a constant matrix by a chain of
// selects, so that unrolled loops fold it into numbers:
//
//	A(i, j) = select(((floormod(i, 4) == 3) && (floormod(j, 2) == 1)), 1f, select(..., 0f))
func (g *graph) constMatrix(key string, m [][]float64) compute.Tensor {
	rows, columns := int64(len(m)), int64(len(m[0]))
	s := g.stage(key, []int64{rows, columns}, nil)
	value := g.constant(0)
	for i, row := range m {
		for j, v := range row {
			here := tir.Bin(tir.And,
				tir.Bin(tir.EQ, floormod(s.at(0), rows), tir.Int(int64(i))),
				tir.Bin(tir.EQ, floormod(s.at(1), columns), tir.Int(int64(j))))
			value = &tir.Select{Cond: here, Then: g.constant(v), Else: value}
		}
	}
	return g.pointwise(s, value)
}

// winogradPoints are where the polynomials of the Cook-Toom algorithm are
// evaluated, besides infinity. All are powers of two, so that every entry of
// the matrices A and B is exact in binary.
var winogradPoints = []float64{0, -1, 1, 0.5, -2, -0.5, 2}

// A winogradSet holds the matrices of F(tile, 3): for a signal d and a kernel g,
//
//	y = Aᵀ((G g) ⊙ (Bᵀ d))
//
// are tile outputs of the convolution (a correlation, as neural networks have
// it). A is side×tile, B side×side and G side×3, where side = tile+2.
type winogradSet struct{ output, input, kernel [][]float64 }

// winogradMatrices makes the matrices for a tile of 2, 4 or 6. Column i of B
// holds the coefficients of the product of (x - q) over all points q but the
// i-th p; row i of A the powers of p; row i of G the powers of p divided by that
// product at p. The last point is infinity.
func winogradMatrices(tile int64) winogradSet {
	side := int(tile) + winogradSize - 1
	points := winogradPoints[:side-1]
	m := winogradSet{zeros(side, int(tile)), zeros(side, side), zeros(side, winogradSize)}
	for i, p := range points {
		poly, at := []float64{1}, 1.0
		for j, q := range points {
			if j != i {
				poly, at = timesRoot(poly, q), at*(p-q)
			}
		}
		if i == 0 && poly[0] < 0 { // B begins with a positive number, by convention
			at = -at
			for k := range poly {
				poly[k] = plain(-poly[k])
			}
		}
		for k, c := range poly {
			m.input[k][i] = c
		}
		power := 1.0
		for k := range max(int(tile), winogradSize) {
			if k < int(tile) {
				m.output[i][k] = plain(power)
			}
			if k < winogradSize {
				m.kernel[i][k] = plain(power / at)
			}
			power *= p
		}
	}
	poly := []float64{1}
	for _, q := range points {
		poly = timesRoot(poly, q)
	}
	for k, c := range poly {
		m.input[k][side-1] = c
	}
	m.output[side-1][tile-1], m.kernel[side-1][winogradSize-1] = 1, 1
	return m
}

// timesRoot returns the coefficients of poly(x)*(x - root), the lowest first.
func timesRoot(poly []float64, root float64) []float64 {
	list := make([]float64, len(poly)+1)
	for i, c := range poly {
		list[i+1] += c
		list[i] = plain(list[i] - root*c)
	}
	return list
}

// plain turns minus zero into zero.
func plain(v float64) float64 { return v + 0 }

func zeros(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

// WinogradKernel returns the matrix G, of tile+2 rows and 3 columns, by which
// the weights of conv2d_winograd are to be transformed: G g Gᵀ. Tile is 2, 4
// or 6.
func WinogradKernel(tile int64) ([][]float64, error) {
	if tile != 2 && tile != 4 && tile != 6 {
		return nil, fmt.Errorf("op: no Winograd algorithm with tiles of %d: take 2, 4 or 6", tile)
	}
	return winogradMatrices(tile).kernel, nil
}
