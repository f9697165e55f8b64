package ranker

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker/metric"
	"github.com/wmtune/wmtune/ranker/trees"
	"github.com/wmtune/wmtune/ranker/xgboost"
)

// An Objective is what boosted trees are grown for.
type Objective string

// The objectives, as XGBoost names them. Regression predicts the quality of a
// candidate; the others learn its metric.Levels within the task.
const (
	Regression Objective = "reg:squarederror"
	Pairwise   Objective = "rank:pairwise"
	NDCG       Objective = "rank:ndcg"
)

// Boosting says how trees are grown. What it does not say is XGBoost's default,
// but for the histogram of 256 values that splits are sought in.
type Boosting struct {
	Objective Objective
	Trees     int
	Depth     int
	Eta       float64 // learning rate
	// MinChildWeight is the least sum of second derivatives in a leaf. Those of
	// rank:ndcg are so small that more than .001 forbids splits.
	MinChildWeight float64
	Subsample      float64 // share of rows for each tree; 0 means all
	ColumnSample   float64 // share of columns for each tree; 0 means all
	Seed           uint64
	// Members are ensembles of so many trees each that are grown as if there were no other; scores are their sum. What a
	// tree sees is drawn anew, so members err in different tasks, and their sum errs less. Of Pairs only; 0 means one.
	Members int
}

// A Group is the candidates of one task: rows of features, one after the other,
// and their quality (metric).
type Group struct {
	Rows    []float32
	Quality []float64
}

// A Boosted ranker scores rows by boosted trees.
type Boosted struct {
	model   *trees.Model
	columns int
	json    []byte // as XGBoost writes it
	patched []byte // as trees reads it
}

// Boost grows trees on groups of rows of so many columns.
func Boost(l *xgboost.Library, columns int, groups []Group, b Boosting) (*Boosted, error) {
	data := xgboost.Data{Columns: columns}
	var y xgboost.Labels
	for _, g := range groups {
		data.Values = append(data.Values, g.Rows...)
		if b.Objective == Regression {
			for _, q := range g.Quality {
				y.Values = append(y.Values, float32(q))
			}
			continue
		}
		for _, level := range metric.Levels(g.Quality) {
			y.Values = append(y.Values, float32(level))
		}
		y.Groups = append(y.Groups, uint32(len(g.Quality)))
	}
	var record []byte
	var err error
	if b.Objective == Pairs {
		p := &pairs{groups: groups, seed: b.Seed, each: b.Trees}
		record, err = l.Train(data, b.params(), b.Trees*max(b.Members, 1), p.derive, xgboost.JSON)
	} else {
		record, err = l.Fit(data, y, b.params(), b.Trees, xgboost.JSON)
	}
	if err != nil {
		return nil, fmt.Errorf("ranker: %w", err)
	}
	grown, err := newBoosted(l, record, columns)
	if err != nil {
		return nil, fmt.Errorf("ranker: %w", err)
	}
	return grown, nil
}

// newBoosted makes a ranker of a model in XGBoost's JSON.
func newBoosted(l *xgboost.Library, record []byte, columns int) (*Boosted, error) {
	binary, err := l.Convert(record, xgboost.Binary)
	if err != nil {
		return nil, err
	}
	patched, err := trees.Patch(binary)
	if err != nil {
		return nil, err
	}
	read, err := trees.ReadPatched(patched)
	if err != nil {
		return nil, err
	}
	return &Boosted{read, columns, record, patched}, nil
}

