package onnx

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
)

// nodesOf writes nodes one a line, as operators, inputs and outputs.
func nodesOf(g *graph.Graph) string {
	var b strings.Builder
	for _, n := range g.Nodes {
		list := func(values []*graph.Value) string {
			names := make([]string, len(values))
			for i, v := range values {
				names[i] = "_"
				if v != nil {
					names[i] = v.Name
				}
			}
			return strings.Join(names, " ")
		}
		fmt.Fprintf(&b, "%s = %s/%d %s\n", list(n.Outputs), n.Op, n.Version, list(n.Inputs))
	}
	return b.String()
}

func functions(f ...pb) pb {
	var m pb
	for _, f := range f {
		m = m.msg(modelFunctions, f)
	}
	return m
}

// TestFunctionResults: a function may return an input, and a value twice, and not use an input.
func TestFunctionResults(t *testing.T) {
	f := functionOf("d", "F", names("a", "b"), names("a", "t", "t"), nodeBody("Neg", names("a"), names("t")))
	g := mustDecode(t, modelOf(13, graphOf("g", in("x"), out("p"), out("q"), out("r"),
		callOf("d", "F", names("x", "x"), names("p", "q", "r"))), functions(f)))
	want := "q = Neg/18 x\np = Identity/18 x\nr = Identity/18 q\n"
	if got := nodesOf(g); got != want {
		t.Errorf("nodes\n%swant\n%s", got, want)
	}
}

// TestFunctionNames: inner values get names of their own at each call, inputs that are left out stay so, and a function
// stands for an operator of its name.
func TestFunctionNames(t *testing.T) {
	f := functionOf("", "Relu", names("a", "low"), names("b"), nodeBody("Abs", names("a"), names("x")),
		nodeBody("Clip", names("x", "low"), names("b")))
	g := mustDecode(t, modelOf(13, graphOf("g", in("x"), out("z"), nodeOf("Relu", names("x"), names("y")),
		nodeOf("Relu", names("y", "x"), names("z"))), functions(f)))
	want := "y/x = Abs/18 x\ny = Clip/18 y/x\nz/x = Abs/18 y\nz = Clip/18 z/x x\n"
	if got := nodesOf(g); got != want {
		t.Errorf("nodes\n%swant\n%s", got, want)
	}
}

// TestFunctionGraphs: a graph in an attribute of a call reads values where the call stands, each time that the function
// uses it; graphs in the function read the function's.
func TestFunctionGraphs(t *testing.T) {
	branch := graphOf("branch", out("r"), nodeOf("Neg", names("x"), names("r")))
	own := graphOf("own", out("r"), nodeOf("Abs", names("x"), names("r")))
	ifNode := func(out string) pb {
		return nodeBody("If", names("c"), names(out), attrOf("then_branch", 5).str(attrRef, "body"),
			attrOf("else_branch", 5).msg(attrG, own))
	}
	f := functionOf("d", "F", names("c", "x"), names("s"), ifNode("u"), ifNode("v"),
		nodeBody("Add", names("u", "v"), names("s")))
	g := mustDecode(t, modelOf(18, graphOf("g", in("x"), in("other"), out("y"), callOf("d", "F", names("other", "other"),
		names("y"), attrOf("body", 5).msg(attrG, branch))), functions(f)))
	if len(g.Nodes) != 3 {
		t.Fatalf("graph\n%s", g)
	}
	for _, n := range g.Nodes[:2] {
		then, els := n.Graph("then_branch").Nodes[0], n.Graph("else_branch").Nodes[0]
		if then.Op != "Neg" || then.Inputs[0] != g.Inputs[0] || els.Op != "Abs" || els.Inputs[0] != g.Inputs[1] {
			t.Errorf("node %s", n)
		}
	}
	if g.Nodes[0].Graph("then_branch") == g.Nodes[1].Graph("then_branch") {
		t.Error("two nodes share a graph")
	}
}

