package compile

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/balance"
)

// Layouts are those of the constants that several plans read. The plan that costs most is scheduled first: its kernels
// decide in which order a constant lies, and those of the other plans read it so. So the weights are stored once, and
// what the rule costs are candidates of the smaller plans that read in another order.
type layouts struct {
	operands map[*Task][]reading
	hashes   map[graph.ConstID]string
	fixed    map[string]layoutOf // by the hash of a constant
}

// A reading is a constant that a task reads, in the first group that needs the task.
type reading struct {
	param int
	konst *graph.Const
}

// A layoutOf is the layout of a constant, and the task that decided it.
type layoutOf struct {
	text string
	by   *Task
}

// newLayouts finds the constants that tasks of several plans read.
func newLayouts(m *Model) *layouts {
	l := &layouts{operands: map[*Task][]reading{}, hashes: map[graph.ConstID]string{}, fixed: map[string]layoutOf{}}
	for i := range m.Plans {
		for _, j := range m.Plans[len(m.Plans)-1-i].layout.jobs {
			if j.task.DAG == nil || l.operands[j.task] != nil {
				continue
			}
			for k, v := range j.inputs {
				if v.Const != nil && len(v.Const.Data) > 0 {
					l.operands[j.task] = append(l.operands[j.task], reading{k, v.Const})
				}
			}
		}
	}
	return l
}

func (l *layouts) hash(c *graph.Const) string {
	id := c.ID()
	if l.hashes[id] == "" {
		l.hashes[id] = c.Hash()
	}
	return l.hashes[id]
}

// wanted returns the layouts that a task must read its operands in, by parameter, and a task that decided one.
func (l *layouts) wanted(t *Task) (want map[int]string, by *Task) {
	if l == nil {
		return nil, nil
	}
	for _, o := range l.operands[t] {
		if at, ok := l.fixed[l.hash(o.konst)]; ok {
			if want == nil {
				want = map[int]string{}
			}
			want[o.param] = at.text
			if by == nil || at.text != plainLayout {
				by = at.by
			}
		}
	}
	return want, by
}

// decide notes the layouts that a task's function reads, where no other task has decided them.
func (l *layouts) decide(t *Task) {
	if l == nil {
		return
	}
	for _, o := range l.operands[t] {
		if h := l.hash(o.konst); l.fixed[h].by == nil {
			l.fixed[h] = layoutOf{layoutText(t.Func, o.param), t}
		}
	}
}

// plainLayout is the layout of an operand that is not packed.
const plainLayout = "plain"

func layoutText(f *tir.Func, param int) string {
	pack := f.Pack(param)
	if pack == nil {
		return plainLayout
	}
	if text := lower.LayoutOf(pack); text != "" {
		return text
	}
	return fmt.Sprintf("%x", pack.Hash())
}

// reads reports whether a program reads its operands in these layouts.
func reads(f *tir.Func, want map[int]string) bool {
	for k, text := range want {
		if layoutText(f, k) != text {
			return false
		}
	}
	return true
}

// stateReads is reads of the program of a state.
func (s *scheduler) stateReads(state *schedule.State, want map[int]string) bool {
	f, err := lower.Lower(state, lower.Config{Target: s.machine.Target(), Layout: target.Rewrite, Until: "relayout"})
	return err == nil && reads(f, want)
}

// kin is the evolution from the schedule of another plan's task. It scores some 700 states, a third of search.Quick's.
var kin = evolve.Options{Population: 128, Generations: 8, Children: 96, Parents: 48, Patience: 2}

