package padded

import (
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
)

// A rule says what a node becomes some of whose operands have true extents below their bounds.
type rule struct {
	// apply hides what would be mixed in, adds the node or what takes its place, and notes the layouts of the outputs.
	apply func(r *rewriter, n *graph.Node) error
	// shapes are the inputs that are only shapes: those of the upper bounds serve.
	shapes []int
}

// rules has the operators that may have operands of true extents below their bounds. Others are decomposed, or refused.
var rules map[string]rule

// table has the rules by names of operators, with a space between.
var table = []struct {
	ops    string
	apply  func(r *rewriter, n *graph.Node) error
	shapes []int
}{
	// Elements of one place make one element.
	{"Add Sub Mul Div Mod Neg Abs Sign Reciprocal Sqrt Exp Log Erf Floor Ceil Round Pow Max Min Sum Mean Clip Relu " +
		"LeakyRelu PRelu Elu Selu Celu Sigmoid HardSigmoid HardSwish Swish Gelu Mish Softplus Softsign ThresholdedRelu " +
		"Shrink Equal Less LessOrEqual Greater GreaterOrEqual And Or Xor Not IsNaN IsInf Where Sin Cos Tan Asin Acos Atan " +
		"Tanh Sinh Cosh Asinh Acosh Atanh BitShift BitwiseAnd BitwiseOr BitwiseXor BitwiseNot com.microsoft.FastGelu " +
		"com.microsoft.Gelu com.microsoft.BiasGelu com.microsoft.QuickGelu", elementwise, nil},
	{"Cast CastLike Identity BatchNormalization QuantizeLinear DequantizeLinear Dropout LRN", likeFirst, nil},
	{"ConstantOfShape EyeLike Range", bySamples, []int{0, 1, 2}},

	// Elements move.
	{"Reshape Flatten Squeeze Unsqueeze", regrouped, []int{1}},
	{"Transpose", transposed, nil},
	{"Expand", expanded, []int{1}},
	{"Tile", tiled, []int{1}},
	{"DepthToSpace SpaceToDepth", blocks, nil},
	{"Concat", concat, nil},
	{"Slice", slice, []int{1, 2, 3, 4}},
	{"Split", split, []int{1}},
	{"Pad", pad, []int{1, 3}},
	{"Gather", gather, nil},
	{"GatherElements", gatherElements, nil},
	{"GatherND", gatherND, nil},
	{"OneHot", oneHot, []int{1}},
	{"Trilu", triangle, nil},

	// Elements of an axis are mixed; the number stands for those beyond.
	{"ReduceSum ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum", reduction(func(*graph.Value) float64 { return 0 }), nil},
	{"ReduceProd", reduction(func(*graph.Value) float64 { return 1 }), nil},
	{"ReduceMax", reduction(lowest), nil},
	{"ReduceMin", reduction(highest), nil},
	{"ReduceLogSumExp", reduction(lowest), nil},
	{"ReduceMean", mean, nil},
	{"ArgMax", place(lowest), nil},
	{"ArgMin", place(highest), nil},
	{"TopK", topK, []int{1}},
	{"Softmax LogSoftmax Hardmax wmtune.MaskedSoftmax", softmax, nil},
	{"CumSum", cumulated(0), nil},
	{"CumProd", cumulated(1), nil},
	{"LayerNormalization RMSNormalization", rowNorm, nil},
	{"InstanceNormalization", instanceNorm, nil},
	{"DynamicQuantizeLinear", quantizeDynamic, nil},
	{"MatMul wmtune.MatMul", product, nil},
	{"wmtune.AttentionMask", attentionMask, nil},
	{"MatMulInteger QLinearMatMul", integerProduct, nil},
	{"Gemm", gemm, nil},
	{"Einsum", einsum, nil},
	{"RNN GRU LSTM", recurrent, nil},

	// Windows read beyond an edge.
	{"Conv ConvInteger QLinearConv", convolution, nil},
	{"ConvTranspose", transposedConvolution, nil},
	{"MaxPool", windows(lowest), nil},
	{"LpPool", windows(func(*graph.Value) float64 { return 0 }), nil},
	{"AveragePool", averagePool, nil},
	{"GlobalAveragePool", global("ReduceMean"), nil},
	{"GlobalMaxPool", global("ReduceMax"), nil},
	{"Resize Upsample", resize, []int{1, 2, 3}},
}

