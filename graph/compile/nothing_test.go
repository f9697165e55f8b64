package compile

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

// TestNothing: results without elements have the shapes that the reference has, also where those depend on data, and so
// do results that are those shapes.
func TestNothing(t *testing.T) {
	b := needBundles(t)
	bools := func(v ...int64) *graph.Tensor {
		return &graph.Tensor{Type: tir.Bool, Shape: []int64{int64(len(v))}, I: v}
	}
	none := func(shape ...int64) *graph.Tensor { return graph.NewTensor(tir.F32, shape...) }
	for name, test := range map[string]struct {
		text   string
		inputs []*graph.Tensor
		want   [][]int64 // integers of outputs, or the shapes of others
	}{
		"no condition": {`
			input x: float32[4]
			input c: bool[0]
			y = Compress(x, c)
			s = Shape(y)
			output y
			output s`, []*graph.Tensor{none(4), bools()}, [][]int64{{0}, {0}}},
		"items without elements": {`
			input x: float32[3, 0]
			input c: bool[3]
			y = Compress(x, c) axis=0
			s = Shape(y)
			output y
			output s`, []*graph.Tensor{none(3, 0), bools(1, 0, 1)}, [][]int64{{2, 0}, {2, 0}}},
		"shapes of nothing": {`
			input x: float32[0]
			z = NonZero(x)
			u, i = Unique(x)
			a = Shape(z)
			b = Size(z)
			c = Shape(u)
			output a
			output b
			output c`, []*graph.Tensor{none(0)}, [][]int64{{1, 0}, {0}, {0}}},
		"operands without elements": {`
			input x: float32[2]
			input s: float32[1]
			const r: float32[0]
			y: float32[4] = Resize(x, r, s)
			output y`, []*graph.Tensor{none(2), {Type: tir.F32, Shape: []int64{1}, F: []float64{2}}}, [][]int64{{4}}},
		"boxes of no image": {`
			input x: float32[0, 5, 4]
			input s: float32[0, 1, 5]
			input m: int64[1]
			y = NonMaxSuppression(x, s, m)
			output y`, []*graph.Tensor{none(0, 5, 4), none(0, 1, 5), graph.Ints(3)}, [][]int64{{}}},
	} {
		t.Run(name, func(t *testing.T) {
			g := graphtest.MustParse(test.text, 18)
			reference, err := op.Evaluator().Run(t.Context(), g, test.inputs)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := interpretedOutputs(t, g, test.inputs)
			if err != nil {
				t.Fatal(err)
			}
			bundle, err := b.run(t.Context(), g, test.inputs)
			if err != nil {
				t.Fatal(err)
			}
			for what, got := range map[string][]*graph.Tensor{"reference": reference, "interpreter": plain,
				"bundle": bundle} {
				for i, y := range got {
					list := y.I
					if y.F != nil {
						list = y.Shape
					}
					if !slices.Equal(list, test.want[i]) {
						t.Errorf("%s, output %d: %v of shape %v, want %v", what, i, list, y.Shape, test.want[i])
					}
				}
			}
		})
	}
}

// TestImageOfNothing: a kernel that looks into an image without elements is refused, by a sentence that names the node
// and the image and blames the model.
func TestImageOfNothing(t *testing.T) {
	for node, want := range map[string]string{
		"RoiAlign(x, r, b)":                   "an operand without elements, x: float32[2, 3, 0, 9], is not supported",
		"MaxRoiPool(x, q) pooled_shape=[1,1]": "an operand without elements, x: float32[2, 3, 0, 9], is not supported",
		"GridSample(x, g)":                    "an image of shape [2 3 0 9] has no elements to sample",
	} {
		text := "input x: float32[2, 3, 0, 9]\ninput r: float32[2, 4]\ninput q: float32[2, 5]\ninput b: int64[2]\n" +
			"input g: float32[2, 2, 2, 2]\ny = " + node + "\noutput y"
		name, _, _ := strings.Cut(node, "(")
		_, err := New(t.Context(), graphtest.MustParse(text, 16), pass.Options{})
		if err == nil || err.Error() != "node "+name+" that makes y: "+want {
			t.Errorf("%s: %v", node, err)
		}
	}
}
