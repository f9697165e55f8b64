package padded

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
)

var refusals = []struct {
	name, dims, text, want string
	version                int
}{
	{name: "no rule", dims: "s=1..9", text: `
		input x: float32[s, 4]
		y = NonZero(x)
		output y`, want: "does not know which positions it mixes"},
	{name: "windows that begin elsewhere", dims: "h=4..9", text: `
		input x: float32[1, 1, h, 8]
		const k: float32[1, 1, 3, 3]
		y = Conv(x, k) auto_pad="SAME_UPPER" strides=[2, 2]
		output y`, want: "where its windows begin changes"},
	{name: "weights", dims: "h=3..9", text: `
		input x: float32[1, 1, 12, 12]
		input k: float32[1, 1, h, 3]
		y = Conv(x, k)
		output y`, want: "its weights vary"},
	{name: "the last of equals", dims: "s=1..9", text: `
		input x: float32[s, 4]
		y = ArgMax(x) axis=0 select_last_index=1
		output y`, want: "the last of equal elements"},
	{name: "corners", dims: "h=2..9", text: `
		input x: float32[1, 1, h, 8]
		const s: float32[4] {1, 1, 2, 2}
		y = Resize(x, _, s) mode="linear" coordinate_transformation_mode="align_corners"
		output y`, want: "places of mode align_corners"},
	{name: "a size", dims: "h=2..9", text: `
		input x: float32[1, 1, h, 8]
		const s: int64[4] {1, 1, 16, 16}
		y = Resize(x, _, _, s) mode="linear"
		output y`, want: "its scale along axis 2 changes"},
	{name: "a row", dims: "s=1..9", text: `
		input x: float32[4, s]
		input g: float32[s]
		y = LayerNormalization(x, g)
		output y`, want: "the axes of a row vary"},
	{name: "zero points", dims: "s=1..9", text: `
		input x: uint8[4, s]
		input y: uint8[s, 3]
		z = MatMulInteger(x, y)
		output z`, want: "the axis that it sums over varies"},
	{name: "run-time places", dims: "s=2..9", text: `
		input x: float32[s, 4]
		input i: int64[1]
		const e: int64[1] {2}
		y: float32[2, 4] = Slice(x, i, e)
		output y`, want: "known at run time only"},
	{name: "wrapped", dims: "s=2..9", version: 19, text: `
		input x: float32[s, 4]
		const p: int64[4] {1, 0, 1, 0}
		y = Pad(x, p) mode="wrap"
		output y`, want: "its mode is wrap"},
	{name: "places of a pool", dims: "h=2..9", text: `
		input x: float32[1, 1, h, 8]
		y, i = MaxPool(x) kernel_shape=[2, 2]
		output i`, want: "it asks for places"},
	{name: "padding that counts", dims: "h=3..9", text: `
		input x: float32[1, 1, h, 8]
		y = AveragePool(x) kernel_shape=[3, 3] strides=[2, 2] pads=[1, 1, 1, 1] ceil_mode=1 count_include_pad=1
		output y`, want: "beyond the padding, which counts"},
	{name: "channels", dims: "c=1..9", text: `
		input x: float32[1, c, 8, 8]
		y = MaxPool(x) kernel_shape=[2, 2]
		output y`, want: "the number of channels varies"},
	{name: "different places", dims: "b=1..3 s=1..9", text: `
		input x: float32[b, s]
		const flat: int64[1] {-1}
		a = Reshape(x, flat)
		t = Transpose(x)
		c = Reshape(t, flat)
		y = Add(a, c)
		output y`, want: "lie at different places"},
	{name: "a depth", dims: "s=1..9", text: `
		input x: int64[s]
		const values: float32[2] {0, 1}
		n = Size(x)
		y = OneHot(x, n, values)
		output y`, want: "its depth changes"},
	{name: "an ellipsis", dims: "s=1..9", text: `
		input x: float32[s, 4]
		y = Einsum(x) equation="...i->..."
		output y`, want: "has an ellipsis"},
	{name: "indices along what varies", dims: "s=2..9", text: `
		input x: float32[s, 4]
		input i: int64[3, 1]
		y = GatherND(x, i)
		output y`, want: "count along an axis that varies"},
	{name: "no formula", dims: "s=1..90", text: `
		input x: float32[s]
		n = Size(x)
		square = Mul(n, n)
		cube = Mul(square, n)
		const zero: int64[] {0}
		const one: int64[] {1}
		const most: int64[] {40}
		least = Min(n, most)
		r = Range(zero, least, one)
		f = Cast(r) to=1
		input z: float32[s]
		y = Exp(f)
		output y`, want: "by a formula that wmtune knows"},
	{name: "a dimension of nothing", dims: "s=0..0", text: `
		input x: float32[s]
		y = Exp(x)
		output y`, want: "dimension s from 0 to 0"},
}

func TestRefusals(t *testing.T) {
	for _, c := range refusals {
		version := c.version
		if version == 0 {
			version = 17
		}
		g, err := graphtest.Parse(c.text, version)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, err = Rewrite(context.Background(), g, rangesOf(t, c.dims), bind)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if errors.Is(err, graph.ErrUnsupported) && !strings.Contains(err.Error(), "--dim") {
			t.Errorf("%s: the error does not say what works: %v", c.name, err)
		}
	}
}
