package microsoft

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	products "github.com/wmtune/wmtune/graph/op/product"
	"github.com/wmtune/wmtune/tir"
)

// FewBits has operators on weights of 2, 4 or 8 bits in blocks that have a scale, and a zero point or the middle of the
// numbers. Products become those of real numbers, which read constant weights as they are. Accuracy level 4 asks for
// the other operand in 8 bits, with a scale for each block; other levels allow roundings that wmtune does not need.
var FewBits = []op.Row{
	{Op: domain + "MatMulNBits", Since: 1, In: "T1:F T2:I T1:F T3:N? T4:I? T1:F?", Infer: inferMatMulBits,
		Eval: evaluated(evalMatMulBits), Decompose: decomposeMatMulBits},
	row(domain+"GatherBlockQuantized", "T1:I Tind:I T2:F T1:I?", decomposeGatherBlocks, evalGatherBlocks),
}

// A packing says how numbers without sign lie in bytes: along the last dimension, the first in the lowest bits.
type packing struct{ bits, per int64 }

// middle is the zero point where there is none.
func (p packing) middle() int64 { return 1 << (p.bits - 1) }

func packingOf(n *graph.Node) (packing, error) {
	bits := n.Int("bits", 4)
	if bits != 2 && bits != 4 && bits != 8 {
		return packing{}, lacks(n, fmt.Sprintf("a weight of %d bits", bits), "quantize to 2, 4 or 8 bits")
	}
	return packing{bits, 8 / bits}, nil
}

// unpack returns n numbers for each row of bytes.
func (p packing) unpack(d *op.Decomposer, x *graph.Value, n int64) *graph.Value {
	if p.per == 1 {
		return x
	}
	lead := x.Shape[:len(x.Shape)-1]
	row := x.Shape[len(lead)] * p.per
	shifts := graph.NewTensor(tir.U8, p.per)
	for i := range shifts.I {
		shifts.I[i] = int64(i) * p.bits
	}
	y := d.Apply("BitShift", []*graph.Value{d.Reshape(x, append(slices.Clone(x.Shape), 1)...), d.Const(shifts)},
		graph.StrAttr("direction", "RIGHT"))
	y = d.Two("BitwiseAnd", y, d.Number(y, float64(int(1)<<p.bits-1)))
	return d.Cut(d.Reshape(y, append(slices.Clone(lead), row)...), int64(len(lead)), 0, n)
}

// Unpacked returns what move makes of v, a constant of a narrow type of integers that is packed along its last
// dimension, as numbers again. Numbers with a sign are stored without, the least as 0.
func Unpacked(d *op.Decomposer, v *graph.Value, move func(packed *graph.Value) *graph.Value) *graph.Value {
	p := packing{v.Narrow.Bits, 8 / v.Narrow.Bits}
	low, _ := v.Narrow.Range()
	x, shape, last := v.Const.Tensor(), slices.Clone(v.Shape), len(v.Shape)-1
	n, bytes := shape[last], (shape[last]+p.per-1)/p.per
	shape[last] = bytes
	packed := graph.NewTensor(tir.U8, shape...)
	for i, number := range x.I {
		row, at := int64(i)/n, int64(i)%n
		packed.I[row*bytes+at/p.per] |= (number - low) << (at % p.per * p.bits)
	}
	y := p.unpack(d, move(d.Const(packed)), n)
	if low == 0 {
		return y
	}
	y = d.Cast(y, tir.I8)
	return d.Two("Add", y, d.Number(y, float64(low)))
}

// unpacked is the reference of unpack.
func (p packing) unpacked(x *graph.Tensor, n int64) *graph.Tensor {
	last := len(x.Shape) - 1
	y := graph.NewTensor(tir.U8, append(slices.Clone(x.Shape[:last]), n)...)
	for i := range y.I {
		row, at := int64(i)/n, int64(i)%n
		y.I[i] = x.I[row*x.Shape[last]+at/p.per] >> (at % p.per * p.bits) & (1<<p.bits - 1)
	}
	return y
}

