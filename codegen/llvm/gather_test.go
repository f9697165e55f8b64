package llvm_test

import (
	"bytes"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// gathers has programs whose lanes read at places that are data: clamped integers, clamped floats some of which are
// NaN, under conditions, behind the last whole vector, and of rows.
func gathers() (list []*tir.Func) {
	elements := []tir.DType{tir.F32, tir.F64, tir.I32, tir.I64, tir.F16, tir.U8, tir.Bool}
	for k, typ := range elements {
		for _, count := range []int64{3, 16, 37} {
			data, out := buf("D", typ, 5, 19), buf("C", typ, 3, count)
			read := func(name string, place func(i, j *tir.Var) tir.Expr, more ...*tir.Buffer) {
				i, j := v("i"), v("j")
				value := at(data, add(i, n(1)), place(i, j))
				list = append(list, fn(name, 1, loop(tir.Parallel, i, 3, loop(tir.Vectorized, j, count,
					set(out, value, i, j))), append(append([]*tir.Buffer{data}, more...), out)...))
				some := tir.IfThenElse(less(j, n(count/2)), value, tir.Const(typ, 1))
				list = append(list, fn(name+" of some", 1, loop(tir.Serial, i, 3, loop(tir.Vectorized, j, count,
					set(out, some, i, j))), append(append([]*tir.Buffer{data}, more...), out)...))
			}
			where := buf("I", []tir.DType{tir.I32, tir.I64, tir.U8, tir.I16}[k%4], count)
			read("clamped", func(_, j *tir.Var) tir.Expr { return clamped(index(at(where, j)), 0, 18) }, where)
			narrow := buf("I", tir.I32, 3, count)
			read("clamped in 32 bits", func(i, j *tir.Var) tir.Expr {
				e := tir.Bin(tir.Min, at(narrow, i, j), tir.Const(tir.I32, 18))
				return index(tir.Bin(tir.Max, e, tir.Const(tir.I32, 0)))
			}, narrow)
			floats := buf("F", tir.F32, count)
			read("floats", func(_, j *tir.Var) tir.Expr { return nearest(mul(at(floats, j), float(9))) }, floats)
			read("NaN", func(_, j *tir.Var) tir.Expr { // some of them, and infinities
				x := at(floats, j)
				y := &tir.Select{Cond: tir.Bin(tir.GT, x, float(0)), Then: tir.Bin(tir.Sub, x, x), Else: x}
				return nearest(tir.Bin(tir.Div, x, y))
			}, floats)
		}
	}
	return list
}

// nearest is the nearest of the places 0..18.
func nearest(x tir.Expr) tir.Expr {
	return index(&tir.Select{Cond: tir.Bin(tir.GE, x, float(0)), Then: tir.Bin(tir.Min, x, float(18)), Else: float(0)})
}

// TestGatherInstructions: with AVX-512 lanes are gathered at once, at places of 32 bits if bounds say so.
func TestGatherInstructions(t *testing.T) {
	x := newExecutor(t)
	narrow, wide := []byte("@llvm.x86.avx512.mask.gather.dps.512("), []byte("@llvm.masked.gather.v16f32.v16p0(")
	data, where, out := buf("D", tir.F32, 99), buf("I", tir.I64, 32), buf("C", tir.F32, 32)
	for _, c := range []struct {
		name  string
		place func(j *tir.Var) tir.Expr
		want  []byte
	}{
		{"bounded", func(j *tir.Var) tir.Expr { return clamped(at(where, j), 0, 98) }, narrow},
		{"below", func(j *tir.Var) tir.Expr { return tir.Bin(tir.Min, at(where, j), n(98)) }, wide},
		{"at a fixed distance", func(j *tir.Var) tir.Expr { return mul(j, n(3)) }, nil},
	} {
		j := v("j")
		f := fn(c.name, 1, loop(tir.Vectorized, j, 32, set(out, at(data, c.place(j)), j)), data, where, out)
		target := x.host(64)
		target.Features = []string{"avx512bw", "avx512f", "avx512vl"}
		ir := emit(t, f, target)
		for _, text := range [][]byte{narrow, wide} {
			if has, want := bytes.Contains(ir, text), bytes.Equal(text, c.want); has != want {
				t.Errorf("%s: %s is %v there\n%s", c.name, text, has, ir)
			}
		}
	}
}
