package interp

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// twoNests computes T[i] = A[i]+1 and then C[i] = T[i]*T[n-1-i], both in parallel.
func twoNests(n int64) (f *tir.Func, t *tir.Buffer, loops []*tir.For) {
	a, c := buffer("A", tir.F32, n), buffer("C", tir.F32, n)
	t = buffer("T", tir.F32, n)
	i, j := tir.NewVar("i"), tir.NewVar("j")
	first := loop(i, n, store(t, add(load(a, i), tir.Float(tir.F32, 1)), i))
	second := loop(j, n, store(c, mul(load(t, j), load(t, tir.Bin(tir.Sub, tir.Int(n-1), j))), j))
	first.Kind, second.Kind = tir.Parallel, tir.Parallel
	return function(1, &tir.Alloc{Buffer: t, Body: tir.Sequence(first, second)}, a, c), t, []*tir.For{first, second}
}

func TestRunPart(t *testing.T) {
	f, temporary, loops := twoNests(8)
	args := tensors(f)
	asked := []int64{}
	left := &Rest{Make: func(to *Tensor, at int64) {
		asked = append(asked, at)
		to.SetFloat(int(at), 100)
	}}
	out := &Rest{}
	part := Part{
		Only:  map[*tir.For][]int64{loops[0]: {0, 6}, loops[1]: {1, 2}},
		Rests: map[*tir.Buffer]*Rest{temporary: left, f.Results()[0]: out},
	}
	if err := RunPart(f, args, Options{Races: true}, part); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(left.Wrote, []int64{0, 6}) || !slices.Equal(out.Wrote, []int64{1, 2}) || !slices.Equal(asked, []int64{1, 2, 5}) {
		t.Errorf("wrote %v of T and %v of C, asked for %v", left.Wrote, out.Wrote, asked)
	}
	if got := floats(args[1]); got[1] != 100*8 || got[2] != 100*100 {
		t.Errorf("got %v", got)
	}
	part.Rests = map[*tir.Buffer]*Rest{f.Results()[0]: out}
	if err := RunPart(f, args, Options{}, part); err == nil || !strings.Contains(err.Error(), "read of T[1], which was not written") {
		t.Errorf("nothing stands in for T: error %v", err)
	}
}

func TestSample(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	f, _, loops := twoNests(1000)
	only := Sample(f, 40, r)
	for k, l := range loops {
		list := only[l]
		ends := list[0] == 0 && list[len(list)-1] == 999 && slices.IsSorted(list)
		if want := []int{20, 13}[k]; !ends || len(slices.Compact(slices.Clone(list))) != want {
			t.Errorf("loop %d: %v, want %d different iterations with both ends", k, list, want)
		}
	}
	if only := Sample(f, 10000, r); len(only) != 0 {
		t.Errorf("a budget for all leaves some out: %v", only)
	}
	if only := Sample(f, 1, r); len(only[loops[0]]) != 1 {
		t.Errorf("a small budget: %v", only)
	}
}

// What drawing takes grows with the numbers drawn, and not with their square: the square would be minutes.
func TestDrawMost(t *testing.T) {
	done := make(chan []int64, 1)
	go func() {
		s := sampler{rand: rand.New(rand.NewPCG(1, 0))}
		done <- s.draw(400_000, 400_100)
	}()
	select {
	case list := <-done:
		if len(slices.Compact(list)) != 400_000 {
			t.Errorf("%d different numbers", len(slices.Compact(list)))
		}
	case <-time.After(20 * time.Second):
		t.Error("drawing 400,000 of 400,100 numbers has not ended after 20 seconds")
	}
}

// TestSampleKeepsReductions: a loop that adds to what was before it must run
// whole, in whatever loop the sum begins.
func TestSampleKeepsReductions(t *testing.T) {
	a, c := buffer("A", tir.F32, 64, 64), buffer("C", tir.F32, 64)
	i, k := tir.NewVar("i"), tir.NewVar("k")
	init := &tir.Block{Name: "C", Init: true, Body: store(c, tir.Float(tir.F32, 0), i)}
	sum := loop(k, 64, &tir.Block{Name: "C", Body: store(c, add(load(c, i), load(a, i, k)), i)})
	inside := loop(i, 64, tir.Sequence(init, sum))
	if only := Sample(function(1, inside, a, c), 500, rand.New(rand.NewPCG(1, 0))); len(only) != 1 || len(only[inside]) != 3 {
		t.Errorf("rows of sums: %v, want some rows and no part of a sum", only)
	}
	clear := loop(i, 64, init)
	j := tir.NewVar("j")
	outside := loop(k, 64, loop(j, 64, &tir.Block{Name: "C", Body: store(c, add(load(c, j), load(a, j, k)), j)}))
	if only := Sample(function(1, tir.Sequence(clear, outside), a, c), 500, rand.New(rand.NewPCG(1, 0))); len(only[outside]) > 0 {
		t.Errorf("columns of sums: %v, but each iteration is a part of each sum", only)
	}
}

