package run

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// How far a correct result may lie from the float64 reference.
//
// Adding n terms in any order makes an error of at most (n-1)*u*sum|x|, u being
// half a unit in the last place; roundings are as good as independent, and what
// is seen is of the order sqrt(n)*u*|result| when the terms have random signs
// (Higham, Accuracy and Stability of Numerical Algorithms, chapter 4). Every op
// of a DAG adds its own error, made in the type of its result, so
//
//	E   = sum over ops of safety * u(type) * sqrt(reduction length)
//	tol = E * max(|want|, rms(want over the tensor)) + u(output) * |want| + floor(output)
//
// with safety = 16, and a floor because of what underflows. The rms stands for the size of the intermediate values of
// elements that happen to cancel. An op of a 16-bit type without a reduction
// computes in float32 and rounds once, by u of its own value: it counts 4 u, and
// none if nothing reads it, as the rounding of an output is in tol already. Integers
// must be equal. What is farther off is looked at again (suspects.go).
//
// 4, since what a sum makes of roundings by at most u of its terms is spread like a
// normal distribution, with a deviation of up to u/sqrt(3), mostly of 0.4 u, of the
// rms: 5 or 6 of these occur among some millions of elements, and some rows of a
// matrix have larger terms than others.
//
// What a candidate multiplies on tensor cores as tf32 it rounds to 11 significant bits,
// by u = 2^-11 of itself (PTX ISA, "cvt", .rna.tf32). It counts as if an op of that type
// had stored it: 4 u for each operand. An operand that is a copy of an input counts none:
// inputs have six significant bits.
//
// A convolution by Winograd's algorithm has other values in between than the sum that it stands for, larger ones where
// tiles are of 4x4. E is larger by that factor (winograd.Set.Growth).
const safety = 16

// stored is how many u an op counts that rounds each of its elements once.
const stored = 4

// unitTF32 is half a unit in the last place of 1, of tf32.
const unitTF32 = 0x1p-11

// headroom is how far below the largest number of a type results should stay, so
// that intermediate values do not overflow.
const headroom = 16

// extreme reports whether v is so near the ends of a float type, or beyond, that
// results are not expected there.
func extreme(v float64, t tir.DType) bool { return math.Abs(v) > compute.Largest(t)/headroom }

// errorOf returns E of a DAG.
func errorOf(d *compute.DAG) float64 {
	e := 0.0
	for _, op := range d.Ops {
		if op.IsPlaceholder() {
			continue
		}
		n := int64(1)
		for _, a := range op.ReduceAxes {
			n *= a.Extent
		}
		t := op.Results[0].Type
		if half := t == tir.F16 || t == tir.BF16; half && n == 1 {
			e += safety * compute.Unit(tir.F32)
			if isRead(d, op.Results[0]) {
				e += stored * compute.Unit(t)
			}
			continue
		}
		e += safety * compute.Unit(t) * math.Sqrt(op.Combine.Roundings(float64(n)))
	}
	return e
}

// isRead reports whether an op of d reads b. What none reads is an output.
func isRead(d *compute.DAG, b *tir.Buffer) bool {
	return slices.ContainsFunc(d.Ops, func(op *compute.Op) bool { return slices.Contains(op.Reads(), b) })
}

// roundingOf returns by how much E of a DAG is larger for a candidate that rounds to tf32 what
// tensor cores can multiply.
func roundingOf(d *compute.DAG) float64 {
	return stored * unitTF32 * float64(len(roundedOperands(d)))
}

// coarse returns the tensors that such a candidate rounds where it reads them, and by how much.
func coarse(d *compute.DAG) map[*tir.Buffer]float64 {
	by := map[*tir.Buffer]float64{}
	for _, b := range roundedOperands(d) {
		by[b] = stored * unitTF32
	}
	return by
}

