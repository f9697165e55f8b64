package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/survey"
	"github.com/wmtune/wmtune/dataset/trajectory"
)

const datasetInfoArgs = "DIR|LOG... [--html FILE] [--json]"

const datasetInfoWhat = `Info says what is in a dataset, or in tuning logs: tasks, targets, kinds of steps,
labels, noise, failures, and what share of it is the same. Of a dataset it also
checks that nothing is in two parts of a split, and exits with 1 if something is.`

const datasetInfoExamples = `  wmtune dataset info data
  wmtune dataset info wmtune-out/r50-t3/tuning.arrow
  wmtune dataset info data --html data.html       and a page with pictures of labels and costs
`

// A datasetInfo is what info says. Names may be added, never changed.
type datasetInfo struct {
	survey.Report
	Set *setInfo `json:"dataset,omitempty"` // nil for logs
}

// A setInfo is what only a dataset has.
type setInfo struct {
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

func declareDatasetInfo(fs *pflag.FlagSet) action {
	html := fs.String("html", "", "also write a page with pictures to `file`; it needs no network")
	asJSON := fs.Bool("json", false, "print one JSON object")
	return func(ctx context.Context, paths []string, stdout, stderr io.Writer) error {
		return printInfo(ctx, paths, *html, *asJSON, stdout, stderr)
	}
}

func printInfo(ctx context.Context, paths []string, html string, asJSON bool, stdout, stderr io.Writer) error {
	if len(paths) == 0 {
		return usagef("no dataset and no log is named")
	}
	p := newProgress(stderr)
	info, err := readInfo(ctx, paths, p)
	p.clearLine()
	if err != nil {
		return err
	}
	if html != "" {
		var page bytes.Buffer
		if err := infoPage(paths, info).Write(&page); err != nil {
			return fmt.Errorf("%s: %w", html, err)
		}
		if err := replaceFile(html, page.Bytes()); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	if asJSON {
		err = json.NewEncoder(stdout).Encode(info)
	} else {
		for _, t := range infoTables(info) {
			t.Print(stdout)
			fmt.Fprintln(stdout)
		}
	}
	if info.Set != nil && len(info.Set.Leaks) > 0 && err == nil {
		return fmt.Errorf("%d leaks between the parts of splits", len(info.Set.Leaks))
	}
	return err
}

// readInfo surveys one dataset, or any number of logs.
func readInfo(ctx context.Context, paths []string, p *progress) (*datasetInfo, error) {
	var s survey.Survey
	info := &datasetInfo{}
	for _, path := range paths {
		stat, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, err
		case stat.IsDir() && len(paths) > 1:
			return nil, usagef("%s is a dataset: name it alone", path)
		case stat.IsDir():
			info.Set, err = surveySet(ctx, path, &s, p)
		default:
			err = surveyLog(ctx, path, &s, p)
		}
		if err != nil {
			return nil, err
		}
	}
	info.Report = s.Report()
	return info, nil
}

func surveyLog(ctx context.Context, path string, s *survey.Survey, p *progress) error {
	in, err := dataset.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	n := 0
	for rec, err := range in.Records() {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		row := survey.Row{Steps: rec.Steps, Status: rec.Status, Message: rec.Message}
		if rec.Timed() {
			row.Costs = rec.Costs
		}
		s.Add(&dataset.Task{WorkloadKey: rec.WorkloadKey, Workload: rec.Workload, Target: rec.Target, Layout: rec.Layout}, row)
		if n++; n%1000 == 0 {
			p.showLine(fmt.Sprintf("%s: %d records", path, n))
		}
	}
	for _, w := range in.Warnings() {
		p.say("warning: %s", w)
	}
	return nil
}

func surveySet(ctx context.Context, dir string, s *survey.Survey, p *progress) (*setInfo, error) {
	set, err := trajectory.Open(dir)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	m := set.Meta()
	info := &setInfo{
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
		s.Add(&tasks[tr.Task].Task, survey.Row{Steps: steps, Costs: tr.Costs, Status: tr.Status, Message: tr.Message})
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
			p.showLine(fmt.Sprintf("%s: %d of %d trajectories", dir, n, m.Trajectories))
		}
	}
	p.showLine(fmt.Sprintf("%s: looking for leaks in %d states", dir, m.States))
	leaks, err := set.Leaks()
	info.Leaks = append(info.Leaks, leaks...)
	return info, err
}
