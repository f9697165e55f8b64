package compile

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// TestRows holds into which rows elements are divided that need no search.
func TestRows(t *testing.T) {
	for _, c := range []struct{ x, index, want string }{
		{"1, 64, 56, 56", "i, j, k, l", "parallel j_0 in 196:\n    vectorize j_1 in 1024:"}, // all is one row
		{"8, 64, 8, 8", "i, j*1, k, l", "parallel i_j in 512:\n    vectorize k in 64:"},     // many rows
		{"1, 64, 56, 56", "i, 63 - j, k, l", "parallel i_j_k_0 in 256:\n    vectorize k_1 in 784:"},
		{"1, 7, 31, 37", "i, j, k, l", "parallel i_j_k in 217:\n    vectorize l in 37:"}, // no length divides them
		{"100000", "i", "parallel i_0 in 125:\n    vectorize i_1 in 800:"},
	} {
		names := strings.Split("i j k l", " ")
		axes := ""
		for d, n := range strings.Split(c.x, ", ") {
			axes += ", " + names[d] + ": " + n
		}
		text := "input x: float32[" + c.x + "]\ny(" + axes[2:] + ") = max(x[" + c.index + "], 0f32)\noutput y\n"
		d, err := compute.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		s, err := plain(inRows(d))
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Lower(s, lower.Config{Target: target.Generic(32, 2), Layout: target.Rewrite, Check: lower.CheckEach})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(f.String(), c.want) {
			t.Errorf("want %s, got\n%s", c.want, f)
		}
	}
}
