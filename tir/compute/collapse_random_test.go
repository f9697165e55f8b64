package compute_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestCollapseRandom: a collapsed DAG computes the same elements in the same order.
func TestCollapseRandom(t *testing.T) {
	collapsed := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		kind, d := tirtest.RandomDAG(r)
		c := compute.Collapse(d)
		if c == d {
			continue
		}
		collapsed++
		if _, err := compute.FromOps(c.Tensors, c.Outputs, c.Ops); err != nil {
			t.Fatalf("seed %d, %s: %v\n%s", seed, kind, err, c.Text())
		}
		inputs := make([][]float64, len(d.Inputs()))
		for i, b := range d.Inputs() {
			if c.Tensors[i].Elems() != b.Elems() {
				t.Fatalf("seed %d, %s: %s has another size", seed, kind, b.Name)
			}
			inputs[i] = make([]float64, b.Elems())
			for j := range inputs[i] {
				inputs[i][j] = float64(r.IntN(7) - 2)
			}
		}
		for i, b := range d.Results() {
			for range 8 {
				at := r.Int64N(b.Elems())
				want := elementAt(d, inputs, i, at)
				got := elementAt(c, inputs, i, at)
				if want != got && !(math.IsNaN(want) && math.IsNaN(got)) {
					t.Fatalf("seed %d, %s: element %d of %s is %g instead of %g\n%s\n%s", seed, kind, at, b.Name, got, want,
						d.Text(), c.Text())
				}
			}
		}
	}
	if collapsed < 80 {
		t.Errorf("only %d of 400 were collapsed", collapsed)
	}
}

// elementAt returns an element of a result by its place in memory.
func elementAt(d *compute.DAG, inputs [][]float64, result int, at int64) float64 {
	return evalAt(d, inputs, result, indexOf(d.Results()[result], at))
}

func indexOf(b *tir.Buffer, at int64) []int64 {
	index := slices.Clone(b.Shape)
	for i, n := range slices.Backward(b.Shape) {
		index[i] = at % n
		at /= n
	}
	return index
}
