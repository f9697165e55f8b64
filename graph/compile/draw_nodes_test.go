package compile

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// step adds a node, or does nothing if the one that was drawn does not fit.
func (d *drawer) step() bool {
	steps := []func() bool{
		d.unary, d.unary, d.binary, d.binary, d.binary, d.compare, d.logic, d.where, d.cast, d.reduce, d.reduce, d.argument,
		d.matmul, d.matmul, d.heads, d.attention, d.gemm, d.conv, d.conv, d.pool, d.batchNorm, d.normalize, d.softmax,
		d.transpose, d.transpose, d.reshape, d.reshape, d.unsqueeze, d.concat, d.split, d.slice, d.pad, d.expand,
		d.gather, d.gather, d.resize, d.cumsum, d.constantNode, d.topK, d.flatten, d.tile, d.depth,
	}
	return steps[d.r.IntN(len(steps))]()
}

// values returns what nodes read.
func values(list ...*drawnValue) []*graph.Value {
	r := make([]*graph.Value, len(list))
	for i, k := range list {
		r[i] = k.Value
	}
	return r
}

// unaries are functions of one operand: what they are at most of b, and their slope.
var unaries = []struct {
	op    string
	bound func(b bound) bound
	attrs []graph.Attr
}{
	{"Relu", unchanged, nil}, {"Neg", unchanged, nil}, {"Abs", unchanged, nil}, {"Identity", unchanged, nil},
	{"Sigmoid", func(b bound) bound { return b.rounded(1, 1) }, nil},
	{"Tanh", func(b bound) bound { return b.rounded(1, 1) }, nil},
	{"Erf", func(b bound) bound { return b.rounded(1, 2) }, nil},
	{"Softplus", func(b bound) bound { return b.rounded(b.max+1, 1) }, nil},
	{"Elu", func(b bound) bound { return b.rounded(max(b.max, 1), 1) }, nil},
	{"LeakyRelu", func(b bound) bound { return b.rounded(b.max, 1) }, []graph.Attr{graph.FloatAttr("alpha", 0.1)}},
	{"HardSigmoid", func(b bound) bound { return b.rounded(1, 1) }, nil},
	{"HardSwish", func(b bound) bound { return b.rounded(b.max, 2) }, nil},
	{"Softsign", func(b bound) bound { return b.rounded(1, 1) }, nil},
	{"Celu", func(b bound) bound { return b.rounded(max(b.max, 1), 1) }, nil},
	{"Selu", func(b bound) bound { return b.rounded(2*max(b.max, 1), 2) }, nil},
	{"Mish", func(b bound) bound { return b.rounded(b.max+1, 2) }, nil},
	{"Sin", func(b bound) bound { return b.rounded(1, 1) }, nil},
	{"Cos", func(b bound) bound { return b.rounded(1, 1) }, nil},
	{"Atan", func(b bound) bound { return b.rounded(2, 1) }, nil},
}

func unchanged(b bound) bound { return b }

func (d *drawer) unary() bool {
	x := d.pick(isFloat)
	if x == nil {
		return false
	}
	switch d.r.IntN(8) {
	case 0:
		if x.exact() {
			name := []string{"Floor", "Ceil", "Round", "Sign"}[d.r.IntN(4)]
			return d.apply(name, values(x), []bound{{max: max(x.max+1, 1)}})
		}
	case 1:
		low, high := d.initializer(graph.Scalar(tir.F32, -1)), d.initializer(graph.Scalar(tir.F32, 1.5))
		return d.apply("Clip", []*graph.Value{x.Value, low, high}, []bound{{1.5, x.err, max(x.unit, 1)}})
	case 2:
		if x.max <= 4 {
			return d.apply("Exp", values(x), []bound{x.rounded(math.Exp(x.max), math.Exp(x.max))})
		}
	}
	u := unaries[d.r.IntN(len(unaries))]
	return d.apply(u.op, values(x), []bound{u.bound(x.bound)}, u.attrs...)
}

