package table_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// TestReferenceLimit: what the reference cannot hold, or would take too long for, is an error before it is computed.
func TestReferenceLimit(t *testing.T) {
	tile := func(n int64) *graph.Graph {
		s := newSketch("tile")
		wide := s.apply("Tile", "wide", s.input("x", tir.F32, 4), constant("n", graph.Ints(n)))
		return s.output(s.apply("ReduceSum", "y", wide))
	}
	doubles := func(times int) *graph.Graph {
		s := newSketch("doubles")
		v := s.input("x", tir.F32, 1024)
		for i := range times {
			v = s.node("Concat", []string{strings.Repeat("v", i+1)}, []*graph.Value{v, v}, graph.IntAttr("axis", 0))[0]
		}
		return s.output(v)
	}
	chain := func(nodes int) *graph.Graph { // two values of 8 MB at one time
		s := newSketch("chain")
		v := s.input("x", tir.F32, 1<<20)
		for i := range nodes {
			v = s.apply("Relu", strings.Repeat("v", i+1), v)
		}
		return s.output(v)
	}
	weights := func(nodes, length int64) *graph.Graph { // that are Constants, each of which a node reads last
		s := newSketch("weights")
		v := s.input("x", tir.F32, length)
		for i := range nodes {
			w := s.node("Constant", []string{strings.Repeat("w", int(i)+1)}, nil, graph.Attr{Name: "value",
				Kind: graph.AttrTensor, Tensor: graph.NewTensor(tir.F32, length).Const()})[0]
			v = s.apply("Add", strings.Repeat("v", int(i)+1), v, w)
		}
		return s.output(v)
	}
	pool := func(size int64) *graph.Graph {
		s := newSketch("pool")
		return s.output(s.node("AveragePool", []string{"y"}, []*graph.Value{s.input("x", tir.F32, 1, 1, 4000, 4000)},
			graph.IntsAttr("kernel_shape", size, size))...)
	}
	conv := func(channels int64) *graph.Graph {
		s := newSketch("conv")
		return s.output(s.apply("Conv", "y", s.input("x", tir.F32, 1, channels, 200, 200),
			s.input("w", tir.F32, channels, channels, 100, 100)))
	}
	suppress := func(boxes, classes int64) *graph.Graph {
		s := newSketch("suppress")
		return s.output(s.apply("NonMaxSuppression", "y", s.input("boxes", tir.F32, 1, boxes, 4),
			s.input("scores", tir.F32, 1, classes, boxes), constant("most", graph.Ints(boxes))))
	}
	for _, c := range []struct {
		name        string
		small, wide *graph.Graph
		want        string
	}{
		{"tile", tile(1000), tile(1 << 26), "node Tile that makes wide: the reference, which the bundle is verified with, needs " +
			"2.1 GB here, 2.1 GB of them for wide: float32[268435456], and 64 MB may be used"},
		{"concatenations", doubles(5), doubles(20), "float32[4194304], and 64 MB may be used"},
		{"a chain", chain(100), doubles(13), "and 64 MB may be used"},
		{"weights", weights(20, 1<<16), weights(1, 1<<22), "and 64 MB may be used"},
		{"a pool", pool(3), pool(300), "of it for node AveragePool"},
		{"a convolution", conv(1), conv(60), "of it for node Conv "},
		{"suppression", suppress(100, 10), suppress(4000, 1000), "of it for node NonMaxSuppression"},
		{"a loop", counted(1000), counted(math.MaxInt64), "of it for node Loop"},
		{"loops in a loop", nested(3, 20), nested(4, 1000), "of it for node Loop"},
	} {
		ctx := op.WithLimit(t.Context(), op.Limit{Memory: 64e6, Time: 10 * time.Second})
		if strings.Contains(c.want, "of it for") {
			ctx = op.WithLimit(t.Context(), op.Limit{Time: 10 * time.Second})
		}
		if err := op.Infer(ctx, c.small); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := op.Infer(ctx, c.wide); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// counted is a graph with a Loop of so many iterations.
func counted(trips int64) *graph.Graph { return nested(1, trips) }

// nested is a graph with loops in each other, each of so many iterations.
func nested(depth int, trips int64) *graph.Graph {
	s := newSketch("nested")
	x := s.input("x", tir.F32, 4)
	var loop func(s sketch, depth int, v *graph.Value) *graph.Value
	loop = func(s sketch, depth int, v *graph.Value) *graph.Value {
		if depth == 0 {
			return s.apply("Neg", "deepest", v)
		}
		name := strings.Repeat("d", depth)
		b := newSketch(name)
		b.input(name+".i", tir.I64)
		on := b.input(name+".on", tir.Bool)
		in := b.input(name+".v", tir.F32, 4)
		made := loop(b, depth-1, in)
		body := b.output(b.apply("Identity", name+".then", on), made)
		n := constant(name+".n", graph.Ints(trips))
		return s.node("Loop", []string{name + ".y"}, []*graph.Value{n, nil, v}, sub("body", body))[0]
	}
	return s.output(loop(s, depth, x))
}

// TestDropped: what only folded nodes read loses its elements; what the body of a loop reads keeps them, though a
// folded node reads it last.
func TestDropped(t *testing.T) {
	s := newSketch("dropped")
	x := s.input("x", tir.F32, 2)
	own := s.apply("Neg", "own", constant("c", vector(1, 2)))
	shared := s.apply("Neg", "shared", constant("d", vector(3, 4)))
	b := newSketch("body")
	b.input("i", tir.I64)
	on := b.input("on", tir.Bool)
	v := b.input("v", tir.F32, 2)
	body := b.output(b.apply("Identity", "then", on), b.apply("Add", "sum", v, shared))
	loop := s.node("Loop", []string{"l"}, []*graph.Value{s.input("n", tir.I64), nil, x}, sub("body", body))[0]
	last := s.apply("Mul", "last", own, shared)
	g := s.output(s.apply("Add", "y", loop, last))
	if err := op.Infer(op.WithLimit(t.Context(), op.Limit{Memory: 1e6}), g); err != nil {
		t.Fatal(err)
	}
	if err := graph.Check(g); err != nil {
		t.Error(err)
	}
	if own.Const != nil || shared.Const == nil || last.Const == nil {
		t.Errorf("own %v, shared %v, last %v", own.Const, shared.Const, last.Const)
	}
}
