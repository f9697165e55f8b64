package run

import (
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
)

// want returns an expectation of a vector of floats, with E for a sum of n terms.
func want(typ tir.DType, n float64, list ...float64) *expectation {
	data := make([]byte, 8*len(list))
	for i, v := range list {
		putFloat(data[8*i:], tir.F64, v)
	}
	return newExpectation(tensor{Name: "C", Type: typ, Shape: []int64{int64(len(list))}}, data, safety*compute.Unit(typ)*math.Sqrt(n), 0)
}

func floatsOf(typ tir.DType, list ...float64) []byte {
	data := make([]byte, typ.Bytes()*len(list))
	for i, v := range list {
		putFloat(data[i*typ.Bytes():], typ, v)
	}
	return data
}

func TestCompare(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		x         *expectation
		got       []byte
		wantFirst int64 // -1: equal
		says      string
	}{
		{"equal", want(tir.F32, 1, 1, 2, 3), floatsOf(tir.F32, 1, 2, 3), -1, ""},
		{"rounding", want(tir.F32, 1, 1, 2, 3), floatsOf(tir.F32, 1, 2*(1+0x1p-22), 3), -1, ""},
		{"too far", want(tir.F32, 1, 1, 2, 3), floatsOf(tir.F32, 1, 2.0001, 3), 1, "C[1] is 2.0000999"},
		{"long sum", want(tir.F32, 1e6, 1, 2, 3), floatsOf(tir.F32, 1, 2.0001, 3), -1, ""},
		{"small beside large", want(tir.F32, 1, 1e-9, 100), floatsOf(tir.F32, 2e-9, 100), -1, ""},
		{"not that small", want(tir.F32, 1, 1e-9, 100), floatsOf(tir.F32, 1e-3, 100), 0, "1 of 2"},
		{"at the tolerance", want(tir.F32, 1, 0, 1), floatsOf(tir.F32, 0.99*16*0x1p-24*math.Sqrt(0.5), 1), -1, ""},
		{"past the tolerance", want(tir.F32, 1, 0, 1), floatsOf(tir.F32, 1.01*16*0x1p-24*math.Sqrt(0.5), 1), 0, "1 of 2"},
		{"behind a rounding of large ones", want(tir.F32, 1, 9, 1, 1), floatsOf(tir.F32, 9*(1+0x1p-20), 1, 2), 2, "1 of 3"},
		{"NaN", want(tir.F32, 1, 1, 2), floatsOf(tir.F32, 1, nan), 1, "is NaN"},
		{"NaN in float64", want(tir.F64, 1, 1, 2), floatsOf(tir.F64, 1, nan), 1, "is NaN"},
		{"infinite", want(tir.F32, 1, 1, 2), floatsOf(tir.F32, 1, inf), 1, "is +Inf"},
		{"extreme for extreme", want(tir.F32, 1, 1, inf), floatsOf(tir.F32, 1, 3.4e38), -1, ""},
		{"wrong sign", want(tir.F32, 1, 1, inf), floatsOf(tir.F32, 1, -inf), 1, "want +Inf"},
		{"infinite does not widen", want(tir.F32, 1, 1, inf), floatsOf(tir.F32, 2, inf), 0, "1 of 2"},
		{"half", want(tir.F16, 1, 1, 2), floatsOf(tir.F16, 1, 2.001953125), -1, ""},
		{"half too far", want(tir.F16, 1, 1, 2), floatsOf(tir.F16, 1, 2.125), 1, "C[1]"},
		{"brain float", want(tir.BF16, 1, 1, 2), floatsOf(tir.BF16, 1, 2.015625), -1, ""},
		{"float64 is not float32", want(tir.F64, 1, 1, 2), floatsOf(tir.F64, 1, 2+1e-9), 1, "C[1]"},
		{"nothing there", want(tir.F32, 1), nil, -1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := c.x.compare(c.got, poisonNaN)
			switch {
			case m == nil && c.wantFirst >= 0:
				t.Error("found equal")
			case m != nil && c.wantFirst < 0:
				t.Error(m)
			case m != nil && (m.first != c.wantFirst || !strings.Contains(m.String(), c.says)):
				t.Errorf("got %q", m)
			}
		})
	}
}

