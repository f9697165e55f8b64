package compile

import (
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/reduce"
	"github.com/wmtune/wmtune/tir"
)

// A ruleKind says how the range of a result follows from those of operands.
type ruleKind uint8

const (
	// The results at the corners of what operands may be, and a rounding where the type does not hold the result. It is
	// the rule of what no table names: moves, comparisons, arithmetic, maxima.
	plainly ruleKind = iota
	// The same, and always a rounding: what is computed in several steps, or by a function of the run-time.
	function
	// Operands are rounded first: what a rounding inside decides is on one side of a step or on the other.
	edge
	// A sum of products, or whatever is as far off as one: see ranges.sums.
	sum
	// Nothing is known: the bounds of the compute DAG decide (compute.Bounds); where there is none, the largest element.
	vague
)

// How many units of rounding an operation counts: two roundings, since a kernel may have another expression for it; or
// a function of the run-time, which is off by some units in the last place.
const (
	unitsOfOp       = 4
	unitsOfFunction = 16
)

// A rule says how far a kernel that computes an operator may be off.
type rule struct {
	kind  ruleKind
	units float64
	parts func(d *op.Decomposer) // nodes that the operator stands for, each of which has a rule
}

// ruleOps lists the operators of each kind but the first, by the full name.
var ruleOps = map[ruleKind][]string{
	function: {"Sqrt", "Exp", "Log", "Erf", "Sigmoid", "Tanh", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh",
		"Asinh", "Acosh", "Atanh", "Softsign", "Swish", "SwiGLU", "Gelu", "Mish", "Softplus", "Elu", "Selu", "Celu",
		"HardSigmoid", "HardSwish", "Div", "Reciprocal", "Mean", "wmtune.RotaryEmbedding", "Range"},
	edge: {"QuantizeLinear", "Pow"},
	sum: {"MatMul", "wmtune.MatMul", "Gemm", "Einsum", "Conv", "wmtune.Conv", "ConvTranspose", "wmtune.ConvTranspose",
		"wmtune.WinogradInput", "wmtune.WinogradProduct", "wmtune.WinogradOutput", "Sum",
		"ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceProd",
		"wmtune.Likelihood", "AveragePool", "GlobalAveragePool", "LpPool", "GlobalLpPool", "CumSum", "CumProd", "Col2Im",
		"ScatterElements", "ScatterND"},
	vague: {"ReduceLogSum", "ReduceLogSumExp", "LpNormalization", "LRN", "NegativeLogLikelihoodLoss",
		"SoftmaxCrossEntropyLoss", "wmtune.AttentionMask", "wmtune.ResizeAxis",
		"wmtune.ResizeTaps", "GridSample", "AffineGrid", "RoiAlign", "wmtune.RoiAlign",
		"DFT", "wmtune.FFT", "wmtune.Distances", "STFT", "Det", "com.microsoft.Inverse",
		"DeformConv", "wmtune.DeformConv", "wmtune.DeformSample", "LinearAttention",
		"wmtune.Recurrence", "RNN", "GRU", "LSTM", "MelWeightMatrix", "TfIdfVectorizer", "BlackmanWindow",
		"HannWindow", "HammingWindow", "Hardmax", "ArgMax", "ArgMin"},
}

// ruleParts has the operators that are judged by parts.
var ruleParts = map[string]func(d *op.Decomposer){
	"wmtune.BlockMatMul": partsOfBlocks,
	"Softmax":            partsOfSoftmax, "wmtune.AttentionSoftmax": partsOfSoftmax, "LogSoftmax": partsOfSoftmax,
	"wmtune.MaskedSoftmax": partsOfSoftmax, "wmtune.Attend": partsOfAttend,
	"LayerNormalization": partsOfNorm, "RMSNormalization": partsOfNorm, "wmtune.Trees": partsOfTrees,
	"DynamicQuantizeLinear": partsOfDynamic, "wmtune.RowBytes": partsOfRowBytes,
}

// partsOperators is the operator set of the parts.
const partsOperators = 18

