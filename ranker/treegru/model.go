// Package treegru is AutoTVM's neural cost model: a recurrent network over the tree of a program's loops, whose nodes
// see features of their loop and write to a few memory slots ("Learning to Optimize Tensor Programs", Chen et al.,
// 2018, sections 3.1, 3.2 and 4). It learns from what was measured, by pairs of programs of a task (eq. 2).
//
// It differs from the program of the paper's authors where that has tricks of its own: loops have no names, all loops
// stay, and nothing stands at the root of the tree, for the slots gather all nodes. The paper does not say how many
// slots there are. The package must not know how candidates come about.
package treegru

import (
	"context"
	"sync"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/lesson"
	"github.com/wmtune/wmtune/ranker/metric"
	"github.com/wmtune/wmtune/ranker/touch"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Options say what a model is.
type Options struct {
	Regression bool   // it predicts the best time of the task over the program's own; else it ranks
	Seed       uint64 // of weights and of the order in which programs are seen
}

// A Model scores programs: a network of the tasks that are tuned, on top of one of what it learned before, which counts
// less the more is measured (eq. 4). Its methods may not be called at the same time, but for those of what Relax
// returns.
type Model struct {
	Options
	Workers int // goroutines that score; 0 means one per processor. Scores do not depend on it

	book    *lesson.Book[*Tree]
	learned *network // nil before the first training
	global  *network // nil if it learned nothing before
	margin  float64  // what the global network counts

	mu    sync.Mutex
	score map[*Tree]float64 // by the networks as they are
}

// New returns a model that has learned nothing.
func New(o Options) *Model {
	return &Model{Options: o, score: map[*Tree]float64{}, book: lesson.New(func(s *schedule.State) (*Tree, bool) {
		t, err := Of(s)
		return t, err == nil && len(t.Up) > 0
	})}
}

// A Tree is the loops of a program.
type Tree struct {
	Up []int32   // the loop around each, -1 if there is none
	X  []float32 // columns of touch.Tree, logarithms divided by 2
}

// Of returns the tree of a state.
func Of(s *schedule.State) (*Tree, error) {
	text, err := feature.Spell(s, false)
	if err != nil {
		return nil, err
	}
	up, x := touch.Tree(&text.Program)
	t := &Tree{up, make([]float32, len(x))}
	for i, v := range x {
		t.X[i] = float32(v.Value() * scale(i))
	}
	return t, nil
}

// scale is what a number of touch.Tree is multiplied with: logarithms would saturate the first layer.
func scale(i int) float64 {
	if k := i % touch.Columns; k > 0 && k < 12 {
		return 1
	}
	return 1. / 2
}

// Ready reports whether the model has learned something.
func (m *Model) Ready() bool { return m.learned != nil || m.global != nil }

// Score returns one value per state, in order; higher is faster. A state that has no features scores -Inf. The model
// must have been trained.
func (m *Model) Score(ctx context.Context, task workload.Task, states []*schedule.State) ([]float64, error) {
	return m.book.Score(ctx, m.Workers, task, states, m.keptScore)
}

// keptScore is ScoreTree, which finds the score of a tree that it has seen: a network takes milliseconds.
func (m *Model) keptScore(t *Tree) float64 {
	m.mu.Lock()
	score, ok := m.score[t]
	m.mu.Unlock()
	if ok {
		return score
	}
	score = m.ScoreTree(t)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.score) >= lesson.Most {
		clear(m.score)
	}
	m.score[t] = score
	return score
}

// Update learns from measured records, failures included: the local network is learned anew from all so far.
func (m *Model) Update(_ context.Context, task workload.Task, records []dataset.Record) error {
	m.book.Record(&m.book.Local, task, records)
	return m.Retrain()
}

// Add takes over records of tasks before, for the global network.
func (m *Model) Add(_ context.Context, task workload.Task, records []dataset.Record) error {
	m.book.Record(&m.book.Before, task, records)
	return nil
}

// AddTree takes over a program that was measured before, its time in seconds, 0 if it failed, and the name of the task
// inside which times compare.
func (m *Model) AddTree(t *Tree, cost float64, task string) { m.book.Before.Add(t, cost, task) }

// ScoreTree returns the score of a program. The model must have been trained.
func (m *Model) ScoreTree(t *Tree) float64 { return m.slopes(t, nil) }

// slopes is ScoreTree, which sets the derivatives by the numbers of the tree unless by is nil.
func (m *Model) slopes(t *Tree, by []float32) float64 {
	if m.learned == nil {
		return m.global.score(t, by)
	}
	score := m.learned.score(t, by)
	if m.margin > 0 {
		var more []float32
		if by != nil {
			more = make([]float32, len(by))
		}
		score += m.margin * m.global.score(t, more)
		for i, v := range more {
			by[i] += float32(m.margin) * v
		}
	}
	return score
}

// Retrain learns the local network anew. Below it lies the global one, with a weight that halves with each 64 programs
// and ends below 0.05.
func (m *Model) Retrain() error {
	m.margin = lesson.Weight(len(m.book.Local.Programs), 64)
	if m.global == nil {
		m.margin = 0
	}
	return m.train(&m.learned, &m.book.Local, lessons, m.margin)
}

// Pretrain learns the global network from all that was added before.
func (m *Model) Pretrain() error {
	return m.train(&m.global, &m.book.Before, pretrains*len(m.book.Before.Programs), 0)
}

// train learns a network that sees so many programs, one after the other. It leaves it as it is if none was timed.
func (m *Model) train(to **network, d *lesson.List[*Tree], see int, margin float64) error {
	labels := metric.Speeds(d.Costs, d.Tasks)
	timed := false
	for _, y := range labels {
		timed = timed || y > 0
	}
	if !timed {
		return nil
	}
	clear(m.score)
	margins := make([]float64, len(labels))
	if margin > 0 {
		for i, t := range d.Programs {
			margins[i] = margin * m.global.score(t, nil)
		}
	}
	n, err := learn(m.Options, d, labels, margins, see)
	if n != nil {
		*to = n
	}
	return err
}
