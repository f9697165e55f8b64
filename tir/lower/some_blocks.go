package lower

import "github.com/wmtune/wmtune/tir"

// SomeBlocks returns f, a program of a GPU, with at most so many of its blocks: the
// first, the last, and others at even distances. What it returns writes a part of
// the outputs only, and is for checking programs that take long. With most = 4,
//
//	bind b in 100 blockIdx.x:        bind b.some in 4 blockIdx.x:
//	  C[b] = A[b] + 1           =>     C[floordiv((b.some*99), 3)] = A[floordiv((b.some*99), 3)] + 1
//
// It returns f itself, and false, if f has no more blocks, or if it is not one loop
// nest with a loop over blocks outermost: of several nests, one needs all that
// another one computes.
func SomeBlocks(f *tir.Func, most int64) (some *tir.Func, ok bool) {
	l, ok := f.Body.(*tir.For)
	if !ok || l.Kind != tir.ThreadBound || isThreadLoop(l) {
		return f, false
	}
	n, inner := l.Extent.(*tir.IntImm).Value, int64(1)
	for m, ok := l.Body.(*tir.For); ok && m.Kind == tir.ThreadBound && !isThreadLoop(m); m, ok = m.Body.(*tir.For) {
		inner *= m.Extent.(*tir.IntImm).Value
	}
	k := max(2, most/inner)
	if n <= k {
		return f, false
	}
	v := tir.NewVar(l.Var.Name + ".some")
	block := tir.Bin(tir.FloorDiv, tir.Bin(tir.Mul, v, tir.Int(n-1)), tir.Int(k-1))
	c := *l
	c.Var, c.Extent = v, tir.Int(k)
	c.Body = tir.SubstituteStmt(l.Body, map[*tir.Var]tir.Expr{l.Var: block})
	g := *f
	g.Body = &c
	return &g, true
}
