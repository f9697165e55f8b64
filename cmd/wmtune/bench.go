package main

import (
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
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/internal/report"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/bench"
)

const benchArgs = "kernels | scorers | build | noise | choice [flags]"

const benchExamples = `  make bench-setup                                  the libraries, into .peers
  wmtune bench kernels --trials 64
  wmtune bench kernels --only r50-t3,bert-t2 --peers ort
  wmtune bench scorers --scorers world,gbt,random --trials 0,16,64 --only r50-t3,bert-t2
  wmtune bench scorers --scorers world,gbt,gbt+warm --pretrain models/train-znver3.arrow.zst
  wmtune bench scorers --scorers world,l1p=my/l1p --baseline l1p,gbt@1024    models of one's own
  wmtune bench build --only r50-t3,opt-t4,bert-t2
  wmtune bench choice gpu.arrow
`

// benchmarks is the table of what bench does, in the order of its help.
func benchmarks() []verb {
	return []verb{
		{"kernels", "[flags]", 0, "kernels of wmtune and of other libraries, timed in turns", benchKernelsWhat, benchExamples,
			declareBenchKernels, nil},
		{"scorers", "[flags]", 0, "scorers compared on real searches with several seeds", benchScorersWhat, benchExamples,
			declareBenchScorers, nil},
		{"build", "[flags]", 0, "candidates per second, and the time of each part", benchBuildWhat, benchExamples, declareBenchBuild, nil},
		{"noise", "[flags]", 0, "the final choice of a search, repeated", benchNoiseWhat, benchExamples, declareBenchNoise, nil},
		{"choice", "LOG... [flags]", -1, "a scorer's first choice and the programs of logs, by score only", benchChoiceWhat,
			benchExamples, declareBenchChoice, nil},
	}
}

func benchWhat() string {
	what := `Bench runs one of these benchmarks. It writes JSON and one HTML page, which needs no
network, to the folder --out. The same command continues an interrupted benchmark.

`
	for _, b := range benchmarks() {
		what += fmt.Sprintf("  %-9s %s\n", b.name, b.short)
	}
	return what + "\ndocs/benchmarks.md explains the comparisons and the handling of noise."
}

// declareBench answers for 'wmtune bench' without the name of a benchmark.
func declareBench(*pflag.FlagSet) action {
	return func(_ context.Context, args []string, _, _ io.Writer) error {
		return needsVerb("benchmark", benchmarks(), args)
	}
}

// benchFlags are those that all benchmarks have.
type benchFlags struct {
	suite  string
	only   string
	trials int
	dir    string
	warm   logList
	models map[string]string // folders of scorers with a model of their own
	again  bool
	json   bool
}

func (c *benchFlags) declare(fs *pflag.FlagSet) {
	fs.IntVar(&c.trials, "trials", 64, "`number` of candidates that a search measures")
	c.declareFrame(fs)
}

// declareFrame declares those that do not depend on what a search is.
func (c *benchFlags) declareFrame(fs *pflag.FlagSet) {
	fs.StringVar(&c.suite, "suite", "paper22", "`name` of the suite; 'wmtune workloads' lists them")
	fs.StringVar(&c.only, "only", "", "`names` of workloads in the suite, such as r50-t3,bert-t2; empty: all")
	fs.StringVar(&c.dir, "out", filepath.Join("wmtune-out", "bench"), "`folder` for logs and results, with one folder per machine")
	fs.Var(&c.warm, "pretrain", "tuning `log` that gbt"+warmEnding+" learns from before each search; repeatable")
	fs.BoolVar(&c.again, "again", false, "new timings in place of finished ones; finished searches stay")
	fs.BoolVar(&c.json, "json", false, "one JSON object on standard output at the end, nothing else")
}

// A benching is a benchmark under way on this machine.
type benching struct {
	benchFlags
	workloads []workload.Workload
	machine   *machine.CPU
	dir       string // this machine's
	warmHash  string // of the logs of --pretrain
	progress  *progress
	stderr    io.Writer
}

// open finds the workloads and starts the machine.
func (c benchFlags) open(ctx context.Context, stderr io.Writer) (*benching, error) {
	if c.trials < 1 {
		return nil, usagef("--trials %d: must be at least 1", c.trials)
	}
	b := &benching{benchFlags: c, progress: newProgress(stderr), stderr: stderr}
	suite, err := op.FindSuite(c.suite)
	if err != nil {
		return nil, usageError{"--suite: " + err.Error()}
	}
	only := strings.FieldsFunc(c.only, func(r rune) bool { return r == ',' })
	for _, name := range only {
		if !slices.ContainsFunc(suite.List, func(e op.Entry) bool { return e.Name == name }) {
			return nil, usagef("--only: suite %s has no workload %q; 'wmtune workloads %s' lists them", c.suite, name, c.suite)
		}
	}
	for _, e := range suite.List {
		if len(only) > 0 && !slices.Contains(only, e.Name) {
			continue
		}
		w, err := workload.Find(c.suite + "/" + e.Name)
		if err != nil {
			return nil, err
		}
		b.workloads = append(b.workloads, w)
	}
	if b.warmHash, err = hashFiles(c.warm); err != nil {
		return nil, fmt.Errorf("--pretrain: %w", err)
	}
	if b.machine, err = machine.OpenCPU(ctx, machineOptions(0)); err != nil {
		return nil, err
	}
	b.dir = filepath.Join(c.dir, b.machineName())
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		b.machine.Close()
		return nil, fmt.Errorf("folder for the results: %w; choose another with --out", err)
	}
	return b, nil
}

// machineName names the folder of what is measured here: figures of different
// machines do not mix.
func (b *benching) machineName() string {
	t := b.machine.Target()
	return fmt.Sprintf("%s-%dcores-%s", t.CPU, t.Hardware.Cores, hashOf(t.String())[:8])
}

