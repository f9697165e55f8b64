package product

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Blocked has products by weights of 2, 4 or 8 bits, which stay packed in the program: a kernel unpacks what it
// multiplies in registers. Number h*step+s of block b of column j lies in word [b, s, j], h numbers above its lowest
// bits: so a vector of words is several vectors of numbers, each of neighbouring columns. A number stands for
// (number-zero)*scale; both are of a block of a column, or zero is one for all.
var Blocked = []op.Row{
	{Op: "wmtune.Blocks", In: "W:I S:F Z:N", Eval: evalBlocks, Infer: func(n *graph.Node) ([]op.Type, error) {
		b, err := blocksOf(n, n.Inputs)
		return []op.Type{{DType: n.Inputs[1].Type, Shape: []int64{b.rows(), b.n}}}, err
	}},
	{Op: "wmtune.BlockMatMul", In: "T:F W:I S:F Z:N", Class: op.ComplexOut, Infer: inferBlockMatMul,
		Eval: evalBlockMatMul, Body: bodyBlockMatMul, Opaque: &op.Function{Make: rowsByBlocks, When: fewRowsOf}},
}

// wordBits is the size of a word.
const wordBits = 32

// blocks are sizes of packed weights.
type blocks struct {
	bits, per int64 // of a number; numbers of a word
	count     int64 // of blocks
	step, n   int64 // words of a block of a column; columns
}

func (b blocks) rows() int64 { return b.count * b.step * b.per }

// blocksOf returns the sizes of weights, given as words, scales and zero points.
func blocksOf(n *graph.Node, in []*graph.Value) (blocks, error) {
	w, scale, zero := in[0], in[1], in[2]
	b := blocks{bits: n.Int("bits", 0)}
	if w.Type != tir.I32 || len(w.Shape) != 3 || b.bits != 2 && b.bits != 4 && b.bits != 8 {
		return b, fmt.Errorf("BUG: weights %s in blocks of %d bits", w, b.bits)
	}
	b.per, b.count, b.step, b.n = wordBits/b.bits, w.Shape[0], w.Shape[1], w.Shape[2]
	for _, v := range []*graph.Value{scale, zero} {
		if v.Elems() != 1 && fmt.Sprint(v.Shape) != fmt.Sprint([]int64{b.count, b.n}) {
			return b, fmt.Errorf("BUG: %s for weights %s", v, w)
		}
	}
	return b, nil
}

// Weights are a matrix of k rows and n columns, number by number, in blocks of rows that have a scale and a zero point
// for each column: the row is k, and k/Block the block.
type Weights struct {
	K, N, Block int64
	Number      func(k, j int64) int64
	Scale, Zero func(block, j int64) float64
	Type        tir.DType // of scales
}

// Multiply adds a product by weights that stay packed, in as few bits as hold them. Rows behind the last whole block
// are a product of real numbers. It returns nil if words do not divide blocks; a scale for all rows is one of blocks
// that are as long as words allow.
func (w Weights) Multiply(d *op.Decomposer, x *graph.Value) *graph.Value {
	low, high := int64(0), int64(0)
	for k := range w.K {
		for j := range w.N {
			v := w.Number(k, j)
			low, high = min(low, v), max(high, v)
		}
	}
	bits := int64(2)
	fits := func() bool {
		sign := int64(0)
		if low < 0 {
			sign = 1 << (bits - 1)
		}
		return low >= -sign && high < 1<<bits-sign && (w.Block >= w.K || w.Block%(wordBits/bits) == 0)
	}
	for !fits() {
		if bits *= 2; bits > 8 {
			return nil
		}
	}
	if low < 0 {
		low = -1 << (bits - 1)
	}
	block := w.Block
	if per := wordBits / bits; block >= w.K {
		block = w.K / per * per
	}
	if block == 0 {
		return nil
	}
	whole := w.K / block * block
	rows := d.Reshape(x, x.Elems()/w.K, w.K)
	scale, zero := w.parameters(d, whole/block, low)
	words := d.Const(w.words(whole, block, bits, low))
	y := d.Apply("wmtune.BlockMatMul", []*graph.Value{d.Cut(rows, 1, 0, whole), words, scale, zero},
		graph.IntAttr("bits", bits))
	if whole < w.K {
		rest := graph.NewTensor(x.Type, w.K-whole, w.N)
		for i := range rest.F {
			k, j := whole+int64(i)/w.N, int64(i)%w.N
			rest.F[i] = (float64(w.Number(k, j)) - w.Zero(k/w.Block, j)) * w.Scale(k/w.Block, j)
		}
		y = d.Two("Add", y, d.Two("MatMul", d.Cut(rows, 1, whole, w.K), d.Const(rest)))
	}
	return d.Reshape(y, append(slices.Clone(x.Shape[:len(x.Shape)-1]), w.N)...)
}

