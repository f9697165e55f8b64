package build_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "fake" {
		os.Exit(fakeWorker(os.Args[2], os.Args[3]))
	}
	os.Exit(buildtest.Main(m))
}

// fakeWorker is a worker that goes wrong in the way told, in the first process
// that gets as far as a request or in all of them; mark is the path of a file
// that says that one did.
func fakeWorker(how, mark string) int {
	before, _ := os.ReadFile(mark)
	first := len(before) == 0
	if how == "gone" && !first {
		return 1
	}
	h := &hook{}
	h.third = func() {
		os.WriteFile(mark, append(before, '.'), 0o666)
		switch {
		case how == "crash" || how == "crash-once" && first:
			fmt.Fprintln(os.Stderr, "some noise\nLLVM ERROR: out of registers")
			syscall.Kill(os.Getpid(), syscall.SIGABRT)
		case how == "kill-thrice" && len(before) < 3, how == "kill":
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		case how == "exit", how == "gone":
			os.Exit(7)
		case how == "hang":
			select {}
		case how == "garbage":
			os.Stdout.WriteString("\xff\xff\xff\xffnot a frame, but text that goes on")
		}
	}
	if err := build.Worker(h, h); err != nil {
		return 1
	}
	return 0
}

// hook is the standard input and output. It calls third when a read returned data after
// two writes: the greeting and the answer to the first request.
type hook struct {
	writes int
	third  func()
}

func (h *hook) Read(p []byte) (int, error) {
	n, err := os.Stdin.Read(p)
	if n > 0 && h.writes >= 2 {
		h.third()
	}
	return n, err
}

func (h *hook) Write(p []byte) (int, error) {
	h.writes++
	return os.Stdout.Write(p)
}

