package compile

import (
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
)

// TestJudgeKinds: kernels whose sums cancel, and those that round inside, are not refused.
func TestJudgeKinds(t *testing.T) {
	b := needBundles(t)
	for name, text := range map[string]string{
		"transforms of tiles cancel": "input x: float32[1, 64, 40, 40]\nconst w: float32[64, 64, 3, 3]\n" +
			"y = Conv(x, w) pads=[1, 1, 1, 1]\noutput y",
		"transforms of small tiles": "input x: float32[2, 256, 14, 14]\nconst w: float32[64, 256, 3, 3]\n" +
			"y = Conv(x, w) pads=[1, 0, 1, 2]\noutput y",
		"a scale decides bytes": "input x: float32[64, 1, 512]\ninput b: float32[64, 512]\na = Add(x, b)\nt = Tanh(a)\n" +
			"y, s, z = DynamicQuantizeLinear(t)\noutput y\noutput s\noutput z",
		"what weighs nothing in a product": "input q: float32[1, 4, 96, 64]\nconst k: float32[64, 96]\n" +
			"const v: float32[96, 64]\nconst many: float32[] {40}\nsmall = MatMul(q, k)\ns = Mul(small, many)\n" +
			"p = Softmax(s)\ny = MatMul(p, v)\noutput y",
		"a loss whose terms cancel": "input x: float32[512, 4000]\ninput l: int64[512]\n" +
			"y = NegativeLogLikelihoodLoss(x, l)\noutput y",
		"an inverse": "input x: float64[3, 6, 6]\ny = com.microsoft.Inverse(x)\noutput y",
	} {
		g := graphtest.MustParse(text, 18)
		m, err := New(t.Context(), g, pass.Options{Check: true})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		p, err := b.build(t.Context(), m, dir)
		if err != nil {
			t.Fatal(err)
		}
		l, err := b.machine.load(t.Context(), loadConfig(dir, p, 2, false))
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(3) {
			if err := newJudge(m, p).run(t.Context(), l, drawInputs(g, m.bounds, seed)); err != nil {
				t.Errorf("%s, inputs %d: %v", name, seed, err)
			}
		}
		l.Close()
	}
}
