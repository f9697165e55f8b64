package llvm

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

const ErfEnd = erfEnd

// NormalExp reports whether an exponential is 0 wherever it would not be normal.
func NormalExp(e *tir.Call) bool {
	_, _, ok := normalExp(e)
	return ok
}

var (
	TwoOverPi = twoOverPi
	HalfPi    = halfPi
)

// Fetches returns, for each loop in the parallel loop that is fn's body, the element where what it fetches ahead
// begins, and how many elements that is.
func Fetches(fn *tir.Func, t target.Target) (from map[*tir.For]tir.Expr, elems int64) {
	from = map[*tir.For]tir.Expr{}
	for l, list := range newModule(fn, t).fetches(fn.Body.(*tir.For)) {
		for _, f := range list {
			from[l], elems = f.from, f.lines*lineElems(f.buffer)
		}
	}
	return from, elems
}

// HasWriter reports whether an instruction has a writer.
func HasWriter(name string) bool {
	return dotWriters[name] != nil || tileWriters[name] != ""
}

// Write has an instruction written by operations of pure on vectors of so many int32 until undo is called.
func Write(name string, write func(pure func(string) string, n int64, sums, a, b string) string) (undo func()) {
	dotWriters[name] = func(f *function, sums, a, b value) string { return write(f.pure, sums.n, sums.ref, a.ref, b.ref) }
	return func() { delete(dotWriters, name) }
}
