package search

import (
	"context"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A second scorer has a closer look that finds the opposite of what its scores say, or none.
type second struct {
	sure
	looks bool
	asked int // states that it looked at
}

func (s *second) Traits() Traits { return Traits{Refine: s.refine} }

func (s *second) refine(ctx context.Context, t *Task, states []*schedule.State) ([]float64, error) {
	if !s.looks {
		return nil, nil
	}
	s.asked += len(states)
	scores, err := s.Score(ctx, t, states)
	for i := range scores {
		scores[i] = -scores[i]
	}
	return scores, err
}

// TestRefine: a closer look has the last word on the best of an evolution; without one scores stand.
func TestRefine(t *testing.T) {
	ctx := context.Background()
	choose := func(s Scorer, n int) []evolve.Scored {
		t.Helper()
		o := evolve.Options{Population: 64 + 4*n, Generations: 1, Parents: 32}
		tn := tuner(&machine{}, Options{Trials: 1, Seed: 3, Propose: Evolve{Evolution: o}})
		tn.Scorer = s
		chosen, err := tn.Choose(ctx, n)
		if err != nil || len(chosen) != n {
			t.Fatalf("%d chosen, %v", len(chosen), err)
		}
		return chosen
	}
	for _, n := range []int{4, 300} {
		plain := choose(sure{Random{Seed: 3}}, n)
		if !slices.EqualFunc(plain, choose(&second{sure: sure{Random{Seed: 3}}}, n), func(a, b evolve.Scored) bool {
			return a.Signature == b.Signature && a.Score == b.Score
		}) {
			t.Error("a scorer without a closer look at the task chooses otherwise than by its scores")
		}
		closer := &second{sure: sure{Random{Seed: 3}}, looks: true}
		chosen := choose(closer, n)
		if closer.asked > 2*max(refined, 2*n)+n || closer.asked < 64 {
			t.Errorf("it looked at %d states", closer.asked)
		}
		for i, c := range chosen {
			if -c.Score >= plain[n-1].Score || i > 0 && c.Score > chosen[i-1].Score {
				t.Errorf("choice %d of %d: %v, against %v of the scores' own", i, n, c.Score, plain[n-1].Score)
			}
		}
	}
}
