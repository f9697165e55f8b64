package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A Builder adds the stages of operators to a DAG. It knows their types, and its style names them. The first mistake
// is kept, and returned by finish.
type Builder struct {
	*compute.Builder
	types
	style  *style
	unique func(name string) string // makes a name that no other stage has
	used   map[string]int           // how often a name was taken
	numIn  int                      // inputs so far
	err    error
}

// A result is what an operator computes, and which of its axes counts channels:
// the one that a bias runs along.
type result struct {
	compute.Tensor
	channel int
}

func newBuilder(s *style, store tir.DType) *Builder {
	g := &Builder{Builder: compute.NewBuilder(), types: typesOf(store), style: s, used: map[string]int{}}
	g.unique = g.fresh
	return g
}

// OfModel returns a Builder of the stages of a model's nodes in the style of whole models. It computes in elements of
// type t; unique makes a name that no other stage of b has.
func OfModel(b *compute.Builder, t tir.DType, unique func(name string) string) *Builder {
	return &Builder{Builder: b, types: types{store: t, arith: t, result: t}, style: &modelNames, unique: unique}
}

// refuse keeps the first reason why the operator cannot be built.
func (g *Builder) refuse(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// input adds a placeholder with elements of type t. Names that were used before
// get a number.
func (g *Builder) input(name string, t tir.DType, shape ...int64) compute.Tensor {
	shape = slices.Clone(shape)
	g.checkShape("input "+name, shape)
	name = g.fresh(g.style.inputName(name, g.numIn))
	g.numIn++
	return g.Placeholder(name, t, shape...)
}

// checkShape refuses empty and huge tensors; then it sets the sizes at fault to
// 1, so that building can go on. A model's tensors were checked before.
func (g *Builder) checkShape(what string, shape []int64) {
	if g.style.model {
		return
	}
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
func (g *Builder) fresh(name string) string {
	g.used[name]++
	if n := g.used[name]; n > 1 && !g.style.repeats {
		return fmt.Sprintf("%s%d", name, n)
	}
	return name
}

// A Stage is the head of an op: its name and axes, named by the style.
type Stage struct {
	name         string
	Axes, Reduce []*compute.Axis
}

// stage begins the op that the style knows as key, with the given extents. One that
// the style does not know is called by the key.
func (g *Builder) stage(key string, extents, reduce []int64) *Stage {
	n := g.style.names(key)
	s := &Stage{name: g.unique(n.name)}
	extents = slices.Clone(extents)
	g.checkShape("result "+s.name, extents)
	axes, _ := axisNames(n.axes, len(extents))
	reduced, _ := axisNames(n.reduce, len(reduce))
	s.Axes, s.Reduce = named(axes, extents), named(reduced, reduce)
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
func (s *Stage) at(i int) tir.Expr { return s.Axes[i].Var }

// r returns reduce axis i as an expression.
func (s *Stage) r(i int) tir.Expr { return s.Reduce[i].Var }

// index returns all spatial axes.
func (s *Stage) index() []tir.Expr { return compute.Vars(s.Axes) }

// all returns all axes, the reduced ones last.
func (s *Stage) all() []tir.Expr { return append(s.index(), compute.Vars(s.Reduce)...) }

// read returns an element of t in the type of arithmetic.
func (g *Builder) read(t compute.Tensor, index ...tir.Expr) tir.Expr {
	return cast(g.arith, t.At(index...))
}

// A Reader returns an element of an operand in the type of arithmetic.
type Reader func(at []tir.Expr) tir.Expr

func (g *Builder) reader(t compute.Tensor) Reader {
	return func(at []tir.Expr) tir.Expr { return g.read(t, at...) }
}

// SumOf adds an op that sums source over the stage's reduce axes.
func (g *Builder) SumOf(s *Stage, source tir.Expr, attrs compute.Attrs) compute.Tensor {
	return g.SumWith(s.name, s.Axes, s.Reduce, source, attrs)
}

// Fold adds an op that folds source over the stage's reduce axes.
func (g *Builder) Fold(s *Stage, kind compute.CombineKind, source tir.Expr) compute.Tensor {
	return g.FoldTo(s, compute.NewCombiner(kind, source.DType()), source)[0]
}

// FoldTo is Fold of several sources at once. Without axes to reduce, nothing is folded.
func (g *Builder) FoldTo(s *Stage, c *compute.Combiner, sources ...tir.Expr) []compute.Tensor {
	switch {
	case len(s.Reduce) == 0:
		c = nil
	case g.isLong(s, c):
		return []compute.Tensor{g.sumLong(s, c, sources[0])}
	}
	return g.Reduce(s.name, s.Axes, s.Reduce, c, sources, compute.Attrs{})
}

// Pointwise adds an op without a reduction.
func (g *Builder) Pointwise(s *Stage, body tir.Expr) compute.Tensor {
	return g.Compute(s.name, s.Axes, body)
}

// constant returns v in the type of arithmetic.
func (g *Builder) constant(v float64) tir.Expr { return g.constantOf(g.arith, v) }

// constantOf returns v as a constant of type t, rounded to what t can hold, so
// that every emitter has the same value. Constants of models are rounded where they are read.
func (g *Builder) constantOf(t tir.DType, v float64) tir.Expr {
	if t == tir.F32 && !g.style.model {
		v = float64(float32(v))
	}
	return tir.Const(t, v)
}

// finish converts the result to the result type and returns the DAG.
func (g *Builder) finish(r result) (*compute.DAG, error) {
	if r.Type == g.arith && g.types.result != g.arith {
		s := g.stage("cast", r.Shape, nil)
		r.Tensor = g.Pointwise(s, cast(g.types.result, r.At(s.index()...)))
	}
	if g.err != nil {
		return nil, g.err
	}
	return g.Build(r.Tensor)
}

// needFloat refuses integer types for what is only defined on floats.
func (g *Builder) needFloat(what string) {
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

// plus returns x+n, or x if n is 0.
func plus(x tir.Expr, n int64) tir.Expr {
	switch {
	case n == 0:
		return x
	case n < 0:
		return sub(x, tir.Int(-n))
	}
	return add(x, tir.Int(n))
}

func call(f tir.Intrinsic, x tir.Expr) tir.Expr {
	return &tir.Call{Fn: f, Args: []tir.Expr{x}}
}
