package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A graph is a DAG in the making: a builder, the types and the names to use.
// The first mistake is kept, and returned by finish.
type graph struct {
	*compute.Builder
	types
	style *style
	used  map[string]int // how often a name was taken
	numIn int            // inputs so far
	err   error
}

// A result is what an operator computes, and which of its axes counts channels:
// the one that a bias runs along.
type result struct {
	compute.Tensor
	channel int
}

func newGraph(s *style, store tir.DType) *graph {
	return &graph{Builder: compute.NewBuilder(), types: typesOf(store), style: s, used: map[string]int{}}
}

// refuse keeps the first reason why the operator cannot be built.
func (g *graph) refuse(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// input adds a placeholder with elements of type t. Names that were used before
// get a number.
func (g *graph) input(name string, t tir.DType, shape ...int64) compute.Tensor {
	shape = slices.Clone(shape)
	g.checkShape("input "+name, shape)
	name = g.fresh(g.style.inputName(name, g.numIn))
	g.numIn++
	return g.Placeholder(name, t, shape...)
}

// checkShape refuses empty and huge tensors; then it sets the sizes at fault to
// 1, so that building can go on.
func (g *graph) checkShape(what string, shape []int64) {
	elements := int64(1)
	for d, n := range shape {
		if n < 1 {
			g.refuse("%s would have the shape %v: the input is too small, every size must be at least 1", what, shape)
			shape[d] = 1
		} else if elements > maxElements/n {
			g.refuse("%s would have the shape %v: more than 2^40 elements", what, shape)
			shape[d] = 1
		}
		elements *= shape[d]
	}
}

// maxElements bounds tensors, far above what fits any memory, so that sizes in
// bytes do not overflow.
const maxElements = 1 << 40

// fresh returns name, or name2, name3... if it was taken before. The styles of
// logs repeat names, as the logs do.
func (g *graph) fresh(name string) string {
	g.used[name]++
	if n := g.used[name]; n > 1 && !g.style.repeats {
		return fmt.Sprintf("%s%d", name, n)
	}
	return name
}

// A stage is the head of an op: its name and axes, named by the style.
type stage struct {
	name         string
	axes, reduce []*compute.Axis
}

// stage begins the op that the style knows as key, with the given extents. One that
// the style does not know is called by the key.
func (g *graph) stage(key string, extents, reduce []int64) *stage {
	n, ok := g.style.stages[key]
	if !ok {
		n = names{name: key, axes: "i#", reduce: "k#"}
	}
	s := &stage{name: g.fresh(n.name)}
	extents = slices.Clone(extents)
	g.checkShape("result "+s.name, extents)
	s.axes = named(axisNames(n.axes, len(extents)), extents)
	s.reduce = named(axisNames(n.reduce, len(reduce)), reduce)
	return s
}

func named(names []string, extents []int64) []*compute.Axis {
	var list []*compute.Axis
	for i, n := range extents {
		list = append(list, compute.NewAxis(names[i], n))
	}
	return list
}

// at returns spatial axis i as an expression.
func (s *stage) at(i int) tir.Expr { return s.axes[i].Var }

// r returns reduce axis i as an expression.
func (s *stage) r(i int) tir.Expr { return s.reduce[i].Var }

// index returns all spatial axes.
func (s *stage) index() []tir.Expr { return compute.Vars(s.axes) }

// read returns an element of t in the type of arithmetic.
func (g *graph) read(t compute.Tensor, index ...tir.Expr) tir.Expr {
	return cast(g.arith, t.At(index...))
}

// sum adds an op that sums source over the stage's reduce axes.
func (g *graph) sum(s *stage, source tir.Expr, attrs compute.Attrs) compute.Tensor {
	return g.SumWith(s.name, s.axes, s.reduce, source, attrs)
}

// pointwise adds an op without a reduction.
func (g *graph) pointwise(s *stage, body tir.Expr) compute.Tensor {
	return g.Compute(s.name, s.axes, body)
}

// constant returns v in the type of arithmetic.
func (g *graph) constant(v float64) tir.Expr { return constant(g.arith, v) }

// finish converts the result to the result type and returns the DAG.
func (g *graph) finish(r result) (*compute.DAG, error) {
	if r.Type == g.arith && g.types.result != g.arith {
		s := g.stage("cast", r.Shape, nil)
		r.Tensor = g.pointwise(s, cast(g.types.result, r.At(s.index()...)))
	}
	if g.err != nil {
		return nil, g.err
	}
	return g.Build(r.Tensor)
}

// needFloat refuses integer types for what is only defined on floats.
func (g *graph) needFloat(what string) {
	if !g.arith.IsFloat() {
		g.refuse("%s needs a floating-point dtype, not %s: take f32, f64, f16 or bf16", what, dtypeName(g.store))
	}
}

func mul(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Mul, x, y) }
func add(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Add, x, y) }
func sub(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Sub, x, y) }

// times returns x*n, or x if n is 1.
func times(x tir.Expr, n int64) tir.Expr {
	if n == 1 {
		return x
	}
	return mul(x, tir.Int(n))
}

func call(f tir.Intrinsic, x tir.Expr) tir.Expr {
	return &tir.Call{Fn: f, Args: []tir.Expr{x}}
}
