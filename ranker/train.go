package ranker

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker/xgboost"
)

// Candidates are the measured candidates of one task as the ranker trains on them: features and
// quality, with no program behind them.
type Candidates struct {
	Name     string
	Family   string // tasks of one are never on both sides of a split
	Features [][]float32
	Values   []float32 // that the model gave them; nil if there are none
	Quality  []float64 // the best time over the candidate's own; 0 of one that failed
}

// maxCandidates and failureShare bound a task in training: large ones would weigh
// more, and a failure says little of speed.
const (
	maxCandidates = 512
	failureShare  = 0.1
)

// capped returns the tasks with at most maxCandidates each, taken evenly over their
// order by quality, and at most failureShare of them failures.
func capped(tasks []Candidates, seed uint64) []Candidates {
	rng := rand.New(rand.NewPCG(seed, 9))
	out := make([]Candidates, 0, len(tasks))
	for _, t := range tasks {
		order := rng.Perm(len(t.Quality))
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case t.Quality[a] > t.Quality[b]:
				return -1
			case t.Quality[a] < t.Quality[b]:
				return 1
			}
			return 0
		})
		timed := 0
		for timed < len(order) && t.Quality[order[timed]] > 0 {
			timed++
		}
		failed := min(len(order)-timed, int(failureShare*float64(timed)/(1-failureShare)))
		order = order[:timed+failed]
		if n := len(order); n > maxCandidates {
			some := make([]int, maxCandidates)
			for i := range some {
				some[i] = order[i*n/maxCandidates]
			}
			order = some
		}
		slices.Sort(order)
		if timed > 1 {
			out = append(out, t.some(order))
		}
	}
	return out
}

// some returns a task with some of its candidates.
func (t *Candidates) some(list []int) Candidates {
	c := Candidates{Name: t.Name, Family: t.Family}
	for _, i := range list {
		c.Features, c.Quality = append(c.Features, t.Features[i]), append(c.Quality, t.Quality[i])
		if t.Values != nil {
			c.Values = append(c.Values, t.Values[i])
		}
	}
	return c
}

// Options say how a model is trained.
type Options struct {
	Library *xgboost.Library
	Seed    uint64
	Table   Table // of the tasks' features

	Trees    []Boosting // what there is to choose from; of the best on validation
	Learning Learning
	Networks int // how many, each with a seed of its own

	// Fixed, if it is not nil, are the weights of the parts; else validation chooses.
	Fixed *Parts

	// Refit trains what was chosen again on both parts of the tasks. Values
	// are then to be those of a model that learned from neither part.
	Refit bool

	// Progress, if it is not nil, is told what part is being trained and how far that
	// is.
	Progress func(part string, done, all int, loss float64)
}

// DefaultTrees are the objectives that validation chooses from. The logs of GPUs have few tasks: there, three members
// of trees are worth their time (docs/design/world-model.md).
func DefaultTrees(of Table) []Boosting {
	ranking := Boosting{Objective: Pairwise, Trees: 400, Depth: 6, Eta: 0.1, MinChildWeight: 1, Subsample: 0.8,
		ColumnSample: 0.5}
	regression, ndcg := ranking, ranking
	regression.Objective, regression.MinChildWeight = Regression, 2
	ndcg.Objective, ndcg.MinChildWeight = NDCG, 0.001
	pairs := ranking
	pairs.Objective, pairs.Trees, pairs.MinChildWeight = Pairs, 250, 0.1
	if of == Launched {
		pairs.Members = 3
	}
	return []Boosting{pairs, ranking, regression, ndcg}
}

// DefaultNetworks is how many networks score together: what they see differs.
const DefaultNetworks = 6

// DefaultLearning is how networks are trained. 400 batches of 8 tasks are 14 draws of the 226 tasks that they were
// chosen for. Of 1,476 tasks networks were worth 0.930 on validation after 2 draws and 0.957 after 14 (best of 16 less
// the regret after 8).
func DefaultLearning() Learning {
	return Learning{Widths: []int{256, 128, 128}, Steps: 400, Tasks: 8, Candidates: 64, Rate: 2e-3, Decay: 0.02, Clip: 1,
		Dropout: 0.1, Draws: 14}
}

// steps returns how many batches a network learns from.
func (l *Learning) steps(tasks int) int {
	return max(l.Steps, int(l.Draws*float64(tasks)/float64(l.Tasks)))
}

// A Report says what validation found.
type Report struct {
	Objective Objective // of the trees
	Parts     Parts
	Scores    map[string]float64 // Worth of each part alone and of all together; First of them with ", first" behind

	Calibration Calibration // of the parts that learned from the training tasks only
}

