package compile

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	_ "github.com/wmtune/wmtune/graph/op/table" // the rows
	"github.com/wmtune/wmtune/tir"
)

// A Drawn is a random graph with inputs, and how exactly programs compute it.
type Drawn struct {
	Graph   *graph.Graph
	Inputs  []*graph.Tensor
	Largest []float64 // of each output: no element is larger
	Error   []float64 // of each output: how far a right result may be from the reference
}

// Draw draws a graph of so many nodes. The same seed gives the same graph. One of fewer nodes is the beginning of one
// of more, with other outputs: a graph that fails is made small that way. Elements are small, so that no sum
// overflows. Comparisons read only what every order of summation computes alike. An error is a defect of the operator
// table.
func Draw(seed uint64, nodes int) (*Drawn, error) {
	d := &drawer{r: rand.New(rand.NewPCG(seed, 17)), g: &graph.Graph{Name: "drawn"}, read: map[*graph.Value]bool{}}
	d.version = []int{18, 21}[d.r.IntN(2)]
	for range 1 + d.r.IntN(3) {
		d.input(d.floatType(), d.shape(d.r.IntN(5)))
	}
	for tries := 0; len(d.g.Nodes) < nodes && tries < 20*nodes; tries++ {
		d.step()
		if d.err != nil {
			return nil, fmt.Errorf("seed %d: %w\n%s", seed, d.err, d.g)
		}
	}
	return d.finish(), nil
}

// mostElems bounds the elements of a value.
const mostElems = 4096

// A bound says what is known of a value's elements: none is larger than max, and each result of a program differs by at
// most err from the reference. Where err is 0, all are multiples of 2^-unit.
type bound struct {
	max, err float64
	unit     int
}

// A drawnValue is a value with its bound.
type drawnValue struct {
	*graph.Value
	bound
}

type drawer struct {
	r       *rand.Rand
	g       *graph.Graph
	version int
	values  []*drawnValue // without constants
	inputs  []*graph.Tensor
	read    map[*graph.Value]bool
	names   int
	err     error
}

func (d *drawer) name(prefix string) string {
	d.names++
	return fmt.Sprintf("%s%d", prefix, d.names)
}

// shape draws a shape of small extents.
func (d *drawer) shape(rank int) []int64 {
	s := make([]int64, rank)
	for i := range s {
		s[i] = 1 + d.r.Int64N(6)
		if d.r.IntN(12) == 0 {
			s[i] = 8 + d.r.Int64N(12)
		}
	}
	return s
}

func (d *drawer) floatType() tir.DType { return tir.F32 }

// quarters returns a tensor of multiples of 1/4 between -2 and 2, or of integers from 0 to below.
func (d *drawer) quarters(t tir.DType, shape []int64, below int64) *graph.Tensor {
	x := graph.NewTensor(t, shape...)
	for i := range x.F {
		x.F[i] = float64(d.r.IntN(17)-8) / 4
	}
	for i := range x.I {
		x.I[i] = d.r.Int64N(below)
	}
	return x
}

func drawnBound(t tir.DType, below int64) bound {
	if t.IsFloat() {
		return bound{max: 2, unit: 2}
	}
	return bound{max: float64(below - 1)}
}

func (d *drawer) input(t tir.DType, shape []int64) *drawnValue { return d.inputBelow(t, shape, 2) }

// inputBelow adds an input; integers are from 0 to below.
func (d *drawer) inputBelow(t tir.DType, shape []int64, below int64) *drawnValue {
	v := &graph.Value{Name: d.name("in"), Type: t, Shape: shape, Ranked: true}
	d.g.Inputs = append(d.g.Inputs, v)
	d.inputs = append(d.inputs, d.quarters(t, shape, below))
	k := &drawnValue{v, drawnBound(t, below)}
	d.values = append(d.values, k)
	return k
}

// constant returns an initializer of drawn elements.
func (d *drawer) constant(t tir.DType, shape ...int64) *drawnValue {
	return &drawnValue{d.initializer(d.quarters(t, shape, 2)), drawnBound(t, 2)}
}

func (d *drawer) initializer(x *graph.Tensor) *graph.Value {
	return graph.Constant(d.name("c"), x)
}

func (d *drawer) ints(list ...int64) *graph.Value { return d.initializer(graph.Ints(list...)) }

// operand returns a constant or, at times, an input.
func (d *drawer) operand(t tir.DType, shape ...int64) *drawnValue {
	if d.r.IntN(4) == 0 && len(d.g.Inputs) < 6 {
		return d.input(t, shape)
	}
	return d.constant(t, shape...)
}

