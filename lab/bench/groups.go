package bench

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
)

// A group holds programs of one workload that were timed in turns, in one process.
type group struct {
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
	Flat    bool    `json:"flat,omitempty"` // the steps are about the collapsed workload
	Layout  string  `json:"layout"`
	Seconds float64 `json:"seconds"` // the smallest sample; 0: it failed
	Failure string  `json:"failure,omitempty"`
}

// timed times what the searches of one workload and seed found in turns, unless
// that was done, and says what each found. It reports whether that is known.
func (c *contest) timed(
	ctx context.Context, w workload.Workload, seed uint64, sides []Side, list []keptSearch,
) (outcome, bool, error) {
	var programs []timedOnce
	at := map[string]int{} // by workload and steps
	program := func(r *dataset.Record) string { return r.Workload + string(schedule.FormatSteps(r.Steps)) }
	for i := range list {
		for _, r := range fastest(list[i].past, c.opt.Finalists) {
			if _, ok := at[program(&r)]; !ok {
				at[program(&r)] = len(programs)
				programs = append(programs, timedOnce{
					Steps: string(schedule.FormatSteps(r.Steps)), Flat: r.Workload != w.Text, Layout: r.Layout.String(),
				})
			}
		}
	}
	known, err := c.together(ctx, w, fmt.Sprintf("seed%d.json", seed), fmt.Sprintf("seed %d", seed), programs)
	if err != nil || !known {
		return outcome{}, false, err
	}
	out := outcome{champion: champion(programs)}
	for i, s := range sides {
		k := &list[i]
		f := Found{
			Workload: w.Name, Count: w.Count, Scorer: s.Scorer, Seed: seed, Budget: s.Budget,
			Curve: BestSoFar(k.past), Wall: k.Wall, Thinking: k.Thinking, Scored: k.Scored, Failure: k.Failure,
		}
		for _, r := range fastest(k.past, c.opt.Finalists) {
			p := programs[at[program(&r)]]
			switch {
			case p.Seconds > 0 && (f.Seconds == 0 || p.Seconds < f.Seconds):
				f.Seconds = p.Seconds
			case p.Seconds == 0 && f.Failure == "":
				f.Failure = p.Failure
			}
		}
		out.searches = append(out.searches, f)
	}
	if c.opt.Done != nil {
		c.opt.Done(out.searches, c.left.String())
	}
	return out, true, nil
}

// An outcome is what the searches of one workload and seed found.
type outcome struct {
	searches []Found
	champion timedOnce // the fastest of the group; without seconds if all failed
}

// champion returns the fastest program.
func champion(programs []timedOnce) (best timedOnce) {
	for _, p := range programs {
		if p.Seconds > 0 && (best.Seconds == 0 || p.Seconds < best.Seconds) {
			best = p
		}
	}
	return best
}

// final finds out how long the fastest program of a workload would have taken in the turns of each seed (Found.Best):
// groups are timed minutes apart, between which a machine's speed may change by as much as programs differ. So it times
// the champions of all seeds in turns, unless that was done. Best stays 0 where they are not to be timed.
func (c *contest) final(ctx context.Context, w workload.Workload, list []outcome) error {
	programs := make([]timedOnce, 0, len(list))
	for _, o := range list {
		if o.champion.Seconds > 0 && !slices.ContainsFunc(programs, o.champion.is) {
			programs = append(programs, o.champion)
		}
	}
	if len(programs) > 1 {
		if known, err := c.together(ctx, w, "final.json", "all seeds", programs); err != nil || !known {
			return err
		}
	}
	inTurns(list, programs)
	return nil
}

// inTurns says what the fastest program would have taken in the turns of each group, by the times of the champions in
// turns of their own; a champion without such a time is the fastest that its group knows.
func inTurns(list []outcome, final []timedOnce) {
	best := champion(final)
	for _, o := range list {
		seconds := o.champion.Seconds
		if i := slices.IndexFunc(final, o.champion.is); i >= 0 && final[i].Seconds > 0 {
			seconds *= best.Seconds / final[i].Seconds
		}
		for i := range o.searches {
			o.searches[i].Best = seconds
		}
	}
}

// together times programs in turns, unless a file of the workload has their times. It reports whether they are known,
// which they are not if nothing is to be timed.
func (c *contest) together(
	ctx context.Context, w workload.Workload, file, what string, programs []timedOnce,
) (bool, error) {
	file = filepath.Join(folder(w), file)
	var before group
	if !c.Again && c.load(file, &before) && before.cover(w.Text, programs) {
		return true, nil
	}
	if c.opt.Report {
		return false, nil
	}
	g := group{Spec: w.Text, Programs: programs, Load: rivals.LoadAverage(), Version: tune.Version()}
	if err := c.takeTurns(ctx, w, what, programs); err != nil {
		return false, err
	}
	g.Unix = time.Now().Unix()
	return true, c.Save(file, g)
}

// fastest returns the n fastest records; the earlier of equal ones first.
func fastest(records []dataset.Record, n int) []dataset.Record {
	timed := slices.DeleteFunc(slices.Clone(records), func(r dataset.Record) bool { return !r.Timed() })
	slices.SortStableFunc(timed, func(a, b dataset.Record) int { return cmp.Compare(a.Cost(), b.Cost()) })
	return timed[:min(len(timed), n)]
}

// is reports whether two are the same program.
func (p timedOnce) is(q timedOnce) bool {
	return p.Steps == q.Steps && p.Flat == q.Flat && p.Layout == q.Layout
}

// cover reports whether all programs were timed together, and takes over their times.
func (g *group) cover(spec string, programs []timedOnce) bool {
	if g.Spec != spec {
		return false
	}
	for i, p := range programs {
		at := slices.IndexFunc(g.Programs, p.is)
		if at < 0 {
			return false
		}
		programs[i] = g.Programs[at]
	}
	return true
}

// takeTurns times programs in turns.
func (c *contest) takeTurns(ctx context.Context, w workload.Workload, what string, programs []timedOnce) error {
	if len(programs) == 0 {
		return nil
	}
	if err := c.prepare(ctx, w.DAG, w.Text, 0); err != nil {
		return err
	}
	c.Show(fmt.Sprintf("%s, %s: timing what was found, in turns; %s", w.Name, what, c.left))
	inputs := make([]measure.Input, len(programs))
	for i, p := range programs {
		steps, err := schedule.ParseSteps([]byte(p.Steps))
		if err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		l, err := target.ParseLayout(p.Layout)
		if err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		if inputs[i], err = c.input(searched(w, p.Flat), steps, l); err != nil {
			return err
		}
	}
	built, err := c.machine.Builder().Build(ctx, inputs)
	if err != nil {
		return err
	}
	results, err := c.machine.Remeasure(ctx, inputs, built)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
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
