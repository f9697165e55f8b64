package llvm_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/target"
)

// A weighted is a product with packed weights: tiles of rows and panels of columns are one parallel loop.
type weighted struct {
	tiles, panels, depth, width int64
	blocks                      int64 // of tiles; each goes through all panels; 0: 1
	plain                       bool  // the weights are as the caller has them
	unrolled                    bool  // the loop over the depth is
	large                       bool  // the processor has AVX-512, and a large cache
}

func (p weighted) fn() (f *tir.Func, k *tir.For) {
	a, c := buf("A", tir.F32, p.tiles, p.depth), buf("C", tir.F32, p.tiles, p.panels*p.width)
	w := buf("W", tir.F32, p.panels, p.depth, p.width)
	i, j, r := v("f"), v("j"), v("k")
	tile, panel := tir.Bin(tir.FloorMod, i, n(p.tiles)), tir.Bin(tir.FloorDiv, i, n(p.tiles))
	if p.blocks > 1 {
		size := p.tiles / p.blocks
		tile = add(mul(tir.Bin(tir.FloorDiv, i, n(size*p.panels)), n(size)), tir.Bin(tir.FloorMod, i, n(size)))
		panel = tir.Bin(tir.FloorMod, tir.Bin(tir.FloorDiv, i, n(size)), n(p.panels))
	}
	column := add(mul(panel, n(p.width)), j)
	kind := tir.Serial
	if p.unrolled {
		kind = tir.Unrolled
	}
	inner := loop(kind, r, p.depth, loop(tir.Vectorized, j, p.width,
		set(c, add(at(c, tile, column), mul(at(a, tile, r), at(w, panel, r, j))), tile, column)))
	f = fn("weighted", 1, loop(tir.Parallel, i, p.tiles*p.panels, inner), a, w, c)
	if !p.plain {
		from, x := buf("from", tir.F32, w.Shape...), v("x")
		copied := set(w, at(from, x, n(0), n(0)), x, n(0), n(0))
		f.Packs = []*tir.Func{fn("pack", 1, loop(tir.Serial, x, w.Shape[0], copied), from, w)}
	}
	return f, inner.(*tir.For)
}

func (p weighted) target() target.Target {
	t := target.Generic(32, 2)
	if p.large {
		t.Features = []string{"avx512f"}
	}
	return t
}

// TestFetchAhead: while a panel of the weights is used, the whole of the next one is fetched, and not much more.
func TestFetchAhead(t *testing.T) {
	for _, p := range []weighted{
		{tiles: 17, panels: 6, depth: 384, width: 32},
		{tiles: 3, panels: 5, depth: 500, width: 48},  // more than a line at a time
		{tiles: 2, panels: 40, depth: 130, width: 20}, // a panel that ends within a line
		{tiles: 200, panels: 8, depth: 300, width: 32},
		{tiles: 17, panels: 2, depth: 3000, width: 32, large: true},
		{tiles: 16, panels: 3, depth: 3072, width: 48, large: true}, // two panels are more than the cache
	} {
		f, k := p.fn()
		from, elems := llvm.Fetches(f, p.target())
		start, ok := from[k]
		if len(from) != 1 || !ok {
			t.Errorf("%+v: %d loops fetch", p, len(from))
			continue
		}
		s := arith.NewSimplifier()
		parallel := f.Body.(*tir.For).Var
		for panel := range p.panels {
			fetched := map[int64]bool{}
			var order []int64
			for i := panel * p.tiles; i < (panel+1)*p.tiles; i++ {
				for d := range p.depth {
					e := s.Expr(tir.MapExpr(start, func(e tir.Expr) tir.Expr {
						switch e {
						case tir.Expr(parallel):
							return n(i)
						case tir.Expr(k.Var):
							return n(d)
						}
						return e
					}))
					order = append(order, e.(*tir.IntImm).Value)
					for x := range elems {
						fetched[e.(*tir.IntImm).Value+x] = true
					}
				}
			}
			size := p.depth * p.width
			// As late as possible: pieces that are too many wait at the first line.
			early := (int64(len(order))*elems - (size+15)/16*16) / elems
			if got := order[early]; got != (panel+1)*size {
				t.Fatalf("%+v: panel %d: piece %d of %d is at %d", p, panel, early, len(order), got-(panel+1)*size)
			}
			for x := range size {
				if !fetched[(panel+1)*size+x] {
					t.Fatalf("%+v: panel %d, element %d is not fetched", p, panel+1, x)
				}
			}
			if most := size + 15; int64(len(fetched)) > most { // the panel may end within a line
				t.Errorf("%+v: %d elements are fetched for a panel of %d", p, len(fetched), size)
			}
		}
		var b bytes.Buffer
		if err := llvm.Emit(&b, f, p.target()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "call void @llvm.prefetch.p0("); int64(got) != elems/16 {
			t.Errorf("%+v: %d calls of llvm.prefetch, want %d", p, got, elems/16)
		}
	}
}

