package lower

import "github.com/wmtune/wmtune/tir"

// join makes one of conditionals in a row with one condition, so that what an
// interior computes and what is done with it stand together:
//
//	if i0 < 7:                       if i0 < 7:
//	  T[...] = 0                       T[...] = 0
//	else:                              for k in 64: T[...] += ...
//	  T[...] = 0                =>     C[...] = T[...]
//	if i0 < 7:                       else:
//	  for k in 64: T[...] += ...       T[...] = 0
//	else:                              ...
//	  ...
//
// Otherwise values in registers would have to cross from one conditional into
// the next, which costs more registers than there are. For the same reason, advice
// on unrolling and small temporaries that stand around a conditional move into its
// branches. A condition that reads memory stays alone: what is done under the first
// could change it. So do all in GPU threads, which may have to wait for each other
// between two.
func join(f *tir.Func, _ Config) (*tir.Func, error) {
	if usesThreads(f.Body) {
		return f, nil
	}
	g := *f
	g.Body = joined(f.Body)
	return &g, nil
}

func joined(s tir.Stmt) tir.Stmt {
	s = tir.MapChildren(s, joined)
	if seq, ok := s.(*tir.Seq); ok {
		return inRow(seq.Stmts)
	}
	return inside(s)
}

// inRow joins neighbours.
func inRow(stmts []tir.Stmt) tir.Stmt {
	var list []tir.Stmt
	for _, t := range stmts {
		if len(list) > 0 {
			if both, ok := joinedIfs(list[len(list)-1], t); ok {
				list[len(list)-1] = both
				continue
			}
		}
		list = append(list, t)
	}
	return tir.Sequence(list...)
}

// inside moves what stands around a conditional alone into its branches: advice on unrolling, of which the else branch
// gets as much as unroll gives one, and a small temporary. One temporary for both branches would stay in memory: each
// branch would have to keep what the other one stored.
func inside(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Pragma:
		if c, ok := s.Body.(*tir.If); ok && s.Key == UnrollKey {
			advice := func(t tir.Stmt, steps int64) tir.Stmt {
				return inside(&tir.Pragma{Key: s.Key, Value: steps, Body: t})
			}
			r := &tir.If{Cond: c.Cond, Then: advice(c.Then, s.Value)}
			if c.Else != nil {
				r.Else = advice(c.Else, s.Value/edgeShare)
			}
			return r
		}
	case *tir.Alloc:
		c, ok := s.Body.(*tir.If)
		if ok && s.Buffer.Scope == tir.Local && s.Buffer.Bytes() <= mostValues && !tir.ReadsBuffer(c.Cond, s.Buffer) {
			own := func(t tir.Stmt) tir.Stmt {
				b := *s.Buffer
				t = onBuffers(t, map[*tir.Buffer]element{s.Buffer: {buffer: &b}})
				return inside(&tir.Alloc{Buffer: &b, Body: t})
			}
			r := &tir.If{Cond: c.Cond, Then: own(c.Then)}
			if c.Else != nil {
				r.Else = own(c.Else)
			}
			return r
		}
	}
	return s
}

// mostValues is the size in bytes of the largest temporary that may become values: twice what the 32 vector registers
// of AVX-512 hold.
const mostValues = 4096

// joinedIfs joins two statements if they are conditionals with one condition.
func joinedIfs(s, t tir.Stmt) (tir.Stmt, bool) {
	a, ok := s.(*tir.If)
	b, ok2 := t.(*tir.If)
	if !ok || !ok2 || tir.Reads(a.Cond) || !tir.EqualExpr(a.Cond, b.Cond) {
		return nil, false
	}
	both := &tir.If{Cond: a.Cond, Then: row(a.Then, b.Then)}
	switch {
	case a.Else == nil:
		both.Else = b.Else
	case b.Else == nil:
		both.Else = a.Else
	default:
		both.Else = row(a.Else, b.Else)
	}
	return both, true
}

// row is two statements in a row, of which neighbours are joined.
func row(s, t tir.Stmt) tir.Stmt {
	both := tir.Sequence(s, t)
	if seq, ok := both.(*tir.Seq); ok {
		return inRow(seq.Stmts)
	}
	return both
}