// parameters returns the scales and zero points of whole blocks, these for numbers from 0 on: one if all are alike.
func (w Weights) parameters(d *op.Decomposer, blocks, low int64) (scale, zero *graph.Value) {
	s, z := graph.NewTensor(w.Type, blocks, w.N), graph.NewTensor(w.Type, blocks, w.N)
	bytes, one := graph.NewTensor(tir.U8, blocks, w.N), true
	exact := true
	for i := range s.F {
		b, j := int64(i)/w.N, int64(i)%w.N
		s.F[i], z.F[i] = w.Scale(b, j), w.Zero(b, j)-float64(low)
		bytes.I[i] = array.Truncate(tir.U8, z.F[i])
		exact, one = exact && float64(bytes.I[i]) == z.F[i], one && z.F[i] == z.F[0]
	}
	switch {
	case one:
		z = graph.Scalar(w.Type, z.F[0])
	case exact:
		z = bytes
	}
	return d.Const(s), d.Const(z)
}

// words returns the words of whole blocks of numbers that begin with low.
func (w Weights) words(whole, block, bits, low int64) *graph.Tensor {
	step := block / (wordBits / bits)
	t := graph.NewTensor(tir.I32, whole/block, step, w.N)
	for k := range whole {
		b, h, s := k/block, k%block/step, k%step
		for j := range w.N {
			t.I[(b*step+s)*w.N+j] |= (w.Number(k, j) - low) << (bits * h)
		}
	}
	for i, v := range t.I {
		t.I[i] = int64(int32(v))
	}
	return t
}

// evalBlocks returns the real numbers that weights stand for.
func evalBlocks(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	b, err := blocksOf(n, n.Inputs)
	if err != nil {
		return nil, err
	}
	y := graph.NewTensor(in[1].Type, b.rows(), b.n)
	of := func(t *graph.Tensor, i int64) float64 {
		if t.Len() == 1 {
			i = 0
		}
		return t.At(int(i))
	}
	for i, word := range in[0].I {
		at, j := int64(i)/b.n, int64(i)%b.n
		block := at / b.step
		for h := range b.per {
			k := block*b.step*b.per + h*b.step + at%b.step
			number := float64(word >> (b.bits * h) & (1<<b.bits - 1))
			y.F[k*b.n+j] = (number - of(in[2], block*b.n+j)) * of(in[1], block*b.n+j)
		}
	}
	return []*graph.Tensor{y}, nil
}

func inferBlockMatMul(n *graph.Node) ([]op.Type, error) {
	b, err := blocksOf(n, n.Inputs[1:])
	x := n.Inputs[0]
	if err == nil && (len(x.Shape) != 2 || x.Shape[1] != b.rows()) {
		err = fmt.Errorf("BUG: %s by weights of %d rows", x, b.rows())
	}
	return []op.Type{{DType: x.Type, Shape: []int64{x.Shape[0], b.n}}}, err
}

func evalBlockMatMul(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	w, err := evalBlocks(c, &graph.Node{Attrs: n.Attrs, Inputs: n.Inputs[1:]}, in[1:])
	if err != nil {
		return nil, err
	}
	k := &graph.Node{Op: "MatMul", Version: 13, Inputs: []*graph.Value{n.Inputs[0],
		{Type: n.Inputs[0].Type, Shape: w[0].Shape, Ranked: true}}}
	w[0].Type = in[0].Type
	return evalMatMul(c, k, []*graph.Tensor{in[0], w[0]})
}

// bodyBlockMatMul makes a product of three axes to reduce, so that no index is a quotient:
//
//	block_matmul(i, j) += x[i, b*32 + h*4 + s]*((w[b, s, j]>>(h*4) & 15) - zero[b, j])*scale[b, j]
func bodyBlockMatMul(b *op.Body) error {
	s, err := blocksOf(b.Node, b.Node.Inputs[1:])
	if err != nil {
		return err
	}
	x, y := b.Node.Inputs[0], b.Node.Outputs[0]
	axes := op.Named([]string{"i", "j"}, "i", y.Shape)
	reduce := op.Named([]string{"b", "h", "s"}, "k", []int64{s.count, s.per, s.step})
	block, half, step, j := reduce[0].Var, reduce[1].Var, reduce[2].Var, axes[1].Var
	number := func(i int) tir.Expr {
		if b.Node.Inputs[i].Elems() == 1 {
			return Cast(b.Read(i, Zeros(len(b.Node.Inputs[i].Shape))...), b.Register())
		}
		return Cast(b.Read(i, block, j), b.Register())
	}
	shift := Cast(Times(half, s.bits), tir.I32)
	word := tir.Bin(tir.BitAnd, tir.Bin(tir.Shr, b.Input(1).At(block, step, j), shift), Num32(1<<s.bits-1))
	w := Mul(Sub(Cast(word, b.Register()), number(3)), number(2))
	k := Add(Add(Times(block, s.step*s.per), Times(half, s.step)), step)
	attrs := compute.Attrs{}
	for i := 1; i < 4; i++ {
		if v := b.Node.Inputs[i]; v.Elems() > 1 {
			attrs.LayoutFree = append(attrs.LayoutFree, b.LayoutFree(i).LayoutFree...)
		}
	}
	sum := b.SumWith(b.Unique("block_matmul"), axes, reduce, Mul(Cast(b.Input(0).At(axes[0].Var, k), Register(x.Type)), w),
		attrs)
	b.Output(b.Stored(sum, y.Type))
	return nil
}
