package run_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "worker" && os.Args[2] != "build" {
		serve := func() error { return run.Worker(os.Stdin, os.Stdout) }
		switch os.Args[2] {
		case "gpu":
			serve = func() error { return run.GPUWorker(os.Stdin, os.Stdout, os.Getenv("FAKE_CUDA")) }
		case "executor":
			serve = func() error { return run.ExecutorWorker(os.Stdin, os.Stdout) }
		case "simulated":
			serve = func() error { return run.SimulatedWorker(os.Stdin, os.Stdout) }
		}
		if err := serve(); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 4 && os.Args[1] == "tuner" {
		os.Exit(tuner(os.Args[2], os.Args[3]))
	}
	os.Exit(buildtest.Main(m))
}

// command starts a run worker from the running test binary.
func command() []string { return []string{os.Args[0], "worker", "run"} }

// a bench holds what tests of the runner need.
type bench struct {
	testing.TB
	builder *build.Builder
	runtime []byte
	command []string // that starts a run worker
}

func newBench(t testing.TB) *bench { return benchOf(t, "pause_asleep.ll", "run") }

// newSimulatedBench has pauses of programs advance a clock that nothing else advances. What a test says of times holds
// on a busy machine, too.
func newSimulatedBench(t testing.TB) *bench { return benchOf(t, "pause_simulated.ll", "simulated") }

func benchOf(t testing.TB, pause, kind string) *bench {
	b := &bench{TB: t, builder: buildtest.NeedLLVM(t, build.Config{})}
	b.runtime = b.compile(llvm.RuntimeIR() + b.text(pause))
	b.command = []string{os.Args[0], "worker", kind}
	return b
}

func (b *bench) compile(ir string) []byte {
	b.Helper()
	object, err := b.builder.Compile(context.Background(), []byte(ir), build.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return object
}

// object compiles the program of a file of testdata.
func (b *bench) object(file string) measure.BuildResult {
	b.Helper()
	return measure.BuildResult{Status: measure.OK, Object: b.compile(b.text(file)), Symbol: "wmtune_kernel"}
}

// text reads a file of testdata.
func (b *bench) text(file string) string {
	b.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// runner returns a runner with the task of the scaled sum.
func (b *bench) runner(cfg run.Config) *run.Runner {
	b.Helper()
	cfg.Command = b.command
	r, err := run.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	task := run.Reference{DAG: scaledSum(), Program: b.object("reference.ll"), Runtime: b.runtime, Seed: 1}
	if err := r.SetTask(context.Background(), task); err != nil {
		b.Fatal(err)
	}
	return r
}

// scaledSum is C[i] = A[i] + 2*B[i] over 1000 floats, the operator that the bad
// programs of testdata get wrong.
func scaledSum() *compute.DAG {
	shape := []int64{1000}
	a := &tir.Buffer{Name: "A", Type: tir.F32, Shape: shape}
	bb := &tir.Buffer{Name: "B", Type: tir.F32, Shape: shape}
	c := &tir.Buffer{Name: "C", Type: tir.F32, Shape: shape}
	i := tir.NewVar("i")
	body := tir.Bin(tir.Add, &tir.Load{Buffer: a, Index: []tir.Expr{i}},
		tir.Bin(tir.Mul, tir.Float(tir.F32, 2), &tir.Load{Buffer: bb, Index: []tir.Expr{i}}))
	return &compute.DAG{
		Tensors: []*tir.Buffer{a, bb, c}, Outputs: 1,
		Ops: []*compute.Op{
			{Name: "A", Results: []*tir.Buffer{a}},
			{Name: "B", Results: []*tir.Buffer{bb}},
			{Name: "C", Results: []*tir.Buffer{c}, Axes: []*compute.Axis{{Var: i, Extent: 1000}}, Body: []tir.Expr{body}},
		},
	}
}

func TestGood(t *testing.T) {
	b := newBench(t)
	r := b.runner(run.Config{RoundTime: time.Minute}) // however busy the machine is
	for _, file := range []string{"good.ll", "temporary.ll"} {
		r.Restart() // a first call that the machine holds up is not compared with the program before
		res, err := r.Run(context.Background(), make([]measure.Input, 1), []measure.BuildResult{b.object(file)})
		if err != nil {
			t.Fatal(err)
		}
		if res[0].Status != measure.OK || len(res[0].Costs) < 30 || res[0].Cost() <= 0 {
			t.Errorf("%s: got %+v", file, res[0])
		}
		t.Logf("%s: %.3g us, measured in %.3g s", file, res[0].Cost()*1e6, res[0].Seconds)
	}
}

// TestCheckOnly checks without timing: a slow program as well as others, in all
// ways.
func TestCheckOnly(t *testing.T) {
	b := newBench(t)
	r := b.runner(run.Config{})
	refused := measure.BuildResult{Status: measure.BuildTimeout, Message: "15 s"}
	batch := []measure.BuildResult{b.object("good.ll"), b.object("very_slow.ll"), b.object("faults/replay-by-address.ll"), refused}
	res, err := r.Check(context.Background(), batch)
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, res[0], measure.OK)
	wantStatus(t, res[1], measure.OK)
	wantStatus(t, res[2], measure.WrongAnswer, "with other inputs at the same addresses")
	wantStatus(t, res[3], measure.BuildTimeout, "15 s")
	for i := range res {
		if len(res[i].Costs) > 0 {
			t.Errorf("program %d was timed: %+v", i, res[i])
		}
	}
}

// TestCheckOnce: one call, with one set of inputs, is all there is.
func TestCheckOnce(t *testing.T) {
	b := newBench(t)
	r := b.runner(run.Config{})
	batch := []measure.BuildResult{b.object("good.ll"), b.object("faults/replay-by-address.ll"), b.object("faults/wrong.ll"), b.object("good.ll")}
	res, err := r.CheckOnce(context.Background(), batch, run.Whole)
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, res[0], measure.OK)
	wantStatus(t, res[1], measure.OK) // the second call would show it
	wantStatus(t, res[2], measure.WrongAnswer)
	wantStatus(t, res[3], measure.OK)
	if res, err := r.Check(context.Background(), batch); err != nil || res[1].Status != measure.WrongAnswer {
		t.Errorf("checked in all ways: %+v, %v", res, err)
	}
}

// TestCheckPart: what is written must be right, and something must be.
func TestCheckPart(t *testing.T) {
	b := newBench(t)
	r := b.runner(run.Config{})
	batch := []measure.BuildResult{b.object("good.ll"), b.object("faults/half.ll"), b.object("faults/nothing.ll"), b.object("faults/wrong.ll")}
	for _, c := range []struct {
		coverage run.Coverage
		want     []measure.Status
	}{
		{run.Whole, []measure.Status{measure.OK, measure.WrongAnswer, measure.WrongAnswer, measure.WrongAnswer}},
		{run.Part, []measure.Status{measure.OK, measure.OK, measure.WrongAnswer, measure.WrongAnswer}},
	} {
		res, err := r.CheckOnce(context.Background(), batch, c.coverage)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			wantStatus(t, res[i], want)
		}
	}
}

func wantStatus(t *testing.T, res measure.Result, status measure.Status, parts ...string) {
	t.Helper()
	if res.Status != status {
		t.Errorf("status %s (%s), want %s", res.Status, res.Message, status)
		return
	}
	for _, p := range parts {
		if !strings.Contains(res.Message, p) {
			t.Errorf("message %q does not say %q", res.Message, p)
		}
	}
}
