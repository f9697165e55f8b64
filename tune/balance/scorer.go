package balance

import (
	"context"
	"math"
	"slices"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Known is how many threads programs ran on that the shipped models learned from: how a program divides its work among
// more of them is beyond what they know.
const Known = 2

// Scorer returns a scorer that counts what threads do not share: the score of a state is that of inner, less what the
// idle threads of so many cost. A program that keeps half of the threads busy is half as fast as the same one with
// another division, which scores 1 more:
//
//	parallel f in 20:  ... 8 rows     on 16 threads: two turns, the second one of 4: log2(20/32) = -0.68
//	parallel f in 160: ... 1 row                     ten turns of all:               log2(1) = 0
//
// For up to Known threads it is inner itself.
func Scorer(inner search.Scorer, threads int) search.Scorer {
	if threads <= Known {
		return inner
	}
	return &scorer{inner, threads}
}

type scorer struct {
	inner   search.Scorer
	threads int
}

func (b *scorer) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	return b.counted(states)(b.inner.Score(ctx, task, states))
}

// counted returns what lowers the scores of states.
func (b *scorer) counted(states []*schedule.State) func([]float64, error) ([]float64, error) {
	return func(scores []float64, err error) ([]float64, error) {
		if err != nil || len(scores) != len(states) {
			return scores, err
		}
		list := make([]float64, len(scores))
		for i, s := range states {
			list[i] = scores[i] + math.Log2(Busy(s, b.threads))
		}
		return list, nil
	}
}

func (b *scorer) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	return b.inner.Update(ctx, task, records)
}

// Traits are those of inner, whose closer look counts idle threads, too.
func (b *scorer) Traits() search.Traits {
	t := b.inner.Traits()
	if refine := t.Refine; refine != nil {
		t.Refine = func(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
			return b.counted(states)(refine(ctx, task, states))
		}
	}
	return t
}

// Busy returns the share of the time of so many threads in which they have a part of a loop, while a state runs whose
// bounds are known. It counts how often the bodies of stages run. Where pieces do not divide an axis, the last ones are
// smaller, and who has them waits for the others.
func Busy(s *schedule.State, threads int) float64 {
	work, span := 0.0, 0.0
	for i, st := range s.Stages {
		if st.At == schedule.AtRoot && !st.Op.IsPlaceholder() {
			w, t := shared(s, i, float64(threads), false)
			work, span = work+w*whole(st), span+t
		}
	}
	if span == 0 {
		return 1
	}
	return work / span / float64(threads)
}

// whole returns the share of the iterations of a stage's loops that its axes have.
func whole(st *schedule.Stage) float64 {
	share := 1.0
	for _, a := range slices.Concat(st.Op.Axes, st.Op.ReduceAxes) {
		share *= float64(a.Extent)
	}
	for _, it := range st.Iters {
		share /= float64(max(it.Extent, 1))
	}
	return min(share, 1)
}

// shared returns how often the bodies of a stage and of those computed inside it run, and how many of these the thread
// has that has most. Inside is whether a loop around is parallel.
func shared(s *schedule.State, stage int, threads float64, inside bool) (work, span float64) {
	runs, own := 1.0, 1.0
	for i, it := range s.Stages[stage].Iters {
		n := float64(max(it.Extent, 1))
		runs *= n
		if it.Ann == schedule.Parallel && !inside {
			inside = true
			n = math.Ceil(n / threads)
		}
		own *= n
		for _, k := range s.Attach.Inside(stage, i) {
			w, t := shared(s, k, threads, inside)
			work, span = work+runs*w, span+own*t
		}
	}
	return work + runs, span + own
}
