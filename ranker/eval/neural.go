package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/metric"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A recipe is a network over the rows of a candidate and how it is trained.
type recipe struct {
	columns int
	rows    func(s *Sample) []float32 // one row after the other; one at least
	scale   func(samples []*Sample, rows func(*Sample) []float32, columns int) affine

	batchRows, batchSize int // the most rows and candidates of a batch
	tasks                int // candidates of so many tasks make a batch; 0: of all
	steps                int
	adam                 nn.Adam // the rate falls to 0 along a cosine
	loss                 loss
	layers               func(n *nn.Network, x nn.Value, s *nn.Segments, most int) nn.Value
}

// neural is the scorer of a recipe.
type neural struct {
	recipe
	seed  uint64
	scale affine

	net      *nn.Network
	input    []float32
	segments *nn.Segments
	quality  []float64
	task     []int // of the candidates of the batch; -1: there is none
	learning bool
}

// An affine brings the columns of rows to one scale: (v - shift) * factor.
type affine struct{ shift, factor []float32 }

// byMost divides columns by their largest value in training.
func byMost(samples []*Sample, rows func(*Sample) []float32, columns int) affine {
	a := affine{make([]float32, columns), make([]float32, columns)}
	for _, s := range samples {
		for i, v := range rows(s) {
			a.factor[i%columns] = max(a.factor[i%columns], v, -v)
		}
	}
	for k, most := range a.factor {
		if most > 0 {
			a.factor[k] = 1 / most
		}
	}
	return a
}

// byDeviation brings columns to mean 0 and deviation 1, of candidates of one row each.
func byDeviation(samples []*Sample, rows func(*Sample) []float32, columns int) (a affine) {
	a.shift, a.factor = nn.Standard(func(yield func([]float32) bool) {
		for _, s := range samples {
			if !yield(rows(s)) {
				return
			}
		}
	}, columns, nn.LeastDeviation, 1e-4)
	return a
}

// asIs changes nothing.
func asIs(_ []*Sample, _ func(*Sample) []float32, columns int) affine {
	a := affine{make([]float32, columns), make([]float32, columns)}
	for k := range a.factor {
		a.factor[k] = 1
	}
	return a
}

// A candidate is a sample to learn from or to score.
type candidate struct {
	sample  *Sample
	quality float64
	task    int
}

func (n *neural) Train(ctx context.Context, groups []Group) error {
	var samples []*Sample
	for _, g := range groups {
		samples = append(samples, g.Samples...)
	}
	n.scale = n.recipe.scale(samples, n.rows, n.columns)
	if err := n.build(); err != nil {
		return err
	}
	n.learning = true
	rng := rand.New(rand.NewPCG(n.seed, 5))
	adam := n.adam
	for step := range n.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		n.fill(n.draw(groups, rng))
		if _, err := n.net.Run(); err != nil {
			return err
		}
		adam.Rate = n.adam.Rate * (1 + math.Cos(math.Pi*float64(step)/float64(n.steps))) / 2
		n.net.Step(adam)
	}
	n.learning = false
	return nil
}

// Close gives back what the network holds.
func (n *neural) Close() error { return n.net.Close() }

// build makes the network.
func (n *neural) build() error {
	n.net = nn.New(n.seed)
	x, input := n.net.Input(n.batchRows, n.columns)
	n.input, n.segments = input, &nn.Segments{}
	n.quality, n.task = make([]float64, n.batchSize), make([]int, n.batchSize)
	out := n.layers(n.net, x, n.segments, n.batchSize)
	return n.net.Finish(out, n.net.Loss(out, func(s, derivative []float32) float64 {
		if !n.learning {
			return 0
		}
		return n.loss(s, n.quality, n.task, derivative)
	}))
}

// draw returns candidates for a batch: as many as possible of each of some tasks, or
// of all tasks alike. Faster ones are drawn more often, as they are rarer and
// matter more.
func (n *neural) draw(groups []Group, rng *rand.Rand) []candidate {
	tasks := rng.Perm(len(groups))
	if n.tasks > 0 {
		tasks = tasks[:min(n.tasks, len(tasks))]
	}
	list := make([]candidate, n.batchSize)
	for i := range list {
		t := tasks[i%len(tasks)]
		g := groups[t]
		k := rng.IntN(len(g.Samples))
		for (0.3+g.Quality[k])/1.3 < rng.Float64() {
			k = rng.IntN(len(g.Samples))
		}
		list[i] = candidate{g.Samples[k], g.Quality[k], t}
	}
	return list
}

