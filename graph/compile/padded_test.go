package compile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/padded"
)

// openModels are graphs with open dimensions, whose bounds and extents to try follow.
var openModels = []struct {
	name, text string
	dims       []padded.Dim
	points     [][]int64
}{
	{"a layer of an encoder", `
		input ids: int64[b, s]
		const table: float32[2, 32]
		const w: float32[32, 96]
		const wo: float32[32, 32]
		const g: float32[32]
		const heads: int64[4] {0, 0, 4, 8}
		const back: int64[3] {0, 0, 32}
		const low: float32[] {-100}
		const one: int64[1] {1}
		const half: float32[] {0.05}
		e = Gather(table, ids)
		x = LayerNormalization(e, g, g) epsilon=0.01
		qkv = MatMul(x, w)
		q, k, v = Split(qkv) axis=2
		qh = Reshape(q, heads)
		kh = Reshape(k, heads)
		vh = Reshape(v, heads)
		qt = Transpose(qh) perm=[0, 2, 1, 3]
		kt = Transpose(kh) perm=[0, 2, 3, 1]
		vt = Transpose(vh) perm=[0, 2, 1, 3]
		sc = MatMul(qt, kt)
		ss = Mul(sc, half)
		pr = Softmax(ss) axis=-1
		o = MatMul(pr, vt)
		ot = Transpose(o) perm=[0, 2, 1, 3]
		of = Reshape(ot, back)
		p = MatMul(of, wo)
		y = Add(p, x)
		m = ReduceMean(y) axes=[1] keepdims=0
		output y
		output m`, []padded.Dim{{Name: "b", From: 1, To: 2}, {Name: "s", From: 0, To: 24}},
		[][]int64{{2, 24}, {1, 1}, {2, 17}, {1, 8}, {2, 0}}},
	{"a convolutional net", `
		input x: float32[b, 3, h, w]
		const k: float32[8, 3, 3, 3]
		const c: float32[8]
		const k2: float32[8, 8, 3, 3]
		const k3: float32[4, 8, 1, 1]
		const up: float32[4] {1, 1, 2, 2}
		const tenth: float32[] {0.1}
		a = Conv(x, k, c) pads=[1, 1, 1, 1] strides=[2, 2]
		r = Relu(a)
		d = Conv(r, k2, c) pads=[1, 1, 1, 1]
		e = Add(d, r)
		f = Relu(e)
		g = MaxPool(f) kernel_shape=[3, 3] strides=[2, 2] pads=[1, 1, 1, 1]
		h1 = Mul(g, tenth)
		h2 = Conv(h1, k2, c) pads=[1, 1, 1, 1]
		i = Sigmoid(h2)
		j = Resize(i, _, up) mode="linear"
		l = Conv(j, k3)
		m = GlobalAveragePool(i)
		output l
		output m`, []padded.Dim{{Name: "b", From: 1, To: 2}, {Name: "h", From: 5, To: 24}, {Name: "w", From: 7, To: 21}},
		[][]int64{{2, 24, 21}, {1, 5, 7}, {2, 13, 18}, {1, 24, 8}}},
	{"keys of the past", `
		input past: float32[b, p, 8]
		input x: float32[b, s, 8]
		all = Concat(past, x) axis=1
		t = Transpose(all) perm=[0, 2, 1]
		sc = MatMul(x, t)
		pr = Softmax(sc) axis=-1
		y = MatMul(pr, all)
		output y
		output all`, []padded.Dim{{Name: "b", From: 1, To: 2}, {Name: "p", From: 0, To: 12}, {Name: "s", From: 1, To: 5}},
		[][]int64{{2, 12, 5}, {1, 0, 1}, {2, 7, 3}}},
}

// TestPadded: programs for all extents within bounds compute what the graph of the exact extents does, by the interpreter
// and as bundles, and their kernels are right. Of the inputs, what lies behind the true elements is no number.
func TestPadded(t *testing.T) {
	b := needBundles(t)
	for _, c := range openModels {
		t.Run(c.name, func(t *testing.T) {
			g := graphtest.MustParse(c.text, 17)
			r, err := padded.Rewrite(t.Context(), g, c.dims, Bind)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range c.points {
				extents := map[string]int64{}
				for k, d := range c.dims {
					extents[d.Name] = p[k]
				}
				exact, _ := g.Clone()
				if err := Bind(exact, extents); err != nil {
					t.Fatal(err)
				}
				in, wide := denseInputs(exact, r.Graph, uint64(i))
				want, err := op.Evaluator().Run(t.Context(), exact, in)
				if err != nil {
					t.Fatal(err)
				}
				wide = append(wide, graph.Ints(p...))
				plain, err := interpretedOutputs(t, r.Graph, wide)
				if err != nil {
					t.Fatal(err)
				}
				bundle, err := b.run(t.Context(), r.Graph, wide)
				if err != nil {
					t.Fatalf("%v: %v", p, err)
				}
				for k, y := range want {
					for what, got := range map[string]*graph.Tensor{"interpreter": plain[k], "bundle": bundle[k]} {
						d, err := compare(g.Outputs[k].Name, got, y)
						if err == nil {
							err = d.beyond(y, Difference{})
						}
						if err != nil {
							t.Errorf("%v, %s: %v", p, what, err)
						}
					}
				}
			}
		})
	}
}

// denseInputs draws inputs of the true shapes, and what a program of the bounds is given: the same elements, and what
// is no number or no index behind them.
func denseInputs(exact, bounds *graph.Graph, seed uint64) (in, wide []*graph.Tensor) {
	rng := rand.New(rand.NewPCG(seed, 7))
	for i, v := range exact.Inputs {
		x := randomTensor(v.Type, v.Shape, 2, rng)
		y := graph.NewTensor(v.Type, bounds.Inputs[i].Shape...)
		for k := range y.Len() {
			switch {
			case y.F != nil && k < x.Len():
				y.F[k] = x.F[k]
			case y.F != nil:
				y.F[k] = math.NaN()
			case k < x.Len():
				y.I[k] = x.I[k]
			default:
				y.I[k] = -7
			}
		}
		in, wide = append(in, x), append(wide, y)
	}
	return in, wide
}

// TestDrawExtents: a model whose extents are an input is verified with the least, the greatest, and others.
func TestDrawExtents(t *testing.T) {
	c := openModels[0]
	r, err := padded.Rewrite(t.Context(), graphtest.MustParse(c.text, 17), c.dims, Bind)
	if err != nil {
		t.Fatal(err)
	}
	runs := drawRuns(r.Graph, inputBounds(r.Graph), 5)
	if len(runs) != 3 || !slices.Equal(runs[0][1].I, []int64{1, 0}) || !slices.Equal(runs[2][1].I, []int64{2, 24}) {
		t.Errorf("%d runs, the first with the extents %v, the last with %v", len(runs), runs[0][1].I, runs[2][1].I)
	}
	seen := map[int64]bool{}
	for seed := range uint64(40) {
		p := drawInputs(r.Graph, inputBounds(r.Graph), seed)[1].I
		seen[p[1]] = true
		if p[0] < 1 || p[0] > 2 || p[1] < 0 || p[1] > 24 {
			t.Errorf("extents %v", p)
		}
	}
	if len(seen) < 10 {
		t.Errorf("of 40 drawings, there are the extents %v only", seen)
	}
}
