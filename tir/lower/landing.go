package lower

import "github.com/wmtune/wmtune/tir"

// landing makes asynchronous stores late, for a host that carries threads out one after
// another: what is under way is nowhere to be read, and lands when a barrier comes after
// a wait. In between the element holds what no program computes.
//
//	async A.shared[t] = A[t]        A.shared.late[t] = A[t]
//	                                A.shared.due[t] = 1
//	                                A.shared[t] = nan
//	wait                       =>   A.shared.waited = 1
//	barrier shared                  barrier shared
//	                                if A.shared.waited == 1:
//	                                  for at in 32:
//	                                    if A.shared.due[at] == 1:
//	                                      A.shared[at] = A.shared.late[at]
//	                                      A.shared.due[at] = 0
//	                                  A.shared.waited = 0
//
// The first thread after a barrier lands what all have waited for. A thread that reads
// its own element after its wait, but before a barrier, finds it not there: doubleBuffer
// makes no such program.
func landing(s tir.Stmt) tir.Stmt {
	late := map[*tir.Buffer]bool{}
	for st := range tir.StmtsIn[*tir.Store](s) {
		if st.Async {
			late[st.Buffer] = true
		}
	}
	l := lander{late, nil}
	return l.stmt(s)
}

// A lander lands what is stored to the copies that it is in scope of.
type lander struct {
	late map[*tir.Buffer]bool
	open []flight
}

// A flight is what is under way to a buffer.
type flight struct{ to, late, due, waited *tir.Buffer }

func newFlight(to *tir.Buffer) flight {
	like := func(name string, t tir.DType) *tir.Buffer {
		b := *to
		b.Name, b.Type = to.Name+name, t
		return &b
	}
	f := flight{to, like(".late", to.Type), like(".due", tir.I32), like(".waited", tir.I32)}
	f.waited.Shape, f.waited.Strides = nil, nil
	return f
}

func (l lander) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Alloc:
		if !l.late[s.Buffer] {
			break
		}
		f := newFlight(s.Buffer)
		l.open = append(l.open[:len(l.open):len(l.open)], f)
		body := l.stmt(s.Body)
		for _, b := range []*tir.Buffer{f.waited, f.due, f.late, f.to} {
			body = &tir.Alloc{Buffer: b, Body: body}
		}
		return body
	case *tir.Store:
		for _, f := range l.open {
			if s.Async && f.to == s.Buffer {
				return f.start(s)
			}
		}
	case *tir.Wait:
		var list []tir.Stmt
		for _, f := range l.open {
			list = append(list, flag(f.waited, nil, 1))
		}
		return tir.Sequence(list...)
	case *tir.Barrier:
		list := []tir.Stmt{s}
		for _, f := range l.open {
			list = append(list, f.land())
		}
		return tir.Sequence(list...)
	}
	return tir.MapChildren(s, l.stmt)
}

func flag(b *tir.Buffer, at []tir.Expr, v int64) tir.Stmt {
	return &tir.Store{Buffer: b, Index: at, Value: &tir.IntImm{Value: v, Type: tir.I32}}
}

func isSet(b *tir.Buffer, at []tir.Expr) tir.Expr {
	return tir.Bin(tir.EQ, &tir.Load{Buffer: b, Index: at}, &tir.IntImm{Value: 1, Type: tir.I32})
}

// start is what happens when an asynchronous store begins.
func (f flight) start(s *tir.Store) tir.Stmt {
	return tir.Sequence(
		&tir.Store{Buffer: f.late, Index: s.Index, Value: s.Value},
		flag(f.due, s.Index, 1),
		&tir.Store{Buffer: f.to, Index: s.Index, Value: tir.Const(f.to.Type, poisonOf(f.to.Type))})
}

// land is what happens after a barrier.
func (f flight) land() tir.Stmt {
	var at []tir.Expr
	var vars []*tir.Var
	for range f.to.Shape {
		v := tir.NewVar("at")
		vars, at = append(vars, v), append(at, v)
	}
	s := tir.Stmt(&tir.If{Cond: isSet(f.due, at), Then: tir.Sequence(
		&tir.Store{Buffer: f.to, Index: at, Value: &tir.Load{Buffer: f.late, Index: at}}, flag(f.due, at, 0))})
	for d := len(vars) - 1; d >= 0; d-- {
		s = &tir.For{Var: vars[d], Extent: tir.Int(f.to.Shape[d]), Body: s}
	}
	return &tir.If{Cond: isSet(f.waited, nil), Then: tir.Sequence(s, flag(f.waited, nil, 0))}
}