// kindred returns what the scorer thinks fastest of the candidates that read operands as wanted: an evolution from the
// schedule of the task that decided the layouts, whose tiles are cut to the extents of t. Candidates of other layouts
// are not scored.
func (s *scheduler) kindred(ctx context.Context, t, by *Task, want map[int]string) ([]*schedule.State, error) {
	seed, err := resized(t, by.Steps)
	if err != nil {
		return nil, err
	}
	session, err := tune.Open(ctx, s.machine, workload.New(t.Name, t.Text, t.DAG), tune.Options{
		Scorer: s.scorer, ScorerName: s.name, Seed: s.seed, Layout: target.Rewrite, Workers: s.workers, Space: untiled,
	})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	task := session.Task()
	scorer := balance.Scorer(s.scorer, s.machine.Target().Hardware.Cores)
	source, err := task.Space.Open(ctx, task)
	if err != nil {
		return nil, err
	}
	o := kin
	o.Seed, o.Workers = s.seed, s.workers
	e := evolve.Evolution{Options: o, Step: source.Step,
		Score: func(states []*schedule.State) ([]float64, error) {
			fit := make([]bool, len(states))
			err := annotate.Each(ctx, len(states), s.workers, func(i int) { fit[i] = s.stateReads(states[i], want) })
			if err != nil {
				return nil, err
			}
			return scoreFit(ctx, scorer, task, states, fit)
		}}
	first, err := e.Neighbours(ctx, []*schedule.State{seed}, o.Population)
	if err != nil {
		return nil, err
	}
	found, err := e.Run(ctx, append([]*schedule.State{seed}, first...), choices)
	var list []*schedule.State
	for _, c := range found {
		list = append(list, c.State)
	}
	return list, err
}

// scoreFit scores those states that fit; the others cannot be chosen.
func scoreFit(ctx context.Context, scorer search.Scorer, task *search.Task, states []*schedule.State, fit []bool,
) ([]float64, error) {
	var list []*schedule.State
	for i, s := range states {
		if fit[i] {
			list = append(list, s)
		}
	}
	scores, err := scorer.Score(ctx, task, list)
	if err != nil || len(scores) != len(list) {
		return nil, fmt.Errorf("the scorer returned %d scores for %d states: %w", len(scores), len(list), err)
	}
	all := make([]float64, len(states))
	for i := range states {
		all[i] = math.Inf(-1)
		if fit[i] {
			all[i], scores = scores[0], scores[1:]
		}
	}
	return all, nil
}

// resized returns the state of another task's steps, whose tiles are no longer than the extents of t.
func resized(t *Task, steps string) (*schedule.State, error) {
	list, err := schedule.ParseSteps([]byte(steps))
	if err != nil {
		return nil, err
	}
	for i, step := range list {
		split, ok := step.(schedule.Split)
		if !ok || !split.InnerToOuter {
			continue
		}
		state, err := schedule.ReplayBound(t.DAG, list[:i])
		if err != nil {
			return nil, err
		}
		if split.At >= len(state.Stages) || split.Iter >= len(state.Stages[split.At].Iters) {
			return nil, fmt.Errorf("step %s has no loop in task %s", split, t.Name)
		}
		left := state.Stages[split.At].Iters[split.Iter].Extent
		split.Extent, split.Lengths = left, slices.Clone(split.Lengths)
		for k := len(split.Lengths) - 1; k >= 0; k-- {
			split.Lengths[k] = min(split.Lengths[k], max(left, 1))
			left = (left + split.Lengths[k] - 1) / split.Lengths[k]
		}
		list[i] = split
	}
	return schedule.ReplayBound(t.DAG, list)
}

// fitting returns what the scorer thinks fastest, best first, of the candidates that read operands as wanted. If there
// are none, the operands are stored once more.
func (s *scheduler) fitting(ctx context.Context, t *Task, want map[int]string, by *Task) ([]*schedule.State, error) {
	if want == nil {
		return s.ranked(ctx, t)
	}
	key := database.Key(s.key(t), by.Steps, fmt.Sprint(want))
	if list := s.remembered(t, key); len(list) > 0 {
		return list, nil
	}
	list, err := s.kindred(ctx, t, by, want)
	if err == nil && len(list) > 0 {
		s.remember(key, list)
		return list, nil
	}
	if ctx.Err() != nil {
		return nil, err
	}
	if list, err = s.ranked(ctx, t); err != nil {
		return nil, err
	}
	fit := slices.DeleteFunc(slices.Clone(list), func(state *schedule.State) bool { return !s.stateReads(state, want) })
	if len(fit) > 0 {
		return fit, nil
	}
	s.tell.Say(fmt.Sprintf("task %s: no candidate reads the weights in the order that %s chose: they are stored once more",
		t.Name, by.Name))
	return list, nil
}

// readAs leaves out the records whose programs read operands otherwise than wanted.
func (s *scheduler) readAs(t *Task, past []dataset.Record, want map[int]string) []dataset.Record {
	if want == nil {
		return past
	}
	return slices.DeleteFunc(slices.Clone(past), func(r dataset.Record) bool {
		state, err := schedule.ReplayBound(t.DAG, r.Steps)
		return err != nil || !s.stateReads(state, want)
	})
}
