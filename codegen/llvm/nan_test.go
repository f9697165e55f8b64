package llvm_test

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/target"
)

// TestExtremesOfNaN runs maxima and minima with NaN and infinities: between tensors, with constants on either side, and
// of rows and columns, with vectors and without.
func TestExtremesOfNaN(t *testing.T) {
	x := newExecutor(t)
	for _, typ := range []tir.DType{tir.F32, tir.F64} {
		for _, op := range []tir.BinOp{tir.Max, tir.Min} {
			a, b, c := buf("A", typ, 8, 40), buf("B", typ, 8, 40), buf("C", typ, 8, 40)
			bound := tir.Const(typ, 1.5)
			values := []func(i, j tir.Expr) tir.Expr{
				func(i, j tir.Expr) tir.Expr { return tir.Bin(op, at(a, i, j), at(b, i, j)) },
				func(i, j tir.Expr) tir.Expr { return tir.Bin(op, at(a, i, j), bound) },
				func(i, j tir.Expr) tir.Expr { return tir.Bin(op, bound, at(a, i, j)) },
			}
			var list []*tir.Func
			for _, value := range values {
				for _, kind := range []tir.ForKind{tir.Serial, tir.Vectorized} {
					i, j := v("i"), v("j")
					list = append(list, fn("each", 1, loop(tir.Serial, i, 8, loop(kind, j, 40, set(c, value(i, j), i, j))), a, b, c))
				}
			}
			i, k, z := v("i"), v("k"), v("z")
			row := buf("R", typ, 8)
			list = append(list, fn("rows", 1, seq(loop(tir.Serial, z, 8, set(row, tir.Const(typ, 0.5), z)),
				loop(tir.Serial, i, 8, loop(tir.Serial, k, 40, set(row, tir.Bin(op, at(row, i), at(a, i, k)), i)))), a, b, row))
			x.sameNaN(list, x.host(32))
		}
	}
}

// sameNaN runs programs of two inputs with special numbers in the interpreter and as compiled code for a target, and
// compares the outputs, NaN for NaN.
func (x *executor) sameNaN(list []*tir.Func, tg target.Target) {
	x.t.Helper()
	special := []float64{math.NaN(), 1, math.Inf(-1), 2, math.Inf(1), -3, 0}
	kernels, irs := x.loadFor(list, tg, x.host(32))
	for p, f := range list {
		var want []*interp.Tensor
		data := make([][]byte, len(f.Params))
		for n, param := range f.Params {
			tensor := interp.NewTensor(param)
			for e := range tensor.Len() {
				tensor.SetFloat(e, special[(e*(n+2)/3+e/40*3)%len(special)]/float64(1+e%40/13*2))
				kept := e/40 <= 3 || e%9 == 0
				if f.Name == "late" {
					kept = e%4 == 0
				}
				if tensor.Float(e) != tensor.Float(e) && !kept {
					tensor.SetFloat(e, 0.25)
				}
			}
			want, data[n] = append(want, tensor), alignedBytes(param.Bytes())
			copy(data[n], tensor.Data)
		}
		if err := interp.Run(f, want, interp.Options{}); err != nil {
			x.t.Fatalf("%v\n%s", err, f)
		}
		call(kernels[p], data)
		out := f.Params[2]
		got, nans := &interp.Tensor{Type: out.Type, Data: data[2]}, 0
		for e := range got.Len() {
			g, w := got.Float(e), want[2].Float(e)
			if g != w && !(g != g && w != w) {
				x.t.Errorf("element %d of %s: %v, want %v\n%s\n%s", e, out.Name, g, w, f, irs[p])
				break
			}
			if w != w {
				nans++
			}
		}
		if nans == 0 || nans == got.Len() {
			x.t.Errorf("%d NaNs: the test says too little\n%s", nans, f)
		}
	}
}
