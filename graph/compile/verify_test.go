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

// TestCompare: differences up to the tolerance, or the noise, are right; integers, NaN and infinities must be equal.
func TestCompare(t *testing.T) {
	floats := func(v ...float64) *graph.Tensor {
		return &graph.Tensor{Type: tir.F32, Shape: []int64{int64(len(v))}, F: v}
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		got, want *graph.Tensor
		noise     float64
		wrong     string        // part of the error, "" if it is right
		rounded   *graph.Tensor // or nil
	}{
		{floats(1, 100), floats(1.005, 100), 0, "", nil},
		{floats(1, 100), floats(1.02, 100), 0, "element 0: got 1, the reference has 1.02", nil},
		{floats(1, 100), floats(1.02, 100), 1e-3, "", nil},
		{floats(1, 100), floats(1.2, 100), 1e-3, "they differ by 0.002 of the largest element", nil},
		{floats(nan, inf), floats(nan, inf), 0, "", nil},
		{floats(nan, 1), floats(1, 1), 1, "that are wrong: 1", nil},
		{floats(inf, 1), floats(-inf, 1), 1, "that are wrong: 1", nil},
		{floats(1), floats(1, 2), 0, "has the shape [1]", nil},
		{graph.Ints(1, 2, 3), graph.Ints(1, 2, 3), 0, "", nil},
		{graph.Ints(1, 2, 4), graph.Ints(1, 2, 3), 1, "element 2: got 4", nil},
		{graph.Ints(1<<60 + 1), graph.Ints(1 << 60), 1, "that are wrong: 1", nil},
		{floats(0, 0), floats(0, 0), 0, "", nil},
		{floats(1e-30, -1e-6), floats(0, 0), 0, "", nil},
		{floats(0, 5), floats(0, 0), 0, "element 1: got 5, the reference has 0", nil},
		{floats(0, 1e-3), floats(0, 0), 0, "element 1: got 0.001", nil},
		{floats(inf, 5), floats(inf, 0), 0, "element 1: got 5", nil},
		{floats(-3.4e38, 5), floats(-3.4e38, 2), 0, "element 1: got 5, the reference has 2; they differ by 1.5", nil},
		{floats(-3.4e38, 2), floats(-3.4e38, 2), 0, "", nil},
		{floats(-3.4e38, 2), floats(-3.3e38, 2), 0, "element 0: got -3.4e+38", nil},
		{floats(-3.40001e38, -1e30, 2), floats(-3.4e38, -1e30, 2), 0, "", nil},
		{floats(1e31, 1e26, 0), floats(1e31, 1e26, 1e10), 0, "", nil}, // numbers of all sizes
		{floats(1e31, 0), floats(1e31, 0), 0, "", nil},
		{floats(inf, nan, 2), floats(1e50, 3, 2), 0, "", floats(inf, nan, 2)},
		{floats(-inf, 3), floats(1e50, 3), 0, "that are wrong: 1", floats(inf, 3)},
		{floats(nan, 3), floats(1, 3), 0, "that are wrong: 1", floats(1, 3)},
		{floats(inf, 3), floats(1, 3), 0, "that are wrong: 1", floats(nan, 3)},
	} {
		_, err := compare("y", c.got, c.want, slack{noise: c.noise, rounded: c.rounded})
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%v %v, %v %v, noise %v: %v, want %q", c.got.F, c.got.I, c.want.F, c.want.I, c.noise, err, c.wrong)
		}
	}
}

// TestNothingToCompare: of an output that has no number it is said that nothing was compared.
func TestNothingToCompare(t *testing.T) {
	nan := math.NaN()
	m, err := New(t.Context(), graphtest.MustParse("input x: float32[2]\ny = Log(x)\noutput y", 18), pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]float64{{nan, math.Inf(1)}, {nan, 1}} {
		said := &saying{}
		y := []*graph.Tensor{{Type: tir.F32, Shape: []int64{2}, F: list}}
		c := &compilation{model: m, opt: Options{Observer: said}}
		if err := c.judge(t.Context(), y, y, y); err != nil || (len(said.lines) == 1) != math.IsInf(list[1], 1) {
			t.Errorf("%v: %v, said %q", list, err, said.lines)
		}
	}
}

// TestFlips: whole numbers that floats decide may differ where rounding does, and in a few of many elements; others
// may not.
func TestFlips(t *testing.T) {
	const n = 4000
	g := graphtest.MustParse(fmt.Sprintf(`
		input x: float32[%d]
		input y: int64[%d]
		const one: int64[1] {1}
		const zero: float32[1] {0}
		z = Add(x, zero)
		a = Floor(z)
		b = Cast(a) to=7
		c = Add(y, one)
		output b
		output c`, n, n), 18)
	m, err := New(t.Context(), g, pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, y := graph.NewTensor(tir.F32, n), graph.NewTensor(tir.I64, n)
	for i := range x.F {
		x.F[i], y.I[i] = float64(i%7)+0.5, int64(i)
	}
	x.F[9] = 3 - 1e-12 // 3 in float32
	reference, err := op.Evaluator().Run(t.Context(), g, []*graph.Tensor{x, y})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		output, from, flips int
		wrong               string
	}{
		{0, 0, 0, ""},
		{0, 9, 1, ""}, // as the reference with rounding
		{0, 100, 40, ""},
		{0, 100, 41, "elements that are wrong: 41"},
		{1, 0, 1, "elements that are wrong: 1"}, // no float decides it
	} {
		got := []*graph.Tensor{graph.NewTensor(tir.I64, n), graph.NewTensor(tir.I64, n)}
		for i := range got {
			copy(got[i].I, reference[i].I)
		}
		for i := range test.flips {
			got[test.output].I[test.from+i]++
		}
		c := &compilation{model: m, opt: Options{Observer: silent{}}}
		err := c.judge(t.Context(), []*graph.Tensor{x, y}, got, reference)
		if (err == nil) != (test.wrong == "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%d of output %d: %v", test.flips, test.output, err)
		}
	}
	for count, want := range map[[2]int]int{{1, 0}: 0, {99, 3}: 0, {100, 0}: 1, {512 * 512, 0}: 263, {1000, 9}: 10} {
		if got := flipsOf(count[0], count[1]); got != want {
			t.Errorf("%d of %v may flip, want %d", got, count, want)
		}
	}
}

