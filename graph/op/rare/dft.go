// Package rare has operators that few models have: Fourier transforms, mel weights, n-grams.
package rare

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// Spectra has Fourier transforms. With operands known ahead of time they are fast, or products with constant matrices,
// else a function computes the sums.
var Spectra = []op.Row{
	{Op: "DFT", Since: 17, In: "T1:F T2:I? | 20 T1:F T2:I? -:I?", Class: op.ComplexOut, Infer: inferDFT, Eval: evalDFT,
		Decompose: decomposeDFT, Opaque: &op.Function{Make: opaqueDFT, When: dftRunTime}},
	{Op: "STFT", Since: 17, In: "T1:F T2:I T1:F? T2:I?", Class: op.ComplexOut, Infer: inferSTFT, Eval: evalSTFT,
		Decompose: decomposeSTFT, Opaque: &op.Function{Make: opaqueSTFT, When: op.Open(1, 3)}},
}

// dftLimit is the number of elements that the matrix of a transform may have.
const dftLimit = 1 << 26

// A dft is a Fourier transform along an axis.
type dft struct {
	axis              int
	in, out           int64 // elements along the axis
	parts, outParts   int64 // 1: real, 2: complex
	length            int64
	inverse, onesided bool
}

// dftOf returns the sizes of a DFT of a length, or of the default one if it is less than 0.
func dftOf(n *graph.Node, length, along int64) (*dft, error) {
	x := n.Inputs[0].Shape
	f := &dft{inverse: n.Int("inverse", 0) != 0, onesided: n.Int("onesided", 0) != 0, outParts: 2, length: length}
	var err error
	if f.axis, err = array.Axis(along, len(x)); err != nil {
		return nil, err
	}
	last := len(x) - 1
	if f.axis == last || x[last] != 1 && x[last] != 2 {
		return nil, fmt.Errorf("axis %d of an input of shape %v: the last dimension must be 1 or 2, and not the axis",
			along, x)
	}
	f.in, f.parts = x[f.axis], x[last]
	if f.length < 0 {
		if f.length = f.in; f.inverse && f.onesided {
			f.length = 2 * (f.in - 1)
		}
	}
	if f.out = f.length; f.onesided {
		if f.inverse {
			f.outParts = 1
		} else {
			f.out = f.length/2 + 1
		}
	}
	if f.length < 1 {
		return nil, fmt.Errorf("a transform of length %d: it must be at least 1", f.length)
	}
	return f, nil
}

// terms is the number of elements of the input that a transform uses.
func (f *dft) terms() int64 {
	if f.inverse && f.onesided {
		return min(f.in, f.length/2+1)
	}
	return min(f.in, f.length)
}

// shape is that of the result.
func (f *dft) shape(x []int64) []int64 {
	s := slices.Clone(x)
	s[f.axis], s[len(s)-1] = f.out, f.outParts
	return s
}

// factors returns what a part of input element l adds to the parts of output element k, as a factor.
func (f *dft) factors(cos, sin []float64, l, k int64, part int64) (re, im float64) {
	c, s := cos[l*k%f.length], sin[l*k%f.length]
	if !f.inverse {
		s = -s
	}
	if re, im = c, s; part == 1 {
		re, im = -s, c
	}
	if f.inverse {
		weight := 1 / float64(f.length)
		if f.onesided && l > 0 && 2*l != f.length {
			weight *= 2 // its mirror image too
		}
		re, im = re*weight, im*weight
	}
	return re, im
}

// circle returns the cosines and sines of n angles around the circle.
func circle(n int64) (cos, sin []float64) {
	for i := range n {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		cos, sin = append(cos, c), append(sin, s)
	}
	return cos, sin
}

// dftOperands returns length and axis of a DFT: -1 for a length that is left out; the inputs are nil if they are not
// known.
func dftOperands(n *graph.Node, input func(i int) *graph.Tensor) (length, along int64) {
	length, along = -1, n.Int("axis", 1)
	if n.Version >= 20 {
		along = -2
		if t := input(2); t != nil {
			along = t.I[0]
		}
	}
	if t := input(1); t != nil {
		length = t.I[0]
	}
	return length, along
}

// dftRunTime reports whether an operand of a DFT is not known ahead of time.
func dftRunTime(n *graph.Node) bool { return op.Open(1)(n) || n.Version >= 20 && op.Open(2)(n) }

