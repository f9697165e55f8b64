package eval

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/dataset/split"
)

// A Fold is one way to learn from some candidates and be asked about others.
type Fold struct {
	Train, Test []Group
}

// A Split is a way to make folds.
type Split struct {
	Name  string
	What  string
	folds func(tasks []*Task, rng *rand.Rand) ([]Fold, error)
}

// Splits is the table of splits.
func Splits() []Split {
	return []Split{
		{"task", "3 folds over tasks; batch sizes of one shape stay together", byTask},
		{"dag", "5 folds over DAG structures", byDAG},
		{"random", "80 % of each task against the rest of it, which flatters every model", inTask},
		{"committed", "the committed split by tasks (dataset/split): learn from train, be asked about test", committedBy("task")},
		{"committed-dag", "the committed split by DAG structures", committedBy("dag")},
	}
}

// SplitNames lists the names of the splits.
func SplitNames() string {
	var names []string
	for _, s := range Splits() {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// Folds splits tasks. The same seed gives the same folds.
func (s Split) Folds(tasks []*Task, seed uint64) ([]Fold, error) {
	return s.folds(tasks, rand.New(rand.NewPCG(seed, 0)))
}

func byTask(tasks []*Task, rng *rand.Rand) ([]Fold, error) {
	return grouped(tasks, func(t *Task) string { return t.Family }, 3, "tasks", rng)
}

func byDAG(tasks []*Task, rng *rand.Rand) ([]Fold, error) {
	return grouped(tasks, func(t *Task) string { return t.Structure }, 5, "DAG structures", rng)
}

// grouped makes up to n folds of tasks, those of a group in one fold. Groups come
// in random order, each to the fold with the fewest tasks.
func grouped(tasks []*Task, group func(*Task) string, n int, what string, rng *rand.Rand) ([]Fold, error) {
	count := map[string]int{}
	for _, t := range tasks {
		count[group(t)]++
	}
	names := slices.Sorted(maps.Keys(count))
	if len(names) < 2 {
		return nil, fmt.Errorf("there are no two different %s to learn from one and test on the other; give more logs or another split", what)
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
		for f := range folds {
			if fold[group(t)] == f {
				folds[f].Test = append(folds[f].Test, g)
			} else {
				folds[f].Train = append(folds[f].Train, g)
			}
		}
	}
	return folds, nil
}

// inTask makes one fold of a random fifth of each task's candidates. A task with fewer than
// five is left out.
func inTask(tasks []*Task, rng *rand.Rand) ([]Fold, error) {
	var f Fold
	for _, t := range tasks {
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
func committedBy(name string) func([]*Task, *rand.Rand) ([]Fold, error) {
	return func(tasks []*Task, _ *rand.Rand) ([]Fold, error) {
		var f Fold
		for _, t := range tasks {
			part, err := t.Parts.By(name)
			if err != nil {
				return nil, err
			}
			switch part {
			case split.Train:
				f.Train = append(f.Train, newGroup(t, t.Samples))
			case split.Test:
				f.Test = append(f.Test, newGroup(t, t.Samples))
			}
		}
		if len(f.Train) == 0 || len(f.Test) == 0 {
			return nil, fmt.Errorf("%d tasks are to be learned from and %d to be tested; give more tasks, or choose another split",
				len(f.Train), len(f.Test))
		}
		return []Fold{f}, nil
	}
}
