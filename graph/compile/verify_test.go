package compile

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/npy"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

// TestReadInputs: an input of bfloat16 is in a file as uint16.
func TestReadInputs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inputs.npz")
	x := &graph.Const{Type: tir.U16, Shape: []int64{2}, Data: []byte{0x80, 0x3f, 0, 0xc0}}
	if err := npy.Write(path, []npy.Named{{Name: "x", Const: x}}); err != nil {
		t.Fatal(err)
	}
	list, err := readInputs(path, []model.Port{{Name: "x", Type: tir.BF16, Shape: []int64{2}}}, nil)
	if err != nil || list[0].Type != tir.BF16 || !slices.Equal(list[0].F, []float64{1, -2}) {
		t.Errorf("%v, %v", list, err)
	}
}

// TestCheckFiles: a file of inputs is looked at before the work.
func TestCheckFiles(t *testing.T) {
	m, err := New(t.Context(), graphtest.MustParse("input x: float32[2]\ny = Neg(x)\noutput y", 18), pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"x": "", "in0": "", "z": "there is no input called z"} {
		path := filepath.Join(t.TempDir(), "inputs.npz")
		x := &graph.Const{Type: tir.F32, Shape: []int64{2}, Data: make([]byte, 8)}
		if err := npy.Write(path, []npy.Named{{Name: name, Const: x}}); err != nil {
			t.Fatal(err)
		}
		err := (&compilation{model: m, opt: Options{Inputs: path}}).checkFiles()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
