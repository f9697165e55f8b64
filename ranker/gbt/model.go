package gbt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/trees"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A Task is what programs compute, and where.
type Task struct {
	DAG    *compute.DAG
	Target target.Target
}

// groupOf names what the time of a record can be compared with.
func groupOf(r *dataset.Record) string {
	return r.WorkloadKey + "\x00" + r.Target.String() + "\x00" + r.Layout.String()
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
func (m *Model) Score(ctx context.Context, task Task, states []*schedule.State) ([]float64, error) {
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
func (m *Model) Update(ctx context.Context, task Task, records []dataset.Record) error {
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
func (m *Model) Add(ctx context.Context, task Task, records []dataset.Record) error {
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
