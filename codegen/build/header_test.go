package build

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestHeader(t *testing.T) {
	a := &tir.Buffer{Name: "A", Type: tir.F16, Shape: []int64{6}, Given: []int64{2, 3}}
	w := &tir.Buffer{Name: "A", Type: tir.Bool, Shape: []int64{7}}
	p := &tir.Buffer{Name: "long", Type: tir.F32, Shape: []int64{4, 4}, Strides: []int64{8, 1}}
	c := &tir.Buffer{Name: "C", Type: tir.I32}
	x := tir.NewVar("i")
	store := &tir.Store{Buffer: c, Value: &tir.IntImm{Value: 1, Type: tir.I32}}
	serial := &tir.Func{Name: "f", Params: []*tir.Buffer{a, w, p, c}, Outputs: 1, Body: store}
	parallel := &tir.Func{Name: "f", Params: []*tir.Buffer{a, c}, Outputs: 1, Body: &tir.For{Var: x, Extent: tir.Int(1), Kind: tir.Parallel, Body: store}}
	golden(t, "serial.h", header("f", serial, target.Generic(32, 2), "matmul:m=1\nkey \"*/\""))
	golden(t, "parallel.h", header("f", parallel, target.Generic(32, 2), ""))
	golden(t, "example.c", example("f", serial))
	golden(t, "packed.h", header("f", PackedFunc(), target.Generic(32, 2), ""))
	golden(t, "packed.c", example("f", PackedFunc()))
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s: got\n%s", name, got)
	}
}
