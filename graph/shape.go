package graph

import "fmt"

// MaxElems is the number of elements of the largest tensors.
const MaxElems = 1 << 40

// beyond is what counts that are too large are: no product of it and the size of an element wraps.
const beyond = 1 << 58

// Times returns the product of counts: extents, numbers of repetitions, bytes of an element. It does not wrap: what is
// too large for any tensor, or has a negative factor and none of 0, is a number that is too large as well.
func Times(counts ...int64) int64 {
	n := int64(1)
	for _, d := range counts {
		switch {
		case d == 0 || n == 0:
			n = 0
		case d < 0 || n > beyond/d:
			n = beyond
		default:
			n *= d
		}
	}
	return n
}

// Plus returns the sum of an extent and what is added before or behind it, which may be negative. It does not wrap: a
// sum that is too large for any tensor is a number that is too large as well.
func Plus(n int64, more ...int64) int64 {
	const low = 1<<32 - 1 // halves of 32 bits, whose sums do not wrap
	upper, lower := n>>32, n&low
	for _, d := range more {
		upper, lower = upper+d>>32, lower+d&low
	}
	upper += lower >> 32
	if upper != min(max(upper, -beyond>>32), beyond>>32-1) {
		return min(max(upper, -1), 1) * beyond
	}
	return upper<<32 | lower&low
}

// Elems returns the number of elements of a shape, as Times does: CheckShape says whether it is too large.
func Elems(shape []int64) int64 { return Times(shape...) }

// MaxRank is the number of dimensions of the tensors that have most.
const MaxRank = 64

// CheckShape returns an error if a shape has more than MaxRank dimensions, if an extent is negative, or if it has more
// than MaxElems elements without its extents of 0: what is computed of some of the extents is bounded then, too.
func CheckShape(shape []int64) error {
	n := int64(1)
	if len(shape) > MaxRank {
		return fmt.Errorf("it has more than %d dimensions", MaxRank)
	}
	for i, d := range shape {
		if d < 0 {
			return fmt.Errorf("its extent %d is %d, and an extent is not negative", i, d)
		}
		if n = Times(n, max(d, 1)); n > MaxElems {
			return fmt.Errorf("it has more than %d elements", MaxElems)
		}
	}
	return nil
}
