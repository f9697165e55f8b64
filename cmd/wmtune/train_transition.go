package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/transition"
)

// transitionEvery is how many batches are between two checkpoints.
const transitionEvery = 50

// trainTransition trains the transition on the training tasks: on which candidates are
// faster, and on the features of what they become.
func trainTransition(ctx context.Context, t *training) error {
	tasks, err := t.rankerTasks(ctx, split.Train)
	if err != nil {
		return err
	}
	m, err := t.openEncoder()
	if err != nil {
		return err
	}
	d := &transition.Data{}
	for i, task := range tasks.of {
		z0, err := m.embed(task)
		if err != nil {
			return err
		}
		g, err := transitionGroup(d, task, z0, tasks.states[i], &tasks.list[i])
		if err != nil {
			return fmt.Errorf("%s: %w", task.Title(), err)
		}
		d.Groups = append(d.Groups, g)
	}
	recipe := transition.Default()
	recipe.Steps = t.steps(recipe.Steps)
	checkpoint, err := t.checkpoint("transition")
	if err != nil {
		return err
	}
	how := transition.Training{
		Progress: func(step, steps int, loss float64) { t.tell("batches", step, steps, loss) },
		Every:    transitionEvery,
		Save:     func(data []byte) error { return replaceFile(checkpoint, data) },
	}
	if how.From, err = os.ReadFile(checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	model, err := how.Run(ctx, d, recipe, t.seed)
	if err != nil {
		return err
	}
	data, err := model.Bytes()
	if err != nil {
		return err
	}
	return t.putFiles(map[string][]byte{"transition.onnx": data})
}

// transitionGroup returns the trajectories of a task, whose actions it adds to d: each
// vector once.
func transitionGroup(d *transition.Data, t *trainTask, z0 []float32, states []*schedule.State, of *ranker.Task) (transition.Group, error) {
	g := transition.Group{Start: transition.Start(z0, t.dag, t.Target)}
	rows := map[[transition.Size]float32]int32{}
	for i, s := range states {
		vectors, err := transition.Vectors(t.dag, s.Steps)
		if err != nil {
			return g, err
		}
		sample := transition.Sample{Partial: transition.Partial(s.Steps), Quality: of.Quality[i], Last: of.Features[i][ranker.ActionColumns:]}
		for k := range s.Steps {
			v := [transition.Size]float32(vectors[k*transition.Size:])
			row, ok := rows[v]
			if !ok {
				row = int32(len(d.Actions) / transition.Size)
				rows[v] = row
				d.Actions = append(d.Actions, v[:]...)
			}
			sample.Actions = append(sample.Actions, row)
		}
		g.Samples = append(g.Samples, sample)
	}
	return g, nil
}

// rolling is the parts of a model in training that come before its ranker.
type rolling struct {
	encode     func(texts []string) ([][]float32, error) // nil: there is no encoder
	transition *transition.Model
}

// openTransition opens the transition in the folder; nil if there is none.
func (t *training) openTransition() (*rolling, error) {
	data, err := os.ReadFile(filepath.Join(t.out, "transition.onnx"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m, err := t.openEncoder()
	if err != nil {
		return nil, err
	}
	m.transition, err = transition.Load(data)
	return m, err
}

// values rolls candidates of a task out: what has features can be.
func (m *rolling) values(t *trainTask, z0 []float32, states []*schedule.State) ([]float32, error) {
	out := make([]float32, len(states))
	for i, err := range m.transition.NewRoller(transition.Start(z0, t.dag, t.Target), t.dag).Roll(states, nil, out) {
		if err != nil {
			return nil, fmt.Errorf("%s: candidate %d: %w", t.Title(), i, err)
		}
	}
	return out, nil
}
