package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
)

// opened opens dimensions of inputs: each extent of names gets that name.
func opened(g *graph.Graph, names map[int64]string) *graph.Graph {
	for _, v := range g.Inputs {
		v.DimNames = make([]string, len(v.Shape))
		for i, d := range v.Shape {
			if name := names[d]; name != "" {
				v.Shape[i], v.DimNames[i] = graph.Open, name
			}
		}
	}
	return g
}

// TestOpenDims: the error about open dimensions has a line for each name, however many inputs have it, and one line
// that closes all.
func TestOpenDims(t *testing.T) {
	text := "input ids: int64[701, 702]\n"
	for i := range 14 {
		text += fmt.Sprintf("input past%d: float32[701, 12, 703, 64]\n", i)
	}
	decoder := func() *graph.Graph {
		return opened(graphtest.MustParse(text, 18), map[int64]string{701: "batch", 702: "seq", 703: "past"})
	}
	for _, c := range []struct{ dims, want string }{
		{"", `dimensions of inputs are open: give each an extent, for instance with --dim batch=1,seq=1,past=1
  batch: dimension 0 of ids, dimension 0 of past0, dimension 0 of past1 and 12 more
  seq: dimension 1 of ids
  past: dimension 2 of past0, dimension 2 of past1, dimension 2 of past2 and 11 more`},
		{"batch=1,seq=0,pasd=2", `dimensions of inputs are open: give each an extent, for instance with --dim past=1
  past: dimension 2 of past0, dimension 2 of past1, dimension 2 of past2 and 11 more
  --dim pasd: no input has an open dimension of that name; did you mean "past"?`},
		{"batch=1,seq=1,past=0,width=3", "--dim width: no input has an open dimension of that name"},
		{"batch=1,seq=1,past=0", ""},
		{"batch=-1", `--dim "batch=-1": want NAME=N, NAME=N,N,N, NAME=N..N or NAME=NAME+N, once for each name, with N ` +
			"from 0 on, such as batch=1,seq=16,128"},
		{"batch=1,batch=2", `--dim "batch=2": want NAME=N, NAME=N,N,N, NAME=N..N or NAME=NAME+N, once for each name, ` +
			"with N from 0 on, such as batch=1,seq=16,128"},
		{"batch=1,2", "--dim batch: want one extent here, not a list or a range"},
		{"batch=1..2", "--dim batch: want one extent here, not a list or a range"},
	} {
		dims, err := ParseDims(c.dims)
		if err == nil {
			err = Bind(decoder(), dims)
		}
		if got := fmt.Sprint(err); got != c.want && (err != nil || c.want != "") {
			t.Errorf("%q: got\n%s\nwant\n%s", c.dims, got, c.want)
		}
	}
	if err := Bind(decoder(), map[string]int64{"batch": -1}); err == nil || !strings.Contains(err.Error(), "not negative") {
		t.Error(err)
	}
}

// TestEmptyDims: models whose cache is empty, and others with an extent of 0, compute what the reference does.
func TestEmptyDims(t *testing.T) {
	b := needBundles(t)
	for name, text := range map[string]string{
		"a cache": `
			input q: float32[1, 2, 3, 4]
			input k: float32[1, 2, 3, 4]
			input past: float32[1, 2, 700, 4]
			const half: float32[] {0.5}
			present = Concat(past, k) axis=2
			t = Transpose(present) perm=[0, 1, 3, 2]
			s = MatMul(q, t)
			m = Mul(s, half)
			p = Softmax(m) axis=-1
			y = MatMul(p, present)
			output y
			output present`,
		"an operator's cache": `
			input q: float32[1, 2, 3, 4]
			input k: float32[1, 2, 3, 4]
			input v: float32[1, 2, 3, 4]
			input pk: float32[1, 2, 700, 4]
			input pv: float32[1, 2, 700, 4]
			const none: bool[3, 3]
			y, nk, nv = Attention(q, k, v, none, pk, pv)
			output y
			output nk
			output nv`,
		"positions": `
			input ids: int64[1, 2]
			input past: float32[1, 700, 4]
			const table: float32[9, 4]
			const at: int64[] {1}
			const one: int64[] {1}
			s = Shape(past)
			n = Gather(s, at)
			e = Add(n, one)
			r = Range(n, e, one)
			p = Gather(table, r)
			w = Gather(table, ids)
			y = Add(w, p)
			output y`,
		"a batch of none": `
			input x: float32[700, 3]
			const w: float32[3, 5]
			const b: float32[5]
			y = Gemm(x, w, b)
			z = Relu(y)
			output z`,
		"a sum of nothing": `
			input x: float32[2, 700]
			input y: float32[700, 3]
			z = MatMul(x, y)
			r = ReduceSum(x) keepdims=0
			output z
			output r`,
	} {
		t.Run(name, func(t *testing.T) {
			g := opened(graphtest.MustParse(text, 23), map[int64]string{700: "past"})
			if err := Bind(g, map[string]int64{"past": 0}); err != nil {
				t.Fatal(err)
			}
			var inputs []*graph.Tensor
			for _, v := range g.Inputs {
				x := ramp(v.Shape...)
				if !v.Type.IsFloat() {
					x = &graph.Tensor{Type: v.Type, Shape: v.Shape, I: []int64{3, 1}}
				}
				inputs = append(inputs, x)
			}
			want, err := op.Evaluator().Run(t.Context(), g, inputs)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := interpretedOutputs(t, g, inputs)
			if err != nil {
				t.Fatal(err)
			}
			bundle, err := b.run(t.Context(), g, inputs)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range g.Outputs {
				for _, got := range []*graph.Tensor{plain[i], bundle[i]} {
					d, err := compare(v.Name, got, want[i])
					if err == nil {
						err = d.beyond(want[i], Difference{})
					}
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
}
