package cuda

import (
	"math"

	"github.com/wmtune/wmtune/tir"
)

// element returns the text of an element of a buffer.
func (w *writer) element(b *tir.Buffer, index []tir.Expr) string {
	name, ok := w.buffers[b]
	if !ok {
		panic("BUG: cuda: " + b.Name + " is neither an argument nor allocated")
	}
	if isScalar(b) {
		return name
	}
	return name + "[" + w.expr(w.known.Expr(offset(b, index))).text + "]"
}

// offset returns the distance of an element from the first one.
func offset(b *tir.Buffer, index []tir.Expr) tir.Expr {
	e := tir.Expr(tir.Int(0))
	for d, stride := range b.ElemStrides() {
		if b.Shape[d] == 1 {
			continue // the only index there is
		}
		e = tir.Bin(tir.Add, e, tir.Bin(tir.Mul, index[d], tir.Int(stride)))
	}
	return e
}

// narrow reports whether e, of type I64, is known to fit in 32 bits.
func (w *writer) narrow(e tir.Expr) bool {
	lo, hi, ok := w.known.Bounds(e)
	return ok && lo > math.MinInt32 && hi < math.MaxInt32
}

// positive reports whether e is known not to be negative.
func (w *writer) positive(e tir.Expr) bool {
	lo, _, ok := w.known.Bounds(e)
	return ok && lo >= 0
}
