package run_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
)

// quick is a configuration for tests that time nothing.
var quick = run.Config{Rounds: 2, Calls: 2, Spacing: time.Millisecond, MinSample: time.Microsecond}

func (b *bench) run(ctx context.Context, r *run.Runner, batch ...measure.BuildResult) []measure.Result {
	b.Helper()
	results, err := r.Run(ctx, make([]measure.Input, len(batch)), batch)
	if err != nil {
		b.Fatal(err)
	}
	return results
}

// children returns the processes that this one started and that are still there,
// zombies included.
func children(t *testing.T) (list []string) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it is gone
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		var state string
		var parent int
		if _, err := fmt.Sscan(rest, &state, &parent); err == nil && parent == os.Getpid() {
			list = append(list, filepath.Base(filepath.Dir(name))+" "+state)
		}
	}
	return list
}

// TestKilledBetweenBatches: the worker is gone when the next batch comes.
func TestKilledBetweenBatches(t *testing.T) {
	b := newBench(t)
	r := b.runner(quick)
	good := b.object("good.ll")
	for range 3 {
		syscall.Kill(r.WorkerPID(), syscall.SIGKILL)
		for i, res := range b.run(context.Background(), r, good, good) {
			if res.Status != measure.OK {
				t.Errorf("program %d: %s: %s", i, res.Status, res.Message)
			}
		}
	}
}

// TestKilledDuringCall: somebody kills the worker in the middle of a call. Nobody
// is blamed, and all is measured.
func TestKilledDuringCall(t *testing.T) {
	b := newBench(t)
	r := b.runner(quick)
	good, slow := b.object("good.ll"), b.object("slow.ll")
	pid, calling := r.WorkerPID(), r.Calling()
	go func() {
		for !calling() {
			time.Sleep(time.Millisecond)
		}
		syscall.Kill(pid, syscall.SIGKILL)
	}()
	for i, res := range b.run(context.Background(), r, slow, good) {
		if res.Status != measure.OK || len(res.Costs) == 0 {
			t.Errorf("program %d: %s: %s", i, res.Status, res.Message)
		}
	}
	if r.WorkerPID() == pid {
		t.Error("the worker was not killed: the test proves nothing")
	}
}

