package table

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// wordTargets have no instruction that multiplies bytes, or one, and vectors of several lengths.
func wordTargets() map[string]target.Target {
	with := func(bytes int, features ...string) target.Target {
		t := target.Generic(bytes, 2)
		t.Features = features
		return t
	}
	return map[string]target.Target{"vnni": with(64, "avx512vnni"), "avx512": with(64), "avxvnni": with(32, "avxvnni"),
		"avx2": with(32), "sse": with(16)}
}

// blockMatMul returns the product by words that a MatMulNBits of rows becomes.
func blockMatMul(t *testing.T, rows, k, n, bits, block, level int64, zero *graph.Tensor) *graph.Node {
	t.Helper()
	in, attrs := bitsCase(k, n, bits, block, zero)
	in[0] = graph.NewTensor(tir.F32, rows, k)
	node, err := newNode("com.microsoft.MatMulNBits", 1, 1, in, func(i int) bool { return i > 0 },
		append(attrs, graph.IntAttr("accuracy_level", level))...)
	if err != nil {
		t.Fatal(err)
	}
	nodes, _, err := op.Decompose(node)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		if n.Op == "BlockMatMul" {
			return n
		}
	}
	t.Fatal("no product by words")
	return nil
}

// rowsFor returns random operands of a product by words, which are exact in float32; some may be infinite, or NaN.
func rowsFor(rng *rand.Rand, n *graph.Node, odd bool) []*graph.Tensor {
	x := n.Inputs[0]
	if x.Type == tir.I8 {
		q := integersIn(rng, tir.I8, -127, 128, x.Shape...)
		by, sums := random(rng, tir.F32, 0, 1, n.Inputs[4].Shape...), graph.NewTensor(tir.I32, n.Inputs[5].Shape...)
		for i := range by.F {
			by.F[i] = math.Ceil(8*by.F[i]) / 8
			if odd && i == 0 {
				by.F[i] = math.NaN()
			}
		}
		for i, v := range q.I {
			sums.I[i*len(sums.I)/len(q.I)] += v
		}
		return []*graph.Tensor{q, by, sums}
	}
	r := graph.NewTensor(x.Type, x.Shape...)
	for i := range r.F {
		r.F[i] = float64(rng.IntN(33)-16) / 8
		if odd && rng.IntN(40) == 0 {
			r.F[i] = []float64{math.Inf(1), math.Inf(-1), math.NaN()}[rng.IntN(3)]
		}
	}
	return []*graph.Tensor{r}
}

