package padded

import (
	"fmt"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/extent"
	"github.com/wmtune/wmtune/graph/pass"
)

// TestNeeds: what is needed of values after the passes. Of the keys and values of attention, rows that a mask hides are
// not, and of what a softmax or a product goes over, all is.
func TestNeeds(t *testing.T) {
	for _, c := range operatorCases {
		if c.name != "attention" && c.name != "means" && c.name != "gathers" {
			continue
		}
		r, err := Rewrite(t.Context(), graphtest.MustParse(c.text, 17), rangesOf(t, c.dims), bind)
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Run(t.Context(), r.Graph, pass.Options{Check: true}); err != nil {
			t.Fatal(err)
		}
		needs, entries := Needs(r.Graph)
		if entries == nil || entries.Name != "extents.all" {
			t.Fatalf("%s: no vector of extents", c.name)
		}
		seen := map[string]string{}
		for v, digits := range needs {
			seen[v.Name] = fmt.Sprint(digits)
		}
		made := r.Graph.Producers()
		for v, digits := range needs {
			if n := made[v]; n != nil && n.Op == "MaskedSoftmax" && fmt.Sprint(digits) != "[{0 3 0} {1 3 -1} {2 9 1} {3 9 -1}]" {
				t.Errorf("of the weights of keys, only %v are needed", digits)
			}
			if n := made[v]; n != nil && n.Op == "Gather" && v.Type.IsInt() {
				t.Errorf("not all indices are needed: %v of %s", digits, v)
			}
		}
		for _, n := range r.Graph.Nodes {
			if n.Op != "Cut" {
				continue
			}
			if _, ok := needs[n.Inputs[0]]; !ok && made[n.Inputs[0]] != nil && made[n.Inputs[0]].Op != "Spread" {
				t.Errorf("%s: all of %s is needed, and it is only cut:\n%s\n%v", c.name, n.Inputs[0], r.Graph, seen)
			}
		}
	}
	g := &graph.Graph{}
	if needs, entries := Needs(g); needs != nil || entries != nil {
		t.Errorf("a graph without extents: %v", needs)
	}
}

