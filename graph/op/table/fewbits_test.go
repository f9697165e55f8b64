package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// narrowTensor returns random numbers of a narrow type.
func narrowTensor(rng *rand.Rand, e graph.Element, shape ...int64) *graph.Tensor {
	x := graph.NewTensor(e.Type, shape...)
	x.Narrow = e.Narrow()
	for i := range x.Len() {
		for v := math.NaN(); v != v; {
			if v = e.Number(rng.Int64N(1 << e.Bits)); x.F != nil && v == v {
				x.F[i] = v
			} else if v == v {
				x.I[i] = int64(v)
			}
		}
	}
	return x
}

// TestNarrow: quantization to types of 2, 4 and 8 bits and back, with a scale for all, for an axis and for blocks.
func TestNarrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for number, e := range graph.Elements {
		if e.Bits == 0 {
			continue
		}
		for _, c := range []struct {
			scale []int64
			attrs []graph.Attr
		}{
			{nil, nil}, {[]int64{3}, nil},
			{[]int64{2, 3, 2}, []graph.Attr{graph.IntAttr("axis", 2), graph.IntAttr("block_size", 3)}},
		} {
			x, scale := random(rng, tir.F32, -90, 90, 2, 3, 5), random(rng, tir.F32, 0.05, 9, c.scale...)
			x.F[0], x.F[1], x.F[2], x.F[3] = math.NaN(), math.Inf(1), math.Copysign(0, -1), -1e-9
			zero := narrowTensor(rng, e, c.scale...)
			if e.Float != nil {
				zero = array.Like(zero, zero.Shape)
			}
			q := narrowTensor(rng, e, 2, 3, 5)
			checkNode(t, "QuantizeLinear", 25, 1, []*graph.Tensor{x, scale, zero}, nil, c.attrs...)
			checkNode(t, "DequantizeLinear", 25, 1, []*graph.Tensor{q, scale, zero}, nil, c.attrs...)
			checkNode(t, "DequantizeLinear", 25, 1, []*graph.Tensor{q, scale}, nil, c.attrs...)
			checkNode(t, "CastLike", 25, 1, []*graph.Tensor{x, zero}, nil)
			to := append([]graph.Attr{graph.IntAttr("output_dtype", int64(number))}, c.attrs...)
			checkNode(t, "QuantizeLinear", 25, 1, []*graph.Tensor{x, scale}, nil, to...)
			checkNode(t, "Cast", 25, 1, []*graph.Tensor{x}, nil, graph.IntAttr("to", int64(number)),
				graph.IntAttr("saturate", 0))
		}
	}
}

// TestNarrowFloats: each number of a type rounds to itself, each number halfway between two to the even code.
func TestNarrowFloats(t *testing.T) {
	for _, e := range graph.Elements {
		if e.Float == nil {
			continue
		}
		for code := range int64(127) {
			v, next := e.Number(code), e.Number(code+1)
			if next-next != 0 { // NaN or an infinity
				break
			}
			even := []float64{v, next}[code%2]
			for x, want := range map[float64]float64{v: v, -v: -v, (v + next) / 2: even, v + (next-v)*0.49: v,
				v + (next-v)*0.51: next} {
				if got := e.Round(x, true); got != want {
					t.Errorf("%s: %v becomes %v, want %v", e.Name, x, got, want)
				}
			}
		}
		if got := e.Round(1e9, true); got != e.Float.Most {
			t.Errorf("%s: 1e9 becomes %v", e.Name, got)
		}
		if got := e.Round(math.Inf(-1), false); e.Float.Infinite && !math.IsInf(got, -1) || !e.Float.Infinite && got == got {
			t.Errorf("%s: -Inf becomes %v", e.Name, got)
		}
	}
}

// bitsCase is a MatMulNBits of two rows, whose sums are exact.
func bitsCase(k, n, bits, block int64, zero *graph.Tensor) ([]*graph.Tensor, []graph.Attr) {
	rng := rand.New(rand.NewPCG(uint64(k), uint64(n)))
	blocks := (k + block - 1) / block
	eighths := func(x *graph.Tensor) *graph.Tensor { // their products and sums are exact
		for i, v := range x.F {
			x.F[i] = math.Ceil(8*v) / 8
		}
		return x
	}
	in := []*graph.Tensor{eighths(random(rng, tir.F32, -1, 1, 2, k)), random(rng, tir.U8, 0, 255, n, blocks, block*bits/8),
		eighths(random(rng, tir.F32, 0.1, 1, n*blocks)), zero}
	if zero != nil {
		eighths(zero)
	}
	return in, []graph.Attr{graph.IntAttr("K", k), graph.IntAttr("N", n), graph.IntAttr("bits", bits),
		graph.IntAttr("block_size", block)}
}

