package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// Bounds of products whose lanes lie apart. To take a column's element out of vectors along the sum costs about a
// quarter of an operation. To add the lanes of a vector of partial sums costs about six.
const (
	dotSteps   = 24 // of the sum, for each row: beyond that, sums of lanes cost less
	dotRows    = 4  // that share an operand's vectors, at most
	dotResults = 8  // sums at once
)

// dots takes the place of a nest whose vector loop goes along columns, and whose operand lies along the sum, if few
// rows read it: the sum goes along the lanes (see lanewise). An operand that many rows read is copied (repack).
//
//	for k in 64:                                         for j0 in 8:
//	  vectorize j in 64:                                   for k in 64:
//	    C[j] = C[j] + x[k]*y[j, k]                =>          unroll j1 in 8:
//	                                                            C[j0*8 + j1] = C[j0*8 + j1] + x[k]*y[j0*8 + j1, k]
func (h laneSpreader) dots(f *tir.For) (tir.Stmt, bool) {
	r := &reduction{}
	if !r.nest(f, true) || !r.accumulates() || r.isElement(f) {
		return nil, false
	}
	columns := r.loops[len(r.loops)-1]
	extent, ok := columns.Extent.(*tir.IntImm)
	if !ok || columns.Kind != tir.Vectorized || !r.isElement(columns) {
		return nil, false
	}
	apart := r.gathered(columns.Var)
	if len(apart) == 0 {
		return nil, false
	}
	var outer, rows, sums []*tir.For
	steps, shared := int64(1), int64(1)
	for _, l := range r.loops[:len(r.loops)-1] {
		n, ok := l.Extent.(*tir.IntImm)
		switch {
		case !ok || l.Kind == tir.Vectorized:
			return nil, false
		case !r.isElement(l):
			sums, steps = append(sums, l), steps*n.Value
		case slices.ContainsFunc(apart, func(x *tir.Load) bool { return usesVar(x.Index, l.Var) }):
			outer = append(outer, l)
		default:
			rows, shared = append(rows, l), shared*n.Value
		}
	}
	if steps <= dotSteps*shared || shared > dotRows {
		return nil, false
	}
	return h.dotNest(r, outer, sums, rows, columns, largestDivisor(extent.Value, dotResults/shared))
}

// dotNest returns the nest with so many columns at once. It reports false if its sum cannot go along lanes.
func (h laneSpreader) dotNest(r *reduction, outer, sums, rows []*tir.For, columns *tir.For, atOnce int64) (
	tir.Stmt, bool) {
	outside := &tir.For{Var: tir.NewVar(columns.Var.Name), Kind: tir.Serial,
		Extent: tir.Int(columns.Extent.(*tir.IntImm).Value / atOnce)}
	inside := &tir.For{Var: tir.NewVar(columns.Var.Name), Extent: tir.Int(atOnce), Kind: tir.Unrolled}
	place := map[*tir.Var]tir.Expr{
		columns.Var: tir.Bin(tir.Add, tir.Bin(tir.Mul, outside.Var, tir.Int(atOnce)), inside.Var),
	}
	sums = r.joined(sums, place)
	s := tir.SubstituteStmt(r.store, place)
	for _, l := range slices.Backward(slices.Concat(sums, rows, []*tir.For{inside})) {
		c := *l
		c.Body = s
		if c.Kind = tir.Serial; !slices.Contains(sums, l) {
			c.Kind = tir.Unrolled
		}
		s = &c
	}
	spread, ok := h.reductionOf(s.(*tir.For))
	if !ok {
		return nil, false
	}
	s = spread.spread()
	for _, l := range slices.Backward(append(outer, outside)) {
		c := *l
		c.Body, c.Kind = s, tir.Serial
		s = &c
	}
	return tir.FreshLoops(s), true
}

// gathered returns the operands whose neighbouring lanes are no neighbours in memory.
func (r *reduction) gathered(lane *tir.Var) []*tir.Load {
	var list []*tir.Load
	tir.VisitExpr(r.value, func(e tir.Expr) bool {
		l, ok := e.(*tir.Load)
		if !ok {
			return true
		}
		if step, ok := stepAlong(l, lane); ok && step != 0 && step != 1 {
			list = append(list, l)
		}
		return false
	})
	return list
}

// stepAlong returns by how many elements a load moves on with v, if they are always so many.
func stepAlong(l *tir.Load, v *tir.Var) (int64, bool) {
	step := int64(0)
	for d, stride := range l.Buffer.ElemStrides() {
		k, affine := arith.Coefficient(l.Index[d], v)
		if !affine {
			return 0, false
		}
		step += k * stride
	}
	return step, true
}

// joined makes one loop of two loops of a sum, the inner one last, where all operands go on in the outer one where they
// end in the inner one, and so with further ones. Place gets what takes the place of the outer variables.
//
//	for k0 in 4: for k1 in 16: ... x[k0*16 + k1]    =>    for k in 64: ... x[k]
func (r *reduction) joined(sums []*tir.For, place map[*tir.Var]tir.Expr) []*tir.For {
	for len(sums) > 1 {
		outer, inner := sums[len(sums)-2], sums[len(sums)-1]
		n := inner.Extent.(*tir.IntImm).Value
		same := true
		tir.VisitExpr(r.value, func(e tir.Expr) bool {
			l, ok := e.(*tir.Load)
			if !ok {
				same = same && e != tir.Expr(outer.Var) && e != tir.Expr(inner.Var)
				return same
			}
			far, okFar := stepAlong(l, outer.Var)
			near, okNear := stepAlong(l, inner.Var)
			same = same && okFar && okNear && far == n*near
			return false
		})
		if !same {
			return sums
		}
		place[outer.Var] = tir.Int(0)
		c := *inner
		c.Extent = tir.Int(n * outer.Extent.(*tir.IntImm).Value)
		sums = append(slices.Clone(sums[:len(sums)-2]), &c)
	}
	return sums
}

func usesVar(index []tir.Expr, v *tir.Var) bool {
	return slices.ContainsFunc(index, func(e tir.Expr) bool { return tir.Uses(e, v) })
}

// largestDivisor returns the largest divisor of n that is at most most.
func largestDivisor(n, most int64) int64 {
	d := max(min(n, most), 1)
	for n%d != 0 {
		d--
	}
	return d
}