// TestNeedsOfReaders: a mask does not need what it hides, a cut not what lies beyond; who counts by indices needs all of
// them, and so does a reader that nothing restricts.
func TestNeedsOfReaders(t *testing.T) {
	g := graphtest.MustParse(`
		input x: float32[4, 8]
		input i: int64[4]
		input d: int64[1]
		const table: float32[4, 8]
		const first: int64[1] {0}
		e: int64[1] = wmtune.Extents(d) formulas=[] least=[0] most=[4] steps=[1]
		a = Exp(x)
		m = wmtune.Mask(a, e) axes=[0, 1] entries=[0, -1] hides=[0] uppers=[4, 8] value=0
		s = ReduceSum(m, first)
		j = Abs(i)
		g = wmtune.Gather(table, j) axis=0
		h = Exp(x)
		k = Add(g, h)
		q = Exp(h)
		y = wmtune.Cut(k, e) axes=[0, 1] entries=[0, -1] uppers=[4, 8]
		b = Abs(x)
		o = wmtune.Mask(b, e) axes=[0, 1] entries=[-1, 0] hides=[1] uppers=[4, 8] value=0
		z = wmtune.Cut(o, e) axes=[0, 1] entries=[0, -1] uppers=[4, 8]
		output s
		output q
		output y
		output z`, 17)
	if err := op.Infer(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	needs, _ := Needs(g)
	want := map[string]bool{"a": true, "b": true, "g": true, "k": true, "x": false, "m": false, "j": false, "h": false, "e": false}
	for v := range needs {
		if got := fmt.Sprint(needs[v]); v.Name == "b" && got != "[{0 4 0} {1 8 0}]" {
			t.Errorf("what a mask shows and its reader needs of b is %s", got)
		}
		if w, ok := want[v.Name]; ok && !w {
			t.Errorf("only %v of %s are needed", needs[v], v)
		}
		delete(want, v.Name)
	}
	for name, restricted := range want {
		if restricted {
			t.Errorf("all of %s is needed", name)
		}
	}
}

// TestRefined: digits of two readers are those that both have; one of which all places are needed is divided where the
// other has more, such as heads beside batches in [4*12]. A restricted digit is never divided.
func TestRefined(t *testing.T) {
	type digits = []extent.Digit
	batchesHeads := digits{{Axis: 0, Upper: 4, Entry: 0}, {Axis: 0, Upper: 12, Entry: -1}, {Axis: 1, Upper: 64, Entry: -1}}
	rows := digits{{Axis: 0, Upper: 48, Entry: -1}, {Axis: 1, Upper: 64, Entry: 1}}
	every := newLimits((&graph.Node{}))
	every.known = make([]extent.Formula, 3)
	for _, c := range []struct {
		a, b           digits
		masked, shared string
	}{
		{batchesHeads, rows, "[{0 4 0} {0 12 -1} {1 64 1}]", "[{0 48 -1} {1 64 -1}]"},
		{rows, batchesHeads, "[{0 4 0} {0 12 -1} {1 64 1}]", "[{0 48 -1} {1 64 -1}]"},
		{rows, rows, "[{0 48 -1} {1 64 1}]", "[{0 48 -1} {1 64 1}]"},
		{rows, digits{{Axis: 0, Upper: 48, Entry: -1}, {Axis: 1, Upper: 8, Entry: 2}, {Axis: 1, Upper: 8, Entry: -1}}, "[]", "[]"},
		{rows, digits{{Axis: 0, Upper: 48, Entry: -1}}, "[]", "[]"},
		{digits{{Axis: 0, Upper: 6, Entry: -1}}, digits{{Axis: 0, Upper: 4, Entry: 0}}, "[]", "[]"},
		{digits{{Axis: 0, Upper: 4, Entry: -1}}, digits{{Axis: 1, Upper: 4, Entry: 0}}, "[]", "[]"},
	} {
		if got := fmt.Sprint(refined(c.a, c.b, shown)); got != c.masked {
			t.Errorf("%v and %v: a mask needs %s, want %s", c.a, c.b, got, c.masked)
		}
		if got := fmt.Sprint(refined(c.a, c.b, every.either)); got != c.shared {
			t.Errorf("%v and %v: two readers need %s, want %s", c.a, c.b, got, c.shared)
		}
	}
}

// TestLimits: below what readers read. What two readers need is the greatest, and one number where that is one's always.
func TestLimits(t *testing.T) {
	g := graphtest.MustParse(`
		input d: int64[2]
		e: int64[4] = wmtune.Extents(d) formulas=[2, 1, 1, 1, 1, 0, 1, 0, 1, 2, 1, 2] least=[8, 1] most=[160, 9] steps=[1, 1]
		output e`, 17) // h, w, (h+1)/2, 2*((h+1)/2)
	if err := op.Infer(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	l := newLimits(g.Nodes[0])
	half := l.number(l.scaled(3, 1, 1).quotient(2)) // (2*((h+1)/2) + 1 + 1) / 2
	for _, c := range []struct {
		name string
		got  limit
		want string
	}{
		{"half of twice a half", l.of(half), "[{0 1 3 2}]"},
		{"a halo", l.scaled(0, 1, 1), "[{0 1 1 1}]"},
		{"a stride", l.of(l.number(l.scaled(2, 2, 1))), "[{0 1 1 1}]"},
		{"itself and a halo", l.of(l.either(0, l.number(l.scaled(0, 1, 2)))), "[{0 1 2 1}]"},
		{"a half and all", l.of(l.either(0, 2)), "[{0 1 0 1}]"},
		{"two dimensions", l.of(l.either(0, 1)), "[{0 1 0 1} {1 1 0 1}]"},
	} {
		if got := fmt.Sprint(c.got); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if l.either(0, -1) != -1 || l.number(l.scaled(0, 1, 0)) != 0 {
		t.Error("all is needed below an extent, or an extent has another number")
	}
	v := &graph.Value{Name: "v"}
	needs := map[*graph.Value][]extent.Digit{v: {{Upper: 99, Entry: l.either(0, 1)}, {Upper: 50, Entry: half}}}
	l.add(needs)
	e := g.Nodes[0].Outputs[0]
	if d := needs[v]; d[0].Entry >= int(e.Shape[0]) || d[1].Entry >= int(e.Shape[0]) {
		t.Fatalf("digits %v of %s", d, e)
	}
	out, err := op.Evaluator().Run(t.Context(), g, []*graph.Tensor{graph.Ints(9, 9)})
	if err != nil {
		t.Fatal(err)
	}
	if x := out[0].I; x[needs[v][0].Entry] != 9 || x[needs[v][1].Entry] != 6 {
		t.Errorf("entries %v of %v", needs[v], x)
	}
}
