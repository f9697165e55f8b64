package lower

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// tileParts are what the nest of a product in a tile is made of.
type tileParts struct {
	k, i, j, g *tir.Var // over groups, rows, columns and steps
	extents    [4]int64
	kinds      [4]tir.ForKind
	x, w, c, d *tir.Buffer
	xAt, wAt   []tir.Expr
	cAt        []tir.Expr
	factor     func(x tir.Expr) tir.Expr // of the first operand
	alone      bool                      // it is stored, not added
}

func lit(v int64) tir.Expr               { return tir.Int(v) }
func plus(x, y tir.Expr) tir.Expr        { return tir.Bin(tir.Add, x, y) }
func times(x tir.Expr, n int64) tir.Expr { return tir.Bin(tir.Mul, x, tir.Int(n)) }

// tileBuffer is one of a type and a shape.
func tileBuffer(name string, t tir.DType, shape ...int64) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: t, Shape: shape}
}

// wholeTile returns a product that fills a tile of tdpbusd.
func wholeTile() *tileParts {
	p := &tileParts{k: tir.NewVar("k"), i: tir.NewVar("i"), j: tir.NewVar("j"), g: tir.NewVar("g"),
		extents: [4]int64{16, 16, 16, 4}, kinds: [4]tir.ForKind{tir.Serial, tir.Serial, tir.Vectorized, tir.Tensorized},
		x: tileBuffer("X", tir.U8, 16, 64), w: tileBuffer("W", tir.I8, 16, 16, 4), c: tileBuffer("C", tir.I32, 16, 16),
		d: tileBuffer("D", tir.I32, 16)}
	p.xAt, p.wAt, p.cAt = []tir.Expr{p.i, plus(times(p.k, 4), p.g)}, []tir.Expr{p.k, p.j, p.g}, []tir.Expr{p.i, p.j}
	return p
}

func (p *tileParts) nest() tir.Stmt {
	var x tir.Expr = &tir.Load{Buffer: p.x, Index: p.xAt}
	if p.factor != nil {
		x = p.factor(x)
	}
	product := tir.Bin(tir.Mul, &tir.Cast{X: x, To: p.c.Type}, &tir.Cast{X: &tir.Load{Buffer: p.w, Index: p.wAt}, To: p.c.Type})
	value := tir.Bin(tir.Add, &tir.Load{Buffer: p.c, Index: p.cAt}, product)
	if p.alone {
		value = product
	}
	var body tir.Stmt = &tir.Store{Buffer: p.c, Index: p.cAt, Value: value}
	for n, v := range []*tir.Var{p.g, p.j, p.i, p.k} {
		body = &tir.For{Var: v, Extent: lit(p.extents[3-n]), Kind: p.kinds[3-n], Body: body}
	}
	return tir.FreshLoops(body)
}

// withTiles is a target with AMX.
func withTiles() Config {
	t := target.Generic(64, 2)
	t.Features = []string{"amx-bf16", "amx-int8"}
	return Config{Target: t, Layout: target.Keep}
}

func (p *tileParts) program(body tir.Stmt) *tir.Func {
	return &tir.Func{Name: "f", Params: []*tir.Buffer{p.x, p.w, p.d, p.c}, Outputs: 2, Body: body}
}

// selected reports whether select has an instruction of tiles carry out a statement.
func (p *tileParts) selected(t *testing.T, body tir.Stmt) (*tir.Func, bool) {
	t.Helper()
	f, err := selectInstructions(p.program(body), withTiles())
	if err != nil {
		t.Fatal(err)
	}
	return f, hasTiles(f.Body)
}

