package compile

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tune/balance"
	"github.com/wmtune/wmtune/tune/folder"
	"github.com/wmtune/wmtune/tune/scorerservice"
)

// A Result is what a compilation made, as NAME.json holds it. Fields may be added, never renamed.
type Result struct {
	Model     string       `json:"model"`
	Name      string       `json:"name"`
	Target    string       `json:"target"`
	Nodes     int          `json:"nodes"`  // of the file
	Groups    int          `json:"groups"` // kernels that a run calls
	Tasks     int          `json:"tasks"`
	Products  string       `json:"products,omitempty"` // of a quantized model: how many are in int8, why others are not
	Trials    int          `json:"trials"`             // that were measured of the tasks, in all compilations
	Seconds   float64      `json:"seconds"`
	LatencyUS float64      `json:"latency_us"`
	UntunedUS *float64     `json:"untuned_us"` // with plain schedules; null if there was nothing to tune, or too slow
	MaxError  float64      `json:"max_relative_error"`
	Absolute  float64      `json:"max_absolute_error"`
	Precision string       `json:"precision"`               // that of the model, "float32", or one that the user chose
	Rounding  float64      `json:"rounding_relative_error"` // of the reference that rounds each value; 0: not needed
	Judgement Judgement    `json:"judgement"`               // what was compared, kernel by kernel
	Arena     int64        `json:"arena_bytes"`
	Peak      int64        `json:"live_bytes"` // the most bytes of values that are needed at one time
	Weights   int64        `json:"weights_bytes"`
	Out       string       `json:"out"`
	Files     []string     `json:"files"`
	Inputs    []PortInfo   `json:"inputs"`
	Outputs   []PortInfo   `json:"outputs"`
	Kernels   []KernelInfo `json:"kernels"`
	Calls     []CallInfo   `json:"calls"` // in the order in which they stand in the program
	Spans     []*Span      `json:"spans"` // memory of the arena
	Tuning    *Tuning      `json:"tuning,omitempty"`

	Levels []LevelInfo `json:"levels,omitempty"` // processors that are not this machine's, the lowest first

	// Of a bundle of several plans: the dimensions whose extents a run is told, and the plans, the cheapest first. Shapes
	// of inputs and outputs are then the largest, Arena and Peak those of the plan that needs most.
	// Sums are extents of inputs that follow from those, and from the length of the state.
	Dims  []string    `json:"dims,omitempty"`
	Sums  []model.Sum `json:"sums,omitempty"`
	Plans []PlanInfo  `json:"plans,omitempty"`
	State *StateInfo  `json:"state,omitempty"` // what a context keeps

	Command *scorerservice.Report `json:"scorer_command,omitempty"` // how a command did as the scorer

	PrecisionError  float64 `json:"precision_error"`  // the largest relative difference from the model as it is
	RoundedProducts int     `json:"rounded_products"` // products whose weights Precision rounds

	program *model.Program
}

// A PortInfo describes an input or an output.
type PortInfo struct {
	Name    string  `json:"name"`
	Type    string  `json:"type"`
	Shape   []int64 `json:"shape"`
	Bounded bool    `json:"bounded,omitempty"` // the true shape depends on data
	Below   int64   `json:"below,omitempty"`   // of an input of whole numbers: what random ones stay below

	Dims []string `json:"dims,omitempty"` // of a bundle of several plans: the dimension that each extent is, or ""

	Labels []string `json:"labels,omitempty"` // of an output of ai.onnx.ml: what its numbers, or columns, stand for
}

// labels returns what the numbers, or the columns, of an output stand for, if a node with texts in its attributes makes
// it.
func labels(producers map[*graph.Value]*graph.Node, v *graph.Value) []string {
	n := producers[v]
	for n != nil && n.Op == "Identity" {
		v = n.Inputs[0]
		n = producers[v]
	}
	if n == nil || n.Domain != "ai.onnx.ml" || n.Outputs[0] != v {
		return nil
	}
	for _, name := range []string{"classlabels_strings", "values_strings"} {
		if a := n.Attr(name); a != nil {
			return a.Strings
		}
	}
	return nil
}

// A KernelInfo describes a task.
type KernelInfo struct {
	Name   string  `json:"name"`
	Class  string  `json:"class"`
	Count  int     `json:"count"`
	FLOPs  float64 `json:"flops"`
	Source Source  `json:"source"`
	Choice string  `json:"choice"`
	Steps  string  `json:"steps,omitempty"`
	Text   string  `json:"text,omitempty"` // of the compute DAG

	Plans []int `json:"plans,omitempty"` // that call it, by index

	Divisions []balance.Division `json:"divisions,omitempty"` // how threads divide it, for profile --plan
}

// A CallInfo describes one call of a kernel.
type CallInfo struct {
	Kernel string  `json:"kernel"`
	Nodes  string  `json:"nodes"` // of the model
	FLOPs  float64 `json:"flops"`
	Bytes  float64 `json:"bytes"` // of its operands: what the call must move at the least
}

