package table_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// guessed is a graph that cuts x where an input says, and adds what it makes of that in two ways; only the sum is
// declared.
func guessed(declared ...int64) *graph.Graph {
	s := newSketch("guessed")
	x, ends := s.input("x", tir.F32, 5, 3), s.input("ends", tir.I64, 1)
	cut := s.apply("Slice", "cut", x, constant("starts", graph.Ints(1)), ends)
	a := s.apply("Relu", "a", cut)
	b := s.apply("Mul", "b", cut, constant("k", vector(1, 2, 3)))
	y := s.apply("Add", "y", a, b)
	y.Type, y.Shape, y.Ranked = tir.F32, declared, true
	return s.output(y)
}

// TestGuess: the shape of the cut follows from that of the sum.
func TestGuess(t *testing.T) {
	x := graph.NewTensor(tir.F32, 5, 3)
	for i := range x.F {
		x.F[i] = float64(i) - 4
	}
	_, k := agree(t, guessed(2, 3), x, graph.Ints(3))
	if !slices.Equal(k.Nodes[0].Outputs[0].Shape, []int64{2, 3}) {
		t.Errorf("the cut is %s", k.Nodes[0].Outputs[0])
	}
	// Another cut contradicts it.
	g, in := guessed(2, 3), []*graph.Tensor{x, graph.Ints(4)}
	err := checkProgram(t, g.Clone, in, &graphtest.Case{Graph: g, In: in})
	if err == nil || !strings.Contains(err.Error(), "run-time") {
		t.Error(err)
	}
	// Nothing of that shape comes of a cut of that shape.
	fails(t, guessed(2, 4), "depends on input 2")
	g = guessed(2, 3)
	g.Outputs[0].Ranked = false
	fails(t, g, "depends on input 2")
	if err := op.Infer(t.Context(), guessed(2, 3)); err != nil {
		t.Error(err)
	}
}

// TestDeclaredType: an output of another type than the file declares is an error, in a branch and of a Constant, too.
func TestDeclaredType(t *testing.T) {
	s := newSketch("declared")
	y := s.apply("Relu", "y", s.input("x", tir.F32, 2))
	y.Type = tir.I64
	fails(t, s.output(y), "declares its output y as int64, and Relu makes float32")
	g := choice(nil)
	g.Nodes[0].Graph("then_branch").Nodes[0].Outputs[0].Type = tir.I64
	fails(t, g, "declares its output k as int64, and Relu makes float32")
	n := &graph.Node{Op: "Constant", Version: 13, Outputs: []*graph.Value{{Name: "c", Type: tir.I64}}}
	n.SetAttr(graph.Attr{Name: "value", Kind: graph.AttrTensor, Tensor: vector(1, 2).Const()})
	fails(t, &graph.Graph{Nodes: []*graph.Node{n}, Outputs: n.Outputs},
		"declares its output c as int64, and Constant makes float32")
}