// TestNoFetchAhead has a case for each precondition.
func TestNoFetchAhead(t *testing.T) {
	for why, p := range map[string]weighted{
		"the weights are not packed":                       {tiles: 17, panels: 6, depth: 384, width: 32, plain: true},
		"a cache keeps weights of 256 KB":                  {tiles: 17, panels: 4, depth: 512, width: 32},
		"a panel of 256 KB is too large for a small cache": {tiles: 17, panels: 6, depth: 2048, width: 32},
		"one of 806 KB is too large for a large one":       {tiles: 17, panels: 6, depth: 4200, width: 48, large: true},
		"there is one panel":                               {tiles: 17, panels: 1, depth: 3000, width: 32, large: true},
		"each panel is used once":                          {tiles: 1, panels: 60, depth: 384, width: 32},
		"panels come again: another one lies behind":       {tiles: 18, panels: 6, depth: 384, width: 32, blocks: 2},
		"many lines would be fetched at once":              {tiles: 2, panels: 40, depth: 4, width: 2048},
		"only the lanes have a loop":                       {tiles: 17, panels: 24, depth: 1, width: 4096, unrolled: true},
	} {
		f, _ := p.fn()
		if from, _ := llvm.Fetches(f, p.target()); len(from) != 0 {
			t.Errorf("%s: %d loops fetch", why, len(from))
		}
	}
}

// A blocked is a product whose panels of weights are read in steps, each of them for some rows. The weights of an
// iteration of the parallel loop are too many to be fetched ahead, those of a step are not.
type blocked struct {
	steps, rows, depth, width int64
	unrolled                  bool // the loop over the depth is
	apart                     bool // half of the weights that a step passes are never read
	outside                   bool // the rows are around the steps
}

func (p blocked) fn() (f *tir.Func, loops [3]*tir.For) {
	const panels = 8
	a, c := buf("A", tir.F32, p.rows, p.steps, p.depth), buf("C", tir.F32, p.rows, panels*p.width)
	depth := p.depth
	if p.apart {
		depth *= 2
	}
	w := buf("W", tir.F32, panels, p.steps, depth, p.width)
	x, s, i, k, j := v("f"), v("s"), v("i"), v("k"), v("j")
	column := add(mul(x, n(p.width)), j)
	kind := tir.Serial
	if p.unrolled {
		kind = tir.Unrolled
	}
	sum := set(c, add(at(c, i, column), mul(at(a, i, s, k), at(w, x, s, k, j))), i, column)
	body := loop(kind, k, p.depth, loop(tir.Vectorized, j, p.width, sum))
	loops[2] = body.(*tir.For)
	around := []*tir.Var{i, s}
	if p.outside {
		around = []*tir.Var{s, i}
	}
	for _, at := range around {
		extent := p.rows
		if at == s {
			extent = p.steps
		}
		body = loop(tir.Serial, at, extent, body)
	}
	loops[0], loops[1] = body.(*tir.For), body.(*tir.For).Body.(*tir.For)
	f = fn("blocked", 1, loop(tir.Parallel, x, panels, body), a, w, c)
	from, y := buf("from", tir.F32, w.Shape...), v("y")
	copied := set(w, at(from, y, n(0), n(0), n(0)), y, n(0), n(0), n(0))
	f.Packs = []*tir.Func{fn("pack", 1, loop(tir.Serial, y, panels, copied), from, w)}
	return f, loops
}

