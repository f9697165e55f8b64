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

// TestBoundsGrow: sums of an algorithm whose errors are larger have wider bounds, and none is exact.
func TestBoundsGrow(t *testing.T) {
	d, err := Parse("input x: float32[16]\ny() = sum(k: 16) x[k]\noutput y\n")
	if err != nil {
		t.Fatal(err)
	}
	width := func(growth float64) float64 {
		e := NewEvaluatorOf(d, []func(at int64) float64{func(at int64) float64 { return float64(at) + 0.5 }})
		e.Arithmetic, e.Growth = Bounded, growth
		lo, hi, err := e.Bounds(d.Results()[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		return hi - lo
	}
	two, four := width(2), width(4)
	if width(0) != 0 || width(1) != 0 || two <= 0 || math.Abs(four-2*two) > 1e-3*two {
		t.Errorf("widths %g, %g, %g and %g", width(0), width(1), two, four)
	}
}
