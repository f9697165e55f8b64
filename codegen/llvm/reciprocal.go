package llvm

import "fmt"

// reciprocal returns 1/y of a number. Vectors that are all divided by one number
// are multiplied by it instead, as a vector's division takes ten times as long as
// its multiplication, and this one is outside of the loop over vectors:
//
//	vectorize j in 128:              r = 1/sum[i]
//	  C[i, j] = A[i, j]/sum[i]  =>   vectorize j in 128:
//	                                   C[i, j] = A[i, j]*r
//
// Not in float64, whose results are references, and not where the quotient decides between integers or in a
// comparison.
//
// The result is off by up to 1.5 units in the last place instead of half of one;
// the reciprocal of a divisor below the smallest normal number may be infinite.
func (f *function) reciprocal(y value) value {
	one := floatValue(y.typ, 1)
	return f.result(y, f.pure(fmt.Sprintf("fdiv %s %s, %s", f.typeOf(y), one.ref, y.ref)))
}
