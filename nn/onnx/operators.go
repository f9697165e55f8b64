package onnx

import (
	"cmp"
	"math"
	"slices"

	"gorgonia.org/tensor"

	"github.com/wmtune/wmtune/nn/kernel"
)

// An operator computes the outputs of a call.
type operator struct {
	name        string
	least, most int // inputs
	run         func(m *memory, c *call, in []Tensor) []Tensor
}

const anyInputs = 1 << 20

// operators are all that are supported. There are no loops and no branches.
var operators = []operator{
	{"Add", 2, 2, elementwise(func(x, y float32) float32 { return x + y }, func(x, y int64) int64 { return x + y })},
	{"Sub", 2, 2, elementwise(func(x, y float32) float32 { return x - y }, func(x, y int64) int64 { return x - y })},
	{"Mul", 2, 2, elementwise(func(x, y float32) float32 { return x * y }, func(x, y int64) int64 { return x * y })},
	{"Div", 2, 2, elementwise(func(x, y float32) float32 { return x / y }, divide)},
	{"Max", 1, anyInputs, elementwise(larger[float32], larger[int64])},
	{"Min", 1, anyInputs, elementwise(smaller[float32], smaller[int64])},
	{"Pow", 2, 2, runPow},
	{"Equal", 2, 2, compare(func(x, y float32) bool { return x == y }, func(x, y int64) bool { return x == y })},
	{"Less", 2, 2, compare(func(x, y float32) bool { return x < y }, func(x, y int64) bool { return x < y })},
	{"LessOrEqual", 2, 2, compare(func(x, y float32) bool { return x <= y }, func(x, y int64) bool { return x <= y })},
	{"Greater", 2, 2, compare(func(x, y float32) bool { return x > y }, func(x, y int64) bool { return x > y })},
	{"GreaterOrEqual", 2, 2, compare(func(x, y float32) bool { return x >= y }, func(x, y int64) bool { return x >= y })},
	{"And", 2, 2, compare(nil, func(x, y int64) bool { return x&y != 0 })},
	{"Or", 2, 2, compare(nil, func(x, y int64) bool { return x|y != 0 })},
	{"Not", 1, 1, runNot},
	{"Where", 3, 3, runWhere},

	{"Neg", 1, 1, each(func(x float64) float64 { return -x }, func(x int64) int64 { return -x })},
	{"Abs", 1, 1, each(math.Abs, func(x int64) int64 { return max(x, -x) })},
	{"Relu", 1, 1, each(func(x float64) float64 { return max(x, 0) }, func(x int64) int64 { return max(x, 0) })},
	{"Exp", 1, 1, each(math.Exp, nil)},
	{"Log", 1, 1, each(math.Log, nil)},
	{"Sqrt", 1, 1, each(math.Sqrt, nil)},
	{"Reciprocal", 1, 1, each(func(x float64) float64 { return 1 / x }, nil)},
	{"Tanh", 1, 1, each(math.Tanh, nil)},
	{"Sigmoid", 1, 1, each(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, nil)},
	{"Erf", 1, 1, each(math.Erf, nil)},
	{"Gelu", 1, 1, runGelu},
	{"Clip", 1, 3, runClip},
	{"Cast", 1, 1, runCast},
	{"Identity", 1, 1, runIdentity},
	{"Dropout", 1, 3, runIdentity}, // which does nothing but in training

	{"ReduceSum", 1, 2, reduce(func(x []float32) float64 { return sumOf(x, itself) })},
	{"ReduceMean", 1, 2, reduce(func(x []float32) float64 { return sumOf(x, itself) / float64(len(x)) })},
	{"ReduceSumSquare", 1, 2, reduce(func(x []float32) float64 { return sumOf(x, square) })},
	{"ReduceL2", 1, 2, reduce(func(x []float32) float64 { return math.Sqrt(sumOf(x, square)) })},
	{"ReduceMax", 1, 2, reduce(largestOf)},
	{"ReduceMin", 1, 2, reduce(smallestOf)},
	{"Softmax", 1, 1, runSoftmax},
	{"LayerNormalization", 2, 3, runLayerNormalization},
	{"CumSum", 2, 2, runCumSum},

	{"MatMul", 2, 2, runMatMul},
	{"Gemm", 2, 3, runGemm},

	{"Constant", 0, 0, runConstant},
	{"ConstantOfShape", 1, 1, runConstantOfShape},
	{"Range", 3, 3, runRange},
	{"Shape", 1, 1, runShape},
	{"Gather", 2, 2, runGather},
	{"Transpose", 1, 1, runTranspose},
	{"Reshape", 2, 2, runReshape},
	{"Flatten", 1, 1, runFlatten},
	{"Unsqueeze", 2, 2, runUnsqueeze},
	{"Squeeze", 1, 2, runSqueeze},
	{"Expand", 2, 2, runExpand},
	{"Concat", 1, anyInputs, runConcat},
	{"Split", 1, 2, runSplit},
	{"Slice", 3, 5, runSlice},
}

