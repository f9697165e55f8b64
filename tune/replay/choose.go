package replay

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
)

// A choice holds which records of a log are replayed; nil means all.
type choice map[int]bool

func (c choice) has(number int) bool { return c == nil || c[number] }

// A place is where a record is.
type place struct {
	log    string
	number int
}

// choose goes through the logs once and returns which of their records to
// replay, by log.
func (s *session) choose(ctx context.Context) (map[string]choice, error) {
	var tasks [][]place
	index := map[string]int{}
	chosen := map[string]choice{}
	for _, log := range s.Logs {
		if _, ok := chosen[log]; ok {
			return nil, tune.Optionf("log %s is named twice", log)
		}
		chosen[log] = nil
		runs := map[target.Kind]bool{}
		_, err := dataset.Each(ctx, log, func(number int, rec *dataset.Record) error {
			if kind := rec.Target.Kind; !runs[kind] {
				runs[kind] = true
				if err := s.runnable(ctx, log, kind); err != nil {
					return err
				}
			}
			task := taskText(rec)
			at, ok := index[task]
			if !ok {
				at = len(tasks)
				index[task] = at
				tasks = append(tasks, nil)
			}
			if !s.Timed || rec.Timed() {
				tasks[at] = append(tasks[at], place{log, number})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	r := s.result
	r.Tasks = len(tasks)
	for _, t := range tasks {
		r.Of += len(t)
	}
	r.Due = r.Of
	if !s.Timed && (s.Sample == 0 || s.Sample >= r.Of) {
		return chosen, nil
	}
	if s.Sample > 0 {
		r.Due = min(r.Of, s.Sample)
	}
	for log := range chosen {
		chosen[log] = choice{}
	}
	for _, p := range evenSample(tasks, r.Due, s.Seed) {
		chosen[p.log][p.number] = true
	}
	return chosen, nil
}

// runnable returns an error for a kind of target whose records cannot be compiled,
// or not timed, here.
func (s *session) runnable(ctx context.Context, log string, kind target.Kind) error {
	if s.Check != LLVM {
		return nil
	}
	_, err := machine.Valid(string(kind))
	switch {
	case kind == target.CUDA && s.Measure:
		_, err := machine.PresentGPUs(s.Machine.Libraries)
		if err == nil {
			err = s.open(ctx, kind)
		}
		if err != nil {
			return fmt.Errorf("log %s: this machine can check programs for %s, but not time them: %w", log, kind, err)
		}
		return nil
	case kind == target.CUDA || err == nil:
		return nil
	}
	return fmt.Errorf("log %s: this machine cannot run programs for %s: use --check interp or --check none", log, kind)
}

// evenSample returns n of the places, drawn at random: as many of each task, but
// for tasks that have fewer.
func evenSample(tasks [][]place, n int, seed uint64) []place {
	rng := rand.New(rand.NewPCG(seed, 0))
	tasks = slices.Clone(tasks)
	rng.Shuffle(len(tasks), func(i, j int) { tasks[i], tasks[j] = tasks[j], tasks[i] })
	slices.SortStableFunc(tasks, func(a, b []place) int { return cmp.Compare(len(a), len(b)) })
	var list []place
	for i, t := range tasks { // the small ones first, so that the others can make up for them
		k := (n - len(list)) / (len(tasks) - i)
		t = slices.Clone(t)
		rng.Shuffle(len(t), func(i, j int) { t[i], t[j] = t[j], t[i] })
		list = append(list, t[:min(k, len(t))]...)
	}
	return list
}
