package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/transition"
)

// A taskSet is the tasks of datasets that a model of one kind of target learns from.
type taskSet struct {
	sets  []*trajectory.Set
	tasks []task
	data  []models.Data
	rules string
	id    string // hash of all that is in the datasets
}

// A task is a task of a dataset.
type task struct {
	trajectory.Entry
	set  *trajectory.Set
	dag  *compute.DAG
	part split.Part
}

// minTimed is how many records of a task must be timed for it to be learned from:
// a task of which almost all fail says nothing of speed.
const minTimed = 16

// recordBytes is about what a record takes while the transition or the ranker learns from it: its features, its steps,
// and what Go's collector has not collected yet. Measured on 151,299 records: 29 KB.
const recordBytes = 48 << 10

// openSet opens the datasets of o. If o.All is set, test tasks are training tasks, except those of a
// workload that benchmarks run. It is an error if the records may not fit into o.Memory.
func openSet(o *Options) (*taskSet, error) {
	s := &taskSet{}
	budget := dataset.Budget{Limit: o.Memory}
	for _, dir := range o.Data {
		set, err := trajectory.Open(dir)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.sets = append(s.sets, set)
		before := len(s.tasks)
		if err := s.add(set, o.Kind, o.Split, o.All); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), s.close())
		}
		held := int64(0)
		for _, t := range s.tasks[before:] {
			if t.part != split.Test {
				held += int64(t.Records) * recordBytes
			}
		}
		if err := budget.Hold("dataset "+dir, held, 1, 1); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	if len(s.tasks) == 0 {
		return nil, errors.Join(fmt.Errorf("no task of target %s in the datasets has %d timed records", o.Kind, minTimed),
			s.close())
	}
	return s, nil
}

func (s *taskSet) add(set *trajectory.Set, kind target.Kind, by string, all bool) error {
	meta := set.Meta()
	if meta.Coder != transition.VectorName {
		return fmt.Errorf("its action vectors are %q, this program has %s: build it again", meta.Coder, transition.VectorName)
	}
	if s.rules != "" && s.rules != meta.Splits {
		return fmt.Errorf("it divides tasks by the rules %s, the datasets before it by %s: build it again", meta.Splits,
			s.rules)
	}
	s.rules = meta.Splits
	s.id = hashOf(s.id, fmt.Sprintf("%+v", meta))
	for _, in := range meta.Inputs {
		s.data = append(s.data, models.Data{Name: in.Name, SHA256: in.SHA256})
	}
	for _, t := range set.Tasks() {
		if t.Target.Kind != kind || t.Timed < minTimed {
			continue
		}
		part, err := t.Split.By(by)
		if err != nil {
			return err
		}
		if all && part == split.Test && t.Bench == "" {
			part = split.Train
		}
		w, err := workload.Find(t.Workload)
		if err != nil {
			return err
		}
		s.tasks = append(s.tasks, task{t, set, w.DAG, part})
	}
	return nil
}

func (s *taskSet) close() error {
	var list []error
	for _, set := range s.sets {
		list = append(list, set.Close())
	}
	return errors.Join(list...)
}

// of returns the tasks of a part.
func (s *taskSet) of(part split.Part) []*task {
	var list []*task
	for i := range s.tasks {
		if s.tasks[i].part == part {
			list = append(list, &s.tasks[i])
		}
	}
	return list
}

// candidates returns the measured candidates of a task with their quality, the task's
// best time over their own, 0 of one that failed. Candidates that cannot be replayed are
// left out, and so are those that are correct and were not timed.
func (t *task) candidates() (states []*schedule.State, quality []float64, err error) {
	groups := schedule.NewGroups(t.Target.CPU, t.Target.Has, t.Target.Hardware.VectorBytes)
	for tr, err := range t.set.Trajectories(t.Number) {
		if err != nil {
			return nil, nil, err
		}
		if tr.Status == measure.Unmeasured {
			continue
		}
		steps, err := tr.Steps()
		if err != nil {
			return nil, nil, err
		}
		s, err := schedule.Replay(t.dag, steps)
		if err == nil {
			s, err = s.InferBound()
		}
		if err == nil {
			s, err = schedule.Conventional(s, groups) // the state that is scored
		}
		if err == nil {
			states, quality = append(states, s), append(quality, tr.Label)
		}
	}
	return states, quality, nil
}

