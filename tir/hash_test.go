package tir

import (
	"encoding/hex"
	"testing"
)

// scaled is C[v] = A[v]*2, the names as given.
func scaled(fn, v, a, c string, kind ForKind, n int64, factor float64, t DType) *Func {
	x, y, i := buf(a, t, 8), buf(c, t, 8), NewVar(v)
	s := &Store{Buffer: y, Index: []Expr{i}, Value: Bin(Mul, at(x, i), Const(t, factor))}
	return &Func{Name: fn, Params: []*Buffer{x, y}, Outputs: 1, Body: &For{Var: i, Extent: Int(n), Kind: kind, Body: &Block{Name: c, Body: s}}}
}

func TestHashIgnoresNames(t *testing.T) {
	a := scaled("f", "i", "A", "C", Serial, 8, 2, F32)
	b := scaled("g", "j", "X", "Y", Serial, 8, 2, F32)
	if a.Hash() != b.Hash() {
		t.Error("functions that differ in names have different hashes")
	}
	// The encoding is part of the data set's format.
	h := a.Hash()
	if got, want := hex.EncodeToString(h[:]), "a3209b4d77ae4f6ceed0c48b5aa4034e"; got != want {
		t.Errorf("hash is %s, want %s: the encoding changed", got, want)
	}
}

func TestHashTellsApart(t *testing.T) {
	base := func() *Func { return scaled("f", "i", "A", "C", Serial, 8, 2, F32) }
	other := map[string]*Func{
		"kind":   scaled("f", "i", "A", "C", Parallel, 8, 2, F32),
		"extent": scaled("f", "i", "A", "C", Serial, 7, 2, F32),
		"factor": scaled("f", "i", "A", "C", Serial, 8, 3, F32),
		"type":   scaled("f", "i", "A", "C", Serial, 8, 2, F64),
	}
	edit := func(name string, f func(*Func)) {
		g := base()
		f(g)
		other[name] = g
	}
	edit("scope", func(f *Func) { f.Params[1].Scope = Local })
	edit("strides", func(f *Func) { f.Params[1].Strides = []int64{2} })
	edit("outputs", func(f *Func) { f.Outputs = 2 })
	edit("pragma", func(f *Func) { f.Body = &Pragma{Key: "k", Value: 1, Body: f.Body} })
	edit("condition", func(f *Func) { f.Body = &If{Cond: BoolImm(true), Then: f.Body} })
	edit("both branches", func(f *Func) { f.Body = &If{Cond: BoolImm(true), Then: f.Body, Else: f.Body} })
	edit("init", func(f *Func) { f.Body.(*For).Body.(*Block).Init = true })
	edit("sequence", func(f *Func) { f.Body = &Seq{Stmts: []Stmt{f.Body, f.Body}} })
	edit("alloc", func(f *Func) { f.Body = &Alloc{Buffer: buf("T", F32), Body: f.Body} })
	edit("wait", func(f *Func) { f.Body = &Seq{Stmts: []Stmt{f.Body, &Wait{}}} })
	edit("barrier", func(f *Func) { f.Body = &Seq{Stmts: []Stmt{f.Body, &Barrier{Scope: Shared}}} })
	edit("thread", func(f *Func) { l := f.Body.(*For); l.Kind, l.Thread = ThreadBound, "threadIdx.x" })
	value := func(name string, e Expr) {
		edit(name, func(f *Func) { f.Body.(*For).Body.(*Block).Body.(*Store).Value = e })
	}
	x, y := Float(F32, 1), Float(F32, 2)
	value("sum", Bin(Add, x, y))
	value("difference", Bin(Sub, x, y))
	value("other order", Bin(Sub, y, x))
	value("select", &Select{Cond: BoolImm(true), Then: x, Else: y})
	value("lazy select", IfThenElse(BoolImm(true), x, y))
	value("not", &Select{Cond: &Not{X: BoolImm(true)}, Then: x, Else: y})
	value("call", &Call{Fn: Exp, Args: []Expr{x}})
	value("other call", &Call{Fn: Log, Args: []Expr{x}})
	value("cast", &Cast{X: Const(I32, 1), To: F32})
	seen := map[[16]byte]string{base().Hash(): "the base"}
	for name, f := range other {
		if prev, ok := seen[f.Hash()]; ok {
			t.Errorf("%s has the hash of %s", name, prev)
		}
		seen[f.Hash()] = name
	}
}

// TestHashNumbersVariables has two variables whose order matters.
func TestHashNumbersVariables(t *testing.T) {
	transposed := func(swap bool) *Func {
		c, i, j := buf("C", F32, 4, 4), NewVar("i"), NewVar("j")
		index := []Expr{i, j}
		if swap {
			index = []Expr{j, i}
		}
		s := &Store{Buffer: c, Index: index, Value: Float(F32, 1)}
		return &Func{Name: "f", Params: []*Buffer{c}, Outputs: 1, Body: &For{Var: i, Extent: Int(4), Body: &For{Var: j, Extent: Int(4), Body: s}}}
	}
	if transposed(false).Hash() == transposed(true).Hash() {
		t.Error("C[i, j] and C[j, i] have one hash")
	}
}

func TestEqualExpr(t *testing.T) {
	i, a, b := NewVar("i"), buf("A", F32, 8), buf("A", F32, 8)
	// Each makes a new expression; all differ from each other.
	makers := []func() Expr{
		func() Expr { return i },
		func() Expr { return Int(1) },
		func() Expr { return Int(2) },
		func() Expr { return Const(I32, 1) },
		func() Expr { return Float(F32, 1) },
		func() Expr { return Float(F64, 1) },
		func() Expr { return Bin(Add, i, Int(1)) },
		func() Expr { return Bin(Sub, i, Int(1)) },
		func() Expr { return Bin(Add, i, Int(2)) },
		func() Expr { return &Not{X: BoolImm(true)} },
		func() Expr { return &Cast{X: i, To: F32} },
		func() Expr { return &Cast{X: i, To: F64} },
		func() Expr { return &Select{Cond: BoolImm(true), Then: i, Else: Int(1)} },
		func() Expr { return IfThenElse(BoolImm(true), i, Int(1)) },
		func() Expr { return &Call{Fn: Exp, Args: []Expr{Float(F32, 1)}} },
		func() Expr { return &Call{Fn: Log, Args: []Expr{Float(F32, 1)}} },
		func() Expr { return at(a, i) },
		func() Expr { return at(b, i) },
		func() Expr { return at(a, Int(1)) },
	}
	for n, x := range makers {
		for m, y := range makers {
			if got := EqualExpr(x(), y()); got != (n == m) {
				t.Errorf("%s and %s: %v", x(), y(), got)
			}
		}
	}
	if EqualExpr(i, NewVar("i")) {
		t.Error("two variables of one name are equal")
	}
}
