// Package eval judges scorers offline, on candidates that were measured before:
// it splits tasks into folds, trains each scorer of a table on one side, and
// compares its order of the other side with what was measured (ranker/metric).
//
// Where the candidates come from it must not know: a tuning log, a public log and
// a dataset all become Tasks. Nor does it search or measure anything.
package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker/metric"
	"github.com/wmtune/wmtune/ranker/xgboost"
)

// Options say what to evaluate.
type Options struct {
	Split   Split
	Rows    []Row
	Seeds   []uint64
	Workers int    // goroutines; 0 means one per processor. No figure depends on it
	Library string // path of libxgboost; "" means the installed one
	// Progress, if not nil, is told what ended. It is called by one goroutine at a
	// time.
	Progress func(done, all int, what string)
}

// A job is a scorer on a fold of a seed.
type job struct {
	row, seed, fold int
	groups          []outcome // one per task of the fold's test
	train, score    time.Duration
	candidates      int
	err             error
}

// Evaluate trains and asks every scorer on every fold of every seed. The tasks'
// samples must have the features that the rows need.
func Evaluate(ctx context.Context, tasks []*Case, o Options) (*Report, error) {
	e := &env{}
	if slices.ContainsFunc(o.Rows, func(r Row) bool { return r.Library }) {
		var err error
		if e.library, err = xgboost.Load(o.Library); err != nil {
			return nil, err
		}
	}
	var jobs []*job
	folds := make([][]Fold, len(o.Seeds))
	for k, seed := range o.Seeds {
		var err error
		if folds[k], err = o.Split.Folds(tasks, seed); err != nil {
			return nil, fmt.Errorf("split %s: %w", o.Split.Name, err)
		}
	}
	for row := range o.Rows {
		for seed := range o.Seeds {
			for fold := range folds[seed] {
				jobs = append(jobs, &job{row: row, seed: seed, fold: fold})
			}
		}
	}
	var mu sync.Mutex
	done := 0
	g := group(o.Workers)
	for _, j := range jobs {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			row, seed := o.Rows[j.row], o.Seeds[j.seed]
			what := fmt.Sprintf("%s, seed %d, fold %d", row.Name, seed, j.fold+1)
			if err := j.run(ctx, e, row, seed, folds[j.seed][j.fold]); err != nil {
				j.err = fmt.Errorf("scorer %s: %w", what, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if done++; o.Progress != nil {
				o.Progress(done, len(jobs), what)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, j := range jobs {
		if j.err != nil { // the first in the order of jobs, not of time
			return nil, j.err
		}
	}
	return newReport(tasks, o, jobs), nil
}

// errNothing is the error of a fold that has nothing to learn from.
var errNothing = errors.New("no candidate of the training part was timed")

func (j *job) run(ctx context.Context, e *env, row Row, seed uint64, f Fold) error {
	if !anyTimed(f.Train) {
		return errNothing
	}
	s := row.new(e, seed)
	start := time.Now()
	if err := s.Train(ctx, f.Train); err != nil {
		return err
	}
	j.train = time.Since(start)
	for _, g := range f.Test {
		if err := ctx.Err(); err != nil {
			return err
		}
		out, err := judge(s, g)
		if err != nil {
			return fmt.Errorf("%s: %w", g.Task.Name, err)
		}
		j.score += out.spent
		j.candidates += len(g.Samples)
		j.groups = append(j.groups, out)
	}
	return nil
}

func anyTimed(groups []Group) bool {
	return slices.ContainsFunc(groups, func(g Group) bool {
		return slices.ContainsFunc(g.Quality, func(y float64) bool { return y > 0 })
	})
}

// A Metric is one figure of a task.
type Metric struct {
	Name string
	of   func(g Group, s []float64) float64
}

// Metrics is the table of what is computed of scores, in the order in which it is
// shown.
func Metrics() []Metric {
	pairs := func(f func(metric.Pairs) float64) func(Group, []float64) float64 {
		return func(g Group, s []float64) float64 { return f(metric.Count(s, g.Quality, metric.Band(g.Noise))) }
	}
	at := func(f func(s, y []float64, k int) float64, k int) func(Group, []float64) float64 {
		return func(g Group, s []float64) float64 { return f(s, g.Quality, k) }
	}
	return []Metric{
		{"top-1", at(metric.TopK, 1)},
		{"top-5", at(metric.TopK, 5)},
		{"best of 16", at(metric.TopK, 16)},
		{"regret@8", at(metric.Regret, 8)},
		{"pairwise", pairs(metric.Pairs.Accuracy)},
		{"all pairs", pairs(metric.Pairs.AccuracyOfAll)},
		{"Spearman", func(g Group, s []float64) float64 { return nn.Spearman(s, g.Quality) }},
		{"tau-b", pairs(metric.Pairs.TauB)},
		{"NDCG@10", at(metric.NDCG, 10)},
		{"recall@10", at(metric.Recall, 10)},
	}
}

// Budgets are the numbers of trials after which the replay bench, a search that measures by score, looks.
var Budgets = []int{1, 2, 4, 8, 16, 32, 64, 128, 256}

// An outcome is what there is of a scorer on the candidates of a task.
type outcome struct {
	metrics []float64     // by Metrics
	replay  []float64     // by Budgets: the best quality that was found
	luck    []float64     // by Budgets: the mean of random picks
	least   float64       // the least quality of a candidate that did not fail; 0 if all did
	spent   time.Duration // on scores
}

// judge asks a scorer about a group.
func judge(s Scorer, g Group) (outcome, error) {
	start := time.Now()
	scores, err := s.Score(g)
	o := outcome{spent: time.Since(start)}
	if err != nil {
		return o, err
	}
	for _, n := range Budgets {
		o.replay = append(o.replay, metric.TopK(scores, g.Quality, n))
		o.luck = append(o.luck, metric.RandomTop(g.Quality, n))
	}
	for _, y := range g.Quality {
		if y > 0 && (o.least == 0 || y < o.least) {
			o.least = y
		}
	}
	for _, m := range Metrics() {
		o.metrics = append(o.metrics, m.of(g, scores))
	}
	return o, nil
}

// meanOf returns the mean of n values.
func meanOf(n int, value func(i int) float64) float64 {
	sum := 0.0
	for i := range n {
		sum += value(i)
	}
	return sum / float64(n)
}

// geometric returns the geometric mean of found over luck at a budget. Picks that all
// failed count as the slowest candidate of their task: that scorers have the same tasks.
// Tasks in which nothing is to be found are left out.
func geometric(list []outcome, budget int) float64 {
	sum, n := 0.0, 0
	for _, o := range list {
		if o.luck[budget] > 0 {
			sum += math.Log(max(o.replay[budget], o.least) / o.luck[budget])
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return math.Exp(sum / float64(n))
}

// A Report is what an evaluation found. Only the times differ when it is made
// again.
type Report struct {
	Split   string    `json:"split"`
	Seeds   []uint64  `json:"seeds"`
	Folds   int       `json:"folds"` // of a seed
	Tasks   int       `json:"tasks"`
	DAGs    int       `json:"dags"`
	Records int       `json:"records"`
	Timed   int       `json:"timed"`                  // records that did not fail
	Learned int       `json:"learned_only,omitempty"` // tasks that nothing was asked about
	Scorers []Figures `json:"scorers"`
}

// Figures are what was found of a scorer.
type Figures struct {
	Name    string   `json:"scorer"`
	What    string   `json:"what"`
	Metrics []Figure `json:"metrics"`
	Replay  []Replay `json:"replay"`

	TrainSeconds float64 `json:"train_seconds"` // mean of a fold
	ScoreMicros  float64 `json:"score_us"`      // a candidate, without its features
}

// A Figure is a mean over tasks, from several seeds: their mean and range.
type Figure struct {
	Name string  `json:"name,omitempty"`
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// A Replay is what the replay bench found after so many trials.
type Replay struct {
	Trials int    `json:"trials"`
	Best   Figure `json:"best"`  // quality
	Ratio  Figure `json:"ratio"` // geometric mean of the quality over that of random picks
}

// Metric returns a figure by its name.
func (f *Figures) Metric(name string) (Figure, bool) {
	i := slices.IndexFunc(f.Metrics, func(m Figure) bool { return m.Name == name })
	if i < 0 {
		return Figure{}, false
	}
	return f.Metrics[i], true
}

// figure returns the figure of one value per seed.
func figure(name string, values []float64) Figure {
	mean := meanOf(len(values), func(i int) float64 { return values[i] })
	return Figure{Name: name, Mean: mean, Low: slices.Min(values), High: slices.Max(values)}
}

func newReport(tasks []*Case, o Options, jobs []*job) *Report {
	r := &Report{Split: o.Split.Name, Seeds: o.Seeds, Tasks: asked(tasks), Learned: len(tasks) - asked(tasks)}
	dags := map[string]bool{}
	for _, t := range tasks {
		if t.LearnOnly {
			continue
		}
		dags[t.Structure] = true
		r.Records += len(t.Samples)
		r.Timed += t.Timed()
	}
	r.DAGs = len(dags)
	for _, j := range jobs {
		r.Folds = max(r.Folds, j.fold+1)
	}
	for row := range o.Rows {
		r.Scorers = append(r.Scorers, figures(o, row, jobs))
	}
	return r
}

// figures returns what was found of a row.
func figures(o Options, row int, jobs []*job) Figures {
	f := Figures{Name: o.Rows[row].Name, What: o.Rows[row].What}
	bySeed := make([][]outcome, len(o.Seeds))
	var train, score time.Duration
	folds, candidates := 0, 0
	for _, j := range jobs {
		if j.row != row {
			continue
		}
		bySeed[j.seed] = append(bySeed[j.seed], j.groups...)
		train, score = train+j.train, score+j.score
		folds, candidates = folds+1, candidates+j.candidates
	}
	f.TrainSeconds = train.Seconds() / float64(folds)
	f.ScoreMicros = score.Seconds() * 1e6 / float64(candidates)
	// over returns a value for each seed.
	over := func(value func(list []outcome) float64) []float64 {
		var values []float64
		for _, list := range bySeed {
			values = append(values, value(list))
		}
		return values
	}
	mean := func(value func(o outcome) float64) []float64 {
		return over(func(list []outcome) float64 { return meanOf(len(list), func(i int) float64 { return value(list[i]) }) })
	}
	for k, m := range Metrics() {
		f.Metrics = append(f.Metrics, figure(m.Name, mean(func(o outcome) float64 { return o.metrics[k] })))
	}
	for b, n := range Budgets {
		f.Replay = append(f.Replay, Replay{
			Trials: n,
			Best:   figure("", mean(func(o outcome) float64 { return o.replay[b] })),
			Ratio:  figure("", over(func(list []outcome) float64 { return geometric(list, b) })),
		})
	}
	return f
}