// params returns XGBoost's parameters. The number of threads is fixed, for it may
// show in the last bits of a model.
func (b Boosting) params() []xgboost.Param {
	real := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	objective := b.Objective
	if objective == Pairs { // derivatives are ours; predictions are sums of the trees
		objective = Regression
	}
	list := []xgboost.Param{
		{Name: "objective", Value: string(objective)},
		{Name: "max_depth", Value: strconv.Itoa(b.Depth)},
		{Name: "eta", Value: real(b.Eta)},
		{Name: "min_child_weight", Value: real(b.MinChildWeight)},
		{Name: "seed", Value: strconv.FormatUint(b.Seed%(1<<31), 10)},
		{Name: "tree_method", Value: "hist"},
		{Name: "nthread", Value: "1"},
		{Name: "verbosity", Value: "0"},
	}
	if b.Subsample > 0 {
		list = append(list, xgboost.Param{Name: "subsample", Value: real(b.Subsample)})
	}
	if b.ColumnSample > 0 {
		list = append(list, xgboost.Param{Name: "colsample_bytree", Value: real(b.ColumnSample)})
	}
	return list
}

// Score returns the score of a row; higher is better.
func (b *Boosted) Score(row []float32) float64 { return b.model.Sum(row, b.columns) }

// Pairs is an objective of ours: the logistic loss of all pairs inside a task, as of
// the networks. XGBoost's rank:pairwise draws one pair for each row (1.7.4), which
// leaves more to luck. A pair weighs more the better its better candidate is, and
// tasks weigh by their number of candidates.
const Pairs Objective = "pairs"

// partners bounds with how many others a candidate is compared in a round: those so many drawn distances behind it, and
// those so many before it. In a group of at most twice as many it is compared with all.
const partners = 128

// pairs derives the loss of groups of candidates.
type pairs struct {
	groups []Group
	seed   uint64
	each   int       // trees of a member
	before []float32 // scores by the members that are complete
}

// derive is an xgboost.Objective.
func (p *pairs) derive(round int, pred, grad, hess []float32) bool {
	clear(grad)
	clear(hess)
	if p.before == nil || round%p.each == 0 {
		p.before = slices.Clone(pred)
	}
	alone := make([]float32, len(pred))
	for i, v := range pred {
		alone[i] = v - p.before[i]
	}
	at := 0
	for g := range p.groups {
		y := p.groups[g].Quality
		n := len(y)
		p.group(round, g, y, alone[at:at+n], grad[at:at+n], hess[at:at+n])
		at += n
	}
	return true
}

// group derives one group. Of a large one, each candidate meets those that stand a
// drawn distance behind it.
func (p *pairs) group(round, number int, y []float64, pred, grad, hess []float32) {
	n := len(y)
	steps := make([]int, 0, n-1)
	for d := 1; d < n; d++ {
		steps = append(steps, d)
	}
	if n > 2*partners {
		rng := rand.New(rand.NewPCG(p.seed, uint64(round)<<32|uint64(number)))
		rng.Shuffle(len(steps), func(i, k int) { steps[i], steps[k] = steps[k], steps[i] })
		steps = steps[:partners]
	}
	sum := 0.0
	for _, d := range steps {
		for i := range n {
			k := (i + d) % n
			if n <= 2*partners && k < i { // each pair once
				continue
			}
			better, worse := i, k
			if y[k] > y[i] {
				better, worse = k, i
			}
			if y[better]-y[worse] <= metric.MinBand {
				continue
			}
			w := 0.3 + y[better]
			share := 1 / (1 + math.Exp(float64(pred[better]-pred[worse])))
			sum += w
			grad[better] -= float32(w * share)
			grad[worse] += float32(w * share)
			h := float32(w * share * (1 - share))
			hess[better] += h
			hess[worse] += h
		}
	}
	if sum == 0 {
		return
	}
	scale := float32(float64(n) / sum)
	for i := range grad {
		grad[i] *= scale
		hess[i] *= scale
	}
}

var _ xgboost.Objective = (&pairs{}).derive

// PairLoss is nn.PairLoss of qualities that differ by more than metric.MinBand, the mean
// over pairs. It writes its derivative by each score s.
func PairLoss(s []float32, quality []float64, task []int, derivative []float32) float64 {
	clear(derivative)
	sum, pairs := nn.PairLoss(s, quality, task, metric.MinBand, derivative)
	pairs = max(pairs, 1)
	for i := range derivative {
		derivative[i] /= float32(pairs)
	}
	return sum / float64(pairs)
}
