package bench

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/onnx"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// TestOpsTable: each operator of the manual's table has two rows or more, or a reason; nothing else has.
func TestOpsTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/manual/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(page), "<!-- end of the table -->")
	want := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		if cells := strings.Split(line, " | "); len(cells) == 4 && cells[0] != "| operator" && cells[0] != "| ---" {
			want[strings.TrimPrefix(cells[0], "| ")] = true
		}
	}
	list, err := OpCases(nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, c := range list {
		if !want[c.Op] {
			t.Errorf("%s is no operator", c.Op)
		}
		if rows[c.Op]++; c.Note != "" {
			rows[c.Op]++
		}
	}
	for name := range want {
		if rows[name] < 2 {
			t.Errorf("%s has %d rows", name, rows[name])
		}
	}
}

// TestOpCaseFiles: the file of a case is read as the node of its line, of which types are inferred.
func TestOpCaseFiles(t *testing.T) {
	list, err := parseOps(`Conv f32[1,2,4,5] f32[3,2,3,3]! _ pads=1,1,1,1
		com.microsoft.Pad@9 f32[2]@0:1 i64{1,0}! f32(0.5)! x=0.5 y=1.5, z=a,b v="a,b->c" w=relu outputs=2
		without If,Loop: both run graphs
		ScatterElements i64[2,3]@places i64[2,3]@places i64[2,3]@rise axis=1`)
	if err != nil || len(list) != 5 {
		t.Fatal(err, list)
	}
	if c := list[3]; c.Name != "Loop" || c.Note != "both run graphs" {
		t.Errorf("%+v", c)
	}
	read := func(c *OpCase) *graph.Graph {
		g, in, err := c.build(true)
		if err != nil || len(in) != len(g.Inputs) {
			t.Fatal(err)
		}
		got, err := onnx.Decode(onnxFile(g, g.Nodes[0].Version), onnx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	g := read(list[0])
	if err := op.Infer(t.Context(), g); err != nil || !slices.Equal(g.Outputs[0].Shape, []int64{1, 3, 4, 5}) ||
		g.Nodes[0].Inputs[1].Const == nil || g.Nodes[0].Input(2) != nil {
		t.Errorf("%v %+v", err, g.Outputs[0])
	}
	n := read(list[1]).Nodes[0]
	if n.Domain != "com.microsoft" || n.Op != "Pad" || n.Float("x", 0) != 0.5 || n.Floats("y")[0] != 1.5 ||
		!slices.Equal(n.Attr("z").Strings, []string{"a", "b"}) || n.Str("w", "") != "relu" ||
		n.Str("v", "") != "a,b->c" || len(n.Outputs) != 2 ||
		n.Inputs[1].Const.Tensor().I[0] != 1 || n.Inputs[2].Const.Tensor().F[0] != 0.5 {
		t.Errorf("%+v", n)
	}
	_, in, err := list[4].build(true)
	if err != nil {
		t.Fatal(err)
	}
	for row := range 2 {
		if got := slices.Sorted(slices.Values(in[0].Tensor().I[3*row : 3*row+3])); !slices.Equal(got, []int64{0, 1, 2}) {
			t.Errorf("places %v", got)
		}
	}
	if got := in[2].Tensor().I; !slices.Equal(got, []int64{0, 1, 2, 3, 4, 5}) {
		t.Errorf("rise %v", got)
	}
}

// TestSpread: elements are within their range, and the same each time.
func TestSpread(t *testing.T) {
	list, err := parseOps("Add f32[100]@2:3 i32[100]@4:6 bool[100]")
	if err != nil {
		t.Fatal(err)
	}
	_, in, _ := list[0].build(true)
	_, again, _ := list[0].build(true)
	for k, bounds := range [][2]float64{{2, 3}, {4, 5}, {0, 1}} {
		if x := in[k].Tensor(); !slices.Equal(in[k].Data, again[k].Data) || x.Type == tir.Invalid {
			t.Errorf("input %d: other elements", k)
		} else {
			for i := range x.Len() {
				if v := x.At(i); v < bounds[0] || v > bounds[1] {
					t.Errorf("input %d: %v", k, v)
				}
			}
		}
	}
}

// TestWrongOps: a line that is wrong is an error that says where.
func TestWrongOps(t *testing.T) {
	for line, want := range map[string]string{
		"Relu f32[2": "neither", "Relu f33[2]": "unknown type", "Relu f32[2]@3": "no range", "Relu f32[x]": "invalid syntax",
		"Relu@x f32[2]": "no number", "Relu f32[2] outputs=z": "number of outputs", "Relu f32[2]@a:b": "invalid syntax",
	} {
		if _, err := parseOps("\n" + line); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
