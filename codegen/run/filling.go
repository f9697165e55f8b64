package run

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// fillings says which values the inputs of a DAG may have, if they are integers.
func fillings(d *compute.DAG) (map[*tir.Buffer]filling, error) {
	fills := map[*tir.Buffer]filling{}
	for _, b := range d.Inputs() {
		fills[b] = fillingOf(d, b)
	}
	return keepInside(d, fills)
}

// fillingOf says which values an integer input of a DAG may have. It is the whole
// range of the type where any value will do. Values that serve as an index stay
// inside of the dimension, divisors are small and positive, and values that are
// turned into floats are small, so that the float is exact.
func fillingOf(d *compute.DAG, b *tir.Buffer) filling {
	if !b.Type.IsInt() {
		return filling{}
	}
	switch use := usesOf(d, b); {
	case use.extent > 0:
		return filling{Low: 0, High: use.extent - 1, Limited: true, Index: true}
	case use.divides:
		return filling{Low: 1, High: 63, Limited: true}
	case use.converted && b.Type.Bytes() > 1 && b.Type.IsUnsigned():
		return filling{Low: 0, High: 100, Limited: true}
	case use.converted && b.Type.Bytes() > 1:
		return filling{Low: -100, High: 100, Limited: true}
	case b.Type == tir.I64: // float64 holds it
		return filling{Low: -1 << 50, High: 1 << 50, Limited: true}
	case b.Type == tir.U64:
		return filling{Low: 0, High: 1 << 50, Limited: true}
	}
	return filling{}
}

// uses are the ways in which the values of a tensor are used, by way of other
// integer tensors as well.
type uses struct {
	extent    int64 // of the smallest dimension that they index; 0: of none
	divides   bool
	converted bool // to a float type
}

func usesOf(d *compute.DAG, b *tir.Buffer) uses {
	var u uses
	derived := map[*tir.Buffer]bool{b: true}
	reads := func(e tir.Expr) bool {
		return tir.HasExpr(e, func(x tir.Expr) bool {
			l, ok := x.(*tir.Load)
			return ok && derived[l.Buffer]
		})
	}
	for _, op := range d.Ops { // producers come before readers
		for i, body := range op.Body {
			tir.VisitExpr(body, func(x tir.Expr) bool {
				u.add(x, reads)
				return true
			})
			if reads(body) && op.Results[i].Type.IsInt() {
				derived[op.Results[i]] = true
			}
		}
	}
	return u
}

// add notes what one expression does with values that reads finds in its parts.
func (u *uses) add(e tir.Expr, reads func(tir.Expr) bool) {
	switch e := e.(type) {
	case *tir.Load:
		for dim, index := range e.Index {
			if reads(index) && (u.extent == 0 || e.Buffer.Shape[dim] < u.extent) {
				u.extent = e.Buffer.Shape[dim]
			}
		}
	case *tir.Binary:
		if (e.Op == tir.Div || e.Op == tir.FloorDiv || e.Op == tir.FloorMod) && reads(e.Y) {
			u.divides = true
		}
	case *tir.Cast:
		u.converted = u.converted || e.To.IsFloat() && reads(e.X)
	}
}