func operatorNamed(name string) *operator {
	for i := range operators {
		if operators[i].name == name {
			return &operators[i]
		}
	}
	return nil
}

// integer returns an attribute that is a number.
func (c *call) integer(name string, otherwise int) int {
	switch v := c.attrs[name].(type) {
	case nil:
		return otherwise
	case int64:
		if v >= -maxElements && v <= maxElements {
			return int(v)
		}
	}
	failf("attribute %s is %v", name, c.attrs[name])
	return 0
}

// float returns an attribute that is a float.
func (c *call) float(name string, otherwise float32) float32 {
	switch v := c.attrs[name].(type) {
	case nil:
		return otherwise
	case float32:
		return v
	}
	failf("attribute %s is %v", name, c.attrs[name])
	return 0
}

// integers returns an attribute that is a list of numbers, and whether it is there.
func (c *call) integers(name string) ([]int64, bool) {
	switch v := c.attrs[name].(type) {
	case nil:
		return nil, false
	case []int64:
		return v, true
	}
	failf("attribute %s is %v", name, c.attrs[name])
	return nil, false
}

// value returns an attribute that is a tensor.
func (c *call) value(name string) (Tensor, bool) {
	v, ok := c.attrs[name].(tensor.Tensor)
	if !ok {
		return Tensor{}, false
	}
	t, err := decoded(v)
	if err != nil {
		failf("attribute %s: %v", name, err)
	}
	return t, true
}

// axis returns an axis of a tensor of so many dimensions; negative ones count from
// the end.
func axis(a int64, rank int) int {
	if a < 0 {
		a += int64(rank)
	}
	if a < 0 || a >= int64(rank) {
		failf("axis %d of %d dimensions", a, rank)
	}
	return int(a)
}

// optional returns an input that may be left out.
func optional(in []Tensor, i int) (Tensor, bool) {
	if i >= len(in) || in[i].Type == 0 {
		return Tensor{}, false
	}
	return in[i], true
}

// wantInts panics unless a tensor holds integers.
func wantInts(t Tensor) []int64 {
	if t.Type == Float32 {
		failf("an input is of %s, not integers", t.Type)
	}
	return t.Ints
}

// wantFloats panics unless a tensor holds floats.
func wantFloats(t Tensor) []float32 {
	if t.Type != Float32 {
		failf("an input is of %s, not float32", t.Type)
	}
	return t.Floats
}

func larger[T cmp.Ordered](x, y T) T  { return max(x, y) }
func smaller[T cmp.Ordered](x, y T) T { return min(x, y) }
func itself(v float64) float64        { return v }
func square(v float64) float64        { return v * v }

func sumOf(x []float32, f func(v float64) float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += f(float64(v))
	}
	return sum
}

func largestOf(x []float32) float64 {
	most := math.Inf(-1)
	for _, v := range x {
		most = max(most, float64(v))
	}
	return most
}

func smallestOf(x []float32) float64 {
	least := math.Inf(1)
	for _, v := range x {
		least = min(least, float64(v))
	}
	return least
}

// axes returns the axes that an operator is about: its second input, or its attribute
// where the opset still has one. None means that there are none.
func (c *call) axes(in []Tensor, rank int) []int {
	list, _ := c.integers("axes")
	if t, ok := optional(in, 1); ok {
		list = wantInts(t)
	}
	var out []int
	for _, a := range list {
		out = append(out, axis(a, rank))
	}
	slices.Sort(out)
	if len(slices.Compact(slices.Clone(out))) < len(out) {
		failf("axes %v", list)
	}
	return out
}

