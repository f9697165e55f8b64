package model_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "worker" && os.Args[2] == model.WorkerKind {
		if err := model.Worker(os.Stdin, os.Stdout); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(buildtest.Main(m))
}

// host is the processor that runs the test.
func host(b *build.Builder) target.Target {
	t := target.Target{Kind: target.LLVM, CPU: b.Info().CPU, Features: b.Info().Features}
	t.Hardware = target.Hardware{Cores: 2, VectorBytes: 32, VectorRegisters: 16, CacheLineBytes: 64}
	return t
}

// zip is a kernel C[i, j] = A[i, j] op B[i, j] over a parallel loop of rows.
func zip(name string, op tir.BinOp, rows, columns int64) *tir.Func {
	shape := []int64{rows, columns}
	a := &tir.Buffer{Name: "A", Type: tir.F32, Shape: shape}
	b := &tir.Buffer{Name: "B", Type: tir.F32, Shape: shape}
	c := &tir.Buffer{Name: "C", Type: tir.F32, Shape: shape}
	i, j := tir.NewVar("i"), tir.NewVar("j")
	at := []tir.Expr{i, j}
	value := tir.Bin(op, &tir.Load{Buffer: a, Index: at}, &tir.Load{Buffer: b, Index: at})
	store := &tir.Store{Buffer: c, Index: at, Value: value}
	row := &tir.For{Var: j, Extent: tir.Int(columns), Kind: tir.Vectorized, Body: store}
	body := &tir.For{Var: i, Extent: tir.Int(rows), Kind: tir.Parallel, Body: row}
	return &tir.Func{Name: name, Params: []*tir.Buffer{a, b, c}, Outputs: 1, Body: body}
}

// weights returns n floats 0.5, 1, 1.5, ...
func weights(n int64) []byte {
	list := make([]float32, n)
	for i := range list {
		list[i] = 0.5 * float32(i+1)
	}
	return asBytes(list)
}

func asBytes[T any](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(list[0])))
}

// scaled is the program y = (x * w) + x.
func scaled(name string) (*model.Program, []byte) {
	w := weights(8 * 100)
	port := func(name string) model.Port { return model.Port{Name: name, Type: tir.F32, Shape: []int64{8, 100}} }
	in, out := model.Place{Space: model.Input}, model.Place{Space: model.Output}
	arena := model.Place{Space: model.Arena, Offset: 64}
	return &model.Program{
		Name: name, Inputs: []model.Port{port("x")}, Outputs: []model.Port{port("y")},
		Arena: 64 + 3200, Weights: int64(len(w)), WeightsHash: sha256.Sum256(w),
		Kernels: []*tir.Func{zip("mul", tir.Mul, 8, 100), zip("add", tir.Add, 8, 100)},
		Steps: []model.Step{
			model.Call{Kernel: 0, Args: []model.Place{in, {Space: model.Weights}, arena}, Label: "mul", Node: "n0"},
			model.Call{Kernel: 1, Args: []model.Place{arena, in, out}, Label: "add", Node: "n1"},
		},
	}, w
}

// needBundle builds a program, or skips the test where LLVM is missing.
func needBundle(t *testing.T, p *model.Program, opt model.Options) *model.Bundle {
	t.Helper()
	return needBundleFor(t, p, opt, target.Target{})
}

// needBundleFor is needBundle for a target; the zero one stands for this machine.
func needBundleFor(t *testing.T, p *model.Program, opt model.Options, processor target.Target) *model.Bundle {
	t.Helper()
	b := buildtest.NeedLLVM(t, build.Config{Workers: 2})
	if processor.Kind == "" {
		processor = host(b)
	}
	bundle, err := model.Build(t.Context(), b, p, processor, opt)
	if err != nil {
		t.Fatal(err)
	}
	return bundle
}

func save(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// load starts a worker with a bundle, which ends with the test.
func load(t testing.TB, b *model.Bundle, weights string, change func(*model.LoadConfig)) (*model.Loaded, error) {
	t.Helper()
	p := b.Program
	cfg := model.LoadConfig{
		Command: []string{os.Args[0], "worker", model.WorkerKind}, Library: save(t, p.Name+".so", b.Shared), Name: p.Name,
		Weights: weights, Inputs: p.Inputs, Outputs: p.Outputs, Threads: 2,
	}
	if change != nil {
		change(&cfg)
	}
	l, err := model.Load(t.Context(), cfg)
	if err == nil {
		t.Cleanup(func() { l.Close() })
	}
	return l, err
}

// fill writes small numbers to an input of floats and returns them.
func fill(memory []byte) []float32 {
	list := floats(memory)
	for i := range list {
		list[i] = float32(i%7) - 2
	}
	return list
}

func floats(memory []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/4)
}

func wantScaled(t *testing.T, x, y []float32) {
	t.Helper()
	for i := range y {
		if want := x[i]*0.5*float32(i+1) + x[i]; y[i] != want {
			t.Fatalf("y[%d] = %g, want %g", i, y[i], want)
		}
	}
}

func TestTwoKernels(t *testing.T) {
	p, w := scaled("two")
	bundle := needBundle(t, p, model.Options{})
	l, err := load(t, bundle, save(t, "two.weights", w), nil)
	if err != nil {
		t.Fatal(err)
	}
	x := fill(l.Input(0))
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantScaled(t, x, floats(l.Output(0)))
	times, err := l.Time(t.Context(), model.Repeat{Warm: 2, Calls: 100})
	if err != nil || len(times) != 100 || times[0] <= 0 {
		t.Errorf("%v %v", times, err)
	}
	profile, err := l.Profile(t.Context(), model.Repeat{Calls: 3})
	if err != nil || len(profile.Steps) != 2 || profile.Steps[0] <= 0 || profile.Steps[1] <= 0 || len(profile.Runs) != 3 {
		t.Errorf("%v %v", profile, err)
	}
	if profile, err = l.Profile(t.Context(), model.Repeat{}); err != nil {
		t.Fatal(err)
	}
	if left := profile.Runs[0] - profile.Between[0]; left != profile.Steps[0]+profile.Steps[1] {
		t.Errorf("a run without what is between steps: %v; steps: %v", left, profile.Steps)
	}
}

// TestStepTimes: a bundle adds up the times of its steps, and one slow run moves no median.
func TestStepTimes(t *testing.T) {
	sums := [][]int64{{10, 1}, {20, 900}, {32, 903}}
	if got := model.Medians(sums); !slices.Equal(got, []int64{10, 3}) {
		t.Errorf("medians %d", got)
	}
}
