package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/internal/report"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/bench"
)

const benchBuildWhat = `Bench build runs a short search for each workload in a suite. It reports how many
candidates per second are built, checked and timed, and the time of each part. It
measures again after this program has changed.`

// A buildBench is the benchmark build under way.
type buildBench struct {
	*benching
	scorer string
	seed   uint64
}

func declareBenchBuild(fs *pflag.FlagSet) action {
	var c benchFlags
	var b buildBench
	c.declare(fs)
	fs.StringVar(&b.scorer, "scorer", "random", "`name` of the scorer: "+scorerNames())
	fs.Uint64Var(&b.seed, "seed", 0, "random `seed`; the same seed gives the same candidates")
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
		return b.run(ctx, c, stdout, stderr)
	}
}

func (b *buildBench) run(ctx context.Context, c benchFlags, stdout, stderr io.Writer) error {
	if _, err := openScorer(b.scorer, scorerOptions(b.seed, target.LLVM, nil)); err != nil {
		return err
	}
	var err error
	if b.benching, err = c.open(ctx, stderr); err != nil {
		return err
	}
	defer b.machine.Close()
	return interruptible(ctx, func(ctx context.Context) error { return b.speeds(ctx, stdout) })
}

// speeds measures all workloads and reports.
func (b *buildBench) speeds(ctx context.Context, stdout io.Writer) error {
	program, err := programHash()
	if err != nil {
		return err
	}
	var list []bench.Speed
	for _, w := range b.workloads {
		name := filepath.Join("build", w.Name+".json")
		key := hashOf(program, w.Key, w.Text, b.trials, b.scorer, b.seed)
		var s bench.Speed
		if b.again || !b.load(name, &s) || s.Key != key {
			if s, err = b.speed(ctx, w); err != nil {
				return fmt.Errorf("%s: %w", w.Name, err)
			}
			s.Key = key
			if err := b.save(name, s); err != nil {
				return err
			}
			b.progress.say("%s: %.1f candidates a second", w.Name, s.PerSecond())
		}
		list = append(list, s)
	}
	page := report.Page{Title: "Candidates a second", Facts: b.facts(), Tables: []report.Table{report.SpeedTable(list)}}
	page.Facts = append(page.Facts, fmt.Sprintf("searches of %d trials, scorer %s, seed %d", b.trials, b.scorer, b.seed))
	report := map[string]any{"machine": b.machine.Target().String(), "version": tune.Version(), "rows": list}
	return b.finish("build", report, page, stdout)
}

// speed searches one workload and watches. Finding the reference is not counted,
// nor are finalists: both happen once in a search.
func (b *buildBench) speed(ctx context.Context, w workload.Workload) (bench.Speed, error) {
	s := bench.Speed{Workload: w.Name, Spec: w.Text, Scorer: b.scorer, Status: map[string]int{}, Unix: time.Now().Unix(), Load: loadAverage()}
	b.progress.showLine(w.Name + ": computing the reference")
	if err := b.machine.SetTask(ctx, w.DAG, b.seed); err != nil {
		return s, err
	}
	scorer, err := openScorer(b.scorer, scorerOptions(b.seed, target.LLVM, nil))
	if err != nil {
		return s, err
	}
	m := &meter{}
	t := &search.Tuner{
		Task:    &search.Task{Name: w.Text, Key: w.Key, DAG: w.DAG, Target: b.machine.Target(), Space: space.Default(target.LLVM), Layout: target.Rewrite},
		Scorer:  scorer,
		Builder: meteredBuilder{b.machine.Builder(), m}, Runner: meteredRunner{b.machine.Runner(), m},
		Options: search.Options{
			Trials: b.trials, Seed: b.seed, ScorerName: b.scorer, Finalists: -1, Clock: time.Now,
			OnEvent: func(e search.Event) {
				m.event(e)
				b.progress.showLine(fmt.Sprintf("%s: round %d, %s", w.Name, e.Round+1, e.Kind))
			},
		},
	}
	begin := time.Now()
	out, err := t.Run(ctx, nil)
	s.Wall = time.Since(begin).Seconds()
	if err != nil && !errors.Is(err, search.ErrNothingCorrect) {
		return s, err
	}
	m.phase(nil)
	m.parts.Idle = max(0, m.parts.Measure-m.parts.Check-m.parts.Time)
	s.Parts, s.Trials, s.Rounds = m.parts, out.Trials, out.Rounds
	for status, n := range out.Status {
		s.Status[status.String()] = n
	}
	return s, nil
}

// A meter adds up where the time of a search goes.
type meter struct {
	mu    sync.Mutex
	parts bench.Parts
	now   *float64 // the phase under way, of parts
	since time.Time
}

// phase ends the phase under way and begins another.
func (m *meter) phase(next *float64) {
	if m.now != nil {
		*m.now += time.Since(m.since).Seconds()
	}
	m.now, m.since = next, time.Now()
}

func (m *meter) event(e search.Event) {
	switch e.Kind {
	case search.Proposing:
		m.phase(&m.parts.Propose)
	case search.Building:
		m.phase(&m.parts.Measure)
	case search.Learning:
		m.phase(&m.parts.Learn)
	}
}

// A meteredBuilder is a builder whose time is added up.
type meteredBuilder struct {
	machine.Builder
	m *meter
}

// Build implements search.Builder.
func (b meteredBuilder) Build(ctx context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	results, err := b.Builder.Build(ctx, inputs)
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	for _, r := range results {
		b.m.parts.AddBuild(r)
	}
	return results, err
}

// A meteredRunner is a runner whose time is added up.
type meteredRunner struct {
	machine.Runner
	m *meter
}

// Run implements search.Runner.
func (r meteredRunner) Run(ctx context.Context, inputs []measure.Input, built []measure.BuildResult) ([]measure.Result, error) {
	results, err := r.Runner.Run(ctx, inputs, built)
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	for _, res := range results {
		r.m.parts.AddRun(res)
	}
	return results, err
}

// programHash identifies this program.
func programHash() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	f, err := os.Open(self)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
