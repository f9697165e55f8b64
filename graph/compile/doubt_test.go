package compile

import (
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

// TestDoubts: an output is named if all its elements are alike or no numbers in all runs, or if it is the same in all
// of them. One that the passes found to be a constant is not.
func TestDoubts(t *testing.T) {
	m, err := New(t.Context(), graphtest.MustParse(`
		input x: float32[2]
		const c: float32[2] {1, 1}
		y = Log(x)
		z = Neg(c)
		output y
		output z`, 18), pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for _, test := range []struct {
		runs [][]float64
		want []string
	}{
		{[][]float64{{1, 2}}, nil},
		{[][]float64{{nan, math.Inf(1)}, {nan, nan}}, []string{"output y: all elements are NaN or infinite, by the reference too"}},
		{[][]float64{{nan, nan}, {nan, 1}}, nil},
		{[][]float64{{3, 3}}, []string{"output y: all elements are 3"}},
		{[][]float64{{3, 3}, {4, 4}, {5, 4}}, nil},
		{[][]float64{{1, 2}, {1, 2}}, []string{"output y: it is the same for 2 sets of random inputs"}},
	} {
		c := &compilation{model: m, judge: &judge{}, doubts: map[int]*doubt{}}
		for _, list := range test.runs {
			y := &graph.Tensor{Type: tir.F32, Shape: []int64{2}, F: list}
			c.look([]*graph.Const{y.Const(), (&graph.Tensor{Type: tir.F32, Shape: []int64{2}, F: []float64{-1, -1}}).Const()})
			c.judge.judged.Inputs++
		}
		if got := c.doubtful(); !slices.Equal(got, test.want) {
			t.Errorf("%v: %q", test.runs, got)
		}
	}
}