// TestUndecided: where rounding changes most integers, an output has those of one of both references.
func TestUndecided(t *testing.T) {
	const n = 40
	g := graphtest.MustParse(fmt.Sprintf(`
		input x: float32[%d]
		const little: float32[1] {1e-12}
		z = Add(x, little)
		y = Greater(z, x)
		output y`, n), 18)
	m, err := New(t.Context(), g, pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, want := graph.NewTensor(tir.F32, n), graph.NewTensor(tir.Bool, n) // 0 of want if rounded
	for i := range n {
		x.F[i], want.I[i] = 1, 1
	}
	for zeros, right := range map[int]bool{0: true, n: true, n / 2: false, 1: false} {
		got := graph.NewTensor(tir.Bool, n)
		for i := zeros; i < n; i++ {
			got.I[i] = 1
		}
		c := &compilation{model: m, opt: Options{Observer: silent{}}}
		err := c.judge(t.Context(), []*graph.Tensor{x}, []*graph.Tensor{got}, []*graph.Tensor{want})
		if (err == nil) != right {
			t.Errorf("%d of %d as rounded: %v", zeros, n, err)
		}
	}
}

// TestDecidedByFloats: types that the file does not say count, and so do floats inside of branches.
func TestDecidedByFloats(t *testing.T) {
	g := graphtest.MustParse(`
		input k: int64[1, 4]
		const table: float32[9, 3]
		const w: float32[3, 5]
		const one: int64[1] {1}
		e = Gather(table, k)
		p = MatMul(e, w)
		a = ArgMax(p) axis=-1
		b = Add(k, one)
		output a
		output b`, 18)
	m, err := New(t.Context(), g, pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.floats, []bool{true, false}) {
		t.Errorf("floats decide %v", m.floats)
	}
	branches := &graph.Graph{Inputs: []*graph.Value{known("c", tir.Bool), known("k", tir.I64, 4)}}
	then, els := &graph.Graph{Name: "then"}, &graph.Graph{Name: "else"}
	e := apply(then, "Gather", fixed("table", ramp(9), 9), branches.Inputs[1])
	then.Outputs = []*graph.Value{apply(then, "Greater", e, fixed("zero", ramp(1), 1))}
	els.Outputs = []*graph.Value{apply(els, "Equal", branches.Inputs[1], branches.Inputs[1])}
	branches.Outputs = []*graph.Value{apply(branches, "If", branches.Inputs[0])}
	branches.Nodes[0].SetAttr(graphAttr("then_branch", then), graphAttr("else_branch", els))
	if m, err = New(t.Context(), branches, pass.Options{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.floats, []bool{true}) {
		t.Errorf("with branches, floats decide %v", m.floats)
	}
}

// TestRoundedShape: a length that rounding decides is that of the reference with rounding.
func TestRoundedShape(t *testing.T) {
	g := graphtest.MustParse(`
		input x: float32[30]
		const scale: float32[1] {3.3333333}
		s = Shape(x)
		f = Cast(s) to=1
		p = Mul(f, scale)
		q = Floor(p)
		k = Cast(q) to=7
		y = ConstantOfShape(k)
		output y`, 18)
	m, err := New(t.Context(), g, pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := graph.NewTensor(tir.F32, 30)
	reference, err := op.Evaluator().Run(t.Context(), g, []*graph.Tensor{x})
	if err != nil || reference[0].Len() != 99 {
		t.Fatal(reference, err)
	}
	for length, right := range map[int64]bool{98: false, 99: true, 100: true, 101: false} {
		c := &compilation{model: m, opt: Options{Observer: silent{}}}
		err := c.judge(t.Context(), []*graph.Tensor{x}, []*graph.Tensor{graph.NewTensor(tir.F32, length)}, reference)
		if (err == nil) != right {
			t.Errorf("length %d: %v", length, err)
		}
	}
}

// TestJudge: where rounding alone changes the results altogether, the error says what to do.
func TestJudge(t *testing.T) {
	g := graphtest.MustParse(`
		input x: float32[2]
		const c: float32[1] {1e8}
		a = Add(x, c)
		y = Sub(a, c)
		output y`, 18)
	m, err := New(t.Context(), g, pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	floats := func(v ...float64) *graph.Tensor {
		return &graph.Tensor{Type: tir.F32, Shape: []int64{2}, F: v}
	}
	for _, test := range []struct {
		file  string
		x     *graph.Tensor
		hints bool
	}{
		{"", floats(1, 2), true},
		{"inputs.npz", floats(1, 2), false},
		{"", floats(8000.01, 16000.01), false}, // rounding changes little
	} {
		c := &compilation{model: m, opt: Options{Observer: silent{}, Inputs: test.file}}
		err := c.judge(t.Context(), []*graph.Tensor{test.x}, []*graph.Tensor{floats(0, 0)}, []*graph.Tensor{test.x})
		if err == nil || strings.Contains(err.Error(), "give it true ones (--input)") != test.hints {
			t.Errorf("inputs %q %v: %v", test.file, test.x.F, err)
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
