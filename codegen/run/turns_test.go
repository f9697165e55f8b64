package run_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
)

var shortRound = run.RoundPlan{Samples: 3, MinSample: 200 * time.Microsecond, MaxTotal: time.Second}

// TestTurns times a program round by round.
func TestTurns(t *testing.T) {
	b := newBench(t)
	r := b.runner(quick)
	turns, err := r.Turns(context.Background(), b.object("good.ll"))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		samples, err := turns.Round(context.Background(), shortRound)
		if err != nil || len(samples) != 3 || samples[0] <= 0 || samples[0] > 1 {
			t.Fatalf("samples %v, %v", samples, err)
		}
	}
	if err := turns.Verify(context.Background()); err != nil {
		t.Error(err)
	}
	long := shortRound
	long.MaxTotal = time.Nanosecond
	if samples, err := turns.Round(context.Background(), long); err != nil || len(samples) != 1 {
		t.Errorf("when there is no time: %v, %v", samples, err)
	}
}

// TestTurnsRefuses: a program that is not correct has no turns, or no more.
func TestTurnsRefuses(t *testing.T) {
	b := newBench(t)
	r := b.runner(quick)
	ctx := context.Background()
	for _, c := range []struct {
		built measure.BuildResult
		want  string
	}{
		{b.object("faults/wrong.ll"), "wrong answer"},
		{b.object("faults/segfault.ll"), "crash"},
		{measure.BuildResult{Status: measure.BuildError, Message: "no such thing"}, "no such thing"},
	} {
		if _, err := r.Turns(ctx, c.built); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	turns, err := r.Turns(ctx, b.object("faults/stops-working.ll"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = turns.Round(ctx, shortRound); err == nil {
		err = turns.Verify(ctx)
	}
	if err == nil || !strings.Contains(err.Error(), "wrong answer") {
		t.Errorf("a program that stops computing: %v", err)
	}
}
