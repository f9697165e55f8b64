// Package gbt is AutoScheduler's cost model: gradient boosted trees over the
// features of ranker/feature, trained online on what was measured
// (python/tvm/auto_scheduler/cost_model/xgb_model.py). A program's score is the
// sum of the predictions of its rows, its label the best time of the task so far
// over its own.
//
// Training needs libxgboost (ranker/xgboost); prediction does not. The package
// must not know how candidates come about or what becomes of scores.
package gbt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/trees"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/schedule"
)

// groupOf names what the time of a record can be compared with.
func groupOf(r *dataset.Record) string {
	return r.WorkloadKey + "\x00" + r.Target.String() + "\x00" + r.Layout.String() + "\x00" + r.Timing.String()
}

// warmUp is the number of records up to which a model that was not pretrained
// is of no use.
const warmUp = 100

// A Model scores programs. Its methods may not be called at the same time.
type Model struct {
	// Workers is the number of goroutines that score; 0 means one per processor.
	// The scores do not depend on it.
	Workers int

	// MaxTrees is how many trees are grown at most; 0 means AutoScheduler's 10,000,
	// which are for a few hundred records.
	MaxTrees int

	library    *xgboost.Library
	data       samples
	pretrained bool
	trees      *trees.Model // nil before the first training

	// last holds the scores of the last call by the trees as they are: a
	// generation passes many of its states on to the next one.
	last map[*schedule.State]float64
}

// New returns a model that has learned nothing. It trains with the libxgboost at
// path, or if that is empty with the one that is installed. The error says what
// to install if there is none; it is xgboost.ErrMissing then.
func New(path string) (*Model, error) {
	l, err := xgboost.Load(path)
	if err != nil {
		return nil, fmt.Errorf("gbt: %w", err)
	}
	return With(l), nil
}

// With returns a model that has learned nothing and trains with a library.
func With(l *xgboost.Library) *Model { return &Model{library: l} }

// Ready reports whether the model has learned enough for scores that mean
// something.
func (m *Model) Ready() bool {
	return m.trees != nil && (m.pretrained || m.data.len() > warmUp)
}

// errUntrained is the error of a model that is asked too early.
var errUntrained = errors.New("gbt: the model has not been trained")