// partner returns a value or a constant that broadcasts with x.
func (d *drawer) partner(x *drawnValue) *drawnValue {
	if d.r.IntN(2) == 0 {
		if y := d.pick(func(k *drawnValue) bool { return k.Type == x.Type && broadcasts(k.Shape, x.Shape) }); y != nil {
			return y
		}
	}
	shape := slices.Clone(x.Shape[d.r.IntN(len(x.Shape)+1):])
	for i := range shape {
		if d.r.IntN(3) == 0 {
			shape[i] = 1
		}
	}
	return d.operand(x.Type, shape...)
}

func broadcasts(a, b []int64) bool {
	for i := range min(len(a), len(b)) {
		if x, y := a[len(a)-1-i], b[len(b)-1-i]; x != y && x != 1 && y != 1 {
			return false
		}
	}
	return true
}

func (d *drawer) binary() bool {
	x := d.pick(isNumber)
	if x == nil || x.Type == tir.I64 && x.max > 1e3 {
		return false
	}
	y := d.partner(x)
	inputs := []*drawnValue{x, y}
	if d.r.IntN(2) == 0 {
		inputs = []*drawnValue{y, x}
	}
	switch name := []string{"Add", "Add", "Sub", "Mul", "Mul", "Max", "Min", "Div"}[d.r.IntN(8)]; name {
	case "Add", "Sub":
		return d.apply(name, values(inputs...), []bound{{x.max + y.max, x.err + y.err, max(x.unit, y.unit)}})
	case "Mul":
		return d.apply(name, values(inputs...), []bound{{x.max * y.max, x.err*y.max + y.err*x.max, x.unit + y.unit}})
	case "Max", "Min":
		return d.apply(name, values(inputs...), []bound{either(x.bound, y.bound)})
	default:
		if x.Type.IsFloat() { // by a constant that is not 0
			by := d.initializer(graph.Scalar(tir.F32, []float64{2, -3, 0.7}[d.r.IntN(3)]))
			return d.apply("Div", []*graph.Value{x.Value, by}, []bound{x.rounded(2*x.max, 2)})
		}
		by := graph.Scalar(x.Type, float64(1+d.r.IntN(5)))
		return d.apply("Div", []*graph.Value{x.Value, d.initializer(by)}, []bound{x.bound})
	}
}

func (d *drawer) compare() bool {
	x := d.pick(func(k *drawnValue) bool { return isNumber(k) && k.exact() })
	if x == nil {
		return false
	}
	y := d.partner(x)
	if !y.exact() {
		return false
	}
	name := []string{"Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"}[d.r.IntN(5)]
	return d.apply(name, values(x, y), []bound{{max: 1}})
}

func (d *drawer) logic() bool {
	x := d.pick(func(k *drawnValue) bool { return k.Type == tir.Bool })
	if x == nil {
		return false
	}
	if d.r.IntN(4) == 0 {
		return d.apply("Not", values(x), []bound{{max: 1}})
	}
	return d.apply([]string{"And", "Or", "Xor"}[d.r.IntN(3)], values(x, d.partner(x)), []bound{{max: 1}})
}

func (d *drawer) where() bool {
	x := d.pick(isNumber)
	if x == nil {
		return false
	}
	c := d.pick(func(k *drawnValue) bool { return k.Type == tir.Bool && broadcasts(k.Shape, x.Shape) })
	if c == nil {
		c = d.operand(tir.Bool, x.Shape...)
	}
	y := d.partner(x)
	if !broadcasts(c.Shape, y.Shape) {
		return false
	}
	inputs := []*drawnValue{c, x, y}
	if d.r.IntN(2) == 0 {
		inputs = []*drawnValue{c, y, x}
	}
	return d.apply("Where", values(inputs...), []bound{either(x.bound, y.bound)})
}

