package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// TestFaultsOfFiles: operands of other types, of other numbers of dimensions, or that cannot make what the file
// declares are errors of their own: no program is made of them.
func TestFaultsOfFiles(t *testing.T) {
	v := func(t tir.DType, shape ...int64) *graph.Value { return largeValue(t, shape...) }
	list := func(n int64) *graph.Value { return v(tir.I64, n) }
	for _, c := range []struct {
		name    string
		y       *graph.Value
		want    string
		inputs  []*graph.Value
		version int
	}{
		{"NonMaxSuppression", &graph.Value{}, "the type of input 3 is float64: it must be a float of at most 32 bits",
			[]*graph.Value{v(tir.F32, 1, 6, 4), v(tir.F32, 1, 2, 6), v(tir.I64), v(tir.F64)}, 11},
		{"NonMaxSuppression", &graph.Value{}, "the type of input 2 is int32: it must be int64",
			[]*graph.Value{v(tir.F32, 1, 6, 4), v(tir.F32, 1, 2, 6), v(tir.I32)}, 11},
		{"TensorScatter", &graph.Value{}, "the type of input 2 is int16: it must be int64",
			[]*graph.Value{v(tir.F32, 2, 8, 3), v(tir.F32, 2, 1, 3), v(tir.I16, 2)}, 24},
		{"Resize", v(tir.F32, 4, 4), "the type of input 3 is int32: it must be int64",
			[]*graph.Value{v(tir.F32, 2, 2), nil, nil, v(tir.I32, 2)}, 13},
		{"Resize", v(tir.F32, 4, 4), "it must be a list", []*graph.Value{v(tir.F32, 2, 2), nil, nil, v(tir.I64, 1, 2)}, 13},
		{"Resize", v(tir.F32, 4, 4, 4), "declares its output x: float32[4, 4, 4], and Resize makes x: float32[?, ?]",
			[]*graph.Value{v(tir.F32, 2, 2), nil, nil, list(2)}, 13},
		{"Reshape", v(tir.F32, 2, 4), "declares its output x: float32[2, 4], and Reshape makes as many elements as x: " +
			"float32[2, 3] has", []*graph.Value{v(tir.F32, 2, 3), list(2)}, 13},
		{"Squeeze", v(tir.F32, 2), "makes as many elements", []*graph.Value{v(tir.F32, 2, 3), list(1)}, 13},
		{"TopK", v(tir.F32, 2), "declares its output x: float32[2], and TopK makes x: float32[?, ?]",
			[]*graph.Value{v(tir.F32, 2, 3), list(1)}, 11},
		{"Slice", v(tir.I64, 2, 3), "declares its output x: int64[2, 3], and Slice makes x: float32[?, ?]",
			[]*graph.Value{v(tir.F32, 2, 3), list(2), list(2)}, 13},
		{"Split", v(tir.F16, 2), "declares its output x: float16[2], and Split makes x: float32[?]",
			[]*graph.Value{v(tir.F32, 2), list(1)}, 13},
		{"HannWindow", v(tir.F32, 2, 5), "and HannWindow makes x: float32[?]", []*graph.Value{list(1)}, 17},
	} {
		n := &graph.Node{Op: c.name, Version: c.version, Inputs: c.inputs, Outputs: []*graph.Value{c.y}}
		err := op.Infer(t.Context(), &graph.Graph{Nodes: []*graph.Node{n}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for _, axes := range []*graph.Value{v(tir.I64, 1, 2), list(1 << 20)} {
		n := &graph.Node{Op: "ReduceSum", Version: 13, Inputs: []*graph.Value{v(tir.F32, 2, 3), axes},
			Outputs: []*graph.Value{v(tir.F32, 2, 1)}}
		r, err := op.Find(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = r.Opaque.Make(n); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("input 1 is %s: it must", axes)) {
			t.Error(err)
		}
	}
}

// TestLongLists: an error shows the beginning of a list that a file has.
func TestLongLists(t *testing.T) {
	many := make([]int64, 100_000)
	for i := range many {
		many[i] = int64(i)
	}
	perm := &graph.Node{Op: "Transpose", Version: 13, Inputs: []*graph.Value{largeValue(tir.F32, 2, 3)}}
	perm.SetAttr(graph.IntsAttr("perm", many...))
	shape := &graph.Node{Op: "Expand", Version: 13, Inputs: []*graph.Value{largeValue(tir.F32, 1), listValue(many[1:])}}
	starts := &graph.Node{Op: "Slice", Version: 13,
		Inputs: []*graph.Value{largeValue(tir.F32, 2, 3), listValue(many), listValue(many)}}
	for _, n := range []*graph.Node{perm, shape, starts} {
		n.Outputs = []*graph.Value{{Name: "y"}}
		err := op.Infer(t.Context(), &graph.Graph{Nodes: []*graph.Node{n}})
		if err == nil || len(err.Error()) > 500 {
			t.Errorf("%s: %.600s", n.Op, fmt.Sprint(err))
		}
	}
}
