package table

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// TestOutOfRange: operands that are out of range at run time are errors of the program and of the reference.
func TestOutOfRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 60))
	x := random(rng, tir.F32, -1, 1, 2, 6)
	labels := func(v ...int64) *graph.Tensor { return graph.Ints(v...) }
	none := &graph.Tensor{Type: tir.Bool, I: []int64{0}}
	cell := func(name string, gates int64, lengths ...int64) nodeCase {
		in := []*graph.Tensor{random(rng, tir.F32, -1, 1, 3, 2, 4), random(rng, tir.F32, -1, 1, 1, gates*5, 4),
			random(rng, tir.F32, -1, 1, 1, gates*5, 5), nil,
			{Type: tir.I32, Shape: []int64{2}, I: lengths}}
		return nodeCase{op: name, version: 14, outputs: 2, in: in}
	}
	boxes, scores := random(rng, tir.F32, 0, 1, 1, 4, 4), random(rng, tir.F32, 0, 1, 1, 1, 4)
	suppress := func(threshold float64) nodeCase {
		return nodeCase{op: "NonMaxSuppression", version: 11,
			in: []*graph.Tensor{boxes, scores, int64Of(3), scalar(tir.F32, threshold)}}
	}
	circle := func(at ...int64) nodeCase {
		return nodeCase{op: "TensorScatter", version: 24, attrs: []graph.Attr{graph.StrAttr("mode", "circular")},
			in: []*graph.Tensor{random(rng, tir.F32, 0, 1, 2, 3, 5, 4), random(rng, tir.F32, 0, 1, 2, 3, 2, 4),
				graph.Ints(at...)}}
	}
	loss := func(name string, ignore bool, label ...int64) nodeCase {
		c := nodeCase{op: name, version: 13, in: []*graph.Tensor{x, labels(label...)}}
		if ignore {
			c.attrs = []graph.Attr{graph.IntAttr("ignore_index", -1)}
		}
		return c
	}
	drop := func(ratio float64, training *graph.Tensor) nodeCase {
		c := nodeCase{op: "Dropout", version: 13, in: []*graph.Tensor{x, scalar(tir.F32, ratio)}}
		if training != nil {
			c.in = append(c.in, training)
		}
		return c
	}
	for _, c := range []struct {
		nodeCase
		fails bool
	}{
		{loss("NegativeLogLikelihoodLoss", false, 0, 5), false}, {loss("NegativeLogLikelihoodLoss", false, 0, 6), true},
		{loss("NegativeLogLikelihoodLoss", false, -1, 0), true}, {loss("NegativeLogLikelihoodLoss", true, -1, 0), false},
		{loss("NegativeLogLikelihoodLoss", true, -2, 0), true}, {loss("NegativeLogLikelihoodLoss", false, 1<<62, 0), true},
		{loss("SoftmaxCrossEntropyLoss", false, 5, 0), false}, {loss("SoftmaxCrossEntropyLoss", false, 6, 0), true},
		{loss("SoftmaxCrossEntropyLoss", true, -1, 0), false}, {loss("SoftmaxCrossEntropyLoss", true, 0, -7), true},
		{cell("LSTM", 4, 3, 0), false}, {cell("LSTM", 4, 3, -1), true}, {cell("LSTM", 4, math.MaxInt32, 1), true},
		{cell("GRU", 3, 2, 1), false}, {cell("GRU", 3, 4, 1), true}, {cell("RNN", 1, 2, -5), true},
		{circle(4, 0), false}, {circle(7, 1<<40), false}, {circle(-1, 0), true}, {circle(0, -5), true},
		{suppress(0), false}, {suppress(1), false}, {suppress(2), true}, {suppress(-0.5), true}, {suppress(math.NaN()), true},
		{drop(0.5, nil), false}, {drop(1, nil), true}, {drop(math.NaN(), nil), true}, {drop(0.5, none), false},
		{drop(1, none), true}, {drop(-0.5, none), true}, {drop(math.NaN(), none), true},
	} {
		n := c.node()
		if err := inferOnly(n); err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		if _, err := reference(n, c.in); (err != nil) != c.fails {
			t.Errorf("%s: the reference says %v", c, err)
		}
		if _, err := compiled(n, c.in); (err != nil) != c.fails {
			t.Errorf("%s: the program says %v", c, err)
		}
	}
	for name, want := range map[string]string{"wmtune.Labels": "label", "wmtune.Recurrence": "sequence_lens",
		"NonMaxSuppression": "iou_threshold"} {
		n := nodeCase{op: name, version: 11}.node()
		n.Inputs = []*graph.Value{{}}
		if why := op.Fault(n); !strings.Contains(why, want) {
			t.Errorf("the error of %s says %q", name, why)
		}
	}
}

