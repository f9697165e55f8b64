package run

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A million suspects leave a sample of some thousand, spread over all of them.
func TestSuspectsSample(t *testing.T) {
	var s suspects
	for i := range int64(1_000_000) {
		s.add(3 * i)
	}
	if s.count != 1_000_000 || len(s.sample) > mostSuspects || len(s.sample) < mostSuspects/4 || !slices.IsSorted(s.sample) {
		t.Fatalf("%d of %d suspects", len(s.sample), s.count)
	}
	if s.sample[0] != 0 || s.sample[len(s.sample)-1] < 2_990_000 {
		t.Errorf("the sample runs from %d to %d", s.sample[0], s.sample[len(s.sample)-1])
	}
	seen := map[int64]bool{}
	if at := s.wrong(func(at int64) (bool, error) { seen[at] = true; return true, nil }); at != -1 || len(seen) != len(s.sample) {
		t.Errorf("%d of %d are judged; %d is wrong", len(seen), len(s.sample), at)
	}
}

// What was not written is wrong, whatever the bounds.
func TestUnwrittenSuspect(t *testing.T) {
	poison := poisonNaN.elem(tir.I8)
	want := []byte{100, 100, 100, 100, poison[0] + 1}
	x := newExpectation(tensor{Name: "q", Type: tir.I8, Shape: []int64{5}}, want, 0, 0)
	if m := x.compare([]byte{100, 100, 100, 100, poison[0]}, poisonNaN); m == nil || !strings.Contains(m.String(), "not written") {
		t.Errorf("%v", m)
	}
}

// ramp returns an excuse for the result of an operator whose inputs are multiples of 1/8.
func ramp(t *testing.T, text string) *excuse {
	t.Helper()
	d := parsed(t, text)
	var inputs []func(at int64) float64
	for i := range d.Inputs() {
		inputs = append(inputs, func(at int64) float64 { return float64(at*int64(3+4*i)%32-11) / 8 })
	}
	return newExcuse(d, d.Results()[0], inputs, arithmetic{})
}

// ones is the yardstick of a tensor whose elements are about 1.
var ones = yardstick{1, func() float64 { return 1 }}

// TestBoundsOfPowers: a wrong power of an uncertain base has no excuse, nor has a sum of them, and a right one has,
// on either side of 0.
func TestBoundsOfPowers(t *testing.T) {
	for _, text := range []string{
		"input x: float32[4, 768]\ns(i: 4) = sum(k: 768) x[i, k]\nm(i: 4) = s[i]*(1/768.0)\n" +
			"v(i: 4) = sum(k: 768) pow(x[i, k] - m[i], 2.0)\noutput v",
		"input x: float32[64]\ny(i: 64) = pow(x[i]*0.1*10 - 1, 2.0)\noutput y",
		"input x: float32[64]\ny(i: 64) = pow(x[i]*0.1*10 - 1, 3.0)\noutput y",
		"input x: float32[64]\ny(i: 64) = pow(x[i]*0.1*10 - 1.01, -1.0)\noutput y",
		"input x: float32[64]\ny(i: 64) = pow(x[i]*0.1*10 - 1.01, -2.0)\noutput y",
		"input x: float32[64]\ny(i: 64) = pow(fabs(x[i]*0.1*10), 0.5)\noutput y",
		"input x: float32[64]\ny(i: 64) = bitcast_float32(bitcast_int32(x[i]*0.1*10 - 1.01) + 1)\noutput y",
	} {
		x, uncertain := ramp(t, text), 0
		for at := range x.buffer.Elems() {
			r, err := x.plain.Bounds(x.buffer, indexOf(at, x.buffer.Shape))
			if err != nil || r.Lo != r.Lo || r.IsInfinite() {
				t.Fatalf("element %d is from %g to %g, %v\n%s", at, r.Lo, r.Hi, err, text)
			}
			if r.IsSure() {
				continue
			}
			uncertain++
			if ok, err := x.allows(at, (r.Lo+r.Hi)/2, 0, ones); !ok || err != nil {
				t.Errorf("no excuse for a right element %d, %g to %g: %v\n%s", at, r.Lo, r.Hi, err, text)
			}
			for _, off := range []float64{0.01, 0.5, -0.5, 1e6} {
				if ok, _ := x.allows(at, r.Hi+off*max(math.Abs(r.Hi), 1), 1e-3, ones); ok {
					t.Errorf("element %d, %g to %g, may be off by %g\n%s", at, r.Lo, r.Hi, off, text)
				}
			}
		}
		if uncertain == 0 {
			t.Errorf("no element is uncertain in\n%s", text)
		}
	}
}