// TestCancel: a context that ends kills what runs, keeps what was measured, and
// leaves the runner usable.
func TestCancel(t *testing.T) {
	b := newBench(t)
	r := b.runner(run.Config{Rounds: 1, Calls: 2, Timeout: time.Minute})
	good, loop := b.object("good.ll"), b.object("faults/loop.ll")
	ctx, cancel := context.WithCancel(context.Background())
	calls := r.Calls()
	before := calls()
	go func() {
		for calls() < before+2 { // the first is called once
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	results := b.run(ctx, r, b.object("faults/nothing.ll"), loop, good)
	wantStatus(t, results[0], measure.WrongAnswer)
	wantStatus(t, results[1], measure.Unmeasured, "interrupted")
	wantStatus(t, results[2], measure.Unmeasured, "interrupted")
	wantStatus(t, b.run(context.Background(), r, good)[0], measure.OK)
}

// TestNothingIsLeft: after Close there is no process of ours, whatever the
// candidates did.
func TestNothingIsLeft(t *testing.T) {
	b := newBench(t)
	before := len(children(t)) // the build worker
	cfg := quick
	cfg.Timeout = 100 * time.Millisecond
	r := b.runner(cfg)
	b.run(context.Background(), r, b.object("good.ll"), b.object("faults/loop.ll"), b.object("faults/segfault.ll"), b.object("fork.ll"))
	b.run(context.Background(), r, b.object("good.ll"))
	r.Close()
	if left := children(t); len(left) != before {
		t.Errorf("processes left: %v", left)
	}
}

// TestReferenceIsComputedOnce: a worker that replaces one that died does not run
// the reference again.
func TestReferenceIsComputedOnce(t *testing.T) {
	b := newBench(t)
	r := b.runner(quick)
	for range 3 {
		res := b.run(context.Background(), r, b.object("faults/segfault.ll"), b.object("good.ll"))
		wantStatus(t, res[1], measure.OK)
	}
	if n := r.ReferenceCalls(); n != 2 {
		t.Errorf("the reference ran %d times, want 2: once per set of inputs", n)
	}
}

// TestBuildFailuresPass: what was not built is not run, and keeps its status.
func TestBuildFailuresPass(t *testing.T) {
	b := newBench(t)
	r := b.runner(quick)
	res := b.run(context.Background(), r, measure.BuildResult{Status: measure.BuildError, Message: "no"}, b.object("good.ll"))
	wantStatus(t, res[0], measure.BuildError, "no")
	wantStatus(t, res[1], measure.OK)
}

// TestBadReference: a reference that cannot be used is an error of SetTask.
func TestBadReference(t *testing.T) {
	b := newBench(t)
	short := quick
	short.ReferenceTimeout = 200 * time.Millisecond
	long, brief := b.runner(quick), b.runner(short)
	for _, c := range []struct{ file, says string }{
		{"faults/segfault.ll", "SIGSEGV: writes address 0x1234"},
		{"faults/loop.ll", "did not finish in 200ms"},
		{"faults/nothing.ll", "the reference gives NaN at C[0]"},
		{"wrong_reference.ll", "the reference program gives"},
		{"faults/undefined.ll", "symbol no_such_function is not defined"},
	} {
		r := long
		if c.file == "faults/loop.ll" {
			r = brief
		}
		task := run.Reference{DAG: scaledSum(), Program: b.object(c.file), Runtime: b.runtime}
		err := r.SetTask(context.Background(), task)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %q", c.file, err, c.says)
		}
		if _, err := r.Run(context.Background(), nil, nil); err == nil {
			t.Errorf("%s: runs without a task", c.file)
		}
	}
}

// TestWorkerCannotStart: the command is not a worker.
func TestWorkerCannotStart(t *testing.T) {
	b := newBench(t)
	for _, command := range [][]string{{"/nonexistent"}, {"/bin/true"}, {"/bin/echo", "hello, this is no frame at all"}} {
		r, err := run.New(run.Config{Command: command})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if err := r.SetTask(context.Background(), run.Reference{DAG: scaledSum(), Program: b.object("reference.ll"), Runtime: b.runtime}); err == nil {
			t.Errorf("%v is taken for a worker", command)
		} else {
			t.Log(err)
		}
	}
	if _, err := run.New(run.Config{}); err == nil {
		t.Error("no command, no error")
	}
}

// TestFinalists: a program that sleeps loses against one that does not.
func TestFinalists(t *testing.T) {
	b := newSimulatedBench(t)
	r := b.runner(quick)
	good, slow := b.object("good.ll"), b.object("slow.ll")
	c, err := r.Remeasure(context.Background(), nil, []measure.BuildResult{slow, good, b.object("faults/nan.ll")})
	if err != nil {
		t.Fatal(err)
	}
	if c[0].Cost() < 2*c[1].Cost() || c[2].Status != measure.WrongAnswer || len(c[0].Costs) < 10 {
		t.Errorf("got %+v", c)
	}
}

// TestWoken: a short program is called for a while before a round is timed. One that works for 500 calls only has them
// behind it, though so few samples of so few calls are wanted.
func TestWoken(t *testing.T) {
	b := newSimulatedBench(t)
	res := b.run(context.Background(), b.runner(quick), b.object("worn.ll"))[0]
	wantStatus(t, res, measure.WrongAnswer)
	if !strings.HasPrefix(res.Message, "after it was timed") {
		t.Errorf("got %+v", res)
	}
}

// TestCalledOnce: a candidate whose first call takes longer than the best so far, by more than a disturbance lasts, is
// not called again, and its message says so; one that may have been disturbed is called once more. One that is wrong is
// wrong all the same, and as a finalist it is checked and timed in full.
func TestCalledOnce(t *testing.T) {
	b := newSimulatedBench(t)
	r := b.runner(quick)
	good, slow := b.object("good.ll"), b.object("slow.ll")
	results := b.run(context.Background(), r, good, slow, good, b.object("tired.ll"))
	if res := results[1]; res.Status != measure.OK || len(res.Costs) != 2 || res.Cost() < 20e-3 ||
		!strings.Contains(res.Message, "called 2 times") {
		t.Errorf("got %+v", res)
	}
	if res := results[3]; res.Status != measure.OK || len(res.Costs) != 1 || res.Cost() < 60e-3 ||
		!strings.Contains(res.Message, "called once") {
		t.Errorf("got %+v", res)
	}
	if res := results[2]; res.Status != measure.OK || len(res.Costs) < 2 || strings.HasPrefix(res.Message, "called") {
		t.Errorf("the one behind it: %+v", res)
	}
	first := b.run(context.Background(), b.runner(quick), slow, good)[0]
	if first.Status != measure.OK || len(first.Costs) != 3 || !strings.Contains(first.Message, "called 3 times") {
		t.Errorf("the one that was first: %+v", first)
	}
	finals, err := r.Remeasure(context.Background(), nil, []measure.BuildResult{slow, good})
	if err != nil || len(finals[0].Costs) < 10 {
		t.Errorf("%v, %+v", err, finals)
	}
}

// TestDelayed: a candidate whose first call took much longer than the best so far, but not longer than another process
// may have delayed it, is checked again and timed as the others.
func TestDelayed(t *testing.T) {
	b := newSimulatedBench(t)
	good, delayed := b.object("good.ll"), b.object("delayed.ll")
	res := b.run(context.Background(), b.runner(quick), good, delayed)[1]
	if res.Status != measure.OK || len(res.Costs) < 3 || res.Cost() > 10e-3 || res.Message != "" {
		t.Errorf("got %+v", res)
	}
}

// TestFarFromBest: a candidate that takes two to four times as long as the best so
// far is checked in one way and timed; it is checked in every way as a finalist,
// and where nothing was faster before it.
func TestFarFromBest(t *testing.T) {
	b := newSimulatedBench(t)
	slow, tired := b.object("slow.ll"), b.object("tired.ll")
	results := b.run(context.Background(), b.runner(quick), slow, tired)
	if res := results[1]; res.Status != measure.OK || res.Cost() < 60e-3 || len(res.Costs) != 1 ||
		!strings.HasPrefix(res.Message, "timed once") {
		t.Errorf("far from the best: %+v", res)
	}
	r := b.runner(quick)
	wantStatus(t, b.run(context.Background(), r, tired)[0], measure.WrongAnswer)
	finals, err := r.Remeasure(context.Background(), nil, []measure.BuildResult{slow, tired})
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, finals[0], measure.OK)
	wantStatus(t, finals[1], measure.WrongAnswer)
}

