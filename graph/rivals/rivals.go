// Package rivals times whole models beside the libraries that a user would run them with, in turns: bundles of
// package compile, each in a process that stays up, and the peers of package bench. What was timed is kept in the
// folder of the benchmark and not timed again.
//
// It must not print: package report of the command shows what is found here.
package rivals

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/bench"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// DefaultPlan is the plan of which docs/manual/bench.md speaks: samples are single calls.
var DefaultPlan = bench.Plan{
	Rounds: 7, Spacing: 100 * time.Millisecond,
	Sampling: bench.Sampling{Samples: 30, MaxTotal: time.Second},
}

// Options say what is compared.
type Options struct {
	Models  []string         // ONNX files, and folders of them; NAME.npz beside NAME.onnx may have inputs and outputs
	Dims    map[string]int64 // of open dimensions
	Threads []int            // each number is a row of its own
	Peers   []string         // of bench.PeerNames
	Python  string           // path of the Python that has their libraries
	Torch   string           // Python file that makes torch modules; "": torch takes no part
	Plan    bench.Plan

	Bundles string          // folder with bundles called as the models; "": they are compiled
	Times   []time.Duration // for each, in order, a further bundle is tuned so long
	Compile compile.Options // of bundles that are compiled; Name, Out, Database and Memory are filled in
	Machine machine.Options // how the bundles' workers are started

	MetaSchedule []MetaRow // to stand beside Times

	Done func(r *Row) // told of each row that was timed now; nil: nobody listens
}

// Check reports what is wrong with the options, as a *tune.OptionError.
func (o Options) Check(bench.Scorers) error {
	if o.Plan.Rounds < 1 {
		return tune.Optionf("%d rounds: must be at least 1", o.Plan.Rounds)
	}
	if len(o.Threads) == 0 || slices.Min(o.Threads) < 1 {
		return tune.Optionf("threads %v: want numbers from 1 on", o.Threads)
	}
	if !slices.IsSorted(o.Times) || len(o.Times) > 0 && (o.Times[0] <= 0 || o.Bundles != "") {
		return tune.Optionf("times %v: want positive ones in order, and no finished bundles", o.Times)
	}
	if name := o.Compile.Named; name != "" && !slices.Contains(costmodel.Names(), name) {
		return tune.Optionf("unknown scorer %q: known are %s", name, strings.Join(costmodel.Names(), ", "))
	}
	if o.Compile.Trials < 0 {
		return tune.Optionf("%d trials: must not be negative", o.Compile.Trials)
	}
	if _, err := modelFiles(o.Models); err != nil {
		return tune.Optionf("%v", err)
	}
	return bench.CheckPeers(o.Peers)
}

// A Row is what a model's contenders took with a number of threads.
type Row struct {
	bench.Race
	Model    string             `json:"model"`
	Threads  int                `json:"threads"`
	MaxError map[string]float64 `json:"max_error"` // of each contender: see bench.ModelPeer
}

// A Report is what the benchmark prints as JSON. Fields may be added, never renamed.
type Report struct {
	Machine string     `json:"machine"`
	Version string     `json:"version"`
	Peers   []string   `json:"peers"`
	Trials  int        `json:"trials"` // of a model
	Rounds  int        `json:"rounds"`
	Rows    []Figures  `json:"rows"`
	Means   []MeanWith `json:"means"`
	Curves  []Curve    `json:"curves,omitempty"`
}

// Figures are a row in short.
type Figures struct {
	bench.Summary
	Model    string             `json:"model"`
	Threads  int                `json:"threads"`
	MaxError map[string]float64 `json:"max_error"`
}

// A MeanWith is the geometric mean of best peer / ours over the models, with a number of threads.
type MeanWith struct {
	bench.Mean
	Threads int     `json:"threads"`
	Lowest  float64 `json:"lowest"` // ratio of a model
}

// Means returns the means of rows, one for each number of threads.
func Means(rows []Row) []MeanWith {
	var list []MeanWith
	for i := range rows {
		n := rows[i].Threads
		if slices.ContainsFunc(list, func(m MeanWith) bool { return m.Threads == n }) {
			continue
		}
		var races []*bench.Race
		m := MeanWith{Threads: n}
		for k := range rows {
			if rows[k].Threads != n {
				continue
			}
			races = append(races, &rows[k].Race)
			if q, ok := rows[k].Ratio(); ok && (m.Lowest == 0 || q.Value < m.Lowest) {
				m.Lowest = q.Value
			}
		}
		m.Mean = bench.MeanRatio(races)
		list = append(list, m)
	}
	return list
}

