package model_test

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
)

// doubled is C[i, j] = A[i, j] + A[i, j], with a parallel loop over 8 rows.
func doubled(t tir.DType, columns int64) *tir.Func {
	a := &tir.Buffer{Name: "float", Type: t, Shape: []int64{8, columns}}
	c := &tir.Buffer{Name: "C.out", Type: t, Shape: []int64{8, columns}}
	i, j := tir.NewVar("i"), tir.NewVar("j")
	x := tir.Expr(&tir.Load{Buffer: a, Index: []tir.Expr{i, j}})
	if t == tir.F16 || t == tir.BF16 {
		x = &tir.Cast{X: x, To: tir.F32}
	}
	sum := tir.Bin(tir.Add, x, x)
	if sum.DType() != t {
		sum = &tir.Cast{X: sum, To: t}
	}
	body := &tir.For{Var: j, Extent: tir.Int(columns), Kind: tir.Vectorized, Body: &tir.Store{Buffer: c, Index: []tir.Expr{i, j}, Value: sum}}
	return &tir.Func{Name: "2 x A", Params: []*tir.Buffer{a, c}, Outputs: 1, Body: &tir.For{Var: i, Extent: tir.Int(8), Kind: tir.Parallel, Body: body}}
}

// randoms are the numbers that examples fill arrays with.
type randoms uint32

func (r *randoms) next(t tir.DType) float32 {
	*r = *r*1664525 + 1013904223
	x := float32(*r>>8) / (1 << 24)
	switch t {
	case tir.F32, tir.F64:
		return x
	case tir.F16:
		return math.Float32frombits(math.Float32bits(x) &^ (1<<13 - 1))
	case tir.BF16:
		return math.Float32frombits(math.Float32bits(x) &^ (1<<16 - 1))
	}
	return map[bool]float32{true: 1}[x < 0.5]
}

// printed is what an example prints of an output.
func printed(list []float32) string {
	text := ""
	for _, x := range list {
		text += fmt.Sprintf(" %.6g", x)
	}
	return text + "\n"
}

func TestKernel(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	for _, typ := range []tir.DType{tir.F32, tir.F64, tir.I8, tir.I64, tir.F16, tir.BF16} {
		t.Run(typ.String(), func(t *testing.T) {
			random, want := randoms(1), make([]float32, 8)
			for i := range want {
				want[i] = 2 * random.next(typ)
			}
			if out, line := runExample(t, exported(t, b, doubled(typ, 1), "k")), "C_out[8][1]:"+printed(want); strings.Count(out, line) != 2 {
				t.Errorf("got %s, want twice %s", out, line)
			}
		})
	}
}