// A product is a MatMulNBits: of matrices of k numbers in a row by one of n columns, each in blocks.
type product struct {
	packing
	k, n, block, blocks, bytes int64 // bytes of a block
	rounds                     bool  // the other operand, to 8 bits
}

// roundsAt is the accuracy level that has the other operand rounded.
const roundsAt = 4

func productOf(n *graph.Node) (*product, error) {
	p, err := packingOf(n)
	if err != nil {
		return nil, err
	}
	m := &product{packing: p, k: n.Int("K", 0), n: n.Int("N", 0), block: n.Int("block_size", 0)}
	if m.k < 1 || m.n < 1 || m.block < 16 || m.block&(m.block-1) != 0 {
		return nil, fmt.Errorf("attributes K %d, N %d and block_size %d: the last must be a power of 2 from 16 on", m.k, m.n,
			m.block)
	}
	m.blocks, m.bytes = (m.k-1)/m.block+1, m.block/p.per
	m.rounds = n.Int("accuracy_level", 0) == roundsAt && op.Known(n, 1) && op.Known(n, 2) && op.Known(n, 3)
	x, b, scale, zero := n.Inputs[0], n.Inputs[1], n.Inputs[2], n.Input(3)
	elems := func(v *graph.Value, what string, want int64) error {
		if v != nil && v.Elems() != want {
			return fmt.Errorf("%s %s: it must have %d elements, for %d columns of %d blocks", what, v, want, m.n, m.blocks)
		}
		return nil
	}
	switch packed := (m.blocks-1)/p.per + 1; {
	case n.Input(4) != nil:
		return nil, lacks(n, "g_idx", "quantize without reordering of rows (actorder, desc_act)")
	case n.Int("weight_prepacked", 0) != 0:
		return nil, lacks(n, "weight_prepacked", "save the weights as the quantizer wrote them")
	case b.Type != tir.U8 || len(x.Shape) == 0 || x.Shape[len(x.Shape)-1] != m.k:
		return nil, fmt.Errorf("operands %s and %s: rows must have %d elements, and weights be uint8", x, b, m.k)
	case zero != nil && zero.Type != tir.U8 && zero.Type != x.Type:
		return nil, fmt.Errorf("zero points %s: they must be uint8 or %s", zero, x.Type)
	case zero != nil && zero.Type == tir.U8:
		err = elems(zero, "zero points", m.n*packed)
	default:
		err = elems(zero, "zero points", m.n*m.blocks)
	}
	if err == nil {
		err = elems(b, "weights", m.n*m.blocks*m.bytes)
	}
	if err == nil {
		err = elems(scale, "scales", m.n*m.blocks)
	}
	if bias := n.Input(5); err == nil && bias != nil {
		err = elems(bias, "bias", m.n)
	}
	return m, err
}

// inferMatMulBits does not decompose, which packs weights anew.
func inferMatMulBits(n *graph.Node) ([]op.Type, error) {
	m, err := productOf(n)
	if err != nil {
		return nil, err
	}
	x := n.Inputs[0]
	return []op.Type{{DType: x.Type, Shape: append(slices.Clone(x.Shape[:len(x.Shape)-1]), m.n)}}, nil
}

