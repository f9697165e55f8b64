package eval

import (
	"math"
	"time"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker/metric"
)

// A Metric is one figure of a task.
type Metric struct {
	Name string
	of   func(g Group, s []float64) float64
}

// Metrics is the table of what is computed of scores, in the order in which it is
// shown. The values of cold scorers, which have no scores before a search, are
// left out.
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

// Budgets are the numbers of trials after which the replay bench looks.
var Budgets = []int{1, 2, 4, 8, 16, 32, 64, 128, 256}

// batch is how many candidates the replay bench picks at once.
const batch = 64

// An outcome is what there is of a scorer on the candidates of a task.
type outcome struct {
	metrics []float64     // by Metrics; nil of a cold scorer
	replay  []float64     // by Budgets: the best quality that was found
	luck    []float64     // by Budgets: the mean of random picks
	spent   time.Duration // on scores and updates
}

// judge asks a scorer about a group.
func judge(s Scorer, g Group, cold bool) (outcome, error) {
	var o outcome
	r := &replayed{scorer: s, group: g}
	curve, err := metric.Replay(g.Quality, Budgets[len(Budgets)-1], batch, r)
	if err != nil {
		return o, err
	}
	for _, n := range Budgets {
		o.replay = append(o.replay, curve[min(n, len(curve))-1])
		o.luck = append(o.luck, metric.RandomTop(g.Quality, n))
	}
	o.spent = r.spent
	if cold {
		return o, nil
	}
	for _, m := range Metrics() {
		o.metrics = append(o.metrics, m.of(g, r.first))
	}
	return o, nil
}

// A replayed scorer takes part in the replay bench.
type replayed struct {
	scorer Scorer
	group  Group
	first  []float64 // the scores before anything was picked
	spent  time.Duration
}

func (r *replayed) Scores() ([]float64, error) {
	if _, learns := r.scorer.(Learner); !learns && r.first != nil {
		return r.first, nil
	}
	defer r.clock(time.Now())
	s, err := r.scorer.Score(r.group)
	if r.first == nil {
		r.first = s
	}
	return s, err
}

func (r *replayed) Picked(list []int) error {
	defer r.clock(time.Now())
	if l, learns := r.scorer.(Learner); learns {
		return l.Update(r.group, list)
	}
	return nil
}

// clock adds the time since start.
func (r *replayed) clock(start time.Time) { r.spent += time.Since(start) }

// meanOf returns the mean of n values.
func meanOf(n int, value func(i int) float64) float64 {
	sum := 0.0
	for i := range n {
		sum += value(i)
	}
	return sum / float64(n)
}

// geometric returns the geometric mean of found over luck at a budget; tasks in
// which nothing was found, or nothing is to be found, are left out.
func geometric(list []outcome, budget int) float64 {
	sum, n := 0.0, 0
	for _, o := range list {
		if o.replay[budget] > 0 && o.luck[budget] > 0 {
			sum += math.Log(o.replay[budget] / o.luck[budget])
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return math.Exp(sum / float64(n))
}
