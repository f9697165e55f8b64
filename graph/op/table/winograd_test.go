package table

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

func tileOf(n int64) graph.Attr { return graph.IntAttr("tile", n) }

var winogradCases = []bodyCase{
	{name: "tiles that stick out", op: "wmtune.WinogradInput", inputs: []testInput{varying(2, 7, 6, 19)},
		attrs: []graph.Attr{tileOf(4), ints("pads", 1, 0, 1, 2)}},
	{name: "tiles of 2", op: "wmtune.WinogradInput", inputs: []testInput{varying(1, 6, 6, 2)},
		attrs: []graph.Attr{tileOf(2)}},
	{name: "three dimensions", op: "wmtune.WinogradInput", inputs: []testInput{varying(2, 3, 5, 4, 2)},
		attrs: []graph.Attr{tileOf(2), ints("pads", 1, 1, 1, 0, 1, 1)}},
	{name: "half", op: "wmtune.WinogradInput", inputs: []testInput{varying(1, 4, 4, 2).of(tir.F16)},
		attrs: []graph.Attr{tileOf(2)}},
	{name: "product", op: "wmtune.WinogradProduct", inputs: []testInput{varying(4, 4, 5, 3), constant(4, 4, 3, 2)}},
	{name: "product over a dimension", op: "wmtune.WinogradProduct",
		inputs: []testInput{varying(4, 4, 2, 7, 3, 3), constant(4, 4, 2, 3, 2)},
		attrs:  []graph.Attr{ints("strides", 2), ints("dilations", 2)}},
	{name: "output", op: "wmtune.WinogradOutput", inputs: []testInput{varying(6, 6, 8, 3), constant(3)},
		attrs: []graph.Attr{tileOf(4), ints("shape", 2, 5, 8)}},
	{name: "output without bias", op: "wmtune.WinogradOutput", inputs: []testInput{varying(4, 4, 1, 2, 4, 3)},
		attrs: []graph.Attr{tileOf(2), ints("shape", 1, 2, 4, 3)}},
}

func TestWinogradBodies(t *testing.T) { checkAll(t, winogradCases) }

// TestWinogradRejects: each of these nodes has one operand or attribute that does not fit.
func TestWinogradRejects(t *testing.T) {
	for _, c := range []struct {
		says string
		bodyCase
	}{
		{"tiles of 3", bodyCase{op: "wmtune.WinogradInput", inputs: []testInput{varying(1, 6, 6, 2)},
			attrs: []graph.Attr{tileOf(3)}}},
		{"4 to 7 dimensions", bodyCase{op: "wmtune.WinogradInput", inputs: []testInput{varying(1, 6, 2)}}},
		{"smaller than the weights", bodyCase{op: "wmtune.WinogradInput", inputs: []testInput{varying(1, 2, 6, 2)}}},
		{"do not fit", bodyCase{op: "wmtune.WinogradProduct",
			inputs: []testInput{varying(4, 4, 5, 3), varying(4, 4, 2, 2)}}},
		{"window", bodyCase{op: "wmtune.WinogradProduct",
			inputs: []testInput{varying(4, 4, 1, 2, 5, 3), varying(4, 4, 3, 3, 2)}}},
		{"the shape must be", bodyCase{op: "wmtune.WinogradOutput", inputs: []testInput{varying(6, 6, 7, 3)},
			attrs: []graph.Attr{ints("shape", 2, 5, 8)}}},
		{"a bias of shape", bodyCase{op: "wmtune.WinogradOutput", inputs: []testInput{varying(6, 6, 8, 3), varying(2)},
			attrs: []graph.Attr{ints("shape", 2, 5, 8)}}},
		{"those need batch", bodyCase{op: "wmtune.WinogradOutput", inputs: []testInput{varying(6, 6, 8, 3)}}},
	} {
		if err := inferOnly(c.draw().node()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: the error is %v", c.says, err)
		}
	}
}
