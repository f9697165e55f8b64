package model

import (
	"context"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// ExportKernelOn exports a kernel called k as if for another machine.
func ExportKernelOn(machine build.Info, b *build.Builder, fn *tir.Func, t target.Target) ([]File, error) {
	return exportKernel(context.Background(), b, machine, fn, t, KernelOptions{Name: "k"})
}

// PackedFunc reads a matrix and a vector, both called float, by columns and backwards.
func PackedFunc() *tir.Func {
	i, j, k := tir.NewVar("p0"), tir.NewVar("p1"), tir.NewVar("p0")
	w := &tir.Buffer{Name: "float", Type: tir.F32, Shape: []int64{4, 6}}
	v := &tir.Buffer{Name: "float", Type: tir.I8, Shape: []int64{6}}
	wp := &tir.Buffer{Name: "float_packed", Type: tir.F32, Shape: []int64{6, 4}}
	vp := &tir.Buffer{Name: "float_packed", Type: tir.I8, Shape: []int64{6}}
	c := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{6}}
	load := func(b *tir.Buffer, index ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: index} }
	store := func(b *tir.Buffer, value tir.Expr, index ...tir.Expr) *tir.Store {
		return &tir.Store{Buffer: b, Index: index, Value: value}
	}
	loop := func(v *tir.Var, n int64, body tir.Stmt) tir.Stmt {
		return &tir.For{Var: v, Extent: tir.Int(n), Body: body}
	}
	inW, inV := store(wp, load(w, j, i), i, j), store(vp, load(v, tir.Bin(tir.Sub, tir.Int(5), k)), k)
	packW := &tir.Func{Name: "pack_float", Params: []*tir.Buffer{w, wp}, Outputs: 1, Body: loop(i, 6, loop(j, 4, inW)), Element: inW}
	packV := &tir.Func{Name: "pack_float", Params: []*tir.Buffer{v, vp}, Outputs: 1, Body: loop(k, 6, inV), Element: inV}
	x := tir.NewVar("i")
	sum := tir.Bin(tir.Add, load(wp, x, tir.Int(0)), &tir.Cast{X: load(vp, x), To: tir.F32})
	return &tir.Func{Name: "f", Params: []*tir.Buffer{wp, vp, c}, Outputs: 1, Packs: []*tir.Func{packW, packV},
		Body: loop(x, 6, store(c, tir.Bin(tir.Mul, sum, &tir.Cast{X: x, To: tir.F32}), x))}
}
