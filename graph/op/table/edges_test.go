package table

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

func floatsOf(shape []int64, v ...float64) *graph.Tensor {
	return &graph.Tensor{Type: tir.F32, Shape: shape, F: v}
}

func bytesOf(t tir.DType, shape []int64, v ...int64) *graph.Tensor {
	return &graph.Tensor{Type: t, Shape: shape, I: v}
}

// TestEdges: operands of one element, of no dimension or of nothing, which a fuzz of all operators found.
func TestEdges(t *testing.T) {
	one := func(v float64) *graph.Tensor { return floatsOf([]int64{1}, v) }
	for _, c := range []nodeCase{
		{op: "BatchNormalization", version: 7, outputs: 3,
			in: []*graph.Tensor{one(30.078125), one(29.015625), one(4.828125), one(-19.71875), one(-16.3125)}},
		{op: "BatchNormalization", version: 7, outputs: 2,
			in: []*graph.Tensor{floatsOf([]int64{2}, -27.25, 1.609375), one(1), one(1), one(13.140625), one(-6.21875)}},
		{op: "Dropout", version: 7, outputs: 2, in: []*graph.Tensor{floatsOf(nil, 3)}},
		{op: "Size", version: 13, in: []*graph.Tensor{floatsOf([]int64{2, 3}, 1, 2, 3, 4, 5, 6)}},
		{op: "QLinearMatMul", version: 10, in: []*graph.Tensor{bytesOf(tir.I8, []int64{2}, 1, 2), one(0.5),
			bytesOf(tir.I8, []int64{1}, 1), bytesOf(tir.U8, []int64{2}, 3, 4), one(2), bytesOf(tir.U8, []int64{1}, 1),
			one(0.25), bytesOf(tir.U8, []int64{1}, 7)}},
		{op: "Gemm", version: 13, in: []*graph.Tensor{floatsOf([]int64{2, 0}), floatsOf([]int64{0, 3}),
			floatsOf([]int64{3}, 1, 2, 3)}},
		{op: "Gemm", version: 13, in: []*graph.Tensor{floatsOf([]int64{2, 0}), floatsOf([]int64{0, 3})}},
	} {
		c.check(t)
	}
}

// TestNothing: the reference gives nothing for operands without elements, and does not panic.
func TestNothing(t *testing.T) {
	none := func(shape ...int64) *graph.Tensor { return graph.NewTensor(tir.F32, shape...) }
	for _, c := range []nodeCase{
		{op: "InstanceNormalization", version: 6, in: []*graph.Tensor{none(2, 0, 0, 2), none(0), none(0)}},
		{op: "ConvTranspose", version: 11, in: []*graph.Tensor{none(3, 2, 2), none(2, 0, 1)}},
		{op: "Hardmax", version: 13, in: []*graph.Tensor{none(2, 0)}},
	} {
		n := c.node()
		if _, err := op.InferNode(t.Context(), n); err != nil {
			t.Errorf("%s: %v", c, err)
			continue
		}
		r, err := op.Find(n)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := r.Eval(graph.NewCall(t.Context(), op.Evaluator()), n, c.in); err != nil || out[0].Len() != 0 {
			t.Errorf("%s: %v, %v", c, out, err)
		}
	}
}

