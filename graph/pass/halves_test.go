package pass

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// halvesText has each kind of product that is rounded, values that others read, too, and a batch norm to fold.
const halvesText = `
	input x: float32[1, 4, 6, 6]
	const w: float32[4, 4, 3, 3]
	const b: float32[4] {1, 2, 3, 4}
	const scale: float32[4] {1, 2, -1, 3}
	const v: float32[10, 144]
	const u: float32[10, 8]
	const u0: float32[10] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	a = Conv(x, w, b) pads=[1, 1, 1, 1]
	n = BatchNormalization(a, scale, b, b, b)
	r = Relu(n)
	c = Conv(r, w) pads=[1, 1, 1, 1]
	s = Add(c, r)
	z = Sigmoid(r)
	f = Flatten(s)
	g = Gemm(f, v, u0) transB=1
	y = MatMul(g, u)
	h = Abs(g)
	output y
	output z
	output h
	output s`

// TestHalveGolden: the rounded graph as text, and what all passes make of it, which computes the same.
func TestHalveGolden(t *testing.T) {
	halveGolden(t, "bf16", "halves")
	halveGolden(t, "f16", "halves16")
}

func halveGolden(t *testing.T, precision, file string) {
	t.Helper()
	g := graphtest.MustParse(halvesText, 18)
	rounded, count, err := Rounded(t.Context(), g, Options{Precision: precision})
	if err != nil || count != 4 {
		t.Fatalf("%d products are rounded, %v", count, err)
	}
	text := rounded.String()
	after, _ := rounded.Clone()
	if err := Run(t.Context(), after, Options{Check: true}); err != nil {
		t.Fatal(err)
	}
	if err := equal(t.Context(), rounded, after); err != nil {
		t.Error(err)
	}
	groups, err := Partition(after)
	if err != nil {
		t.Fatal(err)
	}
	list := ""
	for _, k := range groups {
		if k.Kind == Kernel {
			list += fmt.Sprintln(k, k.Outputs)
		}
	}
	golden(t, file, "rounded\n"+text+"after\n"+after.String()+"kernels\n"+list)
}

// TestHalvePasses: convolutions that passes divide, or make by Winograd's algorithm in float32, add up in float32.
func TestHalvePasses(t *testing.T) {
	for text, want := range map[string]int{
		"input x: float32[1, 64, 14, 14]\nconst w: float32[8, 64, 3, 3]\n" +
			"y = Conv(x, w) dilations=[12, 12] pads=[12, 12, 12, 12]": 9,
		"input x: float32[1, 64, 32, 32]\nconst w: float32[64, 64, 3, 3]\ny = Conv(x, w) pads=[1, 1, 1, 1]": 1,
		"input x: float32[2, 2, 3, 8]\nconst w: float32[8, 4]\ny = MatMul(x, w)":                            1,
	} {
		g, _, err := Rounded(t.Context(), graphtest.MustParse(text+"\noutput y", 18), Options{Precision: "bf16"})
		if err != nil {
			t.Fatal(err)
		}
		after, _ := g.Clone()
		if err := Run(t.Context(), after, Options{Check: true}); err != nil {
			t.Fatal(err)
		}
		if err := equal(t.Context(), g, after); err != nil {
			t.Error(err)
		}
		if n := strings.Count(after.String(), "wide=1"); n != want {
			t.Errorf("%d products add up in float32, want %d:\n%s", n, want, after)
		}
	}
}

// TestHalveByRate: a convolution is rounded unless Winograd's algorithm computes it faster in float32.
func TestHalveByRate(t *testing.T) {
	conv := func(side, channels int, attrs string) string {
		return fmt.Sprintf("input x: float32[1, %[2]d, %[1]d, %[1]d]\nconst w: float32[%[2]d, %[2]d, 3, 3]\n"+
			"const u: float32[1, %[2]d, 1, 1]\na = Conv(x, w) pads=[1, 1, 1, 1]%[3]s\ny = Conv(a, u)\noutput y", side, channels, attrs)
	}
	for _, c := range []struct {
		what, text string
		rate       float64
		want       int
	}{
		{"many pixels", conv(28, 128, ""), 2, 1},
		{"many pixels, of a fast processor", conv(28, 128, ""), 15, 2},
		{"many pixels, of any processor", conv(28, 128, ""), 0, 2},
		{"many weights", conv(7, 512, ""), 2, 2},
		{"steps of two pixels", conv(28, 128, " strides=[2, 2]"), 2, 2},
		{"windows of holes", conv(28, 128, " dilations=[2, 2]"), 2, 2},
		{"padding by the shape", strings.Replace(conv(28, 128, " auto_pad=\"SAME_UPPER\""), "pads=[1, 1, 1, 1] ", "", 1), 2, 2},
		{"one line", "input x: float32[1, 128, 784]\nconst w: float32[128, 128, 3]\ny = Conv(x, w)\noutput y", 2, 1},
	} {
		_, count, err := Rounded(t.Context(), graphtest.MustParse(c.text, 18), Options{Precision: "bf16", Rate: c.rate})
		if err != nil || count != c.want {
			t.Errorf("%s: %d products are rounded, want %d: %v", c.what, count, c.want, err)
		}
	}
	_, _, err := Rounded(t.Context(), graphtest.MustParse("input x: float32[1, 128, 28, 28]\nconst w: float32[128, 128, 3, 3]\n"+
		"y = Conv(x, w) pads=[1, 1, 1, 1]\noutput y", 18), Options{Precision: "bf16", Rate: 2})
	if want := "but for what Winograd's algorithm computes faster in float32"; !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("nothing to round: %v", err)
	}
}

