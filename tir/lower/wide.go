package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// typeOf returns the type that a result of an op has in a program. Those of a wide sum (compute.Combiner) are float64,
// and rounded where they are read:
//
//	sum[i] = sum[i] + x[i, k]                   =>    sum[i] = sum[i] + term_float64(x[i, k])
//	mean[i] = sum[i]/4096f                            mean[i] = float32(sum[i])/4096f
//
// An output of the program has its own type.
func (b *builder) typeOf(op *compute.Op, r *tir.Buffer) tir.DType {
	if op.Combine != nil && op.Combine.Wide && !b.asTVM && !slices.Contains(b.s.DAG.Tensors, r) {
		return tir.F64
	}
	return r.Type
}

// inType returns e as a number of type t.
func inType(e tir.Expr, t tir.DType) tir.Expr {
	switch c, ok := e.(*tir.FloatImm); {
	case e.DType() == t:
		return e
	case ok:
		return tir.Float(t, c.Value)
	}
	return &tir.Cast{X: e, To: t}
}

// termOf returns a term of a sum in type t. What is a partial sum in float64 already is not rounded.
func termOf(e tir.Expr, t tir.DType) tir.Expr {
	if e.DType() == t {
		return e
	}
	if c, ok := e.(*tir.Cast); ok {
		if l, ok := c.X.(*tir.Load); ok && l.DType() == t {
			return l
		}
	}
	return &tir.Cast{X: e, To: t, Term: true}
}

// termBytes is tir.ElementBytes, but that of the terms for a wide sum: vectors of them are added before they are
// converted.
func termBytes(s tir.Stmt) int {
	bytes := tir.ElementBytes(s)
	tir.VisitAllExprs(s, func(e tir.Expr) bool {
		if c, ok := e.(*tir.Cast); ok && c.Term {
			bytes = c.X.DType().RegisterBytes()
		}
		return true
	})
	return bytes
}
