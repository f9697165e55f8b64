// Package op is the operator library: matrix products, convolutions, pooling,
// reductions, norms and elementwise functions as compute DAGs, the notation in
// which users name them, and the named suites of workloads.
//
// One operator is one function and one row of the table in operators.go. A DAG is
// built from sizes alone; the names of its stages come from a style, so that
// the operators also rebuild the DAGs of public tuning logs (FromHash), and a Builder
// adds stages to the DAGs of models (OfModel).
//
// It must not know of schedules, targets, search or code: only of what is to be
// computed.
package op

import (
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir/compute"
)

// An Operator is a kind of workload: a row of the table.
type Operator struct {
	Name string
	Help string
	Keys []Key // in the order of the canonical notation; common keys last

	build func(g *Builder, p *params) result
}

// Keys that several operators share.
var (
	keyM  = Key{Name: "m", Help: "rows", want: size}
	keyN  = Key{Name: "n", Help: "columns", want: size}
	keyK  = Key{Name: "k", Help: "length of the sum", want: size}
	keyTA = Key{Name: "ta", Help: "the first operand is stored transposed", Default: "0", want: bit}
	keyTB = Key{Name: "tb", Help: "the second operand is stored transposed", Default: "0", want: bit}

	keyD        = Key{Name: "d", Help: "depth of the image", want: size}
	keyH        = Key{Name: "h", Help: "height of the image", want: size}
	keyW        = Key{Name: "w", Help: "width of the image", want: size}
	keyC        = Key{Name: "c", Help: "channels", want: size}
	keyCI       = Key{Name: "ci", Help: "input channels", want: size}
	keyCO       = Key{Name: "co", Help: "output channels", want: size}
	keyWindow   = Key{Name: "k", Help: "size of the window; 3, or 3x5 per dimension", want: sizes}
	keyStride   = Key{Name: "s", Help: "stride; 2, or 2x1 per dimension", Default: "1", want: sizes}
	keyPad      = Key{Name: "p", Help: "padding on each side; 1, or 1x2 per dimension", Default: "0", want: sizesOrZero}
	keyGroups   = Key{Name: "groups", Help: "groups of channels", Default: "1", want: size}
	keyDilation = Key{Name: "dilation", Help: "distance of the window's elements", Default: "1", want: sizes}
	keyLayout   = Key{Name: "layout", Help: "NHWC: channels last, NCHW: channels first", Default: "NHWC",
		want: choice, choices: []string{"NHWC", "NCHW"}}
	keyAxis = Key{Name: "axis", Help: "1: reduce each row, 0: reduce each column", Default: "1", want: bit}

	// commonKeys are those of every operator.
	commonKeys = []Key{
		{Name: "batch", Help: "how many at once", Default: "1", want: size},
		{Name: "dtype", Help: "type of the inputs: f32 f64 f16 bf16 i8 (products: u8 by i8) u8 i16 u16 i32 u32 i64 u64",
			Default: "f32", want: dtype},
		{Name: "epilogue", Help: "operations on the result, such as bias+relu", Default: none, want: epilogueList},
	}
)

// operators is the table of all operators.
var operators = []Operator{
	{"matmul", "product of two matrices", keys(keyM, keyN, keyK, keyTA, keyTB), buildMatmul},
	{"dense", "product with constant weights, stored n×k", keys(keyM, keyN, keyK), buildDense},
	{"batch_matmul", "b independent products of matrices",
		keys(Key{Name: "b", Help: "products", want: size}, keyM, keyN, keyK, keyTA, keyTB), buildBatchMatmul},
	{"conv1d", "convolution along one dimension",
		keys(keyW, keyCI, keyCO, keyWindow, keyStride, keyPad, keyGroups, keyDilation, keyLayout), buildConv},
	{"conv2d", "convolution of images",
		keys(keyH, keyW, keyCI, keyCO, keyWindow, keyStride, keyPad, keyGroups, keyDilation, keyLayout), buildConv},
	{"conv3d", "convolution of volumes",
		keys(keyD, keyH, keyW, keyCI, keyCO, keyWindow, keyStride, keyPad, keyGroups, keyDilation, keyLayout), buildConv},
	{"depthwise", "convolution of each channel by itself",
		keys(keyH, keyW, keyC, keyWindow, keyStride, keyPad, keyDilation, keyLayout), buildDepthwise},
	{"conv2d_transpose", "transposed convolution of images", keys(keyH, keyW, keyCI, keyCO, keyWindow, keyStride, keyPad,
		Key{Name: "out_pad", Help: "further rows and columns of the output, below the stride", Default: "0",
			want: sizeOrZero}, keyLayout), buildConvTranspose},
	{"conv2d_winograd", "3x3 convolution by Winograd's algorithm, with transformed weights", keys(keyH, keyW, keyCI, keyCO,
		Key{Name: "p", Help: "padding on each side", Default: "0", want: sizeOrZero},
		Key{Name: "tile", Help: "outputs of a tile along one dimension", Default: "4", want: choice,
			choices: []string{"2", "4", "6"}}), buildWinograd},
	{"maxpool2d", "largest element of each window", keys(keyH, keyW, keyC, keyWindow, keyStride, keyPad, keyLayout),
		buildMaxPool},
	{"avgpool2d", "mean of each window", keys(keyH, keyW, keyC, keyWindow, keyStride, keyPad,
		Key{Name: "count_pad", Help: "the padding counts as zeros", Default: "1", want: bit}, keyLayout), buildAvgPool},
	{"global_avgpool2d", "mean of each channel", keys(keyH, keyW, keyC, keyLayout), buildAvgPool},
	{"global_maxpool2d", "largest element of each channel", keys(keyH, keyW, keyC, keyLayout), buildMaxPool},
	{"softmax", "softmax of each row", keys(keyM, keyN), buildSoftmax},
	{"layernorm", "layer norm of each row", keys(keyM, keyN), buildLayerNorm},
	{"mean", "mean of each row", keys(keyM, keyN, keyAxis), buildMean},
	{"variance", "variance of each row, given the mean", keys(keyM, keyN, keyAxis), buildVariance},
	{"sum", "sum of each row", keys(keyM, keyN, keyAxis), buildSum},
	{"max", "largest element of each row", keys(keyM, keyN, keyAxis), buildExtreme("max", compute.MaxOf)},
	{"min", "smallest element of each row", keys(keyM, keyN, keyAxis), buildExtreme("min", compute.MinOf)},
	{"argmax", "place of the largest element of each row", keys(keyM, keyN, keyAxis), buildArgmax},
	{"elementwise", "a function of each element", keys(
		Key{Name: "fn", Help: strings.Join(functionNames(), " "), want: choice, choices: functionNames()},
		Key{Name: "shape", Help: "shape of x, such as 32x128x768", want: dims},
		Key{Name: "y", Help: "shape of the second operand, repeated to that of x; of x by default", Default: none,
			want: dims}), buildElementwise},
}

func keys(own ...Key) []Key { return append(own, commonKeys...) }

// Operators lists all operators.
func Operators() []Operator { return slices.Clone(operators) }

func findOperator(name string) (*Operator, bool) {
	for i := range operators {
		if operators[i].Name == name {
			return &operators[i], true
		}
	}
	return nil, false
}

func operatorNames() string {
	var list []string
	for _, o := range operators {
		list = append(list, o.Name)
	}
	return strings.Join(list, " ")
}
