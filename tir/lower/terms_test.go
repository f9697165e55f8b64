package lower_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

func term(e tir.Expr) tir.Expr { return &tir.Cast{X: e, To: tir.F64, Term: true} }

// wideRows is C[i] = C[i] + value of A[k, i] for all k, in vectors of i if kind says so.
func wideRows(k, i tir.Expr, kind tir.ForKind, rows, columns int64, value func(a tir.Expr) tir.Expr) *tir.Func {
	a, c, z := buf("A", tir.F32, rows, columns), buf("C", tir.F64, columns), v("z")
	store := set(c, add(at(c, i), value(at(a, k, i))), i)
	return fn("f", 1, seq(loop(tir.Serial, z, columns, set(c, tir.Const(tir.F64, 0), z)),
		loop(tir.Serial, k.(*tir.Var), rows, loop(kind, i.(*tir.Var), columns, store))), a, c)
}

// TestTermsLeavesAlone names what keeps a sum as it is.
func TestTermsLeavesAlone(t *testing.T) {
	i, k := v("i"), v("k")
	long := func(a tir.Expr) tir.Expr {
		for range 9 {
			a = add(a, a)
		}
		return term(a)
	}
	unknown := wideRows(k, i, tir.Serial, 8, 8, term)
	unknown.Body.(*tir.Seq).Stmts[1].(*tir.For).Extent = tir.Bin(tir.Add, v("n"), n(1))
	for what, f := range map[string]*tir.Func{
		"no terms":          wideRows(k, i, tir.Vectorized, 16, 16, func(a tir.Expr) tir.Expr { return &tir.Cast{X: a, To: tir.F64} }),
		"one step":          wideRows(k, i, tir.Vectorized, 1, 16, term),
		"many elements":     wideRows(k, i, tir.Serial, 8, 400, term),
		"long expressions":  wideRows(k, i, tir.Vectorized, 16, 16, long),
		"another operator":  rowReduction(tir.Max, tir.F64, 16, tir.Serial, itself),
		"an unknown extent": unknown,
	} {
		got := lower.Terms(f, target.Generic(32, 2)).String()
		if what == "one step" {
			if strings.Count(got, "A[") != 1 {
				t.Errorf("%s: got\n%s", what, got)
			}
		} else if got != f.String() {
			t.Errorf("%s: got\n%s", what, got)
		}
	}
}

// TestTermsRuns holds that blocks of terms compute what the interpreter does.
func TestTermsRuns(t *testing.T) {
	var list []*tir.Func
	for _, rows := range []int64{2, 7, 8, 9, 16, 61} {
		for _, columns := range []int64{1, 3, 16, 40, 128} {
			for _, kind := range []tir.ForKind{tir.Serial, tir.Unrolled, tir.Vectorized} {
				list = append(list, wideRows(v("k"), v("i"), kind, rows, columns, term),
					wideRows(v("k"), v("i"), kind, rows, columns, func(a tir.Expr) tir.Expr { return term(mul(a, a)) }))
			}
		}
	}
	sameResults(t, list, lower.Terms)
}

// TestWideSums: whatever the schedule, a wide sum is as exact as a few roundings of float32 leave it, of random numbers
// and of equal ones, whose errors do not cancel.
func TestWideSums(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		d, err := tirtest.Named("wide_sum 3 4000")
		if err != nil {
			t.Fatal(err)
		}
		x, y := interp.NewTensor(d.Tensors[0]), interp.NewTensor(d.Tensors[1])
		want := make([]float64, 3)
		for i := range 12000 {
			v := []float64{0.1, 10 + r.NormFloat64(), r.Float64()}[i/4000]
			x.SetFloat(i, v)
			want[i/4000] += x.Float(i)
		}
		for _, cfg := range []lower.Config{cpuConfig, gpuConfig} {
			steps := tirtest.RandomSteps(r, d, r.IntN(6))
			if cfg.Target.Kind == target.CUDA {
				steps = tirtest.RandomGPUSteps(r, d, r.IntN(6))
			}
			s, err := schedule.Replay(d, steps)
			if err != nil {
				t.Fatal(err)
			}
			f, err := lower.Lower(s, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := interp.Run(f, []*interp.Tensor{x, y}, interp.Options{}); err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				if g := y.Float(i); math.Abs(g-w) > 3*0x1p-24*w {
					t.Errorf("seed %d: sum %d is %v, want %v\n%s", seed, i, g, w, f)
				}
			}
		}
	}
}
