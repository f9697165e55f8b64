// Package bench measures what wmtune is for: kernels and whole models beside those of
// libraries, and scorers side by side. What was measured is kept in a folder, and not measured
// again.
//
// It must not print: package report of the laboratory shows what is found here.
package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// layout is the weight layout of all searches, a search's default.
const layout = target.Rewrite

// Options are those that all benchmarks have.
type Options struct {
	Suite   string   // of package tir/op; "" means paper22, if there is no plan
	Plan    string   // a file of workloads in place of a suite (docs/manual/collect.md); "" means none
	Only    []string // names of workloads of the suite or plan; none: all
	Draw    *Draw    // workloads drawn at random in place of both; nil: none
	Dir     string   // folder for logs and results; has a folder for each machine
	Again   bool     // time again what was timed already; searches are kept
	Machine machine.Options
	Scorers Scorers

	Say  func(text string) // told what a user should know; nil: nobody listens
	Show func(text string) // told what is going on; nil: nobody listens
}

// Check reports what is wrong with the options, as a *tune.OptionError.
func (o Options) Check() error {
	_, err := o.workloads()
	return err
}

// workloads returns what the options name, in the suite's or the plan's order.
func (o Options) workloads() (list []workload.Workload, err error) {
	switch {
	case o.Draw != nil:
		list, err = o.Draw.workloads()
	case o.Plan != "" && o.Suite != "":
		return nil, tune.Optionf("suite %s and plan %s: choose one", o.Suite, o.Plan)
	case o.Plan != "":
		list, err = planned(o.Plan, o.Only)
	default:
		list, err = workload.Suite(cmp.Or(o.Suite, defaultSuite), o.Only)
	}
	if err != nil {
		return nil, tune.Optionf("%v", err)
	}
	return list, nil
}

// planned returns the workloads of a plan. Their names end in a hash of what they compute, as lists of several models
// have the same names for different workloads, and as folders have these names.
func planned(path string, only []string) ([]workload.Workload, error) {
	all, err := workload.ReadPlan(path)
	if err != nil {
		return nil, err
	}
	left := slices.Clone(only)
	var list []workload.Workload
	for _, w := range all {
		name := w.Name
		w.Name += "-" + HashOf(w.Text)[:6]
		named := func(n string) bool { return n == name || n == w.Name }
		if len(only) == 0 || slices.ContainsFunc(only, named) {
			list = append(list, w)
		}
		left = slices.DeleteFunc(left, named)
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("plan %s has no workload %q: its lines have the names", path, left[0])
	}
	return list, nil
}

// What says which workloads are compared, as "suite paper22".
func (o Options) What() string {
	if o.Draw != nil {
		return fmt.Sprintf("%d workloads drawn at random with seed %d", o.Draw.Rows, o.Draw.Seed)
	}
	if o.Plan != "" {
		return "plan " + filepath.Base(o.Plan)
	}
	return "suite " + cmp.Or(o.Suite, defaultSuite)
}

const defaultSuite = "paper22"

// A Search says how a workload is searched.
type Search struct {
	Trials int
	Scorer string
	Seed   uint64
}

func (s Search) check(known Scorers) error {
	if s.Trials < 1 {
		return tune.Optionf("%d trials: must be at least 1", s.Trials)
	}
	return known.Check(s.Scorer)
}

// A Bench is this machine with a folder of its figures. It may be used by one goroutine at
// a time.
type Bench struct {
	Options
	list     []workload.Workload
	machine  *machine.CPU
	dir      string // this machine's
	logsHash string // of Scorers.Logs
	ready    string // the key of the workload that the machine is ready for
	tuned    *costmodel.GBT
}

// Open finds the workloads, starts the machine and makes its folder.
func Open(ctx context.Context, o Options) (*Bench, error) {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if o.Show == nil {
		o.Show = func(string) {}
	}
	if o.Plan == "" {
		o.Suite = cmp.Or(o.Suite, defaultSuite)
	}
	b := &Bench{Options: o}
	var err error
	if b.list, err = o.workloads(); err != nil {
		return nil, err
	}
	if b.logsHash, err = hashFiles(o.Scorers.Logs); err != nil {
		return nil, fmt.Errorf("logs to learn from: %w", err)
	}
	if b.machine, err = machine.OpenCPU(ctx, o.Machine); err != nil {
		return nil, err
	}
	t := b.machine.Target()
	// Figures of different machines do not mix.
	b.dir = filepath.Join(o.Dir, fmt.Sprintf("%s-%dcores-%s", t.CPU, t.Hardware.Cores, HashOf(t.String())[:8]))
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		b.machine.Close()
		return nil, fmt.Errorf("folder for the results: %w; choose another one", err)
	}
	return b, nil
}

// Close ends the machine's workers.
func (b *Bench) Close() { b.machine.Close() }

// Dir returns the folder of this machine's results.
func (b *Bench) Dir() string { return b.dir }

// CPU returns the machine.
func (b *Bench) CPU() *machine.CPU { return b.machine }

// Target returns the machine as a target.
func (b *Bench) Target() target.Target { return b.machine.Target() }

