package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A round of a frozen scorer has places for what its order alone would not bring; the
// others are for the best in its order.
const (
	// novelShare is the share of a round for structures that were not measured, the best
	// one of each: of the family first of which the fewest were measured.
	novelShare = 0.15
	// kinShare is the share of a round for neighbours of the fastest programs, of their
	// structures: among those a scorer's order is good where it is not between structures.
	kinShare = 0.25
	// kinParents is how many of the fastest have neighbours looked at, if they take at
	// most kinSlack times as long as the first.
	kinParents = 4
	kinSlack   = 1.2
	// looked is how many states are scored for each place.
	looked = 64
)

// outline names the structure of a program: its steps without the lengths of tiles and
// the amount of unrolling.
func outline(steps []schedule.Step) string {
	var b strings.Builder
	for _, step := range steps {
		switch s := step.(type) {
		case schedule.Split:
			fmt.Fprintf(&b, "SP %d %d %d;", s.At, s.Iter, len(s.Lengths))
		case schedule.Pragma:
		default:
			b.WriteString(s.String())
		}
	}
	return b.String()
}

// family names what a program is at large: which stages are cached, factored, inlined
// or computed at another, and whether it runs in parallel.
func family(steps []schedule.Step) string {
	var b strings.Builder
	parallel := ""
	for _, step := range steps {
		switch s := step.(type) {
		case schedule.CacheRead, schedule.CacheWrite, schedule.ComputeInline, schedule.ComputeRoot:
			fmt.Fprintf(&b, "%s %d;", s.Kind(), s.Stage())
		case schedule.Rfactor:
			fmt.Fprintf(&b, "RF %d;", s.At)
		case schedule.Winograd:
			fmt.Fprintf(&b, "WG %d %d;", s.At, s.Tile)
		case schedule.Phases:
			fmt.Fprintf(&b, "PH %d;", s.At)
		case schedule.ComputeAt:
			fmt.Fprintf(&b, "CA %d %d;", s.At, s.Target)
		case schedule.Annotate:
			if s.Ann == schedule.Parallel {
				parallel = "parallel"
			}
		}
	}
	return b.String() + parallel
}

// explored returns candidates for the places of a round that its scorer's order alone
// would not fill: of structures not measured so far, from the population, and
// neighbours of the fastest. There are none for a scorer that learns, nor where nothing
// is timed: no time would come back to say that the scorer is wrong.
func (r *run) explored(ctx context.Context, e *evolve.Evolution, population []*schedule.State, n int) (
	novel, kin evolve.Share, err error,
) {
	if !r.Scorer.Traits().Frozen || r.known.unmeasured > 0 && len(r.known.fastest) == 0 {
		return novel, kin, nil
	}
	novel.Places, kin.Places = r.places(novelShare, n), r.places(kinShare, n)
	if novel.List, err = r.scoredBest(ctx, r.novel(e, population, looked*novel.Places)); err != nil {
		return novel, kin, err
	}
	novel.List = r.spread(novel.List, novel.Places)
	kin.List, err = r.kin(ctx, e, looked*kin.Places)
	return novel, kin, err
}

// places returns how many of the next n trials belong to a share: small rounds have
// them in turn.
func (r *run) places(share float64, n int) int {
	before := r.known.trials()
	return int(share*float64(before+n)) - int(share*float64(before))
}

// novel returns up to n states of the population, drawn at random, whose structure was
// not measured.
func (r *run) novel(e *evolve.Evolution, population []*schedule.State, n int) []*schedule.State {
	var list []*schedule.State
	for _, i := range annotate.Rand(^e.Seed, e.Stream, annotate.Novel).Perm(len(population)) {
		if s := population[i]; len(list) < n && !r.known.outlines[outline(s.Steps)] {
			list = append(list, s)
		}
	}
	return list
}

// kin returns up to n neighbours of the fastest states, each of a structure of one of
// these.
func (r *run) kin(ctx context.Context, e *evolve.Evolution, n int) ([]evolve.Scored, error) {
	parents := r.known.parents(kinParents)
	for len(parents) > 0 && r.known.fastest[len(parents)-1].record.Cost() > kinSlack*r.known.fastest[0].record.Cost() {
		parents = parents[:len(parents)-1]
	}
	known := map[string]bool{}
	for _, p := range parents {
		known[outline(p.Steps)] = true
	}
	states, err := e.Neighbours(ctx, parents, n)
	if err != nil {
		return nil, err
	}
	states = slices.DeleteFunc(states, func(s *schedule.State) bool { return !known[outline(s.Steps)] })
	return r.scoredBest(ctx, states)
}

// scoredBest scores states, the best first; those without a score are left out.
func (r *run) scoredBest(ctx context.Context, states []*schedule.State) ([]evolve.Scored, error) {
	if len(states) == 0 {
		return nil, nil
	}
	scores, err := r.score(ctx, states)
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(scored(states, scores), func(s evolve.Scored) bool { return !evolve.Possible(s.Score) })
	slices.SortFunc(list, evolve.BestFirst)
	return r.refine(ctx, list, refined)
}

// spread returns up to n candidates of different structures: the first of the family
// of which the fewest programs were measured or chosen, n times.
func (r *run) spread(list []evolve.Scored, n int) []evolve.Scored {
	var chosen []evolve.Scored
	outlines, families := map[string]bool{}, map[string]int{}
	for len(chosen) < n {
		at, least := -1, 0
		for i, c := range list {
			f := family(c.State.Steps)
			if count := r.known.families[f] + families[f]; (at < 0 || count < least) && !outlines[outline(c.State.Steps)] {
				at, least = i, count
			}
		}
		if at < 0 {
			break
		}
		chosen = append(chosen, list[at])
		outlines[outline(list[at].State.Steps)] = true
		families[family(list[at].State.Steps)]++
	}
	return chosen
}
