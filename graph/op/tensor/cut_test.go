package tensor

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph/op/array"
)

func TestCuts(t *testing.T) {
	const far, farBack = 1<<63 - 1, -1 << 63
	for _, c := range []struct {
		n, start, end, step int64
		want                cut
	}{
		{10, 2, 5, 1, cut{2, 1, 3}},
		{10, -3, far, 1, cut{7, 1, 3}},
		{10, 20, far, 1, cut{10, 1, 0}},
		{10, 0, 10, 3, cut{0, 3, 4}},
		{10, 9, farBack, -1, cut{9, -1, 10}},
		{10, 20, 0, -4, cut{9, -4, 3}},
		{10, -20, 3, 1, cut{0, 1, 3}},
		{10, -1, -20, -3, cut{9, -3, 4}},
		{10, 3, 8, far, cut{3, 11, 1}},
		{10, 8, 3, farBack, cut{8, -11, 1}},
		{10, 3, 8, -1, cut{3, -1, 0}},
		{0, -1, farBack, -1, cut{0, 1, 0}},
	} {
		if got := newCut(c.n, c.start, c.end, c.step); got != c.want {
			t.Errorf("%d elements, %d:%d:%d: %v, want %v", c.n, c.start, c.end, c.step, got, c.want)
		}
	}
}

func TestPadTable(t *testing.T) {
	for _, c := range []struct {
		mode string
		m    Margin
		want []int64
	}{
		{"constant", Margin{2, 1}, []int64{-1, -1, 0, 1, 2, -1}},
		{"edge", Margin{2, 1}, []int64{0, 0, 0, 1, 2, 2}},
		{"reflect", Margin{2, 1}, []int64{2, 1, 0, 1, 2, 1}},
		{"reflect", Margin{3, 5}, []int64{1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1}},
		{"wrap", Margin{4, 2}, []int64{2, 0, 1, 2, 0, 1, 2, 0, 1}},
		{"reflect", Margin{-1, 1}, []int64{1, 2, 1}},
		{"constant", Margin{-1, -1}, []int64{1}},
	} {
		if got := padTable(c.mode, array.UpTo(3), c.m); !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %v, want %v", c.mode, c.m, got, c.want)
		}
	}
}
