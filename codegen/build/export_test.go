package build_test

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// host is a target of the machine that runs the test.
func host(b *build.Builder) target.Target {
	t := target.Target{Kind: target.LLVM, CPU: b.Info().CPU, Features: b.Info().Features}
	t.Hardware = target.Hardware{Cores: 2, VectorBytes: 32, VectorRegisters: 16, CacheLineBytes: 64}
	return t
}

// doubled is C[i, j] = A[i, j] + A[i, j], with a parallel loop.
func doubled(t tir.DType) *tir.Func {
	a := &tir.Buffer{Name: "float", Type: t, Shape: []int64{8, 100}}
	c := &tir.Buffer{Name: "C.out", Type: t, Shape: []int64{8, 100}}
	i, j := tir.NewVar("i"), tir.NewVar("j")
	x := tir.Expr(&tir.Load{Buffer: a, Index: []tir.Expr{i, j}})
	if t == tir.F16 || t == tir.BF16 {
		x = &tir.Cast{X: x, To: tir.F32}
	}
	sum := tir.Bin(tir.Add, x, x)
	if sum.DType() != t {
		sum = &tir.Cast{X: sum, To: t}
	}
	body := &tir.For{Var: j, Extent: tir.Int(100), Kind: tir.Vectorized, Body: &tir.Store{Buffer: c, Index: []tir.Expr{i, j}, Value: sum}}
	return &tir.Func{Name: "2 x A", Params: []*tir.Buffer{a, c}, Outputs: 1, Body: &tir.For{Var: i, Extent: tir.Int(8), Kind: tir.Parallel, Body: body}}
}

func TestLibrary(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	for typ, want := range map[tir.DType]string{
		tir.F32: "C_out: sum 700\n", tir.F64: "C_out: sum 700\n", tir.I8: "C_out: sum 5600\n", tir.I64: "C_out: sum 5600\n",
		tir.F16: "C_out: sum of the bits", tir.BF16: "C_out: sum of the bits",
	} {
		t.Run(typ.String(), func(t *testing.T) {
			lib, err := b.Library(context.Background(), doubled(typ), host(b), build.LibraryOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if lib.Name != "__x_A" {
				t.Fatal(lib.Name)
			}
			if out := runExample(t, lib); strings.Count(out, want) != 2 {
				t.Errorf("got %s, want twice %s", out, want)
			}
		})
	}
}

// runExample compiles a library's example, with the object and with the shared
// library, and returns what the two print.
func runExample(t *testing.T, lib build.Library) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range lib.Files() {
		if f.Link != "" {
			if err := os.Symlink(f.Link, filepath.Join(dir, f.Name)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	printed := ""
	for _, with := range []string{"kernel.o", "./kernel.so"} {
		cmd := exec.Command(cc, "-Wall", "-Wextra", "-Werror", "-O2", "example.c", with, "-Wl,-rpath,$ORIGIN", "-o", "example", "-lm", "-lpthread")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, out, lib.Example)
		}
		cmd = exec.Command("./example")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		printed += string(out)
	}
	return printed
}

// TestTwoLibraries: two kernels are in one program, which reads both headers, as objects and as
// shared libraries; and in one shared library.
func TestTwoLibraries(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	dir := t.TempDir()
	for name, typ := range map[string]tir.DType{"first": tir.F32, "second": tir.I64} {
		lib, err := b.Library(t.Context(), doubled(typ), host(b), build.LibraryOptions{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		sub := filepath.Join(dir, name)
		if err := os.Mkdir(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, f := range lib.Files() {
			if f.Link != "" {
				err = os.Symlink(f.Link, filepath.Join(sub, f.Name))
			} else {
				err = os.WriteFile(filepath.Join(sub, f.Name), f.Data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
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
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run(cc, "-shared", "first/kernel.o", "second/kernel.o", "-o", "both.so", "-lm", "-lpthread")
	for _, with := range [][]string{
		{"first/kernel.o", "second/kernel.o"}, {"./both.so"},
		{"first/kernel.so", "second/kernel.so", "-Wl,-rpath,$ORIGIN/first:$ORIGIN/second"},
	} {
		run(cc, append([]string{"-Wall", "-Wextra", "-Werror", "-O2", "main.c", "-o", "main", "-lm", "-lpthread"}, with...)...)
		if out := run("./main"); out != "1 1 6 6\n" {
			t.Errorf("with %v: %s", with, out)
		}
	}
}

// TestLibraryPacks compiles a library that packs its operands, and the example that
// calls it.
func TestLibraryPacks(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	lib, err := b.Library(context.Background(), build.PackedFunc(), host(b), build.LibraryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if out := runExample(t, lib); !strings.Contains(out, "C: sum 68.125\n") {
		t.Errorf("got %s", out)
	}
	wantSymbols(t, lib, "f", "f_pack_float_", "f_pack_float__2", "f_pool_init")
}

// TestLibrarySymbols holds that a library shows two symbols and needs nothing
// but the C library.
func TestLibrarySymbols(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	lib, err := b.Library(context.Background(), doubled(tir.F32), host(b), build.LibraryOptions{Name: "twice"})
	if err != nil {
		t.Fatal(err)
	}
	wantSymbols(t, lib, "twice", "twice_pool_init")
}

func wantSymbols(t *testing.T, lib build.Library, want ...string) {
	t.Helper()
	for _, data := range [][]byte{lib.Object, lib.Shared} {
		f, err := elf.NewFile(bytes.NewReader(data))
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

// TestLibraryIR holds that the text says all that is needed to compile it.
func TestLibraryIR(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	lib, err := b.Library(context.Background(), doubled(tir.F32), host(b), build.LibraryOptions{Name: "twice"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Compile(context.Background(), lib.IR, build.Options{Form: build.Assembly, CPU: "x86-64"})
	if err != nil || !bytes.Equal(out, lib.Assembly) {
		t.Errorf("%v: the assembly differs", err)
	}
}

// TestLibraryLacks: a library has no instruction that the machine lacks, though the processor's name implies it, as
// where a virtual machine hides AVX-512.
func TestLibraryLacks(t *testing.T) {
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
		lib, err := b.On(machine).Library(t.Context(), square, on, build.LibraryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(lib.Assembly, []byte("vpmullq")); got != want || !bytes.Contains(lib.IR, []byte(features)) {
			t.Errorf("%s: AVX-512's product: %v, want %v\n%s", features, got, want, lib.Assembly)
		}
		// Of a machine that is not this one, nothing more than its features is known.
		on.Features = on.Features[:2]
		if lib, err = b.On(machine).Library(t.Context(), square, on, build.LibraryOptions{}); err != nil ||
			!bytes.Contains(lib.IR, []byte(`"target-features"="+avx,+avx2"`)) {
			t.Errorf("%v: the features of another machine\n%s", err, lib.IR)
		}
	}
}

func TestLibraryName(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	_, err := b.Library(context.Background(), doubled(tir.F32), host(b), build.LibraryOptions{Name: "not a name"})
	if err == nil || !strings.Contains(err.Error(), "cannot name a function: use letters") {
		t.Errorf("%v", err)
	}
}

// TestLibraryRefused: a program that no processor can run is refused, as one that does not compile is.
func TestLibraryRefused(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	f := doubled(tir.F32)
	f.Body = tir.Sequence(f.Body, &tir.Barrier{})
	_, err := b.Library(context.Background(), f, host(b), build.LibraryOptions{})
	var ce *build.CompileError
	if !errors.As(err, &ce) || ce.Status != measure.BuildError || !strings.Contains(ce.Why, "barrier") {
		t.Errorf("%v", err)
	}
}
