package compile

import (
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// TestCompare: differences up to the tolerance, or the noise, are right; integers, NaN and infinities must be equal.
func TestCompare(t *testing.T) {
	floats := func(v ...float64) *graph.Tensor {
		return &graph.Tensor{Type: tir.F32, Shape: []int64{int64(len(v))}, F: v}
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		got, want *graph.Tensor
		noise     float64
		wrong     string // part of the error, "" if it is right
	}{
		{floats(1, 100), floats(1.005, 100), 0, ""},
		{floats(1, 100), floats(1.02, 100), 0, "element 0: got 1, and 1.02 by the reference"},
		{floats(1, 100), floats(1.02, 100), 1e-3, ""},
		{floats(1, 100), floats(1.2, 100), 1e-3, "relative difference 0.002"},
		{floats(nan, inf), floats(nan, inf), 0, ""},
		{floats(nan, 1), floats(1, 1), 1, "1 elements wrong"},
		{floats(inf, 1), floats(-inf, 1), 1, "1 elements wrong"},
		{floats(1), floats(1, 2), 0, "has the shape [1]"},
		{graph.Ints(1, 2, 3), graph.Ints(1, 2, 3), 0, ""},
		{graph.Ints(1, 2, 4), graph.Ints(1, 2, 3), 1, "element 2: got 4"},
		{floats(0, 0), floats(0, 0), 0, ""},
	} {
		_, err := compare("y", c.got, c.want, c.noise)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%v %v, %v %v, noise %v: %v, want %q", c.got.F, c.got.I, c.want.F, c.want.I, c.noise, err, c.wrong)
		}
	}
}