// TestPoles: where a divisor is 0 but for roundings, a huge result has an excuse, of any sign, and a small one has
// none; nor has a huge one among others that are as large, nor a small sum with such a term.
func TestPoles(t *testing.T) {
	const x = "input x: float32[64]\ninput w: float32[64]\n"
	for _, c := range []struct {
		text    string
		typical float64
		got     float64
		ok      bool
	}{
		{"y(i: 64) = 0.5/(x[i]*0.1 - w[i]*0.1)", 1, 1e9, true},
		{"y(i: 64) = 0.5/(x[i]*0.1 - w[i]*0.1)", 1, -1e9, true},
		{"y(i: 64) = 0.5/(x[i]*0.1 - w[i]*0.1)", 1, math.Inf(1), true},
		{"y(i: 64) = 0.5/(x[i]*0.1 - w[i]*0.1)", 1, 3, false},
		{"y(i: 64) = 0.5/(x[i]*0.1 - w[i]*0.1)", 1, math.NaN(), false},
		{"y(i: 64) = 0.5/(x[i]*0.1 - w[i]*0.1)", 1e9, 1e10, false},
		{"y(i: 64) = rsqrt(fabs(x[i]*0.1 - w[i]*0.1))", 1, 1e5, true},
		{"y(i: 64) = rsqrt(fabs(x[i]*0.1 - w[i]*0.1))", 1, 1, false},
		{"y(i: 64) = pow(x[i]*0.1 - w[i]*0.1, -1.0)", 1, 1e9, true},
		{"y(i: 64) = pow(x[i]*0.1 - w[i]*0.1, -1.0)", 1, 1, false},
		{"y(i: 64) = x[i + 0]/(x[i]*0.1 - w[i]*0.1)*3 + 7", 1, -1e9, true},
		{"y(i: 64) = x[i + 0]/(x[i]*0.1 - w[i]*0.1)*3 + 7", 1, 7, false},
		{"s() = sum(i: 8) 1/(x[i]*0.1 - w[i]*0.1)\ny() = s[]", 1, 1e9, true},
		{"s() = sum(i: 8) 1/(x[i]*0.1 - w[i]*0.1)\ny() = s[]", 1, 2, false},
		{"s() = sum(i: 64) 1/(x[i]*0.1 - w[i]*0.1)\ny() = s[]", 1, 1e9, false}, // of several, which may cancel
		{"y(i: 64) = 1/floor(x[i]*0.1*10 - w[i]*0.1*10)", 1, 0.5, false},
	} {
		e := ramp(t, x+c.text+"\noutput y")
		poles := 0
		for at := range e.buffer.Elems() {
			r, err := e.stepped.Bounds(e.buffer, indexOf(at, e.buffer.Shape))
			if err != nil {
				t.Fatal(err)
			}
			if !r.IsInfinite() {
				continue
			}
			poles++
			y := yardstick{c.typical, func() float64 { return c.typical }}
			if ok, err := e.allows(at, c.got, 1e-3, y); ok != c.ok || err != nil {
				t.Errorf("%g for %g to %g, beyond %g: %v, %v: %s", c.got, r.Lo, r.Hi, r.Away, ok, err, c.text)
			}
		}
		if poles == 0 {
			t.Errorf("no divisor is 0 in %s", c.text)
		}
	}
}

