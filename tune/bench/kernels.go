package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune"
)

// OursName is the name of the contender that all others are compared with.
const OursName = "wmtune"

// HeavySeconds is the time of the best peer from which on a workload is heavy:
// below it, what is compared is mostly what a call of the library costs.
const HeavySeconds = 150e-6

// A Row is what a workload's contenders took.
type Row struct {
	Workload string `json:"workload"` // name within the suite
	Spec     string `json:"spec"`
	Key      string `json:"key"` // of all that the times depend on

	Steps   string    `json:"steps"`  // of our kernel, in AutoScheduler's form
	Trials  int       `json:"trials"` // of the search that found it
	Scorer  string    `json:"scorer"`
	Curve   []float64 `json:"curve"` // seconds: the best so far after each trial, as measured in the search; 0: none yet
	FLOP    float64   `json:"flop"`
	Unix    int64     `json:"unix"` // seconds; when it was timed
	Load    float64   `json:"load"` // of the machine before: processes that wanted to run
	Times   []Times   `json:"times"`
	Failure string    `json:"failure,omitempty"` // why there is no kernel of ours
}

// Ours returns our times.
func (r *Row) Ours() *Times {
	for i := range r.Times {
		if r.Times[i].Name == OursName {
			return &r.Times[i]
		}
	}
	return &Times{Name: OursName, Error: r.Failure}
}

// BestPeer returns the times of the fastest other contender, nil without one.
func (r *Row) BestPeer() *Times {
	var best *Times
	for i := range r.Times {
		if t := &r.Times[i]; t.Name != OursName && t.OK() && (best == nil || t.Best() < best.Best()) {
			best = t
		}
	}
	return best
}

// Ratio compares us with the best peer. It reports whether both were timed.
func (r *Row) Ratio() (Ratio, bool) {
	peer, ours := r.BestPeer(), r.Ours()
	if peer == nil || !ours.OK() {
		return Ratio{}, false
	}
	return ratioOf(peer, ours), true
}

// Heavy reports whether the workload takes the best peer long enough for the
// cost of a call not to matter.
func (r *Row) Heavy() bool {
	peer := r.BestPeer()
	return peer != nil && peer.Best() >= HeavySeconds
}

// A Mean is the geometric mean of rows' ratios.
type Mean struct {
	Value float64 `json:"value"` // 0 without rows
	Rows  int     `json:"rows"`  // that have a ratio
	Of    int     `json:"of"`    // rows
}

// MeanRatio returns the geometric mean of the rows that count. A row without
// a ratio is left out, and counted in Of only.
func MeanRatio(rows []Row, counts func(*Row) bool) Mean {
	var m Mean
	var ratios []float64
	for i := range rows {
		if !counts(&rows[i]) {
			continue
		}
		m.Of++
		if r, ok := rows[i].Ratio(); ok {
			ratios = append(ratios, r.Value)
		}
	}
	m.Rows, m.Value = len(ratios), geomean(ratios)
	return m
}

// Means are the figures at the end of the table.
func Means(rows []Row) (heavy, all Mean) {
	return MeanRatio(rows, (*Row).Heavy), MeanRatio(rows, func(*Row) bool { return true })
}

// A KernelReport is what the benchmark kernels prints as JSON.
type KernelReport struct {
	Machine string    `json:"machine"`
	Version string    `json:"version"`
	Peers   []string  `json:"peers"`
	Trials  int       `json:"trials"`
	Scorer  string    `json:"scorer"`
	Seed    uint64    `json:"seed"`
	Rows    []Figures `json:"rows"`
	Heavy   Mean      `json:"heavy"` // of the rows whose best peer takes HeavySeconds or more
	All     Mean      `json:"all"`
}

// Figures are a row in short.
type Figures struct {
	Workload string             `json:"workload"`
	Spec     string             `json:"spec"`
	Heavy    bool               `json:"heavy"`
	BestPeer string             `json:"best_peer,omitempty"`
	PeerUS   float64            `json:"peer_us,omitempty"`
	OursUS   float64            `json:"ours_us,omitempty"`
	Ratio    *Ratio             `json:"ratio,omitempty"`
	US       map[string]float64 `json:"us"`     // of each contender: the best time
	Spread   map[string]float64 `json:"spread"` // how much longer the median round took
	Errors   map[string]string  `json:"errors,omitempty"`
	Unix     int64              `json:"unix"`
	Load     float64            `json:"load"`
}

func (r *Row) figures() Figures {
	f := Figures{
		Workload: r.Workload, Spec: r.Spec, Heavy: r.Heavy(), Unix: r.Unix, Load: r.Load,
		OursUS: r.Ours().Best() * 1e6, US: map[string]float64{}, Spread: map[string]float64{}, Errors: map[string]string{},
	}
	if peer := r.BestPeer(); peer != nil {
		f.BestPeer, f.PeerUS = peer.Name, peer.Best()*1e6
	}
	if q, ok := r.Ratio(); ok {
		f.Ratio = &q
	}
	for i := range r.Times {
		t := &r.Times[i]
		if t.OK() {
			f.US[t.Name], f.Spread[t.Name] = t.Best()*1e6, t.Spread()
		} else {
			f.Errors[t.Name] = t.Error
		}
	}
	if r.Failure != "" {
		f.Errors[OursName] = r.Failure
	}
	return f
}

