package main

import (
	"errors"
	"fmt"
	"github.com/wmtune/wmtune/dataset/workload"
	"slices"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A trainSet is the tasks of datasets that a model of one kind of target learns from.
type trainSet struct {
	sets  []*trajectory.Set
	tasks []trainTask
	data  []models.Data
	rules string
	id    string // of all that is in the datasets
}

// A trainTask is a task of a dataset.
type trainTask struct {
	trajectory.Task
	set  *trajectory.Set
	dag  *compute.DAG
	part split.Part
}

// minTimed is how many records of a task must be timed for it to be learned from:
// a task of which almost all fail says nothing of speed.
const minTimed = 16

// openTrainSet opens datasets. If all is set, test tasks are training tasks, but for
// those of a workload that benchmarks run.
func openTrainSet(folders []string, kind target.Kind, by string, all bool) (*trainSet, error) {
	s := &trainSet{}
	for _, dir := range folders {
		set, err := trajectory.Open(dir)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.sets = append(s.sets, set)
		if err := s.add(set, kind, by, all); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), s.close())
		}
	}
	if len(s.tasks) == 0 {
		return nil, errors.Join(fmt.Errorf("no task of target %s in the datasets has %d timed records", kind, minTimed), s.close())
	}
	return s, nil
}

func (s *trainSet) add(set *trajectory.Set, kind target.Kind, by string, all bool) error {
	meta := set.Meta()
	s.rules = meta.Splits
	s.id = hashOf(s.id, fmt.Sprintf("%+v", meta))
	for _, in := range meta.Inputs {
		s.data = append(s.data, models.Data{Name: in.Name, SHA256: in.SHA256})
	}
	for _, task := range set.Tasks() {
		if task.Target.Kind != kind || task.Timed < minTimed {
			continue
		}
		part, err := task.Split.By(by)
		if err != nil {
			return usageError{"--split: " + err.Error()}
		}
		if all && part == split.Test && task.Bench == "" {
			part = split.Train
		}
		w, err := workload.Find(task.Workload)
		if err != nil {
			return err
		}
		s.tasks = append(s.tasks, trainTask{task, set, w.DAG, part})
	}
	return nil
}

func (s *trainSet) close() error {
	var list []error
	for _, set := range s.sets {
		list = append(list, set.Close())
	}
	return errors.Join(list...)
}

// of returns the tasks of a part.
func (s *trainSet) of(part split.Part) []*trainTask {
	var list []*trainTask
	for i := range s.tasks {
		if s.tasks[i].part == part {
			list = append(list, &s.tasks[i])
		}
	}
	return list
}

// candidates returns the measured candidates of a task with their quality, the task's
// best time over their own, 0 of one that failed. Those that cannot be replayed are
// left out, and those that are correct and were not timed.
func (t *trainTask) candidates() (states []*schedule.State, quality []float64, err error) {
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
			s, err = schedule.Conventional(s) // what it is scored as
		}
		if err == nil {
			states, quality = append(states, s), append(quality, tr.Label)
		}
	}
	return states, quality, nil
}

// guard makes the guard of a model of the training tasks. Embeddings are those of
// their programs without steps, nil if the model has no encoder.
func (s *trainSet) guard(encode func(texts []string) ([][]float32, error)) (models.Guard, error) {
	var dags []*compute.DAG
	var families, texts []string
	for _, t := range s.of(split.Train) {
		text, err := models.ProgramText(t.dag)
		if err != nil {
			return models.Guard{}, err
		}
		if !slices.Contains(texts, text) { // on several targets
			dags, families, texts = append(dags, t.dag), append(families, t.Family), append(texts, text)
		}
	}
	if encode == nil {
		return models.NewGuard(dags, nil, nil), nil
	}
	z, err := encode(texts)
	if err != nil {
		return models.Guard{}, err
	}
	return models.NewGuard(dags, z, families), nil
}

// splitName says what is learned from.
func (c *trainCommand) splitName() string {
	if c.all {
		return c.split + ", test tasks learned"
	}
	return c.split
}