func fold(d *op.Decomposer, name string, x *graph.Value, axes []int64) *graph.Value {
	return d.ApplyAt(partsOperators, name, 1, []*graph.Value{x, d.Const(graph.Ints(axes...))})[0]
}

func partsOfSoftmax(d *op.Decomposer) {
	n, x := d.Node, d.Input(0)
	rank := int64(len(x.Shape))
	first := n.Int("axis", -1)
	if n.Version < 13 && n.Op != "MaskedSoftmax" {
		first = n.Int("axis", 1)
	}
	if first < 0 {
		first += rank
	}
	axes := []int64{first}
	for d := first + 1; d < rank && n.Version < 13 && n.Op != "MaskedSoftmax"; d++ {
		axes = append(axes, d)
	}
	if first == rank {
		axes = nil
	}
	shifted := d.Two("Sub", x, fold(d, "ReduceMax", x, axes))
	power := d.Apply("Exp", []*graph.Value{shifted})
	if n.Op == "AttentionSoftmax" || n.Op == "MaskedSoftmax" {
		count := int64(1)
		for _, a := range axes {
			count *= x.Shape[a]
		}
		weighs := d.Two("Less", d.Number(x, reduce.LeastPower(x.Type, count)), shifted)
		power = d.ApplyAt(partsOperators, "Where", 1, []*graph.Value{weighs, power, d.Number(x, 0)})[0]
	}
	total := fold(d, "ReduceSum", power, axes)
	if n.Op == "LogSoftmax" {
		d.Output(d.Two("Sub", shifted, d.Apply("Log", []*graph.Value{total})))
		return
	}
	d.Output(d.Two("Div", power, total))
}

func partsOfBlocks(d *op.Decomposer) {
	x, w := d.Input(0), d.Apply("wmtune.Blocks", d.Node.Inputs[1:4], d.Node.Attrs...)
	if by := d.Input(4); by != nil {
		x = d.ApplyAt(op.Newest, "DequantizeLinear", 1, []*graph.Value{x, by}, graph.IntAttr("axis", 1),
			graph.IntAttr("block_size", x.Elems()/by.Elems()))[0]
	}
	d.Output(d.Two("MatMul", x, d.Cast(w, x.Type)))
}

func partsOfAttend(d *op.Decomposer) {
	n := d.Node
	weights := d.ApplyAt(13, "Softmax", 1, []*graph.Value{d.Input(0)})[0]
	if n.Int("masked", 0) != 0 {
		weights = d.Apply("wmtune.MaskedSoftmax", []*graph.Value{d.Input(0)})
	}
	d.Output(d.Apply("wmtune.MatMul", []*graph.Value{weights, d.Input(1)}, n.Attrs...))
}

func partsOfNorm(d *op.Decomposer) {
	n, x := d.Node, d.Input(0)
	first := n.Int("axis", -1)
	if first < 0 {
		first += int64(len(x.Shape))
	}
	var axes []int64
	for d := first; d < int64(len(x.Shape)); d++ {
		axes = append(axes, d)
	}
	centred, mean := x, x
	if n.Op == "LayerNormalization" {
		mean = fold(d, "ReduceMean", x, axes)
		centred = d.Two("Sub", x, mean)
	}
	count := 1.0
	for _, a := range axes {
		count *= float64(x.Shape[a])
	}
	variance := d.Two("Div", fold(d, "ReduceSumSquare", centred, axes), d.Number(x, count))
	variance = d.Two("Add", d.Two("Max", variance, d.Number(x, 0)), d.Number(x, n.Float("epsilon", 1e-5)))
	deviation := d.Apply("Sqrt", []*graph.Value{variance})
	y := d.Two("Mul", d.Two("Div", centred, deviation), d.Cast(d.Input(1), x.Type))
	if bias := d.Input(2); bias != nil {
		y = d.Two("Add", y, d.Cast(bias, x.Type))
	}
	d.Output(y, mean, d.Apply("Reciprocal", []*graph.Value{deviation}))
}

func partsOfTrees(d *op.Decomposer) {
	leaves := d.Apply("wmtune.Leaves", d.Node.Inputs, d.Node.Attrs...)
	name := []string{"ReduceMean", "ReduceSum", "ReduceMin", "ReduceMax"}[d.Node.Int("aggregate", 0)]
	d.Output(d.Reshape(fold(d, name, leaves, []int64{1}), d.Node.Outputs[0].Shape...))
}

