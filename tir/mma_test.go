package tir

import (
	"strings"
	"testing"
)

// mmaFunc is a warp that multiplies one tile, after a change of it.
func mmaFunc(change func(s *MMA, a, b *Buffer)) *Func {
	a, b := &Buffer{Name: "A", Type: F16, Shape: []int64{16, 16}, Scope: Shared}, &Buffer{Name: "B", Type: F16, Shape: []int64{16, 8}, Scope: Shared}
	c := &Buffer{Name: "C", Type: F32, Shape: []int64{1, 4}, Scope: Local}
	lane := NewVar("t")
	identity := []int64{1, 0}
	s := &MMA{Buffer: c, Index: []Expr{Int(0)}, Lane: lane,
		A: Operand{&Load{Buffer: a, Index: []Expr{Int(0), Int(0)}}, identity, []int64{0, 1}},
		B: Operand{&Load{Buffer: b, Index: []Expr{Int(0), Int(0)}}, identity, []int64{0, 1}}}
	loop := &For{Var: lane, Extent: Int(32), Kind: ThreadBound, Thread: "threadIdx.x"}
	out := buf("D", F32, 8)
	if change != nil {
		change(s, a, b)
	}
	loop.Body = &Alloc{Buffer: a, Body: &Alloc{Buffer: b, Body: &Alloc{Buffer: c, Body: s}}}
	return &Func{Name: "f", Params: []*Buffer{out}, Outputs: 1, Body: loop}
}

