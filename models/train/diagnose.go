package train

import (
	"context"
	"fmt"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/encoder"
	"github.com/wmtune/wmtune/transition"
)

// walked is how many tasks of a part, spread over all, and how many trajectories of each the figures of the transition
// see, if the part has so many tasks. All states on the way of each trajectory are encoded, which takes a third of an
// hour on two cores.
func walked(part split.Part, tasks int) (most, trajectories int) {
	if part == split.Train {
		most = min(tasks, 3000)
		return most, min(24, 12000/max(most, 1))
	}
	most = min(tasks, 800)
	return most, min(24, 9600/max(most, 1))
}

// diagnosisRecipe is a transition that is trained to say what the encoder would say
// of the next program. The one that scores is not: it must tell fast from slow. More
// batches, or more hidden numbers, hardly lower the error; decay and a gate do (docs/design/world-model.md).
func diagnosisRecipe() transition.Recipe {
	r := transition.Default()
	r.Form = transition.Gated
	r.Match, r.Margin, r.Windows, r.Probes = 8, 0.1, 0.8, 3
	r.Facts, r.Plan, r.Blind, r.Drop, r.Steps, r.Hidden, r.Decay = 0, 0, 0, 0, 4500, 384, 0.25
	return r
}

// A Diagnosis says what an encoder is worth.
type Diagnosis struct {
	Encoder    encoder.Report        // what it knows of programs of validation tasks
	Transition *transition.Diagnosis // what a transition knows of steps that is trained to match its states
}

// String returns both reports, for people.
func (d *Diagnosis) String() string { return fmt.Sprintf("%s\n%s", d.Encoder, d.Transition) }

// Diagnose judges the encoder in the folder. It writes nothing.
func Diagnose(ctx context.Context, o Options) (*Diagnosis, error) {
	o.Stages = []string{} // it trains none
	t, err := open(o)
	if err != nil {
		return nil, err
	}
	defer t.set.close()
	m, err := t.loadEncoder()
	if err != nil {
		return nil, err
	}
	known, err := encoder.Diagnose(ctx, m, t.encoderData(), split.Validation)
	if err != nil {
		return nil, err
	}
	train, err := t.walks(ctx, m, split.Train)
	if err != nil {
		return nil, err
	}
	validation, err := t.walks(ctx, m, split.Validation)
	if err != nil {
		return nil, err
	}
	recipe := diagnosisRecipe()
	recipe.Steps = t.steps(recipe.Steps)
	told := func(step, steps int, loss float64) { t.tell("batches", step, steps, loss) }
	model, err := transition.Train(ctx, train, recipe, t.Seed, told)
	if err != nil {
		return nil, err
	}
	rolled, err := model.Diagnose(train, validation, t.Seed)
	return &Diagnosis{known, rolled}, err
}

// A walker collects trajectories with the vectors of all their states.
type walker struct {
	data  transition.Data
	model *encoder.Model
	rows  map[string]int32 // of data.Vectors, by program
	acts  map[[transition.Size]float32]int32
}

// walks returns some trajectories of each task of a part.
func (t *training) walks(ctx context.Context, m *encoder.Model, part split.Part) (*transition.Data, error) {
	w := &walker{model: m, rows: map[string]int32{}, acts: map[[transition.Size]float32]int32{}}
	of := t.set.of(part)
	tasks, trajectories := walked(part, len(of))
	of = spread(of, tasks)
	for i, task := range of {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := w.task(task, trajectories); err != nil {
			return nil, fmt.Errorf("%s: %w", task.Title(), err)
		}
		t.tell(fmt.Sprintf("encoding %s tasks", part), i+1, len(of), 0)
	}
	return &w.data, nil
}

// spread returns at most n of a list, at equal distances.
func spread[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	some := make([]T, n)
	for i := range some {
		some[i] = list[i*len(list)/n]
	}
	return some
}

// task adds at most so many trajectories of a task.
func (w *walker) task(task *task, most int) error {
	var whole []trajectory.Trajectory
	for tr, err := range task.set.Trajectories(task.Number) {
		if err != nil {
			return err
		}
		if tr.Whole() && tr.Timed() {
			whole = append(whole, tr)
		}
	}
	g := transition.Group{}
	n := min(most, len(whole))
	for k := range n {
		s, err := w.sample(task, &whole[k*len(whole)/n])
		if err != nil {
			return err
		}
		g.Samples = append(g.Samples, s)
	}
	if n > 0 {
		g.Start = transition.Start(w.data.Vectors[g.Samples[0].States[0]], task.dag, task.Target)
		w.data.Groups = append(w.data.Groups, g)
	}
	return nil
}

// sample returns a trajectory, whose new states are encoded.
func (w *walker) sample(task *task, tr *trajectory.Trajectory) (transition.Sample, error) {
	s := transition.Sample{Quality: tr.Label}
	steps, err := tr.Steps()
	if err != nil {
		return s, err
	}
	vectors, err := transition.Vectors(task.dag, steps)
	if err != nil {
		return s, err
	}
	s.Actions = actions(&w.data, w.acts, vectors)
	var texts []string
	for _, at := range tr.States {
		state, err := task.set.State(int(at))
		if err != nil {
			return s, err
		}
		row, ok := w.rows[state.Text]
		if !ok {
			row = int32(len(w.rows))
			w.rows[state.Text] = row
			texts = append(texts, state.Text)
		}
		s.States = append(s.States, row)
	}
	z, err := w.model.Encode(texts)
	w.data.Vectors = append(w.data.Vectors, z...)
	return s, err
}