// Score returns one value per state, in order; higher is faster. A state that
// cannot be lowered scores -Inf.
func (m *Model) Score(ctx context.Context, task workload.Task, states []*schedule.State) ([]float64, error) {
	if m.trees == nil {
		return nil, errUntrained
	}
	scores := make([]float64, len(states))
	line := float64(task.Target.Hardware.CacheLineBytes)
	g, ctx := m.workers(ctx)
	const few = 16 // states that a goroutine scores at a time
	for from := 0; from < len(states); from += few {
		g.Go(func() error {
			for i := from; i < min(from+few, len(states)) && ctx.Err() == nil; i++ {
				if score, ok := m.last[states[i]]; ok {
					scores[i] = score
				} else {
					scores[i] = m.score(states[i], line)
				}
			}
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	m.last = make(map[*schedule.State]float64, len(states))
	for i, s := range states {
		m.last[s] = scores[i]
	}
	return scores, nil
}

func (m *Model) score(s *schedule.State, line float64) float64 {
	rows, err := rowsOf(s, line)
	if err != nil {
		return math.Inf(-1)
	}
	return m.trees.Sum(rows, feature.Columns)
}

// Update learns from measured records, failures included: the trees are grown
// anew from all records so far.
func (m *Model) Update(ctx context.Context, task workload.Task, records []dataset.Record) error {
	if err := m.Add(ctx, task, records); err != nil {
		return err
	}
	return m.Retrain()
}

// Retrain grows the trees anew from all that was added.
func (m *Model) Retrain() error { return m.train() }

// Pretrain learns from all that was added before. The model is ready then, if
// any of it was timed.
func (m *Model) Pretrain() error {
	m.pretrained = true
	return m.train()
}

// Add takes over records to learn from later. Those whose steps do not apply to
// the task are left out.
func (m *Model) Add(ctx context.Context, task workload.Task, records []dataset.Record) error {
	list := make([]sample, len(records))
	line := float64(task.Target.Hardware.CacheLineBytes)
	g, ctx := m.workers(ctx)
	for i := range records {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			s, err := schedule.Replay(task.DAG, records[i].Steps)
			if err != nil {
				return nil
			}
			if rows, err := rowsOf(s, line); err == nil {
				list[i] = sample{rows: rows, cost: records[i].Cost(), group: groupOf(&records[i])}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	m.data.add(list)
	return nil
}

// AddRows takes over a program that was measured, as the features of its
// statements (feature.Rows), the time in seconds, 0 if it failed, and the name of
// the task inside which times compare.
func (m *Model) AddRows(rows []float32, cost float64, task string) {
	m.data.add([]sample{{rows: rows, cost: cost, group: task}})
}

// ScoreRows returns the score of a program by the features of its statements. The
// model must have been trained.
func (m *Model) ScoreRows(rows []float32) float64 { return m.trees.Sum(rows, feature.Columns) }

// rowsOf returns the features of a state, row after row.
func rowsOf(s *schedule.State, line float64) ([]float32, error) {
	p, err := feature.Outline(s)
	if err != nil {
		return nil, err
	}
	wide, err := feature.Rows(p, line)
	if err != nil {
		return nil, err
	}
	rows := make([]float32, len(wide))
	for i, v := range wide {
		rows[i] = float32(v)
	}
	return rows, nil
}

// workers returns a group of the model's goroutines.
func (m *Model) workers(ctx context.Context) (*errgroup.Group, context.Context) {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cmp.Or(m.Workers, runtime.GOMAXPROCS(0)))
	return g, ctx
}

// Clone returns a model that knows what m knows, and learns apart from it.
func (m *Model) Clone() *Model {
	c := *m
	c.data = m.data.clone()
	c.last = nil
	return &c
}

// params are AutoScheduler's, but for the last two. AutoScheduler leaves it to
// XGBoost how splits are sought, which takes exact for so little data; the
// histogram, of up to 256 values a column, is ten times faster and no worse. The
// number of threads is fixed, for it may show in the last bits of a model.
var params = []xgboost.Param{
	{Name: "max_depth", Value: "10"},
	{Name: "gamma", Value: "0.001"},
	{Name: "min_child_weight", Value: "0"},
	{Name: "eta", Value: "0.2"},
	{Name: "seed", Value: "43"},
	{Name: "verbosity", Value: "0"},
	{Name: "tree_method", Value: "hist"},
	{Name: "nthread", Value: "1"},
}

const (
	maxRounds = 10000
	patience  = 50 // rounds without a smaller error after which to stop
)

// train grows trees from all samples. It does nothing if none was timed.
func (m *Model) train() error {
	rows, packs := m.data.packs()
	timed := false
	for _, p := range packs {
		timed = timed || p.label > 0
	}
	if !timed {
		return nil
	}
	o := &objective{packs: packs, best: math.Inf(1)}
	data := xgboost.Data{Values: rows, Columns: feature.Columns}
	rounds := m.MaxTrees
	if rounds == 0 {
		rounds = maxRounds
	}
	model, err := m.library.Train(data, params, rounds, o.derive, xgboost.Binary)
	if err != nil {
		return fmt.Errorf("gbt: training on %d records: %w", len(packs), err)
	}
	if m.trees, err = trees.Read(model); err != nil {
		return fmt.Errorf("gbt: %w", err)
	}
	m.last = nil
	return nil
}

// An objective is the squared error of the sum over each pack, weighted by the
// label: fast programs matter more, and failed ones not at all. It stops when
// the error on the training data, looked at in every second round, does not
// shrink any more.
type objective struct {
	packs []pack
	best  float64
	at    int // the round of the best
}

func (o *objective) derive(round int, pred, grad, hess []float32) bool {
	if done := round - 1; done >= 0 && done%2 == 0 {
		switch e := rootMeanSquare(o.packs, pred); {
		case e < o.best:
			o.best, o.at = e, done
		case done-o.at >= patience:
			return false
		}
	}
	for _, p := range o.packs {
		g := (p.sum(pred) - p.label) * p.label
		for r := p.first; r < p.end; r++ {
			grad[r], hess[r] = g, p.label
		}
	}
	return true
}

// samples is what there is to learn from.
type samples struct {
	list []sample
	best map[string]float64 // by group: the smallest time in seconds
}

// A sample is one measured program.
type sample struct {
	rows  []float32
	cost  float64 // seconds; 0 if it failed
	group string  // whose times compare
}

func (d *samples) len() int { return len(d.list) }

// clone returns the same samples, to be added to apart. The samples themselves are
// never written to.
func (d *samples) clone() samples {
	return samples{list: slices.Clip(d.list), best: maps.Clone(d.best)}
}

// add adds samples. Those without rows are left out.
func (d *samples) add(list []sample) {
	if d.best == nil {
		d.best = map[string]float64{}
	}
	for _, s := range list {
		if len(s.rows) == 0 {
			continue
		}
		if best, ok := d.best[s.group]; s.cost > 0 && (!ok || s.cost < best) {
			d.best[s.group] = s.cost
		}
		d.list = append(d.list, s)
	}
}

// A pack is a sample as the training sees it: some rows, whose predictions are
// to sum up to the label.
type pack struct {
	first, end int
	label      float32
}

// packs returns the rows of all samples, one after the other, and the packs that
// they form. Labels are in (0, 1], 1 for the best of a group, and 0 for what
// failed; a new best changes all labels of its group.
func (d *samples) packs() (rows []float32, list []pack) {
	for _, s := range d.list {
		first := len(rows) / feature.Columns
		rows = append(rows, s.rows...)
		p := pack{first: first, end: len(rows) / feature.Columns}
		if s.cost > 0 {
			p.label = float32(d.best[s.group] / s.cost)
		}
		list = append(list, p)
	}
	return rows, list
}

// rootMeanSquare returns the root of the mean squared error of the sums of predictions.
func rootMeanSquare(list []pack, pred []float32) float64 {
	sum := 0.0
	for _, p := range list {
		e := float64(p.sum(pred) - p.label)
		sum += e * e
	}
	return math.Sqrt(sum / float64(len(list)))
}

// sum adds up the predictions of the rows of a pack.
func (p pack) sum(pred []float32) float32 {
	var s float32
	for _, v := range pred[p.first:p.end] {
		s += v
	}
	return s
}