// pick returns a value that fits, a late one more often than not; nil if none does.
func (d *drawer) pick(fits func(*drawnValue) bool) *drawnValue {
	var list []*drawnValue
	for _, k := range d.values {
		if k.err <= 1e-3 && k.max <= 1e4 && fits(k) {
			list = append(list, k)
		}
	}
	if len(list) == 0 {
		return nil
	}
	if d.r.IntN(3) > 0 {
		list = list[max(0, len(list)-3):]
	}
	return list[d.r.IntN(len(list))]
}

func isFloat(k *drawnValue) bool  { return k.Type.IsFloat() }
func isNumber(k *drawnValue) bool { return k.Type != tir.Bool }
func anything(*drawnValue) bool   { return true }

// apply adds a node; it reports whether it did: one whose result would be too large is left out.
func (d *drawer) apply(name string, inputs []*graph.Value, outs []bound, attrs ...graph.Attr) bool {
	n := &graph.Node{Name: d.name("n"), Op: name, Version: d.version, Inputs: inputs}
	n.SetAttr(attrs...)
	for range outs {
		n.Outputs = append(n.Outputs, &graph.Value{Name: d.name("v")})
	}
	if _, err := op.InferNode(context.Background(), n); err != nil {
		d.err = fmt.Errorf("%s: %w", n, err)
		return false
	}
	for _, v := range n.Outputs {
		v.Const = nil // it stays a node, for the passes to fold
		if v.Elems() > mostElems || v.Elems() == 0 || v.Extents != nil {
			return false
		}
	}
	d.g.Nodes = append(d.g.Nodes, n)
	for _, v := range inputs {
		d.read[v] = true
	}
	for i, v := range n.Outputs {
		d.values = append(d.values, &drawnValue{v, settled(v.Type, outs[i])})
	}
	return true
}

// settled adds what rounding to type t costs.
func settled(t tir.DType, b bound) bound {
	if !t.IsFloat() {
		return b
	}
	if b.err > 0 || math.Ldexp(b.max, b.unit) > 1<<23 {
		b.err += 2e-6 * max(b.max, 1e-3)
	}
	return b
}

// exact reports whether programs compute exactly what the reference does.
func (b bound) exact() bool { return b.err == 0 && b.unit < 20 }

// rounded says that a function of slope at most slope, and at most max, is computed of b.
func (b bound) rounded(max, slope float64) bound { return bound{max, slope*b.err + 2e-6*max, 0} }

// either bounds what is an element of one or the other.
func either(list ...bound) bound {
	r := bound{}
	for _, b := range list {
		r = bound{max(r.max, b.max), max(r.err, b.err), max(r.unit, b.unit)}
	}
	return r
}

// finish chooses the outputs: what nobody reads, and some values besides.
func (d *drawer) finish() *Drawn {
	r := &Drawn{Graph: d.g, Inputs: d.inputs}
	for i, k := range d.values {
		if d.read[k.Value] && d.r.IntN(8) > 0 || i < len(d.g.Inputs) && d.read[k.Value] {
			continue
		}
		if slices.Contains(d.g.Inputs, k.Value) && len(d.g.Nodes) > 0 && d.r.IntN(4) > 0 {
			continue
		}
		d.g.Outputs = append(d.g.Outputs, k.Value)
		r.Largest, r.Error = append(r.Largest, k.max), append(r.Error, k.err)
	}
	return r
}

// Compare returns the first difference between results and the reference that is not rounding.
func (d *Drawn) Compare(got, want []*graph.Tensor) error {
	for i, w := range want {
		g, v := got[i], d.Graph.Outputs[i]
		if g.Type != w.Type || !slices.Equal(g.Shape, w.Shape) {
			return fmt.Errorf("output %s is %s%v, want %s%v", v.Name, g.Type, g.Shape, w.Type, w.Shape)
		}
		for k := range w.Len() {
			x, y := g.At(k), w.At(k)
			if !(math.Abs(x-y) <= 4*d.Error[i]+1e-6*math.Abs(y)) || math.Abs(y) > 1.001*d.Largest[i] {
				return fmt.Errorf("output %d, %s, element %d: got %v, want %v; at most %g, give or take %g",
					i, v.Name, k, x, y, d.Largest[i], 4*d.Error[i])
			}
		}
	}
	return nil
}
