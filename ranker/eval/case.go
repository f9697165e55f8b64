package eval

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/autotvm"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/treegru"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A Case is the measured candidates of one workload on one target as offline scorers are
// judged on them: with the DAG and the steps, from which each scorer makes its own features.
type Case struct {
	Key       string // tells tasks apart
	Name      string // for people
	DAG       *compute.DAG
	Target    target.Target
	Family    string      // split.Family
	Structure string      // split.Structure
	Parts     split.Parts // of the committed splits
	Samples   []*Sample

	LearnOnly bool // scorers learn from it, and are not asked about it: it has few records
}

// A Sample is one measured candidate.
type Sample struct {
	Steps []schedule.Step
	Costs []float64 // seconds; empty if it failed

	// Features, of the kinds that Prepare was asked for.
	Tiling     []float32 // ranker.Actions and ranker.Tiling
	Statements []float32 // feature.Rows, one row after the other
	All        []float32 // ranker.Features

	// Loops are AutoTVM's features, by kind.
	Loops map[autotvm.Features][]float32
	Tree  *treegru.Tree
}

// Cost returns the smallest time in seconds, or 0 if the candidate failed.
func (s *Sample) Cost() float64 {
	if len(s.Costs) == 0 {
		return 0
	}
	return slices.Min(s.Costs)
}

// Timed returns how many candidates of a task did not fail.
func (t *Case) Timed() int {
	n := 0
	for _, s := range t.Samples {
		if len(s.Costs) > 0 {
			n++
		}
	}
	return n
}

