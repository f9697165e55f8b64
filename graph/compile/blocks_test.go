package compile

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

// TestBlockMatMul: bundles of products by weights of few bits are verified kernel by kernel, for rows and columns that
// fill no tile, blocks of all sizes, zero points of each kind, and rows that are rounded to bytes.
func TestBlockMatMul(t *testing.T) {
	b := needBundles(t)
	rng := rand.New(rand.NewPCG(81, 82))
	for i, rows := range []int64{1, 2, 3, 7, 13, 40} {
		block := int64(16) << rng.IntN(5)
		k, n, bits := block+rng.Int64N(2*block), 1+rng.Int64N(200), int64(4)<<(i%2)
		blocks := (k + block - 1) / block
		fill := func(x *graph.Tensor) *graph.Tensor {
			for i := range x.I {
				x.I[i] = rng.Int64N(256)
			}
			for i := range x.F {
				x.F[i] = float64(float32(rng.Float64()))
			}
			return x
		}
		zeros := []*graph.Tensor{nil, fill(graph.NewTensor(tir.U8, n*((blocks*bits+7)/8))), fill(graph.NewTensor(tir.F32, n*blocks))}
		for level := int64(0); level <= 4; level += 4 {
			x := &graph.Value{Name: "x", Type: tir.F32, Shape: []int64{rows, k}, Ranked: true}
			y := &graph.Value{Name: "y", Type: tir.F32, Shape: []int64{rows, n}, Ranked: true}
			node := &graph.Node{Domain: "com.microsoft", Op: "MatMulNBits", Version: 1, Outputs: []*graph.Value{y}, Inputs: []*graph.Value{
				x, graph.Constant("b", fill(graph.NewTensor(tir.U8, n, blocks, block*bits/8))),
				graph.Constant("s", fill(graph.NewTensor(tir.F32, n*blocks)))}}
			if z := zeros[i%3]; z != nil {
				node.Inputs = append(node.Inputs, graph.Constant("z", z))
			}
			node.SetAttr(graph.IntAttr("K", k), graph.IntAttr("N", n), graph.IntAttr("bits", bits), graph.IntAttr("block_size", block),
				graph.IntAttr("accuracy_level", level))
			name := fmt.Sprintf("rows %d, K %d, N %d, bits %d, blocks of %d, level %d", rows, k, n, bits, block, level)
			m, err := New(t.Context(), &graph.Graph{Name: "g", Inputs: []*graph.Value{x}, Nodes: []*graph.Node{node},
				Outputs: []*graph.Value{y}}, pass.Options{Check: true})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if _, err := Run(t.Context(), b.machine, m, Options{Name: "m"}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
