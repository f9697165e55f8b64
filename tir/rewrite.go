package tir

import (
	"fmt"
	"iter"
	"slices"
)

// Operands calls f for the expressions directly in e, in order.
func Operands(e Expr, f func(Expr)) {
	switch e := e.(type) {
	case *Var, *IntImm, *FloatImm:
	case *Binary:
		f(e.X)
		f(e.Y)
	case *Not:
		f(e.X)
	case *Cast:
		f(e.X)
	case *Bitcast:
		f(e.X)
	case *Select:
		f(e.Cond)
		f(e.Then)
		f(e.Else)
	case *Call:
		for _, x := range e.Args {
			f(x)
		}
	case *Load:
		for _, x := range e.Index {
			f(x)
		}
	default:
		panic(fmt.Sprintf("BUG: tir: visiting a %T", e))
	}
}

// VisitExpr calls f for e and then for the expressions in it, parents first.
// If f returns false, what is inside that expression is left out.
func VisitExpr(e Expr, f func(Expr) bool) {
	if !f(e) {
		return
	}
	switch e := e.(type) {
	case *Var, *IntImm:
	case *Binary: // without a closure: most are
		VisitExpr(e.X, f)
		VisitExpr(e.Y, f)
	default:
		Operands(e, func(x Expr) { VisitExpr(x, f) })
	}
}

// Visit calls f for s and then for the statements in it, parents first. If f
// returns false, what is inside that statement is left out.
func Visit(s Stmt, f func(Stmt) bool) {
	if !f(s) {
		return
	}
	switch s := s.(type) {
	case *Store, *Barrier, *Wait, *MMA:
	case *For:
		Visit(s.Body, f)
	case *If:
		Visit(s.Then, f)
		if s.Else != nil {
			Visit(s.Else, f)
		}
	case *Seq:
		for _, t := range s.Stmts {
			Visit(t, f)
		}
	case *Alloc:
		Visit(s.Body, f)
	case *Block:
		Visit(s.Body, f)
	case *Pragma:
		Visit(s.Body, f)
	default:
		panic(fmt.Sprintf("BUG: tir: visiting a %T", s))
	}
}

// Exprs calls f for each expression that s itself holds, whole: those of
// statements inside s are left out. Combine it with Visit to see all.
func Exprs(s Stmt, f func(Expr)) {
	switch s := s.(type) {
	case *For:
		f(s.Extent)
	case *Store:
		for _, e := range s.Index {
			f(e)
		}
		f(s.Value)
	case *If:
		f(s.Cond)
	case *MMA:
		s.exprs(f)
	}
}

// VisitAllExprs calls f for every expression in s and in the statements inside
// it, parents first, as VisitExpr does.
func VisitAllExprs(s Stmt, f func(Expr) bool) {
	Visit(s, func(t Stmt) bool {
		Exprs(t, func(e Expr) { VisitExpr(e, f) })
		return true
	})
}

// ExprsIn returns the expressions of a type in e, parents first.
func ExprsIn[T Expr](e Expr) iter.Seq[T] {
	return func(yield func(T) bool) {
		HasExpr(e, func(x Expr) bool {
			t, ok := x.(T)
			return ok && !yield(t)
		})
	}
}

// StmtsIn returns the statements of a type in s, parents first.
func StmtsIn[T Stmt](s Stmt) iter.Seq[T] {
	return func(yield func(T) bool) {
		Has(s, func(x Stmt) bool {
			t, ok := x.(T)
			return ok && !yield(t)
		})
	}
}

// Has reports whether something holds for a statement in s.
func Has(s Stmt, holds func(Stmt) bool) bool {
	found := false
	Visit(s, func(t Stmt) bool {
		found = found || holds(t)
		return !found
	})
	return found
}

// HasExpr reports whether something holds for an expression in e.
func HasExpr(e Expr, holds func(Expr) bool) bool {
	found := false
	VisitExpr(e, func(x Expr) bool {
		found = found || holds(x)
		return !found
	})
	return found
}

