package llvm_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
)

// TestDataWrapsAround: what may wrap around, as elements do and large multiples, is compared as it is, and not by the
// bounds of a difference.
func TestDataWrapsAround(t *testing.T) {
	x := newExecutor(t)
	numbers := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 62, -5, -1, 0, 1, 7, 1 << 31, 1 << 61, 1<<62 + 3,
		math.MaxInt64 - 1, math.MaxInt64}
	a := buf("A", tir.I64, int64(len(numbers)))
	in := alignedBytes(a.Bytes())
	for i, v := range numbers {
		binary.LittleEndian.PutUint64(in[8*i:], uint64(v))
	}
	op, most := tir.Bin, func(i tir.Expr) tir.Expr { return mul(i, n(math.MaxInt64)) }
	for name, value := range map[string]func(i, e tir.Expr) tir.Expr{
		"random": func(_, e tir.Expr) tir.Expr {
			return op(tir.FloorMod, add(mul(e, n(6364136223846793005)), n(1442695040888963407)), n(1000000))
		},
		"multiple":        func(_, e tir.Expr) tir.Expr { return op(tir.FloorDiv, mul(e, n(4)), n(4)) },
		"next":            func(_, e tir.Expr) tir.Expr { return op(tir.GT, add(e, n(1)), e) },
		"larger":          func(_, e tir.Expr) tir.Expr { return op(tir.Max, add(e, n(1)), e) },
		"far":             func(i, _ tir.Expr) tir.Expr { return op(tir.LT, n(math.MinInt64), add(i, n(math.MaxInt64-30))) },
		"next multiple":   func(i, _ tir.Expr) tir.Expr { return op(tir.GT, add(most(i), n(1)), most(i)) },
		"larger multiple": func(i, _ tir.Expr) tir.Expr { return op(tir.Max, add(most(i), n(1)), most(i)) },
	} {
		out := value(n(0), at(a, n(0))).DType()
		for _, f := range each(name, a.Shape[0], out, []*tir.Buffer{a},
			func(i tir.Expr) tir.Expr { return value(i, at(a, i)) }) {
			c := f.Params[1]
			want := []*interp.Tensor{{Type: tir.I64, Data: in}, interp.NewTensor(c)}
			if err := interp.Run(f, want, interp.Options{}); err != nil {
				t.Fatal(err)
			}
			kernel, ir := x.load(f, x.host(64))
			got := alignedBytes(c.Bytes())
			call(kernel, [][]byte{in, got})
			for i := range numbers {
				size := out.Bytes()
				if string(got[size*i:size*(i+1)]) != string(want[1].Data[size*i:size*(i+1)]) {
					t.Errorf("%s of %d: got %v, want %v\n%s", name, numbers[i], got[size*i:size*(i+1)],
						want[1].Data[size*i:size*(i+1)], ir)
					break
				}
			}
		}
	}
}
