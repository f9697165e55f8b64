package llvm_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/tir"
)

// threadedKernel has a temporary of the whole kernel and one of each thread, both too large
// for the stack.
func threadedKernel(name string) *tir.Func {
	a, c, i, j, k := buf("A", tir.F32, 24), buf("C", tir.F32, 24), v("i"), v("j"), v("k")
	whole, each := buf("T", tir.F32, 24, 1000), buf("U", tir.F32, 10001)
	return fn(name, 1, alloc(whole, seq(
		loop(tir.Parallel, i, 24, alloc(each, seq(set(each, at(a, i), mul(i, n(400))),
			set(whole, at(each, mul(i, n(400))), i, n(7))))),
		loop(tir.Parallel, k, 24, set(whole, at(a, k), k, n(8))),
		loop(tir.Vectorized, j, 24, set(c, add(at(whole, j, n(7)), at(a, j)), j)))), a, c)
}

func emitKernel(t *testing.T, f *tir.Func) (string, llvm.Scratch) {
	t.Helper()
	var w bytes.Buffer
	scratch, err := llvm.EmitKernel(&w, f, avx2())
	if err != nil {
		t.Fatal(err)
	}
	return w.String(), scratch
}

// TestEmitKernel compares text with testdata/kernel.ll. Bundles run such kernels in the tests
// of codegen/model.
func TestEmitKernel(t *testing.T) {
	f := threadedKernel("kernel")
	got, scratch := emitKernel(t, f)
	if want := (llvm.Scratch{Main: 96000, Body: 40064}); scratch != want {
		t.Errorf("scratch %+v, want %+v", scratch, want)
	}
	got = commented(f.String()) + "\n" + got
	path := filepath.Join("testdata", "kernel.ll")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s", path, got)
	}
}

// TestEmitKernelName: the text does not depend on the name of the function.
func TestEmitKernelName(t *testing.T) {
	one, _ := emitKernel(t, threadedKernel("one"))
	if two, _ := emitKernel(t, threadedKernel("two")); one != two {
		t.Error("two names give two texts")
	}
}
