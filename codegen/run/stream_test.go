package run_test

import (
	"context"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
)

// TestRunStream: candidates that come in pieces are checked as they come and timed at the end, beside the anchor;
// results are those of what came.
func TestRunStream(t *testing.T) {
	b := newBench(t)
	r := b.runner(run.Config{Cores: twoCores(t), Rounds: 2, Calls: 3, Spacing: time.Millisecond})
	good, wrong := b.object("good.ll"), b.object("faults/nothing.ll")
	refused := measure.BuildResult{Status: measure.BuildTimeout, Message: "15 s"}
	statuses := []measure.Status{measure.OK, measure.BuildTimeout, measure.OK, measure.WrongAnswer, measure.OK}
	for round := range 2 { // the second with an anchor
		calling := make(chan []measure.BuildResult)
		go func() {
			calling <- []measure.BuildResult{good, refused, good}
			calling <- []measure.BuildResult{wrong, good} // which is received once the others are checked
			close(calling)
		}()
		results, err := r.RunStream(context.Background(), make([]measure.Input, 7), calling)
		if err != nil || len(results) != len(statuses) {
			t.Fatalf("round %d: %d results, %v", round, len(results), err)
		}
		for i, res := range results {
			wantStatus(t, res, statuses[i])
			if (len(res.Costs) >= 2*3) != (res.Status == measure.OK) {
				t.Errorf("round %d: candidate %d has %d samples", round, i, len(res.Costs))
			}
		}
	}
	if results, err := r.Run(context.Background(), make([]measure.Input, 1), []measure.BuildResult{good}); err != nil {
		t.Error(err)
	} else {
		wantStatus(t, results[0], measure.OK)
	}

	many := make(chan []measure.BuildResult, 1)
	many <- []measure.BuildResult{good, good}
	close(many)
	if _, err := r.RunStream(context.Background(), make([]measure.Input, 1), many); err == nil {
		t.Error("two candidates came of one")
	}

	ctx, cancel := context.WithCancel(context.Background())
	some := make(chan []measure.BuildResult)
	go func() {
		some <- []measure.BuildResult{good}
		some <- []measure.BuildResult{refused}
		cancel()
		close(some)
	}()
	results, err := r.RunStream(ctx, make([]measure.Input, 3), some)
	if err != nil || len(results) == 0 || results[0].Status != measure.Unmeasured {
		t.Errorf("cancelled: %+v, %v", results, err)
	}
}
