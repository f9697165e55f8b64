package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// interior makes two versions of a sum over elements that are chosen by their places, as at the edges of an image: one
// for tiles whose places are all inside, without the choice, and one for the others.
//
//	for r in 3:                                      if i*8 >= 1 && i*8 + 9 < 57:
//	  unroll j in 8:                                   for r in 3:
//	    C[j] = C[j] +                         =>         unroll j in 8:
//	      if_then_else(i*8 + j + r >= 1 &&                 C[j] = C[j] + x[i*8 + j + r - 1]*w[r]
//	                   i*8 + j + r < 57,             else:
//	                   x[i*8 + j + r - 1], 0)*w[r]     ... as before
//
// A sum stays as it is if it has fewer than interiorSteps steps, if a condition is no comparison of a sum of its loops'
// variables with a constant, or if less than leastInterior of the tiles are inside.
func interior(f *tir.Func, _ Config) (*tir.Func, error) {
	if usesThreads(f.Body) {
		return f, nil
	}
	v := &versioner{}
	g := *f
	g.Body = v.stmt(f.Body)
	return &g, nil
}

// Bounds of interior, which tests change.
var (
	interiorSteps int64 = 256
	leastInterior       = 0.3
)

type versioner struct{ loops []*tir.For }

func (v *versioner) stmt(s tir.Stmt) tir.Stmt {
	l, ok := s.(*tir.For)
	if !ok {
		return tir.MapChildren(s, v.stmt)
	}
	if t, ok := v.versions(l); ok {
		return t
	}
	v.loops = append(v.loops, l)
	defer func() { v.loops = v.loops[:len(v.loops)-1] }()
	return tir.MapChildren(s, v.stmt)
}

// versions returns the two versions of a nest.
func (v *versioner) versions(l *tir.For) (tir.Stmt, bool) {
	loops, store := chain(l)
	if store == nil || l.Kind == tir.Parallel || steps(l) < interiorSteps || usesVar(store.Index, l.Var) {
		return nil, false
	}
	var inside []tir.Expr
	value := tir.MapExpr(store.Value, func(e tir.Expr) tir.Expr {
		c, ok := e.(*tir.Select)
		if !ok || !c.Lazy {
			return e
		}
		conds, ok := always(c.Cond, loops)
		if !ok {
			return e
		}
		inside = append(inside, conds...)
		return c.Then
	})
	if len(inside) == 0 || !v.pays(tir.AllOf(inside...)) {
		return nil, false
	}
	plain := tir.MapStmt(l, func(t tir.Stmt) tir.Stmt {
		if t == tir.Stmt(store) {
			return &tir.Store{Buffer: store.Buffer, Index: store.Index, Value: value}
		}
		return t
	}, nil)
	return &tir.If{Cond: tir.AllOf(inside...), Then: tir.FreshLoops(plain), Else: l}, true
}

// chain returns the loops of known lengths around the only store of a nest, which adds to what is there.
func chain(s tir.Stmt) (loops []*tir.For, store *tir.Store) {
	for {
		switch t := s.(type) {
		case *tir.For:
			if !runs(t) {
				return nil, nil
			}
			loops, s = append(loops, t), t.Body
			continue
		case *tir.Pragma:
			s = t.Body
			continue
		case *tir.Block:
			s = t.Body
			continue
		case *tir.If:
			if t.Else == nil {
				s = t.Then
				continue
			}
		case *tir.Store:
			if sum, ok := t.Value.(*tir.Binary); ok && sum.Op == tir.Add && tir.IsStored(sum.X, t) {
				return loops, t
			}
		}
		return nil, nil
	}
}

// always returns what of a condition must hold outside of loops for it to hold in all of their iterations.
func always(cond tir.Expr, loops []*tir.For) (list []tir.Expr, ok bool) {
	for _, c := range tir.Conjuncts(cond) {
		b, ok := c.(*tir.Binary)
		if !ok || tir.Reads(c) {
			return nil, false
		}
		most := b.Op == tir.LT || b.Op == tir.LE
		if _, fixed := b.Y.(*tir.IntImm); !fixed || !most && b.Op != tir.GE && b.Op != tir.GT {
			return nil, false
		}
		e := b.X
		for _, l := range loops {
			if !tir.Uses(e, l.Var) {
				continue
			}
			k, affine := arith.Coefficient(e, l.Var)
			if !affine {
				return nil, false
			}
			at := int64(0)
			if k > 0 == most {
				at = l.Extent.(*tir.IntImm).Value - 1
			}
			e = tir.Substitute(e, map[*tir.Var]tir.Expr{l.Var: tir.Int(at)})
		}
		list = append(list, tir.Bin(b.Op, e, b.Y))
	}
	return list, true
}

// pays reports whether enough tiles are inside.
func (v *versioner) pays(inside tir.Expr) bool {
	share, ok := shareOf(inside, v.loops)
	return ok && share >= leastInterior
}

// mostPlaces is how many iterations of loops are tried at most, to find how often a condition holds.
const mostPlaces = 1 << 18

// shareOf returns in what share of the iterations of the loops that it depends on a condition holds.
func shareOf(cond tir.Expr, loops []*tir.For) (share float64, ok bool) {
	var vars []*tir.Var
	var extents []int64
	places := int64(1)
	for _, l := range loops {
		if tir.Uses(cond, l.Var) {
			n, ok := l.Extent.(*tir.IntImm)
			if !ok || n.Value < 1 || places > mostPlaces/n.Value {
				return 0, false
			}
			vars, extents, places = append(vars, l.Var), append(extents, n.Value), places*n.Value
		}
	}
	holds := int64(0)
	at := make([]int64, len(vars))
	value := func(e tir.Expr) (int64, bool) {
		x, _ := e.(*tir.Var)
		i := slices.Index(vars, x)
		if i < 0 {
			return 0, false
		}
		return at[i], true
	}
	for range places {
		x, ok := arith.Eval(cond, value)
		if !ok {
			return 0, false
		}
		holds += x
		for i := len(at) - 1; i >= 0; i-- {
			if at[i]++; at[i] < extents[i] {
				break
			}
			at[i] = 0
		}
	}
	return float64(holds) / float64(places), true
}
