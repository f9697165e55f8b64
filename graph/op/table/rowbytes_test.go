package table

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// TestRowBytes: blocks of whole vectors and of none, a last block that is not whole, numbers that are all 0, and an
// infinity.
func TestRowBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for _, c := range []struct{ rows, k, block int64 }{
		{1, 1, 16}, {3, 64, 32}, {2, 50, 16}, {3, 41, 24}, {1, 130, 128}, {2, 9, 3}, {5, 7, 7},
	} {
		for _, typ := range []tir.DType{tir.F32, tir.F16} {
			x := random(rng, typ, -3, 2, c.rows, c.k)
			checkNode(t, "wmtune.RowBytes", 1, 3, []*graph.Tensor{x}, nil, graph.IntAttr("block", c.block))
			clear(x.F[:min(c.k, c.block)])
			checkNode(t, "wmtune.RowBytes", 1, 3, []*graph.Tensor{x}, nil, graph.IntAttr("block", c.block))
		}
	}
	checkNode(t, "wmtune.RowBytes", 1, 3, []*graph.Tensor{random(rng, tir.F32, -1, 1, 2, 3, 20)}, nil,
		graph.IntAttr("block", 16))
	x := random(rng, tir.F32, -1, 1, 1, 32)
	x.F[3] = math.Inf(1)
	n := &graph.Node{Attrs: []graph.Attr{graph.IntAttr("block", 16)}}
	got, err := evalOf("wmtune.RowBytes", 1)(nil, n, []*graph.Tensor{x})
	if err != nil || got[1].F[0] == got[1].F[0] || got[1].F[1] != got[1].F[1] {
		t.Errorf("scales of a block with an infinity and of one without: %v, %v", got[1].F, err)
	}
}
