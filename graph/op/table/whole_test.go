package table_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// TestWholeProducts: the reference multiplies whole numbers exactly, by way of floats or not, and wraps.
func TestWholeProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		t     tir.DType
		most  int64 // of a number
		terms int64
	}{
		{tir.I32, 127, 900}, {tir.I32, 1 << 30, 9}, {tir.I64, 1<<26 - 1, 2}, {tir.I64, 1 << 26, 3}, {tir.I64, 1 << 62, 70},
	} {
		draw := func(shape ...int64) *graph.Tensor {
			x := graph.NewTensor(c.t, shape...)
			for i := range x.I {
				x.I[i] = c.most - r.Int64N(3) - 2*r.Int64N(2)*c.most
			}
			return x
		}
		a, b := draw(5, c.terms), draw(c.terms, 6)
		images, weights := draw(1, c.terms, 1, 5), draw(6, c.terms, 1, 1)
		product, sums := make([]int64, 30), make([]int64, 30)
		for i := range int64(5) {
			for j := range int64(6) {
				for k := range c.terms {
					product[i*6+j] += a.I[i*c.terms+k] * b.I[k*6+j]
					sums[j*5+i] += images.I[k*5+i] * weights.I[j*c.terms+k]
				}
				product[i*6+j], sums[j*5+i] = c.t.Wrap(product[i*6+j]), c.t.Wrap(sums[j*5+i])
			}
		}
		if got := evaluated(t, "MatMul", a, b); !slices.Equal(got.I, product) {
			t.Errorf("%s up to %d: %v, want %v", c.t, c.most, got.I, product)
		}
		if got := evaluated(t, "Conv", images, weights); !slices.Equal(got.I, sums) {
			t.Errorf("%s up to %d: %v, want %v", c.t, c.most, got.I, sums)
		}
	}
}

// evaluated is what the reference makes of a node.
func evaluated(t *testing.T, name string, in ...*graph.Tensor) *graph.Tensor {
	n := &graph.Node{Op: name, Version: 13, Outputs: []*graph.Value{{Name: "y"}}}
	for _, x := range in {
		n.Inputs = append(n.Inputs, &graph.Value{Name: "x", Type: x.Type, Shape: x.Shape, Ranked: true})
	}
	f, err := op.Evaluator().Lookup(n)
	if err != nil {
		t.Fatal(err)
	}
	out, err := f(graph.NewCall(t.Context(), op.Evaluator()), n, in)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}
