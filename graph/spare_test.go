package graph

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestSpare: a large constant may be in the memory of the one before, but not while a result is there.
func TestSpare(t *testing.T) {
	constant := func(v float64) *Value {
		x := NewTensor(tir.F32, spareLeast+1)
		for i := range x.F {
			x.F[i] = v
		}
		return Constant("c", x)
	}
	made := map[string][]*Tensor{}
	e := &Evaluator{Lookup: func(n *Node) (EvalFunc, error) {
		return func(_ *Call, n *Node, in []*Tensor) ([]*Tensor, error) {
			made[n.Op] = append(made[n.Op], in[0])
			r := *in[0]
			if n.Op == "First" {
				r.Shape, r.F = []int64{1}, []float64{in[0].F[0]}
			} else {
				r.Shape, r.F = []int64{1}, in[0].F[spareLeast:]
			}
			return []*Tensor{&r}, nil
		}, nil
	}}
	g := &Graph{}
	for i, op := range []string{"First", "First", "Rest", "First", "Rest", "First"} {
		y := &Value{Name: "y", Type: tir.F32}
		g.Nodes = append(g.Nodes, &Node{Op: op, Inputs: []*Value{constant(float64(i))}, Outputs: []*Value{y}})
		g.Outputs = append(g.Outputs, y)
	}
	out, err := e.Run(t.Context(), g, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range out {
		if x.F[0] != float64(i) {
			t.Errorf("result %d is %v", i, x.F[0])
		}
	}
	if &made["First"][0].F[0] != &made["First"][1].F[0] {
		t.Error("two constants that are not needed any more have memory of their own")
	}
}
