package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/npy"
	_ "github.com/wmtune/wmtune/graph/op/table" // the operators
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/tune"
)

// OpPlan is how single operators are timed: samples are single calls.
var OpPlan = rivals.Plan{Rounds: 3, Sampling: rivals.Sampling{Samples: 30, MaxTotal: 200 * time.Millisecond}}

// OpOptions say which single operators are compared.
type OpOptions struct {
	Only    []string // operators, or rows of them such as TopK-2; none: all
	Threads int
	Plan    rivals.Plan
	Python  string       // path of the Python that has ONNX Runtime
	Done    func(*OpRow) // told of each row that was timed now; nil: nobody listens
}

// Check reports what is wrong with the options, as a *tune.OptionError.
func (o OpOptions) Check(Scorers) error {
	if _, err := OpCases(o.Only); err != nil {
		return tune.Optionf("%v", err)
	}
	return rivals.Options{Plan: o.Plan, Threads: []int{o.Threads}}.Check()
}

// An OpRow is what a node took.
type OpRow struct {
	rivals.Row
	Op     string `json:"op"`
	Spec   string `json:"spec"`
	Serial bool   `json:"serial"` // no loop of its kernels is parallel
}

// Difference returns the largest difference of ONNX Runtime's first output from ours, as a share of the largest
// element; -1 if they were not compared.
func (r *OpRow) Difference() float64 {
	if d, ok := r.MaxError["ort"]; ok {
		return d
	}
	return -1
}

// An OpReport is what the study prints as JSON.
type OpReport struct {
	Machine string            `json:"machine"`
	Version string            `json:"version"`
	Peers   []string          `json:"peers"`
	Rows    []OpFigures       `json:"rows"`
	Without map[string]string `json:"without"` // why an operator has no row
}

// OpFigures are a row in short.
type OpFigures struct {
	rivals.Summary
	Row        string  `json:"row"`
	Spec       string  `json:"spec"`
	Serial     bool    `json:"serial"`
	Difference float64 `json:"difference"`
}

// Ops compiles a model of each case, unless that was done before, and times it beside ONNX Runtime in turns.
func (b *Bench) Ops(ctx context.Context, o OpOptions) (*OpReport, []OpRow, error) {
	if err := o.Check(b.Scorers); err != nil {
		return nil, nil, err
	}
	cases, err := OpCases(o.Only)
	if err != nil {
		return nil, nil, err
	}
	s := &opStudy{
		comparison: comparison{Bench: b, opt: ModelOptions{Options: rivals.Options{Plan: o.Plan}}},
		cases:      map[string]*OpCase{}, files: filepath.Join(b.dir, "ops"),
	}
	if err := os.MkdirAll(s.files, 0o777); err != nil {
		return nil, nil, err
	}
	report := &OpReport{Machine: b.Target().String(), Version: tune.Version(), Without: map[string]string{}}
	run := rivals.Options{Threads: []int{o.Threads}, Plan: o.Plan, Keep: s.keep, Machine: b.Machine}
	run.Peers = rivals.PeerOptions{Names: []string{"ort"}, Python: o.Python, Dir: b.dir, Say: b.Say, Show: b.Show}
	failed := map[string]error{}
	for i, k := range cases {
		if k.Note != "" {
			report.Without[k.Op] = k.Note
			continue
		}
		b.Show(fmt.Sprintf("%s, %d of %d", k.Name, i+1, len(cases)))
		s.cases[k.Name] = k
		m, err := s.model(ctx, k)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if failed[k.Name] = err; err == nil {
			run.Models = append(run.Models, m)
		}
	}
	run.Done = func(r *rivals.Row) { o.tell(&OpRow{Row: *r, Spec: s.cases[r.Model].Spec}) }
	r, timed, err := rivals.Run(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	report.Peers = r.Peers
	var rows []OpRow
	for _, k := range cases {
		if k.Note != "" {
			continue
		}
		row := OpRow{Row: rivals.Row{Model: k.Name, Threads: o.Threads}, Op: k.Op, Spec: k.Spec}
		if err := failed[k.Name]; err != nil {
			row.Failure = err.Error()
		} else {
			row.Row, timed, row.Serial = timed[0], timed[1:], serial(run.Models[0].Bundles[0].Dir)
			run.Models = run.Models[1:]
		}
		rows = append(rows, row)
		report.Rows = append(report.Rows, OpFigures{row.Summary(), k.Name, k.Spec, row.Serial, row.Difference()})
	}
	return report, rows, b.Save("ops.json", report)
}

func (o *OpOptions) tell(r *OpRow) {
	if o.Done != nil {
		o.Done(r)
	}
}

// An opStudy is a study of single operators under way.
type opStudy struct {
	comparison
	cases map[string]*OpCase
	files string // folder of models
}

// model writes the model of a case and compiles it, unless that was done before. It is verified with random inputs, and
// with those of the case if that fails.
func (s *opStudy) model(ctx context.Context, k *OpCase) (rivals.Model, error) {
	path := filepath.Join(s.files, k.Name+".onnx")
	g, inputs, err := k.build(true)
	if err != nil {
		return rivals.Model{}, err
	}
	data := onnxFile(g, g.Nodes[0].Version)
	if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, data) {
		if err := renameio.WriteFile(path, data, 0o644); err != nil {
			return rivals.Model{}, err
		}
	}
	bundles, err := s.bundles(ctx, path)
	if err != nil && ctx.Err() == nil && strings.Contains(k.Spec, "@") { // random inputs may not suit it
		s.opt.Compile.Inputs = strings.TrimSuffix(path, ".onnx") + ".npz"
		defer func() { s.opt.Compile.Inputs = "" }()
		defer os.Remove(s.opt.Compile.Inputs)
		if err := npy.Write(s.opt.Compile.Inputs, named(inputs)); err != nil {
			return rivals.Model{}, err
		}
		bundles, err = s.bundles(ctx, path)
	}
	return rivals.Model{Path: path, Bundles: bundles}, err
}

