package table_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// TestSequencesFold: sequences of known length become tensors, and graphs with them compute what graphs without them
// do.
func TestSequencesFold(t *testing.T) {
	head := "input x: float32[5, 6]\nconst zero: int64[] {0}\nconst one: int64[] {1}\nconst last: int64[] {-1}\n" +
		"const sizes: int64[3] {1, 2, 3}\nconst two: int64[] {2}\nconst axis: int64[1] {1}\n"
	for _, c := range [][2]string{
		{"q = SplitToSequence(x, sizes) axis=1\ny = SequenceAt(q, one)\noutput y",
			"a, y, c = Split(x, sizes) axis=1\noutput y"},
		{"q = SplitToSequence(x, two) axis=0\ne = SequenceErase(q, zero)\ni = SequenceInsert(e, x, last)\n" +
			"y = ConcatFromSequence(i) axis=0\noutput y",
			"const s: int64[3] {2, 2, 1}\na, b, c = Split(x, s) axis=0\ny = Concat(b, x, c) axis=0\noutput y"},
		{"q = SplitToSequence(x) axis=-1 keepdims=0\na = SequenceAt(q, last)\nb = Exp(a)\nw = SequenceConstruct(a, b)\n" +
			"i = SequenceInsert(w, b)\ny = ConcatFromSequence(i) axis=1 new_axis=1\noutput y",
			"const s: int64[2] {5, 1}\nh, k = Split(x, s) axis=1\na = Squeeze(k, axis)\nb = Exp(a)\nc = Unsqueeze(a, axis)\n" +
				"d = Unsqueeze(b, axis)\ny = Concat(c, d, d) axis=1\noutput y"},
		{"q = SequenceEmpty()\nr = SequenceInsert(q, x)\no = Optional(r)\ns = OptionalGetElement(o)\nu = Identity(s)\n" +
			"v = SequenceInsert(u, x)\nn = SequenceLength(v)\nf = Cast(n) to=1\nz = SequenceErase(v)\nw = SequenceAt(z, zero)\n" +
			"y = Mul(w, f)\noutput y",
			"const k: float32[] {2}\ny = Mul(x, k)\noutput y"},
	} {
		var results []*graph.Tensor
		for _, text := range c {
			g := graphtest.MustParse(head+text, 18)
			if err := op.Missing(g); err != nil {
				t.Fatal(err)
			}
			if err := op.Infer(t.Context(), g); err != nil {
				t.Fatalf("%s\n%v", text, err)
			}
			if err := graph.Check(g); err != nil || strings.Contains(g.String(), "Sequence") {
				t.Fatalf("%v\n%s", err, g)
			}
			x, rng := graph.NewTensor(tir.F32, 5, 6), rand.New(rand.NewPCG(1, 2))
			for i := range x.F {
				x.F[i] = float64(rng.IntN(9)) / 4
			}
			out, err := op.Evaluator().Run(t.Context(), g, []*graph.Tensor{x})
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, out[0])
		}
		if !slices.Equal(results[0].F, results[1].F) || !slices.Equal(results[0].Shape, results[1].Shape) {
			t.Errorf("%s\ngives %v, want %v", c[0], results[0], results[1])
		}
	}
	for text, want := range map[string]string{
		"input i: int64[]\nq = SplitToSequence(x, two)\ny = SequenceAt(q, i)\noutput y":  "position i: int64[] is not constant",
		"input s: int64[]\nq = SplitToSequence(x, s)\ny = SequenceAt(q, zero)\noutput y": "split s: int64[] is not constant",
		"q = SplitToSequence(x, two)\noutput q":                                          "output q is a sequence",
		"q = SplitToSequence(x, two)\ny = Neg(q)\noutput y":                              "it reads the sequence q",
		"q = SplitToSequence(x, two)\ny = SequenceAt(q, three)\noutput y":                "position 3 in a sequence of 3 tensors",
		"q = SequenceEmpty()\ny = ConcatFromSequence(q) axis=0\noutput y":                "the sequence is empty",
	} {
		g := graphtest.MustParse(head+"const three: int64[] {3}\n"+text, 18)
		err := op.Infer(t.Context(), g)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nerror %v, want %q", text, err, want)
		} else if strings.Contains(want, "sequence q") && (!errors.Is(err, graph.ErrUnsupported) ||
			!strings.Contains(err.Error(), "torch.stack")) {
			t.Errorf("%v does not say what to do", err)
		}
	}
}
