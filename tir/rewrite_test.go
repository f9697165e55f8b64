package tir

import (
	"strings"
	"testing"
)

// sample has every kind of statement and expression.
func sample() *Func {
	a, c, t := buf("A", F32, 8), buf("C", F32, 8), &Buffer{Name: "T", Type: F32, Shape: []int64{8}, Scope: Shared}
	i, j, k := NewVar("i"), NewVar("j"), NewVar("k")
	v := IfThenElse(Bin(LT, i, Int(3)), at(a, i), &Cast{X: Const(I32, 2), To: F32})
	first := &For{Var: i, Extent: Int(8), Kind: ThreadBound, Thread: "threadIdx.x", Body: &Block{Name: "T", Init: true, Body: &Seq{Stmts: []Stmt{
		&Store{Buffer: t, Index: []Expr{i}, Value: v}, &Barrier{Scope: Shared}}}}}
	second := &Pragma{Key: "auto_unroll_max_step", Value: 16, Body: &For{Var: j, Extent: Int(8), Body: &If{
		Cond: &Not{X: Bin(EQ, j, Int(1))},
		Then: &Store{Buffer: c, Index: []Expr{j}, Value: &Call{Fn: Pow, Args: []Expr{at(t, j), Float(F32, 2)}}},
		Else: &Store{Buffer: c, Index: []Expr{j}, Value: at(t, Bin(Sub, Int(7), j))}}}}
	third := &For{Var: k, Extent: Int(1), Kind: Unrolled, Body: &Store{Buffer: c, Index: []Expr{k}, Value: at(c, k)}}
	return &Func{Name: "f", Params: []*Buffer{a, c}, Outputs: 1, Body: &Alloc{Buffer: t, Body: &Seq{Stmts: []Stmt{first, second, third}}}}
}

func TestMapSharesWhatDoesNotChange(t *testing.T) {
	f := sample()
	same := MapStmt(f.Body, nil, func(e Expr) Expr { return MapExpr(e, func(e Expr) Expr { return e }) })
	if same != f.Body {
		t.Error("the identity makes a new tree")
	}
	text := f.String()
	g := *f
	g.Body = MapStmt(f.Body, nil, func(e Expr) Expr {
		return MapExpr(e, func(e Expr) Expr {
			if c, ok := e.(*IntImm); ok && c.Type == Index && c.Value == 1 {
				return Int(5)
			}
			return e
		})
	})
	want := strings.NewReplacer("== 1)", "== 5)", "in 1:", "in 5:").Replace(text)
	if got := g.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if f.String() != text {
		t.Error("the original changed")
	}
	before, after := f.Body.(*Alloc).Body.(*Seq).Stmts, g.Body.(*Alloc).Body.(*Seq).Stmts
	if before[0] != after[0] {
		t.Error("a loop without a change is a copy")
	}
}

func TestMapRemoves(t *testing.T) {
	drop := func(name string) func(Stmt) Stmt {
		return func(s Stmt) Stmt {
			if st, ok := s.(*Store); ok && strings.HasPrefix(st.String(), name) {
				return nil
			}
			return s
		}
	}
	f := sample()
	g := *f
	g.Body = MapStmt(f.Body, drop("C[j] = tir.pow"), nil)
	if !strings.Contains(g.String(), "if !!(j == 1):\n      C[j] = T[(7 - j)]") {
		t.Errorf("the then branch is not removed:\n%s", g.String())
	}
	g.Body = MapStmt(f.Body, drop("C["), nil)
	if text := g.String(); strings.Contains(text, "pragma") || strings.Contains(text, "C[") {
		t.Errorf("loops of removed statements stay:\n%s", text)
	}
	if s := MapStmt(f.Body, func(s Stmt) Stmt {
		switch s.(type) {
		case *Store, *Barrier:
			return nil
		}
		return s
	}, nil); s != nil {
		t.Errorf("something is left:\n%s", s)
	}
}

func TestVisit(t *testing.T) {
	f := sample()
	stmts, loads, vars := 0, 0, 0
	Visit(f.Body, func(Stmt) bool { stmts++; return true })
	VisitAllExprs(f.Body, func(e Expr) bool {
		switch e.(type) {
		case *Load:
			loads++
		case *Var:
			vars++
		}
		return true
	})
	if stmts != 14 || loads != 4 || vars != 10 {
		t.Errorf("%d statements, %d loads, %d variables", stmts, loads, vars)
	}
	stmts = 0
	Visit(f.Body, func(s Stmt) bool { stmts++; _, isAlloc := s.(*Alloc); return isAlloc })
	if stmts != 2 {
		t.Errorf("%d statements seen, want the alloc and the sequence", stmts)
	}
}

func TestSubstitute(t *testing.T) {
	a, i, j := buf("A", F32, 8), NewVar("i"), NewVar("j")
	e := Bin(Add, at(a, Bin(Add, i, j)), at(a, i))
	got := Substitute(e, map[*Var]Expr{i: Int(3)})
	if got.String() != "(A[(3 + j)] + A[3])" {
		t.Errorf("got %s", got)
	}
	if Substitute(e, map[*Var]Expr{NewVar("i"): Int(3)}) != e {
		t.Error("a variable of the same name is replaced")
	}
	if !Uses(got, j) || Uses(got, i) {
		t.Error("Uses is wrong")
	}
	ones := SubstituteLoads(e, func(l *Load) Expr { return Float(F32, 1) })
	if ones.String() != "(1f + 1f)" {
		t.Errorf("got %s", ones)
	}
}

func TestSequence(t *testing.T) {
	b := &Barrier{Scope: Shared}
	if Sequence() != nil || Sequence(nil, nil) != nil || Sequence(nil, b) != Stmt(b) {
		t.Error("short sequences are wrong")
	}
	s := Sequence(b, Sequence(b, nil, b), b).(*Seq)
	if len(s.Stmts) != 4 {
		t.Errorf("%d statements, want 4 in one list", len(s.Stmts))
	}
}

func TestFreshLoops(t *testing.T) {
	f := sample()
	twice := *f
	twice.Body = &Seq{Stmts: []Stmt{f.Body, FreshLoops(f.Body)}}
	if err := Check(&twice); err != nil {
		t.Errorf("a copy beside the original: %v", err)
	}
	copied := *f
	copied.Body = FreshLoops(f.Body)
	if copied.String() != f.String() {
		t.Errorf("the copy differs:\n%s", copied.String())
	}
	one := &Seq{Stmts: []Stmt{f.Body}} // is mapped once
	if copied.Body = FreshLoops(one); copied.Body == f.Body || copied.String() != f.String() {
		t.Errorf("a list of one statement becomes\n%s", copied.String())
	}
	s := f.Body.(*Alloc).Body.(*Seq).Stmts[1].(*Pragma).Body.(*For).Body.(*If).Then
	if FreshLoops(s) != s {
		t.Error("a statement without loops is copied")
	}
}
