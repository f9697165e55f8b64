package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/encoder"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/transition"
)

// encoderData says what the tokenizer and the encoder learn from.
func (t *training) encoderData() encoder.Data {
	return encoder.Data{Dirs: t.Data, Kind: t.Kind, Split: t.Split, Seed: t.Seed}
}

func trainTokenizer(ctx context.Context, t *training) error {
	data, err := encoder.TrainTokenizer(ctx, t.encoderData())
	if err != nil {
		return err
	}
	return t.write(map[string][]byte{"tokenizer.json": data})
}

// trainEncoder trains the encoder, with its own checkpoints.
func trainEncoder(ctx context.Context, t *training) error {
	tokenizer, err := t.read("tokenizer.json")
	if err != nil {
		return err
	}
	if tokenizer == nil {
		return fmt.Errorf("there is no tokenizer.json in %s: train the tokenizer first, or all", t.Out)
	}
	o := encoder.Defaults(t.Kind)
	o.Data, o.Tokenizer, o.Batches = t.encoderData(), tokenizer, t.steps(o.Batches)
	o.Every = min(o.Every, o.Batches)
	if o.Checkpoint, err = t.checkpoint("encoder"); err != nil {
		return err
	}
	o.Progress = func(p encoder.Progress) {
		t.tell("batches", p.Batch, p.Batches, p.Contrast+p.Tell)
		if p.Validated {
			t.say("encoder: after %d batches: retrieval %.3f, R2 of facts %.3f", p.Batch, p.Retrieval, p.R2)
		}
		if p.Best {
			t.notes["encoder retrieval"], t.notes["encoder R2 of facts"] = p.Retrieval, p.R2
		}
	}
	data, err := encoder.Train(ctx, o)
	if err != nil {
		return err
	}
	return t.write(map[string][]byte{"encoder.onnx": data})
}

// loadEncoder loads the encoder in the folder.
func (t *training) loadEncoder() (*encoder.Model, error) {
	network, err := t.read("encoder.onnx")
	if err != nil {
		return nil, err
	}
	if network == nil {
		return nil, fmt.Errorf("%s: the encoder is to be trained first: %w", t.Out, fs.ErrNotExist)
	}
	tokenizer, err := t.read("tokenizer.json")
	if err != nil {
		return nil, err
	}
	if tokenizer == nil {
		return nil, fmt.Errorf("there is no tokenizer.json in %s, which its encoder.onnx needs: train the tokenizer, or all",
			t.Out)
	}
	m, err := encoder.Load(network, tokenizer)
	if err == nil && m.Kind() != t.Kind {
		err = t.otherKind("encoder", m.Kind())
	}
	return m, err
}

// otherKind is the error of a part in the folder that learned from tasks of another kind of target.
func (t *training) otherKind(part string, of target.Kind) error {
	return fmt.Errorf("%s: its %s is for target %s, not %s: choose another folder, or train all", t.Out, part, of, t.Kind)
}

// rolling is the parts of a model in training that come before its ranker.
type rolling struct {
	encode     func(texts []string) ([][]float32, error) // nil: there is no encoder
	transition *transition.Model
}

// openEncoder opens the encoder in the folder, if there is one.
func (t *training) openEncoder() (*rolling, error) {
	m, err := t.loadEncoder()
	if errors.Is(err, fs.ErrNotExist) {
		return &rolling{}, nil
	}
	if err != nil {
		return nil, err
	}
	return &rolling{encode: m.Encode}, nil
}

// openTransition opens the transition in the folder; nil if there is none.
func (t *training) openTransition() (*rolling, error) {
	data, err := t.read("transition.onnx")
	if err != nil || data == nil {
		return nil, err
	}
	m, err := t.openEncoder()
	if err != nil {
		return nil, err
	}
	m.transition, err = transition.Load(data)
	if err == nil && m.transition.Kind != "" && m.transition.Kind != t.Kind {
		err = t.otherKind("transition", m.transition.Kind)
	}
	return m, err
}

// embed encodes the program without steps of a task; zeros without an encoder.
func (m *rolling) embed(t *task) ([]float32, error) {
	if m.encode == nil {
		return make([]float32, encoder.Size), nil
	}
	text, err := models.ProgramText(t.dag)
	if err != nil {
		return nil, err
	}
	z, err := m.encode([]string{text})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Title(), err)
	}
	return z[0], nil
}

// values rolls candidates of a task out: what has features can be.
func (m *rolling) values(t *task, z0 []float32, states []*schedule.State) ([]float32, error) {
	out := make([]float32, len(states))
	for i, err := range m.transition.NewRoller(transition.Start(z0, t.dag, t.Target), t.dag).Roll(states, nil, out) {
		if err != nil {
			return nil, fmt.Errorf("%s: candidate %d: %w", t.Title(), i, err)
		}
	}
	return out, nil
}

// transitionEvery is how many batches are between two checkpoints.
const transitionEvery = 50