// TestNothingDecomposes: decompositions of operands without elements are graphs.
func TestNothingDecomposes(t *testing.T) {
	none := func(shape ...int64) *graph.Tensor { return graph.NewTensor(tir.F32, shape...) }
	for _, c := range []nodeCase{
		{op: "ConvTranspose", version: 11, attrs: []graph.Attr{graph.IntsAttr("strides", 2, 2)}, fixed: []int{1},
			in: []*graph.Tensor{none(1, 2, 3, 4), none(2, 0, 2, 2), none(0)}},
		{op: "InstanceNormalization", version: 6, in: []*graph.Tensor{none(1, 0, 3, 4), none(0), none(0)}},
		{op: "RNN", version: 14, outputs: 2, in: []*graph.Tensor{none(5, 0, 3), none(1, 4, 3), none(1, 4, 4)}},
		{op: "GRU", version: 14, outputs: 2, in: []*graph.Tensor{none(0, 5, 3), none(1, 12, 3), none(1, 12, 4)},
			attrs: []graph.Attr{graph.IntAttr("layout", 1)}},
		{op: "LSTM", version: 14, outputs: 3, in: []*graph.Tensor{none(5, 0, 3), none(1, 16, 3), none(1, 16, 4)}},
		{op: "Attention", version: 23, in: []*graph.Tensor{none(1, 2, 0, 4), none(1, 2, 5, 4), none(1, 2, 5, 4)}},
		{op: "Compress", version: 11, fixed: []int{1},
			in: []*graph.Tensor{none(5, 0), bytesOf(tir.Bool, []int64{0})}},
	} {
		n := c.node()
		if err := inferOnly(n); err != nil {
			t.Errorf("%s: %v", c, err)
			continue
		}
		if _, _, err := op.Decompose(n); err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
}

// TestDoesNotFit: operands that do not fit each other are an error of inference.
func TestDoesNotFit(t *testing.T) {
	zeros := func(shape ...int64) *graph.Tensor { return graph.NewTensor(tir.F32, shape...) }
	vector := func(n int64) *graph.Tensor { return graph.NewTensor(tir.U8, n) }
	for want, c := range map[string]nodeCase{
		"in3: uint8[2] does not fit in1: uint8[1, 3, 1]": {op: "MatMulInteger", version: 10, in: []*graph.Tensor{
			graph.NewTensor(tir.U8, 3, 1, 3), graph.NewTensor(tir.U8, 1, 3, 1), nil, vector(2)}},
		"input 6, in6: float32[2], which is not one number, is not supported": {op: "QLinearMatMul", version: 10,
			in: []*graph.Tensor{graph.NewTensor(tir.U8, 2, 3), zeros(1), vector(1), graph.NewTensor(tir.U8, 3, 2), zeros(1),
				vector(1), zeros(2), vector(1)}},
		"it has output 1, which is there in training only": {op: "BatchNormalization", version: 14, outputs: 3,
			in: []*graph.Tensor{zeros(2, 3), zeros(3), zeros(3), zeros(3), zeros(3)}},
		"paddings of 2 and 0 must be below the window's span, 2": {op: "MaxPool", version: 12, outputs: 2,
			attrs: []graph.Attr{graph.IntsAttr("kernel_shape", 2),
				graph.IntsAttr("pads", 2, 0)}, in: []*graph.Tensor{zeros(1, 1, 4)}},
		`attribute mode is "": known are`: {op: "Resize", version: 13, attrs: []graph.Attr{graph.StrAttr("mode", "")},
			fixed: []int{3}, in: []*graph.Tensor{zeros(2), nil, nil, graph.Ints(2)}},
		"perm [0 -1] is no permutation of 2 dimensions": {op: "Transpose", version: 13,
			in: []*graph.Tensor{zeros(2, 3)}, attrs: []graph.Attr{graph.IntsAttr("perm", 0, -1)}},
		"attribute pads is floats, and must be ints": {op: "Conv", version: 11,
			in:    []*graph.Tensor{zeros(1, 1, 3, 3), zeros(1, 1, 3, 3)},
			attrs: []graph.Attr{{Name: "pads", Kind: graph.AttrFloats, Floats: []float64{1, 1, 1, 1}}}},
		"blocks of 4294967296: at most 32768": {op: "DepthToSpace", version: 13,
			in: []*graph.Tensor{zeros(1, 4, 2, 2)}, attrs: []graph.Attr{graph.IntAttr("blocksize", 1<<32)}},
		"2 outputs for 4611686018427387904 parts": {op: "Split", version: 18, outputs: 2,
			in: []*graph.Tensor{zeros(4)}, attrs: []graph.Attr{graph.IntAttr("num_outputs", 1<<62)}},
		"it has 3 outputs: GRU makes 2": {op: "GRU", version: 14, outputs: 3,
			in: []*graph.Tensor{zeros(3, 2, 4), zeros(1, 15, 4), zeros(1, 15, 5)}},
		"it has 3 outputs: RNN makes 2": {op: "RNN", version: 14, outputs: 3,
			in: []*graph.Tensor{zeros(3, 2, 4), zeros(1, 5, 4), zeros(1, 5, 5)}},
		"dimension 0 has no elements: it cannot become one of 2": {op: "Resize", version: 13, fixed: []int{3},
			in: []*graph.Tensor{zeros(0), nil, nil, graph.Ints(2)}},
	} {
		n := c.node()
		if _, err := op.InferNode(t.Context(), n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", c, err, want)
		}
	}
}

// TestConvOfNoChannels: a sum of no products is 0, as for a constant without elements that is folded.
func TestConvOfNoChannels(t *testing.T) {
	c := nodeCase{op: "Conv", version: 11,
		in: []*graph.Tensor{floatsOf([]int64{1, 0, 3, 5}), floatsOf([]int64{4, 0, 3, 3})}}
	n := c.node()
	if _, err := op.InferNode(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	r, err := op.Find(n)
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.Eval(graph.NewCall(t.Context(), op.Evaluator()), n, c.in)
	if err != nil || !slices.Equal(out[0].Shape, []int64{1, 4, 1, 3}) || !slices.Equal(out[0].F, make([]float64, 12)) {
		t.Errorf("%v, %v", out, err)
	}
}

// TestRefused: nodes that are against the schema, of which the functions of rows would panic, or overlook it.
func TestRefused(t *testing.T) {
	one := floatsOf([]int64{1}, 1)
	long := graph.Ints(1<<32, 1<<32)
	for want, c := range map[string]nodeCase{
		"must be a type of floats": {op: "DequantizeLinear", version: 23,
			attrs: []graph.Attr{graph.IntAttr("output_dtype", 7)}, in: []*graph.Tensor{bytesOf(tir.I8, []int64{1}, 1), one}},
		"a scalar, which has no batch": {op: "BatchNormalization", version: 7,
			attrs: []graph.Attr{graph.IntAttr("spatial", 0)}, in: []*graph.Tensor{floatsOf(nil, 3), one, one, one, one}},
		"images with their paddings": {op: "Col2Im", version: 18, in: []*graph.Tensor{floatsOf([]int64{1, 1, 1}, 1), long, long},
			fixed: []int{1, 2}},
	} {
		n := c.node()
		if _, err := op.InferNode(t.Context(), n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", c, err, want)
		}
	}
	names := "ignore_index left_window_size right_window_size max_skip_count pool_strings update_rule"
	for _, name := range strings.Fields(names) {
		n := &graph.Node{Op: "Attention", Version: 23}
		n.SetAttr(graph.FloatAttr(name, 2))
		if _, err := op.InferNode(t.Context(), n); err == nil || !strings.Contains(err.Error(), "and must be") {
			t.Errorf("%s may be a float", name)
		}
	}
}
