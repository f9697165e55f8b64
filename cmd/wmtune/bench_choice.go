package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/internal/report"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

const benchChoiceWhat = `Bench choice compares the candidate that a scorer would choose with the programs of
tuning logs. It measures nothing and uses the scorer's scores of all of them, so the
log may be of another machine. A score is a prediction: the scorer may even have
learned from these logs.`

// A choiceBench is the benchmark choice under way.
type choiceBench struct {
	logs       []string
	scorer     string
	model      string
	population int
	generation int
	seed       uint64
	asJSON     bool
	progress   *progress
	programs   *programs
}

// A choiceRow is what was found of one task.
type choiceRow struct {
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

func declareBenchChoice(fs *pflag.FlagSet) action {
	b := choiceBench{programs: newPrograms(workload.Find)}
	fs.StringVar(&b.scorer, "scorer", costmodel.Default(), "`name` of the scorer: "+scorerNames())
	fs.StringVar(&b.model, "model", "", "`folder` of the model for --scorer world; empty: the built-in model")
	fs.IntVar(&b.population, "population", 2048, "`number` of random candidates")
	fs.IntVar(&b.generation, "generations", 0, "`number` of generations of evolution; search --trials 0 runs 4")
	fs.Uint64Var(&b.seed, "seed", 0, "random `seed`; the same seed gives the same candidates")
	fs.BoolVar(&b.asJSON, "json", false, "one JSON object per task")
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		b.logs, b.progress = args, newProgress(stderr)
		if err := b.check(); err != nil {
			return err
		}
		return interruptible(ctx, func(ctx context.Context) error { return b.run(ctx, stdout) })
	}
}

func (b *choiceBench) check() error {
	switch {
	case len(b.logs) == 0:
		return usagef("no log is named")
	case b.population < 1:
		return usagef("--population %d: must be at least 1", b.population)
	case b.generation < 0:
		return usagef("--generations %d: must not be negative", b.generation)
	}
	return nil
}

func (b *choiceBench) run(ctx context.Context, stdout io.Writer) error {
	tasks, err := timedTasks(b.logs)
	if err != nil {
		return err
	}
	var rows []choiceRow
	for i, records := range tasks {
		b.progress.showLine(fmt.Sprintf("task %d of %d", i+1, len(tasks)))
		row, err := b.task(ctx, records)
		if err != nil {
			return fmt.Errorf("%s: %w", records[0].Title(), err)
		}
		if rows = append(rows, row); b.asJSON {
			if err := json.NewEncoder(stdout).Encode(row); err != nil {
				return err
			}
		}
	}
	b.progress.clearLine()
	if !b.asJSON {
		choiceTable(rows).Print(stdout)
	}
	return nil
}

// timedTasks returns the timed records of logs by task, in the order of each task's first.
func timedTasks(logs []string) ([][]dataset.Record, error) {
	var tasks [][]dataset.Record
	index := map[string]int{}
	for _, log := range logs {
		records, _, err := dataset.ReadLog(log)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			if !r.Timed() {
				continue
			}
			key := taskText(&r)
			at, ok := index[key]
			if !ok {
				at = len(tasks)
				index[key] = at
				tasks = append(tasks, nil)
			}
			tasks[at] = append(tasks[at], r)
		}
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("log %s: it holds no timed record", logs[0])
	}
	return tasks, nil
}

// task makes the choice for one task, and scores it together with the records: scores of
// several calls do not compare.
func (b *choiceBench) task(ctx context.Context, records []dataset.Record) (choiceRow, error) {
	first := &records[0]
	row := choiceRow{Workload: first.Title(), Target: first.Target.String(), Records: len(records)}
	dag, err := b.programs.dag(first)
	if err != nil {
		return row, err
	}
	candidates, err := space.Find(first.Target.Kind, "")
	if err != nil {
		return row, err
	}
	options := scorerOptions(b.seed, first.Target.Kind, func(text string) {
		if !slices.Contains(row.Notes, text) {
			row.Notes = append(row.Notes, text)
		}
	})
	options.Model = b.model
	scorer, err := openScorer(b.scorer, options)
	if err != nil {
		return row, err
	}
	task := &search.Task{Name: row.Workload, Key: first.WorkloadKey, DAG: dag, Target: first.Target, Space: candidates, Layout: target.Keep}
	evolution := evolve.Options{Population: b.population, Generations: cmp.Or(b.generation, -1)} // 0 means 4 there
	t := &search.Tuner{Task: task, Scorer: scorer, Options: search.Options{Seed: b.seed, ScorerName: b.scorer, Evolution: evolution}}
	chosen, err := t.Choose(ctx, 1)
	if err != nil {
		return row, err
	}
	states := []*schedule.State{chosen[0].State}
	for i := range records {
		s, err := schedule.Replay(dag, records[i].Steps)
		if err == nil {
			s, err = s.InferBound()
		}
		if err != nil {
			return row, fmt.Errorf("replay a record: %w", err)
		}
		states = append(states, s)
	}
	scores, err := scorer.Score(ctx, task, states)
	if err != nil {
		return row, err
	}
	row.Steps = string(schedule.FormatSteps(chosen[0].State.Steps))
	row.compare(records, scores)
	return row, nil
}

// compare fills in what the scores say: the first is the choice's, the others are the
// records'.
func (r *choiceRow) compare(records []dataset.Record, scores []float64) {
	r.ChoiceScore = scores[0]
	scores = scores[1:]
	best, favourite := 0, 0
	for i := range records {
		if records[i].Cost() < records[best].Cost() {
			best = i
		}
		if scores[i] > scores[favourite] {
			favourite = i
		}
		if scores[i] > r.ChoiceScore {
			r.Above++
		}
	}
	r.BestUS, r.BestScore, r.FavouriteUS = records[best].Cost()*1e6, scores[best], records[favourite].Cost()*1e6
}

// choiceTable shows rows, and in how many the choice is believed to be the faster one.
func choiceTable(rows []choiceRow) report.Table {
	t := report.Table{Head: []string{"workload", "records", "fastest", "its score", "favourite", "the choice's score", "records above it"}}
	faster, first, unlike := 0, 0, 0
	for _, r := range rows {
		t.Rows = append(t.Rows, []string{
			r.Workload, fmt.Sprint(r.Records), fmt.Sprintf("%.4g us", r.BestUS), fmt.Sprintf("%.3f", r.BestScore),
			fmt.Sprintf("%.4g us", r.FavouriteUS), fmt.Sprintf("%.3f", r.ChoiceScore), fmt.Sprint(r.Above),
		})
		if r.ChoiceScore > r.BestScore {
			faster++
		}
		if r.Above == 0 {
			first++
		}
		if len(r.Notes) > 0 {
			unlike++
		}
	}
	t.Notes = []string{
		"favourite: the record with the highest score. Nothing of the choices was run.",
		fmt.Sprintf("of %d choices the scorer believes %d faster than the fastest record, %d faster than all", len(rows), faster, first),
	}
	if unlike > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("of %d tasks the scorer says that it knows little; --json has its words", unlike))
	}
	return t
}
