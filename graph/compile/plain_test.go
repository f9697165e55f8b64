package compile

import (
	"fmt"
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

// TestInlined: a stage that is read several times at one place has no loop of its own, unless it gets large.
func TestInlined(t *testing.T) {
	for stages, want := range map[int]int{1: 1, 2: 1, 12: 3} {
		text := "input x: float32[64, 64]\n"
		for i := range stages {
			text += strings.ReplaceAll("y0(i: 64, j: 64) = max(x[i, j], x[i, j]*0.5f32)\n", "y0", fmt.Sprintf("y%d", i))
			if i > 0 {
				last := strings.LastIndex(text, "max(")
				text = text[:last] + strings.ReplaceAll(text[last:], "x[", fmt.Sprintf("y%d[", i-1))
			}
		}
		d, err := compute.Parse(text + fmt.Sprintf("output y%d\n", stages-1))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		s, err := plain(d)
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Lower(s, lower.Config{Target: target.Generic(32, 2), Layout: target.Rewrite, Check: lower.CheckEach})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(f.String(), "parallel"); got != want {
			t.Errorf("%d stages become %d loops, want %d:\n%s", stages, got, want, f)
		}
	}
}

// TestInRows: a function that is read several times is computed for a row at a time.
func TestInRows(t *testing.T) {
	d, err := compute.Parse(`input x: float32[64, 64]
e(i: 64, j: 64) = exp(x[i, j])
y(i: 64, j: 64) = max(e[i, j], e[i, j]*0.5f32)
output y
`)
	if err != nil {
		t.Fatal(err)
	}
	s, err := plain(d)
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Lower(s, lower.Config{Target: target.Generic(32, 2), Layout: target.Rewrite, Check: lower.CheckEach})
	if err != nil {
		t.Fatal(err)
	}
	text := f.String()
	if strings.Count(text, "parallel") != 1 || strings.Count(text, "exp") != 1 || !strings.Contains(text, "float32[1, 64] local") {
		t.Errorf("got\n%s", text)
	}
}