func TestCompareIntegers(t *testing.T) {
	ts := tensor{Name: "C", Type: tir.I32, Shape: []int64{2, 3}}
	data := make([]byte, ts.bytes())
	for i := range 6 {
		putInt(data[4*i:], tir.I32, int64(i*1000-2000))
	}
	x := newExpectation(ts, data, 0, 0)
	got := append([]byte(nil), data...)
	if m := x.compare(got, poisonNaN); m != nil {
		t.Error(m)
	}
	putInt(got[16:], tir.I32, -7)
	if m := x.compare(got, poisonNaN); m == nil || m.String() != "C[1, 1] is -7, want 2000; 1 of 6 elements are wrong" {
		t.Errorf("got %v", m)
	}
	copy(got[16:], poisonHigh.elem(tir.I32))
	if m := x.compare(got, poisonHigh); m == nil || m.String() != "C[1, 1] was not written, want 2000; 1 of 6 elements are wrong" {
		t.Errorf("got %v", m)
	}
}

// TestMissingTerm: the tolerance finds a sum that lacks one of its terms, and one
// that has a term twice, up to lengths beyond those of any operator.
func TestMissingTerm(t *testing.T) {
	for _, n := range []int{1, 9, 576, 4608, 100_000} {
		a := tensor{Type: tir.F32, Shape: []int64{int64(n)}}
		x, y := make([]byte, a.bytes()), make([]byte, a.bytes())
		fill(x, a, 1, 0, 0, 0)
		fill(y, a, 1, 0, 1, 0)
		sum := 0.0
		var last float64
		for k := range n {
			last = getFloat(x[4*k:], tir.F32) * getFloat(y[4*k:], tir.F32)
			sum += last
		}
		e := want(tir.F32, float64(n), sum, math.Sqrt(float64(n))) // with another element of the usual size
		for _, got := range []float64{sum - last, sum + last} {
			if e.compare(floatsOf(tir.F32, got, math.Sqrt(float64(n))), poisonNaN) == nil {
				t.Errorf("%d terms: %g passes for %g; the tolerance is %g", n, got, sum, e.tolerance(sum))
			}
		}
	}
}

// TestRoundingOf: each operand of a product of float32 that is no copy of an input counts four units of
// tf32, and nothing else does.
func TestRoundingOf(t *testing.T) {
	build := func(f func(g *compute.Builder, a, b compute.Tensor) (x, y compute.Tensor)) float64 {
		g := compute.NewBuilder()
		x, y := f(g, g.Placeholder("A", tir.F32, 16, 16), g.Placeholder("B", tir.F32, 16, 16))
		axes, red := []*compute.Axis{compute.NewAxis("i", 16), compute.NewAxis("j", 16)}, []*compute.Axis{compute.NewAxis("k", 16)}
		i, j, k := axes[0].Var, axes[1].Var, red[0].Var
		d, err := g.Build(g.SumWith("C", axes, red, tir.Bin(tir.Mul, x.At(i, k), y.At(k, j)), compute.Attrs{}))
		if err != nil {
			t.Fatal(err)
		}
		return roundingOf(d)
	}
	with := func(g *compute.Builder, of compute.Tensor, f func(e tir.Expr, i tir.Expr) tir.Expr) compute.Tensor {
		axes := []*compute.Axis{compute.NewAxis("i", 16), compute.NewAxis("j", 16)}
		return g.Compute("T", axes, f(of.At(axes[0].Var, axes[1].Var), axes[0].Var))
	}
	pad := func(e, i tir.Expr) tir.Expr {
		return tir.IfThenElse(tir.Bin(tir.LT, i, tir.Int(9)), e, tir.Float(tir.F32, 0))
	}
	fill := func(e, i tir.Expr) tir.Expr {
		return tir.IfThenElse(tir.Bin(tir.LT, i, tir.Int(9)), e, tir.Float(tir.F32, 0.1))
	}
	third := func(e, _ tir.Expr) tir.Expr { return tir.Bin(tir.Mul, e, tir.Float(tir.F32, 1.0/3)) }
	for what, c := range map[string]struct {
		want float64
		f    func(g *compute.Builder, a, b compute.Tensor) (x, y compute.Tensor)
	}{
		"inputs":             {0, func(_ *compute.Builder, a, b compute.Tensor) (x, y compute.Tensor) { return a, b }},
		"a padded input":     {0, func(g *compute.Builder, a, b compute.Tensor) (x, y compute.Tensor) { return with(g, a, pad), b }},
		"padding of a tenth": {0x1p-9, func(g *compute.Builder, a, b compute.Tensor) (x, y compute.Tensor) { return with(g, a, fill), b }},
		"a computed operand": {0x1p-9, func(g *compute.Builder, a, b compute.Tensor) (x, y compute.Tensor) { return a, with(g, b, third) }},
		"a padded one": {0x1p-9, func(g *compute.Builder, a, b compute.Tensor) (x, y compute.Tensor) {
			return a, with(g, with(g, b, third), pad)
		}},
		"one on either side": {0x1p-8, func(g *compute.Builder, a, b compute.Tensor) (x, y compute.Tensor) {
			return with(g, a, third), with(g, b, third)
		}},
	} {
		if got := build(c.f); got != c.want {
			t.Errorf("%s: %g, want %g", what, got, c.want)
		}
	}
	w, err := op.Parse("matmul:m=16,n=16,k=16,dtype=f16")
	if err != nil {
		t.Fatal(err)
	}
	if got := roundingOf(w.DAG); got != 0 {
		t.Errorf("of float16: %g, want 0", got)
	}
}

