package machine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// hostKernels are programs of a GPU whose tiles do not divide.
var hostKernels = []struct{ workload, steps string }{
	{"matmul:m=64,n=48,k=37", `[["CHW", 2, "local"], ["SP", 2, 0, 0, [2, 4, 2], 1], ["SP", 2, 4, 0, [1, 8, 2], 1], ["SP", 2, 8, 0, [4], 1],
		["RE", 2, [0, 4, 1, 5, 2, 6, 8, 9, 3, 7]], ["FSP", 3, 0, 1, 3], ["FSP", 3, 4, 2, 3], ["RE", 3, [0, 4, 1, 5, 2, 6, 3, 7]], ["CA", 2, 3, 5],
		["CHR", 1, "shared", [2]], ["CA", 2, 3, 6], ["CHR", 0, "shared", [3]], ["CA", 1, 4, 6],
		["FU", 5, [0, 1]], ["AN", 5, 0, 5], ["FU", 5, [1, 2]], ["AN", 5, 1, 4], ["FU", 5, [2, 3]], ["AN", 5, 2, 6],
		["FU", 3, [0, 1]], ["SP", 3, 0, 0, [32], 1], ["AN", 3, 1, 6], ["FU", 1, [0, 1]], ["SP", 1, 0, 0, [32], 1], ["AN", 1, 1, 6]]`},
	{"conv2d:h=9,w=8,ci=5,co=7,k=3,s=1,p=1", `[["CHR", 1, "shared", [3]], ["CI", 1], ["SP", 4, 3, 0, [4], 1], ["SP", 4, 2, 0, [4], 1], ["SP", 4, 8, 0, [2], 1],
		["RE", 4, [0, 1, 2, 4, 3, 5, 8, 6, 7, 9]], ["FU", 4, [0, 1, 2, 3]], ["AN", 4, 0, 5], ["FU", 4, [1, 2]], ["AN", 4, 1, 6], ["CA", 2, 4, 2],
		["FU", 2, [0, 1, 2, 3]], ["SP", 2, 0, 0, [16], 1], ["AN", 2, 1, 6]]`},
	{"depthwise:h=9,w=8,c=10,k=3,s=1,p=1", `[["CHR", 1, "shared", [3]], ["CI", 1], ["SP", 4, 3, 0, [4], 1], ["SP", 4, 2, 0, [4], 1],
		["RE", 4, [0, 1, 2, 4, 3, 5, 6, 7]], ["FU", 4, [0, 1, 2, 3]], ["AN", 4, 0, 5], ["FU", 4, [1, 2]], ["AN", 4, 1, 6], ["CA", 2, 4, 0],
		["FU", 2, [0, 1, 2, 3]], ["SP", 2, 0, 0, [16], 1], ["AN", 2, 1, 6]]`},
	// 16 threads share a maximum, so nothing is folded: without a barrier, a fold of maxima may give the same softmax.
	{"softmax:m=6,n=100", `[["SP", 1, 1, 0, [16], 1], ["AN", 1, 0, 5], ["AN", 1, 2, 6], ["FU", 2, [0, 1]], ["SP", 2, 0, 0, [64], 1], ["AN", 2, 0, 5], ["AN", 2, 1, 6],
		["SP", 3, 1, 0, [32], 1], ["AN", 3, 0, 5], ["AN", 3, 2, 6], ["FU", 4, [0, 1]], ["SP", 4, 0, 0, [64], 1], ["AN", 4, 0, 5], ["AN", 4, 1, 6]]`},
	{"batch_matmul:b=3,m=13,n=10,k=9", `[["CHR", 1, "shared", [2]], ["CHR", 0, "shared", [3]], ["SP", 4, 1, 0, [4], 1], ["SP", 4, 3, 0, [4], 1], ["SP", 4, 5, 0, [4], 1],
		["RE", 4, [0, 1, 3, 2, 4, 5, 6]], ["FU", 4, [0, 1, 2]], ["AN", 4, 0, 5], ["FU", 4, [1, 2]], ["AN", 4, 1, 6], ["CA", 3, 4, 2], ["CA", 1, 4, 2],
		["FU", 3, [0, 1, 2]], ["SP", 3, 0, 0, [16], 1], ["AN", 3, 1, 6], ["FU", 1, [0, 1, 2]], ["SP", 1, 0, 0, [16], 1], ["AN", 1, 1, 6]]`},
}

// TestCheckOnHost takes each barrier and each part of a condition out of kernels:
// nothing but the whole of them is right.
func TestCheckOnHost(t *testing.T) {
	buildtest.NeedLLVM(t, build.Config{})
	m, err := OpenCPU(t.Context(), testOptions(0))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, k := range hostKernels {
		f := hostKernel(t, m, k.workload, k.steps)
		broken := brokenOf(f)
		fns := []*tir.Func{f, nil}
		for _, b := range broken {
			fns = append(fns, b.f)
		}
		results := checkPrograms(t, m, fns, 0, true)
		for i, b := range broken {
			if b.what != barrier {
				fns[2+i] = nil
			}
		}
		ran := checkPrograms(t, m, fns, 0, false) // without a look for races
		if results[0].Status != measure.OK || results[1].Status != measure.NoStatus {
			t.Errorf("%s: %s: %s\n%s", k.workload, results[0].Status, results[0].Message, f)
		}
		for i, b := range broken {
			res := results[2+i]
			if res.Status == measure.OK || b.what == barrier && ran[2+i].Status != measure.WrongAnswer {
				t.Errorf("%s without %s is right, too\n%s", k.workload, b.what, b.f)
			}
		}
	}
}

