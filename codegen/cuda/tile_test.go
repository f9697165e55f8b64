package cuda_test

import (
	"testing"

	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/tir"
)

// TestTile: accumulators are all arrays of a thread's own; operands are what one step of
// a reduction reads, each element once.
func TestTile(t *testing.T) {
	x, y := floats("x", "", 4, 64), floats("y", tir.Shared, 64, 8)
	acc, other := floats("acc", tir.Local, 4, 8), floats("other", tir.Local, 3)
	out := floats("out", "", 4, 8)
	update := func(add func(i, j, k *tir.Var) tir.Expr) tir.Stmt {
		return serial(64, func(k *tir.Var) tir.Stmt {
			return serial(4, func(i *tir.Var) tir.Stmt {
				return serial(8, func(j *tir.Var) tir.Stmt { return set(acc, plus(get(acc, i, j), add(i, j, k)), i, j) })
			})
		})
	}
	product := update(func(i, j, k *tir.Var) tir.Expr { return tir.Bin(tir.Mul, get(x, i, k), get(y, k, j)) })
	less := update(func(i, _, k *tir.Var) tir.Expr { return get(x, i, k) })
	for _, c := range []struct {
		name string
		body tir.Stmt
		want cuda.Tile
	}{
		{"a product", product, cuda.Tile{Accumulators: 32, Operands: 12}},
		{"less, and a product", tir.Sequence(less, product), cuda.Tile{Accumulators: 32, Operands: 12}},
		{"a product, and less", tir.Sequence(product, less), cuda.Tile{Accumulators: 32, Operands: 12}},
		{"operands of its own", update(func(i, _, _ *tir.Var) tir.Expr { return get(other, i) }), cuda.Tile{Accumulators: 32}},
		{"no update", serial(4, func(i *tir.Var) tir.Stmt { return set(acc, get(x, i, i), i, i) }), cuda.Tile{Accumulators: 32}},
		{"an update in memory", serial(4, func(i *tir.Var) tir.Stmt { return set(out, plus(get(out, i, i), get(x, i, i)), i, i) }), cuda.Tile{Accumulators: 32}},
	} {
		body := bind("threadIdx.x", 32, func(*tir.Var) tir.Stmt { return &tir.Alloc{Buffer: acc, Body: c.body} })
		kernels, err := cuda.Kernels(fn(&tir.Alloc{Buffer: y, Body: body}, x, out))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := kernels[0].Tile(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
