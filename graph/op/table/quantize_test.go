package table

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// TestQuantize: scales for all, for an axis and for blocks, in both directions, and quotients halfway between integers.
func TestQuantize(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, c := range []struct {
		shape, scale []int64
		attrs        []graph.Attr
	}{
		{[]int64{2, 3, 4}, []int64{}, nil},
		{[]int64{2, 3, 4}, []int64{1}, nil},
		{[]int64{2, 3, 4}, []int64{3}, nil},
		{[]int64{2, 3, 4}, []int64{4}, []graph.Attr{graph.IntAttr("axis", -1)}},
		{[]int64{4}, []int64{4}, []graph.Attr{graph.IntAttr("axis", 0)}},
		{[]int64{2, 5, 4}, []int64{2, 3, 4}, []graph.Attr{graph.IntAttr("axis", 1), graph.IntAttr("block_size", 2)}},
		{[]int64{}, []int64{}, nil},
	} {
		scale := random(rng, tir.F32, 0.05, 0.5, c.scale...)
		for _, dt := range []tir.DType{tir.I8, tir.U8, tir.I16, tir.U16} {
			zero := random(rng, dt, 0, 5, c.scale...)
			x := random(rng, tir.F32, -90, 90, c.shape...)
			checkNode(t, "QuantizeLinear", 21, 1, []*graph.Tensor{x, scale, zero}, nil, c.attrs...)
			checkNode(t, "QuantizeLinear", 21, 1, []*graph.Tensor{x, scale, zero}, []int{1, 2}, c.attrs...)
			y := random(rng, dt, 0, 100, c.shape...)
			checkNode(t, "DequantizeLinear", 21, 1, []*graph.Tensor{y, scale, zero}, nil, c.attrs...)
			checkNode(t, "DequantizeLinear", 21, 1, []*graph.Tensor{y, scale}, nil, c.attrs...)
			half := array.Convert(scale, tir.F16)
			checkNode(t, "DequantizeLinear", 21, 1, []*graph.Tensor{y, half, zero}, nil, c.attrs...)
			checkNode(t, "QuantizeLinear", 21, 1, []*graph.Tensor{array.Convert(x, tir.F16), half, zero}, nil, c.attrs...)
		}
		x, y := random(rng, tir.F32, -9, 90, c.shape...), random(rng, tir.I32, -9000, 9000, c.shape...)
		checkNode(t, "QuantizeLinear", 21, 1, []*graph.Tensor{x, scale}, nil, c.attrs...)
		checkNode(t, "DequantizeLinear", 21, 1, []*graph.Tensor{y, scale}, nil, c.attrs...)
	}
	list := []float64{0.5, 1.5, 2.5, -0.5, -1.5, 1000, -1000, 0.15, 0.25}
	x := &graph.Tensor{Type: tir.F32, Shape: []int64{int64(len(list))}, F: list}
	zero := &graph.Tensor{Type: tir.I8, I: []int64{1}}
	for _, c := range []struct {
		scale float64
		want  []int64
	}{
		{1, []int64{1, 3, 3, 1, -1, 127, -128, 1, 1}},
		{0.1, []int64{6, 16, 26, -4, -14, 127, -128, 3, 3}}, // in float32, 0.15/0.1 is 1.5
	} {
		y := array.Convert(scalar(tir.F64, c.scale), tir.F32)
		in := []*graph.Tensor{array.Convert(x, tir.F32), y, zero}
		in[0] = &graph.Tensor{Type: tir.F32, Shape: x.Shape}
		for _, v := range list {
			in[0].F = append(in[0].F, tir.Rounded(tir.F32, v))
		}
		checkNode(t, "QuantizeLinear", 13, 1, in, nil)
		got, err := evalOf("QuantizeLinear", 13)(&graph.Call{Context: t.Context()}, &graph.Node{Op: "QuantizeLinear"}, in)
		if err != nil || !slices.Equal(got[0].I, c.want) {
			t.Errorf("%v by %v: %v, %v, want %v", list, c.scale, got[0].I, err, c.want)
		}
	}
}

// TestScalePlaces: tensors that several goroutines dequantize, element by element by the scale of its place.
func TestScalePlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, c := range []struct {
		shape, scale []int64
		axis, block  int64
	}{
		{[]int64{40, 700}, []int64{}, 1, 0},
		{[]int64{3, 700, 11}, []int64{700}, 1, 0},
		{[]int64{40, 701}, []int64{701}, 1, 0},
		{[]int64{40, 701}, []int64{40, 22}, 1, 32},
		{[]int64{701, 40}, []int64{22, 40}, 0, 32},
		{[]int64{3, 701, 11}, []int64{3, 22, 11}, 1, 32},
	} {
		scale, zero := random(rng, tir.F32, 0.05, 0.5, c.scale...), random(rng, tir.I8, -5, 5, c.scale...)
		x := random(rng, tir.I8, -128, 127, c.shape...)
		n, err := newNode("DequantizeLinear", 21, 1, []*graph.Tensor{x, scale, zero}, func(int) bool { return true },
			graph.IntAttr("axis", c.axis), graph.IntAttr("block_size", c.block))
		if err != nil {
			t.Fatal(err)
		}
		y, err := reference(n, []*graph.Tensor{x, scale, zero})
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		array.WalkIndex(c.shape, func(at []int64) {
			place, strides := int64(0), array.Strides(c.scale)
			for d := range c.scale {
				index := at[d]
				if len(c.scale) == 1 {
					index = at[c.axis]
				} else if d == int(c.axis) {
					index /= c.block
				}
				place += index * strides[d]
			}
			if want := float64(x.I[i]-zero.I[place]) * scale.F[place]; y[0].F[i] != want {
				t.Fatalf("%v at %v: got %v, want %v", c, at, y[0].F[i], want)
			}
			i++
		})
		k := *n
		k.Op = "QuantizeLinear"
		q, err := reference(&k, []*graph.Tensor{y[0], scale, zero})
		if err != nil || !slices.Equal(q[0].I, x.I) {
			t.Errorf("%v: quantized again it is another: %v", c, err)
		}
	}
}

