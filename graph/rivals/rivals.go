// Package rivals times whole models beside the libraries that a user would run them with, in turns: bundles of
// package compile, each in a process that stays up, and peers, each of which is a library in a Python process.
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
)

// ModelPlan is how models are timed: samples are single calls.
var ModelPlan = Plan{
	Rounds: 7, Spacing: 100 * time.Millisecond,
	Sampling: Sampling{Samples: 30, MaxTotal: time.Second},
}

// A Model is an ONNX file with our bundles of it. NAME.npz beside NAME.onnx may have inputs and outputs.
type Model struct {
	Path    string
	Bundles []Bundle
}

// Name returns the name of the model.
func (m Model) Name() string { return NameOf(m.Path) }

// NameOf returns the name of the model in a file.
func NameOf(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// Options say what is compared.
type Options struct {
	Models  []Model
	Dims    map[string]int64 // of open dimensions
	Threads []int            // each number has rows of its own
	Peers   PeerOptions      // all but Threads
	Torch   string           // Python file that makes torch modules; "": torch takes no part
	Plan    Plan
	Machine machine.Options // how the bundles' workers are started

	// Keep, if not nil, returns the row that was timed before of the same model beside the same peers, or calls time.
	Keep func(m Model, row Row, peers []string, time func() (Row, error)) (Row, error)
	Done func(r *Row) // told of each row that was timed now; nil: nobody listens
}

// Check reports what is wrong with the options, as a *tune.OptionError.
func (o Options) Check() error {
	if o.Plan.Rounds < 1 {
		return tune.Optionf("%d rounds: must be at least 1", o.Plan.Rounds)
	}
	if len(o.Threads) == 0 || slices.Min(o.Threads) < 1 {
		return tune.Optionf("threads %v: want numbers from 1 on", o.Threads)
	}
	return CheckPeers(o.Peers.Names)
}

// A Row is what a model's contenders took with a number of threads.
type Row struct {
	Race
	Model    string             `json:"model"`
	Threads  int                `json:"threads"`
	MaxError map[string]float64 `json:"max_error"` // of each contender: see ModelPeer
}

// A Report is what the command prints as JSON. Fields may be added, never renamed.
type Report struct {
	Machine string     `json:"machine"`
	Version string     `json:"version"`
	Peers   []string   `json:"peers"`
	Rounds  int        `json:"rounds"`
	Rows    []Figures  `json:"rows"`
	Means   []MeanWith `json:"means"`
}

// Figures are a row in short.
type Figures struct {
	Summary
	Model    string             `json:"model"`
	Threads  int                `json:"threads"`
	MaxError map[string]float64 `json:"max_error"`
}

// A MeanWith is the geometric mean of best peer / ours over the models, with a number of threads.
type MeanWith struct {
	Mean
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
		var races []*Race
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
		m.Mean = MeanRatio(races)
		list = append(list, m)
	}
	return list
}

// ModelFiles lists the models that paths name: files, and those of folders, in order.
func ModelFiles(paths []string) ([]string, error) {
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
		name := NameOf(path)
		if seen[name] != "" {
			return nil, fmt.Errorf("%s and %s have the same name", seen[name], path)
		}
		seen[name] = path
	}
	return list, nil
}

// Run times the bundles of each model and the libraries in turns: one contender at a time, the others paused. A library
// that is not installed is left out. Machine of the report is left to the caller.
func Run(ctx context.Context, o Options) (*Report, []Row, error) {
	if err := o.Check(); err != nil {
		return nil, nil, err
	}
	r := &Report{Version: tune.Version(), Rounds: o.Plan.Rounds}
	var rows []Row
	for _, threads := range o.Threads {
		o.Peers.Threads = threads
		peers, err := OpenPeers(ctx, o.Peers)
		if err != nil {
			return nil, nil, err
		}
		r.Peers = peers.Versions()
		for _, m := range o.Models {
			row, err := o.row(ctx, m, peers, threads)
			if err != nil {
				peers.Close()
				return nil, nil, err
			}
			rows = append(rows, row)
		}
		peers.Close()
	}
	for i := range rows {
		r.Rows = append(r.Rows, Figures{rows[i].Summary(), rows[i].Model, rows[i].Threads, rows[i].MaxError})
	}
	r.Means = Means(rows)
	return r, rows, nil
}

// row returns the row of a model, timed now or kept.
func (o *Options) row(ctx context.Context, m Model, peers Peers, threads int) (Row, error) {
	row := Row{Model: m.Name(), Threads: threads}
	timed := func() (Row, error) {
		r, err := o.time(ctx, m, peers, row)
		if err == nil && o.Done != nil {
			o.Done(&r)
		}
		return r, err
	}
	if o.Keep != nil {
		return o.Keep(m, row, peers.Versions(), timed)
	}
	return timed()
}

// time times the contenders of a row. NAME.npz beside NAME.onnx has the inputs, and maybe the expected outputs; without
// it they are random.
func (o *Options) time(ctx context.Context, m Model, peers Peers, row Row) (Row, error) {
	inputs := strings.TrimSuffix(m.Path, filepath.Ext(m.Path)) + ".npz"
	if _, err := os.Stat(inputs); err != nil {
		inputs = ""
	}
	var list []Contender
	var mine []*ours
	for _, b := range m.Bundles {
		c := &ours{Bundle: b, inputs: inputs, load: compile.LoadOptions{Machine: o.Machine, Threads: row.Threads}}
		mine, list = append(mine, c), append(list, c)
	}
	var theirs []*ModelPeer
	for _, p := range peers {
		c := &ModelPeer{Peer: p, Model: ModelInput{Path: m.Path, Inputs: inputs, Torch: o.Torch, Dims: o.Dims}}
		theirs, list = append(theirs, c), append(list, c)
	}
	row.Unix, row.Load = time.Now().Unix(), LoadAverage()
	what := fmt.Sprintf("%s on %d: ", row.Model, row.Threads)
	var err error
	row.Times, err = TakeTurns(ctx, list, "", o.Plan, func(doing string) { o.Peers.show(what + doing) })
	row.MaxError = map[string]float64{}
	for _, c := range mine {
		c.close()
		if c.maxError != nil {
			row.MaxError[c.Name()] = *c.maxError
		}
	}
	for _, c := range theirs {
		if c.MaxError != nil {
			row.MaxError[c.Name()] = *c.MaxError
		}
	}
	return row, err
}

// LoadAverage is how many processes wanted to run in the last minute; 0 if the
// system does not say.
func LoadAverage() float64 {
	var load float64
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Sscan(string(text), &load)
	}
	return load
}