// TestFetchSteps: while the weights of a step are used, all of those of the next one are fetched, and not more.
func TestFetchSteps(t *testing.T) {
	avx512 := weighted{large: true}.target()
	for _, p := range []blocked{
		{steps: 64, rows: 7, depth: 72, width: 64},
		{steps: 128, rows: 3, depth: 16, width: 128, unrolled: true}, // pieces for each of the unrolled steps
		{steps: 5, rows: 16, depth: 768, width: 64},
	} {
		f, loops := p.fn()
		from, elems := llvm.Fetches(f, avx512)
		start, ok := from[loops[2]]
		if len(from) != 1 || !ok {
			t.Errorf("%+v: %d loops fetch", p, len(from))
			continue
		}
		s := arith.NewSimplifier()
		size := p.depth * p.width
		for panel := range int64(2) {
			for step := range p.steps {
				first := (panel*p.steps + step + 1) * size
				fetched := map[int64]bool{}
				for i := range p.rows {
					for d := range p.depth {
						e := s.Expr(tir.MapExpr(start, func(e tir.Expr) tir.Expr {
							switch e {
							case tir.Expr(f.Body.(*tir.For).Var):
								return n(panel)
							case tir.Expr(loops[0].Var):
								return n(step)
							case tir.Expr(loops[1].Var):
								return n(i)
							case tir.Expr(loops[2].Var):
								return n(d)
							}
							return e
						}))
						for x := range elems {
							fetched[e.(*tir.IntImm).Value+x-first] = true
						}
					}
				}
				for x := range size {
					if !fetched[x] {
						t.Fatalf("%+v: step %d of panel %d: element %d of the next is not fetched", p, step, panel, x)
					}
				}
				if int64(len(fetched)) != size {
					t.Fatalf("%+v: %d elements are fetched for a step of %d", p, len(fetched), size)
				}
			}
		}
	}
}

// TestNoFetchSteps has a case for each precondition.
func TestNoFetchSteps(t *testing.T) {
	for why, p := range map[string]blocked{
		"a step is used once":                            {steps: 64, rows: 1, depth: 72, width: 64},
		"a step of 1 MB leaves too little of the cache":  {steps: 5, rows: 16, depth: 4096, width: 64},
		"what comes after a step is not read":            {steps: 64, rows: 7, depth: 72, width: 64, apart: true},
		"many lines would be fetched at once":            {steps: 64, rows: 7, depth: 8, width: 512},
		"the rows are around the steps: each comes once": {steps: 64, rows: 7, depth: 72, width: 64, outside: true},
	} {
		f, _ := p.fn()
		if from, _ := llvm.Fetches(f, weighted{large: true}.target()); len(from) != 0 {
			t.Errorf("%s: %d loops fetch", why, len(from))
		}
	}
}

// TestNoFetchByLanes: iterations of a loop whose lanes are computed together have no next one.
func TestNoFetchByLanes(t *testing.T) {
	w, c := buf("W", tir.F32, 8, 16, 1024), buf("C", tir.F32, 8, 16)
	x, l, i, k := v("f"), v("l"), v("i"), v("k")
	sum := set(c, add(at(c, x, l), at(w, x, l, k)), x, l)
	f := fn("lanes", 1, loop(tir.Parallel, x, 8, loop(tir.Vectorized, l, 16, loop(tir.Serial, i, 7,
		loop(tir.Serial, k, 1024, sum)))), w, c)
	from, y := buf("from", tir.F32, w.Shape...), v("y")
	copied := set(w, at(from, y, n(0), n(0)), y, n(0), n(0))
	f.Packs = []*tir.Func{fn("pack", 1, loop(tir.Serial, y, 8, copied), from, w)}
	if from, _ := llvm.Fetches(f, weighted{}.target()); len(from) != 0 {
		t.Errorf("%d loops fetch", len(from))
	}
}
