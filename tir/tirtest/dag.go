// Package tirtest makes random compute DAGs, step lists and tensors for tests:
// of lowering against the interpreter, of emitters against both. Everything is
// drawn from the generator that the caller passes, so a seed names a test case.
//
// It must not be imported by anything but tests.
package tirtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// RandomDAG returns a small compute DAG of a random kind: a few thousand
// multiplications at most, extents of 1 and primes among them, any element
// type. Ops declare all inputs layout-free. Some DAGs have intermediate results
// among their outputs, in some all that is computed has one name, in some
// sums start from 3, and in some those of float32 are wide. The first result is the kind's name.
func RandomDAG(r *rand.Rand) (kind string, d *compute.DAG) {
	k := dagKinds[r.IntN(len(dagKinds))]
	g := newGen(r)
	g.storage = storageTypes[r.IntN(len(storageTypes))]
	if k.floats {
		g.storage = floatTypes[r.IntN(len(floatTypes))]
	}
	g.t = arithmeticType(g.storage)
	k.build(g)
	kind, d = fmt.Sprintf("%s/%s", k.name, g.storage), g.dag()
	if r.IntN(3) == 0 {
		d = withMoreOutputs(r, d)
	}
	if r.IntN(8) == 0 {
		shareName(d)
	}
	if r.IntN(6) == 0 {
		startSums(d)
	}
	if r.IntN(4) == 0 {
		widenSums(d)
	}
	return kind, d
}

// withMoreOutputs returns d with some of its intermediate results as outputs, too.
func withMoreOutputs(r *rand.Rand, d *compute.DAG) *compute.DAG {
	tensors, outputs := slices.Clone(d.Tensors), d.Outputs
	for _, op := range d.Ops {
		for _, b := range op.Results {
			if !op.IsPlaceholder() && !slices.Contains(d.Results(), b) && r.IntN(2) == 0 {
				tensors, outputs = append(tensors, b), outputs+1
			}
		}
	}
	more, err := compute.FromOps(tensors, outputs, d.Ops)
	if err != nil {
		panic("BUG: tirtest: " + err.Error())
	}
	return more
}

// shareName gives all ops that compute something, and their results, the name of the last.
func shareName(d *compute.DAG) {
	name := d.Ops[len(d.Ops)-1].Name
	for _, op := range d.Ops {
		if op.IsPlaceholder() {
			continue
		}
		for _, b := range op.Results {
			b.Name = name + strings.TrimPrefix(b.Name, op.Name)
		}
		op.Name = name
	}
}

// startSums has all sums start from 3: what starts several partial sums is found out.
func startSums(d *compute.DAG) {
	for _, op := range d.Ops {
		if op.Combine != nil && op.Combine.Kind == compute.Sum {
			op.Combine.Identity[0] = tir.Const(op.Results[0].Type, 3)
		}
	}
}

// widenSums has all sums of float32 accumulate in float64.
func widenSums(d *compute.DAG) {
	for _, op := range d.Ops {
		if op.Combine != nil && op.Combine.Kind == compute.Sum && op.Results[0].Type == tir.F32 {
			op.Combine.Wide = true
		}
	}
}

// DAGKinds lists the kinds that RandomDAG draws from.
func DAGKinds() []string {
	var list []string
	for _, k := range dagKinds {
		list = append(list, k.name)
	}
	return list
}

var dagKinds = []struct {
	name   string
	floats bool // only for float types
	build  func(*gen)
}{
	{"matmul", false, (*gen).matmul},
	{"batch_matmul", false, (*gen).batchMatmul},
	{"chained_matmul", false, (*gen).chainedMatmul},
	{"conv1d", false, (*gen).conv1d},
	{"conv2d", false, (*gen).conv2d},
	{"depthwise", false, (*gen).depthwise},
	{"pool", false, (*gen).pool},
	{"reduce", false, (*gen).reduce},
	{"softmax", true, (*gen).softmax},
	{"elementwise", false, (*gen).elementwise},
	{"argmax", false, (*gen).argmax},
	{"reindex", false, (*gen).reindex},
	{"gather", false, (*gen).gather},
	{"two_outputs", false, (*gen).twoOutputs},
	{"broadcasts", false, (*gen).broadcasts},
	{"bits", false, (*gen).bits},
	{"waves", true, (*gen).waves},
	{"scalars", false, (*gen).scalars},
	{"attention", true, (*gen).attention},
	{"inverse", true, (*gen).inverse},
}

var (
	storageTypes = []tir.DType{
		tir.F32, tir.F32, tir.F32, tir.F32, tir.F64, tir.F16, tir.BF16, tir.I8, tir.U8, tir.I32, tir.I64,
		tir.I16, tir.U16, tir.U32, tir.U64,
	}
	floatTypes = []tir.DType{tir.F32, tir.F32, tir.F64, tir.F16, tir.BF16}
)

// arithmeticType returns the type in which elements of a storage type are
// computed with.
func arithmeticType(t tir.DType) tir.DType {
	switch t {
	case tir.F16, tir.BF16:
		return tir.F32
	case tir.I8, tir.U8, tir.I16, tir.U16:
		return tir.I32
	}
	return t
}

// A gen builds one DAG.
type gen struct {
	*compute.Builder
	r       *rand.Rand
	storage tir.DType // of inputs
	t       tir.DType // of arithmetic
	inputs  map[*tir.Buffer]bool
	outputs []compute.Tensor
}

func newGen(r *rand.Rand) *gen {
	return &gen{Builder: compute.NewBuilder(), r: r, inputs: map[*tir.Buffer]bool{}}
}

