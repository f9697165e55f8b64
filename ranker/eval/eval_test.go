package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// needLibrary skips the test without libxgboost, or fails it where CI is set.
func needLibrary(t testing.TB) {
	t.Helper()
	_, err := xgboost.Load("")
	switch {
	case err == nil:
	case os.Getenv("CI") == "" && errors.Is(err, xgboost.ErrMissing):
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}

// taskOf returns a task of n made-up candidates of a matmul of 64 x n x 64, plain
// tilings for which vectors of 16 and tiles of 8 rows are best. Every ninth failed.
func taskOf(t testing.TB, spec string, n int, seed uint64) *Case {
	t.Helper()
	w, err := op.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	d := w.DAG
	task := &Case{Key: spec, Name: spec, DAG: d, Target: target.Generic(32, 2), Family: split.Family(d),
		Structure: split.Structure(d)}
	rng := rand.New(rand.NewPCG(seed, 3))
	out := d.Results()[0].Shape
	for i := range n {
		a, b := int64(1)<<rng.IntN(6), int64(1)<<rng.IntN(6)
		text := fmt.Sprintf(`[["SP", 2, 0, %d, [%d], 1], ["SP", 2, 2, %d, [%d], 1], ["RE", 2, [0, 2, 4, 1, 3]], `+
			`["AN", 2, 0, 3], ["AN", 2, 4, 2]]`, out[0], a, out[1], b)
		steps, err := schedule.ParseSteps([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s := &Sample{Steps: steps}
		if i%9 != 8 {
			far := math.Abs(math.Log2(float64(a)/8)) + 2*math.Abs(math.Log2(float64(b)/16))
			cost := 1e-5 * (1 + far)
			for range 3 {
				s.Costs = append(s.Costs, cost*(1+0.02*rng.Float64()))
			}
		}
		task.Samples = append(task.Samples, s)
	}
	return task
}

// tasksOf returns tasks of two DAG structures, two batch sizes of one shape
// among them.
func tasksOf(t testing.TB, n int) []*Case {
	var list []*Case
	for i, spec := range []string{
		"matmul:m=64,n=64,k=64", "matmul:m=64,n=128,k=64", "matmul:m=128,n=128,k=64", "matmul:m=32,n=32,k=128",
		"matmul:m=64,n=64,k=32,tb=1", "matmul:m=128,n=64,k=96,tb=1",
	} {
		list = append(list, taskOf(t, spec, n, uint64(i)))
	}
	return list
}

func TestQuality(t *testing.T) {
	samples := []*Sample{{Costs: []float64{4, 2, 3}}, {}, {Costs: []float64{1, 1}}}
	g := newGroup(&Case{}, samples)
	if !slices.Equal(g.Quality, []float64{0.5, 0, 1}) {
		t.Errorf("quality %v", g.Quality)
	}
	// Deviations over means: sqrt(2/3)/3 and 0; the upper median is taken.
	if want := math.Sqrt(2.0/3) / 3; math.Abs(g.Noise-want) > 1e-12 {
		t.Errorf("noise %v, want %v", g.Noise, want)
	}
	if n := noise([]*Sample{{Costs: []float64{1}}}); n != 0 {
		t.Errorf("noise %v of single times", n)
	}
}

// Every candidate is tested once, and nothing is learned from what is tested.
func TestFolds(t *testing.T) {
	tasks := tasksOf(t, 20)
	for i, p := range []split.Part{split.Train, split.Train, split.Validation, split.Test, split.Train, split.Test} {
		tasks[i].Parts.Task = p
	}
	for _, c := range []struct {
		split         string
		folds, tested int
		share         func(a, b *Case) bool // what must not be on both sides
	}{
		{"task", 3, 120, func(a, b *Case) bool { return a.Family == b.Family }},
		{"dag", 2, 120, func(a, b *Case) bool { return a.Structure == b.Structure }},
		{"random", 1, 24, func(a, b *Case) bool { return false }},
		{"committed", 1, 40, func(a, b *Case) bool { return a == b }},
	} {
		i := slices.IndexFunc(Splits(), func(s Split) bool { return s.Name == c.split })
		folds, err := Splits()[i].Folds(tasks, 17)
		if err != nil || len(folds) != c.folds {
			t.Fatalf("%s: %d folds, %v", c.split, len(folds), err)
		}
		tested := map[*Sample]bool{}
		for _, f := range folds {
			learned := map[*Sample]bool{}
			for _, g := range f.Train {
				for _, s := range g.Samples {
					learned[s] = true
				}
			}
			for _, g := range f.Test {
				for _, s := range g.Samples {
					if learned[s] || tested[s] {
						t.Fatalf("%s: a candidate is tested that was learned from, or tested before", c.split)
					}
					tested[s] = true
				}
				for _, from := range f.Train {
					if c.share(g.Task, from.Task) {
						t.Errorf("%s: learns from %s, is asked about %s", c.split, from.Task.Name, g.Task.Name)
					}
				}
			}
		}
		if len(tested) != c.tested {
			t.Errorf("%s: %d candidates are tested", c.split, len(tested))
		}
	}
}

// Of a task that is only learned from no candidate is tested, and all are learned from where no task of its family or
// structure is tested. The others are tested in the folds in which they are tested without it.
func TestFoldsLearnOnly(t *testing.T) {
	tasks := tasksOf(t, 20)
	for i, p := range []split.Part{split.Train, split.Train, split.Validation, split.Test, split.Train, split.Test} {
		tasks[i].Parts.Task = p
	}
	tasks[3].LearnOnly, tasks[4].LearnOnly = true, true
	for name, learned := range map[string][2]int{"task": {3, 3}, "dag": {1, 1}, "random": {1, 1}, "committed": {0, 1}} {
		by, err := FindSplit(name)
		if err != nil {
			t.Fatal(err)
		}
		folds, err := by.Folds(tasks, 17)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		without, err := by.Folds(slices.Concat(tasks[:3], tasks[5:]), 17)
		if err != nil || len(without) != len(folds) {
			t.Fatalf("%s: %d folds, %d without tasks that are only learned from, %v", name, len(folds), len(without), err)
		}
		var got [2]int
		for k, f := range folds {
			same := func(a, b Group) bool { return a.Task == b.Task && slices.Equal(a.Samples, b.Samples) }
			if !slices.EqualFunc(f.Test, without[k].Test, same) {
				t.Errorf("%s: fold %d has other tests without tasks that are only learned from", name, k)
			}
			for _, g := range f.Test {
				if g.Task.LearnOnly {
					t.Errorf("%s: %s is tested", name, g.Task.Name)
				}
			}
			for _, g := range f.Train {
				if k := slices.Index(tasks[3:5], g.Task); k >= 0 && len(g.Samples) == 20 {
					got[k]++
				}
			}
		}
		if got != learned {
			t.Errorf("%s: the two are learned from in %v folds, not %v", name, got, learned)
		}
	}
	s := Study{MinTimed: 16, Learn: 5}
	list := s.enough([]*Case{taskOf(t, "matmul:m=8,n=8,k=8", 20, 1), taskOf(t, "matmul:m=8,n=8,k=8", 10, 1),
		taskOf(t, "matmul:m=8,n=8,k=8", 5, 1), taskOf(t, "matmul:m=8,n=8,k=8", 4, 1)})
	if len(list) != 3 || asked(list) != 1 || list[0].LearnOnly {
		t.Errorf("of tasks with 18, 9, 5 and 4 timed records %d are taken, and %d asked about", len(list), asked(list))
	}
	if s.Learn = 0; len(s.enough(list)) != 1 {
		t.Error("by default tasks of few records are learned from")
	}
}

func TestSplitRefuses(t *testing.T) {
	tasks := tasksOf(t, 2)
	for _, c := range []struct {
		split string
		tasks []*Case
		want  string
	}{
		{"task", tasks[1:3], "no two different tasks"}, // they differ in the batch
		{"dag", tasks[:4], "no two different DAG structures"},
		{"random", []*Case{taskOf(t, "matmul:m=32,n=32,k=32", 4, 1)}, "no task has five records"},
		{"committed", tasks, "0 tasks are to be learned from and 0 to be tested"},
	} {
		i := slices.IndexFunc(Splits(), func(s Split) bool { return s.Name == c.split })
		if _, err := Splits()[i].Folds(c.tasks, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.split, err)
		}
	}
}

// Candidates whose steps do not apply are taken out.
func TestPrepareDrops(t *testing.T) {
	tasks := tasksOf(t, 5)
	tasks[1].Samples[2].Steps = []schedule.Step{schedule.ComputeInline{At: 2}}
	dropped, why, err := Prepare(context.Background(), tasks, []Feature{Tiling}, 2, nil)
	want := "k=64, candidate 2: schedule: step 0 (CI)"
	if err != nil || dropped != 1 || len(tasks[1].Samples) != 4 || !strings.Contains(fmt.Sprint(why), want) {
		t.Errorf("%d dropped, %v, %v", dropped, why, err)
	}
}

// Decisions that models pass over change no feature that models learn from, but the rows of AutoScheduler's own model.
func TestPrepareConventional(t *testing.T) {
	task := taskOf(t, "matmul:m=64,n=64,k=64", 1, 1)
	task.Target = target.Target{Kind: target.CUDA, Hardware: target.Hardware{Cores: -1, WarpSize: 32}}
	parse := func(text string) []schedule.Step {
		steps, err := schedule.ParseSteps([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return steps
	}
	plain := &Sample{Steps: parse(`[["SP", 2, 0, 64, [8], 1], ["PR", 2, 0, "auto_unroll_max_step$16"]]`)}
	beyond := &Sample{Steps: parse(`[["SA", 2, 1, 32, 4], ["SP", 2, 0, 64, [8], 1], ["PR", 2, 0, "double_buffer$2"],
		["PR", 2, 0, "auto_unroll_max_step$16"]]`)}
	task.Samples = []*Sample{plain, beyond}
	kinds := []Feature{Tiling, All, Statements}
	if dropped, why, err := Prepare(context.Background(), []*Case{task}, kinds, 1, nil); err != nil || dropped > 0 {
		t.Fatal(dropped, why, err)
	}
	for name, rows := range map[string][2][]float32{
		"tiling": {plain.Tiling, beyond.Tiling}, "all": {plain.All, beyond.All},
	} {
		if !slices.Equal(rows[0], rows[1]) {
			t.Errorf("%s: other features", name)
		}
	}
}

func rowsNamed(t testing.TB, names ...string) []Row {
	var list []Row
	for _, name := range names {
		i := slices.IndexFunc(Rows(), func(r Row) bool { return r.Name == name })
		if i < 0 {
			t.Fatalf("no scorer %s", name)
		}
		list = append(list, Rows()[i])
	}
	return list
}

// evaluate returns the report on made-up tasks without the times.
func evaluate(t testing.TB, workers int, split string, n int, names ...string) *Report {
	t.Helper()
	rows, tasks := rowsNamed(t, names...), tasksOf(t, n)
	if _, _, err := Prepare(context.Background(), tasks, Needs(rows), workers, nil); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(Splits(), func(s Split) bool { return s.Name == split })
	r, err := Evaluate(context.Background(), tasks,
		Options{Split: Splits()[i], Rows: rows, Seeds: []uint64{17, 43}, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Scorers {
		if r.Scorers[i].ScoreMicros <= 0 {
			t.Errorf("%s takes no time", r.Scorers[i].Name)
		}
		r.Scorers[i].TrainSeconds, r.Scorers[i].ScoreMicros = 0, 0
	}
	return r
}

// Each scorer that learns finds the order that was made up, in tasks that it has
// not seen; random does not; the figures do not depend on the number of workers.
func TestEvaluate(t *testing.T) {
	needLibrary(t)
	names := []string{"random", "gbt", "l1p", "ranker"}
	one, two := evaluate(t, 1, "task", 90, names...), evaluate(t, 3, "task", 90, names...)
	a, _ := json.Marshal(one)
	b, _ := json.Marshal(two)
	if string(a) != string(b) {
		t.Errorf("one worker and three:\n%s\n%s", a, b)
	}
	if one.Tasks != 6 || one.DAGs != 2 || one.Records != 540 || one.Timed != 480 || one.Folds != 3 {
		t.Errorf("report %+v", one)
	}
	for _, s := range one.Scorers {
		pairs, _ := s.Metric("pairwise")
		top, _ := s.Metric("top-5")
		t.Logf("%s: pairwise %.3f (%.3f to %.3f), top-5 %.3f", s.Name, pairs.Mean, pairs.Low, pairs.High, top.Mean)
		learned := pairs.Mean > 0.7 && top.Mean > 0.7
		if s.Name == "random" {
			learned = pairs.Mean < 0.42 || pairs.Mean > 0.58
		}
		if learned != (s.Name != "random") {
			t.Errorf("%s: pairwise %.3f, top-5 %.3f", s.Name, pairs.Mean, top.Mean)
		}
		if pairs.Low > pairs.Mean || pairs.High < pairs.Mean || pairs.Low == pairs.High {
			t.Errorf("%s: %+v", s.Name, pairs)
		}
	}
}

func TestEvaluateRefuses(t *testing.T) {
	tasks := tasksOf(t, 4)
	for _, task := range tasks {
		for _, s := range task.Samples {
			s.Costs = nil
		}
	}
	_, err := Evaluate(context.Background(), tasks,
		Options{Split: Splits()[0], Rows: rowsNamed(t, "random"), Seeds: []uint64{1}})
	if !errors.Is(err, errNothing) || !strings.Contains(err.Error(), "scorer random, seed 1, fold 1") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Evaluate(ctx, tasks, Options{Split: Splits()[0], Rows: rowsNamed(t, "random"), Seeds: []uint64{1}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Picks that all failed count as the slowest candidate; a task in which all fail says nothing.
func TestGeometric(t *testing.T) {
	g := Group{Quality: []float64{0, 0.25, 1, 0}}
	g.Samples = make([]*Sample, len(g.Quality))
	first := given(func(*Case, []*Sample) ([]float64, error) { return []float64{9, 2, 1, 0}, nil })
	missed, err := judge(first, g)
	if err != nil {
		t.Fatal(err)
	}
	g.Quality = make([]float64, 4)
	failed, err := judge(first, g)
	if err != nil {
		t.Fatal(err)
	}
	// After one pick 0 and after two 0.25 is found; a random pick finds 1.25/4.
	list := []outcome{missed, failed}
	if got := geometric(list, 0); math.Abs(got-0.25/(1.25/4)) > 1e-9 {
		t.Errorf("a miss is worth %v", got)
	}
	if got, want := geometric(list, 1), 0.25/missed.luck[1]; math.Abs(got-want) > 1e-9 {
		t.Errorf("the slowest is worth %v, want %v", got, want)
	}
}
