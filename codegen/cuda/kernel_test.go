package cuda_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

func bind(thread string, n int64, body func(v *tir.Var) tir.Stmt) *tir.For {
	v := tir.NewVar(thread)
	return &tir.For{Var: v, Extent: tir.Int(n), Kind: tir.ThreadBound, Thread: thread, Body: body(v)}
}

func serial(n int64, body func(v *tir.Var) tir.Stmt) *tir.For {
	v := tir.NewVar("i")
	return &tir.For{Var: v, Extent: tir.Int(n), Body: body(v)}
}

func floats(name string, scope tir.Scope, shape ...int64) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: tir.F32, Shape: shape, Scope: scope}
}

func set(b *tir.Buffer, value tir.Expr, at ...tir.Expr) tir.Stmt {
	return &tir.Store{Buffer: b, Index: at, Value: value}
}

func get(b *tir.Buffer, at ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: at} }

func fn(body tir.Stmt, params ...*tir.Buffer) *tir.Func {
	return &tir.Func{Name: "f", Params: params, Outputs: 1, Body: body}
}

// TestRefusals: what a GPU cannot do as the program means it is an error that
// says so.
func TestRefusals(t *testing.T) {
	c, one := floats("C", "", 8), tir.Float(tir.F32, 1)
	alloc := func(b *tir.Buffer, body tir.Stmt) tir.Stmt { return &tir.Alloc{Buffer: b, Body: body} }
	all := func(v *tir.Var) tir.Stmt { return set(c, one, v) }
	packed := fn(serial(8, all), c)
	packed.Packs = []*tir.Func{packed}
	halves := &tir.Buffer{Name: "H", Type: tir.F16, Shape: []int64{16, 16}, Scope: tir.Shared}
	tiles := floats("L", tir.Local, 4)
	warp := func(y int64, body func(lane *tir.Var, mma func(lane tir.Expr) tir.Stmt) tir.Stmt) *tir.Func {
		o := tir.Operand{First: &tir.Load{Buffer: halves, Index: []tir.Expr{tir.Int(0), tir.Int(0)}}, Row: []int64{1, 0}, Col: []int64{0, 1}}
		mma := func(lane tir.Expr) tir.Stmt { return &tir.MMA{Buffer: tiles, A: o, B: o, Lane: lane} }
		return fn(bind("threadIdx.y", y, func(*tir.Var) tir.Stmt {
			return bind("threadIdx.x", 32, func(v *tir.Var) tir.Stmt { return alloc(halves, alloc(tiles, body(v, mma))) })
		}), c)
	}
	for _, test := range []struct {
		name string
		f    *tir.Func
		want string
	}{
		{"packs", packed, "packs inputs"},
		{"warp memory", fn(alloc(floats("W", tir.Warp, 8), serial(8, all)), c), "buffer W has scope warp"},
		{"other threads", fn(bind("warpIdx", 8, all), c), `bound to "warpIdx"`},
		{"threads unknown", fn(&tir.For{Var: tir.NewVar("i"), Extent: tir.Bin(tir.Add, tir.Int(1), tir.Int(2)), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: set(c, one, tir.Int(0))}, c), "must be a positive constant"},
		{"store by all threads", fn(serial(8, func(i *tir.Var) tir.Stmt {
			return bind("blockIdx.x", 2, func(*tir.Var) tir.Stmt {
				return tir.Sequence(set(c, one, i), bind("threadIdx.x", 8, all))
			})
		}), c), "in no loop over threadIdx.x"},
		{"barrier in a part", fn(bind("threadIdx.x", 8, func(v *tir.Var) tir.Stmt {
			return tir.Sequence(set(c, one, v), bind("threadIdx.x", 4, func(*tir.Var) tir.Stmt { return &tir.Barrier{Scope: tir.Shared} }))
		}), c), "over 4 of 8 threads"},
		{"barrier where some threads go on", fn(bind("threadIdx.x", 8, func(v *tir.Var) tir.Stmt {
			return &tir.If{Cond: tir.Bin(tir.LT, v, tir.Int(4)), Then: &tir.Barrier{Scope: tir.Shared}}
		}), c), "barrier under (threadIdx.x < 4), which need not be the same for all threads"},
		{"barrier as often as a thread says", fn(bind("threadIdx.x", 8, func(v *tir.Var) tir.Stmt {
			return &tir.For{Var: tir.NewVar("i"), Extent: v, Body: &tir.Barrier{Scope: tir.Shared}}
		}), c), "barrier under threadIdx.x,"},
		{"barrier as memory says", fn(bind("threadIdx.x", 8, func(v *tir.Var) tir.Stmt {
			return &tir.If{Cond: tir.Bin(tir.LT, get(c, tir.Int(0)), one), Then: &tir.Barrier{Scope: tir.Shared}}
		}), c), "barrier under (C[0] < 1"},
		{"global in threads", fn(bind("threadIdx.x", 8, func(v *tir.Var) tir.Stmt { return alloc(floats("T", tir.Global, 8), set(c, one, v)) }), c),
			"buffer T is allocated in global memory"},
		{"tiles where some lanes go on", warp(2, func(v *tir.Var, mma func(tir.Expr) tir.Stmt) tir.Stmt {
			return &tir.If{Cond: tir.Bin(tir.LT, v, tir.Int(16)), Then: mma(v)}
		}), "under (threadIdx.x < 16), which is not the same for all threads of a warp"},
		{"tiles as often as a lane says", warp(2, func(v *tir.Var, mma func(tir.Expr) tir.Stmt) tir.Stmt {
			return &tir.For{Var: tir.NewVar("i"), Extent: v, Body: mma(v)}
		}), "which is not the same for all threads of a warp"},
		{"tiles in another lane", warp(2, func(v *tir.Var, mma func(tir.Expr) tir.Stmt) tir.Stmt {
			return mma(tir.Bin(tir.Sub, tir.Int(31), v))
		}), "which is not the loop over threadIdx.x"},
		{"tiles of half a block", warp(2, func(v *tir.Var, mma func(tir.Expr) tir.Stmt) tir.Stmt {
			return tir.Sequence(mma(v), bind("threadIdx.x", 64, func(*tir.Var) tir.Stmt { return &tir.Wait{} }))
		}), "in a block of 64 threads along threadIdx.x"},
		{"two nests", fn(alloc(floats("L", tir.Local, 8), tir.Sequence(bind("blockIdx.x", 8, all), bind("blockIdx.x", 8, all))), c), "2 nests of thread loops"},
	} {
		if _, err := cuda.Kernels(test.f); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
	if err := cuda.Emit(&bytes.Buffer{}, fn(serial(8, all), c), target.Generic(32, 2)); err == nil || !strings.Contains(err.Error(), "must be a GPU") {
		t.Errorf("a CPU: got %v", err)
	}
}

// TestKernels: each root stage is a launch, with as many blocks and threads as the
// widest of its loops, and workspaces are what the function does not have.
func TestKernels(t *testing.T) {
	a, c := floats("A", "", 64), floats("C", "", 64)
	x, s := floats("A", tir.Global, 64), floats("S", tir.Shared, 16, 4)
	first := bind("blockIdx.y", 4, func(b *tir.Var) tir.Stmt {
		return bind("threadIdx.x", 16, func(v *tir.Var) tir.Stmt {
			at := tir.Bin(tir.Add, tir.Bin(tir.Mul, b, tir.Int(16)), v)
			return &tir.Alloc{Buffer: s, Body: &tir.Block{Name: "x", Body: tir.Sequence(set(s, get(a, at), v, tir.Int(0)), set(x, get(s, v, tir.Int(0)), at))}}
		})
	})
	second := serial(64, func(v *tir.Var) tir.Stmt { return &tir.Block{Name: "c", Body: set(c, get(x, v), v)} })
	f := fn(&tir.Alloc{Buffer: x, Body: tir.Sequence(first, second)}, a, c)
	kernels, err := cuda.Kernels(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(kernels) != 2 {
		t.Fatalf("%d kernels, want 2", len(kernels))
	}
	k := kernels[0]
	if k.Name != "x_kernel" || k.Grid != (cuda.Dim{X: 1, Y: 4, Z: 1}) || k.Block != (cuda.Dim{X: 16, Y: 1, Z: 1}) || k.SharedBytes != 256 {
		t.Errorf("got %+v", k)
	}
	if got, want := k.Launch(), "x_kernel<<<dim3(1, 4, 1), dim3(16, 1, 1)>>>(A, A_1)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if k := kernels[1]; k.Grid.Count() != 1 || k.Block.Count() != 1 || k.Launch() != "c_kernel<<<dim3(1, 1, 1), dim3(1, 1, 1)>>>(C, A_1)" {
		t.Errorf("got %s", k.Launch())
	}
	if ws := cuda.Workspaces(f, kernels); len(ws) != 1 || ws[0] != x {
		t.Errorf("workspaces %v, want %s", ws, x)
	}
}
