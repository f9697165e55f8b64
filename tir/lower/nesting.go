package lower

import "github.com/wmtune/wmtune/tir"

// nesting makes parallel loops serial that are in another parallel loop, a
// vector, or a GPU thread:
//
//	parallel i in 8:          parallel i in 8:
//	  parallel j in 4:   =>     for j in 4:
//	    C[i, j] = ...             C[i, j] = ...
func nesting(f *tir.Func, _ Config) (*tir.Func, error) {
	g := *f
	g.Body = serialized(f.Body)
	return &g, nil
}

// serialized makes the parallel loops serial that are in a loop whose
// iterations already run at once.
func serialized(s tir.Stmt) tir.Stmt {
	if l, ok := s.(*tir.For); ok && l.Kind != tir.Serial && l.Kind != tir.Unrolled {
		c := *l
		c.Body = withoutKind(l.Body, tir.Parallel)
		return &c
	}
	return tir.MapChildren(s, serialized)
}

// withoutKind returns s with all loops of a kind serial.
func withoutKind(s tir.Stmt, kind tir.ForKind) tir.Stmt {
	return tir.MapStmt(s, func(t tir.Stmt) tir.Stmt {
		if l, ok := t.(*tir.For); ok && l.Kind == kind {
			c := *l
			c.Kind = tir.Serial
			return &c
		}
		return t
	}, nil)
}
