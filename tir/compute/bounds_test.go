package compute

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestBoundsCoverFunctions: what a function of a number within bounds is lies within those of its result, and so does
// what programs get that are off by a rounding.
func TestBoundsCoverFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	e := &Evaluator{Arithmetic: Bounded}
	for _, fn := range []tir.Intrinsic{tir.Sin, tir.Cos, tir.Atan, tir.Exp, tir.Tanh, tir.Abs} {
		for range 1000 {
			x := r.Float64()*20 - 10
			arg := scalar{f: x, lo: x - r.Float64()*math.Exp2(-10*r.Float64()), hi: x + r.Float64()*math.Exp2(-10*r.Float64())}
			v := &tir.Var{Name: "x", Type: tir.F32}
			got := e.eval(&tir.Call{Fn: fn, Args: []tir.Expr{v}}, env{v: arg})
			for k := range 21 {
				at := min(arg.lo+(arg.hi-arg.lo)*float64(k)/20, arg.hi)
				if y := unaryFunctions[fn](at); !(y >= got.lo && y <= got.hi) {
					t.Fatalf("%s of %v to %v: %v at %v is not from %v to %v", fn, arg.lo, arg.hi, y, at, got.lo, got.hi)
				}
			}
			if (fn == tir.Sin || fn == tir.Cos) && !(got.hi < 1.001 && got.lo > -1.001) {
				t.Fatalf("%s runs from %v to %v", fn, got.lo, got.hi)
			}
		}
	}
}

// TestBoundsCoverPowers: so do those of powers, of bases around 0, too, and those of bits.
func TestBoundsCoverPowers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	e := &Evaluator{Arithmetic: Bounded}
	for range 20_000 {
		x, width := r.NormFloat64(), math.Exp2(-20*r.Float64())
		a := scalar{f: x, lo: x - r.Float64()*width, hi: x + r.Float64()*width}
		b := sureFloat([]float64{-3, -2, -1, 0, 1, 2, 3, 4, 0.5, 1.5, -0.5}[r.IntN(11)])
		if r.IntN(4) == 0 {
			b = scalar{f: b.f, lo: b.f - 0.25, hi: b.f + 0.25}
		}
		got := e.power(a, b, tir.F32)
		if got.f != got.f {
			continue // no program is compared with it
		}
		for k := range 9 {
			v := a.lo + (a.hi-a.lo)*float64(k)/8
			y := math.Pow(v, b.lo+(b.hi-b.lo)*float64(r.IntN(3))/2)
			if y < got.lo || y > got.hi || math.Abs(y) < got.least() {
				t.Fatalf("%v to %v, to the power of %v to %v: %v is not from %v to %v, beyond %v", a.lo, a.hi, b.lo, b.hi, y,
					got.lo, got.hi, got.least())
			}
		}
	}
	for _, from := range []tir.DType{tir.F32, tir.I32, tir.U32} {
		to := map[bool]tir.DType{true: tir.I32, false: tir.F32}[from == tir.F32]
		for range 20_000 {
			x := r.NormFloat64() * math.Exp2(float64(r.IntN(28)))
			a := scalar{f: float64(float32(x)), lo: float64(float32(x)), hi: float64(float32(x + r.Float64()*math.Abs(x)))}
			if !from.IsFloat() {
				if a.lo, a.hi = math.Trunc(a.lo), math.Trunc(a.hi); from == tir.U32 {
					a.lo = math.Abs(4 * a.lo)
					a.hi = min(2*a.lo, math.MaxUint32)
				}
				a.i = int64(a.lo)
			}
			got, mid := bitcast(a, from, to), math.Trunc(a.lo+(a.hi-a.lo)*r.Float64())
			if from.IsFloat() {
				mid = float64(float32(a.lo + (a.hi-a.lo)*r.Float64()))
			}
			if y := bitcast(a.end(mid, from), from, to); y.lo < got.lo || y.hi > got.hi {
				t.Fatalf("bits of %s from %v to %v: those of %v, %v, are not from %v to %v",
					from, a.lo, a.hi, mid, y.lo, got.lo, got.hi)
			}
		}
	}
}

// TestBoundsOfConstants: an uncertain number plus a constant is uncertain around the sum.
func TestBoundsOfConstants(t *testing.T) {
	v := &tir.Var{Name: "x", Type: tir.I32}
	e := &Evaluator{Arithmetic: Bounded}
	got := e.eval(tir.Bin(tir.Add, v, tir.Const(tir.I32, 100)), env{v: {i: 5, lo: 4, hi: 6}})
	if got.i != 105 || got.lo != 104 || got.hi != 106 {
		t.Errorf("%d from %v to %v", got.i, got.lo, got.hi)
	}
	// The bits of what is uncertain may be any.
	x := &tir.Var{Name: "x", Type: tir.F32}
	if got := e.eval(&tir.Bitcast{X: x, To: tir.U32}, env{x: {f: 1, lo: 0,
		hi: 2}}); got.lo != 0 || got.hi != math.MaxUint32 {
		t.Errorf("bits from %v to %v", got.lo, got.hi)
	}
}

// TestBoundsOfWideSums: a wide sum counts few roundings, however long it is.
func TestBoundsOfWideSums(t *testing.T) {
	width := func(word string) float64 {
		d, err := Parse("input x: float32[800]\ny() = " + word + "(k: 800) x[k]\noutput y\n")
		if err != nil {
			t.Fatal(err)
		}
		e := NewEvaluatorOf(d, []func(at int64) float64{func(at int64) float64 { return 1 + float64(at)/7 }})
		e.Arithmetic = Bounded
		r, err := e.Bounds(d.Results()[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Hi - r.Lo
	}
	if sum, wide := width("sum"), width("wide_sum"); math.Abs(sum-10*wide) > 1e-3*sum {
		t.Errorf("widths %g and %g", sum, wide)
	}
}

// TestBoundsGrow: sums of an algorithm whose errors are larger have wider bounds, and none is exact.
func TestBoundsGrow(t *testing.T) {
	d, err := Parse("input x: float32[16]\ny() = sum(k: 16) x[k]\noutput y\n")
	if err != nil {
		t.Fatal(err)
	}
	width := func(growth float64) float64 {
		e := NewEvaluatorOf(d, []func(at int64) float64{func(at int64) float64 { return float64(at) + 0.5 }})
		e.Arithmetic, e.Growth = Bounded, growth
		r, err := e.Bounds(d.Results()[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Hi - r.Lo
	}
	two, four := width(2), width(4)
	if width(0) != 0 || width(1) != 0 || two <= 0 || math.Abs(four-2*two) > 1e-3*two {
		t.Errorf("widths %g, %g, %g and %g", width(0), width(1), two, four)
	}
}
