package llvm_test

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/tir"
)

// cutExp is the exponential of x, or of other below a bound.
func cutExp(x tir.Expr, least, other float64) *tir.Call {
	t := x.DType()
	return &tir.Call{Fn: tir.Exp, Args: []tir.Expr{&tir.Select{
		Cond: tir.Bin(tir.LT, x, tir.Const(t, least)), Then: tir.Const(t, other), Else: x}}}
}

// TestNormalExp names the exponentials that are 0 wherever they would not be normal.
func TestNormalExp(t *testing.T) {
	i := v("i")
	x := &tir.Load{Buffer: buf("A", tir.F32, 4), Index: []tir.Expr{i}}
	y := &tir.Load{Buffer: buf("B", tir.F32, 4), Index: []tir.Expr{i}}
	wide := &tir.Load{Buffer: buf("D", tir.F64, 4), Index: []tir.Expr{i}}
	inf := math.Inf(-1)
	edit := func(change func(e *tir.Call, s *tir.Select)) *tir.Call {
		e := cutExp(x, -87.33, inf)
		change(e, e.Args[0].(*tir.Select))
		return e
	}
	for _, c := range []struct {
		name string
		e    *tir.Call
		want bool
	}{
		{"attention", cutExp(x, -87.33, inf), true},
		{"of many keys", cutExp(x, -80, inf), true},
		{"some are denormal", cutExp(x, -87.34, inf), false},
		{"not 0 below", cutExp(x, -87.33, -3), false},
		{"double", cutExp(wide, -87.33, inf), false},
		{"another compared", edit(func(_ *tir.Call, s *tir.Select) { s.Else = y }), false},
		{"divided", cutExp(tir.Bin(tir.Div, x, y), -87.33, inf), false},
		{"above", edit(func(_ *tir.Call, s *tir.Select) { s.Cond.(*tir.Binary).Op = tir.GT }), false},
		{"lazy", edit(func(_ *tir.Call, s *tir.Select) { s.Lazy = true }), false},
		{"another function", edit(func(e *tir.Call, _ *tir.Select) { e.Fn = tir.Tanh }), false},
		{"plain", &tir.Call{Fn: tir.Exp, Args: []tir.Expr{x}}, false},
	} {
		if got := llvm.NormalExp(c.e); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestExpNormal: such an exponential has the bits of any other.
func TestExpNormal(t *testing.T) {
	x := newExecutor(t)
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat32, -math.MaxFloat32, 0,
		math.Copysign(0, -1), -87.33, float64(math.Nextafter32(-87.33, 0)), float64(math.Nextafter32(-87.33, -88)),
		88, 88.3762626647949, 88.37627, 0x1.62e42ep6, 0x1.62e430p6, 89, 1e30, -1e30, 0x1p-149}
	for _, width := range []int{64, 32, 16} {
		of := func(other float64) (mathKernel, mathKernel) {
			return x.kernelsOf(1, tir.F32, width, func(args []tir.Expr) tir.Expr {
				return cutExp(args[0], -87.33, other)
			})
		}
		normal, scalar := of(math.Inf(-1))
		plain, _ := of(-1000) // the exponential of this is 0, too
		for first := uint64(0); first < 1<<32; first += batch * *stride {
			for i := range batch {
				v := float64(math.Float32frombits(uint32(first + uint64(i)**stride)))
				if first == 0 && i < len(special) {
					v = special[i]
				}
				normal.set(0, i, v)
				plain.set(0, i, v)
			}
			call(normal.address, normal.args)
			call(plain.address, plain.args)
			for i := range batch {
				got, want := normal.get(1, i), plain.get(1, i)
				if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Fatalf("%d bytes: %s", width, normal.describe(i, want))
				}
			}
			if first == 0 {
				scalar.equals(t, normal)
			}
		}
	}
}