// reduce returns an operator that makes one number of those along some axes.
func reduce(f func(x []float32) float64) func(*memory, *call, []Tensor) []Tensor {
	return func(m *memory, c *call, in []Tensor) []Tensor {
		x := in[0]
		wantFloats(x)
		axes := c.axes(in, len(x.Shape))
		if len(axes) == 0 {
			if c.integer("noop_with_empty_axes", 0) != 0 {
				return in[:1]
			}
			for i := range x.Shape {
				axes = append(axes, i)
			}
		}
		var perm, shape []int // the axes that stay, then those that go
		group := 1
		for i, d := range x.Shape {
			if slices.Contains(axes, i) {
				group *= d
				if c.integer("keepdims", 1) != 0 {
					shape = append(shape, 1)
				}
				continue
			}
			perm, shape = append(perm, i), append(shape, d)
		}
		x = transposed(m, x, append(perm, axes...))
		out := m.tensor(shape)
		for i := range out.Floats {
			out.Floats[i] = float32(f(x.Floats[i*group:][:group]))
		}
		return []Tensor{out}
	}
}

// lines calls f with the numbers along an axis, which it changes, in a copy of x.
func lines(m *memory, x Tensor, along int, f func(line []float64)) Tensor {
	out := m.tensor(x.Shape)
	copy(out.Floats, wantFloats(x))
	n, step := x.Shape[along], elements(x.Shape[along+1:])
	line := make([]float64, n)
	for first := range len(out.Floats) / max(n, 1) {
		at := first/step*step*n + first%step
		for i := range line {
			line[i] = float64(out.Floats[at+i*step])
		}
		f(line)
		for i, v := range line {
			out.Floats[at+i*step] = float32(v)
		}
	}
	return out
}

func runSoftmax(m *memory, c *call, in []Tensor) []Tensor {
	along := axis(int64(c.integer("axis", -1)), len(in[0].Shape))
	return []Tensor{lines(m, in[0], along, func(line []float64) {
		most, sum := slices.Max(line), 0.0
		for i, v := range line {
			line[i] = math.Exp(v - most)
			sum += line[i]
		}
		for i := range line {
			line[i] /= sum
		}
	})}
}

func runCumSum(m *memory, c *call, in []Tensor) []Tensor {
	if c.integer("exclusive", 0) != 0 || c.integer("reverse", 0) != 0 {
		failf("sums that are exclusive or from the end are not supported")
	}
	along := axis(wantInts(in[1])[0], len(in[0].Shape))
	if in[0].Type == Float32 {
		return []Tensor{lines(m, in[0], along, func(line []float64) {
			for i := 1; i < len(line); i++ {
				line[i] += line[i-1]
			}
		})}
	}
	out := m.ints(in[0].Type, in[0].Shape)
	n, step := in[0].Shape[along], elements(in[0].Shape[along+1:])
	for i, v := range in[0].Ints {
		out.Ints[i] = v
		if i/step%n > 0 {
			out.Ints[i] += out.Ints[i-step]
		}
	}
	return []Tensor{out}
}

// runLayerNormalization normalises over all dimensions from an axis on (Ba, Kiros and
// Hinton 2016).
func runLayerNormalization(m *memory, c *call, in []Tensor) []Tensor {
	x := in[0]
	wantFloats(x)
	from := axis(int64(c.integer("axis", -1)), len(x.Shape))
	epsilon := float64(c.float("epsilon", 1e-5))
	inner := x.Shape[from:]
	n := elements(inner)
	scale := expanded(m, in[1], inner)
	wantFloats(scale)
	bias, ok := optional(in, 2)
	if ok {
		bias = expanded(m, bias, inner)
		wantFloats(bias)
	}
	out := m.tensor(x.Shape)
	for at := 0; at < len(x.Floats); at += n {
		row := x.Floats[at:][:n]
		mean := sumOf(row, itself) / float64(n)
		variance := sumOf(row, func(v float64) float64 { return (v - mean) * (v - mean) }) / float64(n)
		for i, v := range row {
			y := (float64(v) - mean) / math.Sqrt(variance+epsilon) * float64(scale.Floats[i])
			if ok {
				y += float64(bias.Floats[i])
			}
			out.Floats[at+i] = float32(y)
		}
	}
	return []Tensor{out}
}