// modelFiles lists the models that paths name: files, and those of folders, in order.
func modelFiles(paths []string) ([]string, error) {
	var list []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		found := []string{path}
		if info.IsDir() {
			if found, err = fs.Glob(os.DirFS(path), "*.onnx"); err != nil || len(found) == 0 {
				return nil, fmt.Errorf("folder %s holds no .onnx file", path)
			}
			for i, name := range found {
				found[i] = filepath.Join(path, name)
			}
		}
		list = append(list, found...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no models: name ONNX files, or folders of them")
	}
	seen := map[string]string{}
	for _, path := range list {
		name := nameOf(path)
		if seen[name] != "" {
			return nil, fmt.Errorf("%s and %s have the same name", seen[name], path)
		}
		seen[name] = path
	}
	return list, nil
}

// nameOf returns the name of the model in a file.
func nameOf(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// A comparison is a benchmark under way.
type comparison struct {
	*bench.Bench
	opt   Options
	peers bench.Peers // of the number of threads whose turn it is
}

// Run compiles each model, unless its bundle is there, and times it and the libraries in turns: one contender at a
// time, the others paused. A library that is not installed is left out.
func Run(ctx context.Context, b *bench.Bench, o Options) (*Report, []Row, error) {
	if err := o.Check(b.Scorers); err != nil {
		return nil, nil, err
	}
	paths, err := modelFiles(o.Models)
	if err != nil {
		return nil, nil, err
	}
	c := &comparison{Bench: b, opt: o}
	bundles := make([][]bundle, len(paths))
	for i, path := range paths {
		if bundles[i], err = c.bundles(ctx, path); err != nil {
			return nil, nil, err
		}
	}
	r := &Report{Machine: b.Target().String(), Version: tune.Version(), Trials: o.Compile.Trials, Rounds: o.Plan.Rounds}
	var rows []Row
	for _, threads := range o.Threads {
		if c.peers, err = b.OpenPeers(ctx, o.Peers, o.Python, threads, false); err != nil {
			return nil, nil, err
		}
		r.Peers = c.peers.Versions()
		for i, path := range paths {
			row, err := c.time(ctx, path, bundles[i], threads)
			if err != nil {
				c.peers.Close()
				return nil, nil, err
			}
			rows = append(rows, row)
		}
		c.peers.Close()
	}
	for i := range rows {
		r.Rows = append(r.Rows, Figures{rows[i].Summary(), rows[i].Model, rows[i].Threads, rows[i].MaxError})
	}
	r.Means, r.Curves = Means(rows), o.curves(rows)
	return r, rows, b.Save("models.json", r)
}

// time times the contenders of a row, unless the same were timed before. NAME.npz beside NAME.onnx has the inputs,
// and maybe the expected outputs; without it they are random.
func (c *comparison) time(ctx context.Context, path string, bundles []bundle, threads int) (Row, error) {
	row := Row{Model: nameOf(path), Threads: threads, MaxError: map[string]float64{}}
	inputs := strings.TrimSuffix(path, filepath.Ext(path)) + ".npz"
	if _, err := os.Stat(inputs); err != nil {
		inputs = ""
	}
	var list []bench.Contender
	var mine []*ours
	id := ""
	for _, b := range bundles {
		o := &ours{bundle: b, inputs: inputs, load: compile.LoadOptions{Machine: c.opt.Machine, Threads: threads}}
		mine, list = append(mine, o), append(list, o)
		key, err := bundleID(b.dir)
		if err != nil {
			return row, err
		}
		id += b.name + key
	}
	var peers []*bench.ModelPeer
	for _, p := range c.peers {
		files := bench.ModelFiles{Path: path, Inputs: inputs, Torch: c.opt.Torch, Dims: c.opt.Dims}
		m := &bench.ModelPeer{Peer: p, Model: files}
		peers, list = append(peers, m), append(list, m)
	}
	key := bench.HashOf(path, id, threads, c.opt.Plan, c.opt.Torch, c.opt.Dims, c.peers.Versions())
	name := filepath.Join("models", row.Model, fmt.Sprintf("threads%d.json", threads))
	keyOf := func(r *Row) *string { return &r.Key }
	row, fresh, err := bench.Kept(c.Bench, name, key, keyOf, func() (Row, error) {
		row.Unix, row.Load = time.Now().Unix(), bench.LoadAverage()
		var err error
		what := fmt.Sprintf("%s on %d: ", row.Model, threads)
		row.Times, err = bench.TakeTurns(ctx, list, "", c.opt.Plan, func(doing string) { c.Show(what + doing) })
		for _, o := range mine {
			o.close()
			if o.maxError != nil {
				row.MaxError[o.name] = *o.maxError
			}
		}
		for _, p := range peers {
			if p.MaxError != nil {
				row.MaxError[p.Name()] = *p.MaxError
			}
		}
		return row, err
	})
	if err == nil && fresh && c.opt.Done != nil {
		c.opt.Done(&row)
	}
	return row, err
}