func (g *gen) dag() *compute.DAG {
	d, err := g.Build(g.outputs...)
	if err != nil {
		panic("BUG: tirtest: " + err.Error())
	}
	return d
}

var extents = []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17}

// dims returns n random extents whose product is at most limit.
func (g *gen) dims(n int, limit int64) []int64 {
	for {
		list, p := make([]int64, n), int64(1)
		for i := range list {
			list[i] = extents[g.r.IntN(len(extents))]
			p *= list[i]
		}
		if p <= limit {
			return list
		}
	}
}

func (g *gen) coin() bool { return g.r.IntN(2) == 0 }

func (g *gen) input(name string, shape ...int64) *tir.Buffer {
	return g.typedInput(name, g.storage, shape...)
}

func (g *gen) typedInput(name string, t tir.DType, shape ...int64) *tir.Buffer {
	b := g.Placeholder(name, t, shape...).Buffer
	g.inputs[b] = true
	return b
}

// load reads b in the arithmetic type of its elements.
func load(b *tir.Buffer, index ...tir.Expr) tir.Expr {
	var e tir.Expr = &tir.Load{Buffer: b, Index: index}
	if t := arithmeticType(b.Type); t != b.Type {
		e = &tir.Cast{X: e, To: t}
	}
	return e
}

var axisNames = []string{"i", "j", "k", "l", "m", "n"}

func axesOf(prefix string, shape []int64) ([]*compute.Axis, []tir.Expr) {
	axes := make([]*compute.Axis, len(shape))
	for d, n := range shape {
		axes[d] = compute.NewAxis(prefix+axisNames[d], n)
	}
	return axes, compute.Vars(axes)
}

// compute adds an op over a shape.
func (g *gen) compute(name string, shape []int64, body func(at []tir.Expr) tir.Expr) *tir.Buffer {
	axes, vars := axesOf("", shape)
	e := body(vars)
	return g.With(name, axes, e, g.constant(e)).Buffer
}

// fold adds a reduction of the body over the shapes.
func (g *gen) fold(kind compute.CombineKind, name string, shape, over []int64,
	body func(at, red []tir.Expr) tir.Expr,
) *tir.Buffer {
	axes, vars := axesOf("", shape)
	red, redVars := axesOf("r", over)
	e := body(vars, redVars)
	return g.Reduce(name, axes, red, compute.NewCombiner(kind, e.DType()), []tir.Expr{e}, g.constant(e))[0].Buffer
}

// constant declares all inputs that e reads constant: their layout may be chosen.
func (g *gen) constant(e tir.Expr) compute.Attrs {
	var a compute.Attrs
	tir.VisitExpr(e, func(x tir.Expr) bool {
		if l, ok := x.(*tir.Load); ok && g.inputs[l.Buffer] && !slices.Contains(a.LayoutFree, l.Buffer) {
			a.LayoutFree = append(a.LayoutFree, l.Buffer)
		}
		return true
	})
	return a
}

func lowest(t tir.DType) tir.Expr {
	if t.IsFloat() {
		return tir.Float(t, math.Inf(-1))
	}
	return compute.NewCombiner(compute.MaxOf, t).Identity[0]
}

func highest(t tir.DType) tir.Expr {
	if t.IsFloat() {
		return tir.Float(t, math.Inf(1))
	}
	return compute.NewCombiner(compute.MinOf, t).Identity[0]
}

func (g *gen) output(b *tir.Buffer) { g.outputs = append(g.outputs, compute.Tensor{Buffer: b}) }

func add(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Add, x, y) }
func sub(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Sub, x, y) }
func mul(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Mul, x, y) }
func times(x tir.Expr, c int64) tir.Expr {
	if c == 1 {
		return x
	}
	return mul(x, tir.Int(c))
}

// epilogue adds up to three elementwise ops to b and makes the last the output.
func (g *gen) epilogue(b *tir.Buffer) {
	for n := g.r.IntN(4); n > 0; n-- {
		t := arithmeticType(b.Type)
		switch name := fmt.Sprintf("e%d", n); g.r.IntN(5) {
		case 0:
			prev := b
			b = g.compute(name, b.Shape,
				func(at []tir.Expr) tir.Expr { return tir.Bin(tir.Max, load(prev, at...), tir.Const(t, 0)) })
		case 1:
			prev, last := b, b.Shape[len(b.Shape)-1]
			bias := g.typedInput(name+"_bias", t, last)
			b = g.compute(name, b.Shape,
				func(at []tir.Expr) tir.Expr { return add(load(prev, at...), load(bias, at[len(at)-1])) })
		case 2:
			prev := b
			other := g.input(name+"_in", b.Shape...)
			b = g.compute(name, b.Shape, func(at []tir.Expr) tir.Expr {
				return add(load(prev, at...), &tir.Cast{X: load(other, at...), To: t})
			})
		case 3: // in another type
			prev, to := b, storageTypes[g.r.IntN(len(storageTypes))]
			if !t.IsFloat() && to.IsFloat() || t.IsFloat() && !to.IsFloat() {
				to = t
			}
			b = g.compute(name, b.Shape, func(at []tir.Expr) tir.Expr { return &tir.Cast{X: load(prev, at...), To: to} })
		case 4:
			prev := b
			b = g.compute(name, b.Shape, func(at []tir.Expr) tir.Expr {
				x := load(prev, at...)
				return &tir.Select{Cond: tir.Bin(tir.LT, x, tir.Const(t, 1)), Then: mul(x, tir.Const(t, 3)), Else: x}
			})
		}
	}
	g.output(b)
}
