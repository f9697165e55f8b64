package pass

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
)

// TestChannelsStayLast: norms and a transposed convolution between convolutions leave the channels last. Only the input
// and the output are transposed.
func TestChannelsStayLast(t *testing.T) {
	ctx := context.Background()
	const around = `
		input x: float32[1, 3, 12, 12]
		const w: float32[8, 3, 3, 3]
		const u: float32[5, 8, 3, 3]
		const k: float32[8] {1, 2, 3, 4, 5, 6, 7, 8}
		const v: float32[8, 8, 2, 2]
		a = Conv(x, w) pads=[1, 1, 1, 1] strides=[2, 2]
		b = %s
		c = Relu(b)
		y = Conv(c, u) strides=[2, 2]
		output y`
	for op, transposes := range map[string]int{
		"InstanceNormalization(a, k, k)":                              2,
		"GroupNormalization(a, k, k) num_groups=2":                    2,
		"ConvTranspose(a, v, k) strides=[2, 2]":                       2,
		"ConvTranspose(a, v, k) strides=[2, 2] pads=[1, 1, 0, 0]":     2,
		"ConvTranspose(a, v, k) strides=[3, 2] output_padding=[0, 0]": 2,
	} {
		g := graphtest.MustParse(fmt.Sprintf(around, op), 21)
		original, _ := g.Clone()
		if err := Run(ctx, g, Options{Check: true}); err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		if err := equal(ctx, original, g); err != nil {
			t.Errorf("%s: %v", op, err)
		}
		if n := strings.Count(g.String(), "= Transpose("); n != transposes {
			t.Errorf("%s: %d transposes, want %d\n%s", op, n, transposes, g)
		}
	}
}