func (d *drawer) cast() bool {
	x := d.pick(func(k *drawnValue) bool { return k.exact() })
	if x == nil {
		return false
	}
	codes := map[tir.DType]int64{tir.F32: 1, tir.I32: 6, tir.I64: 7, tir.Bool: 9}
	to := []tir.DType{tir.F32, tir.F32, tir.I32, tir.I64, tir.Bool}[d.r.IntN(5)]
	b := bound{max: max(x.max, 1)}
	if to.IsFloat() {
		b = x.bound
	}
	return d.apply("Cast", values(x), []bound{b}, graph.IntAttr("to", codes[to]))
}

// axes draws some axes of a shape, at least one, some of them counted from the end.
func (d *drawer) axes(rank int) []int64 {
	var list []int64
	for i := range rank {
		if d.r.IntN(2) == 0 || i == rank-1 && list == nil {
			list = append(list, int64(i-rank*d.r.IntN(2)))
		}
	}
	return list
}

func (d *drawer) reduce() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) > 0 })
	if x == nil {
		return false
	}
	axes := d.axes(len(x.Shape))
	n := 1.0
	for _, a := range axes {
		n *= float64(x.Shape[(int(a)+len(x.Shape))%len(x.Shape)])
	}
	sum := bound{n * x.max, n * x.err, x.unit}
	keep := graph.IntAttr("keepdims", int64(d.r.IntN(2)))
	apply := func(name string, b bound) bool {
		return d.apply(name, []*graph.Value{x.Value, d.ints(axes...)}, []bound{b}, keep)
	}
	switch d.r.IntN(6) {
	case 0:
		return apply("ReduceSum", sum)
	case 1:
		return apply("ReduceMean", x.rounded(x.max, 1))
	case 2:
		return apply("ReduceMax", x.bound)
	case 3:
		return apply("ReduceMin", x.bound)
	case 4:
		return apply("ReduceL1", sum)
	default:
		return apply("ReduceSumSquare", bound{n * x.max * x.max, 2 * n * x.max * x.err, 2 * x.unit})
	}
}

func (d *drawer) argument() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) > 0 && k.exact() })
	if x == nil {
		return false
	}
	axis := d.r.IntN(len(x.Shape))
	return d.apply([]string{"ArgMax", "ArgMin"}[d.r.IntN(2)], values(x), []bound{{max: float64(x.Shape[axis])}},
		graph.IntAttr("axis", int64(axis)), graph.IntAttr("keepdims", int64(d.r.IntN(2))),
		graph.IntAttr("select_last_index", int64(d.r.IntN(2))))
}

func (d *drawer) topK() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) > 0 && k.exact() })
	if x == nil {
		return false
	}
	axis := d.r.IntN(len(x.Shape))
	n := x.Shape[axis]
	return d.apply("TopK", []*graph.Value{x.Value, d.ints(1 + d.r.Int64N(n))}, []bound{x.bound, {max: float64(n)}},
		graph.IntAttr("axis", int64(axis)), graph.IntAttr("largest", int64(d.r.IntN(2))))
}

// sums is the bound of a sum of n products.
func sums(x, y bound, n int64) bound {
	k := float64(n)
	return bound{k * x.max * y.max, k * (x.err*y.max + y.err*x.max), x.unit + y.unit}
}

func (d *drawer) matmul() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) > 0 && k.max < 100 })
	if x == nil {
		return false
	}
	k := x.Shape[len(x.Shape)-1]
	y := d.pick(func(y *drawnValue) bool { // of another value
		r := len(y.Shape)
		return isFloat(y) && y.max < 100 && r >= 2 && y.Shape[r-2] == k &&
			(len(x.Shape) < 3 || broadcasts(x.Shape[:len(x.Shape)-2], y.Shape[:r-2]))
	})
	if y == nil || d.r.IntN(2) == 0 {
		shape := []int64{k, 1 + d.r.Int64N(8)}
		if len(x.Shape) > 2 && d.r.IntN(2) == 0 {
			shape = append(slices.Clone(x.Shape[:len(x.Shape)-2]), shape...)
		}
		y = d.operand(tir.F32, shape...)
	}
	return d.apply("MatMul", values(x, y), []bound{sums(x.bound, y.bound, k)})
}