// TestFirstCallIsCold: a candidate whose first call is slow because its
// temporaries are guarded is timed all the same. On a busy machine another process may delay all its calls: then it
// is tried again.
func TestFirstCallIsCold(t *testing.T) {
	b := newBench(t)
	r, good, cold := b.runner(quick), b.object("good.ll"), b.object("large_temporary.ll")
	var res measure.Result
	for range 5 {
		if res = b.run(context.Background(), r, good, cold)[1]; res.Status == measure.OK && len(res.Costs) >= 2 && res.Message == "" {
			return
		}
		r.Restart()
	}
	t.Errorf("got %+v", res)
}

// TestBaseline: a program that takes longer than any candidate may is called three times
// as a baseline; a short one is measured like a candidate.
func TestBaseline(t *testing.T) {
	b := newBench(t)
	cfg := quick
	cfg.Timeout = 300 * time.Millisecond
	r := b.runner(cfg)
	slow := b.object("very_slow.ll")
	res, err := r.Baseline(context.Background(), slow)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != measure.OK || len(res.Costs) != 3 || res.Cost() < 1 {
		t.Errorf("got %+v", res)
	}
	wantStatus(t, b.run(context.Background(), r, slow)[0], measure.RunTimeout)
	res, err = r.Baseline(context.Background(), b.object("good.ll"))
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != measure.OK || len(res.Costs) < 4 {
		t.Errorf("got %+v", res)
	}
	if res, err = r.Baseline(context.Background(), b.object("faults/nan.ll")); err != nil || res.Status != measure.WrongAnswer {
		t.Errorf("got %+v, %v", res, err)
	}
}

// TestRestart: what a fast candidate took does not bound those of the next search,
// which run in another process, and the reference is not computed again.
func TestRestart(t *testing.T) {
	b := newBench(t)
	r := b.runner(quick)
	good := b.object("good.ll")
	wantStatus(t, b.run(context.Background(), r, good)[0], measure.OK)
	pid := r.WorkerPID()
	if !r.Bounded() {
		t.Error("the first candidate bounds nothing")
	}
	r.Restart()
	if r.Bounded() {
		t.Error("the first candidate bounds the next search")
	}
	wantStatus(t, b.run(context.Background(), r, good)[0], measure.OK)
	if n := r.ReferenceCalls(); n != 2 || r.WorkerPID() == pid {
		t.Errorf("the reference ran %d times; worker %d, was %d", n, r.WorkerPID(), pid)
	}
}
