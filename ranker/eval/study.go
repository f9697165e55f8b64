package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/target"
)

// A Study judges scorers by what was measured before: each learns from some tasks and ranks the
// candidates of the others. Records of each kind of target are judged apart.
type Study struct {
	Paths    []string // of logs and of folders of datasets
	Rows     []Row
	Split    Split
	Seeds    []uint64
	MinTimed int    // tasks with fewer timed records are left out
	Workers  int    // trainings at a time; 0 means one per processor. No figure depends on it
	Library  string // path of libxgboost; "" means the installed one

	// Optional says that rows which need libxgboost are left out where it is not installed;
	// otherwise that is an error.
	Optional bool

	Say      func(text string)                // if not nil, gets each message
	Progress func(part string, done, all int) // if not nil, is called by one goroutine at a time
}

// A Judged is the report of the tasks of one kind of target.
type Judged struct {
	Kind target.Kind `json:"target"`
	*Report
	Skipped        int     `json:"skipped_records"` // steps that do not apply
	FeatureSeconds float64 `json:"feature_seconds"`
}

// Run reads the records and judges the rows, for each kind of target in the order of the records.
func (s Study) Run(ctx context.Context) ([]Judged, error) {
	if err := s.checkLibrary(); err != nil {
		return nil, err
	}
	tasks, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	var list []Judged
	for len(tasks) > 0 {
		kind := tasks[0].Target.Kind
		var of, rest []*Task
		for _, t := range tasks {
			if t.Target.Kind == kind {
				of = append(of, t)
			} else {
				rest = append(rest, t)
			}
		}
		j, err := s.judge(ctx, kind, of)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		list, tasks = append(list, j), rest
	}
	return list, nil
}

// checkLibrary loads libxgboost, or leaves out the rows that need it.
func (s *Study) checkLibrary() error {
	_, err := xgboost.Load(s.Library)
	if err == nil || !slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Library }) {
		return nil
	}
	if !s.Optional || !errors.Is(err, xgboost.ErrMissing) {
		return err
	}
	s.say("warning: scorers of boosted trees are left out: %v", err)
	s.Rows = slices.DeleteFunc(slices.Clone(s.Rows), func(r Row) bool { return r.Library })
	return nil
}

func (s *Study) judge(ctx context.Context, kind target.Kind, tasks []*Task) (Judged, error) {
	j := Judged{Kind: kind}
	start := time.Now()
	prepared := func(done, all int) { s.progress(string(kind)+": features", done, all) }
	dropped, why, err := Prepare(ctx, tasks, Needs(s.Rows), s.Workers, prepared)
	if err != nil {
		return j, err
	}
	if dropped > 0 {
		s.say("warning: %d records are left out: their steps do not apply or have no features; the first: %v", dropped, why)
	}
	j.Skipped, j.FeatureSeconds = dropped, time.Since(start).Seconds()
	if tasks = s.enough(tasks); len(tasks) == 0 {
		return j, s.tooFew()
	}
	j.Report, err = Evaluate(ctx, tasks, Options{
		Split: s.Split, Rows: s.Rows, Seeds: s.Seeds, Workers: s.Workers, Library: s.Library,
		Progress: func(done, all int, _ string) { s.progress(string(kind)+": scorers", done, all) },
	})
	return j, err
}

func (s *Study) say(format string, args ...any) {
	if s.Say != nil {
		s.Say(fmt.Sprintf(format, args...))
	}
}

func (s *Study) progress(part string, done, all int) {
	if s.Progress != nil {
		s.Progress(part, done, all)
	}
}
