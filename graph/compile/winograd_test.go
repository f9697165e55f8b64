package compile

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
)

// TestWinogradBundle: a bundle computes convolutions by Winograd's algorithm as the reference computes them directly,
// with what follows them, tiles that stick out, few and odd channels, and a dimension before the two.
func TestWinogradBundle(t *testing.T) {
	b := needBundles(t)
	for _, c := range []struct{ x, w, more string }{
		{"1, 64, 33, 32", "67, 64, 3, 3", "pads=[1, 1, 1, 1]"},
		{"2, 256, 14, 14", "64, 256, 3, 3", "pads=[1, 0, 1, 2]"},
		{"1, 48, 6, 26, 26", "40, 48, 3, 3, 3", "pads=[1, 1, 1, 1, 1, 1] strides=[2, 1, 1]"},
	} {
		channels := strings.Split(c.w, ", ")[0]
		text := fmt.Sprintf("input x: float32[%s]\nconst w: float32[%s]\nconst b: float32[%s]\n"+
			"a = Conv(x, w, b) %s\ny = Relu(a)\noutput y", c.x, c.w, channels, c.more)
		g := graphtest.MustParse(text, 18)
		m, err := New(t.Context(), g, pass.Options{Check: true})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(m.Graph.String(), "WinogradProduct") {
			t.Errorf("%s: the convolution is direct:\n%s", text, m.Graph)
		}
		in := []*graph.Tensor{ramp(g.Inputs[0].Shape...)}
		want, err := op.Evaluator().Run(t.Context(), g, in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.run(t.Context(), g, in)
		if err != nil {
			t.Fatal(err)
		}
		largest, worst := 0.0, 0.0
		for i := range want[0].Len() {
			largest = max(largest, math.Abs(want[0].At(i)))
			worst = max(worst, math.Abs(got[0].At(i)-want[0].At(i)))
		}
		if !(worst <= 2e-5*largest) {
			t.Errorf("%s: differs by %g of %g", text, worst, largest)
		}
	}
}