// prepare computes the reference of a workload, unless it was computed last, and has the
// candidates of other searches forgotten. Its text tells element types apart, which its key does not.
func (b *Bench) prepare(ctx context.Context, d *compute.DAG, text string, seed uint64) error {
	key := fmt.Sprintf("%s %d", text, seed)
	if b.ready == key {
		b.machine.Restart()
		return nil
	}
	b.ready = ""
	if err := b.machine.SetTask(ctx, d, seed, measure.Repeated); err != nil {
		return err
	}
	b.ready = key
	return nil
}

// load reads a result from the machine's folder. It reports whether there is one.
func (b *Bench) load(name string, to any) bool {
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	return err == nil && json.Unmarshal(data, to) == nil
}

// Save writes a result to the machine's folder.
func (b *Bench) Save(name string, value any) error {
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return renameio.WriteFile(path, append(data, '\n'), 0o644)
}

// Kept returns the figure of a workload that is kept under a name: that of the folder if
// it is of the same key and need not be measured again, else what measure returns. It
// reports whether that was measured now.
func Kept[T any](b *Bench, name, key string, keyOf func(*T) *string, measure func() (T, error)) (T, bool, error) {
	var value T
	if !b.Again && b.load(name, &value) && *keyOf(&value) == key {
		return value, false, nil
	}
	value, err := measure()
	if err != nil {
		return value, false, err
	}
	*keyOf(&value) = key
	return value, true, b.Save(name, value)
}

// tune searches a workload, unless that was done to the end, and returns what was found
// and the records of its log. A search that finds nothing is no error: the result has no
// steps.
func (b *Bench) tune(ctx context.Context, w workload.Workload, s Search) (*tune.Result, []dataset.Record, error) {
	dir, err := b.searchDir(w, s)
	if err != nil {
		return nil, nil, fmt.Errorf("scorer %s: %w", s.Scorer, err)
	}
	base, spaceName := b.Scorers.split(s.Scorer)
	var r *tune.Result
	if data, err := os.ReadFile(filepath.Join(dir, "result.json")); err != nil || json.Unmarshal(data, &r) != nil ||
		r.WorkloadKey != w.Key || r.Reason != search.TrialsSpent.String() && r.Reason != search.Exhausted.String() {
		b.Say(fmt.Sprintf("%s: searching with %s, seed %d", w.Name, s.Scorer, s.Seed))
		b.ready = ""
		o := tune.Options{
			Trials: s.Trials, Seed: s.Seed, ScorerName: base, Model: b.Scorers.options(s.Scorer), Space: spaceName,
			Layout: layout, Log: filepath.Join(dir, logName), Out: dir, Observer: observer{b, w.Name},
		}
		if pretrained(s.Scorer) {
			o.Pretrain = b.Scorers.Logs
		}
		r, err = tune.Run(ctx, b.machine, w, o)
		if err != nil && (r == nil || !errors.Is(err, search.ErrNothingCorrect)) {
			return nil, nil, fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	if r.Scorer != base {
		return nil, nil, fmt.Errorf("%s: searched with the scorer %s, not with %s; remove %s to search again",
			w.Name, r.Scorer, s.Scorer, dir)
	}
	records, _, err := dataset.ReadLog(filepath.Join(dir, logName))
	return r, tune.Past(records), err
}

const logName = "tuning.arrow"

// searchDir is the folder of a search. What a scorer knows before it is part of its
// name.
func (b *Bench) searchDir(w workload.Workload, s Search) (string, error) {
	id, err := b.knowledge(s.Scorer)
	if err != nil {
		return "", err
	}
	name := s.Scorer
	if id != "" {
		name += "-" + id
	}
	return filepath.Join(b.dir, "tuned", w.Name, fmt.Sprintf("%s-seed%d-%d", name, s.Seed, s.Trials)), nil
}

// An observer tells what a search does.
type observer struct {
	b    *Bench
	name string
}

func (o observer) Say(text string) { o.b.Say(text) }

func (o observer) Phase(text string, p tune.Progress) {
	o.b.Show(fmt.Sprintf("%s: round %d, %d/%d trials, %s", o.name, p.Round, p.Trials, p.Goal, text))
}

func (o observer) Round(p tune.Progress) { o.Phase("done", p) }

// searched returns what a search had searched for w, collapsed or not.
func searched(w workload.Workload, flat bool) workload.Workload {
	if flat {
		return w.Collapsed()
	}
	return w
}

// input is the program of steps on what was searched.
func (b *Bench) input(w workload.Workload, steps []schedule.Step, l target.Layout) (measure.Input, error) {
	state, err := schedule.Replay(w.DAG, steps)
	if err != nil {
		return measure.Input{}, fmt.Errorf("%s: %w", w.Name, err)
	}
	return measure.NewInput(state, b.machine.Target(), l), nil
}

// HashOf identifies values by the text that they print.
func HashOf(values ...any) string {
	h := sha256.New()
	for _, v := range values {
		text := fmt.Sprintf("%+v", v)
		fmt.Fprintf(h, "%d %s\n", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashFiles identifies files by what they hold, in order.
func hashFiles(paths []string) (string, error) {
	h := sha256.New()
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		n, err := io.Copy(h, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		fmt.Fprintf(h, " %d\n", n)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ProgramHash identifies this program.
func ProgramHash() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return hashFiles([]string{self})
}