// decomposeMatMulBits leaves weights packed if they are constants; else they become real numbers at run time.
func decomposeMatMulBits(d *op.Decomposer) error {
	m, err := productOf(d.Node)
	if err != nil {
		return err
	}
	zero, zeros := d.Input(3), (m.blocks-1)/m.per+1
	if op.Known(d.Node, 1) && op.Known(d.Node, 2) && op.Known(d.Node, 3) {
		x, w := d.Input(0), m.weights(d.Node)
		if w.Bytes = m.rounds; m.rounds {
			w.K = m.blocks * m.block // what is behind the last number of a row counts as zeros
		}
		if y := w.Multiply(d, x); y != nil {
			d.Output(sum(d, d.Cast(y, d.Input(0).Type), d.Input(5)))
			return nil
		}
	}
	q := d.Cut(m.unpack(d, d.Reshape(d.Input(1), m.n, m.blocks*m.bytes), m.blocks*m.block), 1, 0, m.k)
	switch {
	case zero == nil:
		zero = d.Apply("Expand", []*graph.Value{d.Number(q, float64(m.middle())), d.Const(graph.Ints(m.n, m.blocks))})
	case zero.Type == tir.U8:
		zero = m.unpack(d, d.Reshape(zero, m.n, zeros), m.blocks)
	default:
		zero = d.Reshape(zero, m.n, m.blocks)
	}
	w := d.Apply("wmtune.DequantizeLinear", []*graph.Value{q, d.Reshape(d.Input(2), m.n, m.blocks), zero},
		graph.IntAttr("axis", 1), graph.IntAttr("block_size", m.block))
	y := d.Apply("wmtune.MatMul", []*graph.Value{d.Input(0), w}, graph.IntAttr("transB", 1))
	d.Output(sum(d, y, d.Input(5)))
	return nil
}

// weights returns constant weights.
func (m *product) weights(n *graph.Node) products.Weights {
	data, scale := n.Inputs[1].Const.Data, n.Inputs[2].Const.Tensor()
	code := func(data []byte, row, rowBytes, i int64) int64 {
		return int64(data[row*rowBytes+i/m.per]) >> (i % m.per * m.bits) & (1<<m.bits - 1)
	}
	w := products.Weights{K: m.k, N: m.n, Block: m.block, Type: scale.Type}
	w.Number = func(k, j int64) int64 { return code(data, j, m.blocks*m.bytes, k) }
	w.Scale = func(b, j int64) float64 { return scale.F[j*m.blocks+b] }
	w.Zero = func(int64, int64) float64 { return float64(m.middle()) }
	if z := n.Input(3); z != nil && z.Type == tir.U8 {
		w.Zero = func(b, j int64) float64 { return float64(code(z.Const.Data, j, (m.blocks-1)/m.per+1, b)) }
	} else if z != nil {
		zero := z.Const.Tensor()
		w.Zero = func(b, j int64) float64 { return zero.F[j*m.blocks+b] }
	}
	return w
}

func evalMatMulBits(r *reference) []*graph.Tensor {
	m, err := productOf(r.Node)
	r.fail(err)
	q := m.unpacked(array.Reshaped(r.in[1], []int64{m.n, m.blocks, m.bytes}), m.block)
	zero := r.input(3)
	if zero != nil && zero.I != nil {
		zero = m.unpacked(array.Reshaped(zero, []int64{m.n, (m.blocks-1)/m.per + 1}), m.blocks)
	}
	w := graph.NewTensor(r.in[0].Type, m.k, m.n)
	for i := range w.F {
		k, j := int64(i)/m.n, int64(i)%m.n
		at, by := j*m.blocks+k/m.block, float64(m.middle())
		if zero != nil {
			by = zero.At(int(at))
		}
		w.F[i] = (q.At(int(at*m.block+k%m.block)) - by) * r.in[2].F[at]
	}
	x := r.in[0]
	if m.rounds {
		x = products.RoundedToBytes(x, m.block)
	}
	return []*graph.Tensor{added(r.one("MatMul", []*graph.Tensor{x, w}), r.input(5))}
}

// A gather is a GatherBlockQuantized: rows along one axis, blocks along another.
type gather struct {
	packing
	gather, quantize int
	block            int64
	middle           int64 // the zero point without one
	shape            []int64
}

