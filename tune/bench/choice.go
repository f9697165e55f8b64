package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// ChoiceOptions say which choices are compared.
type ChoiceOptions struct {
	Logs        []string
	Scorer      string
	Model       costmodel.Options // Seed, Kind and Tell are filled in
	Population  int               // candidates that are drawn
	Generations int               // that evolve from them; 0: none
	Seed        uint64
	Show        func(text string)          // told what is going on; nil: nobody listens
	Done        func(c *ModelChoice) error // told of each task; nil: nobody listens
}

// Check reports what is wrong with the options.
func (o ChoiceOptions) Check() error {
	switch {
	case len(o.Logs) == 0:
		return tune.Optionf("no log is named")
	case !slices.Contains(costmodel.Names(), o.Scorer):
		return tune.Optionf("scorer %q: known: %s", o.Scorer, strings.Join(costmodel.Names(), ", "))
	case o.Population < 1:
		return tune.Optionf("--population %d: must be at least 1", o.Population)
	case o.Generations < 0:
		return tune.Optionf("--generations %d: must not be negative", o.Generations)
	}
	return nil
}

// A ModelChoice is what was found of one task.
type ModelChoice struct {
	Workload    string   `json:"workload"`
	Target      string   `json:"target"`
	Records     int      `json:"records"`      // timed
	BestUS      float64  `json:"best_us"`      // of the fastest record
	BestScore   float64  `json:"best_score"`   // of the same
	FavouriteUS float64  `json:"favourite_us"` // of the record with the highest score
	ChoiceScore float64  `json:"choice_score"`
	Above       int      `json:"records_above"` // with a higher score than the choice's
	Steps       string   `json:"steps"`         // of the choice
	Notes       []string `json:"notes,omitempty"`
}

// CompareChoices compares what the scorer would choose among candidates of our own, without
// measuring any, with the programs of tuning logs, by the scores that it gives all of
// them. The machine that a log was measured on need not be here. A score is what the
// scorer believes, and it may have learned from these very logs.
func CompareChoices(ctx context.Context, o ChoiceOptions) ([]ModelChoice, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	tasks, err := timedTasks(o.Logs)
	if err != nil {
		return nil, err
	}
	var list []ModelChoice
	for i, records := range tasks {
		if o.Show != nil {
			o.Show(fmt.Sprintf("task %d of %d", i+1, len(tasks)))
		}
		c, err := o.choose(ctx, records)
		if err == nil && o.Done != nil {
			err = o.Done(&c)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", records[0].Title(), err)
		}
		list = append(list, c)
	}
	return list, nil
}

// timedTasks returns the timed records of logs by task, in the order of each task's first, but for those of programs
// that failed later.
func timedTasks(logs []string) ([][]dataset.Record, error) {
	var all []dataset.Record
	for _, log := range logs {
		records, _, err := dataset.ReadLog(log)
		if err != nil {
			return nil, err
		}
		all = append(all, records...)
	}
	var tasks [][]dataset.Record
	index := map[string]int{}
	for _, r := range dataset.Measured(all) {
		if !r.Timed() {
			continue
		}
		task := r.Task()
		at, ok := index[task.ID()]
		if !ok {
			at = len(tasks)
			index[task.ID()] = at
			tasks = append(tasks, nil)
		}
		tasks[at] = append(tasks[at], r)
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("log %s: it holds no timed record", logs[0])
	}
	return tasks, nil
}

// An absent machine is only a target.
type absent struct {
	machine.Machine
	target target.Target
}

func (m absent) Target() target.Target    { return m.target }
func (m absent) Builder() machine.Builder { return nil }
func (m absent) Runner() machine.Runner   { return nil }
func (m absent) CannotTime() string       { return "the machine is not here" }

// verbatim names the space of a kind of target that searches a workload as it is, which is what records are of.
func verbatim(k target.Kind) string {
	if k == target.LLVM {
		return "direct"
	}
	return ""
}

// choose makes the choice for one task, and scores it together with the records: scores of
// several calls do not compare.
func (o ChoiceOptions) choose(ctx context.Context, records []dataset.Record) (ModelChoice, error) {
	first := &records[0]
	c := ModelChoice{Workload: first.Title(), Target: first.Target.String(), Records: len(records)}
	w, err := workload.Find(first.Workload)
	if err != nil {
		return c, fmt.Errorf("this wmtune does not know the workload: %w", err)
	}
	if w.Key != first.WorkloadKey {
		return c, fmt.Errorf("the workload's key is %s in this wmtune, and %s in the log; use the wmtune that wrote the log",
			w.Key, first.WorkloadKey)
	}
	model := o.Model
	model.Seed, model.Kind = o.Seed, first.Target.Kind
	model.Tell = func(text string) {
		if !slices.Contains(c.Notes, text) {
			c.Notes = append(c.Notes, text)
		}
	}
	scorer, err := costmodel.Open(ctx, o.Scorer, model)
	if err != nil {
		return c, err
	}
	s, err := tune.Open(ctx, absent{target: first.Target}, w, tune.Options{
		Seed: o.Seed, Scorer: scorer, ScorerName: o.Scorer, Layout: target.Keep, Space: verbatim(first.Target.Kind),
		Evolution: evolve.Options{Population: o.Population, Generations: cmp.Or(o.Generations, -1)}, // 0 means 4 there
	})
	if err != nil {
		return c, err
	}
	defer s.Close()
	chosen, err := s.Candidates(ctx, 1)
	if err != nil {
		return c, err
	}
	states := []*schedule.State{chosen[0].State}
	for i := range records {
		s, err := schedule.ReplayBound(w.DAG, records[i].Steps)
		if err != nil {
			return c, fmt.Errorf("replay a record: %w", err)
		}
		states = append(states, s)
	}
	scores, err := scorer.Score(ctx, s.Task(), states)
	if err != nil {
		return c, err
	}
	c.Steps = string(schedule.FormatSteps(chosen[0].State.Steps))
	c.compare(records, scores)
	return c, nil
}

// compare fills in what the scores say: the first is the choice's, the others are the
// records'.
func (c *ModelChoice) compare(records []dataset.Record, scores []float64) {
	c.ChoiceScore = scores[0]
	scores = scores[1:]
	best, favourite := 0, 0
	for i := range records {
		if records[i].Cost() < records[best].Cost() {
			best = i
		}
		if scores[i] > scores[favourite] {
			favourite = i
		}
		if scores[i] > c.ChoiceScore {
			c.Above++
		}
	}
	c.BestUS, c.BestScore, c.FavouriteUS = records[best].Cost()*1e6, scores[best], records[favourite].Cost()*1e6
}
