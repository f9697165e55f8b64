package llvm_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

func TestMain(m *testing.M) { os.Exit(buildtest.Main(m)) }

// An executor runs programs by way of a shared library.
type executor struct {
	t       testing.TB
	builder *build.Builder
	runtime string // path of the run-time's object
	dir     string
	library string // path of the one linked last
	n       int
}

func newExecutor(t testing.TB) *executor {
	b := buildtest.NeedLLVM(t, build.Config{})
	buildtest.NeedTool(t, "ld", "apt-get install binutils")
	x := &executor{t: t, builder: b, dir: t.TempDir()}
	x.runtime = filepath.Join(x.dir, "runtime.o")
	x.write(x.runtime, x.compile([]byte(llvm.RuntimeIR()), build.Options{}))
	return x
}

func (x *executor) write(path string, data []byte) {
	if err := os.WriteFile(path, data, 0o666); err != nil {
		x.t.Fatal(err)
	}
}

func (x *executor) compile(ir []byte, opt build.Options) []byte {
	x.t.Helper()
	out, err := x.builder.Compile(context.Background(), ir, opt)
	if err != nil {
		x.t.Fatalf("%v\n%s", err, ir)
	}
	return out
}

// host returns a target of this machine with vectors of the given width; with
// 16 bytes, one that knows the oldest instruction set only.
func (x *executor) host(vectorBytes int) target.Target {
	info := x.builder.Info()
	t := target.Target{Kind: target.LLVM, CPU: info.CPU, Features: slices.Sorted(slices.Values(info.Features))}
	if vectorBytes == 16 {
		t.CPU, t.Features = "x86-64", nil
	}
	t.Hardware = target.Hardware{Cores: 2, VectorBytes: vectorBytes, VectorRegisters: 32, CacheLineBytes: 64}
	return t
}

