package padded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
)

// A sample is the graph of some extents, whose shapes were inferred.
type sample struct {
	dims   []int64
	g      *graph.Graph
	values map[string]*graph.Value
	made   map[string]*graph.Node // by what they make, as they were before constants were folded
}

// keep notes what a node reads and makes.
func (s *sample) keep(n *graph.Node) {
	for _, v := range n.Inputs {
		if v != nil {
			s.values[v.Name] = v
		}
	}
	for _, v := range n.Outputs {
		if v != nil {
			s.values[v.Name], s.made[v.Name] = v, n
		}
	}
}

// draws is how many samples lie within the bounds, at random.
const draws = 10

// takeSamples infers the graph at the upper bounds, the lower ones (1 if they are 0: what follows from nothing tells no
// formula), and at some extents between.
func takeSamples(ctx context.Context, g *graph.Graph, dims []Dim, bind func(*graph.Graph, map[string]int64) error) (
	[]*sample, error) {
	g, _ = g.Clone()
	foldFixed(ctx, g)
	upper, lower := make([]int64, len(dims)), make([]int64, len(dims))
	zero := false
	for i, d := range dims {
		if d.From < 0 || d.To < max(d.From, 1) {
			return nil, fmt.Errorf("dimension %s from %d to %d: extents are not negative, and the bound is at least 1", d.Name,
				d.From, d.To)
		}
		upper[i], lower[i] = d.To, max(d.From, 1)
		zero = zero || d.From == 0
	}
	points := [][]int64{upper, slices.Clone(lower)}
	rng := rand.New(rand.NewPCG(63, 2))
	for range draws {
		p := make([]int64, len(dims))
		for i := range dims {
			p[i] = lower[i] + rng.Int64N(upper[i]-lower[i]+1)
		}
		points = append(points, p)
	}
	var list []*sample
	for _, p := range points {
		s, err := takeSample(ctx, g, dims, p, bind)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	if zero { // only that there are shapes
		for i := range dims {
			lower[i] = dims[i].From
		}
		if _, err := takeSample(ctx, g, dims, lower, bind); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func takeSample(ctx context.Context, g *graph.Graph, dims []Dim, p []int64,
	bind func(*graph.Graph, map[string]int64) error) (*sample, error) {
	s := &sample{dims: p, values: map[string]*graph.Value{}, made: map[string]*graph.Node{}}
	s.g, _ = g.Clone()
	extents := map[string]int64{}
	for i, d := range dims {
		extents[d.Name] = p[i]
	}
	if err := bind(s.g, extents); err != nil {
		return nil, err
	}
	for _, v := range s.g.Inputs {
		s.values[v.Name] = v
	}
	for _, n := range s.g.Nodes {
		k := *n
		k.Inputs = slices.Clone(n.Inputs)
		s.keep(&k)
	}
	if err := op.Infer(ctx, s.g); err != nil {
		return nil, fmt.Errorf("with the extents %v: %w", p, err)
	}
	for _, n := range s.g.Nodes {
		s.keep(n)
	}
	for _, v := range s.g.Outputs {
		s.values[v.Name] = v
	}
	return s, nil
}

// foldFixed computes what follows from constants alone, once for all samples.
func foldFixed(ctx context.Context, g *graph.Graph) {
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n *graph.Node) bool {
		for _, v := range n.Inputs {
			if v != nil && (v.Const == nil || !v.Known()) {
				return false
			}
		}
		if len(n.Inputs) == 0 && n.Op != "Constant" || slices.ContainsFunc(n.Attrs, func(a graph.Attr) bool {
			return a.Kind == graph.AttrGraph
		}) {
			return false
		}
		folded, err := op.InferNode(ctx, n)
		return err == nil && folded
	})
}