// noise returns the median of the candidates' standard deviation over their mean;
// 0 if no candidate has two times.
func noise(samples []*Sample) float64 {
	var list []float64
	for _, s := range samples {
		if len(s.Costs) < 2 {
			continue
		}
		var sum, squares float64
		for _, c := range s.Costs {
			sum += c
		}
		mean := sum / float64(len(s.Costs))
		for _, c := range s.Costs {
			squares += (c - mean) * (c - mean)
		}
		list = append(list, math.Sqrt(squares/float64(len(s.Costs)))/mean)
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// A Group is candidates of one task, all or some, and their quality: the best
// cost among them over their own, 0 for what failed.
type Group struct {
	Task    *Case
	Samples []*Sample
	Quality []float64
	Noise   float64 // of their times, as a share
}

func newGroup(t *Case, samples []*Sample) Group {
	g := Group{Task: t, Samples: samples, Quality: make([]float64, len(samples)), Noise: noise(samples)}
	best := 0.0
	for _, s := range samples {
		if c := s.Cost(); c > 0 && (best == 0 || c < best) {
			best = c
		}
	}
	for i, s := range samples {
		if c := s.Cost(); c > 0 {
			g.Quality[i] = best / c
		}
	}
	return g
}

// A Feature is a kind of features that scorers look at.
type Feature uint8

// The kinds of features.
const (
	Tiling     Feature = iota // ranker.Actions and ranker.Tiling
	Statements                // feature.Rows
	All                       // ranker.Features
	Loops                     // autotvm.AllFeatures
	LoopTrees                 // treegru.Of
)

// Prepare computes features of all samples, by so many goroutines; 0 means one per
// processor. Progress, which may be nil, is called by one goroutine at a time.
// Samples whose steps do not apply or have no features are taken out of their
// tasks; it returns how many they are, and why the first of them is.
func Prepare(
	ctx context.Context, tasks []*Case, kinds []Feature, workers int, progress func(done, all int),
) (dropped int, why error, err error) {
	type place struct{ task, sample int }
	var list []place
	for i, t := range tasks {
		for k := range t.Samples {
			list = append(list, place{i, k})
		}
	}
	errs := make([]error, len(list))
	var mu sync.Mutex
	done := 0
	g := group(workers)
	for n, at := range list {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			t := tasks[at.task]
			errs[n] = t.prepare(t.Samples[at.sample], kinds)
			mu.Lock()
			defer mu.Unlock()
			if done++; progress != nil && (done%256 == 0 || done == len(list)) {
				progress(done, len(list))
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return 0, nil, err
	}
	bad := map[*Sample]bool{}
	for n, err := range errs {
		if err != nil {
			t := tasks[list[n].task]
			bad[t.Samples[list[n].sample]] = true
			if why == nil {
				why = fmt.Errorf("%s, candidate %d: %w", t.Name, list[n].sample, err)
			}
		}
	}
	for _, t := range tasks {
		t.Samples = slices.DeleteFunc(t.Samples, func(s *Sample) bool { return bad[s] })
	}
	return len(bad), why, nil
}

// prepare computes features of a sample. Those of models, all but Statements, are of the conventional state, which
// models learn from and score.
func (t *Case) prepare(s *Sample, kinds []Feature) error {
	whole, err := schedule.Replay(t.DAG, s.Steps)
	if err != nil {
		return err
	}
	groups := schedule.NewGroups(t.Target.CPU, t.Target.Has, t.Target.Hardware.VectorBytes)
	state, err := schedule.Conventional(whole, groups)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		switch k {
		case Tiling:
			tiling, err := ranker.Tiling(state, t.Target)
			if err != nil {
				return err
			}
			s.Tiling = append(ranker.Actions(t.DAG, state.Steps), tiling...)
		case All:
			if s.All, err = ranker.Features(state, t.Target); err != nil {
				return err
			}
		case Loops:
			s.Loops = map[autotvm.Features][]float32{}
			for _, f := range autotvm.AllFeatures {
				if s.Loops[f], err = f.Row(whole); err != nil {
					return err
				}
			}
		case LoopTrees:
			if s.Tree, err = treegru.Of(whole); err != nil {
				return err
			}
		case Statements:
			p, err := feature.Outline(whole)
			if err != nil {
				return err
			}
			rows, err := feature.Rows(p, float64(t.Target.Hardware.CacheLineBytes))
			if err != nil {
				return err
			}
			s.Statements = make([]float32, len(rows))
			for i, v := range rows {
				s.Statements[i] = float32(v)
			}
		}
	}
	return nil
}

// group returns a group of so many goroutines; 0 means one per processor.
func group(workers int) *errgroup.Group {
	g := &errgroup.Group{}
	g.SetLimit(cmp.Or(workers, runtime.GOMAXPROCS(0)))
	return g
}

// A Fold is one way to learn from some candidates and be asked about others.
type Fold struct {
	Train, Test []Group
}

// A Split is a way to make folds.
type Split struct {
	Name  string
	What  string
	folds func(tasks []*Case, rng *rand.Rand) ([]Fold, error)
}

// Splits is the table of splits.
func Splits() []Split {
	return []Split{
		{"task", "3 folds over tasks; batch sizes of one shape stay together", byTask},
		{"dag", "5 folds over DAG structures", byDAG},
		{"random", "80 % of each task against the rest of it, which flatters every model", inTask},
		{"committed", "the committed split by tasks (dataset/split): learn from train, be asked about test",
			committedBy("task")},
		{"committed-dag", "the committed split by DAG structures", committedBy("dag")},
	}
}

// FindSplit returns the split of a name.
func FindSplit(name string) (Split, error) {
	for _, s := range Splits() {
		if s.Name == name {
			return s, nil
		}
	}
	return Split{}, fmt.Errorf("unknown split %q: known are %s", name, strings.Join(SplitNames(), ", "))
}

// SplitNames lists the names of the splits.
func SplitNames() []string {
	var names []string
	for _, s := range Splits() {
		names = append(names, s.Name)
	}
	return names
}

// Folds splits tasks. The same seed gives the same folds.
func (s Split) Folds(tasks []*Case, seed uint64) ([]Fold, error) {
	return s.folds(tasks, rand.New(rand.NewPCG(seed, 0)))
}

func byTask(tasks []*Case, rng *rand.Rand) ([]Fold, error) {
	return grouped(tasks, func(t *Case) string { return t.Family }, 3, "tasks", rng)
}

func byDAG(tasks []*Case, rng *rand.Rand) ([]Fold, error) {
	return grouped(tasks, func(t *Case) string { return t.Structure }, 5, "DAG structures", rng)
}

// grouped makes up to n folds of tasks, those of a group in one fold. Groups come
// in random order, each to the fold with the fewest tasks. Tasks that are only learned from change no fold; they are
// learned from in all but that of their group.
func grouped(tasks []*Case, group func(*Case) string, n int, what string, rng *rand.Rand) ([]Fold, error) {
	count := map[string]int{}
	for _, t := range tasks {
		if !t.LearnOnly {
			count[group(t)]++
		}
	}
	names := slices.Sorted(maps.Keys(count))
	if len(names) < 2 {
		return nil, fmt.Errorf("there are no two different %s to learn from one and test on the other; give more logs or "+
			"another split", what)
	}
	rng.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
	size := make([]int, min(n, len(names)))
	fold := map[string]int{}
	for _, name := range names {
		to := 0
		for f, tasks := range size {
			if tasks < size[to] {
				to = f
			}
		}
		fold[name] = to
		size[to] += count[name]
	}
	folds := make([]Fold, len(size))
	for _, t := range tasks {
		g := newGroup(t, t.Samples)
		at, ok := fold[group(t)]
		for f := range folds {
			switch {
			case !ok || at != f:
				folds[f].Train = append(folds[f].Train, g)
			case !t.LearnOnly:
				folds[f].Test = append(folds[f].Test, g)
			}
		}
	}
	return folds, nil
}

// inTask makes one fold of a random fifth of each task's candidates. A task with fewer than
// five is left out.
func inTask(tasks []*Case, rng *rand.Rand) ([]Fold, error) {
	var f Fold
	for _, t := range tasks {
		if t.LearnOnly {
			f.Train = append(f.Train, newGroup(t, t.Samples))
			continue
		}
		list := rng.Perm(len(t.Samples))
		n := len(list) / 5
		if n == 0 {
			continue
		}
		take := func(of []int) Group {
			slices.Sort(of)
			samples := make([]*Sample, len(of))
			for i, k := range of {
				samples[i] = t.Samples[k]
			}
			return newGroup(t, samples)
		}
		f.Test = append(f.Test, take(list[:n]))
		f.Train = append(f.Train, take(list[n:]))
	}
	if len(f.Test) == 0 {
		return nil, fmt.Errorf("no task has five records, so there is no fifth of them; give more logs or another split")
	}
	return []Fold{f}, nil
}

// committedBy makes one fold of a committed split.
func committedBy(name string) func([]*Case, *rand.Rand) ([]Fold, error) {
	return func(tasks []*Case, _ *rand.Rand) ([]Fold, error) {
		var f Fold
		for _, t := range tasks {
			part, err := t.Parts.By(name)
			if err != nil {
				return nil, err
			}
			switch {
			case part == split.Train:
				f.Train = append(f.Train, newGroup(t, t.Samples))
			case part == split.Test && !t.LearnOnly:
				f.Test = append(f.Test, newGroup(t, t.Samples))
			}
		}
		if len(f.Train) == 0 || len(f.Test) == 0 {
			return nil, fmt.Errorf("%d tasks are to be learned from and %d to be tested; give more tasks, or choose "+
				"another split",
				len(f.Train), len(f.Test))
		}
		return []Fold{f}, nil
	}
}