// TestDynamicQuantize: ranges on both sides of 0, on one, and none; elements that fill parts, vectors, or neither.
func TestDynamicQuantize(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, r := range [][2]float64{{-3, 2}, {1, 2}, {-2, -1}, {0, 0}} {
		for _, shape := range [][]int64{{}, {1}, {3, 4}, {16}, {2, 3, 48}, {35, 33}, {64, 768}, {5, 2000}} {
			checkNode(t, "DynamicQuantizeLinear", 11, 3, []*graph.Tensor{random(rng, tir.F32, r[0], r[1], shape...)}, nil)
		}
	}
}

// TestQuantizedProducts: zero points for all and for rows, columns or channels; by hand.
func TestQuantizedProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	a, b := random(rng, tir.U8, 0, 255, 3, 4), random(rng, tir.I8, -128, 127, 4, 2)
	for _, zeros := range [][2][]int64{{{}, {}}, {{3}, {2}}, {{1}, {1}}} {
		az, bz := random(rng, tir.U8, 0, 255, zeros[0]...), random(rng, tir.I8, -9, 9, zeros[1]...)
		in := []*graph.Tensor{a, b, az, bz}
		checkNode(t, "MatMulInteger", 10, 1, in, nil)
		n, err := newNode("MatMulInteger", 10, 1, in, func(int) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		got, err := reference(n, in)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			for j := range 2 {
				want := int64(0)
				for k := range 4 {
					want += (a.I[i*4+k] - az.I[i%len(az.I)]) * (b.I[k*2+j] - bz.I[j%len(bz.I)])
				}
				if g := got[0].I[i*2+j]; g != want {
					t.Errorf("element %d, %d is %d, want %d", i, j, g, want)
				}
			}
		}
		as, bs := random(rng, tir.F32, 0.01, 0.1, zeros[0]...), random(rng, tir.F32, 0.01, 0.1, zeros[1]...)
		q := []*graph.Tensor{a, as, az, b, bs, bz, scalar(tir.F32, 0.5), scalar(tir.U8, 100)}
		checkNode(t, "QLinearMatMul", 10, 1, q, nil)
	}
	// Sums halfway between two integers: float32 has the scales as 0.5, and float64 as more.
	by, to := array.Convert(scalar(tir.F64, 0.3), tir.F32), array.Convert(scalar(tir.F64, 0.18), tir.F32)
	odd := &graph.Tensor{Type: tir.U8, Shape: []int64{1, 4}, I: []int64{1, 3, 5, 7}}
	halves := []*graph.Tensor{odd, by, scalar(tir.U8, 0), {Type: tir.U8, Shape: []int64{4, 4},
		I: []int64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}, by, scalar(tir.U8, 0), to, scalar(tir.U8, 0)}
	y := nodeCase{op: "QLinearMatMul", version: 10, in: halves}.check(t)
	if !slices.Equal(y[0].I, []int64{0, 2, 2, 4}) {
		t.Errorf("halves become %v", y[0].I)
	}
	x, w := random(rng, tir.U8, 0, 255, 1, 2, 5, 5), random(rng, tir.U8, 0, 255, 3, 2, 3, 3)
	for _, channels := range [][]int64{{}, {3}} {
		xz, wz := scalar(tir.U8, 7), random(rng, tir.U8, 0, 9, channels...)
		pads := graph.IntsAttr("pads", 1, 1, 1, 1)
		checkNode(t, "ConvInteger", 10, 1, []*graph.Tensor{x, w, xz, wz}, nil, pads)
		scale := random(rng, tir.F32, 0.01, 0.1, channels...)
		bias := random(rng, tir.I32, -90, 90, 3)
		in := []*graph.Tensor{x, scalar(tir.F32, 0.25), xz, w, scale, wz, scalar(tir.F32, 9), scalar(tir.U8, 100)}
		checkNode(t, "QLinearConv", 10, 1, in, nil, pads)
		checkNode(t, "QLinearConv", 10, 1, append(in, bias), nil, pads)
	}
}

