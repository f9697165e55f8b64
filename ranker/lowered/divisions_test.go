package lowered

import (
	"math"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// work is a parallel loop of n iterations; iteration i copies an element as often as steps says.
func work(n int64, steps func(i *tir.Var) tir.Stmt) *tir.Func {
	i := tir.NewVar("i")
	return &tir.Func{Name: "work", Params: []*tir.Buffer{float("a", 1<<20), float("c", 1<<20)}, Outputs: 1,
		Body: loopOf(tir.Parallel, i, n, steps(i))}
}

// TestDivisions: a program is its serial part and its parallel loops; threads beyond the iterations are idle.
func TestDivisions(t *testing.T) {
	f := matmul(64, 64, 128, 4)
	list := Divisions(f, avx2)
	if len(list) != 1 || list[0].Chunks != 16 || list[0].Runs != 1 || list[0].Cycles <= 0 || list[0].Sizes != nil {
		t.Fatalf("a product: %+v", list)
	}
	for threads, want := range map[int]float64{1: 0, 2: 0, 3: 1 - 16.0/18, 16: 0, 20: 1 - 16.0/20, 64: 0.75} {
		if got, _ := Idle(list, threads); math.Abs(got-want) > 1e-9 {
			t.Errorf("16 chunks, %d threads: idle %v, want %v", threads, got, want)
		}
	}
	i := tir.NewVar("i")
	serial := &tir.Store{Buffer: f.Params[2], Index: []tir.Expr{i, tir.Int(0)}, Value: load(f.Params[0], i, tir.Int(0))}
	f.Body = tir.Sequence(loopOf(tir.Serial, i, 64, serial), f.Body, loopOf(tir.Serial, tir.NewVar("r"), 3,
		loopOf(tir.Parallel, i, 4, serial)))
	list = Divisions(f, avx2)
	if len(list) != 3 || list[0].Chunks != 1 || list[1].Chunks != 16 || list[2].Chunks != 4 || list[2].Runs != 3 {
		t.Fatalf("a serial loop, a parallel one, and three times one of four: %+v", list)
	}
	if got, _ := Idle(list[:1], 4); got != 0.75 {
		t.Errorf("a serial loop, 4 threads: idle %v", got)
	}
	idle, cycles := Idle(list, 4)
	one, alone := Idle(list, 1)
	if one != 0 || cycles >= alone || math.Abs(alone-4*cycles*(1-idle)) > 1e-6*alone {
		t.Errorf("idle %v and %v, cycles %v and %v", one, idle, alone, cycles)
	}
}

// TestUneven: what conditions and lengths make of the iterations counts, and who has the large ones.
func TestUneven(t *testing.T) {
	body := func(i, j *tir.Var) tir.Stmt {
		f := work(1, func(*tir.Var) tir.Stmt { return nil })
		at := sum(times(i, 1024), j)
		return &tir.Store{Buffer: f.Params[1], Index: []tir.Expr{at}, Value: load(f.Params[0], at)}
	}
	j := tir.NewVar("j")
	triangle := work(8, func(i *tir.Var) tir.Stmt {
		return &tir.For{Var: j, Extent: times(sum(i, tir.Int(1)), 8), Body: body(i, j)}
	})
	list := Divisions(triangle, avx2)
	if len(list) != 1 || len(list[0].Sizes) != 8 {
		t.Fatalf("a triangle: %+v", list)
	}
	// The last two of eight iterations are 15 of 36.
	if got, _ := Idle(list, 4); math.Abs(got-(1-36.0/(4*15))) > 1e-3 {
		t.Errorf("a triangle, 4 threads: idle %v", got)
	}
	edge := work(4, func(i *tir.Var) tir.Stmt {
		return &tir.If{Cond: tir.Bin(tir.LT, i, tir.Int(3)), Then: loopOf(tir.Serial, j, 64, body(i, j)),
			Else: loopOf(tir.Serial, j, 32, body(i, j))}
	})
	list = Divisions(edge, avx2)
	if got, _ := Idle(list, 4); len(list[0].Sizes) != 2 || math.Abs(got-(1-3.5/4)) > 0.02 {
		t.Errorf("an edge of half the size, 4 threads: idle %v of %+v", got, list)
	}
	if got := (Division{Chunks: 5, Sizes: [][2]float64{{4, 1}, {1, 6}}}).Largest(2); got != 0.7 {
		t.Errorf("parts of 3 and 2 iterations, the last one of 6: %v", got)
	}
	if got := (Division{Chunks: 3}).Largest(2); got != 2.0/3 {
		t.Errorf("parts of 2 and 1 iterations: %v", got)
	}
}
