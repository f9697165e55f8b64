package examples

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune"
)

// wideTiles is a Scorer: it prefers innermost tiles of 16 elements. It counts what it
// learns from.
type wideTiles struct{ learned int }

// Score returns one value per state; higher is faster.
func (*wideTiles) Score(_ context.Context, _ *search.Task, states []*schedule.State) ([]float64, error) {
	scores := make([]float64, len(states))
	for i, s := range states {
		for _, step := range s.Steps {
			if sp, ok := step.(schedule.Split); ok {
				scores[i] -= math.Abs(math.Log2(float64(sp.Lengths[len(sp.Lengths)-1]) / 16))
			}
		}
	}
	return scores, nil
}

// Update learns from measured records, failures included.
func (w *wideTiles) Update(_ context.Context, _ *search.Task, records []dataset.Record) error {
	w.learned += len(records)
	return nil
}

// Traits says that the scorer learns, and does nothing beyond Score and Update.
func (*wideTiles) Traits() search.Traits { return search.Traits{} }

// Tune with a Scorer of one's own, round by round.
func Example_ownScorer() {
	ctx := context.Background()
	m, err := machine.Open(ctx, "llvm", machine.Options{Libraries: machine.Libraries{LLVM: os.Getenv("WMTUNE_LLVM")}})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	w, err := workload.Find("matmul:m=64,n=64,k=64,epilogue=relu")
	if err != nil {
		log.Fatal(err)
	}
	mine := &wideTiles{}
	s, err := tune.Open(ctx, m, w, tune.Options{Trials: 8, PerRound: 4, Scorer: mine, ScorerName: "wide tiles"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.Begin(ctx); err != nil {
		log.Fatal(err)
	}
	rounds := 0
	for more := true; more && err == nil; rounds++ {
		more, err = s.Step(ctx)
	}
	if err := s.End(ctx, err); err != nil {
		log.Fatal(err)
	}
	r := s.Result()
	fmt.Printf("%s: %d trials in %d rounds, learned from %d records, timed: %v\n", r.Scorer, r.Trials, rounds-1, mine.learned, r.BestUS != nil)
	// Output: wide tiles: 8 trials in 2 rounds, learned from 8 records, timed: true
}