// constantInputs returns the inputs of a node that are constants.
func constantInputs(n *graph.Node) func(i int) *graph.Tensor {
	return func(i int) *graph.Tensor {
		if v := n.Input(i); v != nil && v.Const != nil {
			return v.Const.Tensor()
		}
		return nil
	}
}

func inferDFT(n *graph.Node) ([]op.Type, error) {
	if err := op.Single(n, 1, 2); err != nil {
		return nil, err
	}
	for i := 1; i <= 2; i++ {
		if op.Open(i)(n) && (i == 1 || n.Version >= 20) {
			return nil, &op.OpenError{Input: i}
		}
	}
	length, along := dftOperands(n, constantInputs(n))
	f, err := dftOf(n, length, along)
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: f.shape(n.Inputs[0].Shape)}}, nil
}

func evalDFT(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	length, along := dftOperands(n, func(i int) *graph.Tensor { return array.Argument(in, i) })
	f, err := dftOf(n, length, along)
	if err != nil {
		return nil, err
	}
	return f.eval(call, in[0])
}

// eval is the reference of a transform.
func (f *dft) eval(call *graph.Call, x *graph.Tensor) ([]*graph.Tensor, error) {
	y := graph.NewTensor(x.Type, f.shape(x.Shape)...)
	cos, sin := circle(f.length)
	inner := graph.Elems(x.Shape[f.axis+1 : len(x.Shape)-1])
	err := array.Parallel(call.Context, int(graph.Elems(x.Shape[:f.axis])*f.out), func(i int) {
		plane, k := int64(i)/f.out, int64(i)%f.out
		for j := range inner {
			var re, im float64
			for l := range f.terms() {
				for part := range f.parts {
					v := x.F[((plane*f.in+l)*inner+j)*f.parts+part]
					a, b := f.factors(cos, sin, l, k, part)
					re, im = re+a*v, im+b*v
				}
			}
			at := (int64(i)*inner + j) * f.outParts
			y.F[at] = re
			if f.outParts == 2 {
				y.F[at+1] = im
			}
		}
	})
	return []*graph.Tensor{y}, err
}

// matrix returns the factors of a transform: [terms*parts, out*outParts].
func (f *dft) matrix(t tir.DType) (*graph.Tensor, error) {
	rows, columns := f.terms()*f.parts, f.out*f.outParts
	if rows*columns > dftLimit {
		return nil, op.Unsupported("a Fourier transform of length %d (its matrix would have %d elements)", f.length,
			rows*columns)
	}
	w := graph.NewTensor(t, rows, columns)
	cos, sin := circle(f.length)
	for l := range f.terms() {
		for part := range f.parts {
			for k := range f.out {
				re, im := f.factors(cos, sin, l, k, part)
				at := ((l*f.parts+part)*f.out + k) * f.outParts
				w.F[at] = re
				if f.outParts == 2 {
					w.F[at+1] = im
				}
			}
		}
	}
	return w, nil
}

// decomposeDFT multiplies by the matrix of factors, unless the length suits a fast transform.
func decomposeDFT(d *op.Decomposer) error {
	length, along := dftOperands(d.Node, constantInputs(d.Node))
	f, err := dftOf(d.Node, length, along)
	if err != nil {
		return err
	}
	if f.decomposeFast(d) {
		return nil
	}
	x := d.Input(0)
	w, err := f.matrix(x.Type)
	if err != nil {
		return err
	}
	last := len(x.Shape) - 1
	// The axis stands before the last dimension, then both become one.
	perm := []int64{}
	for i := range last {
		if i != f.axis {
			perm = append(perm, int64(i))
		}
	}
	perm = append(perm, int64(f.axis), int64(last))
	v := d.Cut(d.Transpose(x, perm), int64(last-1), 0, f.terms())
	outer := v.Shape[:last-1]
	v = d.Two("MatMul", d.Reshape(v, graph.Elems(outer), f.terms()*f.parts), d.Const(w))
	v = d.Reshape(v, slices.Concat(outer, []int64{f.out, f.outParts})...)
	back := make([]int64, len(perm))
	for i, p := range perm {
		back[p] = int64(i)
	}
	d.Output(d.Transpose(v, back))
	return nil
}
