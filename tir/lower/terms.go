package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// terms adds some terms of a wide sum in float32, in pairs, before it converts them. So most of the work is that of a
// sum in float32:
//
//	for k in 100:                                    for k in 25:
//	  vectorize l in 16:                               alloc t: float32[16] local
//	    T[l] = T[l] + term_float64(x[k, l])     =>     vectorize l in 16:
//	                                                     t[l] = ((x[k*4, l] + x[k*4 + 1, l]) +
//	                                                             (x[k*4 + 2, l] + x[k*4 + 3, l]))
//	                                                   vectorize l in 16:
//	                                                     T[l] = T[l] + float64(t[l])
//
// Terms are added as numpy adds float32, in a tree: n of them are rounded log2(n) times, and equal ones never if n is
// a power of 2. What the blocks leave of the loop becomes one block more.
//
// A loop stays as it is if its body is not one such store, if extents are not known, or if the terms of two steps are
// too many: of many elements inside, or long expressions.
func terms(f *tir.Func, cfg Config) (*tir.Func, error) {
	return eachBody(f, termAdder{cfg.Target.Hardware}.stmt), nil
}

// Bounds of the terms that are added in float32, and of the nodes of their expressions, for each vector.
const (
	maxTerms     = 8
	maxTermNodes = 1024
)

type termAdder struct{ target.Hardware }

func (h termAdder) stmt(s tir.Stmt) tir.Stmt {
	f, ok := s.(*tir.For)
	if !ok || f.Kind == tir.Vectorized {
		return tir.MapChildren(s, h.stmt)
	}
	r := &reduction{}
	if r.nest(f, true) && r.accumulates() && !r.isElement(f) {
		if c, ok := r.value.(*tir.Cast); ok && c.Term {
			return h.blocks(r, c.X)
		}
	}
	return tir.MapChildren(s, h.stmt)
}

// blocks returns the nest with blocks of the innermost loop over the reduction.
func (h termAdder) blocks(r *reduction, x tir.Expr) tir.Stmt {
	at, room := len(r.loops)-1, int64(maxTermNodes/tir.Nodes(x))
	for ; r.isElement(r.loops[at]); at-- {
		n, ok := r.loops[at].Extent.(*tir.IntImm)
		if !ok {
			return r.loops[0]
		}
		lanes := int64(1)
		if r.loops[at].Kind == tir.Vectorized {
			lanes = h.Lanes(x.DType().RegisterBytes())
		}
		room /= max((n.Value+lanes-1)/lanes, 1)
	}
	k := *r.loops[at]
	n, ok := k.Extent.(*tir.IntImm)
	if room = min(room, maxTerms); !ok || room < 2 || n.Value < 2 {
		return r.loops[0]
	}
	room = min(room, n.Value)
	k.Extent, k.Body = tir.Int(n.Value/room), r.block(at, pairwise(x, k.Var, tir.Bin(tir.Mul, k.Var, tir.Int(room)), room))
	s := tir.Stmt(&k)
	if left := n.Value % room; left > 0 {
		s = tir.Sequence(s, r.block(at, pairwise(x, k.Var, tir.Int(n.Value-left), left)))
	}
	return inLoops(r.loops[:at], s)
}

// pairwise is the sum of x at n values of k, of which from is the first.
func pairwise(x tir.Expr, k *tir.Var, from tir.Expr, n int64) tir.Expr {
	if n == 1 {
		return tir.Substitute(x, map[*tir.Var]tir.Expr{k: from})
	}
	half := int64(1)
	for half*2 < n {
		half *= 2
	}
	return tir.Bin(tir.Add, pairwise(x, k, from, half), pairwise(x, k, tir.Bin(tir.Add, from, tir.Int(half)), n-half))
}

// block is what adds x, in the loops inside of loop at.
func (r *reduction) block(at int, x tir.Expr) tir.Stmt {
	t := &tir.Buffer{Name: r.store.Buffer.Name + ".terms", Type: x.DType(), Scope: tir.Local}
	var index []tir.Expr
	for _, l := range r.loops[at+1:] {
		t.Shape, index = append(t.Shape, l.Extent.(*tir.IntImm).Value), append(index, l.Var)
	}
	sum := *r.store
	own := &tir.Load{Buffer: sum.Buffer, Index: sum.Index}
	sum.Value = tir.Bin(tir.Add, own, &tir.Cast{X: &tir.Load{Buffer: t, Index: index}, To: own.DType()})
	return &tir.Alloc{Buffer: t, Body: tir.Sequence(
		inLoops(r.loops[at+1:], &tir.Store{Buffer: t, Index: index, Value: x}), inLoops(r.loops[at+1:], &sum))}
}

// inLoops returns s in copies of loops.
func inLoops(loops []*tir.For, s tir.Stmt) tir.Stmt {
	for _, l := range slices.Backward(loops) {
		c := *l
		c.Body = s
		s = &c
	}
	return tir.FreshLoops(s)
}
