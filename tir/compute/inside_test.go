package compute

import (
	"fmt"
	"strings"
	"testing"
)

// TestInside: reads whose index and conditions depend on axes alone are looked at everywhere.
func TestInside(t *testing.T) {
	const (
		x = "input x: float32[4, 8]\n"
		n = "input n: int64[4]\n"
	)
	for _, c := range []struct{ text, want string }{
		// Mirrored at both edges.
		{x + "y(b: 4, t: 12) = x[b, select(t < 2, 2 - t, select(t > 9, 16 - t, t - 2))]", ""},
		{x + "y(b: 4, t: 12) = x[b, select(t < 2, 2 - t, select(t > 10, 17 - t, t - 2))]", "line 2: index 1 of x, "},
		{x + "y(b: 4, t: 12) = x[b, select(t < 2, 2 - t, select(t > 10, 17 - t, t - 2))]", "is 8 where t = 10, but the dimension runs from 0 to 7: guard it with if_then_else"},
		// A guard that lets too much by; one in two parts; one the other way round.
		{x + "y(b: 4, t: 12) = if_then_else(t < 9, x[b, t], 0)", "is 8 where t = 8, but"},
		{x + "y(b: 4, t: 12) = if_then_else(t >= 2 && t < 10, x[b, t - 2], 0)", ""},
		{x + "y(b: 4, t: 12) = if_then_else(t >= 2 && t <= 10, x[b, t - 2], 0)", "is 8 where t = 10, but"},
		{x + "y(b: 4, t: 12) = if_then_else(t > 7, 0, x[b, t])", ""},
		{x + "y(b: 4, t: 12) = if_then_else(t > 8, 0, x[b, t])", "is 8 where t = 8, but"},
		{x + "y(b: 4, t: 8) = sum(r: 3) if_then_else(t + r >= 1 && t + r < 9, x[b, t + r - 1], 0)", ""},
		{x + "y(b: 4, t: 8) = sum(r: 3) if_then_else(t + r >= 1, x[b, t + r - 1], 0)", "is 8 where t = 7, r = 2, but"},
		// select guards nothing.
		{x + "y(b: 4, t: 12) = select(t < 8, x[b, t], 0)", "runs from 0 to 11"},
		{x + "y(b: 4, t: 8) = select(t < 3, x[b, floormod(t*3, 16)], 0)", "is 9 where t = 3, but"},
		{"\ufeff" + x + "y(b: 4, t: 8) = x[b, t]", ""}, // after a byte order mark
		// What elements decide is not known, whatever else is.
		{x + n + "y(b: 4, t: 12) = if_then_else(t < n[b], x[b, t], 0)", ""},
		{x + n + "y(b: 4, t: 12) = if_then_else(t < n[b] && t < 9, x[b, t], 0)", ""},
		{x + n + "y(b: 4, t: 12) = x[n[b], if_then_else(t < 8, t, 8)]", "is 8 where t = 8, but"},
		{x + n + "y(b: 4) = x[n[b], 0]", ""},
		// Conditions on other axes are left out where there are too many points.
		{"input z: float32[1000, 1000]\ny(i: 1100, j: 1100) = if_then_else(i < 1000 && j < 1000, z[i, j], 0)", ""},
		{"input z: float32[1000, 1000]\ny(i: 1100, j: 1100) = if_then_else(i < 1000 && j < 1001, z[i, j], 0)", "is 1000 where j = 1000, but"},
		{"input z: float32[1000000]\ny(i: 1100000) = if_then_else(i < 1000001, z[i], 0)", ""}, // too many to look
		// An index that is divided by zero is another matter.
		{x + "y(b: 4, t: 8) = x[b, 8/t - 1]", ""},
	} {
		_, err := Parse(c.text + "\noutput y\n")
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v\n%s", err, c.text)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("got %v, want %q\n%s", err, c.want, c.text)
		}
	}
}

// An index is looked at once however often it is read, and what is looked at is bounded over the whole text.
func TestInsideWork(t *testing.T) {
	text := func(read func(k int) string) string {
		s := "input x: float32[7]\ny(i: 362, j: 362) = "
		for k := range 100 {
			s += read(k) + " + "
		}
		return s + "x[floormod(i*j, 8)]\noutput y\n"
	}
	same := text(func(int) string { return "x[floormod(i*j, 7)]" })
	if _, err := Parse(same); err == nil || !strings.Contains(err.Error(), "is 7 where") {
		t.Errorf("one index 100 times: %v", err)
	}
	others := text(func(k int) string { return fmt.Sprintf("x[floormod(i*j + %d, 7)]", k) })
	if _, err := Parse(others); err != nil {
		t.Errorf("too many indices to look at all: %v", err)
	}
}