// TestMissingTermRounded: of a candidate that rounds to tf32, too, the tolerance finds a sum that
// lacks one of its terms, and of one that does not it stays as it is.
func TestMissingTermRounded(t *testing.T) {
	for _, n := range []float64{8, 576, 4608, 50_000} {
		root := math.Sqrt(n)
		e := want(tir.F32, n, root, -root)
		e.tf32 = 0x1p-8
		for _, c := range []struct {
			got  float64
			tf32 bool
			ok   bool
		}{
			{root - 1, true, false}, {root + 1, true, false}, // a term of the usual size
			{root * (1 + 0x1p-11), true, true}, {root * (1 + 0x1p-11), false, false},
		} {
			got := e.of(arithmetic{tf32: c.tf32}).compare(floatsOf(tir.F32, c.got, -root), poisonNaN) == nil
			if got != c.ok {
				t.Errorf("%g terms, rounded %v: %g for %g passes: %v", n, c.tf32, c.got, root, got)
			}
		}
	}
}

// TestMissingTermGrown: of a convolution in tiles of 4x4 as well, whose errors may be 3.5 times as large.
func TestMissingTermGrown(t *testing.T) {
	for _, n := range []float64{27, 576, 4608, 50_000} {
		root := math.Sqrt(n)
		e := want(tir.F32, n, root, -root)
		for _, c := range []struct {
			got, growth float64
			ok          bool
		}{
			{root - 1, 3.5, false}, {root + 1, 3.5, false},
			{root + 2.5*e.tolerance(root), 3.5, true}, {root + 2.5*e.tolerance(root), 0, false},
		} {
			got := e.of(arithmetic{growth: c.growth}).compare(floatsOf(tir.F32, c.got, -root), poisonNaN) == nil
			if got != c.ok {
				t.Errorf("%g terms, growth %g: %g for %g passes: %v", n, c.growth, c.got, root, got)
			}
		}
	}
}