// TestMatMulBits: rows of fewer numbers than a block, one number, one column, columns in tiles (rowsByBlocks), weights
// that are data, and scales of 0 and NaN.
func TestMatMulBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	for _, c := range []struct{ k, n, bits, block int64 }{
		{32, 3, 4, 32}, {1, 1, 4, 16}, {17, 2, 4, 16}, {40, 5, 4, 16}, {7, 3, 8, 16}, {64, 1, 2, 16}, {33, 4, 8, 32},
		{31, 2, 2, 16}, {64, 64, 4, 32}, {48, 128, 2, 16}, {33, 64, 8, 16},
	} {
		blocks := (c.k + c.block - 1) / c.block
		for _, zero := range []*graph.Tensor{nil, random(rng, tir.U8, 0, 255, c.n*((blocks*c.bits+7)/8)),
			random(rng, tir.F32, 0, 9, c.n, blocks)} {
			in, attrs := bitsCase(c.k, c.n, c.bits, c.block, zero)
			for _, fixed := range [][]int{{1, 2, 3}, {1, 2}, nil} {
				checkNode(t, "com.microsoft.MatMulNBits", 1, 1, in, fixed, attrs...)
			}
			in[2].F[0] = 0
			checkNode(t, "com.microsoft.MatMulNBits", 1, 1, in, []int{1, 2, 3}, attrs...)
			in[2].F[0] = math.NaN()
			checkNode(t, "com.microsoft.MatMulNBits", 1, 1, in, []int{1, 2, 3}, attrs...)
		}
	}
}

// TestMatMulBitsRejections: what does not fit, and what wmtune does not do, says so.
func TestMatMulBitsRejections(t *testing.T) {
	number := graph.NewTensor(tir.I32, 32)
	for want, change := range map[string]func(in *[]*graph.Tensor, attrs []graph.Attr){
		"g_idx of com.microsoft.MatMulNBits is not supported: quantize without": func(in *[]*graph.Tensor, _ []graph.Attr) {
			*in = append(*in, number)
		},
		"a weight of 3 bits":          func(_ *[]*graph.Tensor, a []graph.Attr) { a[2].Int = 3 },
		"block_size 24: the last":     func(_ *[]*graph.Tensor, a []graph.Attr) { a[3].Int = 24 },
		"block_size 0":                func(_ *[]*graph.Tensor, a []graph.Attr) { a[3].Int = 0 },
		"weights in1":                 func(_ *[]*graph.Tensor, a []graph.Attr) { a[1].Int = 3 },
		"rows must have 31 elements":  func(_ *[]*graph.Tensor, a []graph.Attr) { a[0].Int = 31 },
		"scales in2: float32[1]":      func(in *[]*graph.Tensor, _ []graph.Attr) { (*in)[2] = graph.NewTensor(tir.F32, 1) },
		"zero points in3: uint8[1]":   func(in *[]*graph.Tensor, _ []graph.Attr) { (*in)[3] = graph.NewTensor(tir.U8, 1) },
		"zero points in3: float32[3]": func(in *[]*graph.Tensor, _ []graph.Attr) { (*in)[3] = graph.NewTensor(tir.F32, 3) },
		"they must be uint8 or":       func(in *[]*graph.Tensor, _ []graph.Attr) { (*in)[3] = graph.NewTensor(tir.I8, 2) },
	} {
		in, attrs := bitsCase(32, 2, 4, 32, nil)
		change(&in, attrs)
		_, err := newNode("com.microsoft.MatMulNBits", 1, 1, in, func(int) bool { return false }, attrs...)
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("error %v\ndoes not say %q", err, want)
		}
	}
}

// TestGatherBlocks: rows of bytes and of narrow types, with and without zero points, and what does not fit.
func TestGatherBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	index := &graph.Tensor{Type: tir.I64, Shape: []int64{2, 2}, I: []int64{3, 0, -1, 2}}
	for _, c := range []struct {
		x      *graph.Tensor
		zeros  int64
		bits   int64
		reject string
	}{
		{random(rng, tir.U8, 0, 255, 4, 16), 1, 4, ""}, {random(rng, tir.U8, 0, 255, 4, 32), 2, 8, ""},
		{random(rng, tir.U8, 0, 255, 4, 8), 1, 2, ""}, {narrowTensor(rng, graph.Elements[22], 4, 32), 2, 4, ""},
		{narrowTensor(rng, graph.Elements[21], 4, 32), 2, 4, ""},
		{random(rng, tir.U8, 0, 255, 4, 32), 2, 4, "the scales are"}, {random(rng, tir.U8, 0, 255, 4, 16), 1, 5, "5 bits"},
		{random(rng, tir.I8, 0, 7, 4, 32), 2, 4, "save it as"},
	} {
		in := []*graph.Tensor{c.x, index, random(rng, tir.F32, 0.1, 1, 4, 2), nil}
		attrs := []graph.Attr{graph.IntAttr("block_size", 16), graph.IntAttr("bits", c.bits)}
		for range 2 {
			if c.reject != "" {
				_, err := newNode("com.microsoft.GatherBlockQuantized", 1, 1, in, func(int) bool { return false }, attrs...)
				if !strings.Contains(fmt.Sprint(err), c.reject) {
					t.Errorf("error %v\ndoes not say %q", err, c.reject)
				}
				continue
			}
			checkNode(t, "com.microsoft.GatherBlockQuantized", 1, 1, in, []int{0, 2, 3}, attrs...)
			in[3] = random(rng, c.x.Type, 0, 7, 4, c.zeros)
			in[3].Narrow = c.x.Narrow
		}
	}
}