// facts are the lines at the top of a page.
func (b *benching) facts() []string {
	return []string{
		fmt.Sprintf("%s, wmtune %s", b.machine.Target(), tune.Version()),
		fmt.Sprintf("%s, suite %s", time.Now().UTC().Format("2006-01-02 15:04 MST"), b.suite),
	}
}

// interruptible does something that Ctrl-C ends at once.
func interruptible(ctx context.Context, do func(ctx context.Context) error) error {
	ctx, signals := interrupts(ctx, func() bool { return false })
	defer signals.stop()
	return interruption(ctx, signals, do(ctx))
}

// A tuned is what a search found for a workload.
type tuned struct {
	scorer  string
	seed    uint64
	steps   string // of the best, in AutoScheduler's form
	layout  string // of constant operands
	trials  int
	curve   []float64 // the best so far after each trial, in seconds
	perSec  float64   // candidates a second
	failure string    // why there is no kernel
}

// tuned returns what a search of w finds; it searches if it was not done, or not
// to the end.
func (b *benching) tuned(ctx context.Context, w workload.Workload, scorer string, seed uint64) (tuned, error) {
	t := tuned{scorer: scorer, seed: seed}
	dir, err := b.searchDir(w, scorer, seed)
	if err != nil {
		return t, fmt.Errorf("scorer %s: %w", scorer, err)
	}
	r, err := tune.ReadResult(dir)
	if err != nil || r.WorkloadKey != w.Key || r.Reason != search.TrialsSpent.String() && r.Reason != search.Exhausted.String() {
		b.progress.say("%s: searching with %s, seed %d", w.Name, scorer, seed)
		args := append(append([]string{"search"}, b.scorerArgs(scorer)...), "--workload", w.Text, "--trials", fmt.Sprint(b.trials), "--seed", fmt.Sprint(seed), "--out", dir)
		_, err = execute(ctx, newRoot(), args, io.Discard, b.stderr)
		if errors.Is(err, errNothing) {
			t.failure = err.Error()
			return t, nil
		}
		if err == nil {
			r, err = tune.ReadResult(dir)
		}
		if err != nil {
			return t, fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	if r.Scorer != b.baseScorer(scorer) {
		return t, fmt.Errorf("%s: searched with the scorer %s, not with %s; remove %s to search again", w.Name, r.Scorer, scorer, dir)
	}
	t.steps, t.layout, t.trials, t.perSec = r.Steps, r.Layout, r.Trials, r.CandidatesPerSecond
	records, _, err := dataset.ReadLog(filepath.Join(dir, "tuning.arrow"))
	if err != nil {
		return t, err
	}
	t.curve = bench.BestSoFar(tune.Past(records))
	return t, nil
}

// searchDir is the folder of a search. What a scorer knows before it is part of its
// name.
func (b *benching) searchDir(w workload.Workload, scorer string, seed uint64) (string, error) {
	id, err := b.knowledge(scorer)
	if err != nil {
		return "", err
	}
	if id != "" {
		scorer += "-" + id
	}
	return filepath.Join(b.dir, "tuned", w.Name, fmt.Sprintf("%s-seed%d-%d", scorer, seed, b.trials)), nil
}

// input is the program that a search found.
func (b *benching) input(w workload.Workload, t tuned) (measure.Input, error) {
	steps, err := schedule.ParseSteps([]byte(t.steps))
	if err != nil {
		return measure.Input{}, fmt.Errorf("%s: %w", w.Name, err)
	}
	state, err := schedule.Replay(w.DAG, steps)
	if err != nil {
		return measure.Input{}, fmt.Errorf("%s: %w", w.Name, err)
	}
	layout, err := target.ParseLayout(t.layout)
	if err != nil {
		return measure.Input{}, fmt.Errorf("%s: %w", w.Name, err)
	}
	return measure.NewInput(state, b.machine.Target(), layout), nil
}

// rebuild builds the program that a search found.
func (b *benching) rebuild(ctx context.Context, w workload.Workload, t tuned) (measure.BuildResult, error) {
	in, err := b.input(w, t)
	if err != nil {
		return measure.BuildResult{}, err
	}
	built, err := b.machine.Builder().Build(ctx, []measure.Input{in})
	if err != nil {
		return measure.BuildResult{}, err
	}
	return built[0], nil
}

// load reads a result from the machine's folder. It reports whether there is one.
func (b *benching) load(name string, to any) bool {
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	return err == nil && json.Unmarshal(data, to) == nil
}

// save writes a result to the machine's folder.
func (b *benching) save(name string, value any) error {
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

// finish leaves a report as JSON and as a page, and prints it.
func (b *benching) finish(name string, report any, p report.Page, stdout io.Writer) error {
	if err := b.save(name+".json", report); err != nil {
		return err
	}
	var text strings.Builder
	if err := p.Write(&text); err != nil {
		return fmt.Errorf("%s.html: %w", name, err)
	}
	page := filepath.Join(b.dir, name+".html")
	if err := renameio.WriteFile(page, []byte(text.String()), 0o644); err != nil {
		return err
	}
	b.progress.clearLine()
	if b.json {
		return json.NewEncoder(stdout).Encode(report)
	}
	for _, t := range p.Tables {
		t.Print(stdout)
		fmt.Fprintln(stdout)
	}
	fmt.Fprintf(stdout, "page: %s\n", page)
	return nil
}

// hashOf identifies values by the text that they print.
func hashOf(values ...any) string {
	h := sha256.New()
	for _, v := range values {
		text := fmt.Sprintf("%+v", v)
		fmt.Fprintf(h, "%d %s\n", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))
}
