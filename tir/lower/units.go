package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// inUnits carries out virtual threads of an accelerator, whose units load, compute and store at once. Each thread has
// all buffers inside of its loop for itself. The loop moves to around what one unit does in a row:
//
//	vthread i in 2:                      alloc B.wgt: int8[2, 16, 16] wgt
//	  for k in 8:                        alloc A.inp: int8[2, 4, 16] inp
//	    alloc A.inp: int8[4, 16] inp     for k in 8:
//	    A.inp[...] = A[...]         =>     unroll i in 2:
//	    alloc B.wgt: int8[16, 16] wgt        A.inp[i, ...] = A[...]
//	    B.wgt[...] = B[...]                  B.wgt[i, ...] = B[...]
//	    C[...] = C[...] + ...              unroll i in 2:
//	                                         C[...] = C[...] + ...
//
// So one thread loads while the other one computes (Chen et al., TVM, OSDI 2018, figure 8). The tokens that make units
// wait for each other come with the instructions.
func inUnits(s tir.Stmt) tir.Stmt {
	s = tir.MapChildren(s, inUnits)
	l, ok := s.(*tir.For)
	if !ok || l.Kind != tir.Vthread {
		return s
	}
	w := &interleaving{loop: l, n: l.Extent.(*tir.IntImm).Value, own: map[*tir.Buffer]*tir.Buffer{}}
	var buffers []*tir.Buffer
	body := tir.MapStmt(l.Body, func(t tir.Stmt) tir.Stmt {
		a, ok := t.(*tir.Alloc)
		if !ok {
			return t
		}
		w.own[a.Buffer] = w.widened(a.Buffer)
		buffers = append(buffers, w.own[a.Buffer])
		return a.Body
	}, nil)
	body = w.byUnit(body)
	for _, b := range slices.Backward(buffers) {
		body = &tir.Alloc{Buffer: b, Body: body}
	}
	return body
}

// byUnit moves the loop over virtual threads into s, down to around what one unit does.
func (w *interleaving) byUnit(s tir.Stmt) tir.Stmt {
	if unitOf(s) != manyUnits {
		return w.around(s)
	}
	switch s := s.(type) {
	case *tir.Seq:
		var list, run []tir.Stmt
		all := tir.Sequence(s.Stmts...).(*tir.Seq).Stmts
		for i, t := range all {
			run = append(run, t)
			if u := unitOf(t); u == manyUnits || i+1 == len(all) || unitOf(all[i+1]) != u {
				list, run = append(list, w.byUnit(tir.Sequence(run...))), nil
			}
		}
		return tir.Sequence(list...)
	case *tir.For:
		if w.depends(s.Extent) {
			return w.around(s)
		}
	case *tir.If:
		if w.depends(s.Cond) {
			return w.around(s)
		}
	}
	return tir.MapChildren(s, w.byUnit)
}

// The units of an accelerator, by what they write.
const (
	manyUnits = iota
	loads
	computes
	stores
)

func unitOf(s tir.Stmt) int {
	unit := manyUnits
	for st := range tir.StmtsIn[*tir.Store](s) {
		u := computes
		switch {
		case st.Buffer.Scope == tir.Inp || st.Buffer.Scope == tir.Wgt:
			u = loads
		case st.Buffer.InGlobal():
			u = stores
		}
		if unit != manyUnits && unit != u {
			return manyUnits
		}
		unit = u
	}
	return unit
}
