package lower_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestWordsOfPart: a padded image that each part makes holds words if nothing but an instruction for words reads it.
func TestWordsOfPart(t *testing.T) {
	d, err := compute.Parse(`input x: uint8[6, 8]
input w: int8[3, 8, 16]
p(h: 8, k: 8) = if_then_else(h >= 1 && h < 7, x[h - 1, k], 3)
y(h: 6, j: 16) = sum(a: 3, k: 8) int32(p[h + a, k])*int32(w[a, k, j]) layout_free w
output y
`)
	if err != nil {
		t.Fatal(err)
	}
	const tiles = `["SP", 3, 1, 16, [8], 1], ["SP", 3, 4, 8, [%d], 1], ["RE", 3, [0, 1, 3, 4, 2, 5]], ` +
		`["CA", 1, 3, 0], ["AN", 3, 4, 2], ["AN", 3, 5, 11]]`
	for _, c := range []struct {
		name, steps string
		feature     string
		words       bool
	}{
		{"words", strings.Replace("["+tiles, "%d", "2", 1), "avx2", true},
		{"an instruction of bytes", strings.Replace("["+tiles, "%d", "4", 1), "avxvnni", false},
		{"no instruction", strings.Replace("["+tiles, "%d", "2", 1), "avx", false},
	} {
		steps, err := schedule.ParseSteps([]byte(c.steps))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Replay(d, steps)
		if err != nil {
			t.Fatal(err)
		}
		tg := target.Generic(32, 1)
		tg.Features = []string{c.feature}
		f, err := lower.Lower(s, lower.Config{Target: tg, Layout: target.Rewrite, Check: lower.CheckEach})
		if err != nil {
			t.Fatal(err)
		}
		text := f.String()
		if strings.Contains(text, "alloc p: int16") != c.words || strings.Contains(text, ".words") != c.words {
			t.Errorf("%s:\n%s", c.name, text)
		}
	}
}
