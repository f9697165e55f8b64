package models

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// RefinerPrefix begins the names of the files of the refiner: a ranker that also sees the lowered program.
const RefinerPrefix = "refiner-"

// Refine returns one value per state, in order, by a closer look than Score's: the states are lowered, and the refiner
// ranks them by what that shows and by all that Score goes by; its say and the ranker's are added up. Higher is faster;
// values are comparable within one task, and with none of Score. A state that cannot be lowered has -Inf. The values
// do not depend on the number of workers.
//
// Nil without an error: the model has no refiner, or the task is unlike the training.
func (m *Model) Refine(
	ctx context.Context, t workload.Task, layout target.Layout, states []*schedule.State,
) ([]float64, error) {
	s, err := m.session(t)
	if err != nil || m.parts.refiner == nil || s.outOfDistribution != "" {
		return nil, err
	}
	rows, err := s.rows(ctx, states)
	if err != nil {
		return nil, err
	}
	scores, err := s.global(rows)
	if err != nil {
		return nil, err
	}
	more, err := s.looked.of(ctx, s, layout, states, rows)
	for i, v := range more {
		scores[i] += v
	}
	return scores, err
}

// looked holds what the refiner says of states: candidates are looked at again when a round is chosen of several
// lists.
type looked struct {
	mu     sync.Mutex
	scores map[lookedKey]float64
}

type lookedKey struct {
	state  *schedule.State
	layout target.Layout
}

// maxLooked bounds how many states are remembered.
const maxLooked = 1 << 13

// of returns what the refiner says of states, whose rows are known.
func (l *looked) of(ctx context.Context, s *session, layout target.Layout, states []*schedule.State, rows []row) (
	[]float64, error,
) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.scores)+len(states) > maxLooked || l.scores == nil {
		l.scores = map[lookedKey]float64{}
	}
	scores := make([]float64, len(states))
	var missing []int
	for i, state := range states {
		v, ok := l.scores[lookedKey{state, layout}]
		if scores[i] = v; !ok {
			missing = append(missing, i)
		}
	}
	found := make([]float64, len(missing))
	g := s.model.workers()
	for from := 0; from < len(missing); from += few {
		g.Go(func() error {
			to := min(from+few, len(missing))
			return s.look(ctx, layout, states, rows, missing[from:to], found[from:to])
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for k, i := range missing {
		scores[i] = found[k]
		l.scores[lookedKey{states[i], layout}] = found[k]
	}
	return scores, nil
}

// look has the refiner score some of the states, by their numbers.
func (s *session) look(
	ctx context.Context, layout target.Layout, states []*schedule.State, rows []row, some []int, scores []float64,
) error {
	var features [][]float32
	var values []float32
	var at []int
	for k, i := range some {
		if err := ctx.Err(); err != nil {
			return err
		}
		scores[k] = math.Inf(-1)
		if rows[i].err != nil {
			continue
		}
		known, err := schedule.Conventional(states[i], s.groups) // as in training
		if err != nil {
			continue
		}
		f, err := s.model.parts.closer(rows[i].features, known, s.task.Target, layout)
		if err != nil {
			continue
		}
		features, values, at = append(features, f), append(values, rows[i].value), append(at, k)
	}
	for k, v := range s.model.parts.refiner.Score(features, values) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("models: the refined score of a state is %v: the model is damaged", v)
		}
		scores[at[k]] = v
	}
	return nil
}

// openRefiner decodes the refiner of a model, if it has one.
func (p *parts) openRefiner(m *Manifest, files map[string][]byte) error {
	if !m.Has(Refiner) {
		return nil
	}
	r, err := ranker.Lowered.Load(prefixed(files, RefinerPrefix))
	if err != nil {
		return fmt.Errorf("refiner: %w", err)
	}
	if r.Parts().Value > 0 && p.transition == nil {
		return fmt.Errorf("%s: the refiner uses predicted states that the model does not have", ManifestName)
	}
	p.refiner, p.closer, p.rolled = r, ranker.Closer, r.Parts().Value > 0
	return nil
}

// prefixed returns the files whose names begin with a prefix, without it.
func prefixed(files map[string][]byte, prefix string) map[string][]byte {
	list := map[string][]byte{}
	for name, data := range files {
		if name, ok := strings.CutPrefix(name, prefix); ok {
			list[name] = data
		}
	}
	return list
}