// TestHalveOthers: a sum reads what a product makes rounded, and an input, or what a norm makes, as it is.
func TestHalveOthers(t *testing.T) {
	for name, text := range map[string]string{
		"rounded":   "a = MatMul(x, w)",
		"rounded 2": "p = MatMul(x, w)\nr = Relu(x)\nq = Add(p, r)\na = Relu(q)",
		"input":     "a = Identity(x)",
		"norm":      "p = MatMul(x, w)\na = LayerNormalization(p, k)",
		"centred":   "p = MatMul(x, w)\nm = ReduceMean(p)\na = Sub(p, m)",
		"norm in parts": "p = MatMul(x, w)\nm = ReduceMean(p)\ns = Sub(p, m)\nq = Mul(s, s)\nv = ReduceMean(q)\n" +
			"d = Sqrt(v)\na = Div(s, d)",
	} {
		g := graphtest.MustParse("input x: float32[3, 4]\nconst w: float32[4, 4]\nconst k: float32[4] {1, 2, 3, 4}\n"+text+
			"\nb = MatMul(a, w)\ny = Add(b, a)\noutput y", 18)
		rounded, _, err := Rounded(t.Context(), g, Options{Precision: "bf16"})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(rounded.String(), "to=1\n  y:"); got != strings.HasPrefix(name, "rounded") {
			t.Errorf("%s: the sum reads it rounded: %v\n%s", name, got, rounded)
		}
	}
}

