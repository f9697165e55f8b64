package compile

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

// TestUpdatesOfCaptured: a branch or a body that changes some elements of what a graph around it makes does so in a
// copy. It is read again: after the branch, and by the next iteration.
func TestUpdatesOfCaptured(t *testing.T) {
	x := graph.NewTensor(tir.F32, 4, 3)
	for i := range x.F {
		x.F[i] = float64(i) - 5.5
	}
	for name, test := range map[string]struct {
		graph  func() *graph.Graph
		inputs []*graph.Tensor
	}{
		"If, taken":     {updatingIf, []*graph.Tensor{x, graph.Scalar(tir.Bool, 1)}},
		"If, not taken": {updatingIf, []*graph.Tensor{x, graph.Scalar(tir.Bool, 0)}},
		"Loop":          {updatingLoop, []*graph.Tensor{x, graph.Scalar(tir.I64, 3)}},
	} {
		t.Run(name, func(t *testing.T) {
			d := &Drawn{Graph: test.graph(), Inputs: test.inputs, Largest: []float64{1000, 1000},
				Error: []float64{1e-4, 1e-4}}
			if err := graph.Check(d.Graph); err != nil {
				t.Fatal(err)
			}
			if err := compareDrawn(t.Context(), d, 1, runInterpreted); err != nil {
				t.Errorf("%v\n%s", err, d.Graph)
			}
		})
	}
}

// TestDrawRuns: what decides about branches and iterations takes several values, in as many runs; other models have
// one run.
func TestDrawRuns(t *testing.T) {
	for name, want := range map[string]struct {
		g    *graph.Graph
		seen []int64 // of the second input, run by run, the last one first; of a bool, from its value in the last run
	}{
		"If":   {updatingIf(), []int64{0, 1, 0, 1}},
		"Loop": {updatingLoop(), []int64{2, 3, 0, 1}},
	} {
		for seed := range uint64(4) {
			runs := drawRuns(want.g, inputBounds(want.g), seed)
			if len(runs) != len(want.seen) {
				t.Fatalf("%s: %d runs", name, len(runs))
			}
			last := runs[len(runs)-1][1].I[0]
			for k, seen := range want.seen {
				got := runs[len(runs)-1-k][1].I[0]
				if name == "If" {
					got ^= last
				}
				if got != seen {
					t.Errorf("%s, seed %d, run %d: %d, want %d", name, seed, k, got, seen)
				}
			}
			if slices.Equal(runs[0][0].F, runs[1][0].F) {
				t.Errorf("%s: all runs have the same floats", name)
			}
		}
	}
	g := &graph.Graph{Inputs: []*graph.Value{known("x", tir.F32, 4)}}
	g.Outputs = []*graph.Value{apply(g, "Exp", g.Inputs[0])}
	if runs := drawRuns(g, inputBounds(g), 1); len(runs) != 1 {
		t.Errorf("%d runs without branches", len(runs))
	}
}

// updatingIf changes row 1 of what is read after it.
func updatingIf() *graph.Graph {
	g := &graph.Graph{Name: "branches", Inputs: []*graph.Value{known("x", tir.F32, 4, 3), known("c", tir.Bool)}}
	made := apply(g, "Relu", g.Inputs[0])
	then, els := &graph.Graph{Name: "then"}, &graph.Graph{Name: "else"}
	then.Outputs = []*graph.Value{apply(then, "ScatterND", made, fixed("i", graph.Ints(1), 1, 1), row())}
	els.Outputs = []*graph.Value{apply(els, "Neg", made)}
	y := apply(g, "If", g.Inputs[1])
	g.Nodes[1].SetAttr(graphAttr("then_branch", then), graphAttr("else_branch", els))
	g.Outputs = []*graph.Value{y, apply(g, "Exp", made)}
	return g
}

