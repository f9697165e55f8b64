package model

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// TestErrorNames: the header's names of errors are those of the run-time.
func TestErrorNames(t *testing.T) {
	text, err := os.ReadFile("runtime/runtime.c")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\t([A-Z_]+) = -([0-9]+),$`).FindAllStringSubmatch(string(text), -1)
	for i, m := range found {
		if i >= len(errorNames) || m[1] != errorNames[i] || m[2] != fmt.Sprint(i+1) {
			t.Errorf("the run-time calls error -%s %s", m[2], m[1])
		}
	}
	if len(found) != len(errorNames) {
		t.Errorf("the run-time has %d errors, the header %d", len(found), len(errorNames))
	}
}

func TestHeader(t *testing.T) {
	a := &tir.Buffer{Name: "A", Type: tir.F16, Shape: []int64{6}, Given: []int64{2, 3}}
	w := &tir.Buffer{Name: "A", Type: tir.Bool, Shape: []int64{7}}
	p := &tir.Buffer{Name: "long", Type: tir.F32, Shape: []int64{4, 4}, Strides: []int64{8, 1}}
	c := &tir.Buffer{Name: "C", Type: tir.I32}
	x := tir.NewVar("i")
	store := &tir.Store{Buffer: c, Value: &tir.IntImm{Value: 1, Type: tir.I32}}
	serial := &tir.Func{Name: "f", Params: []*tir.Buffer{a, w, p, c}, Outputs: 1, Body: store}
	parallel := &tir.Func{Name: "f", Params: []*tir.Buffer{a, c}, Outputs: 1, Body: &tir.For{Var: x, Extent: tir.Int(1), Kind: tir.Parallel, Body: store}}
	golden(t, "serial.h", newKernel("f", serial).header("matmul:m=1\nkey \"*/\"", target.Generic(32, 2)))
	golden(t, "parallel.h", newKernel("f", parallel).header("", target.Generic(32, 2)))
	golden(t, "example.c", newKernel("f", serial).exampleC())
	golden(t, "packed.h", newKernel("f", PackedFunc()).header("", target.Generic(32, 2)))
	golden(t, "packed.c", newKernel("f", PackedFunc()).exampleC())
}
