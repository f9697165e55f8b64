package build_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// That a program of a GPU, or one that is no candidate, is slow to compile for the processor
// says nothing of it: the compiler has more time than for candidates.
func TestPatience(t *testing.T) {
	w, err := op.Parse("matmul:m=8,n=8,k=8")
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Lower(schedule.New(w.DAG), lower.Config{Target: target.Generic(32, 2), Layout: target.Keep})
	if err != nil {
		t.Fatal(err)
	}
	b := faulty(t, "hang", 30*time.Millisecond)
	results, err := b.BuildOnHost(context.Background(), []*tir.Func{f, nil}, lower.Forward, target.Generic(32, 2))
	if err != nil || results[0].Status != measure.BuildTimeout || !strings.Contains(results[0].Message, "did not finish in 360ms") || results[1].Status != measure.NoStatus {
		t.Errorf("%+v, %v", results, err)
	}
	if results, err := b.BuildFunc(context.Background(), f, target.Generic(32, 2)); err != nil || !strings.Contains(results.Message, "did not finish in 30ms") {
		t.Errorf("for the processor: %+v, %v", results, err)
	}
	if r, err := b.Reference(context.Background(), w.DAG, target.Generic(32, 2)); err != nil || !strings.Contains(r.Message, "did not finish in 360ms") {
		t.Errorf("the reference: %+v, %v", r, err)
	}
	if _, err := b.Runtime(context.Background(), build.Options{}); err == nil || !strings.Contains(err.Error(), "run-time: build: build timeout: the compiler did not finish in 360ms") {
		t.Errorf("the run-time: %v", err)
	}
}
