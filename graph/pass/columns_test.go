package pass

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
)

// TestJoinColumns: the columns of a window become steps of one sum where that makes fewer groups of them, and the
// result is the same.
func TestJoinColumns(t *testing.T) {
	defer func(n int64) { leastUses = n }(leastUses)
	leastUses = 1
	for _, c := range []struct {
		conv, image, w string
		joined         bool
	}{
		{"Conv", "1, 3, 9, 8", "4, 3, 5, 5", true},
		{"Conv", "1, 4, 9, 8", "4, 4, 5, 5", false},
		{"Conv", "1, 1, 9, 8", "4, 1, 5, 5", false},
		{"Conv", "2, 3, 9", "4, 3, 3", true},
		{"Conv", "1, 3, 9, 8", "4, 3, 5, 1", false},
		{"ConvInteger", "1, 3, 9, 8", "4, 3, 5, 5", true},
		{"ConvInteger", "1, 2, 9, 8", "4, 2, 5, 2", true},
		{"ConvInteger", "1, 4, 9, 8", "4, 4, 5, 5", false},
	} {
		types := "float32"
		if c.conv != "Conv" {
			types = "int8"
		}
		image := strings.Replace(types, "int8", "uint8", 1)
		g := graphtest.MustParse(fmt.Sprintf("input x: %s[%s]\nconst w: %s[%s]\ny = %s(x, w)\noutput y", image, c.image, types, c.w,
			c.conv), 18)
		if c.conv == "Conv" {
			var err error
			if g, _, err = Rounded(t.Context(), g, Options{Precision: "bf16", OddSums: true}); err != nil {
				t.Fatal(err)
			}
		}
		after, _ := g.Clone()
		if err := Run(t.Context(), after, Options{Check: true}); err != nil {
			t.Fatal(err)
		}
		if err := equal(t.Context(), g, after); err != nil {
			t.Errorf("%v: %v", c, err)
		}
		if got := strings.Contains(after.String(), "kernel_shape"); got != c.joined {
			t.Errorf("%v: the columns are joined: %v\n%s", c, got, after)
		}
	}
}

// TestJoinColumnsRandom: strides, margins, dilations and lines of any kind.
func TestJoinColumnsRandom(t *testing.T) {
	defer func(n int64) { leastUses = n }(leastUses)
	leastUses = 1
	r := rand.New(rand.NewPCG(61, 2))
	joined := 0
	for range 60 {
		channels, high, wide := 1+r.IntN(5), 1+r.IntN(4), 1+r.IntN(5)
		text := fmt.Sprintf("input x: uint8[1, %d, 9, 7]\nconst w: int8[3, %d, %d, %d]\nconst z: uint8[] {%d}\n"+
			"y = ConvInteger(x, w, z) strides=[%d, %d] pads=[%d, %d, %d, %d] dilations=[%d, %d]\noutput y",
			channels, channels, high, wide, r.IntN(200), 1+r.IntN(2), 1+r.IntN(3), r.IntN(3), r.IntN(3), r.IntN(3), r.IntN(3),
			1+r.IntN(2), 1+r.IntN(4)/3)
		g := graphtest.MustParse(text, 18)
		after, _ := g.Clone()
		if err := Run(t.Context(), after, Options{Check: true}); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := equal(t.Context(), g, after); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if strings.Contains(after.String(), "kernel_shape") {
			joined++
		}
	}
	if joined < 10 {
		t.Errorf("%d of 60 convolutions have joined columns", joined)
	}
}