// TestCheckSomeBlocks: a program that takes too many operations is checked in part.
func TestCheckSomeBlocks(t *testing.T) {
	buildtest.NeedLLVM(t, build.Config{})
	m, err := OpenCPU(t.Context(), testOptions(0))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	f := hostKernel(t, m, hostKernels[1].workload, hostKernels[1].steps)
	some, part := affordable(f, 3*hostFLOPs)
	if n := blocksOf(some); !part || n != blocksOf(f)/3 {
		t.Fatalf("%d of %d blocks, in part: %v", n, blocksOf(f), part)
	}
	fns := []*tir.Func{f}
	for _, b := range brokenOf(f) {
		if b.what == barrier {
			fns = append(fns, b.f)
		}
	}
	results := checkPrograms(t, m, fns, 3*hostFLOPs, false)
	for i, res := range results {
		if want := []measure.Status{measure.OK, measure.WrongAnswer}[min(i, 1)]; res.Status != want {
			t.Errorf("program %d: %s (%s), want %s", i, res.Status, res.Message, want)
		}
	}
}

// TestCheckBlocksStops: a check of blocks that is under way ends with the context, which is no fault of
// the program.
func TestCheckBlocksStops(t *testing.T) {
	i, j, tx := tir.NewVar("i"), tir.NewVar("j"), tir.NewVar("tx")
	c := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{1}}
	body := tir.Stmt(&tir.Store{Buffer: c, Index: []tir.Expr{tx}, Value: tir.Float(tir.F32, 1)})
	for _, v := range []*tir.Var{j, i} {
		// Of an extent that is no constant, all iterations run.
		body = &tir.For{Var: v, Extent: tir.Bin(tir.Add, tx, tir.Int(1<<20)), Body: body}
	}
	f := &tir.Func{Name: "f", Params: []*tir.Buffer{c}, Outputs: 1, Body: &tir.For{Var: tx, Extent: tir.Int(1), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: body}}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- checkBlocks(ctx, f, &measure.BuildResult{Status: measure.OK})
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it does not stop")
	}
}

// checkPrograms checks lowered programs as Check does; a nil one is left out. Without
// races, no blocks are interpreted.
func checkPrograms(t *testing.T, m *CPU, fns []*tir.Func, flops float64, races bool) []measure.Result {
	t.Helper()
	built := make([]measure.BuildResult, len(fns))
	for i, f := range fns {
		if f == nil {
			continue
		}
		built[i] = measure.BuildResult{Status: measure.OK, TF32: f.Rounds()}
		var err error
		if races {
			err = checkBlocks(t.Context(), f, &built[i])
		}
		if err == nil {
			err = addHostPrograms(t.Context(), m, f, flops, &built[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	results, err := runOnHost(t.Context(), m, built)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// hostKernel sets the task of m, and returns the program of steps for it.
func hostKernel(t *testing.T, m *CPU, spec, steps string) *tir.Func {
	t.Helper()
	w, err := workload.Find(spec)
	if err != nil {
		t.Fatal(err)
	}
	list, err := schedule.ParseSteps([]byte(steps))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(w.DAG, list)
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Lower(s, lower.Config{Target: target.Target{Kind: target.CUDA, Arch: "sm_75"}, Check: lower.CheckEach})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.SetTask(t.Context(), w.DAG, 1, measure.Repeated); err != nil {
		t.Fatal(err)
	}
	return f
}

const barrier = "a barrier"

// A broken program lacks one thing.
type broken struct {
	what string
	f    *tir.Func
}

// brokenOf returns f without each of its barriers, and without each part of its
// conditions.
func brokenOf(f *tir.Func) []broken {
	var list []broken
	for at := 0; ; at++ {
		b := breaker{left: at}
		g := *f
		g.Body = tir.MapStmt(f.Body, b.stmt, b.expr)
		if b.left >= 0 {
			return list
		}
		list = append(list, broken{b.what, &g})
	}
}

// A breaker takes out what it finds after it has found as many others as are left.
type breaker struct {
	left int
	what string
}

// found reports whether it is the turn of what was found.
func (b *breaker) found(format string, args ...any) bool {
	b.left--
	if b.left == -1 {
		b.what = fmt.Sprintf(format, args...)
	}
	return b.left == -1
}

func (b *breaker) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Barrier:
		if b.found(barrier) {
			return nil
		}
	case *tir.If:
		if cond := b.cond(s.Cond); cond != s.Cond {
			return &tir.If{Cond: cond, Then: s.Then, Else: s.Else}
		}
	}
	return s
}

func (b *breaker) expr(e tir.Expr) tir.Expr {
	return tir.MapExpr(e, func(e tir.Expr) tir.Expr {
		if s, ok := e.(*tir.Select); ok && s.Lazy {
			if cond := b.cond(s.Cond); cond != s.Cond {
				return &tir.Select{Cond: cond, Then: s.Then, Else: s.Else, Lazy: true}
			}
		}
		return e
	})
}

// cond takes out one of the conditions that && joins.
func (b *breaker) cond(e tir.Expr) tir.Expr {
	if and, ok := e.(*tir.Binary); ok && and.Op == tir.And {
		x, y := b.cond(and.X), b.cond(and.Y)
		if x != and.X || y != and.Y {
			return tir.Bin(tir.And, x, y)
		}
		return e
	}
	if b.found("condition %s", e) {
		return tir.BoolImm(true)
	}
	return e
}
