package onnx

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/models"
)

var update = flag.Bool("update", false, "rewrite the expected texts of testdata")

// mustDecode decodes a model that is right, and checks the graph.
func mustDecode(t *testing.T, model []byte) *graph.Graph {
	t.Helper()
	g, err := Decode(model, Options{})
	if err == nil {
		err = graph.Check(g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestGolden decodes models that Python's onnx 1.23 and both exporters of torch 2.15 wrote.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.onnx")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		got := mustDecode(t, b).String()
		name := strings.TrimSuffix(f, ".onnx") + ".txt"
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s decodes to\n%s\nwant\n%s", f, got, want)
		}
	}
}

// TestFiles decodes our own models, and the files that WMTUNE_ONNX_FILES names, patterns with colons between them.
func TestFiles(t *testing.T) {
	own := t.TempDir()
	for _, name := range []string{"encoder.onnx", "ranker.onnx", "transition.onnx"} {
		data, err := models.Unpack(os.DirFS("../../models/cpu"), name)
		if err == nil {
			err = os.WriteFile(filepath.Join(own, name), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	patterns := []string{filepath.Join(own, "*.onnx")}
	if more := os.Getenv("WMTUNE_ONNX_FILES"); more != "" {
		patterns = append(patterns, strings.Split(more, ":")...)
	}
	for _, p := range patterns {
		files, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Errorf("no files are %s", p)
		}
		for _, f := range files {
			g, err := Read(t.Context(), f, Options{})
			if err == nil {
				err = graph.Check(g)
			}
			if err != nil {
				t.Error(err)
			}
		}
		t.Logf("%s: %d files", p, len(files))
	}
}

func TestModel(t *testing.T) {
	model := modelOf(18, graphOf("g", in("x", "batch", 3), floats("w", 1, 2, 3), floats("again", 1, 2, 3),
		floats("other", 1, 2, 4), inner("s", 5, 3), out("y", 5, "cols"),
		nodeOf("Add", names("x", "w"), names("s")), nodeOf("Add", names("s", "again"), names("t")),
		nodeOf("Custom", names("t", "", "other", ""), names("y", "", "u", ""))),
		pb(nil).msg(modelMeta, pb(nil).str(pairKey, "author").str(pairValue, "me")))
	g := mustDecode(t, model)
	if g.Meta["author"] != "me" || g.Name != "g" {
		t.Errorf("graph %q with metadata %v", g.Name, g.Meta)
	}
	if got := fmt.Sprint(g.Inputs[0], g.Inputs[0].DimNames); got != "x: float32[batch, 3] [batch ]" {
		t.Errorf("input %s", got)
	}
	if got := fmt.Sprint(g.Outputs[0], g.Outputs[0].DimNames); got != "y: float32[5, cols] [ cols]" {
		t.Errorf("output %s", got)
	}
	if s := g.Nodes[0].Outputs[0]; s.String() != "s: float32[5, 3]" || s.DimNames != nil {
		t.Errorf("value %s %v", s, s.DimNames)
	}
	n := g.Nodes[2]
	if len(n.Inputs) != 3 || n.Inputs[1] != nil || len(n.Outputs) != 3 || n.Outputs[1] != nil || n.Version != 18 {
		t.Errorf("node %s", n)
	}
	w, again, other := g.Nodes[0].Inputs[1], g.Nodes[1].Inputs[1], n.Inputs[2]
	if w.Const != again.Const || w == again || w.Const == other.Const {
		t.Error("equal initializers must be two values of one Const, and others not")
	}
}

// TestDeclared: what a file says of a value at two places comes together, and a negative extent is an open one.
func TestDeclared(t *testing.T) {
	g := mustDecode(t, modelOf(18, graphOf("g", in("x", -2, 0), inner("y", 5, "rows", "cols"), out("y", "n", 7, "m"),
		nodeOf("Op", names("x"), names("y")))))
	if got := fmt.Sprint(g.Inputs[0], ", ", g.Outputs[0]); got != "x: float32[?, 0], y: float32[5, 7, m]" {
		t.Error(got)
	}
}

// TestInitializersInPlace: contents are part of the file's bytes, whether they are raw bytes or packed floats.
func TestInitializersInPlace(t *testing.T) {
	packed := initial(headOf("p", 1, 2).msg(tensorFloats, []byte{0, 0, 128, 191, 0, 0, 0, 64}))
	model := modelOf(18, graphOf("g", floats("w", 1, 2, 3), packed, out("y"), nodeOf("Add", names("w", "p"), names("y"))))
	g := mustDecode(t, model)
	for _, v := range g.Nodes[0].Inputs {
		old := v.Const.Tensor().F[0]
		at := strings.Index(string(model), string(v.Const.Data))
		model[at+3] ^= 0x80 // the sign of the first float
		if v.Const.Tensor().F[0] != -old {
			t.Errorf("%s is a copy", v.Name)
		}
		model[at+3] ^= 0x80
	}
}

func TestOldInitializers(t *testing.T) {
	g := mustDecode(t, modelOf(7, graphOf("g", in("w", 3), in("x", 3), floats("w", 1, 2, 3), out("y"),
		nodeOf("Add", names("x", "w"), names("y")))))
	if len(g.Inputs) != 1 || g.Inputs[0].Name != "x" || g.Nodes[0].Inputs[1].Const == nil {
		t.Errorf("graph\n%s", g)
	}
}

func TestAttributes(t *testing.T) {
	sub := graphOf("sub", out("r"), nodeOf("Neg", names("x"), names("r")))
	tensor := headOf("", 7, 2).msg(tensorInt64s, []byte{5, 6})
	attrs := []pb{
		attrOf("z", 1).f32(attrF, 0.5), attrOf("i", 2).num(attrI, -3), attrOf("s", 3).str(attrS, "text"),
		attrOf("t", 4).msg(attrT, tensor), attrOf("g", 5).msg(attrG, sub),
		attrOf("fs", 6).f32(attrFloats, 1).f32(attrFloats, 2), attrOf("is", 7).num(attrInts, 1).num(attrInts, -2),
		attrOf("packed", 7).msg(attrInts, []byte{3, 4}), attrOf("packed floats", 6).msg(attrFloats, []byte{0, 0, 128, 63}),
		attrOf("ss", 8).str(attrStrings, "a", "b"), attrOf("empty", 7),
		pb(nil).str(attrName, "untold").num(attrI, 7), // no kind
	}
	g := mustDecode(t, modelOf(18, graphOf("g", in("x", 2), out("y"), nodeOf("Op", names("x"), names("y"), attrs...))))
	want := `y: float32[] = Op(x) empty=[] fs=[1, 2] i=-3 is=[1, -2] packed=[3, 4] packed floats=[1] s="text" ` +
		`ss=["a" "b"] t={5, 6} untold=7 z=0.5
  g:
    graph sub
      r: float32[] = Neg(x)
      output r`
	if got := g.Nodes[0].String(); got != want {
		t.Errorf("node\n%s\nwant\n%s", got, want)
	}
}

func TestDomains(t *testing.T) {
	opset := func(domain string, v int64) pb {
		return pb(nil).msg(modelOpset, pb(nil).str(pairKey, domain).num(pairValue, v))
	}
	versions := pb(nil).join(opset("ai.onnx", 11), opset("com.microsoft", 3), opset("elsewhere", 1))
	g := mustDecode(t, versions.num(modelIR, 8).msg(modelGraph,
		graphOf("g", in("x"), out("y"), callOf("ai.onnx", "Neg", names("x"), names("a")),
			callOf("com.microsoft", "Gelu", names("a"), names("b")), callOf("elsewhere", "Op", names("b"), names("y")))))
	got := ""
	for _, n := range g.Nodes {
		got += fmt.Sprintf("%s.%s %d, ", n.Domain, n.Op, n.Version)
	}
	if got != ".Neg 11, com.microsoft.Gelu 3, elsewhere.Op 1, " {
		t.Error(got)
	}
}

// TestRejections: each is a sentence that names what is wrong, and where.
func TestRejections(t *testing.T) {
	neg := nodeOf("Neg", names("x"), names("y"))
	rejects := func(want string, model pb) {
		t.Helper()
		_, err := Decode(model, Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	withGraph := func(want string, parts ...pb) {
		t.Helper()
		rejects(want, modelOf(18, graphOf("g", parts...)))
	}
	rejects("the file is empty", nil)
	rejects("no ONNX model: it has no graph", pb(nil).num(modelIR, 8))
	rejects("two graphs", modelOf(18, nil, pb(nil).msg(modelGraph, nil)))
	rejects("opset 6, which is not supported: export it with one from 7 to 28",
		modelOf(6, graphOf("g", in("x"), out("x"))))
	rejects("opset 29", modelOf(29, graphOf("g", in("x"), out("x"))))
	rejects(`two versions of the operators of domain ""`,
		modelOf(18, nil, pb(nil).msg(modelOpset, pb(nil).num(pairValue, 19))))
	rejects("does not say which version", pb(nil).msg(modelGraph, graphOf("g", in("x"), out("y"))))
	withGraph(`version of the operators of domain "d" it asks for`, in("x"), out("y"),
		callOf("d", "Op", names("x"), names("y")))
	withGraph(`graph "g": it has no outputs`, in("x"), neg)
	withGraph(`output "z" is computed by no node`, in("x"), neg, out("z"))
	withGraph(`Neg that makes "y": input 0, "x", is no value of the graph`, neg, out("y"))
	withGraph(`node 1: Neg that makes "y": two values are named "y"`, in("x"), neg, neg, out("y"))
	withGraph(`two values are named "x"`, in("x"), in("x"), out("x"))
	withGraph(`two values are named "w"`, floats("w", 1), floats("w", 1), out("w"))
	withGraph(`two values are named "y"`, in("x"), floats("y", 1), neg, out("y"))
	withGraph("a value has no name", in(""), out(""))
	withGraph(`input "x" has no type`, pb(nil).msg(graphInput, infoOf("x", nil)), out("x"))
	withGraph("it has no operator", in("x"), nodeOf("", names("x"), names("y")), out("y"))
	withGraph(`the domain "wmtune" is reserved`, in("x"), callOf("wmtune", "Op", names("x"), names("y")), out("y"))
	withGraph("the graph has a cycle", in("x"), nodeOf("Add", names("x", "b"), names("a")),
		nodeOf("Neg", names("a"), names("b")), out("b"))
	withGraph("Loop", in("x"), nodeOf("Loop", names("x"), names("y"),
		attrOf("body", 5).msg(attrG, graphOf("sub", out("y")))), out("y"))
	withGraph(`two attributes are named "a"`, in("x"), out("y"), nodeOf("Neg", names("x"), names("y"),
		attrOf("a", 2), attrOf("a", 1)))
	withGraph(`attribute "a": it refers to attribute "b" of a function`, in("x"), out("y"), nodeOf("Neg", names("x"),
		names("y"), attrOf("a", 2).str(attrRef, "b")))
	withGraph(`attribute "": damaged: it has no name`, in("x"), out("y"),
		nodeOf("Neg", names("x"), names("y"), attrOf("", 2)))
	withGraph(`attribute "a": damaged: kind 99`, in("x"), out("y"),
		nodeOf("Neg", names("x"), names("y"), attrOf("a", 99)))
	withGraph("it has 4 dimensions at one place and 2 at another", in("x", 1, 2), inner("y", 1, 2, 3, 4), out("y", 3, 4),
		neg)
	withGraph("65 dimensions, more than 64", in("z", slices.Repeat([]any{1}, 65)...), out("z"))
	withGraph("graphs lie more than 32 deep", in("x"), nested(34), out("y"))
}

// nested returns a node with graphs in attributes, depth deep.
func nested(depth int) pb {
	n := nodeOf("Neg", names("x"), names("y"))
	for range depth {
		n = nodeOf("If", names("x"), names("y"), attrOf("then_branch", 5).msg(attrG, graphOf("sub", n, out("y"))))
	}
	return n
}

// TestUnsupported: what wmtune does not support is listed, all of it.
func TestUnsupported(t *testing.T) {
	parts := []pb{in("x"), out("y"),
		pb(nil).msg(graphInput, infoOf("s", pb(nil).msg(typeSequence, nil))),
		pb(nil).msg(graphInput, infoOf("m", pb(nil).msg(typeMap, nil))),
		pb(nil).msg(graphInput, infoOf("o", pb(nil).msg(typeOptional, nil))),
		pb(nil).msg(graphInput, infoOf("t", typeOf(8, 3))),
		initial(headOf("q", 23, 2).msg(tensorRaw, []byte{1})),
		initial(headOf("f", 24, 1).msg(tensorRaw, []byte{1})),
		nodeOf("Op", names("x", "q", "f", "s"), names("y"), attrOf("kind", 13),
			attrOf("value", 4).msg(attrT, headOf("", 14, 1).msg(tensorRaw, make([]byte, 8)))),
	}
	_, err := Decode(modelOf(18, graphOf("g", parts...)), Options{})
	if !errors.Is(err, graph.ErrUnsupported) {
		t.Fatalf("error %v", err)
	}
	want := `onnx: not supported: initializer "q" is of type float4e2m1; ` +
		`initializer "f" is of type float8e8m0; value "s" is a sequence; value "m" is a map; ` +
		`value "o" is an optional value; value "t" is of type string; Op that makes "y": attribute "kind" is a type; ` +
		`Op that makes "y": attribute "value" is of type complex64`
	if err.Error() != want {
		t.Errorf("error\n%v\nwant\n%s", err, want)
	}
	parts = []pb{out("w0")}
	for i := range 30 {
		parts = append(parts, initial(headOf(fmt.Sprint("w", i), 8, 1).str(tensorStrings, "text")))
	}
	_, err = Decode(modelOf(18, graphOf("g", parts...)), Options{})
	if !strings.HasSuffix(fmt.Sprint(err), "; and 10 more") {
		t.Errorf("error %v", err)
	}
}