// TestTileNests: each of these nests breaks one precondition, and no instruction of tiles carries it out.
func TestTileNests(t *testing.T) {
	for why, change := range map[string]func(p *tileParts){
		"":                      func(p *tileParts) {},
		"groups are parallel":   func(p *tileParts) { p.kinds[0] = tir.Parallel },
		"rows are written out":  func(p *tileParts) { p.kinds[1] = tir.Unrolled },
		"columns are no vector": func(p *tileParts) { p.kinds[2] = tir.Serial },
		"steps are not marked":  func(p *tileParts) { p.kinds[3] = tir.Serial },
		"nothing is added":      func(p *tileParts) { p.alone = true },
		"an operand is padded": func(p *tileParts) {
			p.factor = func(x tir.Expr) tir.Expr {
				return &tir.Select{Cond: tir.Bin(tir.LT, p.k, lit(9)), Then: x, Else: tir.Const(tir.U8, 3), Lazy: true}
			}
		},
		"the first operand has another type":  func(p *tileParts) { p.x.Type = tir.I16 },
		"the second operand has another type": func(p *tileParts) { p.w.Type = tir.I16 },
		"the sum has another type":            func(p *tileParts) { p.c.Type = tir.I64 },
		"there are more rows":                 func(p *tileParts) { p.extents[1], p.x.Shape[0], p.c.Shape[0] = 17, 17, 17 },
		"there are more columns":              func(p *tileParts) { p.extents[2], p.w.Shape[1], p.c.Shape[1] = 32, 32, 32 },
		"there are more groups":               func(p *tileParts) { p.extents[0], p.x.Shape[1], p.w.Shape[0] = 17, 68, 17 },
		"there are fewer steps":               func(p *tileParts) { p.extents[3] = 3 },
		"a tile is nearly empty":              func(p *tileParts) { p.extents[1], p.extents[2] = 4, 8 },
		"steps are apart":                     func(p *tileParts) { p.xAt[1] = plus(times(p.g, 16), times(p.k, 4)); p.x.Shape[1] = 128 },
		"groups are apart":                    func(p *tileParts) { p.xAt[1] = plus(times(p.k, 8), p.g); p.x.Shape[1] = 128 },
		"rows go backwards":                   func(p *tileParts) { p.xAt[0] = tir.Bin(tir.Sub, lit(15), p.i) },
		"the second operand has rows":         func(p *tileParts) { p.wAt[0] = plus(p.k, p.i); p.w.Shape[0] = 31 },
		"groups go backwards":                 func(p *tileParts) { p.wAt[0] = tir.Bin(tir.Sub, lit(15), p.k) },
		"both operands have columns": func(p *tileParts) {
			p.x.Type, p.w.Type = tir.U8, tir.U8
			p.x.Shape, p.xAt = []int64{16, 79}, []tir.Expr{p.i, plus(plus(times(p.k, 4), p.g), p.j)}
			p.x, p.w, p.xAt, p.wAt = p.w, p.x, p.wAt, p.xAt
		},
		"columns are apart":              func(p *tileParts) { p.wAt[1] = times(p.j, 2); p.w.Shape[1] = 32 },
		"steps of a column are apart":    func(p *tileParts) { p.w.Strides = []int64{64, 4, 2} },
		"steps are no dimension":         func(p *tileParts) { p.w.Shape = []int64{16, 64}; p.wAt = []tir.Expr{p.k, plus(times(p.j, 4), p.g)} },
		"there are more steps in memory": func(p *tileParts) { p.w.Shape[2] = 8; p.w.Strides = []int64{64, 4, 1} },
		"sums of rows go backwards":      func(p *tileParts) { p.cAt[0] = tir.Bin(tir.Sub, lit(15), p.i) },
		"sums of columns are apart":      func(p *tileParts) { p.cAt[1] = times(p.j, 2); p.c.Shape[1] = 32 },
		"groups have sums of their own":  func(p *tileParts) { p.cAt[0] = plus(p.i, p.k); p.c.Shape[0] = 31 },
		"steps have sums of their own":   func(p *tileParts) { p.cAt[0] = plus(p.i, p.g); p.c.Shape[0] = 19 },
	} {
		p := wholeTile()
		change(p)
		if f, tiles := p.selected(t, p.nest()); tiles != (why == "") {
			t.Errorf("%q: tiles are %v in\n%s", why, tiles, f)
		}
	}
}

// loopOf is a loop around a statement.
func loopOf(v *tir.Var, extent tir.Expr, kind tir.ForKind, body tir.Stmt) tir.Stmt {
	return &tir.For{Var: v, Extent: extent, Kind: kind, Body: body}
}

