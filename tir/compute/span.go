package compute

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// A span is the values that an index takes, from lo to hi.
type span struct{ lo, hi int64 }

// maxIndex bounds the spans that are followed, so that nothing overflows.
const maxIndex = 1 << 50

// span returns the least and the largest value of e over the axes of the op at
// hand, or false if they are not known exactly: e must be made of sums,
// differences, and products and quotients with constants, and have each axis
// once.
func (p *parser) span(e tir.Expr) (span, bool) {
	once := map[*tir.Var]bool{}
	return p.spanOf(e, once)
}

func (p *parser) spanOf(e tir.Expr, seen map[*tir.Var]bool) (s span, ok bool) {
	switch e := e.(type) {
	case *tir.IntImm:
		s = span{e.Value, e.Value}
	case *tir.Var:
		n, isAxis := p.extent[e]
		if !isAxis || seen[e] {
			return span{}, false
		}
		seen[e] = true
		s = span{0, n - 1}
	case *tir.Binary:
		x, ok1 := p.spanOf(e.X, seen)
		y, ok2 := p.spanOf(e.Y, seen)
		if !ok1 || !ok2 {
			return span{}, false
		}
		if s, ok = combineSpans(e.Op, x, y); !ok {
			return span{}, false
		}
	default:
		return span{}, false
	}
	return s, s.lo > -maxIndex && s.hi < maxIndex
}

func combineSpans(op tir.BinOp, x, y span) (span, bool) {
	constant := y.lo == y.hi
	switch op {
	case tir.Add:
		return span{x.lo + y.lo, x.hi + y.hi}, true
	case tir.Sub:
		return span{x.lo - y.hi, x.hi - y.lo}, true
	case tir.Mul:
		if x.lo == x.hi {
			x, y = y, x
			constant = true
		}
		c := y.lo
		if limit := max(x.hi, -x.lo, 1); !constant || c > maxIndex/limit || c < -maxIndex/limit {
			return span{}, false
		}
		return span{min(x.lo*c, x.hi*c), max(x.lo*c, x.hi*c)}, true
	case tir.FloorDiv:
		if !constant || y.lo < 1 {
			return span{}, false
		}
		return span{arith.FloorDiv(x.lo, y.lo), arith.FloorDiv(x.hi, y.lo)}, true
	case tir.FloorMod:
		if !constant || y.lo < 1 {
			return span{}, false
		}
		if arith.FloorDiv(x.lo, y.lo) == arith.FloorDiv(x.hi, y.lo) { // no wrap between
			q := arith.FloorDiv(x.lo, y.lo) * y.lo
			return span{x.lo - q, x.hi - q}, true
		}
	}
	return span{}, false
}
