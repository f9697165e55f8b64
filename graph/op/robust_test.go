package op

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// TestInferDoesNotPanic infers nodes of every row whose inputs and attributes are drawn: most are wrong, and must be an
// error then.
func TestInferDoesNotPanic(t *testing.T) {
	failed := map[string]bool{}
	for _, table := range tables {
		for i := range table {
			row := &table[i]
			if strings.HasPrefix(row.Op, "wmtune.") {
				continue // passes make their nodes
			}
			for seed := range uint64(800) {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				n := drawnNode(r, row)
				if err := guarded(func() { _, _ = row.Infer(n) }); err != nil && !failed[row.Op] {
					failed[row.Op] = true
					t.Errorf("%s of version %d: %v\n%s", row.Op, row.Since, err, n)
				}
			}
		}
	}
}

func guarded(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	f()
	return nil
}

var drawnTypes = []tir.DType{tir.F32, tir.F32, tir.F32, tir.I64, tir.I64, tir.I32, tir.Bool, tir.U8, tir.F16, tir.F64}

// drawnNode returns a node of an operator with inputs, outputs and attributes that need not fit each other.
func drawnNode(r *rand.Rand, row *Row) *graph.Node {
	n := &graph.Node{Version: row.Since + r.IntN(3)}
	n.Domain, n.Op = SplitName(row.Op)
	first := drawnTypes[r.IntN(len(drawnTypes))]
	rank := r.IntN(5)
	for i := range r.IntN(6) {
		if r.IntN(6) == 0 {
			n.Inputs = append(n.Inputs, nil)
			continue
		}
		v := &graph.Value{Name: fmt.Sprint("in", i), Type: first, Ranked: true}
		if r.IntN(3) == 0 {
			v.Type = drawnTypes[r.IntN(len(drawnTypes))]
		}
		if r.IntN(3) == 0 {
			rank = r.IntN(5)
		}
		for range rank {
			v.Shape = append(v.Shape, r.Int64N(4))
		}
		if r.IntN(2) == 0 {
			x := graph.NewTensor(v.Type, v.Shape...)
			for i := range x.F {
				x.F[i] = float64(r.IntN(9) - 4)
			}
			for i := range x.I {
				x.I[i] = Wrap(v.Type, r.Int64N(9)-4)
			}
			v.Const = x.Const()
		}
		n.Inputs = append(n.Inputs, v)
	}
	for i := range 1 + r.IntN(3) {
		n.Outputs = append(n.Outputs, &graph.Value{Name: fmt.Sprint("out", i)})
	}
	for _, name := range []string{"axis", "k", "keepdims", "blocksize", "to", "num_outputs", "batch_dims",
		"num_scan_inputs",
		"hidden_size", "group", "allowzero", "num_heads", "q_num_heads", "kv_num_heads", "block_size", "storage_order"} {
		if r.IntN(3) == 0 {
			n.SetAttr(graph.IntAttr(name, r.Int64N(7)-3))
		}
	}
	for _, name := range []string{"axes", "perm", "split", "pads", "starts", "ends", "kernel_shape", "strides",
		"dilations",
		"scan_input_axes", "scan_output_axes", "limits", "output_shape", "output_padding", "scales"} {
		if r.IntN(3) == 0 {
			list := make([]int64, r.IntN(5))
			for i := range list {
				list[i] = r.Int64N(7) - 3
			}
			n.SetAttr(graph.IntsAttr(name, list...))
		}
	}
	return n
}
