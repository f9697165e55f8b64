package op

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
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
