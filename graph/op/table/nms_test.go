package table

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// TestSuppression compares the program of NonMaxSuppression with the reference: many boxes and few, equal scores, zeros
// of both signs, negative ones, more chosen boxes than a vector has, limits and thresholds.
func TestSuppression(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	for i := range 40 {
		count := []int64{1, 2, 5, 40, 90}[i%5]
		batch, classes := 1+rng.Int64N(2), 1+rng.Int64N(3)
		boxes, scores := random(rng, tir.F32, 0, 1, batch, count, 4), random(rng, tir.F32, -1, 1, batch, classes, count)
		for k := range boxes.F {
			if k%4 >= 2 && i%3 > 0 { // small ones
				boxes.F[k] = float64(float32(boxes.F[k-2] + 0.05 + boxes.F[k]/8))
			}
		}
		for k := range scores.F {
			switch rng.IntN(4) {
			case 0: // equal ones
				scores.F[k] = []float64{0.5, 0, -0.25}[rng.IntN(3)]
			case 1:
				scores.F[k] = scores.F[0]
			}
		}
		in := []*graph.Tensor{boxes, scores, int64Of(float64(rng.Int64N(count + 5))),
			graph.Scalar(tir.F32, []float64{0, 0.125, 0.5, 1}[rng.IntN(4)])}
		if i%4 > 0 {
			in = append(in, graph.Scalar(tir.F32, []float64{-2, 0, 0.25}[rng.IntN(3)]))
		}
		c := nodeCase{op: "NonMaxSuppression", version: 11, in: in}
		if i%2 == 0 && in[2].I[0] > 0 {
			c.fixed = []int{2}
		}
		if i%7 == 0 {
			c.attrs = []graph.Attr{graph.IntAttr("center_point_box", 1)}
		}
		c.check(t)
	}
}
