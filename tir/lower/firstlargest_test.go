package lower_test

import (
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/target"
)

// A placesOf is the places of the largest elements of 3 rows; change, if not nil, changes the four stores of a step.
type placesOf struct {
	typ     tir.DType
	extents []int64
	last    bool // the last of equals
	value   func(a tir.Expr) tir.Expr
	change  func(stores []*tir.Store)
}

func (p placesOf) program() *tir.Func {
	row := int64(1)
	for _, n := range p.extents {
		row *= n
	}
	a, places, values := buf("A", p.typ, 3, row), buf("P", tir.I64, 3), buf("V", p.typ, 3)
	z, i := v("z"), v("i")
	var loops []*tir.Var
	var k tir.Expr = n(0)
	for _, extent := range p.extents {
		loops = append(loops, v("k"))
		k = add(mul(k, n(extent)), loops[len(loops)-1])
	}
	if len(loops) == 1 {
		k = loops[0]
	}
	place := k
	if p.last {
		place = sub(n(row-1), k)
	}
	x := at(a, i, k)
	if p.value != nil {
		x = p.value(x)
	}
	c := op.FirstLargest(p.typ)
	pair := []tir.Expr{at(places, i), at(values, i)}
	folded := c.Fold()
	for d, e := range folded {
		folded[d] = tir.Substitute(e, map[*tir.Var]tir.Expr{
			c.Acc[0]: pair[0], c.Acc[1]: pair[1], c.Src[0]: place, c.Src[1]: x})
	}
	next := []*tir.Buffer{local("next0", tir.I64), local("next1", p.typ)}
	stores := []*tir.Store{
		{Buffer: next[0], Value: folded[0]}, {Buffer: next[1], Value: folded[1]},
		{Buffer: places, Index: []tir.Expr{i}, Value: at(next[0])},
		{Buffer: values, Index: []tir.Expr{i}, Value: at(next[1])},
	}
	if p.change != nil {
		p.change(stores)
	}
	var body tir.Stmt = alloc(next[0], alloc(next[1], stores[0], stores[1], stores[2], stores[3]))
	for d := len(loops) - 1; d >= 0; d-- {
		body = loop(tir.Serial, loops[d], p.extents[d], body)
	}
	return fn("places", 2, seq(
		loop(tir.Serial, z, 3, set(places, n(math.MaxInt64), z), set(values, c.Start()[1], z)),
		loop(tir.Parallel, i, 3, body)), a, places, values)
}

func TestFirstLargest(t *testing.T) {
	got := lower.Lanewise(placesOf{typ: tir.I32, extents: []int64{19}}.program(), target.Generic(32, 2)).String()
	for _, want := range []string{`  parallel i in 3:
    alloc P.lanes: int32[16] local
    alloc V.lanes: int32[16] local
    vectorize l in 16:
      P.lanes[l] = 2147483647
      V.lanes[l] = -2147483648
    alloc P.lanes.next: int32[16] local
    alloc V.lanes.next: int32[16] local
`,
		"((V.lanes[l_1] == A[i, l_1]) && (P.lanes[l_1] < int32(l_1)))), P.lanes[l_1], int32(l_1))\n",
		"((V.lanes[l_1] == A[i, l_1]) && (P.lanes[l_1] < int32(l_1)))), V.lanes[l_1], A[i, l_1])\n",
		"(P.lanes[l_2] < P.lanes[(l_2 + 8)])",
		"P[i] = P.next[]\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// TestFirstLargestLeavesAlone names what keeps such a reduction as it is.
func TestFirstLargestLeavesAlone(t *testing.T) {
	swap := func(change func(s *tir.Select)) func([]*tir.Store) {
		return func(stores []*tir.Store) {
			for _, s := range stores[:2] {
				c := *s.Value.(*tir.Select)
				change(&c)
				s.Value = &c
			}
		}
	}
	keep := func(s *tir.Select) { s.Else = s.Then }
	other := func(s *tir.Select) { s.Then, s.Else = s.Else, s.Then }
	for what, p := range map[string]placesOf{
		"too short":      {typ: tir.F32, extents: []int64{3}},
		"no candidate":   {typ: tir.F32, extents: []int64{19}, change: swap(keep)},
		"another answer": {typ: tir.F32, extents: []int64{19}, change: swap(other)},
		"no comparison": {typ: tir.F32, extents: []int64{19}, change: swap(func(s *tir.Select) {
			s.Cond = s.Cond.(*tir.Binary).Y
		})},
		"one comparison": {typ: tir.F32, extents: []int64{19}, change: func(stores []*tir.Store) {
			c := *stores[1].Value.(*tir.Select)
			c.Cond = c.Cond.(*tir.Binary).X
			stores[1].Value = &c
		}},
		"kept at once": {typ: tir.F32, extents: []int64{19}, change: func(stores []*tir.Store) {
			stores[1], stores[2] = stores[2], stores[1]
		}},
		"crossed": {typ: tir.I64, extents: []int64{19}, change: func(stores []*tir.Store) {
			stores[2].Value, stores[3].Value = stores[3].Value, stores[2].Value
		}},
	} {
		if got := lower.Lanewise(p.program(), target.Generic(32, 2)).String(); strings.Contains(got, "lanes") {
			t.Errorf("%s: got\n%s", what, got)
		}
	}
}

// TestFirstLargestRuns holds that pairs in lanes end as the interpreter's: many elements are equal, some are NaN or
// infinite.
func TestFirstLargestRuns(t *testing.T) {
	for _, typ := range []tir.DType{tir.F32, tir.F64, tir.I32, tir.I64, tir.U8} {
		for _, extents := range [][]int64{{4}, {8}, {19}, {64}, {100}, {769}, {3, 16}, {2, 3, 32}} {
			for seed := range 12 {
				p := placesOf{typ: typ, extents: extents, last: seed%2 == 1}
				f := p.program()
				g := lower.Lanewise(f, target.Generic([]int{16, 32, 64}[seed%3], 2))
				if !strings.Contains(g.String(), "lanes") && extents[0] >= 64 {
					t.Fatalf("no lanes:\n%s", g)
				}
				results := map[bool][]*interp.Tensor{}
				for _, lanes := range []bool{false, true} {
					for _, b := range f.Params {
						results[lanes] = append(results[lanes], interp.NewTensor(b))
					}
					x := results[lanes][0]
					for k := range x.Len() {
						x.SetFloat(k, drawn(k*7+seed, seed, typ))
					}
					run := f
					if lanes {
						run = g
					}
					if err := interp.Run(run, results[lanes], interp.Options{}); err != nil {
						t.Fatal(err)
					}
				}
				for i := range results[false][1].Len() {
					if a, b := results[false][1].Float(i), results[true][1].Float(i); a != b {
						t.Errorf("%s %v, seed %d: row %d: place %g, want %g\n%s", typ, extents, seed, i, b, a, g)
					}
				}
			}
		}
	}
}

// drawn is one of few numbers.
func drawn(k, seed int, typ tir.DType) float64 {
	h := (k*2654435761 + seed*40503) >> 7 & 0xffff
	if typ.IsFloat() && seed >= 6 {
		switch {
		case h%11 == 3:
			return math.Inf(-1)
		case seed >= 9 && h%97 == 5:
			return math.NaN()
		case seed == 8:
			return math.Inf(-1)
		}
	}
	return float64(h % 5)
}