// TestBlockMatMul: for each target, rows of all forms, columns that fill no tile, blocks of all sizes, and zero points
// of no, one and many numbers: what the function computes is what the definition says, infinities included.
func TestBlockMatMul(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	type size struct{ rows, k, n, bits, block int64 }
	list := []size{{1, 64, 64, 4, 32}, {2, 32, 3, 4, 16}, {3, 96, 70, 4, 32}, {13, 32, 130, 4, 16}, {4, 256, 5, 4, 256},
		{1, 48, 17, 2, 16}, {5, 64, 33, 8, 64}, {2, 128, 65, 8, 128}}
	for range 8 {
		block := int64(16) << rng.IntN(4)
		list = append(list, size{1 + rng.Int64N(9), block * (1 + rng.Int64N(3)), 1 + rng.Int64N(90), 2 << rng.IntN(3), block})
	}
	for i, s := range list {
		zeros := []*graph.Tensor{nil, random(rng, tir.U8, 0, 255, s.n*((s.k/s.block*s.bits+7)/8)),
			random(rng, tir.F32, 0, 9, s.n, s.k/s.block)}
		for level := int64(0); level <= 4; level += 4 {
			n := blockMatMul(t, s.rows, s.k, s.n, s.bits, s.block, level, zeros[i%3])
			in := rowsFor(rng, n, i%2 == 1)
			all := append([]*graph.Tensor{in[0], n.Inputs[1].Const.Tensor(), n.Inputs[2].Const.Tensor(),
				n.Inputs[3].Const.Tensor()}, in[1:]...)
			want, err := reference(n, all)
			if err != nil {
				t.Fatal(err)
			}
			for name, tg := range wordTargets() {
				f, err := mustFind(t, n).Opaque.For(n, tg)
				if err == nil {
					f, err = lower.ForCPU(f, tg)
				}
				if err == nil {
					err = tir.Check(f)
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Contains(f.String(), " by vpdpbusd"); got != (level > 0 && strings.Contains(name, "vnni")) {
					t.Errorf("%s, %+v, level %d: bytes are multiplied: %v\n%s", name, s, level, got, f)
				}
				if err := same(runFunction(t, f, all), want[0], 4e-6); err != nil {
					t.Fatalf("%s, %+v, level %d: %v", name, s, level, err)
				}
			}
		}
	}
}

func mustFind(t *testing.T, n *graph.Node) *op.Row {
	t.Helper()
	r, err := op.Find(n)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// runFunction runs a function of one output, with the functions that pack its operands.
func runFunction(t *testing.T, f *tir.Func, in []*graph.Tensor) *graph.Tensor {
	t.Helper()
	var args []*interp.Tensor
	for _, x := range in {
		args = append(args, toInterp(x))
	}
	run := func(f *tir.Func, args []*interp.Tensor) {
		if err := interp.Run(f, args, interp.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range f.Packs {
		for i, b := range f.Params {
			if b.Name == p.Params[1].Name {
				out := interp.NewTensors(p.Params[1:])[0]
				run(p, []*interp.Tensor{args[i], out})
				args[i] = out
			}
		}
	}
	out := interp.NewTensors(f.Results())[0]
	run(f, append(args, out))
	y := f.Results()[0]
	return (&graph.Const{Type: y.Type, Shape: y.Shape, Data: out.Data}).Tensor()
}

// TestBlockMatMulText: the forms of the function; -update writes them.
func TestBlockMatMulText(t *testing.T) {
	text := ""
	for _, c := range []struct{ rows, level int64 }{{1, 0}, {8, 0}, {4, 4}} {
		n := blockMatMul(t, c.rows, 64, 65, 4, 32, c.level, nil)
		f, err := mustFind(t, n).Opaque.For(n, wordTargets()["vnni"])
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("# %d rows, accuracy level %d\n%s\n", c.rows, c.level, f)
	}
	file := filepath.Join("testdata", "blocks.txt")
	if u := flag.Lookup("update"); u != nil && u.Value.String() == "true" {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != text {
		t.Errorf("%v; the functions are not those of %s, which -update writes:\n%s", err, file, text)
	}
}

// TestRoundedToBytes: a MatMulNBits of accuracy level 4 rounds each block of a row by its largest number, and a block
// with an infinity is NaN.
func TestRoundedToBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	for _, k := range []int64{1, 31, 32, 40, 64, 100} {
		in, attrs := bitsCase(k, 3, 4, 32, nil)
		in[0] = random(rng, tir.F32, -1, 1, 2, k)
		in[0].F[0] = 0
		attrs = append(attrs, graph.IntAttr("accuracy_level", 4))
		checkNode(t, "com.microsoft.MatMulNBits", 1, 1, in, []int{1, 2, 3}, attrs...)
		in[0].F[k/2] = math.Inf(1)
		checkNode(t, "com.microsoft.MatMulNBits", 1, 1, in, []int{1, 2, 3}, attrs...)
		n, err := newNode("com.microsoft.MatMulNBits", 1, 1, in, func(i int) bool { return i > 0 }, attrs...)
		if err != nil {
			t.Fatal(err)
		}
		y, err := reference(n, in)
		if err != nil || y[0].F[0] == y[0].F[0] || y[0].F[3] != y[0].F[3] {
			t.Errorf("%v: the rows are %v, and the infinity is in the first one", err, y[0].F)
		}
	}
}
