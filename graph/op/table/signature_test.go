package table

import (
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

func TestSignatures(t *testing.T) {
	value := func(t tir.DType) *graph.Value { return &graph.Value{Name: "v", Type: t} }
	f, i, b, d := value(tir.F32), value(tir.I64), value(tir.Bool), value(tir.F64)
	for _, c := range []struct {
		op      string
		version int
		in      []*graph.Value
		err     string
	}{
		{"Add", 13, []*graph.Value{f, f}, ""},
		{"Add", 13, []*graph.Value{f}, "input 1 is missing"},
		{"Add", 13, []*graph.Value{f, f, f}, "it has an input 2"},
		{"Add", 13, []*graph.Value{f, d}, "the type of input 1 is float64: it must be float32, that of input 0"},
		{"Add", 13, []*graph.Value{b, b}, "it must be a number"},
		{"Where", 13, []*graph.Value{f, f, f}, "input 0 is float32: it must be bool"},
		{"Where", 13, []*graph.Value{b, i, i}, ""},
		{"Clip", 6, []*graph.Value{f, f}, "Clip takes 1"},
		{"Clip", 13, []*graph.Value{f, nil, f}, ""},
		{"Slice", 13, []*graph.Value{f, i, value(tir.I32)}, "it must be int64"},
		{"Concat", 13, []*graph.Value{f, f, f, i}, "input 3 is int64"},
		{"Loop", 13, []*graph.Value{nil, b, f, i}, ""},
		{"wmtune.Recurrence", 13, []*graph.Value{}, ""},
	} {
		n := &graph.Node{Version: c.version, Inputs: c.in}
		n.Domain, n.Op = op.SplitName(c.op)
		r, err := op.Find(n)
		if err != nil {
			t.Fatal(err)
		}
		err = r.CheckInputs(n)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s-%d %v: %v, want %q", c.op, c.version, c.in, err, c.err)
		}
	}
	for _, table := range tables {
		for _, r := range table {
			_ = r.CheckInputs(&graph.Node{Version: math.MaxInt}) // panics if In cannot be read
			if r.In == "" && !strings.HasPrefix(r.Op, "wmtune.") {
				t.Errorf("%s from version %d: nothing says which inputs it has", r.Op, r.Since)
			}
		}
	}
}
