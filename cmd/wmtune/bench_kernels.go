package main

import (
	"context"
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
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/bench"
)

const benchKernelsWhat = `Bench kernels searches for a kernel of each workload in a suite, unless an earlier run
did. Then it times the kernels of wmtune and of the libraries in turns, one at a time,
with the same number of pinned threads. It skips a library that is not installed;
'make bench-setup' installs all of them.`

// A kernelBench is the benchmark kernels under way.
type kernelBench struct {
	*benching
	scorer string
	seed   uint64
	plan   bench.Plan
	peers  []*bench.Peer
	names  []string // of peers, with their versions
}

func declareBenchKernels(fs *pflag.FlagSet) action {
	var c benchFlags
	k := kernelBench{plan: bench.DefaultPlan}
	c.declare(fs)
	fs.StringVar(&k.scorer, "scorer", "random", "`name` of the scorer of searches: "+scorerNames()+"; gbt"+warmEnding+" with --pretrain")
	fs.Uint64Var(&k.seed, "seed", 0, "random `seed` of the searches")
	fs.IntVar(&k.plan.Rounds, "rounds", k.plan.Rounds, "`number` of rounds; each times every contender once")
	peers := fs.String("peers", strings.Join(bench.PeerNames(), ","), "`names` of libraries to compare with; none: wmtune only")
	python := fs.String("python", filepath.Join(".peers", "bin", "python"), "`path` of the Python interpreter that has the libraries")
	return func(ctx context.Context, _ []string, stdout, stderr io.Writer) error {
		return k.run(ctx, c, *peers, *python, stdout, stderr)
	}
}

func (k *kernelBench) run(ctx context.Context, c benchFlags, peers, python string, stdout, stderr io.Writer) error {
	if err := c.checkScorer(k.scorer); err != nil {
		return err
	}
	if strings.HasSuffix(k.scorer, frozenEnding) || strings.HasSuffix(k.scorer, planEnding) || strings.HasSuffix(k.scorer, greedyEnding) {
		return usagef("--scorer %s: only bench scorers knows that ending", k.scorer)
	}
	if k.plan.Rounds < 1 {
		return usagef("--rounds %d: must be at least 1", k.plan.Rounds)
	}
	list, err := peerNames(peers)
	if err != nil {
		return err
	}
	if k.benching, err = c.open(ctx, stderr); err != nil {
		return err
	}
	defer k.machine.Close()
	found := make([]tuned, len(k.workloads))
	for i, w := range k.workloads {
		if found[i], err = k.tuned(ctx, w, k.scorer, k.seed); err != nil {
			return err
		}
	}
	return interruptible(ctx, func(ctx context.Context) error {
		if err := k.openPeers(ctx, list, python); err != nil {
			return err
		}
		defer k.closePeers()
		return k.rows(ctx, found, stdout)
	})
}

// peerNames parses --peers.
func peerNames(text string) ([]string, error) {
	if text == "" || text == "none" {
		return nil, nil
	}
	list := strings.Split(text, ",")
	for _, name := range list {
		if !slices.Contains(bench.PeerNames(), name) {
			return nil, usagef("--peers: unknown peer %q: known are %s", name, strings.Join(bench.PeerNames(), ", "))
		}
	}
	return list, nil
}

// openPeers starts the peers and asks for their versions.
func (k *kernelBench) openPeers(ctx context.Context, names []string, python string) error {
	cores, err := run.UsableCores()
	if err != nil {
		return err
	}
	var places []string
	for _, c := range cores[:min(len(cores), k.machine.Target().Hardware.Cores)] {
		places = append(places, fmt.Sprint(c))
	}
	script := filepath.Join(k.dir, "peers.py")
	if err := renameio.WriteFile(script, bench.Script, 0o644); err != nil {
		return err
	}
	for _, name := range names {
		k.progress.showLine("starting " + name)
		p := bench.NewPeer(name, []string{python, script, name, strings.Join(places, ",")}, bench.Limits{})
		k.peers = append(k.peers, p)
		version, err := p.Version(ctx)
		if ctx.Err() != nil {
			k.closePeers()
			return ctx.Err()
		}
		if err != nil {
			k.progress.say("%v; '%s' installs the peers", err, report.SetupHint)
			version = "missing"
		}
		k.names = append(k.names, name+" "+version)
	}
	return nil
}

func (k *kernelBench) closePeers() {
	for _, p := range k.peers {
		p.Close()
	}
}

