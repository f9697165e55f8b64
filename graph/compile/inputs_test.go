package compile

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
)

// TestBounds: indices stay below the extents that they index, even if the file does not say the shape of what is
// indexed.
func TestBounds(t *testing.T) {
	for text, want := range map[string][]int64{
		"a = Relu(x)\ny = GatherElements(a, i) axis=-1":  {0, 5},
		"a = Relu(x)\ny = Gather(a, i) axis=-1":          {0, 5},
		"a = Relu(x)\ny = Gather(a, i)":                  {0, 3},
		"a: float32[3, 5] = Relu(x)\ny = Gather(a, i)":   {0, 3},
		"a = ReduceMax(x)\ny = Gather(a, i)":             {0, 1},
		"k = Neg(i)\ny = Gather(x, k)":                   {0, 2},
		"k = Identity(i)\na = Relu(x)\ny = Gather(a, k)": {0, 3},
	} {
		g := graphtest.MustParse("input x: float32[3, 5]\ninput i: int64[3, 2]\n"+text+"\noutput y", 18)
		m, err := New(t.Context(), g, pass.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !slices.Equal(m.bounds, want) {
			t.Errorf("%s: %v, want %v", text, m.bounds, want)
		}
		inputBounds(g) // whose shapes are not known
	}
}