func (c *compilation) describe(p *model.Program) {
	r := &c.result
	r.Name, r.Target, r.Out = p.Name, c.machine.Target().String(), c.opt.Out
	r.Model, r.RoundedProducts = c.model.Path, c.model.Rounded
	r.Precision = cmp.Or(c.opt.Passes.Precision, pass.Precisions[0].Name)
	r.Nodes, r.Groups, r.Tasks = len(c.model.Exact.Nodes), len(p.Calls()), len(c.model.Tasks)
	r.Products = pass.Products(c.model.Graph)
	r.Arena, r.Peak, r.Weights = p.Arena, peak(c.model.layout.spans), p.Weights
	c.describePlans(p)
	r.Inputs, r.Outputs = portInfo(p.Inputs), portInfo(p.Outputs)
	producers := c.model.Original.Producers()
	for i, v := range c.model.Original.Outputs[:c.model.outputs()] {
		r.Outputs[i].Labels = labels(producers, v)
	}
	for i := range r.Inputs {
		r.Inputs[i].Below = c.model.bounds[i]
	}
	for _, t := range c.model.Tasks {
		k := KernelInfo{Name: t.Name, Class: t.Class.String(), Count: t.Weight, Source: t.Source,
			Choice: t.Choice, Steps: t.Steps}
		if t.DAG != nil {
			k.FLOPs, k.Text = t.DAG.FLOPs(), t.Text
		}
		k.Plans = c.model.callers(t)
		if list := c.model.variants[t]; len(list) > 0 { // they differ in who has which part
			k.Divisions = balance.Of(list[0], c.machine.Target())
		}
		r.Kernels = append(r.Kernels, k)
	}
	for _, call := range p.Calls() {
		r.Calls = append(r.Calls, CallInfo{Kernel: call.Label, Nodes: call.Node, FLOPs: call.FLOPs, Bytes: call.Bytes})
	}
	r.Spans = c.model.layout.spans
	r.program = p
}

func portInfo(list []model.Port) []PortInfo {
	var r []PortInfo
	for _, p := range list {
		r = append(r, PortInfo{Name: p.Name, Type: p.Type.String(), Shape: append([]int64{}, p.Shape...), Bounded: p.Bounded,
			Dims: p.Dims})
	}
	return r
}

// programFile is the file of a bundle's folder with the TensorIR of its kernels.
func programFile(name string) string { return name + ".tir" }

// kernelHead begins the text of each kernel in programFile.
const kernelHead = "# kernel "

// writePrograms writes the TensorIR of each kernel, as it is compiled: one after the other where the threads of a
// task's kernels have different shares.
func (c *compilation) writePrograms(stage *folder.Stage) error {
	var b bytes.Buffer
	for _, t := range c.model.Tasks {
		if len(c.kernels[t]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s%s\n", kernelHead, t.Name)
		for _, f := range c.kernels[t] {
			fmt.Fprintf(&b, "%s\n", f)
		}
	}
	if err := stage.Write(programFile(c.result.Name), b.Bytes(), 0o666); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

// readPrograms returns the TensorIR of a bundle's kernels, by name; none if the bundle has lost the file.
func readPrograms(dir, name string) map[string]string {
	data, err := file.Read(filepath.Join(dir, programFile(name)), maxDescription)
	if err != nil {
		return nil
	}
	programs := map[string]string{}
	for _, part := range strings.Split("\n"+string(data), "\n"+kernelHead)[1:] {
		name, text, _ := strings.Cut(part, "\n")
		programs[name] = text
	}
	return programs
}

// weights returns how many bytes the constants of a model have.
func (m *Model) weights() int64 {
	seen, bytes := map[graph.ConstID]bool{}, int64(0)
	for v, s := range m.layout.stores {
		if s.konst != nil && !seen[s.konst.ID()] {
			seen[s.konst.ID()] = true
			bytes += v.Bytes()
		}
	}
	return bytes
}

// fits makes sure that the weights and values of a model take no more than limit bytes; 0 is no limit.
func (m *Model) fits(limit uint64) error {
	if limit == 0 {
		return nil
	}
	values := peak(m.layout.spans)
	name, largest := "", int64(0)
	size := func(v *graph.Value) int64 {
		n := v.Bytes()
		if text := v.String(); n > largest || n == largest && text < name {
			name, largest = text, n
		}
		return n
	}
	weights := m.weights()
	for v, s := range m.layout.stores {
		if s.span != nil || s.konst != nil {
			size(v)
		}
	}
	for _, list := range [][]*graph.Value{m.Graph.Inputs, m.Graph.Outputs} {
		for _, v := range list {
			values += size(v)
		}
	}
	if uint64(weights+values) <= limit {
		return nil
	}
	return fmt.Errorf("the model needs %s of memory, %s of them weights, and %s may be used: its "+
		"largest tensor is %s, of %s; "+
		"make it smaller, or allow more with --memory",
		sizeText(weights+values), sizeText(weights), sizeText(int64(limit)), name, sizeText(largest))
}

// sizeText prints a number of bytes.
func sizeText(bytes int64) string {
	switch {
	case bytes < 1e6:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 1e9:
		return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}