// rows times all workloads and reports.
func (k *kernelBench) rows(ctx context.Context, found []tuned, stdout io.Writer) error {
	var rows []bench.Row
	for i, w := range k.workloads {
		row, err := k.row(ctx, w, found[i])
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	page := report.Page{Title: "Kernels: ours beside the libraries'", Facts: k.facts(), Tables: []report.Table{report.KernelTable(rows)}}
	page.Facts = append(page.Facts, fmt.Sprintf("searches of %d trials, scorer %s, seed %d; %d rounds in turns", k.trials, k.scorer, k.seed, k.plan.Rounds))
	page.Facts = append(page.Facts, k.names...)
	page.Charts, page.Legend = report.KernelCharts(rows)
	report := bench.NewKernelReport(rows)
	report.Machine, report.Version, report.Peers = k.machine.Target().String(), tune.Version(), k.names
	report.Trials, report.Scorer, report.Seed = k.trials, k.scorer, k.seed
	return k.finish("kernels", report, page, stdout)
}

// row times one workload, unless the same was timed before.
func (k *kernelBench) row(ctx context.Context, w workload.Workload, t tuned) (bench.Row, error) {
	row := bench.Row{
		Workload: w.Name, Spec: w.Text, FLOP: w.FLOPs, Unix: time.Now().Unix(), Load: loadAverage(),
		Steps: t.steps, Trials: t.trials, Scorer: t.scorer, Curve: t.curve, Failure: t.failure,
	}
	var list []bench.Contender
	var mine *ours
	object := ""
	if row.Failure == "" {
		built, err := k.rebuild(ctx, w, t)
		if err != nil {
			return row, err
		}
		if built.Status != measure.OK {
			row.Failure = fmt.Sprintf("%s: %s", built.Status, built.Message)
		}
		mine, object = &ours{machine: k.machine, built: built}, string(built.Object)
		list = append(list, mine)
	}
	row.Key = hashOf(w.Key, w.Text, object, k.plan, k.names)
	name := filepath.Join("kernels", w.Name+".json")
	var before bench.Row
	if !k.again && k.load(name, &before) && before.Key == row.Key {
		before.Curve, before.Trials, before.Scorer, before.Steps = row.Curve, row.Trials, row.Scorer, row.Steps
		return before, nil
	}
	if mine != nil {
		k.progress.showLine(w.Name + ": computing the reference")
		if err := k.machine.SetTask(ctx, w.DAG, k.seed); err != nil {
			return row, err
		}
	}
	for _, p := range k.peers {
		list = append(list, p)
	}
	var err error
	row.Times, err = bench.TakeTurns(ctx, list, w.Text, k.plan, func(doing string) { k.progress.showLine(w.Name + ": " + doing) })
	if err != nil {
		return row, err
	}
	if mine != nil && mine.turns != nil && row.Times[0].OK() {
		if err := mine.turns.Verify(ctx); err != nil {
			if ctx.Err() != nil {
				return row, err
			}
			row.Times[0] = bench.Times{Name: bench.OursName, Error: err.Error()}
		}
	}
	k.progress.say("%s: %s", w.Name, summaryOf(&row))
	return row, k.save(name, row)
}

// summaryOf says in a line what contenders took.
func summaryOf(r *bench.Row) string {
	var parts []string
	for i := range r.Times {
		parts = append(parts, fmt.Sprintf("%s %s", r.Times[i].Name, report.Micro(r.Times[i].Best())))
	}
	text := strings.Join(parts, ", ") + " us"
	if q, ok := r.Ratio(); ok {
		text += fmt.Sprintf("; ratio %.2f", q.Value)
	}
	return text
}

// ours is our kernel as a contender. It needs no pause: the threads of its pool
// sleep after a millisecond without work.
type ours struct {
	machine *machine.CPU
	built   measure.BuildResult
	turns   *run.Turns
}

func (o *ours) Name() string  { return bench.OursName }
func (o *ours) Pause() error  { return nil }
func (o *ours) Resume() error { return nil }

func (o *ours) Prepare(ctx context.Context, _ string) (string, error) {
	var err error
	o.turns, err = o.machine.Turns(ctx, o.built)
	return tune.Version(), err
}

func (o *ours) Round(ctx context.Context, s bench.Sampling) ([]float64, error) {
	if o.turns == nil {
		return nil, errors.New("the kernel is not ready")
	}
	return o.turns.Round(ctx, run.RoundPlan{Samples: s.Samples, MinSample: s.MinSample, MaxTotal: s.MaxTotal})
}

// loadAverage is how many processes wanted to run in the last minute; 0 if the
// system does not say.
func loadAverage() float64 {
	var load float64
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Sscan(string(text), &load)
	}
	return load
}