// fill makes candidates the batch, as many as fit, and returns how many do.
func (n *neural) fill(list []candidate) int {
	clear(n.input)
	n.segments.Ends = n.segments.Ends[:0]
	at := 0
	for i := range n.task {
		n.task[i] = -1
	}
	for i, c := range list {
		rows := n.rows(c.sample)
		if i == n.batchSize || at+len(rows) > len(n.input) {
			return i
		}
		for k, v := range rows {
			column := k % n.columns
			n.input[at+k] = (v - n.scale.shift[column]) * n.scale.factor[column]
		}
		at += len(rows)
		n.segments.Ends = append(n.segments.Ends, at/n.columns)
		n.quality[i], n.task[i] = c.quality, c.task
	}
	return len(list)
}

func (n *neural) Score(g Group) ([]float64, error) {
	var list []candidate
	for _, s := range g.Samples {
		list = append(list, candidate{sample: s})
	}
	var out []float64
	for len(list) > 0 {
		count := n.fill(list)
		if count == 0 {
			return nil, fmt.Errorf("a candidate of %d rows is more than fits into %d", len(n.rows(list[0].sample))/n.columns,
				n.batchRows)
		}
		s, err := n.net.Run()
		if err != nil {
			return nil, err
		}
		for _, v := range s[:count] {
			out = append(out, float64(v))
		}
		list = list[count:]
	}
	return out, nil
}

func mlpRows() []Row {
	row := func(name, what string, r recipe, needs ...Feature) Row {
		scorer := func(_ *env, seed uint64) Scorer { return &neural{recipe: r, seed: seed} }
		return Row{Name: name, What: what, Needs: needs, new: scorer}
	}
	return []Row{
		row("mlp-l1p", "action and tiling features, 198-256-128-128-1 (100,481 weights), pairs inside a task, AdamW 2e-3, "+
			"400 batches of 8 x 64", mlpTiling, Actions, Tiling),
		row("ranker-mlp", "ranker.Features, otherwise as mlp-l1p", mlpAll, All),
		row("mlp", "TenSet's: 164 features, 164-256-256 by statement, their sum, two residual layers of 256 (239,873 "+
			"weights), LambdaRank, Adam 1e-3, 600 batches of 256", mlpStatements, Statements),
	}
}

// mlpTiling is a small network on the features of l1p.
var mlpTiling = recipe{
	columns: ranker.ActionColumns + ranker.TilingColumns, rows: tilingOf, scale: byDeviation,
	batchRows: 512, batchSize: 512, tasks: 8, steps: 400,
	adam: nn.Adam{Rate: 2e-3, Decay: 0.02, Clip: 1}, loss: ranker.PairLoss,
	layers: func(n *nn.Network, x nn.Value, _ *nn.Segments, _ int) nn.Value {
		for _, width := range []int{256, 128, 128} {
			x = n.ReLU(n.Linear(x, width))
		}
		return n.Linear(x, 1)
	},
}

// mlpAll is the same on all features.
var mlpAll = func() recipe {
	r := mlpTiling
	r.columns, r.rows = ranker.Columns, allOf
	return r
}()

// mlpStatements is TenSet's network (tlc-pack/tenset, SegmentSumMLP), without its
// flags for kinds of workloads.
var mlpStatements = recipe{
	columns: feature.Columns, rows: statementsOf, scale: byMost,
	batchRows: 1536, batchSize: 256, steps: 600,
	adam: nn.Adam{Rate: 1e-3, Decay: 1e-6, Clip: 0.5}, loss: lambdaRank,
	layers: func(n *nn.Network, x nn.Value, s *nn.Segments, most int) nn.Value {
		const width = 256
		x = n.ReLU(n.Linear(n.ReLU(n.Linear(x, width)), width))
		return n.Linear(residuals(n, n.SegmentSum(x, s, most), width), 1)
	},
}

// residuals adds two layers h = ReLU(Linear h) + h.
func residuals(n *nn.Network, h nn.Value, width int) nn.Value {
	for range 2 {
		h = n.Add(n.ReLU(n.Linear(h, width)), h)
	}
	return h
}

func statementsOf(s *Sample) []float32 { return s.Statements }

const (
	tlpNumbers = 22 // of a step
	tlpWidth   = 64
	tlpHeads   = 4
)

func tlpRows() []Row {
	return []Row{{
		Name: "tlp",
		What: "TLP's: steps as kind and 22 numbers, 36-64-64 by step, attention of 4 heads, two residual layers of 64, " +
			"64-64-1 summed over steps (35,713 weights), LambdaRank, Adam 2e-3, 500 batches of 96",
		new: func(_ *env, seed uint64) Scorer { return &neural{recipe: tlp, seed: seed} },
	}}
}

