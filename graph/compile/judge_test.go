package compile

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

var (
	judgedGraphs = flag.Int("judged", 40, "random graphs that the judge must not refuse")
	judgedSeeds  = flag.Int("judged-seeds", 1, "inputs of each")
)

// TestRightGraphs: the judge refuses no random graph that is computed as it should be.
func TestRightGraphs(t *testing.T) {
	b := needBundles(t)
	var g errgroup.Group
	g.SetLimit(2)
	for i := range *judgedGraphs {
		if t.Failed() && *judgedGraphs < 1000 {
			break
		}
		seed := *fuzzSeed + uint64(i)
		g.Go(func() error {
			if err := b.judgeDrawn(t.Context(), seed); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			return nil
		})
	}
	_ = g.Wait()
}

// TestJudgeOfBodies: where the program of an operator says something else than its reference, a kernel that does what
// its program says is wrong.
func TestJudgeOfBodies(t *testing.T) {
	b := needBundles(t)
	for _, c := range []struct {
		op     string
		attr   graph.Attr
		change func(n *graph.Node)
	}{
		{"LeakyRelu", graph.Attr{Name: "alpha", Kind: graph.AttrFloat, Float: 0.5}, func(n *graph.Node) { n.Attrs[0].Float = 0.51 }},
		{"Softmax", graph.Attr{Name: "axis", Kind: graph.AttrInt, Int: 1}, func(n *graph.Node) { n.Attrs[0].Int = 0 }},
		{"Elu", graph.Attr{Name: "alpha", Kind: graph.AttrFloat, Float: 1}, func(n *graph.Node) { n.Op, n.Attrs = "Relu", nil }},
	} {
		x := &graph.Value{Name: "x", Type: tir.F32, Shape: []int64{4, 6}, Ranked: true}
		y := &graph.Value{Name: "y"}
		n := &graph.Node{Op: c.op, Version: 18, Inputs: []*graph.Value{x}, Outputs: []*graph.Value{y},
			Attrs: []graph.Attr{c.attr}}
		g := &graph.Graph{Name: "g", Inputs: []*graph.Value{x}, Outputs: []*graph.Value{y}, Nodes: []*graph.Node{n}}
		m, err := New(t.Context(), g, pass.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.judged(t.Context(), m, ramp(4, 6)); err != nil {
			t.Errorf("%s: %v", c.op, err)
		}
		c.change(m.layout.jobs[0].group.Nodes[0])
		if err := b.judged(t.Context(), m, ramp(4, 6)); err == nil {
			t.Errorf("%s: another reference is no matter", c.op)
		}
	}
}

// judged judges the bundle of a model.
func (b *bundles) judged(ctx context.Context, m *Model, inputs ...*graph.Tensor) error {
	dir, p, l, err := b.opened(ctx, m)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	defer l.Close()
	if _, err := results(ctx, l, p, inputs); err != nil {
		return err
	}
	return newJudge(m, p).run(ctx, l, inputs)
}

// opened builds the bundle of a model in a folder, and loads it.
func (b *bundles) opened(ctx context.Context, m *Model) (string, *model.Program, *model.Loaded, error) {
	dir, err := os.MkdirTemp(b.dir, "judged")
	if err != nil {
		return "", nil, nil, err
	}
	p, err := b.build(ctx, m, dir)
	if err != nil {
		return "", nil, nil, err
	}
	l, err := b.machine.load(ctx, loadConfig(dir, p, 2, false))
	return dir, p, l, err
}

func (b *bundles) judgeDrawn(ctx context.Context, seed uint64) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	d, err := Draw(seed, sizeOf(seed))
	if err != nil {
		return err
	}
	m, err := New(ctx, d.Graph, pass.Options{})
	if err != nil {
		return err
	}
	dir, p, l, err := b.opened(ctx, m)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	defer l.Close()
	for k := range *judgedSeeds {
		inputs := d.Inputs
		if k > 0 {
			inputs = drawInputs(d.Graph, m.bounds, seed+uint64(k))
		}
		if _, err := results(ctx, l, p, inputs); err != nil {
			continue // an index out of range
		}
		j := newJudge(m, p)
		if err := j.run(ctx, l, inputs); err != nil {
			return fmt.Errorf("inputs %d: %w\n%s", k, err, d.Graph)
		}
	}
	return nil
}

// TestSkippedCalls: of plans for ranges, each kernel is judged once at extents below the bounds, each call at the bounds,
// and none of a kernel and weights that a plan before judged. Of other models all calls are.
func TestSkippedCalls(t *testing.T) {
	call := func(kernel int, weights int64) model.Call {
		return model.Call{Kernel: kernel, Args: []model.Place{{Space: model.Arena}, {Space: model.Weights, Offset: weights}}}
	}
	once := map[string]bool{}
	for _, c := range []struct {
		calls []model.Call
		once  map[string]bool
		brief bool
		want  []bool
	}{
		{[]model.Call{call(1, 0), call(1, 64)}, nil, true, []bool{false, false}},
		{[]model.Call{call(1, 0), call(1, 64), call(2, 0)}, once, true, []bool{false, true, false}},
		{[]model.Call{call(1, 0), call(1, 64), call(2, 0)}, once, false, []bool{false, false, false}},
		{[]model.Call{call(1, 64), call(1, 128), call(3, 0)}, once, false, []bool{true, false, false}},
	} {
		g := &judge{calls: c.calls, once: c.once, brief: c.brief, kernels: map[int]bool{}}
		for i, want := range c.want {
			if g.skips(i) != want {
				t.Errorf("%v, brief %t: call %d is judged: %t", c.calls, c.brief, i, want)
			}
			g.reached = append(g.reached, 1)
		}
		if !c.brief {
			g.remember(once)
		}
	}
}
