package compile

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/onnx"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

// A Model is a graph on its way to a program.
type Model struct {
	// Original is the graph as the file has it, with open dimensions bound and weights rounded as Precision says; the
	// reference evaluates it. What the graphs of its nodes return has types.
	Original *graph.Graph
	Exact    *graph.Graph // Original before the rounding
	Rounded  int          // products of it whose weights are rounded
	Graph    *graph.Graph // after the passes
	Tasks    []*Task      // in the order in which the model first needs them

	Path string // of the file; "" if it came from none

	// A model for several extents of its dimensions has a plan for each, the cheapest first, and is itself the last. A
	// plan serves the extents from Least to Most. All have the same Tasks.
	Plans       []*Model
	Dims        []string
	Least, Most []int64
	dimNames    map[string][]string // of ports
	sums        []model.Sum         // other names of theirs

	open *opening // of a plan for ranges, or nil

	bounds   []int64 // what the whole numbers of each input stay below (inputBound)
	layout   *layout
	actions  []*action
	variants map[*Task][]*tir.Func // the kernels of each task in the program that was made last
}

// Read reads a model from a file, gives its open dimensions the extents in dims, by name, and runs the passes.
func Read(ctx context.Context, path string, dims map[string]int64, opt pass.Options) (*Model, error) {
	g, err := onnx.Read(ctx, path, onnx.Options{Memory: opt.Limit.Memory})
	if err != nil {
		return nil, err
	}
	if err := Bind(g, dims); err != nil {
		return nil, err
	}
	m, err := New(ctx, g, opt)
	if err == nil {
		m.Path = path
	}
	return m, err
}

// New runs the passes on a graph whose inputs are known, and divides it into tasks.
func New(ctx context.Context, g *graph.Graph, opt pass.Options) (*Model, error) {
	return newModel(ctx, g, opt, &taskList{}, nil)
}

// newModel is New with tasks that there are, to which it adds, of a graph for ranges of extents if open is not nil.
func newModel(ctx context.Context, g *graph.Graph, opt pass.Options, tasks *taskList, open *opening) (*Model, error) {
	if err := op.Missing(g); err != nil {
		return nil, err
	}
	if op.HasSequences(g) { // the reference knows tensors only
		g, _ = g.Clone()
		if err := op.Infer(ctx, g); err != nil {
			return nil, err
		}
	}
	m := &Model{Exact: g, open: open}
	var err error
	if m.Original, m.Rounded, err = pass.Rounded(ctx, g, opt); err != nil {
		return nil, err
	}
	m.Graph, _ = m.Original.Clone()
	told := opt.Trace
	opt.Trace = func(name string, g *graph.Graph) {
		if name == "infer" { // shapes are known, and operators are still those of the file
			m.bounds = inputBounds(g)
			declareResults(m.Original, g)
		}
		if told != nil {
			told(name, g)
		}
	}
	if err := pass.Run(ctx, m.Graph, opt); err != nil {
		return nil, err
	}
	if m.layout, m.actions, err = newLayout(m.Graph, tasks, len(m.stateInputs())); err != nil {
		return nil, err
	}
	m.Tasks = tasks.tasks
	return m, nil
}

// declareResults takes the types of what graphs in the nodes of g return from a copy of g that was inferred: nothing
// else says the shape of a scan output of a Loop without iterations. Nodes of the copy are found by what they make.
func declareResults(g, inferred *graph.Graph) {
	made := map[string]*graph.Node{}
	for _, n := range inferred.Nodes {
		for _, v := range n.Outputs {
			if v != nil {
				made[v.Name] = n
			}
		}
	}
	for _, n := range g.Nodes {
		i := slices.IndexFunc(n.Outputs, func(v *graph.Value) bool { return v != nil && made[v.Name] != nil })
		if i < 0 {
			continue
		}
		for _, a := range n.Attrs {
			typed := made[n.Outputs[i].Name].Graph(a.Name)
			if typed == nil {
				continue
			}
			declareResults(a.Graphs[0], typed)
			for k, v := range a.Graphs[0].Outputs {
				declare(v, typed.Outputs[k])
			}
		}
	}
}

// declare gives v, if its type is not known, that of w.
func declare(v, w *graph.Value) {
	if !v.Known() && w.Known() {
		v.Type, v.Shape, v.Ranked, v.DimNames = w.Type, slices.Clone(w.Shape), true, nil
	}
}