// tlp is TLP's network (zhaiyi000/tlp) at a quarter of its width. Sequences are
// neither cropped nor padded; numbers are logarithms, for the network is too small to
// take products apart.
var tlp = recipe{
	columns: ranker.Kinds + tlpNumbers, rows: stepsOf, scale: asIs,
	batchRows: 4096, batchSize: 96, steps: 500,
	adam: nn.Adam{Rate: 2e-3, Decay: 1e-6, Clip: 0.5}, loss: lambdaRank,
	layers: func(n *nn.Network, x nn.Value, s *nn.Segments, most int) nn.Value {
		h := n.ReLU(n.Linear(n.ReLU(n.Linear(x, tlpWidth)), tlpWidth))
		h = n.Add(n.Linear(n.Attention(n.Linear(h, 3*tlpWidth), s, tlpHeads), tlpWidth), h)
		h = residuals(n, h, tlpWidth)
		return n.SegmentSum(n.Linear(n.ReLU(n.Linear(h, tlpWidth)), 1), s, most)
	},
}

// stepsOf returns a row per step: its kind as one of ranker.Kinds flags, and its
// numbers in the order of records.
func stepsOf(s *Sample) []float32 {
	const columns = ranker.Kinds + tlpNumbers
	out := make([]float32, columns*max(len(s.Steps), 1))
	for i, step := range s.Steps {
		row := out[i*columns:][:columns]
		if k, ok := ranker.KindNumber(step.Kind()); ok {
			row[k] = 1
		}
		at := ranker.Kinds
		for _, v := range numbersOf(step) {
			if at == columns {
				break
			}
			row[at] = float32(math.Log2(1+math.Abs(float64(v)))) / 4
			at++
		}
	}
	return out
}

// numbersOf returns the integers of a step in the order of its record form.
func numbersOf(step schedule.Step) []int64 {
	list := []int64{int64(step.Stage())}
	add := func(values ...int) {
		for _, v := range values {
			list = append(list, int64(v))
		}
	}
	switch s := step.(type) {
	case schedule.Annotate:
		add(s.Iter, int(s.Ann))
	case schedule.Fuse:
		add(s.Iters...)
	case schedule.Pragma:
		add(s.Iter)
		list = append(list, ranker.UnrollLimit(s.Text))
	case schedule.Reorder:
		add(s.Order...)
	case schedule.Split:
		add(s.Iter)
		list = append(append(list, s.Extent), s.Lengths...)
	case schedule.FollowSplit:
		add(s.Iter, s.Src, s.Parts)
	case schedule.FollowFusedSplit:
		add(s.Iter, s.Level)
		add(s.Srcs...)
	case schedule.StorageAlign:
		add(s.Iter)
		list = append(list, s.Factor, s.Offset)
	case schedule.ComputeAt:
		add(s.Target, s.TargetIter)
	case schedule.CacheRead:
		add(s.Readers...)
	case schedule.Rfactor:
		add(s.Iter, s.FactorIter)
	}
	return list
}

// A loss returns what is to be minimised for the scores s of candidates of some
// quality, each of a task, and writes its derivative by each score. Those of no task
// (-1) are not there.
type loss func(s []float32, quality []float64, task []int, derivative []float32) float64

// lambdaRank is the loss of TenSet's models: a batch of whatever tasks is one
// list; a pair in the wrong order weighs as much as NDCG would change if it were
// swapped.
func lambdaRank(s []float32, quality []float64, task []int, derivative []float32) float64 {
	clear(derivative)
	var list []int
	for i, t := range task {
		if t >= 0 {
			list = append(list, i)
		}
	}
	scores, y := make([]float64, len(list)), make([]float64, len(list))
	for k, i := range list {
		scores[k], y[k] = float64(s[i]), quality[i]
	}
	discount := make([]float64, len(list)) // 1/D by candidate
	for place, k := range metric.Order(scores) {
		discount[k] = 1 / math.Log2(float64(place+2))
	}
	ideal := 0.0
	for place, k := range metric.Order(y) {
		ideal += (math.Exp2(y[k]) - 1) / math.Log2(float64(place+2))
	}
	if ideal == 0 {
		return 0
	}
	sum := 0.0
	for a, i := range list {
		for b, j := range list {
			if y[a] <= y[b] {
				continue
			}
			weight := math.Abs(discount[a]-discount[b]) * (math.Exp2(y[a]) - math.Exp2(y[b])) / ideal
			l, d := nn.Logistic(scores[a] - scores[b])
			sum += weight * l / math.Ln2
			derivative[i] += float32(weight * d / math.Ln2)
			derivative[j] -= float32(weight * d / math.Ln2)
		}
	}
	return sum
}
