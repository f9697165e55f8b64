package onnx

import (
	"github.com/wmtune/wmtune/nn/kernel"
)

// runMatMul multiplies the matrices that the last two dimensions are, for all others,
// which are broadcast. A vector is a matrix of one row (on the left) or one column.
func runMatMul(m *memory, _ *call, in []Tensor) []Tensor {
	a, b := in[0], in[1]
	wantFloats(a)
	wantFloats(b)
	if len(a.Shape) == 0 || len(b.Shape) == 0 {
		failf("a product of a number: %v and %v", a.Shape, b.Shape)
	}
	row, column := len(a.Shape) == 1, len(b.Shape) == 1
	if row {
		a.Shape = []int{1, a.Shape[0]}
	}
	if column {
		b.Shape = []int{b.Shape[0], 1}
	}
	outer := broadcastShape(a.Shape[:len(a.Shape)-2], b.Shape[:len(b.Shape)-2])
	rows, inner := a.Shape[len(a.Shape)-2], a.Shape[len(a.Shape)-1]
	columns := b.Shape[len(b.Shape)-1]
	if b.Shape[len(b.Shape)-2] != inner {
		failf("a product of %v and %v", a.Shape, b.Shape)
	}
	shape := append([]int(nil), outer...)
	if !row {
		shape = append(shape, rows)
	}
	if !column {
		shape = append(shape, columns)
	}
	out := m.tensor(shape)
	if inner == 0 || len(out.Floats) == 0 {
		clear(out.Floats)
		return []Tensor{out}
	}
	as, bs := strides(a.Shape[:len(a.Shape)-2], outer), strides(b.Shape[:len(b.Shape)-2], outer)
	at := 0
	walk(append(outer, 1), append(as, 0), append(bs, 0), func(_, x, y int) {
		kernel.Multiply(out.Floats[at:][:rows*columns],
			kernel.M(a.Floats[x*rows*inner:][:rows*inner], inner),
			kernel.M(b.Floats[y*inner*columns:][:inner*columns], columns), false)
		at += rows * columns
	})
	return []Tensor{out}
}

// runGemm computes alpha*a*b + beta*c.
func runGemm(m *memory, c *call, in []Tensor) []Tensor {
	if len(in[0].Shape) != 2 || len(in[1].Shape) != 2 || len(wantFloats(in[0])) == 0 || len(wantFloats(in[1])) == 0 {
		failf("a product of %v and %v", in[0].Shape, in[1].Shape)
	}
	a, b := kernel.M(in[0].Floats, in[0].Shape[1]), kernel.M(in[1].Floats, in[1].Shape[1])
	shape := []int{in[0].Shape[0], in[1].Shape[1]}
	inner := [2]int{in[0].Shape[1], in[1].Shape[0]}
	if c.integer("transA", 0) != 0 {
		a, shape[0], inner[0] = a.T(), in[0].Shape[1], in[0].Shape[0]
	}
	if c.integer("transB", 0) != 0 {
		b, shape[1], inner[1] = b.T(), in[1].Shape[0], in[1].Shape[1]
	}
	if inner[0] != inner[1] {
		failf("a product of %v and %v", in[0].Shape, in[1].Shape)
	}
	out := m.tensor(shape)
	kernel.Multiply(out.Floats, a, b, false)
	if alpha := c.float("alpha", 1); alpha != 1 {
		for i := range out.Floats {
			out.Floats[i] *= alpha
		}
	}
	if t, ok := optional(in, 2); ok {
		wantFloats(t)
		if got := broadcastShape(t.Shape, shape); got[0] != shape[0] || got[1] != shape[1] || len(got) != 2 {
			failf("what is added has the shape %v, the product %v", t.Shape, shape)
		}
		beta := c.float("beta", 1)
		zip(out.Floats, shape, out.Floats, shape, t.Floats, t.Shape, func(x, y float32) float32 { return x + beta*y })
	}
	return []Tensor{out}
}