// exported returns the folder of an exported kernel.
func exported(t *testing.T, b *build.Builder, fn *tir.Func, name string) string {
	t.Helper()
	files, err := model.ExportKernel(t.Context(), b, fn, host(b), model.KernelOptions{Name: name})
	if err != nil {
		t.Fatalf("%.300s", err.Error())
	}
	dir := t.TempDir()
	for _, f := range files {
		if f.Link != "" {
			err = os.Symlink(f.Link, filepath.Join(dir, f.Name))
		} else {
			err = os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func readFile(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// runExample compiles a kernel's example, with the object and with the shared
// library, and returns what the two print.
func runExample(t *testing.T, dir string) string {
	t.Helper()
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	out := ""
	for _, with := range [][]string{{"kernel.o", "-lm", "-lpthread"}, {"./kernel.so", "-Wl,-rpath,$ORIGIN"}} {
		command(t, dir, cc, slices.Concat([]string{"example.c", "-std=c11", "-o", "example"}, strict, with)...)
		out += command(t, dir, "./example")
	}
	return out
}

// TestTwoExports: two kernels are in one program, which reads both headers, as objects and as
// shared libraries; and in one shared library.
func TestTwoExports(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	dir := t.TempDir()
	for name, typ := range map[string]tir.DType{"first": tir.F32, "second": tir.I64} {
		if err := os.Rename(exported(t, b, doubled(typ, 100), name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	const main = `
#include <stdio.h>
#include "first/kernel.h"
#include "second/kernel.h"
static _Alignas(64) float a[800], c[800];
static _Alignas(64) int64_t x[800], y[800];
int main(void) {
	for (int i = 0; i < 800; i++) a[i] = 0.5f, x[i] = 3;
	for (int n = 0; n < 100; n++) first(a, c), second(x, y);
	printf("%g %g %lld %lld\n", c[0], c[799], (long long)y[0], (long long)y[799]);
	return 0;
}
`
	if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(main), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, dir, cc, "-shared", "first/kernel.o", "second/kernel.o", "-o", "both.so", "-lm", "-lpthread")
	for _, with := range [][]string{
		{"first/kernel.o", "second/kernel.o"}, {"./both.so"},
		{"first/kernel.so", "second/kernel.so", "-Wl,-rpath,$ORIGIN/first:$ORIGIN/second"},
	} {
		command(t, dir, cc, append([]string{"-Wall", "-Wextra", "-Werror", "-O2", "main.c", "-o", "main", "-lm", "-lpthread"}, with...)...)
		if out := command(t, dir, "./main"); out != "1 1 6 6\n" {
			t.Errorf("with %v: %s", with, out)
		}
	}
}

// packedLine is what the example of PackedFunc prints of its output.
func packedLine() string {
	var w [24]float32
	var v [6]float32
	c, random := make([]float32, 6), randoms(1)
	for i := range w {
		w[i] = random.next(tir.F32)
	}
	for i := range v {
		v[i] = random.next(tir.I8)
	}
	for i := range c {
		c[i] = (w[i] + v[5-i]) * float32(i)
	}
	return "C[6]:" + printed(c)
}

// TestKernelPacks compiles a kernel that packs its operands, and the example that
// calls it.
func TestKernelPacks(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	dir := exported(t, b, model.PackedFunc(), "f")
	if out := runExample(t, dir); strings.Count(out, packedLine()) != 2 {
		t.Errorf("got %s, want twice %s", out, packedLine())
	}
	wantSymbols(t, dir, "f", "f_pack_float_", "f_pack_float__2", "f_pool_init")
}

// TestKernelSymbols holds that a kernel shows two symbols and needs nothing
// but the C library.
func TestKernelSymbols(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	wantSymbols(t, exported(t, b, doubled(tir.F32, 100), "twice"), "twice", "twice_pool_init")
}

func wantSymbols(t *testing.T, dir string, want ...string) {
	t.Helper()
	for _, name := range []string{"kernel.o", "kernel.so"} {
		f, err := elf.NewFile(bytes.NewReader(readFile(t, dir, name)))
		if err != nil {
			t.Fatal(err)
		}
		symbols, _ := f.DynamicSymbols()
		if f.Type == elf.ET_REL {
			symbols, _ = f.Symbols()
		}
		var defined, undefined []string
		for _, s := range symbols {
			if elf.ST_BIND(s.Info) == elf.STB_LOCAL {
				continue
			}
			if s.Section == elf.SHN_UNDEF {
				undefined = append(undefined, s.Name)
			} else {
				defined = append(defined, s.Name)
			}
		}
		slices.Sort(defined)
		if !slices.Equal(defined, want) {
			t.Errorf("%v: defines %v", f.Type, defined)
		}
		for _, name := range undefined {
			if strings.HasPrefix(name, "wmtune") || strings.HasPrefix(name, "_") {
				t.Errorf("%v: needs %s", f.Type, name)
			}
		}
	}
}

// TestKernelIR holds that the text says all that is needed to compile it.
func TestKernelIR(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	dir := exported(t, b, doubled(tir.F32, 100), "twice")
	out, err := b.Compile(t.Context(), readFile(t, dir, "kernel.ll"), build.Options{Form: build.Assembly, CPU: "x86-64"})
	if err != nil || !bytes.Equal(out, readFile(t, dir, "kernel.s")) {
		t.Errorf("%v: the assembly differs", err)
	}
}

// TestKernelLacks: a kernel has no instruction that the machine lacks, though the processor's name implies it, as
// where a virtual machine hides AVX-512.
func TestKernelLacks(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	machine := b.Info()
	machine.CPU, machine.Features = "sapphirerapids", []string{"avx", "avx2", "fma"}
	a := &tir.Buffer{Name: "a", Type: tir.I64, Shape: []int64{64}}
	c := &tir.Buffer{Name: "c", Type: tir.I64, Shape: []int64{64}}
	i := tir.NewVar("i")
	x := &tir.Load{Buffer: a, Index: []tir.Expr{i}}
	body := &tir.Store{Buffer: c, Index: []tir.Expr{i}, Value: tir.Bin(tir.Mul, x, x)}
	square := &tir.Func{Name: "square", Params: []*tir.Buffer{a, c}, Outputs: 1,
		Body: &tir.For{Var: i, Extent: tir.Int(64), Kind: tir.Vectorized, Body: body}}
	for features, want := range map[string]bool{
		"+avx,+avx2,+fma,-avx512f,-avx512dq,-avx512vl,-avx512bw": false, "+avx,+avx2,+fma,+avx512dq,+avx512vl": true,
	} {
		machine.FeatureString = features
		on := host(b)
		on.CPU, on.Features = machine.CPU, machine.Features
		files, err := model.ExportKernelOn(machine, b, square, on)
		if err != nil {
			t.Fatal(err)
		}
		text, assembly := files[0].Data, files[1].Data
		if got := bytes.Contains(assembly, []byte("vpmullq")); got != want || !bytes.Contains(text, []byte(features)) {
			t.Errorf("%s: AVX-512's product: %v, want %v\n%s", features, got, want, assembly)
		}
		// Of a machine that is not this one, nothing more than its features is known.
		on.Features = on.Features[:2]
		if files, err = model.ExportKernelOn(machine, b, square, on); err != nil ||
			!bytes.Contains(files[0].Data, []byte(`"target-features"="+avx,+avx2"`)) {
			t.Errorf("%v: the features of another machine\n%s", err, files[0].Data)
		}
	}
}

func TestKernelName(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	_, err := model.ExportKernel(t.Context(), b, doubled(tir.F32, 1), host(b), model.KernelOptions{Name: "not a name"})
	if err == nil || !strings.Contains(err.Error(), "cannot name a function: use letters") {
		t.Errorf("%v", err)
	}
}

// TestKernelRefused: a program that no processor can run is refused, as one that does not compile is.
func TestKernelRefused(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	f := doubled(tir.F32, 1)
	f.Body = tir.Sequence(f.Body, &tir.Barrier{})
	_, err := model.ExportKernel(t.Context(), b, f, host(b), model.KernelOptions{})
	var ce *build.CompileError
	if !errors.As(err, &ce) || ce.Status != measure.BuildError || !strings.Contains(ce.Why, "barrier") {
		t.Errorf("%v", err)
	}
}
