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
					for x := range elems {
						fetched[e.(*tir.IntImm).Value+x] = true
					}
				}
			}
			size := p.depth * p.width
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
		"the weights are not packed":                        {tiles: 17, panels: 6, depth: 384, width: 32, plain: true},
		"a cache keeps weights of 256 KB":                   {tiles: 17, panels: 4, depth: 512, width: 32},
		"a panel of 256 KB does not fit into a small cache": {tiles: 17, panels: 6, depth: 2048, width: 32},
		"one of 806 KB leaves too little of a large one":    {tiles: 17, panels: 6, depth: 4200, width: 48, large: true},
		"there is one panel":                                {tiles: 17, panels: 1, depth: 3000, width: 32, large: true},
		"each panel is used once":                           {tiles: 1, panels: 60, depth: 384, width: 32},
		"panels come again: what lies behind one is not it": {tiles: 18, panels: 6, depth: 384, width: 32, blocks: 2},
		"many lines would be fetched at once":               {tiles: 2, panels: 40, depth: 4, width: 2048},
		"only the lanes have a loop":                        {tiles: 17, panels: 24, depth: 16, width: 256, unrolled: true},
	} {
		f, _ := p.fn()
		if from, _ := llvm.Fetches(f, p.target()); len(from) != 0 {
			t.Errorf("%s: %d loops fetch", why, len(from))
		}
	}
}
