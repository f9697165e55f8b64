package evolve

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// unrollPrefix is the text of all pragmas that set an unroll limit.
var unrollPrefix = strings.TrimSuffix(schedule.UnrollPragma(0), "0")

// mutateAutoUnroll gives one stage another unroll limit.
//
//	PR 3 0 auto_unroll_max_step$16  =>  PR 3 0 auto_unroll_max_step$512
//
// It is an error if no stage has one.
func mutateAutoUnroll(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	var pragmas []int
	for i, step := range s.Steps {
		if p, ok := step.(schedule.Pragma); ok && strings.HasPrefix(p.Text, unrollPrefix) {
			pragmas = append(pragmas, i)
		}
	}
	if len(pragmas) == 0 {
		return nil, errors.New("evolve: no unroll limit to mutate")
	}
	i := pragmas[rng.IntN(len(pragmas))]
	p := s.Steps[i].(schedule.Pragma)
	var others []string
	for _, limit := range a.UnrollSteps {
		if text := schedule.UnrollPragma(limit); text != p.Text {
			others = append(others, text)
		}
	}
	p.Text = others[rng.IntN(len(others))]
	steps := slices.Clone(s.Steps)
	steps[i] = p
	return schedule.ReplayBound(s.DAG, steps)
}

// mutateParallel fuses another number of outermost loops into a parallel loop.
//
//	FU 3 [0, 1]     =>    FU 3 [0, 1, 2]
//	AN 3 0 3              AN 3 0 3
//
// It is an error if no parallel loop is a stage's outermost and fused, or if
// its width cannot change.
func mutateParallel(a *annotate.Sampler, s *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	var fusions []int
	for i, step := range s.Steps {
		f, ok := step.(schedule.Fuse)
		if !ok || len(f.Iters) == 0 || f.Iters[0] != 0 || i+1 == len(s.Steps) {
			continue
		}
		if s.Steps[i+1] == (schedule.Step(schedule.Annotate{At: f.At, Iter: 0, Ann: schedule.Parallel})) {
			fusions = append(fusions, i)
		}
	}
	if len(fusions) == 0 {
		return nil, errors.New("evolve: no parallel loop to mutate")
	}
	i := fusions[rng.IntN(len(fusions))]
	fuse := s.Steps[i].(schedule.Fuse)
	before, err := schedule.Replay(s.DAG, s.Steps[:i])
	if err != nil {
		return nil, err
	}
	widths := fusible(before, fuse.At)
	if widths < 1 {
		return nil, errUnchanged
	}
	width := 1 + rng.IntN(widths)
	shift := len(fuse.Iters) - width
	if shift == 0 {
		return nil, errUnchanged
	}
	fuse.Iters = make([]int, width)
	for k := range fuse.Iters {
		fuse.Iters[k] = k
	}
	steps := slices.Clone(s.Steps)
	steps[i] = fuse
	for k := i + 2; k < len(steps); k++ {
		if steps[k], err = shifted(steps[k], fuse.At, shift); err != nil {
			return nil, err
		}
	}
	return schedule.ReplayBound(s.DAG, steps)
}

// fusible returns how many outermost loops of a stage can be fused: spatial,
// not annotated, and none but the last with stages inside.
func fusible(s *schedule.State, stage int) int {
	for i, it := range s.Stages[stage].Iters {
		if it.Kind == schedule.Reduction || it.Ann != schedule.None {
			return i
		}
		if len(s.Attach.Inside(stage, i)) > 0 {
			return i + 1
		}
	}
	return len(s.Stages[stage].Iters)
}

// shifted renumbers the loops of a step on a stage whose outermost loop changed
// its width; that loop itself stays number 0. It is an error if the step is not
// one of those that carry loops out.
func shifted(step schedule.Step, stage, by int) (schedule.Step, error) {
	if step.Stage() != stage {
		if _, n := schedule.Adds(step); n > 0 {
			return nil, errors.New("evolve: a stage is added after the parallel loop")
		}
		return step, nil
	}
	move := func(iter int) int {
		if iter == 0 {
			return 0
		}
		return iter + by
	}
	switch st := step.(type) {
	case schedule.Annotate:
		st.Iter = move(st.Iter)
		return st, nil
	case schedule.Pragma:
		st.Iter = move(st.Iter)
		return st, nil
	case schedule.Split:
		st.Iter = move(st.Iter)
		return st, nil
	case schedule.Fuse:
		st.Iters = slices.Clone(st.Iters)
		for k := range st.Iters {
			st.Iters[k] = move(st.Iters[k])
		}
		return st, nil
	}
	return nil, errors.New("evolve: the parallel stage is transformed further")
}