// Uses reports whether v occurs in e.
func Uses(e Expr, v *Var) bool { return HasExpr(e, func(x Expr) bool { return x == Expr(v) }) }

// ElementBytes returns the size of the widest element that the statement computes with, as it is in a register,
// which decides how many lanes fill one. Indices do not count; of what an instruction may carry out, the sum does.
func ElementBytes(s Stmt) int {
	size := 1
	Visit(s, func(t Stmt) bool {
		if l, ok := t.(*For); ok && l.Kind == Tensorized && Accumulated(l, true) != nil {
			size = max(size, Accumulated(l, true).Buffer.Type.RegisterBytes())
			return false
		}
		st, ok := t.(*Store)
		if !ok {
			return true
		}
		size = max(size, st.Buffer.Type.RegisterBytes())
		VisitExpr(st.Value, func(x Expr) bool {
			if b, ok := x.(*Binary); ok && b.Op.IsCompare() && b.X.DType() == Index {
				return false
			}
			size = max(size, x.DType().RegisterBytes())
			_, load := x.(*Load)
			return !load
		})
		return true
	})
	return size
}

// Nodes returns the number of nodes of expressions.
func Nodes(list ...Expr) int {
	n := 0
	for _, e := range list {
		VisitExpr(e, func(Expr) bool {
			n++
			return true
		})
	}
	return n
}

// IsStored reports whether e is the element that s stores.
func IsStored(e Expr, s *Store) bool {
	l, ok := e.(*Load)
	return ok && l.Buffer == s.Buffer && slices.EqualFunc(l.Index, s.Index, EqualExpr)
}

// Reads reports whether e reads a buffer.
func Reads(e Expr) bool { return anyLoad(e, func(*Load) bool { return true }) }

// ReadsBuffer reports whether e reads b.
func ReadsBuffer(e Expr, b *Buffer) bool {
	return anyLoad(e, func(l *Load) bool { return l.Buffer == b })
}

func anyLoad(e Expr, is func(*Load) bool) bool {
	return HasExpr(e, func(x Expr) bool {
		l, ok := x.(*Load)
		return ok && is(l)
	})
}

// MapExpr rebuilds e from the leaves up: f gets each expression with its
// operands already mapped and returns what takes its place. What does not
// change is shared with e.
func MapExpr(e Expr, f func(Expr) Expr) Expr {
	return f(MapOperands(e, func(x Expr) Expr { return MapExpr(x, f) }))
}

// MapOperands rebuilds e with f applied to the expressions directly in it, or returns e if they do not change.
func MapOperands(e Expr, f func(Expr) Expr) Expr {
	switch e := e.(type) {
	case *Var, *IntImm, *FloatImm:
		return e
	case *Binary:
		if x, y := f(e.X), f(e.Y); x != e.X || y != e.Y {
			return &Binary{Op: e.Op, X: x, Y: y}
		}
		return e
	case *Not:
		if x := f(e.X); x != e.X {
			return &Not{X: x}
		}
		return e
	case *Cast:
		if x := f(e.X); x != e.X {
			return &Cast{X: x, To: e.To, Term: e.Term}
		}
		return e
	case *Bitcast:
		if x := f(e.X); x != e.X {
			return &Bitcast{X: x, To: e.To}
		}
		return e
	case *Select:
		if c, t, o := f(e.Cond), f(e.Then), f(e.Else); c != e.Cond || t != e.Then || o != e.Else {
			return &Select{Cond: c, Then: t, Else: o, Lazy: e.Lazy}
		}
		return e
	case *Call:
		if args, ok := mapExprs(e.Args, f); ok {
			return &Call{Fn: e.Fn, Args: args}
		}
		return e
	case *Load:
		if index, ok := mapExprs(e.Index, f); ok {
			return &Load{Buffer: e.Buffer, Index: index}
		}
		return e
	}
	panic(fmt.Sprintf("BUG: tir: mapping a %T", e))
}