// heads draws what attention does with a product: its columns are divided among heads, which are transposed, perhaps
// cut, and perhaps multiplied with what else is made of the product.
func (d *drawer) heads() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) == 2 && k.max < 20 })
	if x == nil {
		return false
	}
	rows, heads, size := x.Shape[0], 1+d.r.Int64N(3), []int64{4, 16}[d.r.IntN(2)]
	last := func() *drawnValue { return d.values[len(d.values)-1] }
	w := d.operand(tir.F32, x.Shape[1], heads*size)
	if !d.apply("MatMul", values(x, w), []bound{sums(x.bound, w.bound, x.Shape[1])}) {
		return false
	}
	y := last()
	shape := [][]int64{{rows, heads, size}, {1, rows, heads, size}}[d.r.IntN(2)]
	if !d.apply("Reshape", []*graph.Value{y.Value, d.ints(shape...)}, []bound{y.bound}) {
		return false
	}
	split := last()
	perms := [][]int64{{1, 0, 2}, {1, 2, 0}, {2, 0, 1}}
	if len(shape) == 4 {
		perms = [][]int64{{0, 2, 1, 3}, {0, 2, 3, 1}, {2, 0, 1, 3}}
	}
	var made []*drawnValue
	for range 1 + d.r.IntN(2) {
		perm := perms[d.r.IntN(len(perms))]
		if !d.apply("Transpose", values(split), []bound{y.bound}, graph.IntsAttr("perm", perm...)) {
			return false
		}
		made = append(made, last())
	}
	x, w = made[0], made[len(made)-1]
	a, b := x.Shape, w.Shape
	if len(a) != len(b) || a[len(a)-1] != b[len(b)-2] || !broadcasts(a[:len(a)-2], b[:len(b)-2]) || y.max > 100 {
		return true
	}
	return d.apply("MatMul", values(x, w), []bound{sums(x.bound, w.bound, a[len(a)-1])})
}

// attention is a softmax of scores, perhaps with a mask, times values. Someone may read the weights, too.
func (d *drawer) attention() bool {
	queries, keys, size := 1+d.r.Int64N(24), 1+d.r.Int64N(12), 1+d.r.Int64N(20)
	stack := [][]int64{{}, {2}, {1, 3}}[d.r.IntN(3)]
	shape := func(rows, columns int64) []int64 { return append(slices.Clone(stack), rows, columns) }
	last := func() *drawnValue { return d.values[len(d.values)-1] }
	q, k := d.operand(tir.F32, shape(queries, 4)...), d.operand(tir.F32, shape(4, keys)...)
	if !d.apply("MatMul", values(q, k), []bound{sums(q.bound, k.bound, 4)}) {
		return false
	}
	s := last()
	if d.r.IntN(2) == 0 {
		mask := d.operand(tir.F32, queries, keys)
		if !d.apply("Add", values(s, mask), []bound{{s.max + mask.max, s.err + mask.err, max(s.unit, mask.unit) + 1}}) {
			return false
		}
		s = last()
	}
	if !d.apply("Softmax", values(s), []bound{s.rounded(1, 2)}, graph.IntAttr("axis", -1)) {
		return false
	}
	p, v := last(), d.operand(tir.F32, shape(keys, size)...)
	return d.apply("MatMul", values(p, v), []bound{sums(p.bound, v.bound, keys)})
}

