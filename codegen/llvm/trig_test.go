package llvm_test

import (
	"math/big"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// nearQuarters returns floats of all sizes that are next to multiples of pi/2: the denominators q of the continued
// fraction of 2^e*2/pi, as q*2^e.
func nearQuarters() (list []float64) {
	turn := bigDiv(bigOf(2), bigPi)
	for e := -23; e <= 104; e++ {
		rest := new(big.Float).SetPrec(prec).SetMantExp(turn, e)
		for before, q := 0.0, 1.0; q < 1<<24; {
			x, _ := new(big.Float).SetMantExp(bigOf(q), e).Float64()
			list = append(list, x)
			whole, _ := rest.Int(nil)
			rest = bigSub(rest, new(big.Float).SetPrec(prec).SetInt(whole))
			rest = bigDiv(bigOf(1), rest)
			next, _ := rest.Int(nil)
			n, _ := new(big.Float).SetInt(next).Float64()
			before, q = q, n*q+before
		}
	}
	return list
}

// TestNearQuarters compares sine and cosine next to their zeros and ends with series of 400 bits: most bits of the
// argument cancel there.
func TestNearQuarters(t *testing.T) {
	x := newExecutor(t)
	list := nearQuarters()
	if len(list) < 1000 || len(list) > batch {
		t.Fatalf("%d floats", len(list))
	}
	for _, fn := range []tir.Intrinsic{tir.Sin, tir.Cos} {
		for _, width := range []int{64, 16} {
			vector, _ := x.mathKernels(fn, tir.F32, width)
			for i, v := range list {
				vector.set(0, i, v)
			}
			call(vector.address, vector.args)
			var w worst
			for i := range list {
				want, _ := bigReference(fn, vector, i).Float64()
				w.add(singleError(vector.get(1, i), want), func() string { return vector.describe(i, want) })
			}
			t.Logf("%s, %d bytes: %.3f ulp: %s", fn, width, w.ulps, w.at)
			if !(w.ulps <= 0.6) {
				t.Errorf("%s: %.3f ulp: %s", fn, w.ulps, w.at)
			}
		}
	}
}