// Train trains a model on tasks, and chooses by others. It returns the model; Files
// writes it.
func Train(ctx context.Context, train, validation []Candidates, o Options) (*Model, *Report, error) {
	train = capped(train, o.Seed)
	if len(train) == 0 || len(validation) == 0 {
		return nil, nil, fmt.Errorf("ranker: %d tasks to learn from, %d to choose by: give more", len(train), len(validation))
	}
	for _, t := range validation {
		if o.Fixed != nil && o.Fixed.Value > 0 && t.Values == nil {
			return nil, nil, fmt.Errorf("ranker: values have a fixed weight, and %s has none: train a transition first",
				t.Name)
		}
	}
	r := &Report{Scores: map[string]float64{}}
	how, err := o.choose(ctx, train, telling(validation), r)
	if err != nil {
		return nil, nil, err
	}
	m, err := o.fit(ctx, train, how, "")
	if err != nil {
		return nil, nil, err
	}
	m.weigh(telling(validation), o, r)
	r.Calibration = m.Calibrate(validation)
	if !o.Refit {
		return m, r, nil
	}
	all, err := o.fit(ctx, append(train[:len(train):len(train)], capped(validation, o.Seed)...), how, "all tasks, ")
	if err != nil {
		return nil, nil, err
	}
	all.parts = m.parts
	return all, r, nil
}

// choose returns the way to grow trees that is worth most on validation. Where
// there is one way only, nothing is grown.
func (o *Options) choose(ctx context.Context, train, validation []Candidates, r *Report) (Boosting, error) {
	if len(o.Trees) == 1 {
		r.Objective = o.Trees[0].Objective
		return o.Trees[0], nil
	}
	best, chosen := math.Inf(-1), Boosting{}
	for k, how := range o.Trees {
		o.tell("trees, "+string(how.Objective), k, len(o.Trees), 0)
		if err := ctx.Err(); err != nil {
			return chosen, err
		}
		short := how // an objective shows what it is worth before the last tree
		short.Trees, short.Eta = (how.Trees+2)/3, min(2*how.Eta, 0.3)
		b, err := o.grow(train, short)
		if err != nil {
			return chosen, err
		}
		worth := Worth(validation, func(t *Candidates) []float64 { return b.scores(t) })
		r.Scores[string(how.Objective)] = worth
		if worth > best {
			best, chosen, r.Objective = worth, how, how.Objective
		}
	}
	return chosen, nil
}

// fit trains the parts.
func (o *Options) fit(ctx context.Context, tasks []Candidates, how Boosting, note string) (*Model, error) {
	m := &Model{table: o.Table}
	o.tell(note+"trees", 0, 1, 0)
	var err error
	if m.trees, err = o.grow(tasks, how); err != nil {
		return nil, err
	}
	if err := o.verify(m.trees, tasks); err != nil {
		return nil, err
	}
	for k := range o.Networks {
		n, err := learn(ctx, tasks, o.Table, o.Learning, sightOf(k, o.Table), o.Seed+uint64(k)<<32,
			func(step, steps int, loss float64) { o.tell(fmt.Sprintf("%snetwork %d", note, k+1), step, steps, loss) })
		if err != nil {
			return nil, fmt.Errorf("ranker: %w", err)
		}
		m.networks = append(m.networks, n)
	}
	return m, nil
}

func (o *Options) tell(part string, done, all int, loss float64) {
	if o.Progress != nil {
		o.Progress(part, done, all, loss)
	}
}

// grow grows trees.
func (o *Options) grow(tasks []Candidates, how Boosting) (*Boosted, error) {
	how.Seed = o.Seed
	groups := make([]Group, len(tasks))
	for i, t := range tasks {
		for _, row := range t.Features {
			groups[i].Rows = append(groups[i].Rows, row...)
		}
		groups[i].Quality = t.Quality
	}
	return Boost(o.Library, o.Table.Columns(), groups, how)
}

// The check of trees after training: so many rows, and how far scores may be apart.
const (
	verified       = 10_000
	verifiedWithin = 1e-5
)

// verify reports whether trees score rows of the training as libxgboost does by the
// record.
func (o *Options) verify(b *Boosted, tasks []Candidates) error {
	d := xgboost.Data{Columns: b.columns}
	var got []float64
	for i := range tasks {
		for _, row := range tasks[i].Features {
			d.Values = append(d.Values, row...)
		}
		got = append(got, b.scores(&tasks[i])...)
		if len(got) >= verified {
			break
		}
	}
	want, err := o.Library.Predict(b.json, d)
	if err != nil {
		return fmt.Errorf("ranker: %w", err)
	}
	for i, w := range want {
		if math.Abs(got[i]-float64(w)) > verifiedWithin*max(1, math.Abs(float64(w))) {
			return fmt.Errorf("ranker: the trees that were read score row %d of the training %v, libxgboost says %v: %s may "+
				"be of a version whose files differ; install 1.7",
				i, got[i], w, o.Library)
		}
	}
	return nil
}

