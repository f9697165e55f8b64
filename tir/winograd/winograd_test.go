package winograd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTiles compares a tile of each algorithm with the convolution by its definition.
func TestTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tile := range []int64{2, 4, 6} {
		m, err := New(tile)
		if err != nil {
			t.Fatal(err)
		}
		n := int(tile) + Size - 1
		var g [Size * Size]float64
		for i := range g {
			g[i] = r.Float64() - .5
		}
		d := make([]float64, n*n)
		for i := range d {
			d[i] = r.Float64() - .5
		}
		w, v := m.Weights(g), both(m.Input, n, n, d)
		for i := range v {
			v[i] *= w[i]
		}
		y := both(m.Output, n, int(tile), v)
		for i := range int(tile) {
			for j := range int(tile) {
				want := 0.0
				for a := range Size {
					for b := range Size {
						want += d[(i+a)*n+j+b] * g[a*Size+b]
					}
				}
				if got := y[i*int(tile)+j]; math.Abs(got-want) > 1e-12 {
					t.Errorf("tile of %d: output (%d, %d) is %v, want %v", tile, i, j, got, want)
				}
			}
		}
	}
}

// both returns Mᵀ x M, where x is rows×rows and M rows×columns.
func both(m [][]float64, rows, columns int, x []float64) []float64 {
	y := make([]float64, columns*columns)
	for i := range columns {
		for j := range columns {
			for a := range rows {
				for b := range rows {
					y[i*columns+j] += m[a][i] * x[a*rows+b] * m[b][j]
				}
			}
		}
	}
	return y
}

func TestNoTile(t *testing.T) {
	if _, err := New(5); err == nil {
		t.Error("there is an algorithm with tiles of 5")
	}
}
