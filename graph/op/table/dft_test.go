package table

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// TestDFT compares transforms with operands known ahead of time, and with ones that are data.
func TestDFT(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for inverse := range int64(2) {
		for onesided := range int64(2) {
			for _, length := range []*graph.Tensor{nil, int64Of(4), int64Of(7), int64Of(10)} {
				parts := int64(1)
				if inverse == 1 {
					parts = 2
				}
				attrs := []graph.Attr{graph.IntAttr("inverse", inverse), graph.IntAttr("onesided", onesided)}
				in := []*graph.Tensor{random(rng, tir.F32, -1, 1, 2, 6, 3, parts), length, int64Of(1)}
				nodeCase{op: "DFT", version: 20, attrs: attrs, in: in, fixed: []int{1, 2}}.check(t)
				want, err := reference(mustNode(t, "DFT", 20, in, attrs), in)
				if err != nil {
					t.Fatal(err)
				}
				nodeCase{op: "DFT", version: 20, attrs: attrs, in: in, declared: [][]int64{want[0].Shape}}.check(t)
			}
		}
	}
	x := random(rng, tir.F32, -1, 1, 2, 6, 3, 2)
	nodeCase{op: "DFT", version: 17, attrs: []graph.Attr{graph.IntAttr("axis", -2)}, in: []*graph.Tensor{x}}.check(t)
	nodeCase{op: "DFT", version: 20, in: []*graph.Tensor{x}}.check(t)
}

// TestFastDFT compares transforms of lengths that are products of small primes: of lines that are shorter, or longer.
func TestFastDFT(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for i, length := range []int64{64, 66, 91, 96, 128, 200, 275, 455, 512} {
		for inverse := range int64(2) {
			for onesided := range int64(2) {
				dt := []tir.DType{tir.F32, tir.F64, tir.F16}[i%3]
				attrs := []graph.Attr{graph.IntAttr("inverse", inverse), graph.IntAttr("onesided", onesided)}
				for _, shape := range [][]int64{{2, length}, {length - 7, 3}, {1, length + 5, 2}} {
					shape = append(shape, 1+inverse)
					axis := int64(slices.Index(shape, slices.Max(shape)))
					in := []*graph.Tensor{random(rng, dt, -1, 1, shape...), int64Of(float64(length)), int64Of(float64(axis))}
					nodeCase{op: "DFT", version: 20, attrs: attrs, in: in, fixed: []int{1, 2}}.check(t)
				}
			}
		}
	}
}

func mustNode(t *testing.T, op string, version int, in []*graph.Tensor, attrs []graph.Attr) *graph.Node {
	t.Helper()
	n, err := newNode(op, version, 1, in, func(int) bool { return true }, attrs...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSTFT(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	real, complex := random(rng, tir.F32, -1, 1, 2, 20, 1), random(rng, tir.F32, -1, 1, 1, 9, 2)
	window := random(rng, tir.F32, 0, 1, 8)
	both := []graph.Attr{graph.IntAttr("onesided", 0)}
	for _, c := range []nodeCase{
		{in: []*graph.Tensor{real, int64Of(3), window}, declared: [][]int64{{2, 5, 5, 2}}},
		{in: []*graph.Tensor{real, int64Of(4), window, int64Of(8)}, declared: [][]int64{{2, 4, 5, 2}}},
		{in: []*graph.Tensor{complex, int64Of(2), nil, int64Of(5)}, attrs: both, declared: [][]int64{{1, 3, 5, 2}}},
	} {
		c.op, c.version = "STFT", 17
		c.check(t)
		c.fixed = []int{1, 3}
		c.check(t)
		c.fixed = []int{1, 2, 3}
		c.check(t)
	}
}

// TestImageOperands compares functions that read operands when they run with the reference.
func TestImageOperands(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	boxes, scores := random(rng, tir.F32, 0, 1, 2, 7, 4), random(rng, tir.F32, 0, 1, 2, 3, 7)
	for _, c := range []nodeCase{
		{op: "Col2Im", version: 18, in: []*graph.Tensor{random(rng, tir.F32, -1, 1, 2, 12, 6), graph.Ints(4, 5),
			graph.Ints(2, 3)},
			attrs: []graph.Attr{ints("pads", 0, 0, 1, 0), ints("strides", 2, 1)}, declared: [][]int64{{2, 2, 4, 5}}},
		{op: "AffineGrid", version: 20, in: []*graph.Tensor{random(rng, tir.F32, -1, 1, 2, 2, 3),
			graph.Ints(2, 3, 4, 5)},
			declared: [][]int64{{2, 4, 5, 2}}},
		{op: "MaxUnpool", version: 11, in: []*graph.Tensor{random(rng, tir.F32, -1, 1, 1, 1, 2, 2),
			{Type: tir.I64, Shape: []int64{1, 1, 2, 2}, I: []int64{5, 7, 13, 15}}, graph.Ints(1, 1, 5, 6)},
			attrs: []graph.Attr{ints("kernel_shape", 2, 2), ints("strides", 2, 2)}, declared: [][]int64{{1, 1, 5, 6}}},
		{op: "NonMaxSuppression", version: 11, in: []*graph.Tensor{boxes, scores, int64Of(3),
			graph.Scalar(tir.F32, 0.25)}},
		{op: "NonMaxSuppression", version: 11, in: []*graph.Tensor{boxes, scores, int64Of(3),
			graph.Scalar(tir.F32, 0.125),
			graph.Scalar(tir.F32, 0.25)}, fixed: []int{2}, attrs: []graph.Attr{graph.IntAttr("center_point_box", 1)}},
	} {
		c.check(t)
	}
}

// int64Of is a scalar int64.
func int64Of(v float64) *graph.Tensor { return graph.Scalar(tir.I64, v) }