func TestMMAChecks(t *testing.T) {
	f := mmaFunc(nil)
	if err := Check(f); err != nil {
		t.Fatal(err)
	}
	if err := CheckLoops(f); err != nil {
		t.Fatal(err)
	}
	if want := "mma C[0] += A[0, 0] by [1, 0] and [0, 1] * B[0, 0] by [1, 0] and [0, 1] in lane t\n"; !strings.Contains(f.String(), want) {
		t.Errorf("got\n%swant %s", f, want)
	}
	for _, c := range []struct {
		what   string
		change func(s *MMA, a, b *Buffer)
		want   string
	}{
		{"a sum in float64", func(s *MMA, _, _ *Buffer) { s.Buffer.Type = F64 }, "the result is float64 in local memory"},
		{"a shared sum", func(s *MMA, _, _ *Buffer) { s.Buffer.Scope = Shared }, "the result is float32 in shared memory"},
		{"a lane of two", func(s *MMA, _, _ *Buffer) { s.Buffer.Shape[1] = 2 }, "must be the 4 elements of a lane"},
		{"scattered elements", func(s *MMA, _, _ *Buffer) { s.Buffer.Strides = []int64{8, 2} }, "must be the 4 elements of a lane"},
		{"no index", func(s *MMA, _, _ *Buffer) { s.Index = nil }, "1 indices for C"},
		{"one operand", func(s *MMA, _, _ *Buffer) { s.B.First = nil }, "an operand is missing"},
		{"float64 operands", func(_ *MMA, a, b *Buffer) { a.Type, b.Type = F64, F64 }, "operand A is float64"},
		{"one float32 operand", func(_ *MMA, a, _ *Buffer) { a.Type = F32 }, "operand B is float16 beside float32"},
		{"two types", func(_ *MMA, _, b *Buffer) { b.Type = BF16 }, "operand B is bfloat16 beside float16"},
		{"an operand of a thread", func(_ *MMA, _, b *Buffer) { b.Scope = Local }, "operand B is in local memory, not in shared memory"},
		{"too many dimensions", func(s *MMA, _, _ *Buffer) { s.A.Row, s.A.Col = []int64{1, 0, 0}, []int64{0, 0, 1} }, "operand A has 2 dimensions, not 3 and 3"},
		{"rows and columns of two sizes", func(s *MMA, _, _ *Buffer) { s.A.Row = []int64{1} }, "operand A has 2 dimensions, not 1 and 2"},
		{"an unknown index", func(s *MMA, _, _ *Buffer) { s.A.First.Index[0] = NewVar("q") }, "variable q is not bound"},
		{"a lane that is no number", func(s *MMA, _, _ *Buffer) { s.Lane = Float(F32, 1) }, "want int64"},
	} {
		if err := Check(mmaFunc(c.change)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
	for what, change := range map[string]func(*For){
		"other threads": func(l *For) { l.Thread = "threadIdx.y" }, "half a warp": func(l *For) { l.Extent = Int(16) },
		"no threads": func(l *For) { l.Kind, l.Thread = Serial, "" }, "lanes of a vector": func(l *For) {
			l.Body = &For{Var: NewVar("v"), Extent: Int(4), Kind: Vectorized, Body: l.Body.(*Alloc).Body}
		},
	} {
		f := mmaFunc(nil)
		change(f.Body.(*For))
		if err := CheckLoops(f); err == nil || what != "lanes of a vector" && !strings.Contains(err.Error(), "mma outside of") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The 32 lanes have each element of a tile once.
func TestMMAPlace(t *testing.T) {
	seen := map[[2]int64]bool{}
	for lane := range int64(WarpLanes) {
		for e := range int64(MMAElems) {
			row, col := MMAPlace(Int(lane), Int(e))
			at := [2]int64{number(row), number(col)}
			if at[0] < 0 || at[0] >= MMARows || at[1] < 0 || at[1] >= MMACols || seen[at] {
				t.Errorf("lane %d, element %d: row %d, column %d", lane, e, at[0], at[1])
			}
			seen[at] = true
		}
	}
}

// Products of float32 are rounded, and make 8 steps of the sum; others are not, and make 16.
func TestMMARounds(t *testing.T) {
	for _, c := range []struct {
		typ    DType
		steps  int64
		rounds bool
	}{{F16, 16, false}, {BF16, 16, false}, {F32, 8, true}} {
		f := mmaFunc(func(_ *MMA, a, b *Buffer) { a.Type, b.Type = c.typ, c.typ })
		if err := Check(f); err != nil || f.Rounds() != c.rounds {
			t.Errorf("%s: %v, rounds %v", c.typ, err, f.Rounds())
		}
		Visit(f.Body, func(s Stmt) bool {
			if m, ok := s.(*MMA); ok && (m.Depth() != c.steps || m.Rounds() != c.rounds) {
				t.Errorf("%s: %d steps, rounds %v", c.typ, m.Depth(), m.Rounds())
			}
			return true
		})
	}
	for _, typ := range DTypes() {
		if few := typ == F16 || typ == BF16 || typ == F32; (MMADepth(typ) > 0) != few {
			t.Errorf("one product of %s makes %d steps", typ, MMADepth(typ))
		}
	}
}

// number computes an index without variables.
func number(e Expr) int64 {
	b, ok := e.(*Binary)
	if !ok {
		return e.(*IntImm).Value
	}
	x, y := number(b.X), number(b.Y)
	switch b.Op {
	case Add:
		return x + y
	case Mul:
		return x * y
	case FloorDiv:
		return x / y
	}
	return x % y
}

// What a rewriter changes of an operand is changed, and the hash tells programs apart.
func TestMMARewrites(t *testing.T) {
	f := mmaFunc(nil)
	names := map[[16]byte]string{f.Hash(): "itself"}
	for what, change := range map[string]func(s *MMA, a, b *Buffer){
		"another row":     func(s *MMA, _, _ *Buffer) { s.A.Row = []int64{2, 0} },
		"another column":  func(s *MMA, _, _ *Buffer) { s.B.Col = []int64{0, 2} },
		"another element": func(s *MMA, _, _ *Buffer) { s.A.First.Index[0] = Int(1) },
		"another tile":    func(s *MMA, _, _ *Buffer) { s.Index[0] = Int(1) },
		"another lane":    func(s *MMA, _, _ *Buffer) { s.Lane = Int(0) },
		"places changed":  func(s *MMA, _, _ *Buffer) { s.A, s.B = s.B, s.A },
	} {
		h := mmaFunc(change).Hash()
		if names[h] != "" {
			t.Errorf("%s has the hash of %s", what, names[h])
		}
		names[h] = what
	}
	one := MapStmt(f.Body, nil, func(e Expr) Expr {
		return MapExpr(e, func(e Expr) Expr {
			if c, ok := e.(*IntImm); ok && c.Value == 0 {
				return Int(1)
			}
			return e
		})
	})
	if text := one.String(); strings.Count(text, "mma C[1] += A[1, 1]") != 1 || !strings.Contains(text, "* B[1, 1]") {
		t.Errorf("got\n%s", text)
	}
	fresh := FreshLoops(f.Body).(*For)
	again := *f
	again.Body = Sequence(f.Body, fresh)
	if err := Check(&again); err != nil {
		t.Errorf("a copy of the loops: %v", err)
	}
	if again.Body = fresh; again.Hash() != f.Hash() {
		t.Error("a copy of the loops is another program")
	}
	loads := 0
	VisitAllExprs(f.Body, func(e Expr) bool {
		if _, ok := e.(*Load); ok {
			loads++
		}
		return true
	})
	if loads != 2 {
		t.Errorf("%d loads are seen, want 2", loads)
	}
}
