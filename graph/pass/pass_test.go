package pass

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestOrder: the table of passes keeps the order that it says.
func TestOrder(t *testing.T) {
	names := Names()
	for _, o := range order {
		before, after := slices.Index(names, o.before), slices.Index(names, o.after)
		if before < 0 || after < 0 || before >= after {
			t.Errorf("%s must stand before %s: %s; the order is %v", o.before, o.after, o.why, names)
		}
		if o.why == "" {
			t.Errorf("%s before %s: nobody says why", o.before, o.after)
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("two passes have one name: %v", names)
	}
}

// examples are small graphs, at least one for each pass. The pass that a name begins with runs alone, after infer.
var examples = []struct{ name, text string }{
	{"infer", `
		input x: float32[2, 3]
		s = Shape(x)
		const k: int64[1] {1}
		const z: int64[1] {0}
		n = Gather(s, k)
		t = Concat(z, n) axis=0
		y = Reshape(x, t) allowzero=0
		z2 = Relu(x)
		output y
		output z2`},
	{"decompose", `
		input x: float32[2, 3]
		const n: int64[2] {1, 2}
		a, b = Split(x, n) axis=1
		output a
		output b`},
	{"decompose-norm", `
		input x: float32[2, 3, 4]
		const k: float32[3] {1, 2, 3}
		y = InstanceNormalization(x, k, k) epsilon=0.5
		output y`},
	{"decompose-group-norm", `
		input x: float32[1, 4, 3, 5]
		const k: float32[4] {1, 2, 3, 4}
		const two: float32[2] {1, 2}
		input line: float32[1, 4, 6]
		input film: float32[1, 4, 2, 2, 3]
		y = GroupNormalization(x, two, two) epsilon=0.5 num_groups=2
		z = InstanceNormalization(x, k, k) epsilon=0.5
		rows = GroupNormalization(line, two, two) epsilon=0.5 num_groups=2
		places = InstanceNormalization(film, k, k) epsilon=0.5
		output y
		output z
		output rows
		output places`},
	{"decompose-transposed", `
		input x: float32[1, 8, 3, 4]
		input u: float32[8, 8, 2, 2]
		const w: float32[8, 8, 2, 2]
		const v: float32[8, 1, 3, 3]
		const few: float32[8, 2, 3, 3]
		const bias: float32[8] {1, 2, 3, 4, 5, 6, 7, 8}
		y = ConvTranspose(x, w, bias) strides=[2, 2]
		z = ConvTranspose(x, v, bias) strides=[2, 2] group=8 pads=[1, 1, 1, 1] dilations=[2, 1] output_padding=[1, 0]
		plain = ConvTranspose(x, v, bias) group=8 pads=[1, 0, 1, 2] dilations=[1, 2]
		cut = ConvTranspose(x, w, bias) pads=[2, 0, 0, 1]
		image = ConvTranspose(x, few) strides=[2, 2]
		unknown = ConvTranspose(x, u, bias) strides=[2, 1]
		output y
		output z
		output plain
		output cut
		output image
		output unknown`},
	{"empty", `
		input x: float32[2, 3]
		const from: int64[1] {1}
		const to: int64[1] {1}
		const axis: int64[1] {1}
		a = Slice(x, from, to, axis)
		y = Concat(a, x, a) axis=1
		output y
		output a`},
	{"unused", `
		input x: float32[2, 3]
		a = Relu(x)
		b = Neg(a)
		c = Abs(b)
		output a`},
	{"same", `
		input x: float32[2, 3]
		const k: float32[] {2}
		const l: float32[] {2}
		a = Add(x, k)
		b = Add(x, l)
		c = Sub(x, l)
		y = Mul(a, b)
		z = Mul(y, c)
		output z`},
	{"aliases", `
		input x: float32[2, 3]
		const s: int64[2] {2, 3}
		const t: int64[1] {6}
		a = Identity(x)
		b = Reshape(a, s)
		c = Relu(b)
		y = Reshape(c, t)
		output y`},
	{"batchnorm", `
		input x: float32[1, 2, 4, 4]
		const w: float32[3, 2, 1, 1]
		const scale: float32[3] {1, 2, -1}
		const shift: float32[3] {0.5, 0, 1}
		const mean: float32[3] {0, 1, 2}
		const var: float32[3] {1, 2, 0.5}
		a = Conv(x, w)
		y = BatchNormalization(a, scale, shift, mean, var)
		output y`},
	{"batchnorm-shared", `
		input x: float32[1, 2, 4, 4]
		const w: float32[3, 2, 1, 1]
		const scale: float32[3] {1, 2, 0.5}
		a = Conv(x, w)
		y = BatchNormalization(a, scale, scale, scale, scale)
		output y
		output a`},
	{"channels-last", `
		input x: float32[1, 4, 6, 6]
		const w: float32[3, 4, 3, 3]
		const d: float32[3, 1, 3, 3]
		a = Conv(x, w) pads=[1, 1, 1, 1]
		b = Conv(a, d) group=3
		y = MaxPool(b) kernel_shape=[2, 2]
		output y`},
	{"channels-first", `
		input x: float32[1, 4, 6, 6]
		a = Transpose(x) perm=[0, 2, 3, 1]
		b = wmtune.MaxPool(a) kernel_shape=[3, 3] pads=[1, 1, 1, 1]
		y = Transpose(b) perm=[0, 3, 1, 2]
		c = wmtune.AveragePool(a) kernel_shape=[2, 2]
		z = Transpose(c) perm=[0, 3, 1, 2]
		d = Transpose(z) perm=[0, 2, 3, 1]
		e = wmtune.AveragePool(d) kernel_shape=[2, 2]
		f = Transpose(e) perm=[0, 3, 1, 2]
		output y
		output f`},
	{"channels-last-runtime", `
		input x: float32[1, 4, 6, 6]
		input w: float32[3, 4, 3, 3]
		y = Conv(x, w)
		output y`},
	{"transposes", `
		input x: float32[2, 3, 4]
		const k: float32[4] {1, 2, 3, 4}
		const axes: int64[1] {1}
		a = Transpose(x) perm=[2, 0, 1]
		b = Relu(a)
		c = Concat(b, a) axis=0
		d = ReduceMax(c, axes) keepdims=1
		y = Transpose(c) perm=[1, 2, 0]
		output y
		output d`},
	{"transposes-slice", `
		input x: float32[2, 3, 4]
		const from: int64[2] {0, 3}
		const to: int64[2] {2, 0}
		const axes: int64[2] {-3, 1}
		const steps: int64[2] {1, -2}
		const first: int64[2] {1, 0}
		const two: int64[2] {3, 2}
		a = Transpose(x) perm=[2, 0, 1]
		b = Slice(a, from, to, axes, steps)
		c = Slice(a, first, two)
		kept = Slice(a, first, two, axes)
		y = Transpose(b) perm=[1, 2, 0]
		z = Transpose(c) perm=[1, 2, 0]
		output y
		output z
		output kept`},
	{"channels-last-shuffle", `
		input x: float32[1, 6, 2, 5]
		const apart: int64[5] {1, 2, 3, 2, 5}
		const whole: int64[4] {1, 6, 2, 5}
		const w: float32[6, 6, 1, 1]
		c = Conv(x, w)
		a = Reshape(c, apart)
		b = Transpose(a) perm=[0, 2, 1, 3, 4]
		y = Reshape(b, whole)
		output y`},
	{"channels-last-none", `
		input x: float32[1, 6, 2, 5]
		const apart: int64[5] {1, 2, 3, 2, 5}
		const whole: int64[4] {1, 6, 2, 5}
		a = Reshape(x, apart)
		b = Transpose(a) perm=[0, 2, 1, 3, 4]
		y = Reshape(b, whole)
		output y`},
	{"transposes-slice-runtime", `
		input x: float32[2, 3, 4]
		input to: int64[1]
		const from: int64[1] {0}
		const axes: int64[1] {1}
		a = Transpose(x) perm=[2, 0, 1]
		b: float32[4, 2, 3] = Slice(a, from, to, axes)
		y = Transpose(b) perm=[1, 2, 0]
		output y`},
	{"transposes-pad", `
		input x: float32[2, 3, 4]
		const pads: int64[6] {1, 2, 3, -1, 5, 6}
		const seven: float32[] {7}
		a = Transpose(x) perm=[2, 0, 1]
		b = Pad(a, pads, seven)
		c = Pad(a, pads) mode="edge"
		y = Transpose(b) perm=[1, 2, 0]
		z = Transpose(c) perm=[1, 2, 0]
		kept = Pad(a, pads)
		output y
		output z
		output kept`},
	{"transposes-resize", `
		input x: float32[1, 3, 4, 2]
		input z: float32[1, 2, 6, 8]
		a = Transpose(x) perm=[0, 3, 1, 2]
		b = wmtune.ResizeAxis(a) axis=2 out=6 place=[1, 0, 2] taps=1
		c = wmtune.ResizeAxis(b) axis=3 out=8 place=[1, 0, 2] taps=1
		r = Relu(c)
		d = Concat(r, c, z) axis=1
		y = Transpose(d) perm=[0, 2, 3, 1]
		l = wmtune.ResizeAxis(a) axis=2 out=9 place=[1, 0, 3] taps=1
		output y
		output l`},
	{"transposes-reshape", `
		input x: float32[1, 16, 6]
		a = Transpose(x) perm=[0, 2, 1]
		const k: int64[4] {1, 6, 4, 4}
		b = Reshape(a, k) allowzero=1
		c = Transpose(b) perm=[0, 2, 3, 1]
		d = Relu(c)
		e = Transpose(d) perm=[0, 3, 1, 2]
		const l: int64[3] {1, 6, 16}
		f = Reshape(e, l) allowzero=1
		g = Transpose(f) perm=[0, 2, 1]
		const m: int64[3] {1, 8, 12}
		h = Reshape(a, m) allowzero=1
		i = Transpose(h) perm=[0, 2, 1]
		output g
		output i`},
	{"transposes-reshape-kept", `
		input x: float32[1, 16, 6]
		input z: float32[1, 6, 4, 4]
		input w: float32[16, 16]
		a = Transpose(x) perm=[0, 2, 1]
		m = MatMul(a, w)
		const k: int64[4] {1, 6, 4, 4}
		b = Reshape(a, k) allowzero=1
		s = Add(b, z)
		c = Transpose(s) perm=[0, 2, 3, 1]
		output m
		output c`},
	{"transposes-quantize", `
		input x: float32[1, 3, 4, 2]
		input s: float32[]
		input scale: float32[]
		const zero: uint8[] {3}
		a = Transpose(x) perm=[0, 3, 1, 2]
		b = QuantizeLinear(a, s)
		c = DequantizeLinear(b, scale, zero)
		y = Transpose(c) perm=[0, 2, 3, 1]
		output y`},
	{"transposes-cheap", `
		input x: float32[2, 1, 4]
		a = Transpose(x) perm=[1, 0, 2]
		y = Relu(a)
		output y`},
	{"integers", `
		input x: float32[1, 2, 5, 5]
		const s: float32[] {0.25}
		const z: uint8[] {7}
		const w: int8[3, 2, 3, 3]
		const t: float32[3] {0.5, 0.25, 1}
		const none: int8[3] {0, 0, 0}
		const b: int32[3] {100, -50, 3}
		const u: float32[3] {0.125, 0.0625, 0.25}
		const r: float32[] {16}
		const lo: uint8[] {0}
		q = QuantizeLinear(x, s, z)
		d = DequantizeLinear(q, s, z)
		e = DequantizeLinear(w, t, none) axis=0
		f = DequantizeLinear(b, u) axis=0
		c = Conv(d, e, f) pads=[1, 1, 1, 1]
		a = Relu(c)
		p = QuantizeLinear(a, r, lo)
		h = DequantizeLinear(p, r, lo)
		m = MaxPool(h) kernel_shape=[2, 2] strides=[2, 2]
		n = QuantizeLinear(m, r, lo)
		y = DequantizeLinear(n, r, lo)
		output y`},
	{"integers-signed", `
		input x: float32[2, 6]
		const s: float32[] {0.25}
		const z: int8[] {-3}
		const w: int8[4, 6]
		const t: float32[] {0.5}
		const c: float32[4] {1, -2, 3, 0.5}
		const r: float32[] {16}
		const k: int8[] {5}
		q = QuantizeLinear(x, s, z)
		d = DequantizeLinear(q, s, z)
		e = DequantizeLinear(w, t)
		g = Gemm(d, e, c) transB=1
		p = QuantizeLinear(g, r, k)
		h = DequantizeLinear(p, r, k)
		y = Add(h, c)
		output p
		output y`},
	{"integers-weights", `
		input x: float32[2, 3, 6]
		const s: float32[] {0.25}
		const z: uint8[] {128}
		const w: uint8[6, 3] {0, 255, 128, 1, 2, 3, 7, 200, 100, 255, 255, 9, 0, 0, 1, 200, 100, 3}
		const t: float32[3] {0.5, 1, 0.25}
		const v: uint8[3] {255, 0, 127}
		q = QuantizeLinear(x, s, z)
		d = DequantizeLinear(q, s, z)
		e = DequantizeLinear(w, t, v) axis=1
		y = MatMul(d, e)
		output y`},
	{"integers-moved", `
		input x: float32[1, 2, 4]
		const s: float32[] {0.25}
		const z: int8[] {-3}
		const n: int64[2] {2, 4}
		q = QuantizeLinear(x, s, z)
		d = DequantizeLinear(q, s, z)
		t = Transpose(d) perm=[0, 2, 1]
		c = Concat(t, t) axis=1
		y = QuantizeLinear(c, s, z)
		u = DequantizeLinear(q, s, z)
		f = Reshape(u, n)
		v = Relu(f)
		output y
		output v`},
	{"integers-kept", `
		input x: float32[2, 6]
		input r: float32[]
		const s: float32[] {0.25}
		const zero: float32[] {0}
		const z: uint8[] {7}
		const w: int8[6, 6]
		const t: float32[] {0.5}
		const rows: float32[6] {0.5, 1, 2, 1, 0.5, 4}
		const f: float32[6, 6]
		const far: int8[65536, 1]
		input long: uint8[1, 65536]
		q = QuantizeLinear(x, s, z)
		d = DequantizeLinear(q, s, z)
		e = DequantizeLinear(w, t)
		scale_is_data = DequantizeLinear(q, r, z)
		a = MatMul(scale_is_data, e)
		scale_of_zero = DequantizeLinear(q, zero, z)
		b = MatMul(scale_of_zero, e)
		along_rows = DequantizeLinear(w, rows) axis=0
		c = MatMul(d, along_rows)
		weights_of_zero = DequantizeLinear(w, zero)
		g = MatMul(d, weights_of_zero)
		h = MatMul(d, f)
		i = MatMul(x, e)
		j = Gemm(d, e) alpha=2.0
		both = Transpose(d) perm=[1, 0]
		k = MatMul(both, d)
		many = DequantizeLinear(long, s, z)
		long_weights = DequantizeLinear(far, t)
		l = MatMul(many, long_weights)
		output a
		output b
		output c
		output g
		output h
		output i
		output j
		output k
		output l`},
	// Of two operands that are no constants, whole numbers; not an odd number of products, those of vectors, of a scale
	// that differs from row to row or of one that is no normal number with the other.
	{"integers-whole", `
		input x: uint8[2, 3, 4]
		input w: uint8[2, 4, 5]
		input odd: uint8[2, 5, 3]
		input v: uint8[4]
		const s: float32[] {0.25}
		const t: float32[] {0.5}
		const rows: float32[3] {0.5, 1, 2}
		const tiny: float32[] {1e-20}
		const z: uint8[] {7}
		d = DequantizeLinear(x, s, z)
		e = DequantizeLinear(w, t)
		a = MatMul(d, e)
		y = QuantizeLinear(a, t, z)
		b = MatMul(d, e)
		f = DequantizeLinear(odd, s, z)
		g = MatMul(e, f)
		h = DequantizeLinear(v, s, z)
		i = MatMul(d, h)
		j = DequantizeLinear(x, rows) axis=1
		k = MatMul(j, e)
		l = DequantizeLinear(x, tiny, z)
		n = DequantizeLinear(w, tiny)
		m = MatMul(l, n)
		output y
		output b
		output g
		output i
		output k
		output m`},
	{"integers-sums", `
		input x: float32[1, 4, 5, 5]
		const s: float32[] {0.25}
		const z: uint8[] {7}
		const w: int8[4, 1, 3, 3]
		const t: float32[4] {0.5, 0.25, 1, 2}
		const b: int32[4] {100, -50, 3, 16000000}
		const u: float32[4] {0.125, 0.0625, 0.25, 0.5}
		const r: float32[] {16}
		const lo: uint8[] {100}
		q = QuantizeLinear(x, s, z)
		d = DequantizeLinear(q, s, z)
		e = DequantizeLinear(w, t) axis=0
		f = DequantizeLinear(b, u) axis=0
		c = Conv(d, e, f) pads=[1, 1, 1, 1] group=4
		p = QuantizeLinear(c, r, lo)
		h = DequantizeLinear(p, r, lo)
		sum = Add(h, d)
		y = QuantizeLinear(sum, r, lo)
		less = Sub(c, d)
		more = Relu(less)
		v = QuantizeLinear(more, r, lo)
		product = Mul(d, h)
		k = QuantizeLinear(product, r, lo)
		output y
		output v
		output k`},
	{"integers-divided", `
		input x: float32[1, 4, 5, 5]
		input data: float32[]
		const s: float32[] {0.25}
		const z: uint8[] {7}
		const w: int8[4, 2, 3, 3]
		const one: int8[4, 1, 1, 1] {1, 2, 3, 4}
		const t: float32[] {0.5}
		const b: int32[4] {16777000, 1, 2, 3}
		const u: float32[] {0.125}
		const r: float32[] {16}
		const far: float32[] {1e-30}
		const none: float32[] {1e30}
		const lo: uint8[] {100}
		q = QuantizeLinear(x, s, z)
		d = DequantizeLinear(q, s, z)
		e = DequantizeLinear(w, t)
		pairs_of_channels = Conv(d, e) group=2
		f = DequantizeLinear(one, t)
		g = DequantizeLinear(b, u)
		bias_is_large = Conv(d, f, g) group=4
		of_floats = Add(d, x)
		a = QuantizeLinear(of_floats, r, lo)
		scale_is_data = DequantizeLinear(q, data, z)
		of_data = Add(d, scale_is_data)
		c = QuantizeLinear(of_data, r, lo)
		quotient = Div(d, r)
		h = QuantizeLinear(quotient, r, lo)
		const v: float32[5] {1, 2, 3, 4, 5}
		sum = Add(v, d)
		j = QuantizeLinear(sum, r, lo)
		const huge: float32[5] {1, 2, 3, 4, 3e38}
		const small: float32[] {0.01}
		infinite = Add(huge, d)
		k = QuantizeLinear(infinite, small, lo)
		tiny = DequantizeLinear(q, far, z)
		no_normal_number = Add(d, tiny)
		i = QuantizeLinear(no_normal_number, none, lo)
		output pairs_of_channels
		output bias_is_large
		output a
		output c
		output h
		output j
		output k
		output i`},
	{"taps", `
		input x: float32[1, 2, 3, 5]
		const w: float32[1, 2, 3, 3] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}
		const line: float32[2, 2, 7, 1]
		const b: float32[1] {1}
		both = Conv(x, w, b) dilations=[3, 5] pads=[3, 5, 3, 5] kernel_shape=[3, 3]
		one = Conv(x, w) dilations=[3, 4] pads=[3, 4, 3, 4]
		first = Conv(x, w) dilations=[3, 4] pads=[4, 4, 2, 4]
		none = Conv(x, w) dilations=[2, 4] pads=[2, 4, 2, 4]
		long = Conv(x, line) strides=[2, 1] auto_pad="SAME_UPPER"
		output both
		output one
		output first
		output none
		output long`},
	{"taps-parts", `
		input x: float32[1, 64, 6, 3]
		const w: float32[2, 64, 3, 1]
		const b: float32[2] {1, 2}
		y = Conv(x, w, b) dilations=[5, 1] pads=[5, 0, 5, 0]
		z = Conv(x, w) dilations=[5, 1] pads=[5, 0, 5, 0] strides=[2, 2]
		kept = Conv(x, w) dilations=[2, 1] pads=[2, 0, 2, 0]
		const small: float32[2, 64, 5, 3]
		const nine: float32[2, 64, 9, 1]
		dense = Conv(x, nine) pads=[4, 0, 4, 0]
		many = Conv(x, small) dilations=[3, 2] pads=[6, 2, 6, 2]
		output y
		output z
		output kept
		output dense
		output many`},
	{"attention", `
		input s: float32[2, 4, 3]
		input v: float32[3, 5]
		input m: float32[3, 3]
		p = Softmax(s) axis=-1
		t = Transpose(p) perm=[0, 2, 1]
		u = Identity(p)
		y = MatMul(u, v)
		z = MatMul(t, u)
		q = Softmax(m) axis=0
		l = Log(q)
		w = MatMul(q, v)
		g = Softmax(m) axis=1
		o = Gemm(g, v)
		output y
		output z
		output l
		output w
		output g
		output o`},
	{"attention-attend", `
		input s: float32[2, 9, 3]
		input v: float32[2, 3, 5]
		input w: float32[3, 5]
		input t: float32[2, 5, 4]
		input one: float32[2, 1, 3]
		p = Softmax(s) axis=-1
		y = MatMul(p, v)
		q = wmtune.MaskedSoftmax(s)
		leaves = wmtune.MaskedSoftmax(y)
		n = MatMul(leaves, t)
		u = Transpose(v) perm=[0, 2, 1]
		z = wmtune.MatMul(q, u) transB=1
		r = Softmax(s)
		broadcast = MatMul(r, w)
		d = Softmax(one)
		decode = MatMul(d, v)
		output y
		output z
		output leaves
		output n
		output broadcast
		output decode`},
	{"heads", `
		input q: float32[1, 8, 3, 64]
		input k: float32[1, 4, 9, 64]
		input v: float32[1, 4, 9, 64]
		const two: int64[5] {1, 1, 2, 1, 1}
		const five: int64[5] {1, 4, 1, 9, 64}
		const heads: int64[4] {1, 8, 9, 64}
		k5 = Reshape(k, five)
		v5 = Reshape(v, five)
		ke = Expand(k5, two)
		ve = Expand(v5, two)
		kh = Reshape(ke, heads)
		vh = Reshape(ve, heads)
		kt = Transpose(kh) perm=[0, 1, 3, 2]
		s = MatMul(q, kt)
		p = Softmax(s) axis=-1
		y = MatMul(p, vh)
		z = MatMul(kh, kt)
		output y
		output z`},
	{"scales", `
		input q: float32[2, 3, 4]
		input k: float32[2, 4, 3]
		const c: float32[] {0.375}
		const eight: float32[1] {-8}
		input p: float64[3, 3]
		const two: float64[] {2}
		s = Mul(c, q)
		t = Div(k, eight)
		y = MatMul(s, t)
		u = Mul(p, two)
		z = MatMul(u, p)
		output y
		output z`},
	{"scales-kept", `
		input q: float32[4, 4]
		const c: float32[] {0.375}
		const three: float32[] {3}
		const huge: float32[] {2e6}
		const tiny: float32[] {5e-7}
		const half: float32[] {0.5}
		const row: float32[4] {2, 1, 3, 4}
		const rows: float32[1, 1, 1] {0.5}
		input n: int32[4, 4]
		const two: int32[] {2}
		a = Mul(q, c)
		shared = MatMul(a, q)
		other = Relu(a)
		b = Mul(q, c)
		leaves = MatMul(b, q)
		d = Div(q, three)
		inexact = MatMul(d, q)
		f = Mul(q, huge)
		large = MatMul(f, q)
		l = Mul(q, tiny)
		small = MatMul(l, q)
		p = Exp(q)
		m = Div(half, p)
		quotient = MatMul(m, q)
		h = Mul(q, row)
		vector = MatMul(h, q)
		i = Mul(q, rows)
		grows = MatMul(i, q)
		j = Mul(n, two)
		integers = MatMul(j, n)
		output shared
		output other
		output leaves
		output b
		output inexact
		output large
		output small
		output quotient
		output vector
		output grows
		output integers`},
	{"products", `
		input x: float32[2, 3, 4]
		input q: float32[1, 2, 3, 4]
		input k: float32[1, 2, 4, 3]
		const w: float32[4, 5]
		y = MatMul(x, w)
		z = MatMul(q, k)
		output y
		output z`},
	{"weights", `
		input x: float32[2, 3, 18]
		const q: int8[18, 2] {-8, 7, -7, 6, -6, 5, -5, 4, -4, 3, -3, 2, -2, 1, -1, 0, 0, -1, 1, -2, 2, -3, 3, -4, 4, 0, 5, -6, 6, 0, 7, 0, 0, 1, 1, 0}
		const s: float32[2, 2] {0.5, 0.25, 1, 2}
		const z: int8[2, 2] {0, 1, 2, 3}
		w = DequantizeLinear(q, s, z) axis=0 block_size=16
		y = MatMul(x, w)
		output y`},
	{"gathers", `
		input i: int64[2, 2]
		input t: float32[3, 4]
		const q: int8[3, 4] {1, 2, 3, 4, 5, 6, 7, -8, 9, 10, 11, 12}
		const s: float32[3] {0.5, 0.25, 2}
		const z: int8[3] {1, 0, 2}
		w = DequantizeLinear(q, s, z) axis=0
		rows = Gather(w, i)
		const one: float32[] {0.5}
		v = DequantizeLinear(q, one)
		columns = Gather(v, i) axis=1
		real = DequantizeLinear(q, s) axis=0
		stays = Gather(real, i)
		other = Add(real, t)
		output rows
		output columns
		output stays
		output other`},
	{"weights-transposed", `
		input x: float32[1, 4]
		const c: float32[2] {1, 2}
		const q: int8[2, 4] {1, 2, 3, 100, 4, 5, 6, 7}
		const s: float32[2] {0.5, 0.25}
		const t: float32[4] {1, 2, 3, 4}
		w = DequantizeLinear(q, s) axis=0
		v = Transpose(w)
		a = MatMul(x, v)
		b = Gemm(x, w, c) transB=1
		rows = DequantizeLinear(q, t) axis=1
		d = Gemm(x, rows) transB=1
		y = Sum(a, b, d)
		output y`},
	{"winograd", `
		input x: float32[1, 31, 33, 64]
		const w: float32[3, 3, 64, 64]
		const b: float32[64]
		y = wmtune.Conv(x, w, b) pads=[1, 1, 1, 1]
		output y`},
	{"winograd-depth", `
		input x: float32[1, 9, 24, 24, 16]
		const w: float32[3, 3, 3, 16, 32]
		y = wmtune.Conv(x, w) pads=[1, 1, 1, 1, 1, 1] strides=[2, 1, 1]
		output y`},
	{"reshapes", `
		input x: float32[4, 6]
		const s: int64[3] {2, 2, 6}
		const t: int64[2] {4, 6}
		const k: float32[6]
		a = Reshape(x, s)
		b = Add(a, k)
		c = Relu(b)
		y = Reshape(c, t)
		output y`},
	{"lookups", `
		input x: uint8[2, 3]
		const s: float32[] {0.5}
		const t: float32[] {0.125}
		const z: uint8[] {128}
		a = DequantizeLinear(x, s, z)
		b = Sigmoid(a)
		q = QuantizeLinear(b, t, z)
		c = DequantizeLinear(q, t, z)
		d = Mul(a, c)
		y = QuantizeLinear(d, s, z)
		e = DequantizeLinear(y, s, z)
		f = Tanh(e)
		g = Neg(f)
		w = QuantizeLinear(g, t, z)
		output y
		output w`},
	// Not what is cheap, is made of two bytes, of those of another place, or of what differs from row to row, and no
	// other numbers than bytes.
	{"lookups-kept", `
		input x: uint8[2, 2]
		input o: uint8[2, 2]
		input n: int8[2, 2]
		const s: float32[] {0.5}
		const z: uint8[] {128}
		const r: float32[2, 1] {1, 2}
		a = DequantizeLinear(x, s, z)
		b = Relu(a)
		cheap = QuantizeLinear(b, s, z)
		c = DequantizeLinear(o, s, z)
		d = Sigmoid(a)
		e = Mul(c, d)
		two = QuantizeLinear(e, s, z)
		f = Transpose(d) perm=[1, 0]
		g = Mul(f, a)
		moved = QuantizeLinear(g, s, z)
		h = Mul(d, r)
		rows = QuantizeLinear(h, s, z)
		i = DequantizeLinear(n, s)
		j = Sigmoid(i)
		k = Mul(i, j)
		signed = QuantizeLinear(k, s, z)
		l = Mul(a, d)
		floats = Neg(l)
		output cheap
		output two
		output moved
		output rows
		output signed
		output floats`},
	{"again", `
		input x: float32[4, 6]
		a = Identity(x)
		b = Relu(a)
		c = Relu(x)
		y = Add(b, c)
		output y`},

	// What the fuzzer found. A Slice and a Transpose that change nothing are elementwise, and do not follow a reshape.
	{"reshapes-slice", `
		input x: float32[8, 7]
		const from: int64[1] {0}
		const to: int64[1] {1}
		a = ArgMin(x) axis=0 keepdims=0
		b = Flatten(a) axis=0
		y = Slice(b, from, to, from)
		output y`},
	{"reshapes-transpose", `
		input x: float32[5]
		const s: int64[3] {1, 1, 5}
		a = Reshape(x, s)
		y = Transpose(a) perm=[0, 1, 2]
		output y`},
	{"reshapes-norm", `
		input x: float32[6]
		const s: int64[2] {2, 3}
		const k: float32[3] {1, 2, 3}
		a = Reshape(x, s)
		y = BatchNormalization(a, k, k, k, k)
		output y`},
}

// TestGolden runs passes on small graphs and compares the graphs as text. The reference computes the same before and
// after.
func TestGolden(t *testing.T) {
	ctx := context.Background()
	missing := Names()
	for _, e := range examples {
		at := -1
		for i, name := range Names() {
			if strings.HasPrefix(e.name+"-", name+"-") {
				at = i
			}
		}
		if at < 0 {
			t.Fatalf("%s: no pass has that name", e.name)
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == passes[at].name })
		g := graphtest.MustParse(e.text, 18)
		g.Name = e.name
		original, _ := g.Clone()
		if at > 0 {
			if err := infer(ctx, g); err != nil {
				t.Fatalf("%s: %v", e.name, err)
			}
		}
		before := g.String()
		if err := passes[at].run(ctx, g); err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		if err := graph.Check(g); err != nil {
			t.Errorf("%s: %v\n%s", e.name, err, g)
		}
		if err := equal(ctx, original, g); err != nil {
			t.Errorf("%s: %v\nbefore\n%s\nafter\n%s", e.name, err, before, g)
		}
		golden(t, e.name, "before\n"+before+"after\n"+g.String())
	}
	if len(missing) > 0 {
		t.Errorf("passes without an example: %v", missing)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./graph/pass -update writes it", err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

// equal compares what two graphs of the same inputs compute of random numbers.
func equal(ctx context.Context, a, b *graph.Graph) error {
	r := rand.New(rand.NewPCG(1, 2))
	var inputs []*graph.Tensor
	for _, v := range a.Inputs {
		x := graph.NewTensor(v.Type, v.Shape...)
		for i := range x.F {
			x.F[i] = float64(r.IntN(65)-32) / 16
		}
		inputs = append(inputs, x)
	}
	want, err := op.Evaluator().Run(ctx, a, inputs)
	if err != nil {
		return err
	}
	got, err := op.Evaluator().Run(ctx, b, inputs)
	if err != nil {
		return err
	}
	for i, x := range want {
		y := got[i]
		if x.Type != y.Type || !slices.Equal(x.Shape, y.Shape) {
			return fmt.Errorf("output %d is %s%v, and was %s%v", i, y.Type, y.Shape, x.Type, x.Shape)
		}
		largest := 0.0
		for k := range x.Len() {
			largest = max(largest, math.Abs(x.At(k)))
		}
		for k := range x.Len() {
			if p, q := x.At(k), y.At(k); !(math.Abs(p-q) <= 1e-6*(10+largest)) {
				return fmt.Errorf("output %d, element %d is %v, and was %v", i, k, q, p)
			}
		}
	}
	return nil
}

// TestComputedReshape: no pass goes past a reshape whose shape is an input, since it checks that at run time.
func TestComputedReshape(t *testing.T) {
	for _, text := range []string{
		"const w: float32[6, 2] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}\n" +
			"a: float32[1, 4, 6] = Reshape(x, s)\ny = MatMul(a, w)",
		"t = Transpose(x) perm=[1, 0]\na: float32[3, 2, 4] = Reshape(t, s)\ny = Transpose(a) perm=[2, 0, 1]",
	} {
		g := graphtest.MustParse("input x: float32[4, 6]\ninput s: int64[3]\n"+text+"\noutput y", 18)
		if err := Run(context.Background(), g, Options{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(g.String(), ", s)") {
			t.Errorf("nothing reads s:\n%s", g)
		}
	}
}

// TestSkip: passes that later stages need cannot be left out, and unknown ones are an error.
func TestSkip(t *testing.T) {
	for name, says := range map[string]string{"decompose": "cannot be left out", "nonsense": "no pass is called"} {
		g := graphtest.MustParse("input x: float32[2]\ny = Relu(x)\noutput y", 18)
		if err := Run(context.Background(), g, Options{Skip: []string{name}}); err == nil || !strings.Contains(err.Error(),
			says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
