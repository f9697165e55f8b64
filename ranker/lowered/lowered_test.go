package lowered

import (
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// avx2 is a machine of 16 registers of 8 floats.
var avx2 = Machine{Cores: 2, Vector: 32, Registers: 16, Line: 64, Cache: [3]float64{32 << 10, 512 << 10, 8 << 20}}

func loopOf(kind tir.ForKind, v *tir.Var, n int64, body ...tir.Stmt) tir.Stmt {
	return &tir.For{Var: v, Extent: tir.Int(n), Kind: kind, Body: tir.Sequence(body...)}
}

func load(b *tir.Buffer, index ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: index} }

func sum(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Add, x, y) }

func times(x tir.Expr, n int64) tir.Expr { return tir.Bin(tir.Mul, x, tir.Int(n)) }

func float(name string, shape ...int64) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: tir.F32, Shape: shape}
}

// matmul is c[m, n] += a[m, k] * b[k, n], with a tile of rows times 16 columns in registers.
func matmul(m, n, k, rows int64) *tir.Func {
	a, b, c := float("a", m, k), float("b", k, n), float("c", m, n)
	acc := &tir.Buffer{Name: "acc", Type: tir.F32, Shape: []int64{rows, 16}, Scope: tir.Local}
	v := func(name string) *tir.Var { return tir.NewVar(name) }
	io, jo, ko := v("io"), v("jo"), v("k")
	i, j, i1, j1, i2, j2 := v("i"), v("j"), v("i1"), v("j1"), v("i2"), v("j2")
	row := func(i *tir.Var) tir.Expr { return sum(times(io, rows), i) }
	col := func(j *tir.Var) tir.Expr { return sum(times(jo, 16), j) }
	zero := loopOf(tir.Unrolled, i, rows, loopOf(tir.Vectorized, j, 16,
		&tir.Store{Buffer: acc, Index: []tir.Expr{i, j}, Value: tir.Float(tir.F32, 0)}))
	body := loopOf(tir.Serial, ko, k, loopOf(tir.Unrolled, i1, rows, loopOf(tir.Vectorized, j1, 16,
		&tir.Store{Buffer: acc, Index: []tir.Expr{i1, j1}, Value: sum(load(acc, i1, j1),
			tir.Bin(tir.Mul, load(a, row(i1), ko), load(b, ko, col(j1))))})))
	out := loopOf(tir.Unrolled, i2, rows, loopOf(tir.Vectorized, j2, 16,
		&tir.Store{Buffer: c, Index: []tir.Expr{row(i2), col(j2)}, Value: load(acc, i2, j2)}))
	return &tir.Func{Name: "product", Params: []*tir.Buffer{a, b, c}, Outputs: 1, Body: loopOf(tir.Parallel, io, m/rows,
		loopOf(tir.Serial, jo, n/16, &tir.Alloc{Buffer: acc, Body: tir.Sequence(zero, body, out)}))}
}

// costsOf returns the costs of a function's blocks, in order.
func costsOf(f *tir.Func) []cost { return read(f, avx2).costs() }

// TestTile: the code of a register tile is what a compiler makes of it, and one that is too large spills.
func TestTile(t *testing.T) {
	costs := costsOf(matmul(64, 64, 128, 6))
	if len(costs) != 3 {
		t.Fatalf("%d blocks", len(costs))
	}
	c := costs[1]
	// 6 rows of 2 vectors: 12 multiply-adds, from 6 elements that all lanes share and 2 vectors.
	if c.multiply != 12 || c.floats != 0 || c.loads != 8 || c.same != 6 || c.stores != 0 || c.live != 12 || c.spill != 0 {
		t.Errorf("a tile of 6 by 16: %+v", c.mix)
	}
	if c.tasks != 10 || c.share != 1 || c.launches != 1 {
		t.Errorf("10 tasks on 2 cores: %v tasks, %v launches, share %v", c.tasks, c.launches, c.share)
	}
	if costs[2].stores != 12 || costs[2].copied != 12 || costs[0].stores != 0 {
		t.Errorf("the tile's beginning and end: %+v, %+v", costs[0].mix, costs[2].mix)
	}
	if c := costsOf(matmul(64, 64, 128, 8))[1]; c.live != 16 || c.spill != 2 || c.moves <= c.loads/2 {
		t.Errorf("a tile of 8 by 16 spills: %v live, %v spilled, %v", c.live, c.spill, c.moves)
	}
}

// TestWork: what runs in all is the work of the product, however it is tiled.
func TestWork(t *testing.T) {
	for _, rows := range []int64{1, 2, 4, 8} {
		c := costsOf(matmul(64, 64, 128, rows))[1]
		if got, want := c.multiply*c.runs, 64.0*64*128/8; got != want {
			t.Errorf("%d rows: %v vectors of multiply-adds, want %v", rows, got, want)
		}
	}
}

// TestTraffic: a tensor that a cache does not hold comes again with every loop that does not depend on it.
func TestTraffic(t *testing.T) {
	// b has 1 MB: larger than the second level, smaller than the third. Each of 16 tasks of 4 rows reads all of it.
	costs := costsOf(matmul(64, 512, 512, 4))
	all := [3]float64{}
	for _, c := range costs {
		for k := range all {
			all[k] += c.bytes[k]
		}
	}
	const a, b, c = 64 * 512 * 4, 512 * 512 * 4, 64 * 512 * 4
	if want := 16.0*b + a + c; all[1] < want || all[1] > 1.1*want {
		t.Errorf("beyond the second level: %v, want %v", all[1], want)
	}
	if want := float64(a + b + c); all[2] != want {
		t.Errorf("beyond the third level: %v, want %v", all[2], want)
	}
}

// TestShares: what is under a condition counts as often as it holds.
func TestShares(t *testing.T) {
	x, i := float("x", 64), tir.NewVar("i")
	store := func() tir.Stmt {
		return &tir.Store{Buffer: x, Index: []tir.Expr{i}, Value: tir.Float(tir.F32, 1)}
	}
	cond := &tir.If{Cond: tir.Bin(tir.LT, i, tir.Int(48)), Then: store(), Else: tir.Sequence(store(), store())}
	f := &tir.Func{Name: "f", Params: []*tir.Buffer{x}, Outputs: 1, Body: loopOf(tir.Serial, i, 64, cond)}
	costs := costsOf(f)
	if len(costs) != 1 || math.Abs(costs[0].stores-1.25) > 1e-9 {
		t.Errorf("%d blocks, %v stores a run, want 1.25", len(costs), costs[0].stores)
	}
}

// TestColumns: each column has a name of its own, and the rows are numbers.
func TestColumns(t *testing.T) {
	names := Names()
	if len(names) != Columns {
		t.Fatalf("%d names of %d columns", len(names), Columns)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != Columns {
		t.Error("two columns have one name")
	}
	for _, f := range []*tir.Func{matmul(64, 64, 128, 4), {Name: "nothing", Body: tir.Sequence()}} {
		row := Of(f, 2*64*64*128, avx2)
		if len(row) != Columns {
			t.Fatalf("%d columns", len(row))
		}
		for i, v := range row {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Errorf("%s: column %s is %v", f.Name, Names()[i], v)
			}
		}
	}
}