func emit(t testing.TB, f *tir.Func, tg target.Target) []byte {
	t.Helper()
	if err := tir.Check(f); err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	f, err := lower.ForCPU(f, tg)
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	if err := llvm.Emit(&w, f, tg); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

// load returns the kernel as a callable address.
func (x *executor) load(f *tir.Func, tg target.Target) (kernel uintptr, ir []byte) {
	x.t.Helper()
	kernels, irs := x.loadAll([]*tir.Func{f}, tg)
	return kernels[0], irs[0]
}

// loadAll links many programs into one library, for linking takes longer than
// compiling.
func (x *executor) loadAll(list []*tir.Func, tg target.Target) (kernels []uintptr, irs [][]byte) {
	x.t.Helper()
	return x.loadFor(list, tg, tg)
}

// loadFor emits the programs for one target and compiles the texts for another one.
func (x *executor) loadFor(list []*tir.Func, emitted, tg target.Target) (kernels []uintptr, irs [][]byte) {
	x.t.Helper()
	x.n++
	base := filepath.Join(x.dir, fmt.Sprint(x.n))
	args := []string{"-shared", "-o", base + ".so", x.runtime}
	symbol := func(i int) string { return fmt.Sprintf("kernel_%d_%d", x.n, i) }
	for i, f := range list {
		ir := emit(x.t, f, emitted)
		irs = append(irs, ir)
		object := fmt.Sprintf("%s.%d.o", base, i)
		renamed := bytes.ReplaceAll(ir, []byte(llvm.Symbol), []byte(symbol(i)))
		x.write(object, x.compile(renamed, build.Options{CPU: tg.CPU, Features: tg.Features}))
		args = append(args, object)
	}
	if out, err := exec.Command("ld", append(args, "-l:libm.so.6", "-l:libc.so.6")...).CombinedOutput(); err != nil {
		x.t.Fatalf("ld: %v: %s", err, out)
	}
	x.library = base + ".so"
	lib, err := purego.Dlopen(x.library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		x.t.Fatal(err)
	}
	for i := range list {
		kernel, err := purego.Dlsym(lib, symbol(i))
		if err != nil {
			x.t.Fatal(err)
		}
		kernels = append(kernels, kernel)
	}
	return kernels, irs
}

// alignedBytes returns n bytes at an address that is a multiple of 64.
func alignedBytes(n int64) []byte {
	raw := make([]byte, n+128)
	skip := -int64(uintptr(unsafe.Pointer(&raw[0]))) & 63
	return raw[skip : skip+n : skip+n]
}

func call(kernel uintptr, args [][]byte) {
	ptrs := make([]unsafe.Pointer, len(args))
	var pin runtime.Pinner
	for i := range args {
		ptrs[i] = unsafe.Pointer(&args[i][0])
		pin.Pin(ptrs[i])
	}
	pin.Pin(&ptrs[0])
	purego.SyscallN(kernel, uintptr(unsafe.Pointer(&ptrs[0])))
	pin.Unpin()
}

func (x *executor) compare(f *tir.Func) {
	x.t.Helper()
	x.compareAll([]*tir.Func{f})
}

// compareAll runs programs in the interpreter and as compiled code for several
// vector widths, on the same random inputs, and compares the outputs.
func (x *executor) compareAll(list []*tir.Func) {
	x.t.Helper()
	for _, width := range []int{16, 32, 64} {
		kernels, irs := x.loadAll(list, x.host(width))
		for p, f := range list {
			rng := rand.New(rand.NewPCG(uint64(p), 1))
			var want []*interp.Tensor
			data := make([][]byte, len(f.Params))
			for i, b := range f.Params {
				want = append(want, randomTensor(rng, b))
				data[i] = alignedBytes(b.Bytes())
				copy(data[i], want[i].Data)
			}
			if err := interp.Run(f, want, interp.Options{}); err != nil {
				x.t.Fatalf("%v\n%s", err, f)
			}
			call(kernels[p], data)
			for i, b := range f.Params {
				got := &interp.Tensor{Type: b.Type, Data: data[i]}
				if at, ok := close(got, want[i]); !ok {
					x.t.Errorf("width %d: %s: element %d is %v, want %v\n%s\n%s", width, b.Name, at, got.Float(at), want[i].Float(at), f, irs[p])
					return
				}
			}
		}
	}
}

func close(got, want *interp.Tensor) (int, bool) {
	for i := range got.Len() {
		if !got.Type.IsFloat() {
			if got.Int(i) != want.Int(i) {
				return i, false
			}
			continue
		}
		g, w := got.Float(i), want.Float(i)
		tol := 0.0
		switch got.Type {
		case tir.F32:
			tol = 1e-5
		case tir.F64:
			tol = 1e-12
		case tir.F16:
			tol = 1e-3
		case tir.BF16:
			tol = 8e-3
		}
		if math.IsNaN(g) != math.IsNaN(w) || math.Abs(g-w) > tol*(1+math.Abs(w)) {
			return i, false
		}
	}
	return 0, true
}

func randomTensor(rng *rand.Rand, b *tir.Buffer) *interp.Tensor {
	t := interp.NewTensor(b)
	for i := range t.Len() {
		switch {
		case b.Type == tir.Bool:
			t.SetFloat(i, float64(rng.IntN(2)))
		case b.Type == tir.U8:
			t.SetFloat(i, float64(rng.IntN(200)))
		case b.Type.IsUnsigned() && rng.IntN(2) == 0:
			t.SetInt(i, int64(rng.Uint64()))
		case b.Type.IsUnsigned():
			t.SetFloat(i, float64(rng.IntN(1000)))
		case b.Type.IsInt():
			t.SetFloat(i, float64(rng.IntN(200)-100))
		default:
			t.SetFloat(i, 2*rng.Float64()-1)
		}
	}
	return t
}

func TestMatmulRuns(t *testing.T) {
	x := newExecutor(t)
	for _, typ := range []tir.DType{tir.F32, tir.F64, tir.I32} {
		x.compare(tiledMatmul(24, 16, 64, 8, 32, 4, typ))
		x.compare(tiledMatmul(6, 16, 21, 3, 7, 4, typ))
	}
}
