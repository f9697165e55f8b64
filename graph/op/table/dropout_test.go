package table

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// TestDropout: elements stay, unless the mode of training is asked for with a ratio.
func TestDropout(t *testing.T) {
	x := random(rand.New(rand.NewPCG(1, 2)), tir.F32, -1, 1, 2, 3)
	for _, version := range []int{7, 10, 12} {
		for outputs := range 2 {
			checkNode(t, "Dropout", version, outputs+1, []*graph.Tensor{x}, nil)
		}
	}
	for _, training := range []float64{0, 1} {
		for _, ratio := range []float64{0, 0.5} {
			in := []*graph.Tensor{x, scalar(tir.F32, ratio), scalar(tir.Bool, training)}
			n, err := newNode("Dropout", 13, 2, in, func(int) bool { return false })
			if err != nil {
				t.Fatal(err)
			}
			if got, want := faults(t, n, in...), training*ratio > 0; got != want {
				t.Errorf("training %v, ratio %v: error %v", training, ratio, got)
			}
			if why := op.Fault(n); !strings.Contains(why, "training_mode") {
				t.Errorf("the error says %q", why)
			}
			if training*ratio == 0 {
				checkNode(t, "Dropout", 13, 2, in, nil)
				checkNode(t, "Dropout", 13, 2, in, []int{1, 2})
			}
		}
	}
	if _, err := newNode("RandomNormalLike", 13, 1, []*graph.Tensor{x}, func(int) bool { return false }); err == nil {
		t.Error("random numbers are no error")
	}
}
