package bench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune"
)

// HeavySeconds is the time of the best peer from which on a workload is heavy:
// below it, what is compared is mostly what a call of the library costs.
const HeavySeconds = 150e-6

// A Row is what a workload's contenders took.
type Row struct {
	rivals.Race
	Workload string `json:"workload"` // name within the suite
	Spec     string `json:"spec"`

	Steps     string    `json:"steps"` // of our kernel, in AutoScheduler's form
	First     string    `json:"first"` // so, of what the scorer chose before anything was measured; "": not timed
	FirstFlat bool      `json:"first_flat,omitempty"`
	Flat      bool      `json:"flat,omitempty"` // the steps are about the collapsed workload
	Trials    int       `json:"trials"`         // of the search that found it
	Scorer    string    `json:"scorer"`
	Curve     []float64 `json:"curve"` // seconds: the best so far after each trial, as measured in the search; 0: none yet
	FLOP      float64   `json:"flop"`
	Bytes     float64   `json:"bytes"` // of all inputs and outputs, once
}

// FirstName is the contender that is the scorer's first choice.
const FirstName = rivals.OursName + " at once"

// Heavy reports whether the workload takes the best peer long enough for the
// cost of a call not to matter.
func (r *Row) Heavy() bool {
	peer := r.BestPeer()
	return peer != nil && peer.Best() >= HeavySeconds
}

// Means are the figures at the end of the table.
func Means(rows []Row) (heavy, all rivals.Mean) {
	var some, every []*rivals.Race
	for i := range rows {
		every = append(every, &rows[i].Race)
		if rows[i].Heavy() {
			some = append(some, &rows[i].Race)
		}
	}
	return rivals.MeanRatio(some), rivals.MeanRatio(every)
}

// KernelPlan is how kernels are timed.
var KernelPlan = rivals.Plan{
	Rounds: 10, Spacing: 500 * time.Millisecond,
	Sampling: rivals.Sampling{Samples: 5, MinSample: 10 * time.Millisecond, MaxTotal: time.Second},
}

// kernelScript is the program of peers that compute single workloads.
//
//go:embed kernels.py
var kernelScript []byte

// peerOptions are those of peers with a pinned thread for each core.
func (b *Bench) peerOptions(o KernelOptions) rivals.PeerOptions {
	return rivals.PeerOptions{
		Names: o.Peers, Python: o.Python, Dir: b.dir, Script: kernelScript,
		Threads: b.Target().Hardware.Cores, Pinned: true, Say: b.Say, Show: b.Show,
	}
}

// A KernelReport is what the benchmark kernels prints as JSON.
type KernelReport struct {
	Machine string      `json:"machine"`
	Version string      `json:"version"`
	Peers   []string    `json:"peers"`
	Trials  int         `json:"trials"`
	Scorer  string      `json:"scorer"`
	Seed    uint64      `json:"seed"`
	Rows    []Figures   `json:"rows"`
	Heavy   rivals.Mean `json:"heavy"` // of the rows whose best peer takes HeavySeconds or more
	All     rivals.Mean `json:"all"`
}

// Figures are a row in short.
type Figures struct {
	rivals.Summary
	Workload string `json:"workload"`
	Spec     string `json:"spec"`
	Heavy    bool   `json:"heavy"`
}

// KernelOptions say what the benchmark of kernels compares.
type KernelOptions struct {
	Search
	First  bool // the scorer's first choice is a contender, too
	Plan   rivals.Plan
	Peers  []string     // of rivals.PeerNames
	Python string       // path of the Python that has their libraries
	Done   func(r *Row) // told of each row that was timed now; nil: nobody listens
}

// Check reports what is wrong with the options.
func (o KernelOptions) Check(known Scorers) error {
	if o.Plan.Rounds < 1 {
		return tune.Optionf("%d rounds: must be at least 1", o.Plan.Rounds)
	}
	if err := rivals.CheckPeers(o.Peers); err != nil {
		return err
	}
	if OnlyScorers(o.Scorer) {
		return tune.Optionf("scorer %s: only bench scorers knows that ending", o.Scorer)
	}
	return o.Search.check(known)
}

// A kernelBench is a benchmark of kernels under way.
type kernelBench struct {
	*Bench
	opt   KernelOptions
	peers rivals.Peers
}

