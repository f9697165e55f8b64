package llvm

import "github.com/wmtune/wmtune/tir"

// maxAbreast is how many vectors are computed abreast: constants and temporaries
// of so many of them just fit 16 registers.
const maxAbreast = 4

// abreast returns how many of the vectors of a loop, count in all, are computed
// abreast, operation by operation, as one long vector. A mathematical function is a
// chain of some twenty operations that wait for each other: of several chains one
// after the other, a processor looks too few operations ahead to see that they do
// not.
//
//	vectorize j in 32:       r = fma <32 x float> ..., p = fma <32 x float> r, ..., ...
//	  C[j] = exp(A[j])  =>   instead of four times
//	                         r = fma <8 x float> ..., p = fma <8 x float> r, ..., ...
//
// It is 1 for loops without such functions, where a vector's loads are enough to
// wait for, and for those with lanes that are no neighbours. In a condition it does not hold.
func abreast(s *tir.For, count int64) int64 {
	if !callsAlongNeighbours(s) {
		return 1
	}
	n := int64(maxAbreast)
	for n > count {
		n /= 2
	}
	return max(n, 1)
}

// callsAlongNeighbours reports whether the body of a loop is nothing but stores
// of mathematical functions, the operands of which are at neighbours along the
// loop or at one place.
func callsAlongNeighbours(s *tir.For) bool {
	calls, plain := false, true
	expr := func(e tir.Expr) bool {
		switch e := e.(type) {
		case *tir.Call:
			calls = calls || lengths[e.Fn] > 0
		case *tir.Select:
			plain = false
		case *tir.Load:
			for _, i := range e.Index {
				plain = plain && !tir.Reads(i)
			}
		}
		return plain
	}
	tir.Visit(s.Body, func(t tir.Stmt) bool {
		switch t := t.(type) {
		case *tir.Block:
		case *tir.Store:
			plain = plain && gathers(t, s.Var) == 0
			tir.VisitExpr(t.Value, expr)
		default:
			plain = false
		}
		return plain
	})
	return calls && plain
}
