package table

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// TestBits: BitCast keeps the bits.
func TestBits(t *testing.T) {
	x := &graph.Tensor{Type: tir.F32, Shape: []int64{3}, F: []float64{1, -2, 0.5}}
	n := &graph.Node{Op: "BitCast", Version: 26}
	n.SetAttr(graph.IntAttr("to", 6))
	got, err := evalOf("BitCast", 26)(nil, n, []*graph.Tensor{x})
	if want := []int64{0x3f800000, -0x40000000, 0x3f000000}; err != nil || !slices.Equal(got[0].I, want) {
		t.Errorf("the bits of %v are %v, %v, want %v", x.F, got, err, want)
	}
	never := func(int) bool { return false }
	if _, err := newNode("BitCast", 26, 1, []*graph.Tensor{x}, never, graph.IntAttr("to", 7)); err == nil {
		t.Error("4 bytes are 8")
	}
}