// TestRoundedTerms: of a million sums whose terms were rounded to 11 bits, as tensor cores do with float32 and
// as storing float16 does, the farthest is well within the tolerance; half of that would be too little.
func TestRoundedTerms(t *testing.T) {
	const m, n, depth = 1024, 1024, 32
	x, y := tensor{Type: tir.F32, Shape: []int64{m, depth}}, tensor{Type: tir.F32, Shape: []int64{depth, n}}
	inputs := [][]byte{make([]byte, x.bytes()), make([]byte, y.bytes())}
	fill(inputs[0], x, 1, 0, 0, 0)
	fill(inputs[1], y, 1, 0, 1, 0)
	exact, rounded := products(inputs, m, n, depth, 11)
	e := want(tir.F32, depth, exact...)
	e.tf32 = stored * unitTF32
	far := 0.0
	for i, v := range exact {
		far = max(far, math.Abs(rounded[i]-v)/e.of(arithmetic{tf32: true}).tolerance(v))
	}
	if far < 0.5 || far > 0.75 {
		t.Errorf("the farthest of %d sums uses %.2f of the tolerance, want 0.5 to 0.75", len(exact), far)
	}
	if bad := e.of(arithmetic{tf32: true}).compare(floatsOf(tir.F32, rounded...), poisonNaN); bad != nil {
		t.Error(bad)
	}
}

// TestRoundedOutput: sums of terms that an output stored in 16 bits are within the tolerance, and
// would not be if that rounding counted for nothing.
func TestRoundedOutput(t *testing.T) {
	const m, n, depth = 256, 64, 1024
	d := parsed(t, `input x: float32[256, 1024]
input w: float32[1024, 64]
h(i: 256, k: 1024) = bfloat16(x[i, k]/3)
y(i: 256, j: 64) = sum(k: 1024) float32(h[i, k])*w[k, j]
output h, y
`)
	inputs := make([][]byte, 2)
	for i, b := range d.Inputs() {
		x := tensor{Type: b.Type, Shape: b.Shape}
		inputs[i] = make([]byte, x.bytes())
		fill(inputs[i], x, 1, 0, i, 0)
	}
	exact, rounded := products(inputs, m, n, depth, 8)
	e := want(tir.F32, 1, exact...)
	e.relative = errorOf(d)
	if bad := e.compare(floatsOf(tir.F32, rounded...), poisonNaN); bad != nil {
		t.Error(bad)
	}
	e.relative -= stored * compute.Unit(tir.BF16)
	if e.compare(floatsOf(tir.F32, rounded...), poisonNaN) == nil {
		t.Error("the sums are near enough without the rounding of h: the test says nothing of it")
	}
}

// products multiplies the matrices x/3 and w, of m*depth and depth*n elements; the second time
// with the terms of x rounded to a number of significant bits.
func products(inputs [][]byte, m, n, depth, bits int) (exact, rounded []float64) {
	exact, rounded = make([]float64, m*n), make([]float64, m*n)
	for i := range m {
		for k := range depth {
			a := getFloat(inputs[0][4*(i*depth+k):], tir.F32) / 3
			r := significant(a, bits)
			for j := range n {
				b := getFloat(inputs[1][4*(k*n+j):], tir.F32)
				exact[i*n+j] += a * b
				rounded[i*n+j] += r * b
			}
		}
	}
	return exact, rounded
}

// significant rounds to a number of significant bits.
func significant(v float64, bits int) float64 {
	frac, exp := math.Frexp(v)
	return math.Ldexp(math.Round(math.Ldexp(frac, bits)), exp-bits)
}

// TestErrorOf: E grows with the root of the reduction and with the ops. What is stored in 16 bits counts
// where it is read, be it an output or not.
func TestErrorOf(t *testing.T) {
	const halves = "input x: float32[4, 64]\nh(i: 4, k: 64) = float16(x[i, k])\ns(i: 4) = sum(k: 64) float32(h[i, k])\n"
	const sum, op, storing = 16 * 8 * 0x1p-24, 16 * 0x1p-24, 4 * 0x1p-11
	for _, c := range []struct {
		text string
		want float64
	}{
		{halves + "output s\n", op + storing + sum},
		{halves + "output s, h\n", op + storing + sum},
		{"input x: float32[4]\nh(i: 4) = float16(x[i])\noutput h\n", op},
		{"input x: float32[4]\nh(i: 4) = float16(x[i])\ng(i: 4) = h[i]\noutput h, g\n", op + storing + op},
	} {
		if got := errorOf(parsed(t, c.text)); got != c.want {
			t.Errorf("E is %g, want %g of\n%s", got, c.want, c.text)
		}
	}
}

func parsed(t *testing.T, text string) *compute.DAG {
	t.Helper()
	d, err := compute.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
