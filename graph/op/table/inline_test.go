package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// nestedLoop is a Loop that makes y of x, and has others in its body, around a Neg.
func nestedLoop(x, y *graph.Value, trips ...int64) *graph.Node {
	if len(trips) == 0 {
		return &graph.Node{Op: "Neg", Version: 13, Inputs: []*graph.Value{x}, Outputs: []*graph.Value{y}}
	}
	value := func(name string) *graph.Value { return &graph.Value{Name: fmt.Sprint(name, len(trips))} }
	on, in, out, count := value("on"), value("in"), value("out"), value("trips")
	c := graph.Ints(trips[0])
	count.Type, count.Shape, count.Ranked, count.Const = c.Type, c.Shape, true, c.Const()
	body := &graph.Graph{Inputs: []*graph.Value{value("i"), on, in}, Outputs: []*graph.Value{on, out},
		Nodes: []*graph.Node{nestedLoop(in, out, trips[1:]...)}}
	n := &graph.Node{Op: "Loop", Version: 13, Inputs: []*graph.Value{count, nil, x}, Outputs: []*graph.Value{y}}
	n.SetAttr(graph.Attr{Name: "body", Kind: graph.AttrGraph, Graphs: []*graph.Graph{body}})
	return n
}

// countNodes counts the nodes of g and of the graphs in them.
func countNodes(g *graph.Graph) int {
	n := len(g.Nodes)
	for _, k := range g.Nodes {
		for _, a := range k.Attrs {
			for _, sub := range a.Graphs {
				n += countNodes(sub)
			}
		}
	}
	return n
}

// inferNested infers a graph of nested loops, and returns it and how many nodes it has then.
func inferNested(t *testing.T, trips ...int64) (*graph.Graph, int) {
	t.Helper()
	x, y := &graph.Value{Name: "x", Type: tir.F32, Shape: []int64{2}, Ranked: true}, &graph.Value{Name: "y"}
	g := &graph.Graph{Inputs: []*graph.Value{x}, Outputs: []*graph.Value{y},
		Nodes: []*graph.Node{nestedLoop(x, y, trips...)}}
	if err := op.Infer(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	if err := graph.Check(g); err != nil {
		t.Fatal(err)
	}
	return g, countNodes(g)
}

// TestNestedLoopsUnroll: small loops in one another are unrolled, unless that makes very many nodes.
func TestNestedLoopsUnroll(t *testing.T) {
	if g, nodes := inferNested(t, 4, 3); strings.Contains(g.String(), "Loop(") || nodes < 12 {
		t.Errorf("4 times 3 iterations: %s", g)
	}
	if _, nodes := inferNested(t, 16, 21, 32, 64); nodes > 20000 {
		t.Errorf("loops of 16, 21, 32 and 64 iterations became %d nodes", nodes)
	}
	if _, nodes := inferNested(t, 10, 12, 16, 21, 100); nodes > 20000 {
		t.Errorf("a loop that stays in loops of 10, 12, 16 and 21 iterations became %d nodes", nodes)
	}
}

// TestNestedLoopsThatStay: loops that stay are inferred once, however deep they are.
func TestNestedLoopsThatStay(t *testing.T) {
	if g, nodes := inferNested(t, slices.Repeat([]int64{1000}, 30)...); nodes != 31 || !g.Outputs[0].Known() {
		t.Errorf("%d nodes, %s", nodes, g.Outputs[0])
	}
}
