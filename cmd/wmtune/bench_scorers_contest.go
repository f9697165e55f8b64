package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/bench"
)

// A turns holds programs of one workload that were timed in turns, in one process.
type turns struct {
	Spec     string      `json:"spec"`
	Programs []timedOnce `json:"programs"`
	Unix     int64       `json:"unix"`
	Load     float64     `json:"load"` // of the machine before: processes that wanted to run
	Version  string      `json:"version"`
}

// A timedOnce is a program among those timed in turns. Searches that found the same
// one share it.
type timedOnce struct {
	Steps   string  `json:"steps"`
	Layout  string  `json:"layout"`
	Seconds float64 `json:"seconds"` // the smallest sample; 0: it failed
	Failure string  `json:"failure,omitempty"`
}

// contest times what the searches of one workload and seed found in turns, unless
// that was done, and says what each found. It reports whether that is known.
func (b *scorersBench) contest(ctx context.Context, w workload.Workload, seed uint64, sides []bench.Side, list []keptSearch) ([]bench.Found, bool, error) {
	var programs []timedOnce
	at := map[string]int{} // by steps
	for i := range list {
		for _, r := range list[i].fastest(b.finalists) {
			steps := string(schedule.FormatSteps(r.Steps))
			if _, ok := at[steps]; !ok {
				at[steps] = len(programs)
				programs = append(programs, timedOnce{Steps: steps, Layout: r.Layout.String()})
			}
		}
	}
	name := filepath.Join(b.folder(w), fmt.Sprintf("seed%d.json", seed))
	var before turns
	if b.again || !b.load(name, &before) || !before.cover(w.Text, programs) {
		if b.report {
			return nil, false, nil
		}
		if err := b.takeTurns(ctx, w, seed, programs); err != nil {
			return nil, false, err
		}
		before = turns{Spec: w.Text, Programs: programs, Unix: time.Now().Unix(), Load: loadAverage(), Version: tune.Version()}
		if err := b.save(name, before); err != nil {
			return nil, false, err
		}
	}
	var found []bench.Found
	for i, s := range sides {
		f := bench.Found{
			Workload: w.Name, Scorer: s.Scorer, Seed: seed, Budget: s.Budget,
			Curve: list[i].curve(), Wall: list[i].Wall, Thinking: list[i].Thinking, Scored: list[i].Scored, Failure: list[i].Failure,
		}
		for _, r := range list[i].fastest(b.finalists) {
			p := programs[at[string(schedule.FormatSteps(r.Steps))]]
			switch {
			case p.Seconds > 0 && (f.Seconds == 0 || p.Seconds < f.Seconds):
				f.Seconds = p.Seconds
			case p.Seconds == 0 && f.Failure == "":
				f.Failure = p.Failure
			}
		}
		found = append(found, f)
	}
	b.progress.say("%s, seed %d: %s; %s", w.Name, seed, foundText(found), b.left)
	return found, true, nil
}

// cover reports whether all programs were timed together, and takes over their times.
func (t *turns) cover(spec string, programs []timedOnce) bool {
	if t.Spec != spec {
		return false
	}
	known := map[string]timedOnce{}
	for _, p := range t.Programs {
		known[p.Steps+p.Layout] = p
	}
	for i, p := range programs {
		before, ok := known[p.Steps+p.Layout]
		if !ok {
			return false
		}
		programs[i] = before
	}
	return true
}

// takeTurns times programs in turns.
func (b *scorersBench) takeTurns(ctx context.Context, w workload.Workload, seed uint64, programs []timedOnce) error {
	if len(programs) == 0 {
		return nil
	}
	if err := b.prepare(ctx, w); err != nil {
		return err
	}
	b.progress.showLine(fmt.Sprintf("%s, seed %d: timing what was found, in turns; %s", w.Name, seed, b.left))
	inputs := make([]measure.Input, len(programs))
	for i, p := range programs {
		in, err := b.input(w, tuned{steps: p.Steps, layout: p.Layout})
		if err != nil {
			return err
		}
		inputs[i] = in
	}
	built, err := b.machine.Builder().Build(ctx, inputs)
	if err != nil {
		return err
	}
	results, err := b.machine.Remeasure(ctx, inputs, built)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return errors.Join(errInterrupted, err)
	}
	for i, r := range results {
		programs[i].Seconds, programs[i].Failure = 0, ""
		if r.Status == measure.OK && len(r.Costs) > 0 {
			programs[i].Seconds = r.Cost()
			continue
		}
		programs[i].Failure = fmt.Sprintf("%s: %s", r.Status, r.Message)
	}
	return nil
}

// foundText says in a line what searches found.
func foundText(list []bench.Found) string {
	text := ""
	for i, f := range list {
		if i > 0 {
			text += ", "
		}
		time := "nothing"
		if f.Seconds > 0 {
			time = dataset.FormatSeconds(f.Seconds)
		}
		text += fmt.Sprintf("%s@%d %s", f.Scorer, f.Budget, time)
	}
	return text
}
