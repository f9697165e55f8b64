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
// the next, which costs more registers than there are. Advice on unrolling, which
// stands around what computes the tile, goes into the branches, and a temporary
// around the conditional as well. A condition that reads
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
		return inside(tir.MapChildren(s, joined))
	}
	var list []tir.Stmt
	for _, t := range seq.Stmts {
		switch t.(type) {
		case *tir.Pragma, *tir.Alloc:
			t = joined(t)
		}
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

// inside has what stands around a conditional alone stand in its branches: advice on unrolling, and a temporary that
// may become values, which otherwise had those of the other branch, too.
func inside(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Pragma:
		if c, ok := s.Body.(*tir.If); ok && s.Key == UnrollKey {
			return branches(c, func(t tir.Stmt) tir.Stmt { return &tir.Pragma{Key: s.Key, Value: s.Value, Body: t} })
		}
	case *tir.Alloc:
		c, ok := s.Body.(*tir.If)
		if ok && s.Buffer.Scope == tir.Local && s.Buffer.Bytes() <= mostValues && !tir.ReadsBuffer(c.Cond, s.Buffer) {
			return branches(c, func(t tir.Stmt) tir.Stmt {
				own := *s.Buffer
				return inside(&tir.Alloc{Buffer: &own, Body: onBuffers(t, map[*tir.Buffer]element{s.Buffer: {buffer: &own}})})
			})
		}
	}
	return s
}

// mostValues is the size in bytes of the largest temporary that may become values: vector registers hold half of it.
const mostValues = 4096

// branches returns c with its branches changed.
func branches(c *tir.If, change func(tir.Stmt) tir.Stmt) tir.Stmt {
	r := &tir.If{Cond: c.Cond, Then: change(c.Then)}
	if c.Else != nil {
		r.Else = change(c.Else)
	}
	return r
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
