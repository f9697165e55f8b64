// Package winograd has the matrices of Winograd's convolutions by 3×3 weights: F(tile×tile, 3×3) of Lavin and Gray,
// Fast Algorithms for Convolutional Neural Networks (2015). It estimates what they cost, and how much they round.
//
// The package must not know who convolves: neither compute DAGs nor graphs.
package winograd

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
)

// Size is that of the weights.
const Size = 3

// roots are where the polynomials of the Cook-Toom algorithm are evaluated, besides infinity. All are powers of two, so
// that every entry of the matrices A and B is exact in binary.
var roots = []float64{0, -1, 1, 0.5, -2, -0.5, 2}

// A Set holds the matrices of F(tile, 3): for a signal d and a kernel g,
//
//	y = Aᵀ((G g) ⊙ (Bᵀ d))
//
// are tile outputs of the convolution (a correlation, as neural networks have it). A (Output) is side×tile, B (Input)
// side×side and G (Kernel) side×3, where side = tile+2.
type Set struct{ Output, Input, Kernel [][]float64 }

// New makes the matrices for a tile of 2, 4 or 6. Column i of B holds the coefficients of the product of (x - q) over
// all points q but the i-th p; row i of A the powers of p; row i of G the powers of p divided by that product at p. The
// last point is infinity.
func New(tile int64) (Set, error) {
	if tile != 2 && tile != 4 && tile != 6 {
		return Set{}, fmt.Errorf("winograd: no algorithm with tiles of %d: take 2, 4 or 6", tile)
	}
	side := int(tile) + Size - 1
	points := roots[:side-1]
	m := Set{zeros(side, int(tile)), zeros(side, side), zeros(side, Size)}
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
			m.Input[k][i] = c
		}
		power := 1.0
		for k := range max(int(tile), Size) {
			if k < int(tile) {
				m.Output[i][k] = plain(power)
			}
			if k < Size {
				m.Kernel[i][k] = plain(power / at)
			}
			power *= p
		}
	}
	poly := []float64{1}
	for _, q := range points {
		poly = timesRoot(poly, q)
	}
	for k, c := range poly {
		m.Input[k][side-1] = c
	}
	m.Output[side-1][tile-1], m.Kernel[side-1][Size-1] = 1, 1
	return m, nil
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

// Weights returns G g Gᵀ of 3×3 weights g, given by rows: side rows of side numbers.
func (s Set) Weights(g [Size * Size]float64) []float64 {
	side := len(s.Kernel)
	y := make([]float64, side*side)
	for a, row := range s.Kernel {
		for b, column := range s.Kernel {
			for i := range Size {
				for j := range Size {
					y[a*side+b] += row[i] * g[i*Size+j] * column[j]
				}
			}
		}
	}
	return y
}

// Growth returns how many times larger the rounding errors of a convolution may be than those of the sum that it
// stands for, at least 1: 1 for tiles of 2, 3.5 for 4, 15 for 6. The direct sum of 9T products of random numbers of
// size 1 errs by 9T u. Transformed pixels have the size of their column of B, weights that of their row of G. So a sum
// of T of their products errs by T u times both, and output v by that times A[e, v], summed over e in each dimension.
func (s Set) Growth() float64 {
	most := 0.0
	for v := range s.Output[0] {
		size := 0.0
		for e, a := range s.Output {
			in, w := 0.0, 0.0
			for k := range s.Input {
				in += s.Input[k][e] * s.Input[k][e]
			}
			for _, g := range s.Kernel[e] {
				w += g * g
			}
			size += a[v] * a[v] * in * w
		}
		most = max(most, size/Size)
	}
	return max(1, most/Size)
}

// Element returns the element of a matrix at (i, j) as a chain of selects, which loops that are unrolled fold into
// numbers of type t:
//
//	select(((floormod(i, 4) == 3) && (floormod(j, 2) == 1)), 1f, select(..., 0f))
func Element(m [][]float64, t tir.DType, i, j tir.Expr) tir.Expr {
	is := func(x tir.Expr, extent, at int) tir.Expr {
		return tir.Bin(tir.EQ, tir.Bin(tir.FloorMod, x, tir.Int(int64(extent))), tir.Int(int64(at)))
	}
	value := tir.Const(t, 0)
	for r, row := range m {
		for c, v := range row {
			here := tir.Bin(tir.And, is(i, len(m), r), is(j, len(row), c))
			value = &tir.Select{Cond: here, Then: tir.Const(t, v), Else: value}
		}
	}
	return value
}
