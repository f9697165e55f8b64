package table

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/pointwise"
	"github.com/wmtune/wmtune/tir"
)

// TestTrigonometricError: the programs are within a few units in the last place of the functions, wherever these are
// large or small, and NaN and infinite where these are.
func TestTrigonometricError(t *testing.T) {
	points := []float64{0, 1, 0.5, 1.5, 2, 3, 7.9, 8, 8.1, 20, 44, 88, 89, 100, math.Inf(1), math.NaN()}
	for e := -30.0; e < 40; e += 0.37 {
		points = append(points, math.Exp2(e))
	}
	for d := 1e-7; d < 1; d *= 3 {
		points = append(points, 1-d, 1+d)
	}
	for _, dt := range []tir.DType{tir.F32, tir.F64} {
		x := graph.NewTensor(dt, int64(2*len(points)))
		for i, p := range points {
			x.F[2*i], x.F[2*i+1] = tir.Rounded(dt, p), tir.Rounded(dt, -p)
		}
		ulp := map[tir.DType]float64{tir.F32: 0x1p-24, tir.F64: 0x1p-53}[dt]
		for i := range pointwise.Trigonometric {
			n, err := newNode(pointwise.Trigonometric[i].Op, 26, 1, []*graph.Tensor{x}, func(int) bool { return false })
			if err != nil {
				t.Fatal(err)
			}
			want, _ := reference(n, []*graph.Tensor{x})
			got, err := compiled(n, []*graph.Tensor{x})
			if err != nil {
				t.Fatal(err)
			}
			for k, g := range got[0].F {
				w := tir.Rounded(dt, want[0].F[k])
				if g != w && !(math.Abs(g-w) <= 12*ulp*math.Abs(w)) && (g == g || w == w) {
					t.Errorf("%s %s(%v) is %v, want %v: off by %.1f units", dt, n.Op, x.F[k], g, w, math.Abs(g-w)/(ulp*math.Abs(w)))
				}
			}
		}
	}
}
