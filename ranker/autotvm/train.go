package autotvm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/ranker/lesson"
	"github.com/wmtune/wmtune/ranker/metric"
	"github.com/wmtune/wmtune/ranker/trees"
	"github.com/wmtune/wmtune/ranker/xgboost"
)

// plan is how many candidates AutoTVM proposes at a time: so many of the best are to be in order.
const plan = 64

// Retrain grows the local model anew. Below it lies the global one, with a weight that halves with each plan and ends
// below 0.05.
func (m *Model) Retrain() (err error) {
	weight := lesson.Weight(len(m.book.Local.Programs), plan)
	if m.global == nil {
		weight = 0
	}
	var margins []float64
	if weight > 0 {
		for _, row := range m.book.Local.Programs {
			margins = append(margins, weight*m.global.mean(row))
		}
	}
	learned, err := m.grow(&m.book.Local, margins, growth{rounds: 8000, patience: 20, top: plan})
	if learned != nil {
		learned.margin = weight
		m.learned = learned
	}
	return err
}

// Pretrain grows the global model on all that was added before.
func (m *Model) Pretrain() error {
	global, err := m.grow(&m.book.Before, nil, growth{rounds: 400, patience: 100, top: 2 * plan})
	if global != nil {
		m.global = global
	}
	return err
}

// A growth says when trees are enough: after so many rounds, or so many without a better order of the top ones.
type growth struct{ rounds, patience, top int }

// grow grows an ensemble. It is nil if nothing was timed.
func (m *Model) grow(d *lesson.List[[]float32], margins []float64, how growth) (*grown, error) {
	labels := metric.Speeds(d.Costs, d.Tasks)
	if len(labels) == 0 || slices.Max(labels) <= 0 {
		return nil, nil
	}
	if m.MaxTrees > 0 {
		how.rounds = min(how.rounds, m.MaxTrees)
	}
	g := &grown{}
	for _, row := range d.Programs {
		g.columns = max(g.columns, len(row))
	}
	members := 1
	if m.Acquire != "" {
		members = Bag
	}
	rng := rand.New(rand.NewPCG(m.Seed, uint64(len(labels))))
	for k := range members {
		chosen := make([]int, len(labels))
		for i := range chosen {
			chosen[i] = i
			if members > 1 {
				chosen[i] = rng.IntN(len(labels))
			}
		}
		model, err := m.growOne(d, g.columns, labels, margins, chosen, how, rng)
		if err != nil {
			return nil, fmt.Errorf("autotvm: training model %d on %d records: %w", k, len(labels), err)
		}
		g.bag = append(g.bag, model)
	}
	g.best = math.Inf(-1)
	for i, row := range d.Programs {
		v := g.mean(row)
		if margins != nil {
			v += margins[i]
		}
		g.best = max(g.best, v)
	}
	return g, nil
}

// params are AutoTVM's. The number of threads is fixed, for it may show in the last bits of a model.
func params(rows int) []xgboost.Param {
	method := "exact"
	if rows > 1024 {
		method = "hist"
	}
	return []xgboost.Param{
		{Name: "max_depth", Value: "3"}, {Name: "gamma", Value: "0.0001"}, {Name: "min_child_weight", Value: "1"},
		{Name: "eta", Value: "0.3"}, {Name: "lambda", Value: "1"}, {Name: "alpha", Value: "0"},
		{Name: "seed", Value: "43"}, {Name: "verbosity", Value: "0"}, {Name: "nthread", Value: "1"},
		{Name: "tree_method", Value: method},
	}
}

// growOne grows one model on chosen rows. The margin of a row is chosen with it.
func (m *Model) growOne(
	d *lesson.List[[]float32], columns int, labels, margins []float64, chosen []int, how growth, rng *rand.Rand,
) (*trees.Model, error) {
	data := xgboost.Data{Columns: columns}
	o := &objective{growth: how, rank: !m.Regression, rng: rng, best: -1}
	members := map[string][]int{}
	for at, i := range chosen {
		data.Values = append(data.Values, fitted(d.Programs[i], columns)...)
		o.labels = append(o.labels, labels[i])
		if margins != nil {
			o.margins = append(o.margins, margins[i])
		}
		if members[d.Tasks[i]] == nil {
			o.names = append(o.names, d.Tasks[i])
		}
		members[d.Tasks[i]] = append(members[d.Tasks[i]], at)
	}
	o.members = members
	record, err := m.library.Train(data, params(len(chosen)), how.rounds, o.derive, xgboost.Binary)
	if err != nil {
		return nil, err
	}
	return trees.Read(record)
}

// An objective is the squared error of labels, or the logistic loss of all pairs of a task (eq. 2).
type objective struct {
	growth
	rank            bool
	labels, margins []float64
	names           []string         // of tasks, in order
	members         map[string][]int // rows by task
	rng             *rand.Rand
	best            float64
	at              int // the round of the best
}

func (o *objective) derive(round int, pred, grad, hess []float32) bool {
	f := make([]float64, len(pred))
	for i, p := range pred {
		f[i] = float64(p)
		if o.margins != nil {
			f[i] += o.margins[i]
		}
	}
	if done := round - 1; done >= 0 && done%2 == 0 {
		switch r := o.recall(f); {
		case r > o.best:
			o.best, o.at = r, done
		case done-o.at >= o.patience:
			return false
		}
	}
	if !o.rank {
		for i := range f {
			grad[i], hess[i] = float32(f[i]-o.labels[i]), 1
		}
		return true
	}
	clear(grad)
	clear(hess)
	for _, name := range o.names {
		o.pairs(o.members[name], f, grad, hess)
	}
	for i := range hess {
		hess[i] = max(hess[i], 1e-16)
	}
	return true
}

// recall is the mean over tasks of the average recall of the best.
func (o *objective) recall(f []float64) float64 {
	sum := 0.0
	for _, name := range o.names {
		rows := o.members[name]
		s, y := make([]float64, len(rows)), make([]float64, len(rows))
		for k, i := range rows {
			s[k], y[k] = f[i], o.labels[i]
		}
		sum += metric.AverageRecall(s, y, o.top)
	}
	return sum / float64(len(o.names))
}

// allPairs is up to how many rows of a task all pairs are looked at. Of more rows, each is looked at beside partners,
// which are drawn anew in each round.
const (
	allPairs = 256
	partners = 64
)

func (o *objective) pairs(rows []int, f []float64, grad, hess []float32) {
	pair := func(i, j int) {
		if o.labels[i] < o.labels[j] {
			i, j = j, i
		}
		if o.labels[i] == o.labels[j] {
			return
		}
		wrong := 1 / (1 + math.Exp(f[i]-f[j]))
		g, h := float32(wrong), float32(wrong*(1-wrong))
		grad[i], grad[j] = grad[i]-g, grad[j]+g
		hess[i], hess[j] = hess[i]+h, hess[j]+h
	}
	for k, i := range rows {
		if len(rows) <= allPairs {
			for _, j := range rows[:k] {
				pair(i, j)
			}
			continue
		}
		for range partners {
			pair(i, rows[o.rng.IntN(len(rows))])
		}
	}
}
