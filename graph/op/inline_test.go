package op

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// TestPrefix: a prefix ends with the first number with which no name begins, of values of the graph and of those that
// were placed since.
func TestPrefix(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "b", "0", "1", "2", "01", "-1", "", "x0"}
	for range 200 {
		g := &graph.Graph{}
		var names []string
		for range r.IntN(12) {
			name := "a"
			for range r.IntN(5) {
				name += "." + parts[r.IntN(len(parts))]
			}
			names = append(names, name)
			g.Nodes = append(g.Nodes, &graph.Node{Op: "Relu", Outputs: []*graph.Value{{Name: name}}})
		}
		f := &inferrer{root: g}
		for range 20 {
			base := []string{"a", "b", "a.0", "a.b", "a.0.b"}[r.IntN(5)]
			want := ""
			for i := 0; want == ""; i++ {
				p := fmt.Sprintf("%s.%d.", base, i)
				if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, p) }) {
					want = p
				}
			}
			n := &graph.Node{Op: "Loop", Outputs: []*graph.Value{nil, {Name: base}}}
			if got := f.prefix(n); got != want {
				t.Fatalf("%s: %q, want %q, with names %q", base, got, want, names)
			}
			if r.IntN(4) > 0 { // nothing may be placed
				names = append(names, f.named(want+parts[r.IntN(len(parts))]))
			}
		}
	}
}

// TestManyPrefixes: the iterations of a loop of unrollLarge nodes get names at once.
func TestManyPrefixes(t *testing.T) {
	f := &inferrer{root: &graph.Graph{}}
	n := &graph.Node{Op: "Loop", Outputs: []*graph.Value{{Name: "y"}}}
	for i := range unrollLarge {
		if p := f.prefix(n); p != fmt.Sprintf("y.%d.", i) {
			t.Fatalf("iteration %d: %s", i, p)
		}
		f.named(fmt.Sprintf("y.%d.x", i))
	}
}

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
	if err := Infer(t.Context(), g); err != nil {
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
