package compile

import (
	"context"
	"flag"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
)

var (
	fuzzGraphs  = flag.Int("graphs", 150, "random graphs that the interpreter runs")
	fuzzBundles = flag.Int("bundles", 24, "random graphs that become bundles")
	fuzzSeed    = flag.Uint64("seed", 1, "seed of the first random graph")
)

// mostNodes is the number of nodes of the largest random graphs.
const mostNodes = 40

// TestFuzzInterpreted runs random graphs through the passes, of which the reference computes the graph after each,
// through partition and plan, and the programs that come out by the interpreter.
func TestFuzzInterpreted(t *testing.T) { fuzz(t, *fuzzGraphs, runInterpreted) }

// TestFuzzBundles compiles random graphs into bundles and runs those.
func TestFuzzBundles(t *testing.T) {
	b := needBundles(t)
	fuzz(t, *fuzzBundles, func(ctx context.Context, d *Drawn, _ uint64) ([]*graph.Tensor, error) {
		return b.run(ctx, d.Graph, d.Inputs)
	})
}

// A drawnRun computes the outputs of a drawn graph. The seed is that of the graph.
type drawnRun func(ctx context.Context, d *Drawn, seed uint64) ([]*graph.Tensor, error)

// fuzz compares what run computes of n graphs with the reference.
func fuzz(t *testing.T, n int, run drawnRun) {
	var g errgroup.Group
	g.SetLimit(2)
	start := time.Now()
	for i := range n {
		if t.Failed() && n < 1000 {
			break
		}
		seed := *fuzzSeed + uint64(i)
		g.Go(func() error {
			if err := tryDrawn(t.Context(), seed, sizeOf(seed), run); err != nil {
				t.Error(smallest(t.Context(), seed, err, run))
			}
			return nil
		})
	}
	_ = g.Wait() // the functions return nil
	t.Logf("%d graphs in %s", n, time.Since(start).Round(time.Second))
}

func sizeOf(seed uint64) int { return 1 + int(seed%mostNodes) }

// tryDrawn draws a graph and compares run with the reference.
func tryDrawn(ctx context.Context, seed uint64, nodes int, run drawnRun) (err error) {
	d, err := Draw(seed, nodes)
	if err != nil {
		return err
	}
	return compareDrawn(ctx, d, seed, run)
}

func compareDrawn(ctx context.Context, d *Drawn, seed uint64, run drawnRun) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicError{r, string(debug.Stack())}
		}
	}()
	want, err := op.Evaluator().Run(ctx, d.Graph, d.Inputs)
	if err != nil {
		return err
	}
	got, err := run(ctx, d, seed)
	if err != nil {
		return err
	}
	return d.Compare(got, want)
}

// smallest describes a failure by the smallest graph that fails: the first so many nodes, and then one output of those.
func smallest(ctx context.Context, seed uint64, err error, run drawnRun) string {
	nodes := sizeOf(seed)
	for k := 1; k < nodes; k++ {
		if e := tryDrawn(ctx, seed, k, run); e != nil {
			nodes, err = k, e
		}
	}
	d, drawErr := Draw(seed, nodes)
	if drawErr != nil {
		return drawErr.Error()
	}
	text := d.Graph.String()
	for i := range d.Graph.Outputs {
		e := *d
		g := *d.Graph
		g.Outputs = g.Outputs[i : i+1]
		g.Nodes = needed(&g)
		e.Graph, e.Largest, e.Error = &g, d.Largest[i:i+1], d.Error[i:i+1]
		if failed := compareDrawn(ctx, &e, seed, run); failed != nil {
			text, err = g.String(), failed
			break
		}
	}
	return fmt.Sprintf("seed %d, %d nodes: %v\n%s", seed, nodes, err, text)
}

// needed returns the nodes that the outputs of g depend on.
func needed(g *graph.Graph) []*graph.Node {
	used := map[*graph.Value]bool{}
	for _, v := range g.Outputs {
		used[v] = true
	}
	var list []*graph.Node
	for _, n := range slices.Backward(g.Nodes) {
		if !slices.ContainsFunc(n.Outputs, func(v *graph.Value) bool { return used[v] }) {
			continue
		}
		for _, v := range n.Inputs {
			used[v] = true
		}
		list = append(list, n)
	}
	slices.Reverse(list)
	return list
}

// runInterpreted leaves some passes out, by the seed.
func runInterpreted(ctx context.Context, d *Drawn, seed uint64) ([]*graph.Tensor, error) {
	opt := pass.Options{Check: true}
	if seed%3 == 0 {
		for i, name := range pass.Names() {
			if !pass.Needed(name) && (seed>>i)%2 == 0 {
				opt.Skip = append(opt.Skip, name)
			}
		}
	}
	want, err := op.Evaluator().Run(ctx, d.Graph, d.Inputs)
	if err != nil {
		return nil, err
	}
	var wrongPass error
	opt.Trace = func(name string, g *graph.Graph) {
		if wrongPass != nil {
			return
		}
		got, err := op.Evaluator().Run(ctx, g, d.Inputs)
		if err == nil {
			err = d.Compare(got, want)
		}
		if err != nil {
			wrongPass = fmt.Errorf("after pass %s: %w\n%s", name, err, g)
		}
	}
	m, err := New(ctx, d.Graph, opt)
	if wrongPass != nil {
		return nil, wrongPass
	}
	if err != nil {
		return nil, err
	}
	p, w, err := plainProgram(m)
	if err != nil {
		return nil, err
	}
	return interpreted(m, p, w, d.Inputs)
}

// TestSmallest: what a failure prints is the smallest part of the graph that fails.
func TestSmallest(t *testing.T) {
	fails := func(ctx context.Context, d *Drawn, _ uint64) ([]*graph.Tensor, error) {
		for _, n := range d.Graph.Nodes {
			if n.Op == "MatMul" {
				return nil, fmt.Errorf("there is a product")
			}
		}
		return op.Evaluator().Run(ctx, d.Graph, d.Inputs)
	}
	for seed := uint64(30); seed < 200; seed++ {
		if err := tryDrawn(t.Context(), seed, sizeOf(seed), fails); err != nil {
			text := smallest(t.Context(), seed, err, fails)
			if !strings.Contains(text, fmt.Sprintf("seed %d, ", seed)) || strings.Count(text, " = MatMul(") != 1 ||
				!strings.Contains(text, "there is a product") {
				t.Error(text)
			}
			return
		}
	}
	t.Error("no graph of 170 has a product")
}
