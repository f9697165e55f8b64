package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// maxLaneBytes bounds what a temporary may grow to when it gets one copy per
// lane; it is to stay in the first-level cache.
const maxLaneBytes = 16 << 10

// vectorize keeps a loop vectorized only if an emitter can run all lanes at
// once, and makes it serial if not. A temporary allocated inside gets a
// dimension for the lanes, which run fastest:
//
//	vectorize j in 8:            alloc T: float32[4, 8] local
//	  alloc T: float32[4]   =>   vectorize j in 8:
//	  T[0] = A[j]                  T[0, j] = A[j]
//	  C[j] = T[0]                  C[j] = T[0, j]
//
// A loop becomes serial if its extent is not constant, if an element is stored
// that does not depend on the lane (a reduction carried by the lanes), if it
// contains a loop of another kind than serial, unrolled and tensorized, a barrier, or a loop
// whose extent differs between the lanes, or if the temporaries would become too
// large. Of vectorized loops in each other the longest stays one, of equal ones
// the outermost that can. Conditions that differ between lanes stay: they are
// masks.
func vectorize(f *tir.Func, _ Config) (*tir.Func, error) {
	g := *f
	g.Body = vectorizeLoops(f.Body)
	return &g, nil
}

func vectorizeLoops(s tir.Stmt) tir.Stmt {
	l, ok := s.(*tir.For)
	if !ok || l.Kind != tir.Vectorized {
		return tir.MapChildren(s, vectorizeLoops)
	}
	if n, ok := l.Extent.(*tir.IntImm); ok && n.Value >= longestVector(l.Body) {
		if v := vectorized(l); v != nil {
			return v
		}
	}
	c := *l
	c.Kind = tir.Serial
	c.Body = vectorizeLoops(l.Body)
	return &c
}

// longestVector returns the extent of the longest vectorized loop in s, 0 if
// there is none.
func longestVector(s tir.Stmt) int64 {
	longest := int64(0)
	for l := range tir.StmtsIn[*tir.For](s) {
		if l.Kind == tir.Vectorized {
			if n, ok := l.Extent.(*tir.IntImm); ok {
				longest = max(longest, n.Value)
			}
		}
	}
	return longest
}

// vectorized returns l with the temporaries inside made wide and vectors inside
// made serial, or nil if it cannot be a vector.
func vectorized(l *tir.For) tir.Stmt {
	extent, ok := l.Extent.(*tir.IntImm)
	if !ok {
		return nil
	}
	c := *l
	c.Body = withoutKind(l.Body, tir.Vectorized)
	l = &c
	if !laneLoops(l) {
		return nil
	}
	var temps []*tir.Buffer
	for a := range tir.StmtsIn[*tir.Alloc](l.Body) {
		temps = append(temps, a.Buffer)
	}
	wide := make(map[*tir.Buffer]*tir.Buffer, len(temps))
	for _, b := range temps {
		if b.Bytes()*extent.Value > maxLaneBytes || b.Scope == tir.Shared || b.Scope == tir.Warp {
			return nil
		}
		wide[b] = perLane(b, extent.Value)
	}
	if !laneStores(l, temps) {
		return nil
	}
	if len(temps) == 0 {
		return l
	}
	v := *l
	v.Body = withLanes(l, wide)
	var s tir.Stmt = &v
	for i := len(temps) - 1; i >= 0; i-- {
		s = &tir.Alloc{Buffer: wide[temps[i]], Body: s}
	}
	return s
}

// laneLoops reports whether what is inside l, loops above all, runs alike in all
// lanes.
func laneLoops(l *tir.For) bool {
	ok := true
	tir.Visit(l.Body, func(s tir.Stmt) bool {
		switch s := s.(type) {
		case *tir.For:
			ok = ok && (s.Kind == tir.Serial || s.Kind == tir.Unrolled || s.Kind == tir.Tensorized) && !tir.Uses(s.Extent, l.Var)
		case *tir.Barrier, *tir.Wait, *tir.MMA:
			ok = false
		}
		return ok
	})
	return ok
}

// laneStores reports whether each store writes another element in each lane;
// the temporaries will be one per lane.
func laneStores(l *tir.For, temps []*tir.Buffer) bool {
	ok := true
	tir.Visit(l.Body, func(s tir.Stmt) bool {
		if st, isStore := s.(*tir.Store); isStore {
			ok = ok && (slices.Contains(temps, st.Buffer) ||
				slices.ContainsFunc(st.Index, func(e tir.Expr) bool { return tir.Uses(e, l.Var) }))
		}
		return ok
	})
	return ok
}

// perLane returns b with a last dimension of n lanes.
func perLane(b *tir.Buffer, n int64) *tir.Buffer {
	w := *b
	w.Shape = append(slices.Clone(b.Shape), n)
	if b.Strides != nil {
		w.Strides = make([]int64, len(b.Strides), len(b.Strides)+1)
		for d, s := range b.Strides {
			w.Strides[d] = s * n
		}
		w.Strides = append(w.Strides, 1)
	}
	return &w
}

// withLanes returns the body of l with the wide buffers in place of those that
// it allocates.
func withLanes(l *tir.For, wide map[*tir.Buffer]*tir.Buffer) tir.Stmt {
	expr := func(e tir.Expr) tir.Expr {
		return tir.SubstituteLoads(e, func(x *tir.Load) tir.Expr {
			if w, ok := wide[x.Buffer]; ok {
				return &tir.Load{Buffer: w, Index: append(slices.Clone(x.Index), l.Var)}
			}
			return x
		})
	}
	stmt := func(s tir.Stmt) tir.Stmt {
		switch s := s.(type) {
		case *tir.Alloc:
			return s.Body
		case *tir.Store:
			if w, ok := wide[s.Buffer]; ok {
				return &tir.Store{Buffer: w, Index: append(slices.Clone(s.Index), l.Var), Value: s.Value, Async: s.Async}
			}
		}
		return s
	}
	return tir.MapStmt(l.Body, stmt, expr)
}