// mapExprs applies f to each expression of list and reports whether one changed.
func mapExprs(list []Expr, f func(Expr) Expr) ([]Expr, bool) {
	var out []Expr
	for i, e := range list {
		m := f(e)
		if m != e && out == nil {
			out = append(make([]Expr, 0, len(list)), list[:i]...)
		}
		if out != nil {
			out = append(out, m)
		}
	}
	if out == nil {
		return list, false
	}
	return out, true
}

// MapStmt rebuilds s with stmt applied to each statement, whose parts are
// already mapped, and expr to each whole expression of a statement; either may
// be nil. What does not change is shared with s. A nil result of stmt removes
// the statement: a Seq goes on without it, and a statement whose body is removed
// goes with it. MapStmt returns nil if all is removed.
func MapStmt(s Stmt, stmt func(Stmt) Stmt, expr func(Expr) Expr) Stmt {
	if stmt == nil {
		stmt = func(s Stmt) Stmt { return s }
	}
	if expr == nil {
		expr = func(e Expr) Expr { return e }
	}
	m := mapper{stmt: stmt, expr: expr}
	return m.rewrite(s)
}

type mapper struct {
	stmt func(Stmt) Stmt
	expr func(Expr) Expr
}

func (m *mapper) rewrite(s Stmt) Stmt {
	t := mapParts(s, m.rewrite, m.expr)
	if t == nil {
		return nil
	}
	if _, whole := t.(*Seq); !whole {
		if _, was := s.(*Seq); was {
			return t // the only statement left, which is mapped
		}
	}
	return m.stmt(t)
}

// MapChildren rebuilds s with f applied to the statements directly in it, for
// rewriting from the root down. As with MapStmt, a nil result removes, and what
// does not change is shared.
func MapChildren(s Stmt, f func(Stmt) Stmt) Stmt {
	return mapParts(s, f, func(e Expr) Expr { return e })
}

// mapParts rebuilds s from its parts, mapped.
func mapParts(s Stmt, stmt func(Stmt) Stmt, expr func(Expr) Expr) Stmt {
	switch s := s.(type) {
	case *Barrier, *Wait:
		return s
	case *Store:
		return mapStore(s, expr)
	case *MMA:
		return s.mapped(expr)
	case *If:
		return mapIf(s, stmt, expr)
	case *Seq:
		return mapSeq(s, stmt)
	case *For:
		extent := expr(s.Extent)
		return withBody(s.Body, stmt, extent == s.Extent, s, func(body Stmt) Stmt {
			c := *s
			c.Extent, c.Body = extent, body
			return &c
		})
	case *Alloc:
		return withBody(s.Body, stmt, true, s, func(body Stmt) Stmt { return &Alloc{Buffer: s.Buffer, Body: body} })
	case *Block:
		return withBody(s.Body, stmt, true, s, func(body Stmt) Stmt { return &Block{Name: s.Name, Init: s.Init, Body: body} })
	case *Pragma:
		return withBody(s.Body, stmt, true, s,
			func(body Stmt) Stmt { return &Pragma{Key: s.Key, Value: s.Value, Body: body} })
	}
	panic(fmt.Sprintf("BUG: tir: mapping a %T", s))
}

// withBody maps the body of a statement, old, of which the rest is as before if
// same, and makes a new one if anything changed.
func withBody(body Stmt, stmt func(Stmt) Stmt, same bool, old Stmt, make func(Stmt) Stmt) Stmt {
	b := stmt(body)
	switch {
	case b == nil:
		return nil
	case same && b == body:
		return old
	}
	return make(b)
}

func mapStore(s *Store, expr func(Expr) Expr) Stmt {
	index, moved := mapExprs(s.Index, expr)
	value := expr(s.Value)
	if !moved && value == s.Value {
		return s
	}
	return &Store{Buffer: s.Buffer, Index: index, Value: value, Async: s.Async}
}