func (d *drawer) gemm() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) == 2 && k.max < 100 })
	if x == nil {
		return false
	}
	k, n := x.Shape[1], 1+d.r.Int64N(8)
	attrs := []graph.Attr{graph.FloatAttr("alpha", 0.5)}
	shape := []int64{k, n}
	if d.r.IntN(2) == 0 {
		shape, attrs = []int64{n, k}, append(attrs, graph.IntAttr("transB", 1))
	}
	y, z := d.operand(tir.F32, shape...), d.operand(tir.F32, n)
	b := sums(x.bound, y.bound, k)
	return d.apply("Gemm", values(x, y, z), []bound{{b.max + z.max, b.err + z.err, b.unit + 1}}, attrs...)
}

// image returns a value of two dimensions and more for images: [n, c, ...].
func (d *drawer) image() *drawnValue {
	return d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) >= 3 && k.max < 100 })
}

func (d *drawer) conv() bool {
	x := d.image()
	if x == nil {
		if len(d.g.Inputs) > 4 {
			return false
		}
		x = d.input(tir.F32, d.shape(4))
	}
	c, rank := x.Shape[1], len(x.Shape)-2
	group, out := int64(1), 1+d.r.Int64N(6)
	if d.r.IntN(3) == 0 {
		group, out = c, c*(1+d.r.Int64N(2))
	}
	w, strides, pads, dilations := []int64{out, c / group}, []int64{}, make([]int64, 2*rank), []int64{}
	n := c / group
	for i := range rank {
		k, dil := 1+d.r.Int64N(3), 1+d.r.Int64N(2)
		pads[i], pads[rank+i] = d.r.Int64N(2), d.r.Int64N(2)
		if dil*(k-1)+1 > x.Shape[2+i]+pads[i]+pads[rank+i] {
			k = 1
		}
		w, strides, dilations, n = append(w, k), append(strides, 1+d.r.Int64N(2)), append(dilations, dil), n*k
	}
	weights := d.operand(tir.F32, w...)
	if d.r.IntN(3) > 0 {
		weights = d.constant(tir.F32, w...)
	}
	inputs, b := []*drawnValue{x, weights}, sums(x.bound, weights.bound, n)
	if d.r.IntN(2) == 0 {
		inputs = append(inputs, d.constant(tir.F32, out))
		b = bound{b.max + 2, b.err, b.unit}
	}
	return d.apply("Conv", values(inputs...), []bound{b}, graph.IntAttr("group", group),
		graph.IntsAttr("strides", strides...), graph.IntsAttr("pads", pads...), graph.IntsAttr("dilations", dilations...))
}

func (d *drawer) pool() bool {
	x := d.image()
	if x == nil {
		return false
	}
	if d.r.IntN(4) == 0 {
		if d.r.IntN(2) == 0 {
			return d.apply("GlobalMaxPool", values(x), []bound{x.bound})
		}
		return d.apply("GlobalAveragePool", values(x), []bound{x.rounded(x.max, 1)})
	}
	rank := len(x.Shape) - 2
	kernel, strides, pads := []int64{}, []int64{}, make([]int64, 2*rank)
	for i := range rank {
		k := 1 + d.r.Int64N(min(3, x.Shape[2+i]))
		kernel, strides = append(kernel, k), append(strides, 1+d.r.Int64N(2))
		pads[i], pads[rank+i] = d.r.Int64N(k), d.r.Int64N(k)
	}
	attrs := []graph.Attr{graph.IntsAttr("kernel_shape", kernel...), graph.IntsAttr("strides", strides...),
		graph.IntsAttr("pads", pads...), graph.IntAttr("ceil_mode", int64(d.r.IntN(2)))}
	if d.r.IntN(2) == 0 {
		return d.apply("MaxPool", values(x), []bound{x.bound}, attrs...)
	}
	attrs = append(attrs, graph.IntAttr("count_include_pad", int64(d.r.IntN(2))))
	return d.apply("AveragePool", values(x), []bound{x.rounded(x.max, 1)}, attrs...)
}