func TestFunctionRejections(t *testing.T) {
	neg := nodeBody("Neg", names("a"), names("b"))
	body := graphOf("g", in("x"), out("y"), callOf("d", "F", names("x"), names("y")))
	named := func(opset int64) pb {
		return pb(nil).str(functionName, "F").msg(functionOpset, pb(nil).num(pairValue, opset))
	}
	again := callBody("d", "F", names("a"), names("b"))
	for want, f := range map[string][]pb{
		"more than 32 deep":                                {functionOf("d", "F", names("a"), names("b"), again)},
		`function F does not compute its output "c"`:       {functionOf("d", "F", names("a"), names("c"), neg)},
		"1 inputs and 1 outputs: the function has 0 and 1": {functionOf("d", "F", nil, names("b"), neg)},
		`two inputs of the function are named "a"`:         {functionOf("d", "F", names("a", "a"), names("b"), neg)},
		`two functions are named "F"`:                      {named(18), named(18)},
		`function "": damaged: it has no name`:             {functionOf("d", "", names("a"), names("b"), neg)},
		`function "F": the file asks for opset 99`:         {named(99)},
		`two versions of the operators of domain ""`:       {named(18).join(named(19))},
		`function F: Neg that makes "b": input 0, "x", is no value`: {functionOf("d", "F", names("a"), names("b"),
			nodeBody("Neg", names("x"), names("b")))},
		`two values are named "b"`: {functionOf("d", "F", names("a"), names("b"), neg, neg)},
	} {
		_, err := Decode(modelOf(18, body, functions(f...)), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestFunctionConstants: the calls of a function share the contents of its constants.
func TestFunctionConstants(t *testing.T) {
	value := attrOf("value", 4).msg(attrT, headOf("", 9, 2).msg(tensorRaw, []byte{1, 2}))
	f := functionOf("d", "F", nil, names("b"), nodeBody("Constant", nil, names("b"), value))
	g := mustDecode(t, modelOf(18, graphOf("g", out("p"), out("q"), callOf("d", "F", nil, names("p")),
		callOf("d", "F", nil, names("q"))), functions(f)))
	if g.Nodes[0].Attr("value").Tensor != g.Nodes[1].Attr("value").Tensor {
		t.Error("two constants")
	}
}

// TestFunctionsLong: a function that is long without being large is not read over and over.
func TestFunctionsLong(t *testing.T) {
	const docField = 6 // of a node: nobody reads it
	long := nodeBody("Neg", names("a"), nil).join(slices.Repeat(pb(nil).str(docField, ""), 1<<16))
	body := graphOf("g", in("x"), out("x"), slices.Repeat(callOf("d", "F", names("x"), nil), 1<<13))
	_, err := Decode(modelOf(18, body, functions(functionOf("d", "F", names("a"), nil, long))), Options{})
	if !strings.Contains(fmt.Sprint(err), "functions expand") {
		t.Errorf("error %v", err)
	}
}

// TestFunctionsBlowUp: functions that call each other tenfold, with nodes at the end and without any, end in an error,
// soon.
func TestFunctionsBlowUp(t *testing.T) {
	for _, last := range [][]pb{{nodeBody("Neg", names("a"), names("b"))}, {nodeBody("Neg", names("a"), nil)}, nil} {
		f := []pb{functionOf("d", "F0", names("a"), nil, last...)}
		for i := 1; i < 20; i++ {
			calls := slices.Repeat([]pb{callBody("d", fmt.Sprint("F", i-1), names("a"), nil)}, 10)
			f = append(f, functionOf("d", fmt.Sprint("F", i), names("a"), nil, calls...))
		}
		body := graphOf("g", in("x"), out("x"), callOf("d", "F19", names("x"), nil))
		_, err := Decode(modelOf(18, body, functions(f...)), Options{})
		if why := fmt.Sprint(err); !strings.Contains(why, "more memory") && !strings.Contains(why, "functions expand") {
			t.Errorf("error %v", err)
		}
	}
}
