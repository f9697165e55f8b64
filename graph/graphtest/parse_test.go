package graphtest

import (
	"strings"
	"testing"
)

// TestParse: what was parsed prints as it was.
func TestParse(t *testing.T) {
	const text = `graph g
  input x: float32[2, 3]
  const w: float32[3] {1, -2, 0.5}
  y: float32[2, 3] = Add(x, w)
  const k: int64[1] {2}
  a: float32[2, 2], b: int64[2, 2] = TopK(y, k) axis=1 largest=0
  e: float32[2, 2] = Elu(a) alpha=2
  c: float32[2, 2] = wmtune.Thing(e, _, a) mode="linear" pads=[1, 2]
  _, _, d: float32[2] = Thing() scale=0.5
  output c
  output b
`
	g, err := Parse(text, 18)
	if err != nil {
		t.Fatal(err)
	}
	if g.String() != text {
		t.Errorf("got\n%s", g)
	}
	if v := g.Nodes[2].Float("alpha", 0); v != 2 {
		t.Errorf("alpha is %g", v)
	}
	if n := g.Nodes[4]; len(n.Inputs) != 0 || n.Outputs[0] != nil || n.Outputs[1] != nil || n.Float("scale", 0) != 0.5 {
		t.Errorf("the last node is %v of %v, with scale %g", n.Outputs, n.Inputs, n.Float("scale", 0))
	}
	for _, bad := range []string{"output y", "y = Add(x, z)", "input x: float33[1]", "nonsense", "const c: int64[1] {a}"} {
		if _, err := Parse("input x: float32[1]\n"+bad, 18); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
