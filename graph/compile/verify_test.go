package compile

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/npy"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
)

// TestCompare: differences are parts of the largest element, or of an element that is a mask's; integers, NaN and
// infinities are equal or not. What a reference that rounds differs by, and more, is not beyond.
func TestCompare(t *testing.T) {
	floats := func(v ...float64) *graph.Tensor {
		return &graph.Tensor{Type: tir.F32, Shape: []int64{int64(len(v))}, F: v}
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		got, want *graph.Tensor
		noise     Difference
		wrong     string // part of the error, "" if it is right
	}{
		{floats(1, 100), floats(1.005, 100), Difference{}, ""},
		{floats(1, 100), floats(1.02, 100), Difference{}, "element 0: got 1, the reference has 1.02"},
		{floats(1, 100), floats(1.02, 100), Difference{Relative: 1e-5}, ""},
		{floats(1, 100), floats(1.2, 100), Difference{Relative: 1e-5}, "they differ by 0.002 of the largest element"},
		{floats(nan, inf), floats(nan, inf), Difference{}, ""},
		{floats(nan, 1), floats(1, 1), Difference{Relative: 1}, "that are wrong: 1"},
		{floats(inf, 1), floats(-inf, 1), Difference{Relative: 1}, "that are wrong: 1"},
		{floats(inf, 1), floats(3, 1), Difference{Wrong: 1}, ""},
		{floats(1), floats(1, 2), Difference{}, "has the shape [1]"},
		{graph.Ints(1, 2, 3), graph.Ints(1, 2, 3), Difference{}, ""},
		{graph.Ints(1, 2, 4), graph.Ints(1, 2, 3), Difference{}, "element 2: got 4"},
		{graph.Ints(1<<60 + 1), graph.Ints(1 << 60), Difference{}, "that are wrong: 1"},
		{floats(1e-30, -1e-6), floats(0, 0), Difference{}, ""},
		{floats(0, 5), floats(0, 0), Difference{}, "element 1: got 5, the reference has 0"},
		{floats(-3.4e38, 5), floats(-3.4e38, 2), Difference{}, "element 1: got 5, the reference has 2; they differ by 1.5"},
		{floats(-3.4e38, 2), floats(-3.3e38, 2), Difference{}, "element 0: got -3.4e+38"},
		{floats(-3.40001e38, -1e30, 2), floats(-3.4e38, -1e30, 2), Difference{}, ""},
		{floats(1e31, 1e26, 0), floats(1e31, 1e26, 1e10), Difference{}, ""}, // numbers of all sizes
	} {
		d, err := compare("y", c.got, c.want)
		if err == nil {
			err = d.beyond(c.want, c.noise)
		}
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%v %v, %v %v, noise %v: %v, want %q", c.got.F, c.got.I, c.want.F, c.want.I, c.noise, err, c.wrong)
		}
	}
}

// TestState: outputs that are off are stated where kernels are right for what they were given; a pass that changes what
// the graph computes is refused, and so is whatever a graph with loops puts in a wrong place.
func TestState(t *testing.T) {
	g := graphtest.MustParse(`
		input x: float32[4]
		const c: float32[1] {1e8}
		a = Add(x, c)
		y = Sub(a, c)
		r = Round(y)
		k = ArgMax(x) axis=0
		output y
		output r
		output k`, 18)
	x := &graph.Tensor{Type: tir.F32, Shape: []int64{4}, F: []float64{1, 2, 3, 4}}
	want, err := op.Evaluator().Run(t.Context(), g, []*graph.Tensor{x})
	if err != nil {
		t.Fatal(err)
	}
	zero := graph.NewTensor(tir.F32, 4)
	for name, test := range map[string]struct {
		pass  func(g *graph.Graph)
		got   []*graph.Tensor
		said  int
		wrong string
	}{
		"right":   {nil, want, 0, ""},
		"rounded": {nil, []*graph.Tensor{zero, zero, want[2]}, 2, ""},
		"a pass that leaves out an addition": {func(g *graph.Graph) { g.Outputs[0] = g.Nodes[0].Outputs[0] },
			[]*graph.Tensor{zero, zero, want[2]}, 0, "output y, element 0"},
		"a pass that turns ArgMax into ArgMin": {func(g *graph.Graph) { g.Nodes[3].Op = "ArgMin" },
			[]*graph.Tensor{want[0], want[1], graph.NewTensor(tir.I64, want[2].Shape...)}, 0, "output k, element 0"},
	} {
		m := &Model{Original: g}
		if m.Graph, _ = g.Clone(); test.pass != nil {
			test.pass(m.Graph)
		}
		said := &saying{}
		c := &compilation{model: m, opt: Options{Observer: said}}
		err := c.state(t.Context(), []*graph.Tensor{x}, test.got, want)
		if c.result.Rounding != 0 && test.wrong == "" {
			t.Errorf("%s: the reference was evaluated with rounding, though the graph after the passes agrees", name)
		}
		if (err == nil) != (test.wrong == "") || err != nil && !strings.Contains(err.Error(), test.wrong) ||
			err == nil && len(said.lines) != test.said {
			t.Errorf("%s: %v, said %q", name, err, said.lines)
		}
	}
}

// TestJump: a pass that moves a number by a rounding may move what is rounded to an integer by one, and a pass that
// moves it further may not.
func TestJump(t *testing.T) {
	const text = "input x: float32[1]\nconst c: float32[1] {%v}\na = Mul(x, c)\nr = Round(a)\ny = Neg(r)\noutput y"
	original := graphtest.MustParse(fmt.Sprintf(text, 1), 18)
	for x, test := range map[float64]struct {
		by    float64
		right bool
	}{float64(float32(1.499999)): {1.000001, true}, 1.4: {1.1, false}} {
		m := &Model{Original: original, Graph: graphtest.MustParse(fmt.Sprintf(text, test.by), 18)}
		c := &compilation{model: m, opt: Options{Observer: &saying{}}}
		of := func(v float64) []*graph.Tensor {
			return []*graph.Tensor{{Type: tir.F32, Shape: []int64{1}, F: []float64{v}}}
		}
		if err := c.state(t.Context(), of(x), of(-2), of(-1)); (err == nil) != test.right {
			t.Errorf("%v times %v: %v", x, test.by, err)
		}
	}
}

// TestReadInputs: an input of bfloat16 is in a file as uint16.
func TestReadInputs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inputs.npz")
	x := &graph.Const{Type: tir.U16, Shape: []int64{2}, Data: []byte{0x80, 0x3f, 0, 0xc0}}
	if err := npy.Write(path, []npy.Named{{Name: "x", Const: x}}); err != nil {
		t.Fatal(err)
	}
	list, err := readInputs(path, []model.Port{{Name: "x", Type: tir.BF16, Shape: []int64{2}}}, nil)
	if err != nil || list[0].Type != tir.BF16 || !slices.Equal(list[0].F, []float64{1, -2}) {
		t.Errorf("%v, %v", list, err)
	}
}

// TestCheckFiles: a file of inputs is looked at before the work.
func TestCheckFiles(t *testing.T) {
	m, err := New(t.Context(), graphtest.MustParse("input x: float32[2]\ny = Neg(x)\noutput y", 18), pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"x": "", "in0": "", "z": "there is no input called z"} {
		path := filepath.Join(t.TempDir(), "inputs.npz")
		x := &graph.Const{Type: tir.F32, Shape: []int64{2}, Data: make([]byte, 8)}
		if err := npy.Write(path, []npy.Named{{Name: name, Const: x}}); err != nil {
			t.Fatal(err)
		}
		err := (&compilation{model: m, opt: Options{Inputs: path}}).checkFiles()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