// updatingLoop adds what has a row changed, another one in each iteration.
func updatingLoop() *graph.Graph {
	g := &graph.Graph{Name: "loop", Inputs: []*graph.Value{known("x", tir.F32, 4, 3), known("n", tir.I64)}}
	made := apply(g, "Relu", g.Inputs[0])
	body := &graph.Graph{Name: "body", Inputs: []*graph.Value{known("i", tir.I64), known("on", tir.Bool),
		known("sum", tir.F32, 4, 3)}}
	at := apply(body, "Reshape", body.Inputs[0], fixed("one by one", graph.Ints(1, 1), 2))
	changed := apply(body, "ScatterND", made, at, row())
	sum := apply(body, "Add", body.Inputs[2], changed)
	body.Outputs = []*graph.Value{apply(body, "Identity", body.Inputs[1]), sum}
	y := apply(g, "Loop", g.Inputs[1], nil, fixed("zeros", graph.NewTensor(tir.F32, 4, 3), 4, 3))
	g.Nodes[1].SetAttr(graphAttr("body", body))
	g.Outputs = []*graph.Value{y}
	return g
}

// collectingLoop gives rows of so many elements, up to four of them; the file does not say the shape of a row.
func collectingLoop(size int64) *graph.Graph {
	g := &graph.Graph{Name: "loop", Inputs: []*graph.Value{known("x", tir.F32, size), known("n", tir.I64)}}
	body := &graph.Graph{Name: "body", Inputs: []*graph.Value{known("i", tir.I64), known("on", tir.Bool)}}
	body.Outputs = []*graph.Value{apply(body, "Identity", body.Inputs[1]), apply(body, "Exp", g.Inputs[0])}
	y := apply(g, "Loop", g.Inputs[1], nil)
	y.Type, y.Shape, y.Ranked = tir.F32, []int64{4, size}, true
	g.Nodes[0].SetAttr(graphAttr("body", body))
	g.Outputs = []*graph.Value{y}
	return g
}

// TestLoopOfNothing: how many rows there are is known although they have no elements.
func TestLoopOfNothing(t *testing.T) {
	for trips := range int64(3) {
		in := []*graph.Tensor{graph.NewTensor(tir.F32, 0), graph.Scalar(tir.I64, float64(trips))}
		out, err := interpretedOutputs(t, collectingLoop(0), in)
		if err != nil || !slices.Equal(out[0].Shape, []int64{trips, 0}) {
			t.Errorf("%d iterations: %v, %v", trips, out, err)
		}
	}
}

// TestLoopWithoutIterations: the reference knows the shape of a scan output that the file does not say.
func TestLoopWithoutIterations(t *testing.T) {
	m, err := New(t.Context(), collectingLoop(3), pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for trips := range int64(3) {
		in := []*graph.Tensor{graph.NewTensor(tir.F32, 3), graph.Scalar(tir.I64, float64(trips))}
		out, err := op.Evaluator().Run(t.Context(), m.Original, in)
		if err != nil || !slices.Equal(out[0].Shape, []int64{trips, 3}) {
			t.Errorf("%d iterations: %v, %v", trips, out, err)
		}
	}
}

func apply(g *graph.Graph, name string, inputs ...*graph.Value) *graph.Value {
	v := &graph.Value{Name: g.Name + "." + name}
	g.Nodes = append(g.Nodes, &graph.Node{Op: name, Version: 16, Inputs: inputs, Outputs: []*graph.Value{v}})
	return v
}

func known(name string, t tir.DType, shape ...int64) *graph.Value {
	return &graph.Value{Name: name, Type: t, Shape: shape, Ranked: true}
}

func fixed(name string, t *graph.Tensor, shape ...int64) *graph.Value {
	v := known(name, t.Type, shape...)
	c := *t
	c.Shape = shape
	v.Const = c.Const()
	return v
}

// row is what the updates write.
func row() *graph.Value {
	return fixed("row", &graph.Tensor{Type: tir.F32, F: []float64{10, 20, 30}}, 1, 3)
}

func graphAttr(name string, g *graph.Graph) graph.Attr {
	return graph.Attr{Name: name, Kind: graph.AttrGraph, Graphs: []*graph.Graph{g}}
}