// TestHalveKeeps: each of these products lacks one thing that the rounding needs.
func TestHalveKeeps(t *testing.T) {
	image, matrix := "input x: float32[1, 4, 6, 6]\n", "input x: float32[3, 4]\n"
	for name, text := range map[string]string{
		"rounds a convolution": image + "const w: float32[2, 4, 1, 1]\ny = Conv(x, w)",
		"rounds a matrix":      matrix + "const w: float32[4, 2]\ny = MatMul(x, w)",
		"rounds a layer":       matrix + "const w: float32[5, 4]\ny = Gemm(x, w) transB=1",
		"groups":               image + "const w: float32[4, 1, 1, 1]\ny = Conv(x, w) group=4",
		"odd channels":         "input x: float32[1, 3, 6, 6]\nconst w: float32[2, 3, 1, 1]\ny = Conv(x, w)",
		"odd rows":             "input x: float32[2, 3]\nconst w: float32[3, 4]\ny = MatMul(x, w)",
		"variable":             matrix + "input w: float32[4, 2]\ny = MatMul(x, w)",
		"factor":               matrix + "const w: float32[4, 2]\ny = Gemm(x, w) alpha=2",
		"turned":               "input x: float32[4, 3]\nconst w: float32[4, 2]\ny = Gemm(x, w) transA=1",
		"vector":               matrix + "const w: float32[4]\ny = MatMul(x, w)",
		"float64":              "input x: float64[3, 4]\nconst w: float64[4, 2]\ny = MatMul(x, w)",
		"too large":            "input x: float32[3, 2]\nconst w: float32[2, 1] {1, 3.4028235e38}\ny = MatMul(x, w)",
	} {
		g := graphtest.MustParse(text+"\noutput y", 18)
		_, count, err := Rounded(t.Context(), g, Options{Precision: "bf16"})
		if want := strings.HasPrefix(name, "rounds"); (count == 1) != want || (err == nil) != want {
			t.Errorf("%s: %d products, %v", name, count, err)
		}
		if err != nil && !strings.Contains(err.Error(), "has none of pairs of weights to add up, but for what Winograd's algorithm") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// attentionText has the products of attention of 2 heads, with so many queries, keys and columns of a head.
func attentionText(queries, keys, columns int) string {
	heads := func(name string, rows int, perm string) string {
		return fmt.Sprintf("const %[1]s0: int64[3] {%[2]d, 2, %[3]d}\n%[1]s1 = Reshape(%[1]s2, %[1]s0)\n"+
			"%[1]s = Transpose(%[1]s1) perm=%[4]s\n", name, rows, columns, perm)
	}
	return fmt.Sprintf("input x: float32[%d, 6]\ninput z: float32[%d, 6]\nconst w: float32[6, %d]\n", queries, keys, 2*columns) +
		"q2 = MatMul(x, w)\nk2 = MatMul(z, w)\nv2 = MatMul(z, w)\n" + heads("q", queries, "[1, 0, 2]") +
		heads("k", keys, "[1, 2, 0]") + heads("v", keys, "[1, 0, 2]") +
		"s = MatMul(q, k)\np = Softmax(s)\ny = MatMul(p, v)\noutput y"
}

// TestHalveAttention: both products of attention are rounded, and the softmax between them makes rounded weights,
// where an operand is read often enough, in pairs that are whole unless instructions need no whole ones.
func TestHalveAttention(t *testing.T) {
	for _, c := range []struct {
		queries, keys, columns int
		odd                    bool
		want                   int
	}{{64, 64, 64, false, 5}, {23, 128, 128, false, 3}, {24, 24, 16, false, 3}, {64, 65, 64, false, 4}, {64, 65, 64, true, 5}} {
		g := graphtest.MustParse(attentionText(c.queries, c.keys, c.columns), 18)
		rounded, count, err := Rounded(t.Context(), g, Options{Precision: "bf16", OddSums: c.odd})
		if err != nil || count != c.want {
			t.Fatalf("%v: %d products are rounded: %v", c, count, err)
		}
		if _, count, _ := Rounded(t.Context(), g, Options{Precision: "f16", OddSums: c.odd}); count != 3 {
			t.Errorf("%v: %d products are rounded to float16", c, count)
		}
		after, _ := rounded.Clone()
		if err := Run(t.Context(), after, Options{Check: true}); err != nil {
			t.Fatal(err)
		}
		if err := equal(t.Context(), rounded, after); err != nil {
			t.Error(err)
		}
		if text := after.String(); strings.Contains(text, "Attend(") != (c.want < 5) || !strings.Contains(text, "wmtune.Att") {
			t.Errorf("%v:\n%s", c, text)
		}
	}
}

// TestHalveRandom: a rounded product is off by half a unit of bfloat16 for each operand, and passes change nothing.
func TestHalveRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for k := range 40 {
		ci, co, size, pad, stride := int64(2+2*r.IntN(5)), int64(1+r.IntN(20)), 1+r.IntN(3), r.IntN(2), 1+r.IntN(2)
		text := fmt.Sprintf("input x: float32[1, %d, 7, 5]\nconst w: float32[%d, %d, %d, %d]\ny = Conv(x, w) "+
			"pads=[%[6]d, %[6]d, %[6]d, %[6]d] strides=[%[7]d, %[7]d] dilations=[%[8]d, 1]",
			ci, co, ci, size, size, pad, stride, 1+r.IntN(2))
		if k%2 == 0 {
			text = fmt.Sprintf("input x: float32[%d, 3, %d]\nconst w: float32[%d, %d]\ny = MatMul(x, w)",
				1+r.IntN(3), ci, ci, co)
		}
		g := graphtest.MustParse(text+"\nz = Relu(y)\noutput z\noutput y", 18)
		rounded, _, err := Rounded(t.Context(), g, Options{Precision: "bf16"})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		after, _ := rounded.Clone()
		if err := Run(t.Context(), after, Options{Check: true}); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := equal(t.Context(), rounded, after); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		x := graph.NewTensor(tir.F32, g.Inputs[0].Shape...)
		for i := range x.F {
			x.F[i] = float64(float32(r.NormFloat64()))
		}
		output := func(g *graph.Graph, x *graph.Tensor) *graph.Tensor {
			out, err := op.Evaluator().Run(t.Context(), g, []*graph.Tensor{x})
			if err != nil {
				t.Fatal(err)
			}
			return out[1]
		}
		want, got := output(g, x), output(rounded, x)
		w := g.Nodes[0].Inputs[1]
		magnitudes, positive := w.Const.Tensor(), graph.NewTensor(tir.F32, x.Shape...)
		for i := range magnitudes.F {
			magnitudes.F[i] = math.Abs(magnitudes.F[i])
		}
		for i, v := range x.F {
			positive.F[i] = math.Abs(v)
		}
		w.Const = magnitudes.Const()
		most, far := output(g, positive), 0.0
		for i, v := range got.F {
			if off := math.Abs(v-want.F[i]) / most.F[i]; off > 0x1.01p-8 {
				t.Fatalf("%s: element %d is off by %g", text, i, off)
			} else if off == off {
				far = max(far, off)
			}
		}
		if far == 0 {
			t.Errorf("%s: nothing is rounded", text)
		}
	}
}
