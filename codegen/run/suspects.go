package run

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A result that is farther from the reference than the tolerance is a suspect. Rounding may explain it:
// round(float32(sum)*0.01) is off by one where the float is near a half, since 50*0.01 is a half in
// float32 and less in float64; a floor, a comparison or a conversion to 16 bits steps likewise, the
// position of the largest of two that are nearly alike is one or the other, and a difference of numbers
// that are nearly alike is nearly anything. So the definition is evaluated again at suspects, with bounds of
// what programs that round may get (compute.Evaluator.Bounds). What lies outside of the bounds, by more
// than the tolerance, is wrong.

const (
	mostSuspects = 4096      // that are judged, spread over all there are
	fewSuspects  = 16        // are enough where the definition of one takes too many points for more
	boundPoints  = 2_000_000 // of the definition that are visited to judge the suspects of a tensor
)

// noDigit is the share of a value, or of the tensor's root mean square, from which on roundings leave
// no digit of it. They explain anything then, and so nothing.
const noDigit = 0.1

// An excuse evaluates the definition at elements of a tensor with bounds of what rounding does.
type excuse struct {
	buffer         *tir.Buffer
	stepped, plain *compute.Evaluator // plain: with all programs on the same side of steps
}

// newExcuse returns an excuse for the elements of a tensor of d, for given inputs, of programs with an arithmetic.
func newExcuse(d *compute.DAG, b *tir.Buffer, inputs []func(at int64) float64, a arithmetic) *excuse {
	x := &excuse{b, compute.NewEvaluatorOf(d, inputs), compute.NewEvaluatorOf(d, inputs)}
	for _, e := range []*compute.Evaluator{x.stepped, x.plain} {
		e.Arithmetic, e.Limit, e.Growth = compute.Bounded, boundPoints, a.growth
		if a.tf32 {
			e.Coarse = coarse(d)
		}
	}
	x.plain.Frozen = true
	return x
}

// A yardstick is what an excuse compares values of a tensor with.
type yardstick struct {
	size    float64        // root mean square: noDigit does not look below it
	typical func() float64 // median magnitude, on which a few huge elements have no influence
}

// allows reports whether rounding explains that an element is got, within a tolerance. The error is
// compute.ErrTooManyPoints.
//
// Bounds are infinite where a divisor is 0 but for roundings, as in 1/(x*0.1 - y*0.1). Every program that rounds gets a
// huge value there, so rounding explains only such a one: not below what the bounds know of all programs, and only if
// that is more than 1/noDigit times the typical element.
func (x *excuse) allows(at int64, got, tolerance float64, y yardstick) (bool, error) {
	index := indexOf(at, x.buffer.Shape)
	stepped, err := x.stepped.Bounds(x.buffer, index)
	if errors.Is(err, compute.ErrTooManyPoints) {
		return false, err
	}
	if err != nil || stepped.IsSure() || !stepped.Holds(got, tolerance) {
		return false, nil
	}
	plain, err := x.plain.Bounds(x.buffer, index)
	if err != nil {
		return false, err
	}
	if plain.IsInfinite() {
		return stepped.Away > y.typical()/noDigit, nil
	}
	return plain.Hi-plain.Lo <= 2*noDigit*max(math.Abs(plain.Lo), math.Abs(plain.Hi), y.size)+tolerance, nil
}

// typicalOf returns the median magnitude of n numbers, or of as many of them, here and there, as mostSuspects.
func typicalOf(n int64, at func(i int64) float64) float64 {
	var list []float64
	for i := int64(0); i < n; i += (n + mostSuspects - 1) / mostSuspects {
		if v := at(i); v == v {
			list = append(list, math.Abs(v))
		}
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// suspects are elements of a tensor that are farther off than the tolerance.
type suspects struct {
	count  int64
	every  int64 // one of so many is in the sample
	sample []int64
}

func (s *suspects) add(at int64) {
	if s.every == 0 {
		s.every = 1
	}
	if s.count%s.every == 0 {
		if len(s.sample) == mostSuspects {
			for i := range mostSuspects / 2 {
				s.sample[i] = s.sample[2*i]
			}
			s.sample = s.sample[:mostSuspects/2]
			s.every *= 2
		}
		s.sample = append(s.sample, at)
	}
	s.count++
}

// wrong returns a suspect that rounding does not explain; -1 if there is none. The first one is
// judged first, then others here and there. It ends where allows has an error: the points are used up.
func (s *suspects) wrong(allows func(at int64) (bool, error)) int64 {
	const stride = 1009 // a prime number: all are judged
	for k := range s.sample {
		at := s.sample[k*stride%len(s.sample)]
		ok, err := allows(at)
		switch {
		case err != nil && k >= fewSuspects:
			return -1
		case err != nil || !ok:
			return at
		}
	}
	return -1
}

// indexOf returns the multi-dimensional index of an element.
func indexOf(at int64, shape []int64) []int64 {
	index := make([]int64, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		index[i], at = at%shape[i], at/shape[i]
	}
	return index
}

// readers returns functions that return elements of tensors.
func readers(tensors []tensor, data [][]byte) []func(at int64) float64 {
	var list []func(int64) float64
	for i, t := range tensors {
		list = append(list, func(at int64) float64 { return number(data[i][at*int64(t.Type.Bytes()):], t.Type) })
	}
	return list
}

// number loads an element of any type.
func number(at []byte, t tir.DType) float64 {
	if t.IsFloat() {
		return getFloat(at, t)
	}
	return t.Number(getInt(at, t))
}

// uncheckable describes an element, of those that a spot check looks at, of which the definition itself,
// computed in its own types, would be called wrong. It returns "" if there is none, or if they take too many points.
func uncheckable(
	d *compute.DAG, inputs []func(at int64) float64, seed uint64, set int, expect []*expectation,
) (string, error) {
	e := compute.NewEvaluatorOf(d, inputs)
	e.Arithmetic, e.Limit = compute.InTypes, spotPoints
	for out, b := range d.Results() {
		x, why := expect[out], newExcuse(d, b, inputs, arithmetic{})
		for k := range spotElems {
			at := spot(seed, set, out, k, b.Elems())
			got, err := e.At(out, indexOf(at, b.Shape))
			if errors.Is(err, compute.ErrTooManyPoints) {
				return "", nil
			}
			if err != nil {
				return "", fmt.Errorf("run: evaluating %s[%s]: %w", b.Name, indexText(at, b.Shape), err)
			}
			want := x.wantAt(at)
			if got == want || b.Type.IsFloat() && x.near(got, want) {
				continue
			}
			ok, err := why.allows(at, got, x.tolerance(want), x.yardstick())
			if errors.Is(err, compute.ErrTooManyPoints) {
				return "", nil
			}
			if !ok {
				return fmt.Sprintf("%.6g at %s[%s], but the operator's own types give %.6g: they round or underflow; "+
					"use a wider type, or scale the values", want, b.Name, indexText(at, b.Shape), got), nil
			}
		}
	}
	return "", nil
}
