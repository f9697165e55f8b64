package llvm

import "github.com/wmtune/wmtune/tir"

// Vectors that are all divided by one number are multiplied by its reciprocal where the kernel has computed both, as
// softmax has a row and its sum. A vector's division takes ten times as long as its multiplication, and the reciprocal
// is outside of the loop over vectors:
//
//	vectorize j in 128:              r = 1/sum[i]
//	  C[i, j] = E[i, j]/sum[i]  =>   vectorize j in 128:
//	                                   C[i, j] = E[i, j]*r
//
// The product is off by up to 1.5 units in the last place instead of half of one. So what is divided by a constant or
// by an input, or is itself an input, is divided exactly: another kernel may take the floor of the quotient, and
// 98/49 must be 2. float64 is divided exactly, too, since references compute in it.

// byReciprocal reports whether e, the quotient of x and y, is a product with a reciprocal.
func (f *function) byReciprocal(e *tir.Binary, x, y value) bool {
	return e.Op == tir.Div && x.typ.IsFloat() && x.typ != tir.F64 && x.n > 1 && y.n == 1 && f.jumps == 0 &&
		f.m.computed(e.X) && f.m.computed(e.Y)
}

// computed reports whether e reads what the kernel itself has written.
func (m *module) computed(e tir.Expr) bool {
	return tir.HasExpr(e, func(e tir.Expr) bool {
		l, ok := e.(*tir.Load)
		return ok && !m.inputs[l.Buffer]
	})
}

// quotient returns x/y as x*(1/(y*s))*s. The power of two s is 1 where the reciprocal of y is a normal number; else it
// makes it one.
func (f *function) quotient(x, y value) value {
	n, v := f.floatsOf(y), f.floatsOf(x)
	size := n.abs(y.ref)
	s := n.pick(n.is("ogt", size, n.c(0x1p126)), n.c(0x1p-64),
		n.pick(n.is("olt", size, n.c(0x1p-126)), n.c(0x1p64), n.c(1)))
	wide := func(ref string) string { return f.spread(f.result(y, ref), x.n).ref }
	product := v.mul(x.ref, wide(n.div(n.c(1), n.mul(y.ref, s))))
	return f.rounded(f.result(x, v.mul(product, wide(s))))
}