// Kernels searches a kernel for each workload, unless that was done before, and then times
// it and those of the libraries in turns: the same threads, pinned alike, one contender at
// a time. A library that is not installed is left out.
func (b *Bench) Kernels(ctx context.Context, o KernelOptions) (*KernelReport, []Row, error) {
	if err := o.Check(b.Scorers); err != nil {
		return nil, nil, err
	}
	k := &kernelBench{Bench: b, opt: o}
	rows := make([]Row, len(b.list))
	for i, w := range b.list {
		found, past, err := b.tune(ctx, w, o.Search)
		if err != nil {
			return nil, nil, err
		}
		rows[i] = Row{
			Workload: w.Name, Spec: w.Text, FLOP: w.FLOPs, Bytes: traffic(w.DAG), Steps: found.Steps,
			Flat:   found.Searched != "",
			Trials: found.Trials, Scorer: o.Scorer, Curve: BestSoFar(past),
		}
		if found.Steps == "" {
			rows[i].Failure = fmt.Sprintf("nothing correct was found among %d trials", found.Trials)
		}
		if o.First {
			once := o.Search
			once.Trials = 1
			if found, _, err = b.tune(ctx, w, once); err != nil {
				return nil, nil, err
			}
			rows[i].First, rows[i].FirstFlat = found.Steps, found.Searched != ""
		}
	}
	var err error
	if k.peers, err = rivals.OpenPeers(ctx, b.peerOptions(o)); err != nil {
		return nil, nil, err
	}
	defer k.peers.Close()
	for i, w := range b.list {
		if err := k.time(ctx, w, &rows[i]); err != nil {
			return nil, nil, err
		}
	}
	r := &KernelReport{
		Machine: b.Target().String(), Version: tune.Version(), Peers: k.peers.Versions(),
		Trials: o.Trials, Scorer: o.Scorer, Seed: o.Seed,
	}
	for i := range rows {
		row := &rows[i]
		r.Rows = append(r.Rows, Figures{row.Summary(), row.Workload, row.Spec, row.Heavy()})
	}
	r.Heavy, r.All = Means(rows)
	return r, rows, b.Save("kernels.json", r)
}

// time times the contenders of a row, unless the same were timed before.
func (k *kernelBench) time(ctx context.Context, w workload.Workload, row *Row) error {
	var list []rivals.Contender
	var mine []*ours
	objects := ""
	for _, c := range []struct {
		name, steps string
		flat        bool
	}{{rivals.OursName, row.Steps, row.Flat}, {FirstName, row.First, row.FirstFlat}} {
		if c.steps == "" {
			continue
		}
		built, err := k.rebuild(ctx, searched(w, c.flat), c.steps)
		if err != nil {
			return err
		}
		if built.Status != measure.OK {
			row.Failure = fmt.Sprintf("%s: %s", built.Status, built.Message)
			continue
		}
		mine = append(mine, &ours{bench: k.Bench, name: c.name, w: w, seed: k.opt.Seed, built: built})
		list = append(list, mine[len(mine)-1])
		objects += string(built.Object)
	}
	for _, p := range k.peers {
		list = append(list, p)
	}
	key := HashOf(w.Key, w.Text, objects, k.opt.Plan, k.peers.Versions())
	keyOf := func(r *Row) *string { return &r.Key }
	timed, fresh, err := Kept(k.Bench, filepath.Join("kernels", w.Name+".json"), key, keyOf, func() (Row, error) {
		row.Unix, row.Load = time.Now().Unix(), rivals.LoadAverage()
		var err error
		row.Times, err = rivals.TakeTurns(ctx, list, w.Text, k.opt.Plan, func(doing string) { k.Show(w.Name + ": " + doing) })
		for i, m := range mine {
			if err == nil && m.turns != nil && row.Times[i].OK() {
				if e := m.turns.Verify(ctx); e != nil {
					row.Times[i] = rivals.Times{Name: m.name, Error: e.Error()}
					err = ctx.Err()
				}
			}
		}
		return *row, err
	})
	if err != nil {
		return err
	}
	timed.Curve, timed.Trials, timed.Scorer = row.Curve, row.Trials, row.Scorer
	timed.Steps, timed.Flat, timed.First, timed.FirstFlat = row.Steps, row.Flat, row.First, row.FirstFlat
	if *row = timed; fresh && k.opt.Done != nil {
		k.opt.Done(row)
	}
	return nil
}

// rebuild builds the program that a search found.
func (k *kernelBench) rebuild(ctx context.Context, w workload.Workload, text string) (measure.BuildResult, error) {
	steps, err := schedule.ParseSteps([]byte(text))
	if err != nil {
		return measure.BuildResult{}, fmt.Errorf("%s: %w", w.Name, err)
	}
	in, err := k.input(w, steps, layout)
	if err != nil {
		return measure.BuildResult{}, err
	}
	built, err := k.machine.Builder().Build(ctx, []measure.Input{in})
	if err != nil {
		return measure.BuildResult{}, err
	}
	return built[0], nil
}

// ours is our kernel as a contender. It needs no pause: the threads of its pool
// sleep after a millisecond without work.
type ours struct {
	bench *Bench
	name  string
	w     workload.Workload
	seed  uint64
	built measure.BuildResult
	turns *run.Turns
}

func (o *ours) Name() string  { return o.name }
func (o *ours) Pause() error  { return nil }
func (o *ours) Resume() error { return nil }

func (o *ours) Prepare(ctx context.Context, _ string) (string, error) {
	err := o.bench.prepare(ctx, o.w.DAG, o.w.Text, o.seed)
	if err == nil {
		o.turns, err = o.bench.machine.Turns(ctx, o.built)
	}
	return tune.Version(), err
}

func (o *ours) Round(ctx context.Context, s rivals.Sampling) ([]float64, error) {
	if o.turns == nil {
		return nil, errors.New("the kernel is not ready")
	}
	return o.turns.Round(ctx, run.RoundPlan{Samples: s.Samples, MinSample: s.MinSample, MaxTotal: s.MaxTotal})
}
