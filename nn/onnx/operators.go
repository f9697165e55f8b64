package onnx

import (
	"gorgonia.org/tensor"
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
	{"Max", 1, anyInputs, elementwise(larger, func(x, y int64) int64 { return max(x, y) })},
	{"Min", 1, anyInputs, elementwise(smaller, func(x, y int64) int64 { return min(x, y) })},
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
	{"Abs", 1, 1, each(absolute, func(x int64) int64 { return max(x, -x) })},
	{"Relu", 1, 1, each(relu, func(x int64) int64 { return max(x, 0) })},
	{"Exp", 1, 1, each(exponential, nil)},
	{"Log", 1, 1, each(logarithm, nil)},
	{"Sqrt", 1, 1, each(root, nil)},
	{"Reciprocal", 1, 1, each(func(x float64) float64 { return 1 / x }, nil)},
	{"Tanh", 1, 1, each(tangent, nil)},
	{"Sigmoid", 1, 1, each(func(x float64) float64 { return 1 / (1 + exponential(-x)) }, nil)},
	{"Erf", 1, 1, each(errorFunction, nil)},
	{"Gelu", 1, 1, runGelu},
	{"Clip", 1, 3, runClip},
	{"Cast", 1, 1, runCast},
	{"Identity", 1, 1, runIdentity},
	{"Dropout", 1, 3, runIdentity}, // which does nothing but in training

	{"ReduceSum", 1, 2, reduce(func(x []float32) float64 { return sumOf(x, func(v float64) float64 { return v }) })},
	{"ReduceMean", 1, 2, reduce(func(x []float32) float64 {
		return sumOf(x, func(v float64) float64 { return v }) / float64(len(x))
	})},
	{"ReduceSumSquare", 1, 2, reduce(func(x []float32) float64 { return sumOf(x, func(v float64) float64 { return v * v }) })},
	{"ReduceL2", 1, 2, reduce(func(x []float32) float64 { return root(sumOf(x, func(v float64) float64 { return v * v })) })},
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
