package lower_test

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// Shorthands for writing programs.
var (
	buf, local, v, n   = tirtest.Buf, tirtest.Local, tirtest.V, tirtest.N
	add, sub, mul      = tirtest.Add, tirtest.Sub, tirtest.Mul
	at, set, loop, seq = tirtest.At, tirtest.Set, tirtest.Loop, tirtest.Seq
	alloc, fn          = tirtest.Alloc, tirtest.Fn
)

// sameResults holds that programs compute the same before and after a pass, for several widths of vectors.
func sameResults(t *testing.T, list []*tir.Func, pass func(*tir.Func, target.Target) *tir.Func) {
	t.Helper()
	for _, width := range []int{16, 32, 64} {
		for i, f := range list {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			var args []*interp.Tensor
			for _, b := range f.Params {
				args = append(args, interp.NewTensor(b))
				for k := range args[len(args)-1].Len() {
					args[len(args)-1].SetFloat(k, float64(r.IntN(200)-100)/64)
				}
			}
			want := clone(args)
			if err := interp.Run(f, want, interp.Options{}); err != nil {
				t.Fatalf("%v\n%s", err, f)
			}
			g := pass(f, target.Generic(width, 2))
			if err := tir.Check(g); err != nil {
				t.Fatalf("%v\n%s", err, g)
			}
			if err := interp.Run(g, args, interp.Options{}); err != nil {
				t.Fatalf("%v\n%s", err, g)
			}
			for p := range f.Params {
				if err := tirtest.Compare(args[p], want[p], args...); err != nil {
					t.Errorf("width %d: %s: %v\n%s\n%s", width, f.Params[p].Name, err, f, g)
				}
			}
		}
	}
}