// TestTilesInRegisters: tiles stay in registers over a loop of a sum, unless a precondition does not hold: then over
// less, or not at all.
func TestTilesInRegisters(t *testing.T) {
	const around, inside, never = "around the loop", "inside the loop", "never"
	more := func(p *tileParts, n int64, by int64) (list []tir.Stmt) { // products of tiles, one below the other
		p.c.Shape[0] = 16 + by*(n-1)
		for i := range n {
			q := *p
			q.cAt = []tir.Expr{plus(p.i, lit(by*i)), p.j}
			list = append(list, q.nest())
		}
		return list
	}
	store := func(b *tir.Buffer, value tir.Expr, at ...int64) tir.Stmt {
		var index []tir.Expr
		for _, n := range at {
			index = append(index, lit(n))
		}
		return &tir.Store{Buffer: b, Index: index, Value: value}
	}
	for why, c := range map[string]struct {
		want string
		make func(p *tileParts, s *tir.Var) tir.Stmt // body of the loop over s
		kind tir.ForKind
	}{
		"":                         {around, func(p *tileParts, s *tir.Var) tir.Stmt { return p.nest() }, tir.Serial},
		"six tiles are":            {around, func(p *tileParts, s *tir.Var) tir.Stmt { return tir.Sequence(more(p, 6, 16)...) }, tir.Serial},
		"seven tiles are too many": {inside, func(p *tileParts, s *tir.Var) tir.Stmt { return tir.Sequence(more(p, 7, 16)...) }, tir.Serial},
		"tiles overlap":            {inside, func(p *tileParts, s *tir.Var) tir.Stmt { return tir.Sequence(more(p, 2, 8)...) }, tir.Serial},
		"the loop is parallel":     {inside, func(p *tileParts, s *tir.Var) tir.Stmt { return p.nest() }, tir.Parallel},
		"something writes a sum": {inside, func(p *tileParts, s *tir.Var) tir.Stmt {
			return tir.Sequence(store(p.c, tir.Const(tir.I32, 7), 3, 3), p.nest())
		}, tir.Serial},
		"something reads a sum": {inside, func(p *tileParts, s *tir.Var) tir.Stmt {
			return tir.Sequence(p.nest(), store(p.d, &tir.Load{Buffer: p.c, Index: []tir.Expr{lit(3), lit(3)}}, 0))
		}, tir.Serial},
		"a condition reads memory": {inside, func(p *tileParts, s *tir.Var) tir.Stmt {
			one := &tir.Load{Buffer: p.d, Index: []tir.Expr{lit(0)}}
			return &tir.If{Cond: tir.Bin(tir.LT, one, tir.Const(tir.I32, 5)), Then: p.nest()}
		}, tir.Serial},
		"a condition changes from step to step": {inside, func(p *tileParts, s *tir.Var) tir.Stmt {
			return &tir.If{Cond: tir.Bin(tir.LT, s, lit(2)), Then: p.nest()}
		}, tir.Serial},
		"rows are in one dimension with columns": {never, func(p *tileParts, s *tir.Var) tir.Stmt {
			p.c.Shape, p.cAt = []int64{256}, []tir.Expr{plus(times(p.i, 16), p.j)}
			return p.nest()
		}, tir.Serial},
		"rows are in two dimensions": {never, func(p *tileParts, s *tir.Var) tir.Stmt {
			p.c.Shape, p.cAt = []int64{16, 16, 16}, []tir.Expr{p.i, p.i, p.j}
			return p.nest()
		}, tir.Serial},
		"rows and columns have sums in common": {never, func(p *tileParts, s *tir.Var) tir.Stmt {
			p.c.Shape, p.cAt = []int64{31}, []tir.Expr{plus(p.i, p.j)}
			return p.nest()
		}, tir.Serial},
	} {
		p, s := wholeTile(), tir.NewVar("s")
		f, tiles := p.selected(t, loopOf(s, lit(3), c.kind, c.make(p, s)))
		if !tiles {
			t.Fatalf("%q: no tiles are selected in\n%s", why, f)
		}
		f, err := inTiles(f)
		if err != nil {
			t.Fatal(err)
		}
		got, text := never, f.String()
		switch alloc, loop := strings.Index(text, "alloc C.tile"), strings.Index(text, " s in 3:"); {
		case alloc >= 0 && alloc < loop:
			got = around
		case alloc >= 0:
			got = inside
		}
		if got != c.want {
			t.Errorf("%q: tiles are in registers %s, want %s:\n%s", why, got, c.want, text)
		}
		if err := tir.Check(f); err != nil {
			t.Errorf("%q: %v\n%s", why, err, text)
		}
	}
}

// inTiles is the program after the pass.
func inTiles(f *tir.Func) (*tir.Func, error) { return tiles(f, withTiles()) }

// TestTilesOfVaryingLoops: a loop whose length is not known may not run, so tiles are in registers inside it.
func TestTilesOfVaryingLoops(t *testing.T) {
	p, s, o := wholeTile(), tir.NewVar("s"), tir.NewVar("o")
	f, _ := p.selected(t, loopOf(o, lit(2), tir.Parallel, loopOf(s, o, tir.Serial, p.nest())))
	f, err := inTiles(f)
	if err != nil {
		t.Fatal(err)
	}
	if text := f.String(); strings.Index(text, "alloc C.tile") < strings.Index(text, " s in ") {
		t.Errorf("tiles are around a loop that may not run:\n%s", text)
	}
}

// TestTilesOfHalfGroups: the last step of a group of floats may not be multiplied by 0: it may be infinite.
func TestTilesOfHalfGroups(t *testing.T) {
	by := tir.Instructions()[slices.IndexFunc(tir.Instructions(), func(i *tir.Instruction) bool { return i.Name == "tdpbf16ps" })]
	for steps, want := range map[int64]bool{1: false, 2: true} {
		p := wholeTile()
		p.x.Type, p.w.Type, p.c.Type = tir.BF16, tir.BF16, tir.F32
		p.w.Shape[2], p.extents[3] = 2, steps
		p.xAt[1] = plus(times(p.k, 2), p.g)
		body := tir.MapStmt(p.nest(), func(s tir.Stmt) tir.Stmt {
			l, ok := s.(*tir.For)
			if !ok {
				return s
			}
			c := *l
			if c.Instruction = by; c.Kind == tir.Serial {
				c.Kind = tir.Tensorized
			}
			return &c
		}, nil)
		f, err := inTiles(p.program(body))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(f.String(), "alloc C.tile"); got != want {
			t.Errorf("%d steps: tiles are in registers: %v\n%s", steps, got, f)
		}
	}
}
