package interp

import (
	"slices"
	"strings"
	"testing"

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
		err := CheckBlocks(x.f)
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
	if err := CheckBlocks(f); err != nil { // the serial nest is wrong, but has no threads
		t.Error(err)
	}
}
