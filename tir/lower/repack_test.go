package lower

import (
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
