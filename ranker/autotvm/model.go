package autotvm

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/lesson"
	"github.com/wmtune/wmtune/ranker/trees"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/schedule"
)

// An Acquisition turns the predictions of several models into a score.
type Acquisition string

// The acquisitions: the mean of the models, the expected improvement over the best program that was measured, and the
// upper confidence bound.
const (
	Mean Acquisition = "mean"
	EI   Acquisition = "ei"
	UCB  Acquisition = "ucb"
)

// Bag is the number of models of an ensemble, as in the paper.
const Bag = 5

// Options say what a model is.
type Options struct {
	Features   Features
	Regression bool        // predicts the label, the best time of the task over its own; else it ranks (eq. 2)
	Acquire    Acquisition // "" is one model; else Bag models learn from rows drawn with replacement
	Seed       uint64      // of what is drawn
	MaxTrees   int         // 0 means AutoTVM's 8,000
}

// A Model scores programs: a local model of the tasks that are tuned, and a global one of what it learned before, which
// counts less the more is measured (eq. 4). Its methods may not be called at the same time.
type Model struct {
	Options
	Workers int // goroutines that make features; 0 means one per processor. Scores do not depend on it

	library *xgboost.Library
	book    *lesson.Book[[]float32] // rows of features
	learned *grown                  // nil before the first training
	global  *grown                  // nil if it learned nothing before
}

// A grown is an ensemble, with what it was grown on top of.
type grown struct {
	bag     []*trees.Model
	columns int
	margin  float64 // of the global model's prediction
	best    float64 // the best mean prediction of a row that it learned from
}

// With returns a model that has learned nothing and trains with a library.
func With(l *xgboost.Library, o Options) *Model {
	return &Model{Options: o, library: l, book: lesson.New(func(s *schedule.State) ([]float32, bool) {
		row, err := o.Features.Row(s)
		return row, err == nil
	})}
}

// New is With the libxgboost at path, or if that is empty with the one that is installed. The error is
// xgboost.ErrMissing if there is none.
func New(path string, o Options) (*Model, error) {
	l, err := xgboost.Load(path)
	if err != nil {
		return nil, fmt.Errorf("autotvm: %w", err)
	}
	return With(l, o), nil
}

// Ready reports whether the model has learned something.
func (m *Model) Ready() bool { return m.learned != nil || m.global != nil }

var errUntrained = errors.New("autotvm: the model has not been trained")

// Score returns one value per state, in order; higher is faster. A state that has no features scores -Inf.
func (m *Model) Score(ctx context.Context, task workload.Task, states []*schedule.State) ([]float64, error) {
	if !m.Ready() {
		return nil, errUntrained
	}
	return m.book.Score(ctx, m.Workers, task, states, m.ScoreRow)
}

// Update learns from measured records, failures included: the local model is grown anew from all records so far.
func (m *Model) Update(_ context.Context, task workload.Task, records []dataset.Record) error {
	m.book.Record(&m.book.Local, task, records)
	return m.Retrain()
}

// Add takes over records of tasks before, for the global model.
func (m *Model) Add(_ context.Context, task workload.Task, records []dataset.Record) error {
	m.book.Record(&m.book.Before, task, records)
	return nil
}

// AddRow takes over the features of a program that was measured before, its time in seconds, 0 if it failed, and the
// name of the task inside which times compare.
func (m *Model) AddRow(row []float32, cost float64, task string) { m.book.Before.Add(row, cost, task) }

// ScoreRow returns the score of a program by its features. The model must have been trained.
func (m *Model) ScoreRow(row []float32) float64 {
	if m.learned == nil {
		return m.acquire(m.global, row, 0)
	}
	shift := 0.0
	if m.learned.margin > 0 {
		shift = m.learned.margin * m.global.mean(row)
	}
	return m.acquire(m.learned, row, shift)
}

// mean returns the mean of an ensemble.
func (g *grown) mean(row []float32) float64 {
	m, _ := g.predict(row)
	return m
}

// predict returns the mean and the deviation of the predictions of an ensemble. Rows of other programs may be longer or
// shorter than those that it learned from: they are cut, or filled up with zeros.
func (g *grown) predict(row []float32) (mean, deviation float64) {
	row = fitted(row, g.columns)
	squares := 0.0
	for _, t := range g.bag {
		v := t.Sum(row, g.columns)
		mean, squares = mean+v, squares+v*v
	}
	n := float64(len(g.bag))
	mean /= n
	return mean, math.Sqrt(max(squares/n-mean*mean, 0))
}

func fitted(row []float32, columns int) []float32 {
	if len(row) == columns {
		return row
	}
	wide := make([]float32, columns)
	copy(wide, row)
	return wide
}

// acquire scores a row by an ensemble whose predictions are on top of shift.
func (m *Model) acquire(g *grown, row []float32, shift float64) float64 {
	mean, deviation := g.predict(row)
	mean += shift
	switch m.Acquire {
	case EI:
		if deviation == 0 {
			return max(mean-g.best, 0)
		}
		q := (mean - g.best) / deviation
		return (mean-g.best)*(1+math.Erf(q/math.Sqrt2))/2 + deviation*math.Exp(-q*q/2)/math.Sqrt(2*math.Pi)
	case UCB:
		return mean + 2.576*deviation // of 99 %
	}
	return mean
}
