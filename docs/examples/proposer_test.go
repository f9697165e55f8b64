package examples

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune"
)

// hillClimber is a Proposer: it takes one decision of the fastest candidate anew, and draws the first ones at random.
type hillClimber struct{}

// Name is "": the scorer says which candidates of many are measured.
func (hillClimber) Name() string { return "" }

// Propose returns up to n candidates that were not measured.
func (hillClimber) Propose(ctx context.Context, b *search.Board, n int) ([]evolve.Scored, error) {
	for attempt := range search.Attempts {
		next := b.Source().Sample
		if fastest := b.Fastest(1); len(fastest) > 0 {
			next = func(rng *rand.Rand) (*schedule.State, error) { return b.Source().Step(fastest[0], rng) }
		}
		states, err := annotate.Draw(ctx, 8*n, b.Seed(), b.Stream(attempt), b.Workers(), next)
		if err != nil {
			return nil, err
		}
		var fresh []*schedule.State
		for _, s := range states {
			if !b.Measured(s.Signature()) {
				fresh = append(fresh, s)
			}
		}
		scores, err := b.Score(ctx, fresh)
		if err != nil {
			return nil, err
		}
		list := search.Unscored(fresh)
		for i := range list {
			list[i].Score = scores[i]
		}
		slices.SortFunc(list, evolve.BestFirst)
		if picked, err := b.Pick(ctx, n, evolve.Share{List: list, Places: n}); err != nil || len(picked) > 0 {
			return picked, err
		}
	}
	return nil, nil
}

// Tune with a Proposer of one's own.
func Example_ownProposer() {
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
	r, err := tune.Run(ctx, m, w, tune.Options{Trials: 12, PerRound: 4, ScorerName: "random", Proposer: hillClimber{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d trials, timed: %v\n", r.Trials, r.BestUS != nil)
	// Output: 12 trials, timed: true
}
