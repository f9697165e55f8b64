package onnx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
)

// TestOrder: nodes are put after those that they read, those that graphs in attributes read included.
func TestOrder(t *testing.T) {
	sub := graphOf("sub", out("r"), nodeOf("Neg", names("late"), names("r")))
	g := mustDecode(t, modelOf(18, graphOf("g", in("x"), out("y"),
		nodeOf("If", names("c"), names("y"), attrOf("then_branch", 5).msg(attrG, sub)),
		nodeOf("Abs", names("x"), names("late")), nodeOf("Not", names("x"), names("c")))))
	var ops []string
	for _, n := range g.Nodes {
		ops = append(ops, n.Op)
	}
	if got := strings.Join(ops, " "); got != "Not Abs If" {
		t.Errorf("order %s", got)
	}
}

// TestOrderKept: nodes that are in order stay as they are, and a long chain from back to front is turned round.
func TestOrderKept(t *testing.T) {
	const n = 50000
	parts := []pb{in("v0"), out(fmt.Sprint("v", n))}
	for i := n; i > 0; i-- {
		parts = append(parts, nodeOf("Neg", names(fmt.Sprint("v", i-1)), names(fmt.Sprint("v", i))))
	}
	g := mustDecode(t, modelOf(18, graphOf("g", parts...)))
	for i, k := range g.Nodes {
		if want := fmt.Sprint("v", i+1); k.Outputs[0].Name != want {
			t.Fatalf("node %d makes %s", i, k.Outputs[0].Name)
		}
	}
	g = mustDecode(t, modelOf(18, graphOf("g", in("x"), out("b"), nodeOf("Neg", names("x"), names("b")),
		nodeOf("Abs", names("x"), names("a")))))
	if g.Nodes[0].Op != "Neg" {
		t.Errorf("order\n%s", nodesOf(g))
	}
}

// TestScopes: a graph in an attribute reads the values around it, and its own first; its names are made unique.
func TestScopes(t *testing.T) {
	innermost := graphOf("innermost", out("r"), nodeOf("Add", names("x", "t"), names("r")))
	branch := func(op string) pb {
		return graphOf("branch", floats("w", 7), out("t"), nodeOf(op, names("w"), names("t")),
			nodeOf("If", names("c"), names("unused"), attrOf("then_branch", 5).msg(attrG, innermost)))
	}
	g := mustDecode(t, modelOf(18, graphOf("g", in("x"), in("c"), floats("w", 1), floats("t.1", 2),
		out("t"), out("w"), out("x"), nodeOf("If", names("c"), names("t"), attrOf("then_branch", 5).msg(attrG, branch("Neg")),
			attrOf("else_branch", 5).msg(attrG, branch("Abs"))))))
	n := g.Nodes[0]
	for i, name := range []string{"else_branch", "then_branch"} {
		sub := n.Graph(name)
		first, last := sub.Nodes[0], sub.Nodes[1].Graph("then_branch").Nodes[0]
		if c := first.Inputs[0].Const; c == nil || c.Tensor().F[0] != 7 {
			t.Errorf("%s reads %s", name, first.Inputs[0])
		}
		if last.Inputs[0] != g.Inputs[0] || last.Inputs[1] != first.Outputs[0] {
			t.Errorf("%s: %s", name, last)
		}
		if want := fmt.Sprint("t.", 3-i); first.Outputs[0].Name != want { // then_branch stands first in the file
			t.Errorf("%s makes %s, want %s", name, first.Outputs[0].Name, want)
		}
	}
	if g.Outputs[1].Const == nil || g.Outputs[2] != g.Inputs[0] {
		t.Error("an output may be an initializer or an input")
	}
}

// TestManyReads: nodes with very many inputs do not take quadratic time.
func TestManyReads(t *testing.T) {
	parts := []pb{out("y")}
	var all []string
	for i := range maxOperands {
		parts = append(parts, in(fmt.Sprint("x", i)))
		all = append(all, fmt.Sprint("x", i))
	}
	parts = append(parts, nodeOf("Sum", all, names("y")))
	for i := range 50 {
		parts = append(parts, nodeOf("Sum", all, names(fmt.Sprint("y", i))))
	}
	g := mustDecode(t, modelOf(18, graphOf("g", parts...)))
	if n := len(g.Nodes[0].Reads()); n != maxOperands {
		t.Errorf("%d values are read", n)
	}
	twice := graph.Node{Inputs: slices.Repeat(g.Inputs[:100], 2)}
	if got := twice.Reads(); !slices.Equal(got, g.Inputs[:100]) {
		t.Errorf("%d of 100 values are read", len(got))
	}
	parts = append(parts, nodeOf("Sum", append(all, "y"), names("z")))
	if _, err := Decode(modelOf(18, graphOf("g", parts...)), Options{}); err == nil {
		t.Error("a node with too many inputs")
	}
}

// TestNoOutputs: nodes all of whose outputs are left out are gone.
func TestNoOutputs(t *testing.T) {
	g := mustDecode(t, modelOf(18, graphOf("g", in("x", 2), out("y"),
		nodeOf("BatchNormalization", names("x", "x", "x", "x", "x"), names("", "")), nodeOf("Relu", names("x"), nil),
		nodeOf("Relu", names("x"), names("y")))))
	if len(g.Nodes) != 1 || g.Nodes[0].Outputs[0].Name != "y" {
		t.Errorf("%s", g)
	}
}

// TestCountedOutputs: outputs at the end that are left out are dropped, except where their number counts.
func TestCountedOutputs(t *testing.T) {
	branch := graphOf("branch", out("r"), out("r"), nodeOf("Neg", names("x"), names("r")))
	g := mustDecode(t, modelOf(18, graphOf("g", in("x", 4), in("c"), out("a"), out("b"), out("y"), out("z"),
		nodeOf("Split", names("x"), names("a", "")), nodeOf("Split", names("x"), names("", "b", "", "")),
		nodeOf("If", names("c"), names("y", ""), attrOf("then_branch", 5).msg(attrG, branch),
			attrOf("else_branch", 5).msg(attrG, branch)),
		nodeOf("Dropout", names("x"), names("z", "")), nodeOf("Split", names("x"), names("", "")))))
	want := "a _ = Split/18 x\n_ b _ _ = Split/18 x\ny _ = If/18 c\nz = Dropout/18 x\n"
	if got := nodesOf(g); got != want {
		t.Errorf("nodes\n%swant\n%s", got, want)
	}
}