// named gives inputs of a case their names.
func named(inputs []*graph.Const) []npy.Named {
	var list []npy.Named
	for i, x := range inputs {
		list = append(list, npy.Named{Name: fmt.Sprintf("in%d", i), Const: x})
	}
	return list
}

// keep is that of a comparison. A row that is timed now has its inputs in a file for so long, and what the bundle
// computes of them.
func (s *opStudy) keep(
	m rivals.Model, row rivals.Row, peers []string, timed func() (rivals.Row, error),
) (rivals.Row, error) {
	return s.comparison.keep(m, row, peers, func() (rivals.Row, error) {
		inputs := strings.TrimSuffix(m.Path, ".onnx") + ".npz"
		defer os.Remove(inputs)
		if err := s.write(inputs, m, row.Threads); err != nil {
			row.Failure = err.Error()
			return row, nil
		}
		return timed()
	})
}

// write writes the inputs of a case and the outputs of our bundle.
func (s *opStudy) write(path string, m rivals.Model, threads int) error {
	_, inputs, err := s.cases[m.Name()].build(true)
	if err != nil {
		return err
	}
	list := named(inputs)
	if err := npy.Write(path, list); err != nil {
		return err
	}
	ctx := context.Background()
	b, err := compile.OpenBundle(ctx, m.Bundles[0].Dir, compile.LoadOptions{Machine: s.Machine, Threads: threads})
	if err != nil {
		return err
	}
	defer b.Close()
	if _, err = b.SetFile(path); err != nil {
		return err
	}
	out, err := b.RunSet(ctx)
	if err != nil {
		return err
	}
	for i, x := range out {
		list = append(list, npy.Named{Name: fmt.Sprintf("out%d", i), Const: x})
	}
	return npy.Write(path, list)
}

// serial reports whether no loop of a bundle's kernels is parallel.
func serial(dir string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*.tir"))
	if err != nil || len(files) != 1 {
		return false
	}
	text, err := os.ReadFile(files[0])
	return err == nil && len(text) > 0 && !bytes.Contains(text, []byte(" parallel "))
}