// runMatMul multiplies the matrices that the last two dimensions are, for all others,
// which are broadcast. A vector is a matrix of one row (on the left) or one column.
func runMatMul(m *memory, _ *call, in []Tensor) []Tensor {
	a, b := in[0], in[1]
	wantFloats(a)
	wantFloats(b)
	if len(a.Shape) == 0 || len(b.Shape) == 0 {
		failf("a product of a number: %v and %v", a.Shape, b.Shape)
	}
	row, column := len(a.Shape) == 1, len(b.Shape) == 1
	if row {
		a.Shape = []int{1, a.Shape[0]}
	}
	if column {
		b.Shape = []int{b.Shape[0], 1}
	}
	outer := broadcastShape(a.Shape[:len(a.Shape)-2], b.Shape[:len(b.Shape)-2])
	rows, inner := a.Shape[len(a.Shape)-2], a.Shape[len(a.Shape)-1]
	columns := b.Shape[len(b.Shape)-1]
	if b.Shape[len(b.Shape)-2] != inner {
		failf("a product of %v and %v", a.Shape, b.Shape)
	}
	shape := append([]int(nil), outer...)
	if !row {
		shape = append(shape, rows)
	}
	if !column {
		shape = append(shape, columns)
	}
	out := m.tensor(shape)
	if inner == 0 || len(out.Floats) == 0 {
		clear(out.Floats)
		return []Tensor{out}
	}
	as, bs := strides(a.Shape[:len(a.Shape)-2], outer), strides(b.Shape[:len(b.Shape)-2], outer)
	at := 0
	walk(append(outer, 1), append(as, 0), append(bs, 0), func(_, x, y int) {
		kernel.Multiply(out.Floats[at:][:rows*columns],
			kernel.M(a.Floats[x*rows*inner:][:rows*inner], inner),
			kernel.M(b.Floats[y*inner*columns:][:inner*columns], columns), false)
		at += rows * columns
	})
	return []Tensor{out}
}

// runGemm computes alpha*a*b + beta*c.
func runGemm(m *memory, c *call, in []Tensor) []Tensor {
	if len(in[0].Shape) != 2 || len(in[1].Shape) != 2 || len(wantFloats(in[0])) == 0 || len(wantFloats(in[1])) == 0 {
		failf("a product of %v and %v", in[0].Shape, in[1].Shape)
	}
	a, b := kernel.M(in[0].Floats, in[0].Shape[1]), kernel.M(in[1].Floats, in[1].Shape[1])
	shape := []int{in[0].Shape[0], in[1].Shape[1]}
	inner := [2]int{in[0].Shape[1], in[1].Shape[0]}
	if c.integer("transA", 0) != 0 {
		a, shape[0], inner[0] = a.T(), in[0].Shape[1], in[0].Shape[0]
	}
	if c.integer("transB", 0) != 0 {
		b, shape[1], inner[1] = b.T(), in[1].Shape[0], in[1].Shape[1]
	}
	if inner[0] != inner[1] {
		failf("a product of %v and %v", in[0].Shape, in[1].Shape)
	}
	out := m.tensor(shape)
	kernel.Multiply(out.Floats, a, b, false)
	if alpha := c.float("alpha", 1); alpha != 1 {
		for i := range out.Floats {
			out.Floats[i] *= alpha
		}
	}
	if t, ok := optional(in, 2); ok {
		wantFloats(t)
		if got := broadcastShape(t.Shape, shape); got[0] != shape[0] || got[1] != shape[1] || len(got) != 2 {
			failf("what is added has the shape %v, the product %v", t.Shape, shape)
		}
		beta := c.float("beta", 1)
		zip(out.Floats, shape, out.Floats, shape, t.Floats, t.Shape, func(x, y float32) float32 { return x + beta*y })
	}
	return []Tensor{out}
}
