package table

import (
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

func ints(name string, v ...int64) graph.Attr { return graph.IntsAttr(name, v...) }

var convCases = []bodyCase{
	{name: "one dimension", op: "Conv", inputs: []testInput{varying(2, 3, 9), constant(5, 3, 3), constant(5)},
		attrs: []graph.Attr{ints("pads", 1, 0), ints("strides", 2)}},
	{name: "plain", op: "Conv", inputs: []testInput{varying(1, 3, 6, 5), constant(4, 3, 1, 1)}},
	{name: "asymmetric", op: "Conv", inputs: []testInput{varying(2, 4, 7, 6), varying(6, 4, 3, 2)},
		attrs: []graph.Attr{ints("pads", 2, 0, 1, 3), ints("strides", 2, 1), ints("dilations", 1, 2)}},
	{name: "groups", op: "Conv", inputs: []testInput{varying(1, 4, 5, 5), varying(8, 2, 3, 3), varying(8)},
		attrs: []graph.Attr{graph.IntAttr("group", 2), ints("pads", 1, 1, 1, 1)}},
	{name: "depthwise", op: "Conv", inputs: []testInput{varying(1, 4, 5, 5), constant(4, 1, 3, 3), varying(4)},
		attrs: []graph.Attr{graph.IntAttr("group", 4), ints("pads", 1, 1, 1, 1), ints("strides", 2, 2)}},
	{name: "depthwise to more channels", op: "Conv", inputs: []testInput{varying(1, 2, 5, 5), varying(10, 1, 3, 3),
		varying(10)},
		attrs: []graph.Attr{graph.IntAttr("group", 2)}},
	{name: "same upper", op: "Conv", inputs: []testInput{varying(1, 2, 6, 5), varying(4, 2, 3, 4)},
		attrs: []graph.Attr{graph.StrAttr("auto_pad", "SAME_UPPER"), ints("strides", 2, 3)}},
	{name: "same lower", op: "Conv", inputs: []testInput{varying(1, 2, 6, 5), varying(2, 2, 2, 4)},
		attrs: []graph.Attr{graph.StrAttr("auto_pad", "SAME_LOWER"), ints("dilations", 3, 1)}},
	{name: "three dimensions", op: "Conv", inputs: []testInput{varying(1, 2, 4, 5, 6), varying(4, 2, 3, 2, 3),
		varying(4)},
		attrs: []graph.Attr{ints("pads", 1, 0, 1, 1, 0, 1), ints("strides", 2, 1, 2)}},
	{name: "four dimensions", op: "Conv", inputs: []testInput{varying(1, 2, 3, 3, 3, 4), varying(2, 2, 2, 2, 2, 2)}},
	{name: "half", op: "Conv", inputs: []testInput{varying(1, 2, 4, 4).of(tir.F16), varying(2, 2, 2, 2).of(tir.F16)}},
	{name: "integers", op: "Conv", inputs: []testInput{varying(1, 2, 4, 4).of(tir.I32),
		varying(5, 2, 2, 2).of(tir.I32)}},
	{name: "cutting off", op: "Conv", inputs: []testInput{varying(1, 2, 7, 6), varying(4, 2, 3, 3)},
		attrs: []graph.Attr{ints("pads", -1, 1, 0, -2)}},
	{name: "plain", op: "wmtune.Conv", inputs: []testInput{varying(2, 6, 5, 3), constant(3, 3, 3, 4), constant(4)},
		attrs: []graph.Attr{ints("pads", 1, 1, 1, 1)}},
	{name: "depthwise", op: "wmtune.Conv", inputs: []testInput{varying(1, 6, 5, 3), constant(3, 3, 3, 1), constant(3)},
		attrs: []graph.Attr{ints("pads", 1, 1, 1, 1), graph.IntAttr("group", 3)}},
	{name: "groups", op: "wmtune.Conv", inputs: []testInput{varying(1, 6, 5, 4), constant(3, 3, 2, 8)},
		attrs: []graph.Attr{ints("strides", 2, 1), graph.IntAttr("group", 2)}},
	{name: "one dimension", op: "wmtune.Conv", inputs: []testInput{varying(1, 6, 4), constant(3, 4, 8)}},
	{name: "three dimensions", op: "wmtune.Conv", inputs: []testInput{varying(1, 4, 5, 6, 2), varying(3, 2, 3, 2, 4),
		varying(4)},
		attrs: []graph.Attr{ints("pads", 1, 0, 1, 1, 0, 1), ints("strides", 2, 1, 2)}},
}

func TestConvBodies(t *testing.T) { checkAll(t, convCases) }

// BenchmarkEvalConv is a convolution of r3d_18: 11 GFLOP.
func BenchmarkEvalConv(b *testing.B) {
	x, w := graph.NewTensor(tir.F32, 1, 64, 16, 56, 56), graph.NewTensor(tir.F32, 64, 64, 3, 3, 3)
	for i := range x.F {
		x.F[i] = float64(i%7) - 3
	}
	for i := range w.F {
		w.F[i] = float64(i%5) - 2
	}
	n, err := newNode("Conv", 18, 1, []*graph.Tensor{x, w}, func(int) bool { return false },
		ints("pads", 1, 1, 1, 1, 1, 1))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := reference(n, []*graph.Tensor{x, w}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(2*64*64*27*16*56*56/1e9/(b.Elapsed().Seconds()/float64(b.N)), "GFLOP/s")
}
