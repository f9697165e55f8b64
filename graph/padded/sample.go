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

// draws is how many samples lie within the bounds, at random. Of each dimension those next to the bound are samples,
// too: they tell what is rounded where.
const (
	draws = 10
	near  = mostOver
)

// takeSamples infers the graph at the upper bounds, the lower ones (1 if they are 0: what follows from nothing tells no
// formula), and at some extents between. It sets the steps of the dimensions.
func takeSamples(ctx context.Context, g *graph.Graph, dims []Dim, bind func(*graph.Graph, map[string]int64) error) (
	[]*sample, error) {
	g, _ = g.Clone()
	foldFixed(ctx, g)
	rng := rand.New(rand.NewPCG(63, 2))
	upper, lower := make([]int64, len(dims)), make([]int64, len(dims))
	zero := false
	for i, d := range dims {
		if d.From < 0 || d.To < max(d.From, 1) {
			return nil, fmt.Errorf("dimension %s from %d to %d: extents are not negative, and the bound is at least 1", d.Name,
				d.From, d.To)
		}
		dims[i].Step, upper[i], lower[i], zero = 1, d.To, max(d.From, 1), zero || d.From == 0
	}
	take := func(p []int64) (*sample, error) { return takeSample(ctx, g, dims, p, bind) }
	first, err := take(upper)
	if err != nil {
		return nil, err
	}
	for i := range dims {
		if err := dims[i].findStep(i, upper, rng, take); err != nil {
			return nil, err
		}
		lower[i] = dims[i].first(lower[i])
	}
	list := []*sample{first}
	add := func(p []int64) error {
		s, err := take(p)
		list = append(list, s)
		return err
	}
	for k := range draws + 1 {
		p := slices.Clone(lower)
		for i := range dims {
			if k > 0 {
				p[i] += dims[i].Step * rng.Int64N((upper[i]-lower[i])/dims[i].Step+1)
			}
			if dims[i].From == 0 && dims[i].To == 1 { // or nothing would vary
				p[i] = rng.Int64N(2) * int64(min(k, 1))
			}
		}
		if err := add(p); err != nil {
			return nil, err
		}
	}
	for i, d := range dims {
		for k := int64(1); k <= near && d.To-k*d.Step >= lower[i]; k++ {
			p := slices.Clone(upper)
			p[i] -= k * d.Step
			if err := add(p); err != nil {
				return nil, err
			}
		}
	}
	if zero { // only that there are shapes
		for i := range dims {
			lower[i] = dims[i].first(dims[i].From)
		}
		if _, err := take(lower); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// first returns the first extent from n on that is a number of steps below the bound.
func (d Dim) first(n int64) int64 { return d.To - (d.To-n)/d.Step*d.Step }

// mostStep is the largest step that is looked for.
const mostStep = 64

// findStep finds the least power of 2 such that the graph has shapes for all extents that are so far apart, from the
// bound down, as far as draws tell. A net that makes images smaller and larger again has one.
func (d *Dim) findStep(i int, upper []int64, rng *rand.Rand, take func([]int64) (*sample, error)) error {
	var failed error
	for d.Step = 1; d.Step <= mostStep; d.Step *= 2 {
		least := d.first(max(d.From, 1))
		var err error
		for k := int64(0); k < 4 && err == nil; k++ {
			p := slices.Clone(upper)
			p[i] = least + min(k, (d.To-least)/d.Step)*d.Step
			if k > 1 {
				p[i] = least + rng.Int64N((d.To-least)/d.Step+1)*d.Step
			}
			_, err = take(p)
		}
		if err == nil {
			return nil
		}
		if failed == nil {
			failed = err
		}
	}
	return failed
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
