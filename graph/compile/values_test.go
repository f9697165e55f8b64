package compile

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

// TestValues: each type of elements has slices of Go, whose bytes are the tensor's, there and back.
func TestValues(t *testing.T) {
	type celsius float32
	for _, c := range []struct {
		typ  tir.DType
		give any
		want any // nil: give
	}{
		{tir.F32, []float32{1.5, -2}, nil}, {tir.F64, []float64{1.5, -2}, nil}, {tir.Bool, []bool{true, false}, nil},
		{tir.I8, []int8{-1, 2}, nil}, {tir.I16, []int16{-1, 2}, nil}, {tir.I32, []int32{-1, 2}, nil},
		{tir.I64, []int64{-1, 1 << 60}, nil}, {tir.U8, []byte{255, 2}, nil}, {tir.U16, []uint16{65535, 2}, nil},
		{tir.U32, []uint32{1 << 31, 2}, nil}, {tir.U64, []uint64{1 << 63, 2}, nil}, {tir.F16, []uint16{0x3c00, 0}, nil},
		{tir.BF16, []uint16{0x3f80, 0}, nil}, {tir.F32, []celsius{20, 30}, []float32{20, 30}},
	} {
		data, err := portBytes(c.give, model.Port{Name: "x", Type: c.typ, Shape: []int64{1, 2}})
		if err != nil {
			t.Errorf("%s: %v", c.typ, err)
			continue
		}
		if c.want == nil {
			c.want = c.give
		}
		if got := portValues(&graph.Const{Type: c.typ, Shape: []int64{1, 2}, Data: data}); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: gave %v, got %v", c.typ, c.give, got)
		}
	}
	for _, typ := range tir.DTypes() {
		if kinds[typ] == nil || int(kinds[typ].Size()) != typ.Bytes() {
			t.Errorf("%s: the kind is %v", typ, kinds[typ])
		}
	}
}

// TestSet: the error says all that is wrong with inputs, and what was meant.
func TestSet(t *testing.T) {
	b := &Bundle{Result: &Result{Name: "m"}, inputs: []model.Port{
		{Name: "input_ids", Type: tir.I64, Shape: []int64{1, 2}}, {Name: "mask", Type: tir.F32},
	}}
	ids := []int64{1, 2}
	for _, c := range []struct {
		name string
		give map[string]any
		want string
	}{
		{"none", nil, "inputs of m: input input_ids is missing: want []int64, int64[1 2]; input mask is missing: want []float32, float32[]"},
		{"wrong name", map[string]any{"input_id": ids, "input_ids": ids, "mask": []float32{1}},
			`there is no input called input_id; did you mean "input_ids"?`},
		{"strange name", map[string]any{"input_ids": ids, "mask": []float32{1}, "image": ids}, "there is no input called image"},
		{"wrong type", map[string]any{"input_ids": []int32{1, 2}, "mask": []float32{1}},
			"input input_ids takes []int64, since it is int64[1 2], not []int32"},
		{"not a slice", map[string]any{"input_ids": ids, "mask": float32(1)}, "input mask takes []float32, since it is float32[], not float32"},
		{"nothing", map[string]any{"input_ids": ids, "mask": nil}, "input mask takes []float32, since it is float32[], not <nil>"},
		{"an array", map[string]any{"input_ids": [2]int64{}, "mask": []float32{1}}, "takes []int64, since it is int64[1 2], not [2]int64"},
		{"rows", map[string]any{"input_ids": [][]int64{ids}, "mask": []float32{1}}, "takes []int64, since it is int64[1 2], not [][]int64"},
		{"wrong length", map[string]any{"input_ids": []int64{1, 2, 3}, "mask": []float32{}},
			"input input_ids is int64[1 2]: want 2 elements, not 3; input mask is float32[]: want 1 elements, not 0"},
	} {
		if err := b.Set(c.give); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestRunValues: a bundle computes what slices say, an output whose length depends on data has its true shape, and a
// cancelled context says so.
func TestRunValues(t *testing.T) {
	b := needBundles(t)
	g := graphtest.MustParse(`graph g
input x: float32[2, 3]
input i: int64[2]
rows: float32[2, 3] = Gather(x, i) axis=0
found = NonZero(x)
output rows
output found`, 18)
	m, err := New(t.Context(), g, pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "m")
	if _, err := Run(t.Context(), b.machine, m, Options{Name: "m", Out: out}); err != nil {
		t.Fatal(err)
	}
	l, err := OpenBundle(t.Context(), out, LoadOptions{Machine: machine.Options{}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	x := []float32{1, 0, 2, 0, 0, 3}
	got, err := l.Run(t.Context(), map[string]any{"x": x, "i": []int64{1, 0}})
	want := map[string]any{"rows": []float32{0, 0, 3, 1, 0, 2}, "found": []int64{0, 0, 1, 0, 2, 2}}
	if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(l.Shape("found"), []int64{2, 3}) {
		t.Errorf("%v, %v, found has the shape %v", got, err, l.Shape("found"))
	}
	if x[0] = 7; got["rows"].([]float32)[3] != 1 || l.Shape("i")[0] != 2 || l.Shape("y") != nil {
		t.Error("outputs are not of their own, or shapes are wrong")
	}
	if _, err = l.Run(t.Context(), map[string]any{"x": x, "i": []int64{1, 2}}); err == nil {
		t.Error("an index that is out of range is no error")
	}
	r, err := l.Measure(t.Context(), RunOptions{Inputs: map[string]any{"x": x, "i": []int64{1, 0}}, Repeat: 1})
	if err != nil || !reflect.DeepEqual(r.Outputs[1].Shape, []int64{2, 3}) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := l.Measure(t.Context(), RunOptions{Inputs: map[string]any{}, Input: "x.npz"}); err == nil ||
		!strings.Contains(err.Error(), "not both") {
		t.Errorf("inputs and a file of them: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Run(ctx, map[string]any{"x": x, "i": []int64{1, 0}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