// scores returns the scores of a task's candidates.
func (b *Boosted) scores(t *Candidates) []float64 {
	out := make([]float64, len(t.Features))
	b.model.Predict(t.Features, out)
	return out
}

// Learning says how a network is trained: batches of so many tasks with so many
// candidates of each, pairwise loss, AdamW whose rate falls to 0 along a cosine.
type Learning struct {
	Widths     []int   // of the hidden layers
	Steps      int     // at least
	Draws      float64 // of each task at least, for which there are more steps
	Tasks      int     // of a batch
	Candidates int     // of each
	Rate       float64
	Decay      float64
	Clip       float64
	Dropout    float64 // share of the hidden values that a step forgets
}

// learn trains a network on what it sees of tasks. Progress, which may be nil, is called after each
// step.
func learn(
	ctx context.Context, tasks []Candidates, table Table, l Learning, sees sight, seed uint64,
	progress func(step, steps int, loss float64),
) (*network, error) {
	n := &network{}
	n.scale(tasks, table.Columns())
	n.hide(table, sees)
	batch := l.Tasks * l.Candidates
	g := nn.New(seed)
	x, input := g.Input(batch, len(n.shift))
	noise := &nn.Noise{Share: l.Dropout}
	for _, width := range l.Widths {
		x = g.Dropout(g.ReLU(g.Linear(x, width)), noise)
	}
	out := g.Linear(x, 1)
	quality, of := make([]float64, batch), make([]int, batch)
	loss := 0.0
	if err := g.Finish(out, g.Loss(out, func(s, derivative []float32) float64 {
		loss = PairLoss(s, quality, of, derivative)
		return loss
	})); err != nil {
		return nil, err
	}
	defer g.Close() //nolint:errcheck // it holds memory only
	rng := rand.New(rand.NewPCG(seed, 5))
	steps := l.steps(len(tasks))
	for step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		noise.Seed = rng.Uint64()
		n.draw(tasks, rng, min(l.Tasks, len(tasks)), input, quality, of)
		if _, err := g.Run(); err != nil {
			return nil, err
		}
		rate := l.Rate * (1 + math.Cos(math.Pi*float64(step)/float64(steps))) / 2
		g.Step(nn.Adam{Rate: rate, Decay: l.Decay, Clip: l.Clip})
		if progress != nil {
			progress(step+1, steps, loss)
		}
	}
	list := g.Parameters().List() // weight and bias of each layer
	for k := 0; k+1 < len(list); k += 2 {
		w, b := list[k], list[k+1]
		n.layers = append(n.layers, layer{in: w.Rows, out: w.Cols, weight: w.Value, bias: b.Value})
	}
	return n, n.ready()
}

// scale brings columns to mean 0 and deviation 1.
func (n *network) scale(tasks []Candidates, columns int) {
	var rows [][]float32
	for _, t := range tasks {
		rows = append(rows, t.Features...)
	}
	n.shift, n.factor = nn.Standard(slices.Values(rows), columns, nn.LeastDeviation, 1e-4)
}

// draw fills a batch with candidates of some tasks. Faster ones are drawn more
// often, as they are rarer and matter more.
func (n *network) draw(tasks []Candidates, rng *rand.Rand, some int, input []float32, quality []float64, of []int) {
	chosen := rng.Perm(len(tasks))[:some]
	for i := range of {
		t := &tasks[chosen[i%some]]
		k := rng.IntN(len(t.Quality))
		for (0.3+t.Quality[k])/1.3 < rng.Float64() {
			k = rng.IntN(len(t.Quality))
		}
		row := input[i*len(n.shift):][:len(n.shift)]
		for c, v := range t.Features[k] {
			row[c] = (v - n.shift[c]) * n.factor[c]
		}
		quality[i], of[i] = t.Quality[k], chosen[i%some]
	}
}

// A sight says which columns a network looks at. What is relative, to a cache, a
// register file or the least work there is, carries over to operators that were
// never seen; extents and single splits do not, and networks fit them gladly.
type sight func(column string) bool

func everything(string) bool { return true }

// localOnly are the features of loop nests against the machine.
func localOnly(column string) bool {
	return slices.ContainsFunc([]string{"all.", "nest", "hardware.", "low"}, func(prefix string) bool {
		return strings.HasPrefix(column, prefix)
	})
}

// noExtents is everything but single splits and extents.
func noExtents(column string) bool {
	return !strings.HasPrefix(column, "split") && !strings.HasPrefix(column, "extent")
}

// sightOf returns what the k-th network looks at. On a GPU networks differ in their seeds only.
func sightOf(k int, of Table) sight {
	if of == Launched {
		return everything
	}
	return []sight{localOnly, localOnly, noExtents}[k%3]
}

// hide sets the columns to 0 that are not looked at.
func (n *network) hide(of Table, s sight) {
	for k, name := range of.Names() {
		if !s(name) {
			n.factor[k] = 0
		}
	}
}
