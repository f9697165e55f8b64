package lower

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// TestRepackLeaves has one program per reason to make no copy.
func TestRepackLeaves(t *testing.T) {
	defer CopyAlways()()
	out := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{8}}
	load := func(b *tir.Buffer, index ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: index} }
	loop := func(v *tir.Var, kind tir.ForKind, s tir.Stmt) tir.Stmt {
		return &tir.For{Var: v, Extent: tir.Int(8), Kind: kind, Body: s}
	}
	rewrite := Config{Layout: target.Rewrite}
	apart := func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
		return loop(i, tir.Serial, loop(j, tir.Vectorized, readingBlock(out, j, load(w, j, i))))
	}
	for _, c := range []struct {
		title  string
		cfg    Config
		body   reader
		copies bool
	}{
		{"lanes that lie apart", rewrite, apart, true},
		{"the caller's layout", Config{}, apart, false},
		{"for a GPU", Config{Layout: target.Rewrite, Target: target.Target{Kind: target.CUDA}}, apart, false},
		{"in threads", rewrite, func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return &tir.For{Var: i, Extent: tir.Int(8), Kind: tir.ThreadBound, Thread: "threadIdx.x", Body: loop(j, tir.Vectorized, readingBlock(out, j, load(w, j, i)))}
		}, false},
		{"no lanes", rewrite, func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return loop(i, tir.Serial, loop(j, tir.Serial, readingBlock(out, j, load(w, j, i))))
		}, false},
		{"lanes that are neighbours, in rows of another order", rewrite, func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return loop(i, tir.Serial, loop(j, tir.Vectorized, readingBlock(out, j, load(w, tir.Bin(tir.Sub, tir.Int(7), i), j))))
		}, false},
		{"written in the same nest", rewrite, func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return loop(i, tir.Serial, loop(j, tir.Vectorized, &tir.Block{Name: "W", Body: &tir.Store{Buffer: w, Index: []tir.Expr{j, i}, Value: load(w, j, i)}}))
		}, false},
	} {
		w := &tir.Buffer{Name: "W", Type: tir.F32, Shape: []int64{8, 8}}
		f := &tir.Func{Name: "main", Params: []*tir.Buffer{w, out}, Outputs: 1, Body: c.body(w, tir.NewVar("i"), tir.NewVar("j"))}
		g, err := repack(f, c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, copies := g.Body.(*tir.Alloc); copies != c.copies {
			t.Errorf("%s: copies %v\n%s", c.title, copies, g)
		}
	}
}

// TestRepackSpread: rows of a panel that lie apart are copied side by side if they are read often; sooner if their
// distance is a multiple of half a page. The copy reads whole rows.
func TestRepackSpread(t *testing.T) {
	for _, c := range []struct {
		m, k, n int64
		copies  bool
	}{
		{32, 512, 512, true}, {16, 512, 512, false}, // 16 rows read a panel too seldom
		{512, 512, 500, false}, {1024, 512, 500, true}, // no multiple of half a page
		{1024, 2048, 128, false}, {1024, 2048, 64, false}, // rows that are no KB apart
		{2048, 512, 16, false}, // one panel, in the order in which it is read
	} {
		w := &tir.Buffer{Name: "W", Type: tir.F32, Shape: []int64{c.k, c.n}}
		out := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{16}}
		i, j, k, l := tir.NewVar("i"), tir.NewVar("j"), tir.NewVar("k"), tir.NewVar("l")
		body := readingBlock(out, l, &tir.Load{Buffer: w, Index: []tir.Expr{k, tir.Bin(tir.Add, tir.Bin(tir.Mul, j, tir.Int(4)), l)}})
		for _, x := range []struct {
			v    *tir.Var
			n    int64
			kind tir.ForKind
		}{{l, 4, tir.Vectorized}, {k, c.k, tir.Serial}, {j, c.n / 4, tir.Serial}, {i, c.m, tir.Parallel}} {
			body = &tir.For{Var: x.v, Extent: tir.Int(x.n), Kind: x.kind, Body: body}
		}
		f := &tir.Func{Name: "main", Params: []*tir.Buffer{w, out}, Outputs: 1, Body: body}
		g, err := repack(f, Config{Layout: target.Rewrite})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(g.String(), "alloc W_packed") != c.copies {
			t.Errorf("%d rows, a panel of %dx%d: wanted a copy: %v\n%s", c.m, c.k, c.n, c.copies, g)
		}
		const rows = "parallel p1 in 512:\n    for p0 in 128:\n      vectorize p2 in 4:\n"
		if c.m == 32 && !strings.Contains(g.String(), rows) {
			t.Errorf("the copy does not read whole rows:\n%s", g)
		}
	}
}

// TestRepackWithin: an iteration of a parallel loop copies the part that it alone reads, if a core's cache holds it.
func TestRepackWithin(t *testing.T) {
	defer CopyAlways()()
	for _, c := range []struct {
		title  string
		kind   tir.ForKind
		steps  int64
		share  int64 // how many iterations read a part
		within bool
	}{
		{"a part of its own", tir.Parallel, 64, 1, true},
		{"no parallel loop", tir.Serial, 64, 1, false},
		{"a part that exceeds the cache", tir.Parallel, 1 << 14, 1, false},
		{"a part that two iterations read", tir.Parallel, 64, 2, false},
		{"an operand that all iterations read", tir.Parallel, 64, 8, false},
	} {
		w := &tir.Buffer{Name: "W", Type: tir.F32, Shape: []int64{8 / c.share, 4, c.steps}}
		out := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{4}}
		i, p, k, l := tir.NewVar("i"), tir.NewVar("p"), tir.NewVar("k"), tir.NewVar("l")
		var part tir.Expr = p
		if c.share > 1 {
			part = tir.Bin(tir.FloorDiv, p, tir.Int(c.share))
		}
		body := readingBlock(out, l, &tir.Load{Buffer: w, Index: []tir.Expr{part, l, k}})
		for _, x := range []struct {
			v    *tir.Var
			n    int64
			kind tir.ForKind
		}{{l, 4, tir.Vectorized}, {k, c.steps, tir.Serial}, {i, 8, tir.Serial}, {p, 8, c.kind}} {
			body = &tir.For{Var: x.v, Extent: tir.Int(x.n), Kind: x.kind, Body: body}
		}
		f := &tir.Func{Name: "main", Params: []*tir.Buffer{w, out}, Outputs: 1, Body: body}
		g, err := repack(f, Config{Layout: target.Rewrite})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(g.String(), "alloc W_packed") {
			t.Fatalf("%s: no copy\n%s", c.title, g)
		}
		if within := strings.Contains(g.String(), "\n    alloc W_packed"); within != c.within {
			t.Errorf("%s: copied within iterations: %v\n%s", c.title, within, g)
		}
	}
}
