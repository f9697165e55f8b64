package model_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
	. "github.com/wmtune/wmtune/tir/tirtest"
)

// odd is a program that copies each input to an output: of all types, and with names that
// languages reject or that are alike.
func odd() *model.Program {
	p := &model.Program{Name: "odd"}
	titles := []string{"class", "x", "X", "input.1", "in put", "1", "", "context", "é",
		"quote\"\\*/b/*/\n\x1b[31m", "self", "x_", "int"}
	types := []tir.DType{tir.Bool, tir.I8, tir.U8, tir.I16, tir.U16, tir.I32, tir.U32, tir.I64, tir.U64, tir.F16, tir.BF16,
		tir.F32, tir.F64}
	for i, typ := range types {
		shape := [][]int64{{2, 3}, nil, {5}}[i%3]
		p.Inputs = append(p.Inputs, model.Port{Name: titles[i], Type: typ, Shape: shape})
		p.Outputs = append(p.Outputs, model.Port{Name: titles[i] + ".out", Type: typ, Shape: shape})
		p.Steps = append(p.Steps, model.Copy{From: model.Place{Space: model.Input, Index: i},
			To: model.Place{Space: model.Output, Index: i}, Bytes: p.Inputs[i].Bytes()})
	}
	// A bounded output, the true shape of which is 2 x 1.
	size, rows := Buf("size", tir.I64, 2), Buf("rows", tir.I64, 2)
	last := len(p.Outputs)
	p.Outputs = append(p.Outputs, model.Port{Name: "true", Type: tir.I64, Shape: []int64{3, 4}, Bounded: true})
	set := Seq(Set(size, N(2), N(0)), Set(size, N(1), N(1)), Set(rows, N(70), N(0)), Set(rows, N(71), N(1)))
	p.Kernels = []*tir.Func{Fn("k", 2, set, size, rows)}
	p.Steps = append(p.Steps, model.Call{Args: []model.Place{
		{Space: model.OutputShape, Index: last}, {Space: model.Output, Index: last},
	}})
	return p
}

// TestOddPorts compiles and runs the examples for such ports.
func TestOddPorts(t *testing.T) {
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	cpp := buildtest.NeedTool(t, "c++", "apt-get install g++")
	dir := folder(t, needBundle(t, odd(), model.Options{}), nil)
	libraries := []string{"odd.o", "-lm", "-lpthread"}
	command(t, dir, cc, slices.Concat([]string{"example.c", "-std=c11", "-o", "example"}, strict, libraries)...)
	if out := command(t, dir, "./example"); !strings.Contains(out, "true_[2][1]: 70 71\n") {
		t.Error(out)
	}
	code := "#include \"odd.h\"\n" +
		"int main() { return odd_INPUTS == 13 && odd_OUTPUTS == 15 && odd_true__BYTES == 96 ? 0 : 1; }\n"
	if err := os.WriteFile(filepath.Join(dir, "a.cpp"), []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, dir, cpp, slices.Concat([]string{"a.cpp", "-std=c++11", "-o", "a"}, strict, libraries)...)
	command(t, dir, "./a")

	check := `
import numpy as np
from example import Model, INPUTS, example_inputs
inputs = example_inputs()
outputs = Model()(**inputs)
assert len(inputs) == 13 and len(outputs) == 14
for name, array in inputs.items():
    out = outputs[name + ".out"]
    assert out.dtype == array.dtype and out.shape == array.shape and out.tobytes() == array.tobytes(), name
print(outputs["true"])
`
	if out := command(t, dir, python(t), "-c", check); out != "[[70]\n [71]]\n" {
		t.Error(out)
	}
	runGoExample(t, dir, `true [2 1] [70 71`, `"quote\"\\*/b/*/\n\x1b[31m.out" [`)
	if out := command(t, dir, python(t), "example.py"); strings.Contains(out, "\x1b") ||
		!strings.Contains(out, `'quote"\\*/b/*/\n\x1b[31m.out' (`) {
		t.Errorf("%q", out)
	}
}

// TestNoPorts: a program may have neither inputs nor outputs.
func TestNoPorts(t *testing.T) {
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	dir := folder(t, needBundle(t, &model.Program{Name: "none"}, model.Options{}), nil)
	command(t, dir, cc, append([]string{"example.c", "-std=c11", "-o", "example", "none.o", "-lpthread"}, strict...)...)
	if out := command(t, dir, "./example"); !strings.HasPrefix(out, "none: ") {
		t.Error(out)
	}
	if out := command(t, dir, python(t), "example.py"); !strings.HasPrefix(out, "none: ") {
		t.Error(out)
	}
	runGoExample(t, dir, "none: ")
	if text, err := os.ReadFile(filepath.Join(dir, "none.h")); err != nil || strings.Contains(string(text), "@") {
		t.Error(fmt.Sprint(err), string(text))
	}
}