// partsOfDynamic tells the range of the scale, by which elements far from the largest may be rounded otherwise.
func partsOfDynamic(d *op.Decomposer) {
	x := d.Input(0)
	zero := d.Number(x, 0)
	var axes []int64
	for i := range x.Shape {
		axes = append(axes, int64(i))
	}
	bound := func(fold, with string) *graph.Value {
		v := d.ApplyAt(partsOperators, fold, 1, []*graph.Value{x, d.Const(graph.Ints(axes...))}, graph.IntAttr("keepdims", 0))
		return d.Two(with, v[0], zero)
	}
	most, least := bound("ReduceMax", "Max"), bound("ReduceMin", "Min")
	width := d.Apply("Where", []*graph.Value{d.Two("Equal", most, least), d.Number(x, 1), d.Two("Sub", most, least)})
	scale := d.Two("Div", width, d.Number(x, 255))
	quantize := func(v, by, zero *graph.Value) *graph.Value {
		return d.ApplyAt(partsOperators, "QuantizeLinear", 1, []*graph.Value{v, by, zero})[0]
	}
	point := quantize(d.Two("Sub", zero, least), scale, d.Const(graph.Scalar(tir.U8, 0)))
	d.Output(quantize(x, scale, point), scale, point)
}

// partsOfRowBytes fills rows up, so that all blocks are whole.
func partsOfRowBytes(d *op.Decomposer) {
	x, block := d.Cast(d.Input(0), tir.F32), d.Node.Int("block", 0)
	k, shape := x.Shape[len(x.Shape)-1], d.Node.Outputs[0].Shape
	rows, blocks := x.Elems()/k, (k+block-1)/block
	x = d.Reshape(x, rows, k)
	if rest := graph.NewTensor(tir.F32, rows, blocks*block-k); rest.Len() > 0 {
		x = d.ApplyAt(partsOperators, "Concat", 1, []*graph.Value{x, d.Const(rest)}, graph.IntAttr("axis", 1))[0]
	}
	parts := func(v *graph.Value) *graph.Value { return d.Reshape(v, rows, blocks, block) }
	all := func(name string, v *graph.Value) *graph.Value {
		return d.ApplyAt(partsOperators, name, 1, []*graph.Value{v, d.Const(graph.Ints(2))}, graph.IntAttr("keepdims", 0))[0]
	}
	most := all("ReduceMax", d.Apply("Abs", []*graph.Value{parts(x)}))
	scale := d.Two("Add", d.Two("Div", most, d.Number(x, reduce.MostByte)), d.Two("Sub", most, most))
	by := []*graph.Value{x, d.Two("Max", scale, d.Number(x, reduce.LeastScale))}
	q := d.ApplyAt(op.Newest, "QuantizeLinear", 1, by, graph.IntAttr("axis", 1), graph.IntAttr("block_size", block),
		graph.IntAttr("output_dtype", op.ElementNumber(tir.I8)))[0]
	of := d.Node.Outputs[1].Shape
	sums := all("ReduceSum", d.Cast(parts(q), tir.I32))
	d.Output(d.Reshape(q, shape...), d.Reshape(scale, of...), d.Reshape(sums, of...))
}

var rules = func() map[string]rule {
	m := map[string]rule{}
	for kind, names := range ruleOps {
		for _, name := range names {
			m[name] = rule{kind: kind, units: unitsOfOp}
			if kind != sum && kind != plainly {
				m[name] = rule{kind: kind, units: unitsOfFunction}
			}
		}
	}
	for name, parts := range ruleParts {
		m[name] = rule{parts: parts}
	}
	return m
}()

// ruleOf returns the rule of a node's operator.
func ruleOf(n *graph.Node) rule {
	name := n.Op
	if n.Domain != "" {
		name = n.Domain + "." + name
	}
	if r, ok := rules[name]; ok {
		return r
	}
	return rule{units: unitsOfOp}
}
