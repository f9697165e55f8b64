package table_test

import (
	"fmt"
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
	fails(t, s.output(y), "declares its output y: int64[")
	g := choice(nil)
	g.Nodes[0].Graph("then_branch").Nodes[0].Outputs[0].Type = tir.I64
	fails(t, g, "declares its output k: int64[")
	n := &graph.Node{Op: "Constant", Version: 13, Outputs: []*graph.Value{{Name: "c", Type: tir.I64}}}
	n.SetAttr(graph.Attr{Name: "value", Kind: graph.AttrTensor, Tensor: vector(1, 2).Const()})
	fails(t, &graph.Graph{Nodes: []*graph.Node{n}, Outputs: n.Outputs},
		"declares its output c: int64[")
}

// TestDeclaredShape: an output of another shape than the file declares is an error that names both, of a value inside
// of the graph, in a branch and of a Constant, too. An open extent contradicts nothing, nor does one within a bound.
func TestDeclaredShape(t *testing.T) {
	relu := func(declared ...int64) *graph.Graph {
		s := newSketch("declared")
		h := s.apply("Relu", "h", s.input("x", tir.F32, 2, 3))
		h.Shape, h.Ranked = declared, true
		return s.output(s.apply("Neg", "y", h))
	}
	for _, wrong := range [][]int64{{2, 4}, {3, graph.Open}, {6}, {}, {2, 3, 1}, {2, 0}} {
		g := relu(wrong...)
		fails(t, g, fmt.Sprintf("declares its output %s, and Relu makes h: float32[2, 3]", g.Nodes[0].Outputs[0]))
	}
	for _, right := range [][]int64{{2, 3}, {graph.Open, 3}, {graph.Open, graph.Open}, {1, graph.Open, 7}, {graph.Open}} {
		if err := op.Infer(t.Context(), relu(right...)); err != nil {
			t.Error(err)
		}
	}
	g := choice(nil)
	v := g.Nodes[0].Graph("then_branch").Nodes[0].Outputs[0]
	v.Shape, v.Ranked = []int64{7, 7, 7}, true
	fails(t, g, "declares its output k: ?[7, 7, 7], and")
	n := &graph.Node{Op: "Constant", Version: 13, Outputs: []*graph.Value{{Name: "c", Shape: []int64{3}, Ranked: true}}}
	n.SetAttr(graph.Attr{Name: "value", Kind: graph.AttrTensor, Tensor: vector(1, 2).Const()})
	fails(t, &graph.Graph{Nodes: []*graph.Node{n}, Outputs: n.Outputs}, "declares its output c: ?[3], and Constant makes")
	for declared, right := range map[int64]bool{4: true, 6: true, 7: false} {
		s := newSketch("bound")
		y := s.apply("NonZero", "y", s.input("x", tir.F32, 2, 3))
		y.Shape, y.Ranked = []int64{2, declared}, true
		if err := op.Infer(t.Context(), s.output(y)); (err == nil) != right {
			t.Errorf("%d places of NonZero: %v", declared, err)
		}
	}
}
