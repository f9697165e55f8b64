package lower

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/target"
)

// A reader makes a program that reads W, of 8 by 8 elements: for i in 8, for j in 8.
type reader func(w *tir.Buffer, i, j *tir.Var) tir.Stmt

func readingBlock(out *tir.Buffer, i tir.Expr, value tir.Expr) tir.Stmt {
	return &tir.Block{Name: "C", Body: &tir.Store{Buffer: out, Index: []tir.Expr{i}, Value: value}}
}

// TestPackableRefuses has one program per reason to leave an operand as it is.
func TestPackableRefuses(t *testing.T) {
	out := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{8}}
	where := &tir.Buffer{Name: "I", Type: tir.I64, Shape: []int64{8}}
	load := func(b *tir.Buffer, index ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: index} }
	for _, c := range []struct {
		title, why string
		body       reader
	}{
		{"packed", "", func(w *tir.Buffer, i, j *tir.Var) tir.Stmt { return readingBlock(out, i, load(w, j, i)) }},
		{"twice at one index", "", func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return readingBlock(out, i, tir.Bin(tir.Mul, load(w, j, i), load(w, j, i)))
		}},
		{"not read", "nothing reads it", func(_ *tir.Buffer, i, _ *tir.Var) tir.Stmt { return readingBlock(out, i, tir.Float(tir.F32, 0)) }},
		{"two blocks", "it is read in several blocks, or at several indices", func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return tir.Sequence(readingBlock(out, i, load(w, j, i)), readingBlock(out, i, load(w, j, i)))
		}},
		{"two indices", "it is read in several blocks, or at several indices", func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return readingBlock(out, i, tir.Bin(tir.Mul, load(w, j, i), load(w, i, j)))
		}},
		{"gather", "index I[j] is no sum of multiples of loop variables", func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return readingBlock(out, i, load(w, load(where, j), i))
		}},
		{"product", "index ((i*j) + 1) is no sum of multiples of loop variables", func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return readingBlock(out, i, load(w, j, tir.Bin(tir.Add, tir.Bin(tir.Mul, i, j), tir.Int(1))))
		}},
		{"inner loop of another length", "the extent of loop k varies", func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			k := tir.NewVar("k")
			return &tir.For{Var: k, Extent: j, Body: readingBlock(out, i, load(w, k, i))}
		}},
		{"overlapping regions", "packed it would be more than 2 times as large", func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			k := tir.NewVar("k")
			return &tir.For{Var: k, Extent: tir.Int(3), Body: readingBlock(out, i, load(w, tir.Bin(tir.Add, j, k), i))}
		}},
		{"in order", "it is read in the order in which it lies", func(w *tir.Buffer, i, j *tir.Var) tir.Stmt {
			return readingBlock(out, i, load(w, i, j))
		}},
	} {
		w := &tir.Buffer{Name: "W", Type: tir.F32, Shape: []int64{8, 8}}
		i, j := tir.NewVar("i"), tir.NewVar("j")
		s := &tir.For{Var: i, Extent: tir.Int(8), Body: &tir.For{Var: j, Extent: tir.Int(8), Body: c.body(w, i, j)}}
		if _, why := packable(s, w); why != c.why {
			t.Errorf("%s: got %q, want %q", c.title, why, c.why)
		}
	}
}

// TestRelayoutLeaves lowers programs in which nothing may be packed.
func TestRelayoutLeaves(t *testing.T) {
	for _, c := range []struct {
		title, steps string
		cfg          Config
		packs        int
	}{
		{"asked for", tiled, Config{Layout: target.Rewrite}, 2},
		{"not asked for", tiled, Config{}, 0},
		{"on a GPU", tiled, Config{Layout: target.Rewrite, Target: target.Target{Kind: target.CUDA}}, 0},
		{"in GPU threads", gpuTiled, Config{Layout: target.Rewrite}, 0},
	} {
		f, err := Lower(stateOf(t, "matmul 61 59 31", c.steps), c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Packs) != c.packs {
			t.Errorf("%s: %d operands are packed, want %d:\n%s", c.title, len(f.Packs), c.packs, f)
		}
	}
}

// TestRelayoutComputesTheSame reads an operand at indices that schedules rarely make.
func TestRelayoutComputesTheSame(t *testing.T) {
	i := tir.NewVar("i")
	for _, index := range []tir.Expr{
		tir.Bin(tir.Sub, tir.Int(7), i),
		tir.Bin(tir.Max, i, tir.Int(3)),
		tir.Bin(tir.Add, tir.Bin(tir.FloorDiv, tir.Bin(tir.Sub, i, tir.Int(3)), tir.Int(2)), tir.Int(4)),
		tir.Bin(tir.Sub, tir.Int(9), tir.Bin(tir.Max, i, tir.Int(3))),
	} {
		w, c := &tir.Buffer{Name: "W", Type: tir.F32, Shape: []int64{8}}, &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{8}}
		f := &tir.Func{Name: "main", Params: []*tir.Buffer{w, c}, Outputs: 1,
			Body: &tir.For{Var: i, Extent: tir.Int(8), Body: readingBlock(c, i, &tir.Load{Buffer: w, Index: []tir.Expr{index}})}}
		g, err := relayout(f, Config{Layout: target.Rewrite, constants: []*tir.Buffer{w}})
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Packs) != 1 {
			t.Fatalf("%s: nothing is packed", index)
		}
		if err := tir.Check(g); err != nil {
			t.Error(err)
		}
		plain, out := interp.NewTensor(w), interp.NewTensor(c)
		for n := range 8 {
			plain.SetFloat(n, float64(n))
		}
		want := out.Clone()
		if err := interp.Run(f, []*interp.Tensor{plain, want}, interp.Options{}); err != nil {
			t.Fatal(err)
		}
		args, err := interp.Pack(g, []*interp.Tensor{plain, out}, interp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := interp.Run(g, args, interp.Options{}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out.Data, want.Data) {
			t.Errorf("%s: another result with\n%s", index, g)
		}
	}
}
