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
// the next, which costs more registers than there are. A condition that reads
// memory stays alone: what is done under the first could change it. So do all
// in GPU threads, which may have to wait for each other between two.
func join(f *tir.Func, _ Config) (*tir.Func, error) {
	if usesThreads(f.Body) {
		return f, nil
	}
	g := *f
	g.Body = joined(f.Body)
	return &g, nil
}

func joined(s tir.Stmt) tir.Stmt {
	seq, ok := s.(*tir.Seq)
	if !ok {
		return tir.MapChildren(s, joined)
	}
	var list []tir.Stmt
	for _, t := range seq.Stmts {
		if len(list) > 0 {
			if both, ok := joinedIfs(list[len(list)-1], t); ok {
				list[len(list)-1] = both
				continue
			}
		}
		list = append(list, t)
	}
	for i, t := range list {
		list[i] = tir.MapChildren(t, joined)
	}
	return tir.Sequence(list...)
}

// joinedIfs joins two statements if they are conditionals with one condition.
func joinedIfs(s, t tir.Stmt) (tir.Stmt, bool) {
	a, ok := s.(*tir.If)
	b, ok2 := t.(*tir.If)
	if !ok || !ok2 || tir.Reads(a.Cond) || !tir.EqualExpr(a.Cond, b.Cond) {
		return nil, false
	}
	both := &tir.If{Cond: a.Cond, Then: tir.Sequence(a.Then, b.Then)}
	switch {
	case a.Else == nil:
		both.Else = b.Else
	case b.Else == nil:
		both.Else = a.Else
	default:
		both.Else = tir.Sequence(a.Else, b.Else)
	}
	return both, true
}