func faulty(t *testing.T, how string, timeout time.Duration) *build.Builder {
	t.Helper()
	buildtest.NeedLLVM(t, build.Config{})
	mark := filepath.Join(t.TempDir(), "mark")
	b, err := build.New(context.Background(), build.Config{Command: []string{os.Args[0], "fake", how, mark}, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

const good = "define i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n"

func TestCompileForms(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	for form, want := range map[build.Form]string{build.Object: "\x7fELF", build.Assembly: "leal\t1(%rdi)"} {
		out, err := b.Compile(context.Background(), []byte(good), build.Options{Form: form})
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, no %q in %q", form, err, want, out)
		}
	}
}

// TestClosed: Close may come twice, and after it a compilation is an error, not a wait.
func TestClosed(t *testing.T) {
	buildtest.NeedLLVM(t, build.Config{})
	b, err := build.New(t.Context(), build.Config{Command: []string{os.Args[0], "worker", "build"}, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	patient := b.Patient()
	done := make(chan error)
	go func() {
		b.Close()
		patient.Close()
		_, err := patient.Compile(context.Background(), []byte(good), build.Options{})
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("after Close: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("Close, or what comes after it, waits for ever")
	}
}

// TestCompileProcessor holds that the features asked for decide the code.
func TestCompileProcessor(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	const square = "define <8 x float> @f(<8 x float> %x) {\n  %y = fmul <8 x float> %x, %x\n  ret <8 x float> %y\n}\n"
	for _, c := range []struct {
		cpu, want string
		features  []string
	}{{"x86-64", "xmm", nil}, {"x86-64", "ymm", []string{"avx"}}, {"haswell", "ymm", nil}} {
		out, err := b.Compile(context.Background(), []byte(square), build.Options{Form: build.Assembly, CPU: c.cpu, Features: c.features})
		if err != nil || !strings.Contains(string(out), c.want) || c.want == "xmm" && strings.Contains(string(out), "ymm") {
			t.Errorf("%s %v: %v\n%s", c.cpu, c.features, err, out)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	for _, c := range []struct{ name, ir, want string }{
		{"syntax", "define i32 @f() {\n  ret i32 %x\n}\n", "kernel.ll:2:11: error: use of undefined value '%x'"},
		{"checker", "define i32 @f() {\n  br label %a\na:\n  %x = add i32 %y, 1\n  %y = add i32 1, 1\n  ret i32 %x\n}\n", "does not dominate"},
	} {
		_, err := b.Compile(context.Background(), []byte(c.ir), build.Options{})
		var ce *build.CompileError
		if !errors.As(err, &ce) || ce.Status != measure.BuildError || !strings.Contains(ce.Why, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// The worker survives.
	if _, err := b.Compile(context.Background(), []byte(good), build.Options{}); err != nil {
		t.Error(err)
	}
}

// TestCompileFatal makes LLVM itself end the process.
func TestCompileFatal(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	const ir = "declare <16 x float> @llvm.x86.avx512.sqrt.ps.512(<16 x float>, i32)\n" +
		"define <16 x float> @f(<16 x float> %x) {\n  %y = call <16 x float> @llvm.x86.avx512.sqrt.ps.512(<16 x float> %x, i32 8)\n  ret <16 x float> %y\n}\n"
	_, err := b.Compile(context.Background(), []byte(ir), build.Options{CPU: "x86-64"})
	var ce *build.CompileError
	if !errors.As(err, &ce) || ce.Status != measure.BuildCrash || !strings.Contains(ce.Why, "LLVM ERROR: ") {
		t.Errorf("%v", err)
	}
	if _, err := b.Compile(context.Background(), []byte(good), build.Options{}); err != nil {
		t.Error(err)
	}
}

func TestWorkerFaults(t *testing.T) {
	for _, c := range []struct {
		how    string
		status measure.Status
		want   string
	}{
		{"crash", measure.BuildCrash, "LLVM ERROR: out of registers (exit status 2"},
		{"exit", measure.BuildCrash, "exit status 7"},
		{"hang", measure.BuildTimeout, "did not finish in 500ms"},
		{"garbage", measure.BuildCrash, "garbled message"},
		{"crash-once", measure.OK, ""},
		{"kill", measure.BuildCrash, "SIGKILL"},
		{"kill-thrice", measure.OK, ""},
	} {
		t.Run(c.how, func(t *testing.T) {
			timeout := time.Minute
			if c.status == measure.BuildTimeout {
				timeout = 500 * time.Millisecond
			}
			b := faulty(t, c.how, timeout)
			_, err := b.Compile(context.Background(), []byte(good), build.Options{})
			var ce *build.CompileError
			switch {
			case c.status == measure.OK && err != nil:
				t.Error(err)
			case c.status == measure.OK:
			case !errors.As(err, &ce) || ce.Status != c.status || !strings.Contains(ce.Why, c.want):
				t.Errorf("%v", err)
			}
		})
	}
}

// TestGone: that no worker starts any more is not held against the text.
func TestGone(t *testing.T) {
	b := faulty(t, "gone", time.Minute)
	_, err := b.Compile(context.Background(), []byte(good), build.Options{})
	var ce *build.CompileError
	if err == nil || errors.As(err, &ce) || !strings.Contains(err.Error(), "is not wmtune's build worker: it ended") {
		t.Errorf("%v", err)
	}
}

// TestKilledIdle: workers that were killed while they had nothing to do fail no
// program, however many they are.
func TestKilledIdle(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{Workers: 6})
	for len(buildtest.Children(os.Getpid())) < 6 {
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() { b.Compile(context.Background(), []byte(good), build.Options{}) })
		}
		wg.Wait()
	}
	for _, pid := range buildtest.Children(os.Getpid()) {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	if _, err := b.Compile(context.Background(), []byte(good), build.Options{}); err != nil {
		t.Error(err)
	}
}

func TestNoLibrary(t *testing.T) {
	_, err := build.New(context.Background(), build.Config{Command: buildtest.Command(), LLVM: filepath.Join(t.TempDir(), "libLLVM.so")})
	if err == nil || !strings.Contains(err.Error(), "loading libLLVM") {
		t.Errorf("%v", err)
	}
	_, err = build.New(context.Background(), build.Config{Command: buildtest.Command(), LLVM: "libc.so.6"})
	if err == nil || !strings.Contains(err.Error(), "no libLLVM of version 16 or later") {
		t.Errorf("%v", err)
	}
	_, err = build.New(context.Background(), build.Config{Command: []string{"/bin/cat"}})
	if err == nil || !strings.Contains(err.Error(), "is not wmtune's build worker") {
		t.Errorf("%v", err)
	}
	_, err = build.New(context.Background(), build.Config{Command: []string{"/nonexistent"}})
	if err == nil || !strings.Contains(err.Error(), "starting the build worker") {
		t.Errorf("%v", err)
	}
}

func TestCancel(t *testing.T) {
	b := faulty(t, "hang", time.Minute)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := b.Compile(ctx, []byte(good), build.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// TestConcurrent compiles from many goroutines with two workers, one of the
// modules being wrong.
func TestConcurrent(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{Workers: 2})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			ir := strings.ReplaceAll(good, "@f", fmt.Sprintf("@f%d", i))
			if i == 7 {
				ir = "nonsense"
			}
			out, err := b.Compile(context.Background(), []byte(ir), build.Options{Form: build.Assembly})
			if i == 7 {
				if err == nil {
					t.Error("nonsense compiled")
				}
				return
			}
			if err != nil || !strings.Contains(string(out), fmt.Sprintf("f%d:", i)) {
				t.Errorf("%d: %v %s", i, err, out)
			}
		})
	}
	wg.Wait()
}

// TestBuild lowers, emits and compiles; results stand at the places of their
// inputs, and what has no program is a result too.
func TestBuild(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{Workers: 2})
	on := target.Target{Kind: target.LLVM, CPU: b.Info().CPU, Features: b.Info().Features}
	on.Hardware = target.Hardware{Cores: 2, VectorBytes: 32, VectorRegisters: 16, CacheLineBytes: 64}
	var inputs []measure.Input
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 0))
		_, d := tirtest.RandomDAG(r)
		s, err := schedule.Replay(d, tirtest.RandomSteps(r, d, 5))
		if err != nil {
			t.Fatal(err)
		}
		if seed == 5 {
			s = sketchOf(t, d)
		}
		inputs = append(inputs, measure.NewInput(s, on, target.Keep))
	}
	results, err := b.Build(context.Background(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		switch {
		case i == 5:
			if r.Status != measure.LowerError || !strings.Contains(r.Message, "lower: ") || r.Object != nil {
				t.Errorf("%d: %+v", i, r)
			}
		case r.Status != measure.OK || !strings.HasPrefix(string(r.Object), "\x7fELF") || r.Symbol != "wmtune_kernel" || r.Seconds <= 0:
			t.Errorf("%d: %v %s", i, r.Status, r.Message)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.Build(ctx, inputs); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// sketchOf splits a loop by a length that is still open.
func sketchOf(t *testing.T, d *compute.DAG) *schedule.State {
	t.Helper()
	last := len(d.Ops) - 1
	s, err := schedule.New(d).Apply(schedule.Split{At: last, Iter: 0, Lengths: []int64{schedule.OpenLength}, InnerToOuter: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOtherName: under the name of another processor this machine still gets no instruction that it lacks.
func TestOtherName(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	info := b.Info()
	const add = "define <8 x half> @f(<8 x half> %x) {\n  %y = fadd <8 x half> %x, %x\n  ret <8 x half> %y\n}\n"
	out, err := b.Compile(context.Background(), []byte(add), build.Options{Form: build.Assembly, CPU: "sapphirerapids", Features: info.Features})
	if err != nil {
		t.Fatal(err)
	}
	if has := slices.Contains(info.Features, "avx512fp16"); has != strings.Contains(string(out), "vaddph") {
		t.Errorf("avx512fp16 is on: %v, but\n%s", has, out)
	}
}