// TestInfiniteExpectation: where the reference is too large for the type, nothing small is right.
func TestInfiniteExpectation(t *testing.T) {
	e := ramp(t, "input x: float32[64]\ny(i: 64) = exp(x[i]*0.1 + 90)\noutput y")
	x := want(tir.F32, 1, math.Inf(1), 1)
	if ok, err := e.allows(0, 1, x.tolerance(math.Inf(1)), ones); ok || err != nil {
		t.Errorf("1 is right where e^90 is: %v", err)
	}
}

// TestInterpreterOfSteps: the untuned program of an operator with steps passes, and one whose results are off by
// a step everywhere does not; nor does one that is off where the float32 is exact.
func TestInterpreterOfSteps(t *testing.T) {
	const product = `input x: int8[48, 48]
input w: int8[48, 48]
acc(i: 48, j: 48) = sum(k: 48) int32(x[i, k])*int32(w[k, j])
`
	const floats = `input x: float32[48, 48]
input w: float32[48, 48]
p(i: 48, j: 48) = sum(k: 48) x[i, k]*w[k, j]
`
	for _, c := range []struct {
		text, value string
		t           tir.DType
		off         float64
	}{
		{product, "int8(max(min(round(float32(acc[i, j])*0.01), 127), 0 - 128))", tir.I8, 1},
		{product, "int8(max(min(round(float32(acc[i, j])*0.0078125), 127), 0 - 128))", tir.I8, 1},
		{product, "bool(round(float32(acc[i, j])*0.01 - 3))", tir.Bool, 0},
		{floats, "floor(p[i, j]*0.1*10*32)", tir.F32, 1},
		{floats, "round(p[i, j]*0.1*10*512)*0.25", tir.F32, 0.25},
		{floats, "select(p[i, j]*0.1*10 >= p[i, j], 1f, 0f)*4 + ceil(p[i, j])", tir.F32, 4},
		{floats, "float32(int32(p[i, j]*0.1*10*512))", tir.F32, 1},
	} {
		for _, off := range []float64{0, c.off} {
			d := parsed(t, c.text+"q(i: 48, j: 48) = "+c.value+"\noutput q\n")
			s := schedule.New(d)
			f, err := lower.Lower(s, lower.Config{})
			if err != nil {
				t.Fatal(err)
			}
			f.Body = tir.MapStmt(f.Body, func(s tir.Stmt) tir.Stmt {
				st, ok := s.(*tir.Store)
				if !ok || st.Buffer.Name != "q" || off == 0 {
					return s
				}
				by := tir.Expr(tir.Float(tir.F32, off))
				if !c.t.IsFloat() {
					by = &tir.IntImm{Value: int64(off), Type: c.t}
				}
				return &tir.Store{Buffer: st.Buffer, Index: st.Index, Value: tir.Bin(tir.Add, st.Value, by)}
			}, nil)
			in, err := NewInterpreter(d, 1)
			if err != nil {
				t.Fatal(err)
			}
			for number := range uint64(4) {
				if bad, err := in.Check(s, f, number); (bad == "") != (off == 0) || err != nil {
					t.Errorf("%s, off by %g: %q %v", c.value, off, bad, err)
				}
			}
		}
	}
}

// TestFloor: a result that underflows may be 0, and one that does not may not.
func TestFloor(t *testing.T) {
	for _, c := range []struct {
		t         tir.DType
		want, got float64
		ok        bool
	}{
		{tir.F32, 1e-50, 0, true}, {tir.F32, 1e-39, 0, true}, {tir.F32, 1e-36, 0, false}, {tir.BF16, 1e-39, 0, true},
		{tir.F64, 1e-310, 0, true}, {tir.F64, 1e-300, 0, false},
		{tir.F16, 1.02e-6, 17 * 0x1p-24, true}, {tir.F16, 1e-6, 0, false}, {tir.F16, 2e-8, 0, true}, {tir.F16, 1e-6, 2e-6, false},
	} {
		x := want(c.t, 1, c.want)
		if got := x.near(c.got, c.want); got != c.ok {
			t.Errorf("%s: %g for %g: %v", c.t, c.got, c.want, got)
		}
		if got := x.vanishes(); got != (c.want < compute.Smallest(c.t)) {
			t.Errorf("%s: %g vanishes: %v", c.t, c.want, got)
		}
	}
}
