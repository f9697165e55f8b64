package llvm_test

import (
	"encoding/binary"
	"math"
	"regexp"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
)

func float(v float64) tir.Expr { return tir.Const(tir.F32, v) }

// between is e between two numbers, as QuantizeLinear has it.
func between(e tir.Expr, lo, hi float64) tir.Expr {
	above := &tir.Select{Cond: tir.Bin(tir.GT, e, float(lo)), Then: e, Else: float(lo)}
	return tir.Bin(tir.Min, above, float(hi))
}

// TestClampedCasts: numbers that a clamp keeps within an integer type are converted to that type at once, those of
// lanes by int32 to int64; others go by int64, so that they wrap around.
func TestClampedCasts(t *testing.T) {
	x := newExecutor(t)
	lanesByInt64 := regexp.MustCompile(`fpto[su]i <.* to <.*i64`)
	byInt64 := regexp.MustCompile(`fpto[su]i .* to .*i64`)
	inf := math.Inf(1)
	numbers := []float64{0, 0.5, -0.5, 0.99, -1, 1, 127, 127.9, -128, 128, 200.7, 254.99, 255, 256, 1e9, -1e9, 3e18, inf, -inf}
	a := buf("A", tir.F32, int64(len(numbers)))
	in := alignedBytes(a.Bytes())
	for i, v := range numbers {
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(float32(v)))
	}
	finite := func(e tir.Expr) tir.Expr { return between(e, -1e18, 1e18) }
	lower := func(e tir.Expr, op tir.BinOp) tir.Expr {
		return &tir.Select{Cond: tir.Bin(op, e, float(100)), Then: e, Else: float(100)}
	}
	for _, c := range []struct {
		why    string
		to     tir.DType
		direct bool
		of     func(e tir.Expr) tir.Expr
	}{
		{"bytes", tir.U8, true, func(e tir.Expr) tir.Expr { return between(e, 0, 255) }},
		{"signed bytes", tir.I8, true, func(e tir.Expr) tir.Expr { return between(e, -128, 127) }},
		{"by maximum and minimum", tir.U8, true, func(e tir.Expr) tir.Expr {
			return tir.Bin(tir.Max, tir.Bin(tir.Min, e, float(9)), float(2))
		}},
		{"of one selection in another", tir.I8, true, func(e tir.Expr) tir.Expr {
			return tir.Bin(tir.Max, lower(e, tir.LE), float(-1))
		}},
		{"int32", tir.I32, true, func(e tir.Expr) tir.Expr { return between(e, -1e9, 1e9) }},
		{"beyond a byte", tir.U8, false, func(e tir.Expr) tir.Expr { return between(e, 0, 256) }},
		{"below a byte", tir.U8, false, func(e tir.Expr) tir.Expr { return between(e, -1, 255) }},
		{"beyond a signed byte", tir.I8, false, func(e tir.Expr) tir.Expr { return between(e, -128, 200) }},
		{"no upper bound", tir.U8, false, func(e tir.Expr) tir.Expr { return tir.Bin(tir.Max, finite(e), float(0)) }},
		{"another value than that which is compared", tir.U8, false, func(e tir.Expr) tir.Expr {
			above := &tir.Select{Cond: tir.Bin(tir.GT, e, float(0)), Then: finite(add(e, float(-1))), Else: float(0)}
			return tir.Bin(tir.Min, above, float(255))
		}},
		{"the branch that is not bounded", tir.U8, false, func(e tir.Expr) tir.Expr {
			below := &tir.Select{Cond: tir.Bin(tir.LT, e, float(0)), Then: finite(e), Else: float(0)}
			return tir.Bin(tir.Min, below, float(255))
		}},
		{"int64", tir.I64, false, func(e tir.Expr) tir.Expr { return between(e, 0, 255) }},
	} {
		for _, f := range each("clamp", a.Shape[0], c.to, []*tir.Buffer{a}, func(i tir.Expr) tir.Expr {
			return &tir.Cast{X: c.of(at(a, i)), To: c.to}
		}) {
			out := f.Params[1]
			want := []*interp.Tensor{{Type: tir.F32, Data: in}, interp.NewTensor(out)}
			if err := interp.Run(f, want, interp.Options{}); err != nil {
				t.Fatal(err)
			}
			kernel, ir := x.load(f, x.host(64))
			if c.to == tir.I64 {
				if lanesByInt64.Match(ir) {
					t.Errorf("%s: lanes are not by int32:\n%s", c.why, ir)
				}
			} else if wide := byInt64.Match(ir); wide == c.direct {
				t.Errorf("%s: by int64 is %v:\n%s", c.why, wide, ir)
			}
			got := alignedBytes(out.Bytes())
			call(kernel, [][]byte{in, got})
			if string(got) != string(want[1].Data) {
				t.Errorf("%s: got %v, want %v\n%s", c.why, got, want[1].Data, ir)
			}
		}
	}
}