// features computes the features of a task's candidates.
func (t *task) features() (ranker.Candidates, []*schedule.State, error) {
	r := ranker.Candidates{Name: t.Title(), Family: t.Family}
	states, quality, err := t.candidates()
	if err != nil {
		return r, nil, err
	}
	var kept []*schedule.State
	for i, s := range states {
		row, err := ranker.Features(s, t.Target)
		if err != nil {
			continue // the search scores it -Inf
		}
		kept, r.Features, r.Quality = append(kept, s), append(r.Features, row), append(r.Quality, quality[i])
	}
	return r, kept, nil
}

// rankerTasks are the tasks of a part with the features of their candidates.
type rankerTasks struct {
	of   []*task
	list []ranker.Candidates
}

// rankerTasks reads the tasks of a part. See, if not nil, sees the states of the candidates of each task, several
// tasks at once, and adds what is learned from them: states take too much memory to be kept.
func (t *training) rankerTasks(ctx context.Context, part split.Part,
	see func(task *task, list *ranker.Candidates, states []*schedule.State) error,
) (*rankerTasks, error) {
	of := t.set.of(part)
	r := &rankerTasks{of, make([]ranker.Candidates, len(of))}
	var g errgroup.Group
	g.SetLimit(t.Workers)
	var mu sync.Mutex
	done := 0
	for i, task := range of {
		g.Go(func() (err error) {
			if err := ctx.Err(); err != nil {
				return err
			}
			var states []*schedule.State
			if r.list[i], states, err = task.features(); err == nil && see != nil {
				err = see(task, &r.list[i], states)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", task.Title(), err)
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			t.tell(fmt.Sprintf("features of %s tasks", part), done, len(of), 0)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return r.usable(t.Say, part)
}

// usable returns the tasks with candidates to compare: records of other versions may not
// replay here, or have no features.
func (r *rankerTasks) usable(say func(text string), part split.Part) (*rankerTasks, error) {
	kept := &rankerTasks{}
	for i, task := range r.list {
		if len(task.Quality) < 2 || slices.Max(task.Quality) == 0 {
			say(fmt.Sprintf("warning: %s: fewer than two of its records can be learned from; it is left out", r.of[i].Title()))
			continue
		}
		kept.of, kept.list = append(kept.of, r.of[i]), append(kept.list, task)
	}
	if len(kept.of) == 0 {
		return nil, fmt.Errorf("no %s task has two records that can be learned from: "+
			"add logs of more workloads to the dataset ('wmtune dataset info' says which part has which)", part)
	}
	return kept, nil
}

// predict puts values beside the features of candidates of validation tasks: what the transition says of tasks that it
// has not learned from. A ranker is not trained on them but weighs them, so those of training tasks are left out.
func (m *rolling) predict(t *task, list *ranker.Candidates, states []*schedule.State) error {
	if m == nil || t.part != split.Validation {
		return nil
	}
	z0, err := m.embed(t)
	if err != nil {
		return err
	}
	list.Values, err = m.values(t, z0, states)
	return err
}

// detector makes the detector of a model from the programs without steps of the tasks that the ranker learned from in
// the end, those of validation too, and from their embeddings; encode is nil if the model has no encoder.
func (s *taskSet) detector(encode func(texts []string) ([][]float32, error)) (models.OODDetector, error) {
	var dags []*compute.DAG
	var families, texts []string
	for _, t := range slices.Concat(s.of(split.Train), s.of(split.Validation)) {
		text, err := models.ProgramText(t.dag)
		if err != nil {
			return models.OODDetector{}, err
		}
		if !slices.Contains(texts, text) { // on several targets
			dags, families, texts = append(dags, t.dag), append(families, t.Family), append(texts, text)
		}
	}
	if encode == nil {
		return models.NewOODDetector(dags, nil, nil), nil
	}
	z, err := encode(texts)
	if err != nil {
		return models.OODDetector{}, err
	}
	return models.NewOODDetector(dags, z, families), nil
}