// TestQuantizedBroadcast: quantized operands that have fewer dimensions than the result.
func TestQuantizedBroadcast(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	x, by, zero := random(rng, tir.U8, 0, 255, 2, 3, 4), scalar(tir.F32, 0.25), scalar(tir.U8, 7)
	for _, shape := range [][]int64{{}, {1}, {4}, {3, 1}} {
		y := random(rng, tir.U8, 0, 255, shape...)
		for _, name := range []string{"com.microsoft.QLinearMul", "com.microsoft.QLinearAdd"} {
			checkNode(t, name, 1, 1, []*graph.Tensor{x, by, zero, y, by, zero, scalar(tir.F32, 2), zero}, nil)
			checkNode(t, name, 1, 1, []*graph.Tensor{y, by, zero, x, by, zero, scalar(tir.F32, 2), zero}, nil)
		}
	}
}

// TestChoices: operators of three operands, or of any number.
func TestChoices(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	for _, dt := range allTypes {
		x, y, z := random(rng, dt, 0, 1, 2, 3), random(rng, dt, 0, 1, 3), random(rng, dt, 0, 1)
		c := random(rng, tir.Bool, 0, 1, 2, 1)
		checkNode(t, "Where", 16, 1, []*graph.Tensor{c, x, y}, nil)
		checkNode(t, "Where", 16, 1, []*graph.Tensor{c, z, y}, nil)
		if dt == tir.Bool {
			continue
		}
		checkNode(t, "Max", 13, 1, []*graph.Tensor{x, y, z}, nil)
		checkNode(t, "Min", 13, 1, []*graph.Tensor{z, y, x}, nil)
		checkNode(t, "PRelu", 16, 1, []*graph.Tensor{x, y}, nil)
		checkNode(t, "Clip", 13, 1, []*graph.Tensor{x, z, random(rng, dt, 0, 1, 1)}, nil)
		checkNode(t, "Clip", 13, 1, []*graph.Tensor{x, nil, z}, nil)
		checkNode(t, "Clip", 13, 1, []*graph.Tensor{x, z}, []int{1})
		checkNode(t, "Clip", 13, 1, []*graph.Tensor{x, z, scalar(dt, 0)}, []int{1, 2}) // bounds that cross
		if dt.IsFloat() {
			checkNode(t, "Sum", 13, 1, []*graph.Tensor{x, y, z}, nil)
			checkNode(t, "Mean", 13, 1, []*graph.Tensor{x, y, z}, nil)
			checkNode(t, "SwiGLU", 28, 1, []*graph.Tensor{x, random(rng, dt, -2, 2, 2, 3)}, nil)
		}
	}
	a := &graph.Tensor{Type: tir.F32, Shape: []int64{3}, F: []float64{nan, 1, 2}}
	b := &graph.Tensor{Type: tir.F32, Shape: []int64{3}, F: []float64{1, nan, 3}}
	for _, op := range []string{"Max", "Min"} {
		checkNode(t, op, 13, 1, []*graph.Tensor{a, b}, nil)
	}
}

// TestRoundedQuantization: rounding changes a product of quantized operands by one where it is nearly halfway between
// two integers, and nothing else.
func TestRoundedQuantization(t *testing.T) {
	g := graphtest.MustParse("input a: uint8[64, 96]\ninput sa: float32[]\ninput za: uint8[]\ninput b: int8[96, 512]\n"+
		"input sb: float32[]\ninput zb: int8[]\ninput sy: float32[]\ninput zy: uint8[]\n"+
		"y = QLinearMatMul(a, sa, za, b, sb, zb, sy, zy)\noutput y", 21)
	r := rand.New(rand.NewPCG(1, 2))
	a, b := graph.NewTensor(tir.U8, 64, 96), graph.NewTensor(tir.I8, 96, 512)
	for i := range a.I {
		a.I[i] = 70 + r.Int64N(58)
	}
	for i := range b.I {
		b.I[i] = 70 + r.Int64N(58)
	}
	float := func(v float64) *graph.Tensor { return array.Convert(scalar(tir.F64, v), tir.F32) }
	zero := func(d tir.DType) *graph.Tensor { return array.Convert(scalar(tir.F64, 100), d) }
	others, n := 0, 0
	for _, scale := range []float64{0.3, 0.7, 0.9, 1.1, 1.3} {
		// The quotient of the scales is 1/1024: of 1024 sums one is halfway.
		in := []*graph.Tensor{a, float(scale), zero(tir.U8), b, float(0.1), zero(tir.I8), float(102.4 * scale), zero(tir.U8)}
		var y [2]*graph.Tensor
		for i := range y {
			e := op.Evaluator()
			e.Round = i == 1
			out, err := e.Run(t.Context(), g, in)
			if err != nil {
				t.Fatal(err)
			}
			y[i] = out[0]
		}
		for i, v := range y[0].I {
			if d := y[1].I[i] - v; d*d > 1 {
				t.Fatalf("element %d: %d, and %d with rounding", i, v, y[1].I[i])
			} else if d != 0 {
				others++
			}
			n++
		}
	}
	if others == 0 || others > n/500 {
		t.Errorf("rounding changes %d of %d elements", others, n)
	}
}