func gatherOf(n *graph.Node) (*gather, error) {
	p, err := packingOf(n)
	if err != nil {
		return nil, err
	}
	x, scale, zero := n.Inputs[0], n.Inputs[2], n.Input(3)
	g := &gather{packing: p, block: n.Int("block_size", 128), middle: 1 << (p.bits - 1), shape: slices.Clone(x.Shape)}
	if x.Type != tir.U8 || x.Narrow != nil { // one number an element
		g.packing = packing{p.bits, 1}
	}
	if x.Narrow != nil {
		g.middle = 0
	}
	if g.gather, err = array.Axis(n.Int("gather_axis", 0), len(x.Shape)); err != nil {
		return nil, err
	}
	if g.quantize, err = array.Axis(n.Int("quantize_axis", 1), len(x.Shape)); err != nil {
		return nil, err
	}
	last := len(x.Shape) - 1
	g.shape[last] *= g.per
	want := slices.Clone(g.shape)
	want[g.quantize] = (want[g.quantize] + max(g.block, 1) - 1) / max(g.block, 1)
	packed := slices.Clone(want)
	packed[last] = (packed[last] + g.per - 1) / g.per
	switch {
	case g.gather == g.quantize || g.per > 1 && (g.gather == last || g.quantize != last):
		err = fmt.Errorf("gather_axis %d and quantize_axis %d of %s: they must differ, and bytes lie along the last axis, "+
			"that of blocks", g.gather, g.quantize, x)
	case x.Narrow == nil && x.Type != tir.U8 || x.Narrow != nil && x.Narrow.Bits != 4:
		err = lacks(n, fmt.Sprintf("data %s", x), "save it as uint8, int4 or uint4")
	case g.block < 16 || g.block&(g.block-1) != 0:
		err = fmt.Errorf("attribute block_size is %d: it must be a power of 2 from 16 on", g.block)
	case !slices.Equal(scale.Shape, want):
		err = fmt.Errorf("the scales are %s: they must have shape %v", scale, want)
	case zero != nil && !slices.Equal(zero.Shape, packed):
		err = fmt.Errorf("the zero points are %s: they must have shape %v", zero, packed)
	}
	return g, err
}

func decomposeGatherBlocks(d *op.Decomposer) error {
	g, err := gatherOf(d.Node)
	if err != nil {
		return err
	}
	pick := func(v *graph.Value, n int64) *graph.Value {
		take := func(v *graph.Value) *graph.Value {
			return d.Apply("Gather", []*graph.Value{v, d.Input(1)}, graph.IntAttr("axis", int64(g.gather)))
		}
		switch {
		case v.Type.IsFloat():
			return take(v)
		case v.Const != nil && v.Narrow != nil && g.gather != len(g.shape)-1:
			return d.Cast(Unpacked(d, v, take), tir.I32)
		}
		return d.Cast(g.unpack(d, take(v), n), tir.I32)
	}
	scale := pick(d.Input(2), 0)
	x, zero := pick(d.Input(0), g.shape[len(g.shape)-1]), d.Input(3)
	along := g.quantize
	if along > g.gather {
		along += len(d.Input(1).Shape) - 1
	}
	in := []*graph.Value{x, scale}
	if zero != nil {
		in = append(in, pick(zero, d.Input(2).Shape[len(g.shape)-1]))
	} else if g.middle != 0 {
		in[0] = d.Two("Sub", x, d.Number(x, float64(g.middle)))
	}
	d.Output(d.Apply("DequantizeLinear", in, graph.IntAttr("axis", int64(along)), graph.IntAttr("block_size", g.block)))
	return nil
}

// evalGatherBlocks finds the real numbers of all data first.
func evalGatherBlocks(r *reference) []*graph.Tensor {
	g, err := gatherOf(r.Node)
	r.fail(err)
	last := len(g.shape) - 1
	x, zero, scale := r.in[0], r.input(3), r.in[2]
	if g.per > 1 {
		x = g.unpacked(x, g.shape[last])
		if zero != nil {
			zero = g.unpacked(zero, scale.Shape[last])
		}
	}
	y := graph.NewTensor(scale.Type, g.shape...)
	strides := array.Strides(scale.Shape)
	at := 0
	array.WalkIndex(g.shape, func(index []int64) {
		from := int64(0)
		for d, i := range index {
			if d == g.quantize {
				i /= g.block
			}
			from += i * strides[d]
		}
		by := float64(g.middle)
		if zero != nil {
			by = zero.At(int(from))
		}
		y.F[at] = (x.At(at) - by) * scale.F[from]
		at++
	})
	return r.do("Gather", []*graph.Tensor{y, r.in[1]}, graph.IntAttr("axis", int64(g.gather)))
}