func mapIf(s *If, stmt func(Stmt) Stmt, expr func(Expr) Expr) Stmt {
	cond := expr(s.Cond)
	then := stmt(s.Then)
	var els Stmt
	if s.Else != nil {
		els = stmt(s.Else)
	}
	switch {
	case then == nil && els == nil:
		return nil
	case then == nil:
		return &If{Cond: &Not{X: cond}, Then: els}
	case cond == s.Cond && then == s.Then && els == s.Else:
		return s
	}
	return &If{Cond: cond, Then: then, Else: els}
}

func mapSeq(s *Seq, stmt func(Stmt) Stmt) Stmt {
	var out []Stmt
	changed := false
	for i, t := range s.Stmts {
		n := stmt(t)
		if n != t && !changed {
			changed = true
			out = append(make([]Stmt, 0, len(s.Stmts)), s.Stmts[:i]...)
		}
		if changed && n != nil {
			out = append(out, n)
		}
	}
	if !changed {
		return s
	}
	return Sequence(out...)
}

// Substitute returns e with variables replaced. Variables that are not in m
// stay.
func Substitute(e Expr, m map[*Var]Expr) Expr {
	if len(m) == 0 {
		return e
	}
	return MapExpr(e, func(e Expr) Expr {
		if v, ok := e.(*Var); ok {
			if r, ok := m[v]; ok {
				return r
			}
		}
		return e
	})
}

// SubstituteStmt returns s with variables that are free in it replaced.
func SubstituteStmt(s Stmt, m map[*Var]Expr) Stmt {
	if len(m) == 0 {
		return s
	}
	return MapStmt(s, nil, func(e Expr) Expr { return Substitute(e, m) })
}

// SubstituteLoads returns e with each Load, whose indices are already
// substituted, replaced by what f returns for it.
func SubstituteLoads(e Expr, f func(*Load) Expr) Expr {
	return MapExpr(e, func(e Expr) Expr {
		if l, ok := e.(*Load); ok {
			return f(l)
		}
		return e
	})
}

// Sequence joins statements, flattening nested sequences and leaving out nils.
// It returns nil for none and the statement itself for one.
func Sequence(list ...Stmt) Stmt {
	var flat []Stmt
	for _, s := range list {
		switch s := s.(type) {
		case nil:
		case *Seq:
			flat = append(flat, s.Stmts...)
		default:
			flat = append(flat, s)
		}
	}
	switch len(flat) {
	case 0:
		return nil
	case 1:
		return flat[0]
	}
	return &Seq{Stmts: flat}
}

// FreshLoops returns s with new loop variables and new allocated buffers, so
// that it can stand beside s in one function, in which each variable is bound
// once.
func FreshLoops(s Stmt) Stmt {
	vars := map[*Var]Expr{}
	buffers := map[*Buffer]*Buffer{}
	Visit(s, func(t Stmt) bool {
		switch t := t.(type) {
		case *For:
			vars[t.Var] = &Var{Name: t.Var.Name, Type: t.Var.Type}
		case *Alloc:
			c := *t.Buffer
			buffers[t.Buffer] = &c
		}
		return true
	})
	if len(vars) == 0 && len(buffers) == 0 {
		return s
	}
	expr := func(e Expr) Expr {
		return MapExpr(e, func(e Expr) Expr {
			switch e := e.(type) {
			case *Var:
				if v, ok := vars[e]; ok {
					return v
				}
			case *Load:
				if b, ok := buffers[e.Buffer]; ok {
					return &Load{Buffer: b, Index: e.Index}
				}
			}
			return e
		})
	}
	stmt := func(t Stmt) Stmt {
		switch t := t.(type) {
		case *For:
			c := *t
			c.Var = vars[t.Var].(*Var)
			return &c
		case *Alloc:
			return &Alloc{Buffer: buffers[t.Buffer], Body: t.Body}
		case *Store:
			if b, ok := buffers[t.Buffer]; ok {
				return &Store{Buffer: b, Index: t.Index, Value: t.Value, Async: t.Async}
			}
		case *MMA:
			if b, ok := buffers[t.Buffer]; ok {
				c := *t
				c.Buffer = b
				return &c
			}
		}
		return t
	}
	return MapStmt(s, stmt, expr)
}