func TestReference(t *testing.T) {
	a, b, c := buffer("A", tir.F32, 4, 4), buffer("B", tir.F32, 4), buffer("C", tir.F32, 2)
	i, k, j := tir.NewVar("i"), tir.NewVar("k"), tir.NewVar("j")
	acc, src := &tir.Var{Name: "x", Type: tir.F32}, &tir.Var{Name: "y", Type: tir.F32}
	d := &compute.DAG{Tensors: []*tir.Buffer{a, c}, Outputs: 1, Ops: []*compute.Op{
		{Name: "A", Results: []*tir.Buffer{a}},
		{Name: "B", Results: []*tir.Buffer{b}, Axes: []*compute.Axis{{Var: i, Extent: 4}}, ReduceAxes: []*compute.Axis{{Var: k, Extent: 4}},
			Body: []tir.Expr{load(a, i, k)}, Combine: &compute.Combiner{
				Acc: []*tir.Var{acc}, Src: []*tir.Var{src}, Result: []tir.Expr{add(acc, src)}, Identity: []tir.Expr{tir.Float(tir.F32, 0)}}},
		{Name: "C", Results: []*tir.Buffer{c}, Axes: []*compute.Axis{{Var: j, Extent: 2}},
			Body: []tir.Expr{mul(load(b, j), load(b, add(j, tir.Int(2))))}},
	}}
	args := NewTensors(d.Tensors)
	for n := range args[0].Len() {
		args[0].SetFloat(n, float64(n))
	}
	r, err := NewReference(d, args[:1])
	if err != nil {
		t.Fatal(err)
	}
	if err := RunDAG(d, args); err != nil {
		t.Fatal(err)
	}
	for n := range int64(2) {
		if got, err := r.At(c, n); err != nil || got.Float(int(n)) != args[1].Float(int(n)) {
			t.Errorf("element %d is %v, want %v (error %v)", n, got.Float(int(n)), args[1].Float(int(n)), err)
		}
	}
	if _, err := NewReference(d, nil); err == nil {
		t.Error("no error without inputs")
	}
	d.Ops[2].Body[0] = load(b, add(j, tir.Int(3)))
	if r, err = NewReference(d, args[:1]); err != nil {
		t.Fatal(err)
	}
	if _, err := r.At(c, 1); err == nil || !strings.Contains(err.Error(), "index 4 of dimension 0 of B is outside") {
		t.Errorf("read outside of B: error %v", err)
	}
}

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

	ty := tir.NewVar("ty")
	nested := &tir.For{Var: ty, Extent: tir.Int(4), Kind: tir.ThreadBound, Thread: "threadIdx.y", Body: rounds}
	whole := Part{Only: map[*tir.For][]int64{}}
	whole.blocks(&tir.For{Var: tx, Extent: tir.Int(1), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: nested})
	if got, ok := whole.Only[nested]; ok {
		t.Errorf("threads %v of a block, want all", got)
	}

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

// TestCheckBlocksShortens: of a block that takes long, the longest loop runs in part, and the check still comes to its
// last iteration.
func TestCheckBlocksShortens(t *testing.T) {
	const n = blockAccesses
	i, j, tx := tir.NewVar("i"), tir.NewVar("j"), tir.NewVar("tx")
	c := buffer("C", tir.F32, 4, 1)
	for past, want := range map[int64]string{0: "", 1: "index 1 of dimension 1 of C is outside"} {
		at := mul(tir.Int(past), tir.Bin(tir.FloorDiv, i, tir.Int(n-1)))
		short := loop(j, 4, store(c, tir.Float(tir.F32, 1), tx, at))
		long := loop(i, n, short)
		threads := &tir.For{Var: tx, Extent: tir.Int(4), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: long}
		f := function(1, threads, c)
		part := Part{Only: map[*tir.For][]int64{}}
		part.blocks(f.Body)
		if got := part.Only; len(got) != 1 || !slices.Equal(got[long], []int64{0, 1, n - 1}) {
			t.Errorf("got %v, want three iterations of the long loop", got)
		}
		err := CheckBlocks(t.Context(), f)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
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
	n := add(tx, tir.Int(1<<20)) // of an extent that is no constant, all iterations run
	long := &tir.For{Var: i, Extent: n, Body: &tir.For{Var: j, Extent: n, Body: store(c, tir.Float(tir.F32, 1), tx)}}
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