func roundedOperands(d *compute.DAG) (list []*tir.Buffer) {
	for _, op := range d.Ops {
		if op.IsPlaceholder() {
			continue
		}
		x, y, err := schedule.TensorOperands(op)
		if err != nil || x.Buffer.Type != tir.F32 {
			continue
		}
		for _, l := range []*tir.Load{x, y} {
			if !isCopy(d, l.Buffer) {
				list = append(list, l.Buffer)
			}
		}
	}
	return list
}

// isCopy reports whether the elements of b are those of an input, or 0.
func isCopy(d *compute.DAG, b *tir.Buffer) bool {
	i := slices.IndexFunc(d.Ops, func(op *compute.Op) bool { return slices.Contains(op.Results, b) })
	op := d.Ops[i]
	if op.IsPlaceholder() {
		return true
	}
	return op.Combine == nil && isCopied(d, op.Body[slices.Index(op.Results, b)])
}

func isCopied(d *compute.DAG, e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.Load:
		return isCopy(d, e.Buffer)
	case *tir.FloatImm:
		return e.Value == 0
	case *tir.Select:
		return isCopied(d, e.Then) && isCopied(d, e.Else)
	}
	return false
}

// An expectation is what one output should hold.
type expectation struct {
	tensor
	want       []byte     // float64 for float outputs, else the output's own type
	scale      float64    // root mean square of want, extreme values left out
	relative   float64    // tolerance per magnitude
	tf32       float64    // more of it, for a candidate that rounds to tf32
	rounding   float64    // of storing the result
	special    bool       // infinities and NaNs must be what they are
	arithmetic arithmetic // of the candidates that it is for

	excuse func(a arithmetic) *excuse // nil: there is none
}

// arithmetic says how a candidate rounds. The zero value is that of the definition.
type arithmetic struct {
	tf32   bool    // it rounds to tf32
	growth float64 // how many times larger the errors of its sums are; 0 means 1
}

// arithmeticOf returns how a program rounds.
func arithmeticOf(f *tir.Func) arithmetic { return arithmetic{f.Rounds(), f.Growth} }

func newExpectation(t tensor, want []byte, e, tf32 float64) *expectation {
	x := &expectation{tensor: t, want: want, relative: e, tf32: tf32, rounding: compute.Unit(t.Type)}
	sum := 0.0
	for i := range t.elems() {
		if v := x.wantAt(i); !t.Type.IsFloat() || !extreme(v, t.Type) && v == v {
			sum += v * v
		}
	}
	x.scale = math.Sqrt(sum / float64(max(t.elems(), 1)))
	return x
}

// of returns what is expected of a candidate with an arithmetic.
func (x *expectation) of(a arithmetic) *expectation {
	looser := *x
	looser.arithmetic = a
	looser.relative *= max(a.growth, 1)
	if a.tf32 {
		looser.relative += x.tf32
	}
	return &looser
}

// tolerance returns how far from want a result may be.
func (x *expectation) tolerance(want float64) float64 {
	if !x.Type.IsFloat() {
		return 0
	}
	w := math.Abs(want)
	if math.IsInf(w, 0) {
		w = 0 // it stands for any extreme number (near), and a share of it would make room for all others
	}
	return x.relative*max(w, x.scale) + x.rounding*w + floor(x.Type)
}

// floor is how far a result may be off where it underflows: below the smallest normal number,
// float32 and what has its exponents may round to 0, as some processors do. No processor computes in
// float16: it is rounded to, to a multiple of the smallest number there is.
func floor(t tir.DType) float64 {
	if t == tir.F16 {
		return compute.Unit(t) * compute.Smallest(t)
	}
	return compute.Smallest(t)
}

// vanishes reports whether an output has no element that its type holds to all its bits, other than 0.
func (x *expectation) vanishes() bool {
	most := 0.0
	for i := int64(0); x.Type.IsFloat() && i < x.elems(); i++ {
		most = max(most, math.Abs(x.wantAt(i)))
	}
	return x.Type.IsFloat() && most < compute.Smallest(x.Type)
}
