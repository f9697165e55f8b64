package product

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/reduce"
	"github.com/wmtune/wmtune/tir"
)

// Blocked has products by weights of 2, 4 or 8 bits, which stay packed in the program: a kernel unpacks what it
// multiplies. A word of a column has numbers of neighbouring rows: the first four are the lowest bits of its bytes, the
// next four the bits above them. So a vector of words is several vectors of groups of four numbers, as instructions
// multiply them. A number stands for (number-zero)*scale; both are of a block of a column, or zero is one for all.
//
// The other operand has real numbers, or bytes (wmtune.BlockBytes): then B has the scale of each block of a row, and C
// the sum of its bytes.
var Blocked = []op.Row{
	{Op: "wmtune.Blocks", In: "W:I S:F Z:N", Eval: evalBlocks, Infer: func(n *graph.Node) ([]op.Type, error) {
		b, err := blocksOf(n, n.Inputs)
		return []op.Type{{DType: n.Inputs[1].Type, Shape: []int64{b.rows(), b.n}}}, err
	}},
	{Op: "wmtune.BlockMatMul", In: "T:N W:I S:F Z:N B:F? C:I?", Class: op.ComplexOut, Infer: inferBlockMatMul,
		Eval: evalBlockMatMul, Opaque: &op.Function{Make: anyBlockMatMul, For: blockMatMulFor}},
}

const (
	wordBits, byteBits = 32, 8
	bytesOfWord        = wordBits / byteBits
)

// blocks are sizes of packed weights.
type blocks struct {
	bits, per int64 // of a number; numbers of a word
	count     int64 // of blocks
	step, n   int64 // words of a block of a column; columns
}

func (b blocks) rows() int64    { return b.count * b.size() }
func (b blocks) size() int64    { return b.step * b.per } // of a block
func (b blocks) perByte() int64 { return byteBits / b.bits }

// place returns where a word has a number, counted from its lowest bits.
func (b blocks) place(i int64) int64 { return i%bytesOfWord*b.perByte() + i/bytesOfWord }

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

	// Bytes has the other operand rounded to 8 bits, by the largest number of each block of a row.
	Bytes bool
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
	columns := x.Shape[len(x.Shape)-1] // fewer than w.K, if the rest of a block counts as zeros
	rows := d.Reshape(x, x.Elems()/columns, columns)
	scale, zero := w.parameters(d, whole/block, low)
	in := []*graph.Value{nil, d.Const(w.words(whole, block, bits, low)), scale, zero}
	if in[0] = d.Cut(rows, 1, 0, min(whole, columns)); w.Bytes {
		bytes := d.ApplyN("wmtune.RowBytes", 3, in[:1], graph.IntAttr("block", block))
		in = append(append(bytes[:1:1], in[1:]...), bytes[1:]...)
	}
	y := d.Apply("wmtune.BlockMatMul", in, graph.IntAttr("bits", bits))
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

// RoundedToBytes returns what rows stand for whose blocks were rounded to bytes (Weights.Bytes).
func RoundedToBytes(x *graph.Tensor, block int64) *graph.Tensor {
	y, columns := graph.NewTensor(x.Type, x.Shape...), x.Shape[len(x.Shape)-1]
	for row := 0; row < x.Len(); row += int(columns) {
		for from := int64(0); from < columns; from += block {
			part := x.F[row+int(from) : row+int(min(from+block, columns))]
			most := 0.0
			for _, v := range part {
				most = max(most, math.Abs(v))
			}
			scale := tir.Rounded(tir.F32, most/reduce.MostByte) + (most - most)
			for i, v := range part {
				q := math.RoundToEven(tir.Rounded(tir.F32, v/max(scale, reduce.LeastScale)))
				y.F[row+int(from)+i] = q * scale
			}
		}
	}
	return y
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
	b := blocks{bits: bits, per: wordBits / bits}
	t := graph.NewTensor(tir.I32, whole/block, block/b.per, w.N)
	for k := range whole {
		for j := range w.N {
			t.I[k/b.per*w.N+j] |= (w.Number(k, j) - low) << (bits * b.place(k%b.per))
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
		block := at / b.step * b.n
		for k := range b.per {
			number := float64(word >> (b.bits * b.place(k)) & (1<<b.bits - 1))
			y.F[(at*b.per+k)*b.n+j] = (number - of(in[2], block+j)) * of(in[1], block+j)
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
	t := x.Type
	if by := n.Input(4); by != nil {
		t = by.Type
	}
	return []op.Type{{DType: t, Shape: []int64{x.Shape[0], b.n}}}, err
}

func evalBlockMatMul(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	w, err := evalBlocks(c, &graph.Node{Attrs: n.Attrs, Inputs: n.Inputs[1:4]}, in[1:])
	if err != nil {
		return nil, err
	}
	x := in[0]
	if by := array.Argument(in, 4); by != nil {
		x = graph.NewTensor(by.Type, x.Shape...)
		for i := range x.F {
			x.F[i] = in[0].At(i) * by.F[i*by.Len()/x.Len()]
		}
	}
	k := &graph.Node{Op: "MatMul", Version: 13, Inputs: []*graph.Value{{Type: x.Type, Shape: x.Shape, Ranked: true},
		{Type: x.Type, Shape: w[0].Shape, Ranked: true}}}
	w[0].Type = x.Type
	return evalMatMul(c, k, []*graph.Tensor{x, w[0]})
}