// trainTransition trains the transition on the training tasks: on which candidates are
// faster, and on the features of what they become.
func trainTransition(ctx context.Context, t *training) error {
	var mu sync.Mutex
	steps := map[*task][][]schedule.Step{}
	tasks, err := t.rankerTasks(ctx, split.Train, func(task *task, _ *ranker.Candidates, states []*schedule.State) error {
		list := make([][]schedule.Step, len(states))
		for i, s := range states {
			list[i] = slices.Clone(s.Steps)
		}
		mu.Lock()
		defer mu.Unlock()
		steps[task] = list
		return nil
	})
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
		g, err := transitionGroup(d, task, z0, steps[task], &tasks.list[i])
		if err != nil {
			return fmt.Errorf("%s: %w", task.Title(), err)
		}
		d.Groups = append(d.Groups, g)
	}
	recipe := transition.Default()
	recipe.Steps = t.batches(recipe.Steps, len(d.Groups), recipe.Tasks)
	checkpoint, err := t.checkpoint("transition")
	if err != nil {
		return err
	}
	how := transition.Training{
		Progress: func(step, steps int, loss float64) { t.tell("batches", step, steps, loss) },
		Every:    transitionEvery,
		Save:     func(data []byte) error { return replace(checkpoint, data) },
	}
	if how.From, err = os.ReadFile(checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	model, err := how.Run(ctx, d, recipe, t.Seed)
	if err != nil {
		return err
	}
	model.Kind = t.Kind
	data, err := model.Bytes()
	if err != nil {
		return err
	}
	return t.write(map[string][]byte{"transition.onnx": data})
}

// actions adds the vectors of steps, each once, to the table of data, and returns their rows.
func actions(d *transition.Data, rows map[[transition.Size]float32]int32, vectors []float32) []int32 {
	var list []int32
	for v := range slices.Chunk(vectors, transition.Size) {
		key := [transition.Size]float32(v)
		row, ok := rows[key]
		if !ok {
			row = int32(len(d.Actions) / transition.Size)
			rows[key] = row
			d.Actions = append(d.Actions, v...)
		}
		list = append(list, row)
	}
	return list
}

// transitionGroup returns the trajectories of a task, whose actions it adds to d.
func transitionGroup(
	d *transition.Data, t *task, z0 []float32, candidates [][]schedule.Step, of *ranker.Candidates,
) (transition.Group, error) {
	g := transition.Group{Start: transition.Start(z0, t.dag, t.Target)}
	rows := map[[transition.Size]float32]int32{}
	for i, steps := range candidates {
		vectors, err := transition.Vectors(t.dag, steps)
		if err != nil {
			return g, err
		}
		g.Samples = append(g.Samples, transition.Sample{
			Actions: actions(d, rows, vectors), Partial: transition.Partial(steps), Quality: of.Quality[i],
			Last: of.Features[i][ranker.ActionColumns:],
		})
	}
	return g, nil
}

// trainRanker trains the ranker.
func trainRanker(ctx context.Context, t *training) error {
	table := ranker.TableOf(t.Kind)
	nothing := func(*task, *ranker.Candidates, []*schedule.State) {}
	files, report, err := t.rank(ctx, table, ranker.DefaultTrees(table), nothing)
	if err != nil {
		return err
	}
	t.say("trees: %s; weights: trees %.1f, networks %.1f, value %.1f",
		report.Objective, report.Parts.Trees, report.Parts.Network, report.Parts.Value)
	for name, worth := range report.Scores {
		t.notes["validation "+name] = worth
	}
	t.calibrated(&report.Calibration)
	t.notes[weightNote+"trees"] = report.Parts.Trees
	t.notes[weightNote+"networks"] = report.Parts.Network
	t.notes[weightNote+"value"] = report.Parts.Value
	return t.write(files)
}

// rank trains a ranker of the features of a table. More adds to those of a task's candidates what they do not have yet.
func (t *training) rank(ctx context.Context, table ranker.Table, trees []ranker.Boosting,
	more func(*task, *ranker.Candidates, []*schedule.State),
) (map[string][]byte, *ranker.Report, error) {
	library, err := xgboost.Load(t.Library)
	if err != nil {
		return nil, nil, err
	}
	roll, err := t.openTransition()
	if err != nil {
		return nil, nil, err
	}
	o := ranker.Options{
		Library: library, Seed: t.Seed, Table: table, Trees: trees, Learning: t.learning(), Networks: ranker.DefaultNetworks,
		Refit: true, Progress: t.tell,
	}
	for i := range trees {
		trees[i].Trees = t.steps(trees[i].Trees)
	}
	var lists [2][]ranker.Candidates
	for i, part := range []split.Part{split.Train, split.Validation} {
		tasks, err := t.rankerTasks(ctx, part, func(task *task, list *ranker.Candidates, states []*schedule.State) error {
			if err := roll.predict(task, list, states); err != nil {
				return err
			}
			more(task, list, states)
			return ctx.Err()
		})
		if err != nil {
			return nil, nil, err
		}
		lists[i] = tasks.list
	}
	m, report, err := ranker.Train(ctx, lists[0], lists[1], o)
	if err != nil {
		return nil, nil, err
	}
	files, err := m.Files()
	return files, report, err
}

// learning says how the ranker's networks are trained.
func (t *training) learning() ranker.Learning {
	l := ranker.DefaultLearning()
	l.Steps, l.Draws = t.steps(l.Steps), t.Effort*l.Draws
	return l
}

// calibrated notes how sure the ranker may be of which of two candidates is faster.
func (t *training) calibrated(c *ranker.Calibration) {
	if len(c.Bins) == 0 {
		return
	}
	for _, b := range c.Bins {
		t.say("pairs: %d, expected in order %.3f, seen %.3f", b.Pairs, b.Expected, b.Seen)
	}
	t.say("log loss of pairs %.4f, without spreads %.4f, by chance %.4f", c.LogLoss, c.LogLossPlain, c.LogLossChance)
	t.notes["calibration error"], t.notes["calibration log loss"] = c.Error, c.LogLoss
	t.notes["calibration log loss, no spreads"] = c.LogLossPlain
}
