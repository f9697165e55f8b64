package pass

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
)

// TestWinogradKeeps: each of these convolutions lacks one thing that the pass needs, and stays as it is.
func TestWinogradKeeps(t *testing.T) {
	const (
		image   = "input x: float32[1, 32, 32, 64]\n"
		weights = "const w: float32[3, 3, 64, 64]\n"
	)
	for name, text := range map[string]string{
		"pays":       image + weights + "y = wmtune.Conv(x, w) pads=[1, 1, 1, 1]",
		"stride":     image + weights + "y = wmtune.Conv(x, w) strides=[1, 2]",
		"dilation":   image + weights + "y = wmtune.Conv(x, w) dilations=[2, 1]",
		"size":       image + "const w: float32[3, 5, 64, 64]\ny = wmtune.Conv(x, w)",
		"groups":     image + "const w: float32[3, 3, 32, 64]\ny = wmtune.Conv(x, w) group=2",
		"one line":   "input x: float32[1, 32, 64]\nconst w: float32[3, 64, 64]\ny = wmtune.Conv(x, w)",
		"variable":   image + "input w: float32[3, 3, 64, 64]\ny = wmtune.Conv(x, w)",
		"integers":   "input x: int32[1, 32, 32, 64]\nconst w: int32[3, 3, 64, 64]\ny = wmtune.Conv(x, w)",
		"SAME":       image + weights + "y = wmtune.Conv(x, w) auto_pad=\"SAME_UPPER\"",
		"few inputs": "input x: float32[1, 32, 32, 3]\nconst w: float32[3, 3, 3, 64]\ny = wmtune.Conv(x, w)",
		"pays, with many weights": "input x: float32[1, 7, 7, 512]\nconst w: float32[3, 3, 512, 512]\n" +
			"y = wmtune.Conv(x, w) pads=[1, 1, 1, 1]",
		"few pixels": "input x: float32[1, 7, 7, 512]\nconst w: float32[3, 3, 512, 512]\ny = wmtune.Conv(x, w)",
	} {
		g := graphtest.MustParse(text+"\noutput y", 18)
		if err := infer(context.Background(), g); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := winograd(context.Background(), g); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := strings.Contains(g.String(), "Winograd"); got != strings.HasPrefix(name, "pays") {
			t.Errorf("%s: Winograd's algorithm is taken: %v\n%s", name, got, g)
		}
	}
}

// TestWinogradRandom: whatever the sizes, the three parts compute the convolution.
func TestWinogradRandom(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(4, 5))
	for k := range 30 {
		rank := 2 + k%2
		image, weights, pads, strides, out := "1", "3, 3", "", "1, 1", ""
		for d := range rank {
			image += fmt.Sprintf(", %d", 3+r.IntN(9))
			pads += fmt.Sprintf("%d, ", r.IntN(3))
			out += fmt.Sprintf(", %d", r.IntN(3))
			if d == 2 {
				weights, strides = fmt.Sprintf("%d, 3, 3", 1+r.IntN(3)), fmt.Sprintf("%d, 1, 1", 1+r.IntN(2))
			}
		}
		ci, co := 1+r.IntN(20), 1+r.IntN(5)
		text := fmt.Sprintf("input x: float32[%s, %d]\nconst w: float32[%s, %d, %d]\nconst b: float32[%d]\n"+
			"y = wmtune.Conv(x, w, b) pads=[%s] strides=[%s]\noutput y", image, ci, weights, ci, co, co, pads+out[2:], strides)
		g := graphtest.MustParse(text, 18)
		if err := infer(ctx, g); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		original, _ := g.Clone()
		e := edit(ctx, g, "winograd")
		tile := int64(2 + 2*r.IntN(2))
		if err := e.each(func(n *graph.Node) bool { return e.winograd(n, tile) }); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := graph.Check(g); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := equal(ctx, original, g); err != nil {
			t.Errorf("tile of %d: %v\n%s\n%s", tile, err, original, g)
		}
	}
}
