package lower

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/target"
)

// TestConvertLeaves has one program per reason to convert nothing ahead.
func TestConvertLeaves(t *testing.T) {
	defer CopyAlways()()
	out := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{8}}
	cast := func(to tir.DType, b *tir.Buffer, index ...tir.Expr) tir.Expr {
		return &tir.Cast{X: &tir.Load{Buffer: b, Index: index}, To: to}
	}
	loops := func(i, j *tir.Var, n tir.Expr, s tir.Stmt) tir.Stmt {
		return &tir.For{Var: i, Extent: tir.Int(8), Body: &tir.For{Var: j, Extent: n, Body: s}}
	}
	rewrite := Config{Layout: target.Rewrite}
	again := func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
		return loops(i, j, tir.Int(8), readingBlock(out, i, cast(tir.F32, w, j)))
	}
	lanes := func(rows int64) reader { // a vector of W is multiplied with so many rows
		return func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			k, r := tir.NewVar("k"), tir.NewVar("r")
			s := loops(i, k, tir.Int(6), &tir.For{Var: r, Extent: tir.Int(rows), Body: &tir.For{Var: j, Extent: tir.Int(2),
				Kind: tir.Vectorized, Body: readingBlock(out, r, cast(tir.F32, w, tir.Bin(tir.Add, k, j)))}})
			return s
		}
	}
	for _, c := range []struct {
		title    string
		cfg      Config
		typ      tir.DType
		body     reader
		converts bool
	}{
		{"again and again", rewrite, tir.F16, again, true},
		{"integers", rewrite, tir.I8, again, true},
		{"the caller's layout", Config{}, tir.F16, again, false},
		{"for a GPU", Config{Layout: target.Rewrite, Target: target.Target{Kind: target.CUDA}}, tir.F16, again, false},
		{"in threads", rewrite, tir.F16, func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			s := again(w, i, j).(*tir.For)
			s.Kind, s.Thread = tir.ThreadBound, "threadIdx.x"
			return s
		}, false},
		{"conditions", rewrite, tir.Bool, again, false},
		{"to two types", rewrite, tir.F16, func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			wide := &tir.Cast{X: cast(tir.F64, w, j), To: tir.F32}
			return loops(i, j, tir.Int(8), readingBlock(out, i, tir.Bin(tir.Add, cast(tir.F32, w, j), wide)))
		}, false},
		{"read as it is, too", rewrite, tir.I64, func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return loops(i, j, tir.Int(8), &tir.Block{Name: "C", Body: &tir.Store{Buffer: out, Index: []tir.Expr{&tir.Load{Buffer: w, Index: []tir.Expr{j}}}, Value: cast(tir.F32, w, j)}})
		}, false},
		{"a loop of a length that varies", rewrite, tir.F16, func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return loops(i, j, tir.Bin(tir.Add, i, tir.Int(1)), readingBlock(out, i, cast(tir.F32, w, j)))
		}, false},
		{"written in the same nest", rewrite, tir.F16, func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return loops(i, j, tir.Int(8), &tir.Block{Name: "W", Body: &tir.Store{Buffer: w, Index: []tir.Expr{j}, Value: &tir.Cast{X: cast(tir.F32, w, j), To: tir.F16}}})
		}, false},
		{"in many lanes at once", rewrite, tir.F16, func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			s := again(w, i, j).(*tir.For)
			s.Extent, s.Body.(*tir.For).Kind = tir.Int(4), tir.Vectorized
			return s
		}, false},
		{"a vector for few rows", rewrite, tir.F16, lanes(3), true},
		{"a vector for many rows", rewrite, tir.F16, lanes(4), false},
		{"of the other type of 16 bits", rewrite, tir.BF16, lanes(4), false},
		{"of bytes", rewrite, tir.I8, lanes(4), true},
		{"an element for many rows", rewrite, tir.F16, func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			s := lanes(4)(w, i, j)
			tir.Visit(s, func(t tir.Stmt) bool {
				if l, ok := t.(*tir.For); ok {
					l.Kind = tir.Serial
				}
				return true
			})
			return s
		}, true},
	} {
		w := &tir.Buffer{Name: "W", Type: c.typ, Shape: []int64{8}}
		f := &tir.Func{Name: "main", Params: []*tir.Buffer{w, out}, Outputs: 1, Body: c.body(w, tir.NewVar("i"), tir.NewVar("j"))}
		g, err := convert(f, c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, converts := g.Body.(*tir.Alloc); converts != c.converts {
			t.Errorf("%s: converts %v\n%s", c.title, converts, g)
		}
	}
}

// TestConvertWritten: of a temporary only what is written is converted, here 5 of 8 rows from the second on and 7 of 8
// columns. The interpreter rejects reads of anything else.
func TestConvertWritten(t *testing.T) {
	defer CopyAlways()()
	x := &tir.Buffer{Name: "X", Type: tir.F16, Shape: []int64{8}}
	temp := &tir.Buffer{Name: "T", Type: tir.F16, Shape: []int64{8, 8}}
	out := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{8}}
	i, o, l := tir.NewVar("i"), tir.NewVar("o"), tir.NewVar("l")
	p, q, r := tir.NewVar("p"), tir.NewVar("q"), tir.NewVar("r")
	plus := func(x tir.Expr, n int64) tir.Expr { return tir.Bin(tir.Add, x, tir.Int(n)) }
	times := func(v *tir.Var, n int64, s tir.Stmt) tir.Stmt { return &tir.For{Var: v, Extent: tir.Int(n), Body: s} }
	col := tir.Bin(tir.Add, tir.Bin(tir.Mul, o, tir.Int(4)), l)
	write := times(i, 5, times(o, 2, times(l, 4, &tir.If{Cond: tir.Bin(tir.LT, col, tir.Int(7)),
		Then: &tir.Store{Buffer: temp, Index: []tir.Expr{plus(i, 1), col},
			Value: &tir.Load{Buffer: x, Index: []tir.Expr{col}}}})))
	read := &tir.Cast{X: &tir.Load{Buffer: temp, Index: []tir.Expr{plus(q, 1), r}}, To: tir.F32}
	sum := times(p, 8, tir.Sequence(readingBlock(out, p, tir.Float(tir.F32, 0)), times(q, 5, times(r, 7,
		readingBlock(out, p, tir.Bin(tir.Add, &tir.Load{Buffer: out, Index: []tir.Expr{p}}, read))))))
	f := &tir.Func{Name: "main", Params: []*tir.Buffer{x, out}, Outputs: 1,
		Body: &tir.Alloc{Buffer: temp, Body: tir.Sequence(write, sum)}}
	g, err := convert(f, Config{Layout: target.Rewrite})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(g.String(), "T_float32[(c0 + 1), c1] = float32(T[(c0 + 1), c1])") {
		t.Errorf("got\n%s", g)
	}
	if err := interp.Run(g, interp.NewTensors(g.Params), interp.Options{}); err != nil {
		t.Error(err)
	}
}