func init() {
	rules = map[string]rule{}
	for _, row := range table {
		for _, name := range strings.Fields(row.ops) {
			rules[name] = rule{row.apply, row.shapes}
		}
	}
	rowRules = map[string]func(r *rewriter, n *graph.Node) (bool, error){}
	for _, name := range strings.Fields(table[0].ops) {
		rowRules[name] = rowsElementwise
	}
	for _, row := range rowTable {
		for _, name := range strings.Fields(row.ops) {
			rowRules[name] = row.apply
		}
	}
}

// broadcast returns the layout to which those of operands broadcast, and false if their elements lie at other places.
func (r *rewriter) broadcast(list ...layout) (layout, bool) {
	var to layout
	for _, l := range list {
		for len(to) < len(l) {
			to = append(layout{[]*extentOf{r.space.number(1)}}, to...)
		}
		for i, axis := range l {
			if at := len(to) - len(l) + i; one(to[at]) {
				to[at] = axis
			} else if !one(axis) && !alike(axis, to[at]) {
				return nil, false
			}
		}
	}
	return to, true
}

// operands returns the layouts of the inputs of a node.
func (r *rewriter) operands(n *graph.Node) []layout {
	var list []layout
	for _, v := range n.Inputs {
		if v != nil {
			list = append(list, r.layouts[v])
		}
	}
	return list
}

const elsewhere = "true elements of its operands lie at different places"

func elementwise(r *rewriter, n *graph.Node) error {
	l, ok := r.broadcast(r.operands(n)...)
	if !ok {
		return r.refuse(n, elsewhere)
	}
	if c := r.claims[n.Inputs[0]]; len(n.Inputs) == 1 && c.axes != nil {
		if y, ok := r.evaluate(n, c.value); ok {
			r.claims[n.Outputs[0]] = claim{y, c.axes}
		}
	}
	return r.keep(n, l)
}

// evaluate computes an operator of one operand for a number.
func (r *rewriter) evaluate(n *graph.Node, x float64) (float64, bool) {
	k := *n
	v := graph.Constant("x", graph.Scalar(n.Inputs[0].Type, x))
	k.Inputs, k.Outputs = []*graph.Value{v}, []*graph.Value{{Name: "y"}}
	f, err := evaluator.Lookup(&k)
	if err != nil {
		return 0, false
	}
	out, err := f(graph.NewCall(r.ctx, evaluator), &k, []*graph.Tensor{v.Const.Tensor()})
	if err != nil || len(out) == 0 || out[0].Len() != 1 || n.Outputs[0].Narrow != nil {
		return 0, false
	}
	return out[0].At(0), true
}

// likeFirst is of operators whose result has the places of their first operand; the others have no true extents.
func likeFirst(r *rewriter, n *graph.Node) error {
	for _, v := range n.Inputs[1:] {
		if v != nil && n.Op != "CastLike" && r.layouts[v].varies() {
			return r.refuse(n, "its parameter %s changes with the extents", v)
		}
	}
	if c := r.claims[n.Inputs[0]]; n.Op == "Identity" || n.Op == "Cast" && c.value == 0 {
		r.claims[n.Outputs[0]] = c
	}
	return r.keep(n, slices.Repeat([]layout{r.layouts[n.Inputs[0]]}, len(n.Outputs))...)
}

// bySamples is of operators without operands whose elements matter.
func bySamples(r *rewriter, n *graph.Node) error {
	for _, v := range n.Inputs {
		if v != nil && n.Op == "Range" && r.layouts[v] == nil {
			if ok, err := r.begins(v); !ok && v != n.Inputs[1] || err != nil {
				return r.refuse(n, "it counts from another number at other extents")
			}
		}
	}
	l, err := r.layoutBySamples(n.Outputs[0], nil)
	if err != nil {
		return r.refuse(n, "%s", err)
	}
	return r.keep(n, l)
}

// axisOf returns an axis that an attribute names.
func (r *rewriter) axisOf(n *graph.Node, missing int64, rank int) int {
	at, err := array.Axis(n.Int("axis", missing), rank)
	if err != nil {
		panic("BUG: padded: " + err.Error())
	}
	return at
}

// constants returns the integers of an input at the upper bounds, or nil.
func constants(n *graph.Node, i int) []int64 {
	if v := n.Input(i); v != nil && v.Const != nil {
		return v.Const.Tensor().I
	}
	return nil
}

var evaluator = op.Evaluator()
