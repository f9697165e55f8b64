package table

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
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
				infer := func() { _, _ = row.Types(n) }
				if row.Enter != nil || len(n.Outputs) == 0 { // Infer looks at bodies first, and at no node without outputs
					infer = func() { _ = op.Infer(t.Context(), &graph.Graph{Nodes: []*graph.Node{n}}) }
				}
				if err := guarded(infer); err != nil && !failed[row.Op] {
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

// TestLeftOut: operands that may be repeated must all be there, and a node without outputs is dropped.
func TestLeftOut(t *testing.T) {
	v := func(typ tir.DType, shape ...int64) *graph.Value {
		return &graph.Value{Name: fmt.Sprint(typ, shape), Type: typ, Shape: shape, Ranked: true}
	}
	infer := func(name string, outputs []*graph.Value, inputs []*graph.Value, attrs ...graph.Attr) (*graph.Graph, error) {
		n := &graph.Node{Op: name, Version: 12, Inputs: inputs, Outputs: outputs}
		n.SetAttr(attrs...)
		g := &graph.Graph{Nodes: []*graph.Node{n}}
		return g, op.Infer(t.Context(), g)
	}
	out, x := []*graph.Value{{Name: "y"}}, v(tir.F32, 2, 3)
	if _, err := infer("Einsum", out, []*graph.Value{x, nil, x}, graph.StrAttr("equation", "ij,jk,ij")); err == nil ||
		!strings.Contains(err.Error(), "input 1 is missing") {
		t.Error(err)
	}
	body := &graph.Graph{Inputs: []*graph.Value{{Name: "a"}, {Name: "b"}}}
	body.Outputs = body.Inputs
	if _, err := infer("Scan", out, []*graph.Value{nil, x}, graph.IntAttr("num_scan_inputs", 2),
		graph.Attr{Name: "body", Kind: graph.AttrGraph, Graphs: []*graph.Graph{body}}); err == nil ||
		!strings.Contains(err.Error(), "input 0 is missing") {
		t.Error(err)
	}
	c, bytes := v(tir.F32, 3), v(tir.U8, 3, 3)
	for name, inputs := range map[string][]*graph.Value{
		"BatchNormalization": {x, c, c, c, c}, "MatMulInteger": {bytes, bytes}, "Relu": {x},
	} {
		if g, err := infer(name, nil, inputs); err != nil || len(g.Nodes) > 0 {
			t.Errorf("%v\n%s", err, g)
		}
	}
}

var drawnTypes = []tir.DType{tir.F32, tir.F32, tir.F32, tir.I64, tir.I64, tir.I32, tir.Bool, tir.U8, tir.F16, tir.F64}

// drawnNode returns a node of an operator with inputs, outputs and attributes that need not fit each other.
func drawnNode(r *rand.Rand, row *op.Row) *graph.Node {
	n := &graph.Node{Version: row.Since + r.IntN(3)}
	n.Domain, n.Op = op.SplitName(row.Op)
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
				x.I[i] = array.Wrap(v.Type, r.Int64N(9)-4)
			}
			v.Const = x.Const()
		}
		n.Inputs = append(n.Inputs, v)
	}
	for i := range r.IntN(4) {
		n.Outputs = append(n.Outputs, &graph.Value{Name: fmt.Sprint("out", i)})
	}
	if len(n.Outputs) > 1 && r.IntN(4) == 0 {
		n.Outputs[0] = nil
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
	if r.IntN(3) > 0 {
		n.SetAttr(graph.StrAttr("equation", drawnEquation(r)))
	}
	for _, name := range []string{"body", "then_branch", "else_branch"} {
		if row.Enter != nil && r.IntN(8) > 0 {
			n.SetAttr(graph.Attr{Name: name, Kind: graph.AttrGraph, Graphs: []*graph.Graph{drawnBody(r, name, n)}})
		}
	}
	return n
}

func drawnEquation(r *rand.Rand) string {
	terms := []string{"ij", "jk", "i", "", "...", "...j", "ii", "->", ",", "ij,jk", "a"}
	equation := ""
	for range r.IntN(5) {
		equation += terms[r.IntN(len(terms))] + ","[:r.IntN(2)]
	}
	return equation
}

// drawnBody returns a graph that may suit a node: its outputs are inputs, constants, or what nodes make of them.
func drawnBody(r *rand.Rand, name string, n *graph.Node) *graph.Graph {
	g := &graph.Graph{Name: name}
	values := []*graph.Value{{Name: name + ".k", Type: drawnTypes[r.IntN(len(drawnTypes))], Ranked: true,
		Shape: []int64{r.Int64N(3)}}}
	values[0].Const = graph.NewTensor(values[0].Type, values[0].Shape...).Const()
	inputs, outputs := r.IntN(5), len(n.Outputs)+r.IntN(3)
	if name != "body" {
		inputs, outputs = 0, len(n.Outputs)
	}
	for i := range inputs {
		v := &graph.Value{Name: fmt.Sprint(name, ".in", i), Type: drawnTypes[r.IntN(len(drawnTypes))], Ranked: true}
		g.Inputs, values = append(g.Inputs, v), append(values, v)
	}
	for i := range r.IntN(4) {
		k := &graph.Node{Op: []string{"Identity", "Not", "Neg"}[r.IntN(3)], Version: 13,
			Outputs: []*graph.Value{{Name: fmt.Sprint(name, ".made", i)}}}
		if r.IntN(6) > 0 {
			k.Inputs = append(k.Inputs, values[r.IntN(len(values))])
		}
		g.Nodes, values = append(g.Nodes, k), append(values, k.Outputs[0])
	}
	for range outputs {
		g.Outputs = append(g.Outputs, values[r.IntN(len(values))])
	}
	return g
}
