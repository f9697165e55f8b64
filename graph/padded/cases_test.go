package padded

// operatorCases are graphs of one operator, or of what exporters make of one, each.
var operatorCases = []struct {
	name, dims, text string
	version          int
}{
	{name: "elementwise", dims: "b=0..3 s=0..9", text: `
		input x: float32[b, s, 4]
		input y: float32[s, 1]
		input z: int64[b, s, 4]
		const w: float32[4]
		a = Add(x, y)
		c = Mul(a, w)
		d = Relu(c)
		q = Div(z, z)
		r = Mod(z, z)
		output d
		output q`},
	{name: "attention with lengths of its own", dims: "s=1..5 t=0..3", version: 24, text: `
		input q: float32[2, 2, s, 4]
		input k: float32[2, 2, 9, 4]
		input v: float32[2, 2, 9, 4]
		input x: float32[t]
		const n: int64[2] {9, 6}
		y = Attention(q, k, v, _, _, _, n) is_causal=1
		z = Attention(q, k, v, _, _, _, n) left_window_size=2 right_window_size=0
		w = Relu(x)
		output y
		output z
		output w`},
	{name: "rows", dims: "b=0..3 s=0..9", text: `
		input ids: int64[b, s]
		input x: float32[b, s, 4]
		input m: float32[s, 1]
		input c: float32[b, 1, 1]
		const table: float32[6, 4]
		const w: float32[4, 6]
		const u: float32[6, 4]
		const row: float32[4]
		const one: float32[1, 1, 4]
		const flat: int64[2] {-1, 4}
		const last: int64[1] {2}
		const to: int64[4] {0, 0, 2, 2}
		e = Gather(table, ids)
		p = Add(e, m)
		q = Mul(p, c)
		k = Sub(q, one)
		n = LayerNormalization(k, row, row) epsilon=0.1
		h = MatMul(n, w)
		g = Softmax(h) axis=-1
		r = ReduceMean(g) axes=[-1]
		f = MatMul(g, u)
		a = Add(f, x)
		z = Sub(a, r)
		d = Reshape(z, flat)
		j = Gemm(d, w)
		v = Reshape(z, to)
		t = Transpose(v) perm=[0, 1, 3, 2]
		o = Transpose(v) perm=[0, 2, 1, 3]
		y = ReduceSum(a, last)
		i = Cast(y) to=7
		output z
		output j
		output t
		output o
		output i`},
	{name: "none or one", dims: "n=0..1", text: `
		input a: float32[n, 1, 4]
		input w: float32[1, 1, 4]
		const zero: int64[] {0}
		const one: int64[] {1}
		s = Shape(a)
		k = Gather(s, zero)
		m = Add(k, one)
		y = Range(zero, m, one)
		z = Mul(a, w)
		output y
		output z`},
	{name: "sums", dims: "b=0..3 s=0..9", text: `
		input x: float32[b, s, 4]
		const one: int64[1] {1}
		const two: int64[2] {0, 1}
		a = ReduceSum(x, one) keepdims=0
		b = ReduceSum(x, two)
		c = ReduceSum(x)
		e = Exp(x)
		d = ReduceL2(e) axes=[1]
		f = ReduceLogSumExp(e) axes=[1] keepdims=0
		h = ReduceProd(x) axes=[0]
		output a
		output b
		output c
		output d
		output f
		output h`},
	{name: "extremes", dims: "b=1..3 s=1..9", text: `
		input x: float32[b, s, 4]
		input n: int64[b, s]
		a = ReduceMax(x) axes=[1] keepdims=0
		b = ReduceMin(x) axes=[1, 2]
		c = ArgMax(x) axis=1
		d = ArgMin(x) axis=1 keepdims=0
		e = ReduceMax(n) axes=[1]
		m = Sub(n, n)
		k = ArgMin(m) axis=1
		output a
		output b
		output c
		output d
		output e
		output k`},
	{name: "means", dims: "b=1..3 s=1..9", text: `
		input x: float32[b, s, 4]
		a = ReduceMean(x) axes=[1] keepdims=0
		b = ReduceMean(x) axes=[0, 1, 2]
		c = ReduceMean(x) axes=[-1]
		d = ReduceMean(x)
		output a
		output b
		output c
		output d`},
	{name: "softmax", dims: "b=0..3 s=0..9", text: `
		input x: float32[b, s, 4]
		a = Softmax(x) axis=1
		b = Softmax(x) axis=-1
		c = LogSoftmax(x) axis=0
		output a
		output b
		output c`},
	{name: "softmax of version 11", dims: "b=0..3 s=0..9", version: 11, text: `
		input x: float32[b, s, 4]
		a = Softmax(x) axis=1
		output a`},
	{name: "products", dims: "b=0..3 s=0..9 t=0..5", text: `
		input x: float32[b, s, 4]
		input y: float32[b, 4, t]
		input z: float32[t, 3]
		const w: float32[4, 6]
		a = MatMul(x, w)
		b = MatMul(x, y)
		c = MatMul(b, z)
		d = Transpose(b) perm=[0, 2, 1]
		e = MatMul(d, x)
		output a
		output b
		output c
		output e`},
	{name: "gemm", dims: "s=0..9 t=0..5", text: `
		input x: float32[s, t]
		input y: float32[s, 3]
		const w: float32[3]
		a = Gemm(x, y, w) transA=1
		b = Gemm(y, x) transA=1
		output a
		output b`},
	{name: "einsum", dims: "b=0..3 s=0..9 t=0..5", text: `
		input x: float32[b, s, 4]
		input y: float32[b, t, 4]
		a = Einsum(x, y) equation="bsd,btd->bst"
		c = Einsum(a, y) equation="bst,btd->bsd"
		output a
		output c`},
	{name: "attention", dims: "b=0..3 s=0..9", text: `
		input x: float32[b, s, 12]
		const w: float32[12, 12]
		const v: float32[12, 12]
		q = MatMul(x, w)
		k = MatMul(x, v)
		shape = Shape(x)
		const zero: int64[1] {0}
		const one: int64[1] {1}
		const heads: int64[1] {3}
		const wide: int64[1] {4}
		const all: int64[1] {12}
		n = Gather(shape, zero)
		l = Gather(shape, one)
		to = Concat(n, l, heads, wide) axis=0
		back = Concat(n, l, all) axis=0
		q4 = Reshape(q, to)
		k4 = Reshape(k, to)
		qt = Transpose(q4) perm=[0, 2, 1, 3]
		kt = Transpose(k4) perm=[0, 2, 3, 1]
		vt = Transpose(k4) perm=[0, 2, 1, 3]
		scores = MatMul(qt, kt)
		p = Softmax(scores) axis=-1
		o = MatMul(p, vt)
		ot = Transpose(o) perm=[0, 2, 1, 3]
		y = Reshape(ot, back)
		output y`},
	{name: "a causal mask and positions", dims: "b=1..3 s=1..9", text: `
		input ids: int64[b, s]
		const table: float32[2, 4]
		const places: float32[16, 4]
		x = Gather(table, ids)
		shape = Shape(ids)
		const one: int64[] {1}
		const zero: int64[] {0}
		const first: int64[1] {0}
		l = Gather(shape, one)
		r = Range(zero, l, one)
		p = Gather(places, r)
		h = Add(x, p)
		l1 = Unsqueeze(l, first)
		square = Concat(l1, l1) axis=0
		mask = ConstantOfShape(square)
		neg = Exp(mask)
		up = Trilu(neg, one)
		t = Transpose(h) perm=[0, 2, 1]
		s = MatMul(h, t)
		m = Sub(s, up)
		w = Softmax(m) axis=-1
		y = MatMul(w, h)
		const tail: int64[1] {-1}
		last = Gather(y, tail) axis=1
		output y
		output last`},
	{name: "numbers of extents", dims: "b=1..3 s=1..9", text: `
		input x: float32[b, s, 4]
		shape = Shape(x)
		const one: int64[] {1}
		const axes: int64[1] {1}
		l = Gather(shape, one)
		f = Cast(l) to=1
		q = Sqrt(f)
		sum = ReduceSum(x, axes) keepdims=0
		a = Div(sum, f)
		c = Mul(x, q)
		output a
		output c`},
	{name: "a merged batch", dims: "b=1..3 s=1..9", text: `
		input x: float32[b, s, 4]
		const flat: int64[2] {-1, 4}
		const w: float32[4, 5]
		rows = Reshape(x, flat)
		p = MatMul(rows, w)
		e = Exp(p)
		sum = ReduceSum(e)
		soft = Softmax(e) axis=0
		shape = Shape(x)
		const two: int64[2] {0, 1}
		const five: int64[1] {5}
		lead = Gather(shape, two)
		to = Concat(lead, five) axis=0
		y = Reshape(soft, to)
		output e
		output sum
		output y`},
	{name: "slices", dims: "b=1..3 s=3..9", text: `
		input x: float32[b, s, 6]
		const n1: int64[1] {1}
		const end: int64[1] {9223372036854775807}
		const m1: int64[1] {-1}
		const m2: int64[1] {-2}
		const first: int64[1] {-9223372036854775807}
		const two: int64[1] {2}
		a = Slice(x, n1, end, n1)
		b = Slice(x, n1, m1, n1)
		c = Slice(x, m2, end, n1)
		d = Slice(x, m1, first, n1, m1)
		e = Slice(x, n1, end, n1, two)
		f = Slice(x, m2, end, two)
		const both: int64[2] {1, 2}
		const froms: int64[2] {-3, 2}
		const ends: int64[2] {9223372036854775807, 5}
		g = Slice(x, froms, ends, both)
		output a
		output b
		output c
		output d
		output e
		output f
		output g`},
	{name: "slices of version 7", dims: "b=1..3 s=3..9", version: 7, text: `
		input x: float32[b, s, 6]
		a = Slice(x) axes=[1] starts=[-2] ends=[9223372036854775807]
		b = Slice(x) axes=[1, 2] starts=[0, 3] ends=[-1, 6]
		output a
		output b`},
	{name: "joins", dims: "b=1..3 p=0..5 s=0..9", text: `
		input past: float32[b, p, 4]
		input x: float32[b, s, 4]
		const row: float32[1, 1, 4]
		a = Concat(past, x) axis=1
		t = Transpose(a) perm=[0, 2, 1]
		sum = MatMul(t, a)
		b = Concat(x, past, x) axis=1
		c = Concat(past, x, x) axis=1
		output a
		output sum
		output b
		output c`},
	{name: "a first row", dims: "b=1..3 s=0..9", text: `
		input x: float32[b, s, 4]
		const row: float32[1, 1, 4]
		shape = Shape(x)
		const zero: int64[1] {0}
		const ones: int64[2] {1, 1}
		n = Gather(shape, zero)
		to = Concat(n, ones) axis=0
		rows = Expand(row, to)
		a = Concat(rows, x) axis=1
		sum = ReduceSum(a)
		output a
		output sum`},
	{name: "splits", dims: "s=2..9", text: `
		input x: float32[s, 6]
		a, b = Split(x) axis=1
		shape = Shape(x)
		const zero: int64[1] {0}
		const two: int64[1] {2}
		n = Gather(shape, zero)
		rest = Sub(n, two)
		sizes = Concat(rest, two) axis=0
		c, d = Split(x, sizes) axis=0
		output a
		output b
		output c
		output d`},
	{name: "pads", dims: "s=4..9 t=3..9", text: `
		input x: float32[1, 2, s, t]
		const p: int64[8] {0, 0, 1, 2, 0, 0, 3, 1}
		const q: int64[8] {0, 0, 0, 2, 0, 1, 0, 2}
		const v: float32[] {1.5}
		a = Pad(x, p, v)
		b = Pad(x, p) mode="reflect"
		c = Pad(x, q) mode="edge"
		d = Pad(x, q)
		output a
		output b
		output c
		output d`},
	{name: "gathers", dims: "b=1..3 s=2..9 t=0..5", text: `
		input x: float32[b, s, 4]
		input i: int64[t]
		input k: int64[b, t, 4]
		const neg: int64[3] {-1, 0, -2}
		const j: int64[2] {1, -1}
		n = Neg(i)
		a = Gather(x, n) axis=1
		c = Gather(x, neg) axis=1
		d = Gather(x, i) axis=2
		e = Gather(x, j) axis=2
		m = Neg(k)
		f = GatherElements(x, m) axis=1
		output a
		output c
		output d
		output e
		output f`},
	{name: "gather by points", dims: "b=1..3 s=2..9 t=0..5", text: `
		input x: float32[3, 2, s]
		input i: int64[t, 2]
		a = GatherND(x, i)
		output a`},
	{name: "one-hot", dims: "s=0..9", text: `
		input x: int64[s]
		const depth: int64[] {3}
		const values: float32[2] {0, 1}
		a = OneHot(x, depth, values)
		c = OneHot(x, depth, values) axis=0
		sum = MatMul(c, a)
		output a
		output sum`},
	{name: "tiles", dims: "b=1..3 s=1..9", text: `
		input x: float32[b, s]
		const r: int64[2] {1, 2}
		a = Tile(x, r)
		sum = ReduceSum(a)
		e = Exp(a)
		m = ReduceMax(e) axes=[1]
		output a
		output sum
		output m`},
	{name: "running sums", dims: "b=0..3 s=0..9", text: `
		input x: float32[b, s]
		const one: int64[] {1}
		a = CumSum(x, one)
		b = CumSum(x, one) reverse=1
		c = CumSum(x, one) reverse=1 exclusive=1
		output a
		output b
		output c`},
	{name: "greatest", dims: "b=1..3 s=3..9", text: `
		input x: float32[b, s]
		input n: int64[b, s]
		const k: int64[1] {3}
		a, i = TopK(x, k) axis=1
		b, j = TopK(x, k) axis=1 largest=0
		c, l = TopK(n, k) axis=1 largest=0
		shape = Shape(x)
		const one: int64[1] {1}
		all = Gather(shape, one)
		d, m = TopK(x, all) axis=1
		output a
		output i
		output b
		output j
		output c
		output l
		output d
		output m`},
	{name: "norms", dims: "b=1..2 h=2..9 w=3..7", text: `
		input x: float32[b, 3, h, w]
		const g: float32[3]
		const c: float32[3]
		a = InstanceNormalization(x, g, c) epsilon=0.01
		t = Transpose(x) perm=[0, 2, 3, 1]
		l = LayerNormalization(t, g, c) axis=-1
		output a
		output l`},
	{name: "convolutions", dims: "b=1..2 h=5..19 w=7..21", text: `
		input x: float32[b, 3, h, w]
		const k: float32[4, 3, 3, 3]
		const one: float32[4, 3, 1, 1]
		const c: float32[4]
		a = Conv(x, k, c) pads=[1, 1, 1, 1]
		b = Conv(x, k, c) pads=[1, 1, 1, 1] strides=[2, 2]
		d = Conv(x, one) strides=[2, 1]
		e = Conv(x, k) dilations=[2, 2] pads=[2, 2, 2, 2]
		const k2: float32[4, 4, 3, 3]
		f = Conv(b, k2) pads=[1, 1, 1, 1] strides=[2, 2]
		u = Conv(x, k) auto_pad="SAME_UPPER"
		output a
		output b
		output d
		output e
		output f
		output u`},
	{name: "Winograd's convolutions", dims: "b=1..2 h=5..27 w=7..41", text: `
		input x: float32[b, 32, h, w]
		const k: float32[32, 32, 3, 3]
		const c: float32[32]
		const k3: float32[4, 32, 3, 3]
		a = Conv(x, k, c) pads=[1, 1, 1, 1]
		r = Relu(a)
		d = Conv(r, k) pads=[1, 1, 1, 1]
		e = Add(d, r)
		f = MaxPool(e) kernel_shape=[3, 3] strides=[2, 2] pads=[1, 1, 1, 1]
		l = Conv(f, k3) strides=[2, 1]
		output l`},
	{name: "transposed convolutions", dims: "b=1..2 h=1..9 w=2..7", text: `
		input x: float32[b, 3, h, w]
		const k: float32[3, 4, 3, 3]
		const two: float32[3, 4, 2, 2]
		a = ConvTranspose(x, two) strides=[2, 2]
		b = ConvTranspose(x, k) strides=[2, 2] pads=[1, 1, 1, 1] output_padding=[1, 1]
		output a
		output b`},
	{name: "pools", dims: "b=1..2 h=5..19 w=7..21", text: `
		input x: float32[b, 3, h, w]
		const big: float32[] {100}
		y = Sub(x, big)
		a = MaxPool(y) kernel_shape=[3, 3] strides=[2, 2] pads=[1, 1, 1, 1]
		b = AveragePool(x) kernel_shape=[3, 3] strides=[2, 2] pads=[1, 1, 1, 1]
		c = AveragePool(x) kernel_shape=[3, 3] pads=[1, 1, 1, 1] count_include_pad=1
		d = AveragePool(x) kernel_shape=[2, 2] strides=[2, 2]
		e = MaxPool(x) kernel_shape=[2, 2] strides=[2, 2] ceil_mode=1
		f = AveragePool(x) kernel_shape=[2, 2] strides=[2, 2] ceil_mode=1
		g = GlobalAveragePool(x)
		m = GlobalMaxPool(y)
		output a
		output b
		output c
		output d
		output e
		output f
		output g
		output m`},
	{name: "resizes", dims: "b=1..2 h=2..9 w=3..7", text: `
		input x: float32[b, 3, h, w]
		const s: float32[4] {1, 1, 2, 2}
		a = Resize(x, _, s) mode="nearest" nearest_mode="floor" coordinate_transformation_mode="asymmetric"
		b = Resize(x, _, s) mode="linear"
		c = Resize(x, _, s) mode="cubic"
		d = Resize(x, _, s) mode="nearest" coordinate_transformation_mode="half_pixel"
		e = Resize(x, _, s) mode="nearest" nearest_mode="ceil" coordinate_transformation_mode="asymmetric"
		sum = ReduceSum(b)
		output a
		output b
		output c
		output d
		output e
		output sum`},
	{name: "blocks", dims: "b=1..2 h=1..9 w=1..7", text: `
		input x: float32[b, 8, h, w]
		a = DepthToSpace(x) blocksize=2
		c = SpaceToDepth(a) blocksize=2
		e = Exp(a)
		sum = ReduceSum(e)
		output a
		output c
		output sum`},
	{name: "sequences", dims: "t=1..9 b=1..3", text: `
		input x: float32[t, b, 3]
		const w: float32[2, 16, 3]
		const r: float32[2, 16, 4]
		const w3: float32[1, 12, 3]
		const r3: float32[1, 12, 4]
		y, h, c = LSTM(x, w, r) hidden_size=4 direction="bidirectional"
		z, k = GRU(x, w3, r3) hidden_size=4
		q, u = GRU(x, w3, r3) hidden_size=4 direction="reverse"
		output y
		output h
		output c
		output z
		output k
		output q`},
	{name: "dynamic quantization", dims: "b=1..3 s=1..9", text: `
		input x: float32[b, s, 4]
		const w: int8[4, 5]
		e = Mul(x, x)
		q, scale, zero = DynamicQuantizeLinear(e)
		p = MatMulInteger(q, w, zero)
		f = Cast(p) to=1
		y = Mul(f, scale)
		output y`},
	{name: "a convolutional net", dims: "b=1..2 h=9..30 w=7..21", text: `
		input x: float32[b, 3, h, w]
		const k: float32[8, 3, 3, 3]
		const c: float32[8]
		const k2: float32[8, 8, 3, 3]
		const k3: float32[4, 8, 1, 1]
		const up: float32[4] {1, 1, 2, 2}
		a = Conv(x, k, c) pads=[1, 1, 1, 1] strides=[2, 2]
		b = Relu(a)
		d = Conv(b, k2, c) pads=[1, 1, 1, 1]
		e = Add(d, b)
		f = Relu(e)
		g = MaxPool(f) kernel_shape=[3, 3] strides=[2, 2] pads=[1, 1, 1, 1]
		h = Conv(g, k2, c) pads=[1, 1, 1, 1]
		i = Sigmoid(h)
		j = Resize(i, _, up) mode="nearest" nearest_mode="floor" coordinate_transformation_mode="asymmetric"
		l = Conv(j, k3)
		m = GlobalAveragePool(i)
		n = Flatten(m)
		output l
		output n`},
	{name: "an encoder layer", dims: "b=1..3 s=1..9", text: `
		input ids: int64[b, s]
		input mask: int64[b, s]
		const table: float32[2, 12]
		const places: float32[1, 16, 12]
		const w: float32[12, 36]
		const wb: float32[36]
		const wo: float32[12, 12]
		const wu: float32[12, 24]
		const wd: float32[24, 12]
		const g: float32[12]
		const zero: int64[1] {0}
		const one: int64[1] {1}
		const axes: int64[2] {1, 2}
		const heads: int64[4] {0, 0, 3, 4}
		const back: int64[3] {0, 0, 12}
		const low: float32[] {-10000}
		const unit: float32[] {1}
		const parts: int64[3] {12, 12, 12}
		const half: float32[] {0.5}
		e = Gather(table, ids)
		shape = Shape(ids)
		n = Gather(shape, one)
		pos = Slice(places, zero, n, one)
		x = Add(e, pos)
		y = LayerNormalization(x, g, g) epsilon=0.01
		qkv = MatMul(y, w)
		qb = Add(qkv, wb)
		q, k, v = Split(qb, parts) axis=2
		qh = Reshape(q, heads)
		kh = Reshape(k, heads)
		vh = Reshape(v, heads)
		qt = Transpose(qh) perm=[0, 2, 1, 3]
		kt = Transpose(kh) perm=[0, 2, 3, 1]
		vt = Transpose(vh) perm=[0, 2, 1, 3]
		sc = MatMul(qt, kt)
		ss = Mul(sc, half)
		mf = Cast(mask) to=1
		mu = Unsqueeze(mf, axes)
		mi = Sub(unit, mu)
		mm = Mul(mi, low)
		sm = Add(ss, mm)
		pr = Softmax(sm) axis=-1
		o = MatMul(pr, vt)
		ot = Transpose(o) perm=[0, 2, 1, 3]
		of = Reshape(ot, back)
		op = MatMul(of, wo)
		r1 = Add(op, x)
		l1 = LayerNormalization(r1, g, g) epsilon=0.01
		u = MatMul(l1, wu)
		ru = Relu(u)
		dn = MatMul(ru, wd)
		r2 = Add(dn, l1)
		const two: int64[1] {2}
		mask3 = Unsqueeze(mf, two)
		kept = Mul(r2, mask3)
		sum = ReduceSum(kept, one) keepdims=0
		cnt = ReduceSum(mask3, one) keepdims=0
		pooled = Div(sum, cnt)
		output r2
		output pooled`},
	{name: "quantized convolutions", dims: "b=1..2 h=3..9 w=4..9", text: `
		input x: uint8[b, 3, h, w]
		const s: float32[] {0.5}
		const z: uint8[] {3}
		const wz: int8[] {1}
		const k: int8[4, 3, 3, 3]
		a = QLinearConv(x, s, z, k, s, wz, s, z) pads=[1, 1, 1, 1]
		c = ConvInteger(x, k, z, wz) pads=[0, 1, 2, 1]
		output a
		output c`},
	{name: "transposed convolutions that overlap", dims: "b=1..2 h=1..9 w=2..7", text: `
		input x: float32[b, 3, h, w]
		const k: float32[3, 4, 3, 3]
		y = Exp(x)
		a = ConvTranspose(y, k) strides=[2, 2]
		output a`},
	{name: "weights of rows in another order", dims: "s=1..9 t=1..5", text: `
		input x: float32[s, t]
		p = Softmax(x) axis=1
		q = Transpose(p)
		a = MatMul(q, x)
		c = MatMul(p, q)
		output a
		output c`},
	{name: "integers divided", dims: "s=0..9", text: `
		input x: int64[s, 3]
		const one: int64[] {1}
		y = Add(x, one)
		a = Div(x, y)
		c = Mod(x, y)
		output a
		output c`},
	{name: "smaller and larger again", dims: "h=1..40 w=2..24", text: `
		input x: float32[1, 3, h, w]
		const k: float32[8, 3, 3, 3]
		const k2: float32[8, 8, 3, 3]
		const up: float32[4] {1, 1, 2, 2}
		a = Conv(x, k) pads=[1, 1, 1, 1] strides=[2, 2]
		b = Conv(a, k2) pads=[1, 1, 1, 1] strides=[2, 2]
		c = Conv(b, k2) pads=[1, 1, 1, 1] strides=[2, 2]
		d = Resize(c, _, up) mode="nearest" nearest_mode="floor" coordinate_transformation_mode="asymmetric"
		e = Add(d, b)
		f = Resize(e, _, up) mode="linear"
		g = Add(f, a)
		output g`},
}