// KernelOptions say what the benchmark of kernels compares.
type KernelOptions struct {
	Search
	Plan   Plan
	Peers  []string     // of PeerNames
	Python string       // path of the Python that has their libraries
	Done   func(r *Row) // told of each row that was timed now; nil: nobody listens
}

// Check reports what is wrong with the options.
func (o KernelOptions) Check(known Scorers) error {
	if o.Plan.Rounds < 1 {
		return tune.Optionf("%d rounds: must be at least 1", o.Plan.Rounds)
	}
	for _, name := range o.Peers {
		if !slices.Contains(PeerNames(), name) {
			return tune.Optionf("unknown peer %q: known are %s", name, strings.Join(PeerNames(), ", "))
		}
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
	peers []*Peer
	names []string // of peers, with their versions
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
			Workload: w.Name, Spec: w.Text, FLOP: w.FLOPs, Steps: found.Steps, Trials: found.Trials, Scorer: o.Scorer,
			Curve: BestSoFar(past),
		}
		if found.Steps == "" {
			rows[i].Failure = fmt.Sprintf("nothing correct was found among %d trials", found.Trials)
		}
	}
	defer k.closePeers()
	if err := k.openPeers(ctx); err != nil {
		return nil, nil, err
	}
	for i, w := range b.list {
		if err := k.time(ctx, w, &rows[i]); err != nil {
			return nil, nil, err
		}
	}
	r := &KernelReport{
		Machine: b.Target().String(), Version: tune.Version(), Peers: k.names,
		Trials: o.Trials, Scorer: o.Scorer, Seed: o.Seed,
	}
	for i := range rows {
		r.Rows = append(r.Rows, rows[i].figures())
	}
	r.Heavy, r.All = Means(rows)
	return r, rows, b.save("kernels.json", r)
}

// openPeers starts the peers and asks for their versions.
func (k *kernelBench) openPeers(ctx context.Context) error {
	cores, err := run.UsableCores()
	if err != nil {
		return err
	}
	var places []string
	for _, c := range cores[:min(len(cores), k.Target().Hardware.Cores)] {
		places = append(places, fmt.Sprint(c))
	}
	path := filepath.Join(k.dir, "peers.py")
	if err := renameio.WriteFile(path, script, 0o644); err != nil {
		return err
	}
	for _, name := range k.opt.Peers {
		k.Show("starting " + name)
		p := NewPeer(name, []string{k.opt.Python, path, name, strings.Join(places, ",")}, Limits{})
		k.peers = append(k.peers, p)
		version, err := p.Version(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			k.Say(err.Error() + "; 'make bench-setup' installs the peers")
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

// time times the contenders of a row, unless the same were timed before.
func (k *kernelBench) time(ctx context.Context, w workload.Workload, row *Row) error {
	var list []Contender
	mine := &ours{bench: k.Bench, w: w, seed: k.opt.Seed}
	if row.Failure == "" {
		built, err := k.rebuild(ctx, w, row.Steps)
		if err != nil {
			return err
		}
		if built.Status != measure.OK {
			row.Failure = fmt.Sprintf("%s: %s", built.Status, built.Message)
		}
		mine.built = built
		list = append(list, mine)
	}
	for _, p := range k.peers {
		list = append(list, p)
	}
	key := hashOf(w.Key, w.Text, string(mine.built.Object), k.opt.Plan, k.names)
	keyOf := func(r *Row) *string { return &r.Key }
	timed, fresh, err := kept(k.Bench, filepath.Join("kernels", w.Name+".json"), key, keyOf, func() (Row, error) {
		row.Unix, row.Load = time.Now().Unix(), loadAverage()
		var err error
		row.Times, err = TakeTurns(ctx, list, w.Text, k.opt.Plan, func(doing string) { k.Show(w.Name + ": " + doing) })
		if err == nil && mine.turns != nil && row.Times[0].OK() {
			if e := mine.turns.Verify(ctx); e != nil {
				row.Times[0] = Times{Name: OursName, Error: e.Error()}
				err = ctx.Err()
			}
		}
		return *row, err
	})
	if err != nil {
		return err
	}
	timed.Curve, timed.Trials, timed.Scorer, timed.Steps = row.Curve, row.Trials, row.Scorer, row.Steps
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
	w     workload.Workload
	seed  uint64
	built measure.BuildResult
	turns *run.Turns
}

func (o *ours) Name() string  { return OursName }
func (o *ours) Pause() error  { return nil }
func (o *ours) Resume() error { return nil }

func (o *ours) Prepare(ctx context.Context, _ string) (string, error) {
	err := o.bench.prepare(ctx, o.w.DAG, o.w.Key, o.seed)
	if err == nil {
		o.turns, err = o.bench.machine.Turns(ctx, o.built)
	}
	return tune.Version(), err
}

func (o *ours) Round(ctx context.Context, s Sampling) ([]float64, error) {
	if o.turns == nil {
		return nil, errors.New("the kernel is not ready")
	}
	return o.turns.Round(ctx, run.RoundPlan{Samples: s.Samples, MinSample: s.MinSample, MaxTotal: s.MaxTotal})
}
