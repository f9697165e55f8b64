package survey

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/trajectory"
)

// An Info is what a survey found in logs or in a dataset. Names in JSON may be added, never changed.
type Info struct {
	Report
	Set *SetInfo `json:"dataset,omitempty"` // nil for logs
}

// A SetInfo is what only a dataset has.
type SetInfo struct {
	Tool       string           `json:"tool"`
	Splits     string           `json:"splits"`
	Inputs     int              `json:"inputs"`
	States     int              `json:"states"`
	Actions    int              `json:"actions"`
	Moves      int              `json:"moves"`      // actions of all trajectories
	Identities int              `json:"identities"` // of these, those that change nothing
	Stopped    int              `json:"stopped"`    // trajectories that end before the last step
	Uses       []trajectory.Use `json:"uses"`
	Leaks      []string         `json:"leaks"`
}

// Options are the options of Read.
type Options struct {
	Progress func(text string) // if not nil, says how far it is
	Warn     func(text string) // if not nil, gets what was left out of logs
}

func (o *Options) progress(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// ErrSeveral says that a dataset is not surveyed together with others.
var ErrSeveral = errors.New("it is a dataset: name it alone")

// Read surveys one dataset, or any number of logs.
func Read(ctx context.Context, paths []string, opts Options) (*Info, error) {
	var s Survey
	info := &Info{}
	var logs []string
	for _, path := range paths {
		stat, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, err
		case stat.IsDir() && len(paths) > 1:
			return nil, fmt.Errorf("%s: %w", path, ErrSeveral)
		case stat.IsDir():
			info.Set, err = surveySet(ctx, path, &s, &opts)
		default:
			logs = append(logs, path)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := surveyLogs(ctx, logs, &s, &opts); err != nil {
		return nil, err
	}
	info.Report = s.Report()
	return info, nil
}

// surveyLogs surveys what a dataset of the logs would have of them. It reads them twice, and does not hold them.
func surveyLogs(ctx context.Context, logs []string, s *Survey, opts *Options) error {
	withdrawn, err := dataset.Withdrawn(ctx, logs)
	if err != nil {
		return err
	}
	for _, path := range logs {
		if err := surveyLog(ctx, path, withdrawn, s, opts); err != nil {
			return err
		}
	}
	return nil
}

func surveyLog(
	ctx context.Context, path string, withdrawn func(*dataset.Record) bool, s *Survey, opts *Options,
) error {
	warnings, err := dataset.Each(ctx, path, func(number int, rec *dataset.Record) error {
		if !withdrawn(rec) {
			task := rec.Task()
			s.Add(&task, Row{Steps: rec.Steps, Costs: rec.Costs, Status: rec.Status, Message: rec.Message})
		}
		if n := number + 1; n%1000 == 0 {
			opts.progress("%s: %d records", path, n)
		}
		return nil
	})
	for _, w := range warnings {
		if opts.Warn != nil {
			opts.Warn(w.String())
		}
	}
	return err
}

func surveySet(ctx context.Context, dir string, s *Survey, opts *Options) (*SetInfo, error) {
	set, err := trajectory.Open(dir)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	m := set.Meta()
	info := &SetInfo{
		Tool: m.Tool, Splits: m.Splits, Inputs: len(m.Inputs), States: m.States, Actions: m.Actions,
		Uses: set.Uses(), Leaks: []string{},
	}
	tasks := set.Tasks()
	n := 0
	for tr, err := range set.All() {
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		steps, err := tr.Steps()
		if err != nil {
			return nil, fmt.Errorf("dataset %s: task %d, record %d: %w", dir, tr.Task, tr.Record, err)
		}
		s.Add(&tasks[tr.Task].Task, Row{Steps: steps, Costs: tr.Costs, Status: tr.Status, Message: tr.Message})
		info.Moves += len(tr.Actions)
		for t := range tr.Actions {
			if tr.States[t] == tr.States[t+1] {
				info.Identities++
			}
		}
		if !tr.Whole() {
			info.Stopped++
		}
		if n++; n%1000 == 0 {
			opts.progress("%s: %d of %d trajectories", dir, n, m.Trajectories)
		}
	}
	opts.progress("%s: looking for leaks in %d states", dir, m.States)
	leaks, err := set.Leaks()
	info.Leaks = append(info.Leaks, leaks...)
	return info, err
}
