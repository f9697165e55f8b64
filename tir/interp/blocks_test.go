package interp

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/tir"
)

// TestCheckBlocks takes barriers and a condition out of a program that is right.
func TestCheckBlocks(t *testing.T) {
	tx := tir.NewVar("tx")
	c := buffer("C", tir.F32, 3)
	over := &tir.For{Var: tx, Extent: tir.Int(4), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: store(c, tir.Float(tir.F32, 1), tx)}
	for _, x := range []struct {
		what string
		f    *tir.Func
		why  string
	}{
		{"both barriers", rounds(barrier(), barrier()), ""},
		{"no barrier between rounds", rounds(nil, barrier()), "race: thread"},
		{"no barrier before reading", rounds(barrier(), nil), "race: thread"},
		{"no condition", function(1, over, c), "index 3 of dimension 0 of C is outside"},
	} {
		err := CheckBlocks(t.Context(), x.f)
		if (err == nil) != (x.why == "") || err != nil && !strings.Contains(err.Error(), x.why) {
			t.Errorf("%s: error %v, want %q", x.what, err, x.why)
		}
	}
}

// TestCheckBlocksChooses looks at the iterations that are run: of loops around
// threads, of those with a barrier inside, and of all others.
func TestCheckBlocksChooses(t *testing.T) {
	b, k, i, tx, j := tir.NewVar("b"), tir.NewVar("k"), tir.NewVar("i"), tir.NewVar("tx"), tir.NewVar("j")
	c := buffer("C", tir.F32, 5, 9)
	one := tir.Float(tir.F32, 1)
	inner := loop(i, 7, store(c, one, b, i))
	rounds := loop(k, 8, tir.Sequence(barrier(), inner))
	threads := &tir.For{Var: tx, Extent: tir.Int(1), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: rounds}
	blocks := &tir.For{Var: b, Extent: tir.Int(5), Kind: tir.ThreadBound, Thread: "blockIdx.x", Body: threads}
	serial := loop(j, 9, store(c, one, add(j, tir.Int(100)), j))
	f := function(1, tir.Sequence(serial, blocks), c)

	part := Part{Only: map[*tir.For][]int64{}}
	part.blocks(f.Body)
	for _, x := range []struct {
		loop *tir.For
		want []int64 // nil: all
	}{{blocks, []int64{0, 4}}, {threads, nil}, {rounds, []int64{0, 1, 7}}, {inner, nil}, {serial, []int64{}}} {
		if got, ok := part.Only[x.loop]; ok != (x.want != nil) || !slices.Equal(got, x.want) {
			t.Errorf("loop %s: %v, want %v", x.loop.Var.Name, got, x.want)
		}
	}
	if err := CheckBlocks(t.Context(), f); err != nil { // the serial nest is wrong, but has no threads
		t.Error(err)
	}
}

// TestCheckBlocksMemory: of large tensors, and of a temporary, what the blocks do not touch
// takes no memory; and what is small takes little.
func TestCheckBlocksMemory(t *testing.T) {
	const rows, cols = 1 << 14, 1 << 8
	a, temp, c, own := buffer("A", tir.F32, rows, cols), buffer("T", tir.F32, rows, cols), buffer("C", tir.F32, rows, cols), buffer("own", tir.F32, 1)
	grid := func(body func(b, tx *tir.Var) tir.Stmt) tir.Stmt {
		b, tx := tir.NewVar("b"), tir.NewVar("tx")
		threads := &tir.For{Var: tx, Extent: tir.Int(cols), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: body(b, tx)}
		return &tir.For{Var: b, Extent: tir.Int(rows), Kind: tir.ThreadBound, Thread: "blockIdx.x", Body: threads}
	}
	f := function(1, &tir.Alloc{Buffer: temp, Body: tir.Sequence(
		grid(func(b, tx *tir.Var) tir.Stmt {
			return &tir.Alloc{Buffer: own, Body: tir.Sequence(store(own, load(a, b, tx), tir.Int(0)), store(temp, load(own, tir.Int(0)), b, tx))}
		}),
		grid(func(b, tx *tir.Var) tir.Stmt { return store(c, load(temp, b, tx), b, tx) }),
	)}, a, c)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := CheckBlocks(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got, bound := after.TotalAlloc-before.TotalAlloc, uint64(rows*cols/2); got > bound {
		t.Errorf("%d bytes for tensors of %d elements, want at most %d", got, rows*cols, bound)
	}
}

// TestCheckBlocksStops: the end of the context ends a check that is under way.
func TestCheckBlocksStops(t *testing.T) {
	i, j, tx := tir.NewVar("i"), tir.NewVar("j"), tir.NewVar("tx")
	c := buffer("C", tir.F32, 1)
	long := loop(i, 1<<20, loop(j, 1<<20, store(c, tir.Float(tir.F32, 1), tx)))
	f := function(1, &tir.For{Var: tx, Extent: tir.Int(1), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: long}, c)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- CheckBlocks(ctx, f) }()
	select {
	case err := <-ended:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it does not stop")
	}
}