// TestClipBounds: bounds that are left out are the extreme finite numbers of the type; NaN stays.
func TestClipBounds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		t       tir.DType
		lo, hi  *graph.Tensor
		version int
		want    []float64
	}{
		{tir.F32, nil, nil, 13, []float64{math.MaxFloat32, -math.MaxFloat32, 1}},
		{tir.F32, scalar(tir.F32, 0), nil, 11, []float64{math.MaxFloat32, 0, 1}},
		{tir.F32, nil, scalar(tir.F32, 0), 12, []float64{0, -math.MaxFloat32, 0}},
		{tir.F64, scalar(tir.F64, 0), nil, 12, []float64{math.MaxFloat64, 0, 1}},
		{tir.F16, scalar(tir.F16, 0), nil, 13, []float64{65504, 0, 1}},
		{tir.BF16, nil, nil, 13, []float64{0x1.fep127, -0x1.fep127, 1}},
	} {
		x := &graph.Tensor{Type: c.t, Shape: []int64{4}, F: []float64{inf, -inf, 1, nan}}
		y := nodeCase{op: "Clip", version: c.version, in: []*graph.Tensor{x, c.lo, c.hi}}.check(t)[0]
		for i, w := range c.want {
			if y.F[i] != w {
				t.Errorf("Clip of %s, version %d: %v, want %v", c.t, c.version, y.F, c.want)
			}
		}
		if y.F[3] == y.F[3] {
			t.Errorf("Clip of NaN is %v", y.F[3])
		}
	}
	ints := graph.Ints(math.MaxInt64, math.MinInt64)
	y := nodeCase{op: "Clip", version: 13, in: []*graph.Tensor{ints}}.check(t)[0]
	if y.I[0] != math.MaxInt64 || y.I[1] != math.MinInt64 {
		t.Errorf("Clip of integers: %v", y.I)
	}
}

// TestUnpoolOutputShape: indices count the elements of output_shape, as those of the MaxPool of such an image do.
func TestUnpoolOutputShape(t *testing.T) {
	window := []graph.Attr{graph.IntsAttr("kernel_shape", 2, 2), graph.IntsAttr("strides", 2, 2)}
	for _, shape := range [][]int64{{1, 1, 3, 7}, {1, 1, 4, 5}, {2, 2, 5, 5}, {1, 3, 4, 4}} {
		rng := rand.New(rand.NewPCG(3, 60))
		x := random(rng, tir.F32, 0, 1, shape...)
		pooled := nodeCase{op: "MaxPool", version: 12, outputs: 2, in: []*graph.Tensor{x}, attrs: window}.check(t)
		for _, fixed := range [][]int{nil, {2}} {
			y := nodeCase{op: "MaxUnpool", version: 11, in: []*graph.Tensor{pooled[0], pooled[1], graph.Ints(shape...)},
				fixed: fixed, attrs: window, declared: [][]int64{shape}}.check(t)[0]
			kept := 0
			for i, v := range y.F {
				if v != 0 && v != x.F[i] {
					t.Fatalf("%v: element %d is %v, and was %v", shape, i, v, x.F[i])
				}
				if v != 0 {
					kept++
				}
			}
			if kept != len(pooled[0].F) {
				t.Errorf("%v: %d elements of %d", shape, kept, len(pooled[0].F))
			}
		}
	}
}
