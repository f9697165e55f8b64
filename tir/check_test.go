package tir

import (
	"strings"
	"testing"
)

// checkCase is a function with one thing wrong.
type checkCase struct {
	name string
	f    func() *Func
	want string // in the error
}

func buf(name string, t DType, shape ...int64) *Buffer {
	return &Buffer{Name: name, Type: t, Shape: shape}
}

// copyFunc is C[i] = value(i) for i in 8, with input A: float32[8].
func copyFunc(value func(a, c *Buffer, i *Var) Expr) *Func {
	a, c, i := buf("A", F32, 8), buf("C", F32, 8), NewVar("i")
	body := &For{Var: i, Extent: Int(8), Body: &Store{Buffer: c, Index: []Expr{i}, Value: value(a, c, i)}}
	return &Func{Name: "f", Params: []*Buffer{a, c}, Outputs: 1, Body: body}
}

func at(b *Buffer, index ...Expr) Expr { return &Load{Buffer: b, Index: index} }

// bodyFunc has input A and output C, both float32[8].
func bodyFunc(body func(a, c *Buffer) Stmt) *Func {
	a, c := buf("A", F32, 8), buf("C", F32, 8)
	return &Func{Name: "f", Params: []*Buffer{a, c}, Outputs: 1, Body: body(a, c)}
}

func value(e Expr) func() *Func {
	return func() *Func { return copyFunc(func(*Buffer, *Buffer, *Var) Expr { return e }) }
}

func TestCheckAccepts(t *testing.T) {
	f := copyFunc(func(a, _ *Buffer, i *Var) Expr {
		half := &Cast{X: &Cast{X: at(a, i), To: F16}, To: F32}
		return IfThenElse(Bin(And, Bin(LT, i, Int(3)), &Not{X: BoolImm(false)}), half, &Call{Fn: Exp, Args: []Expr{at(a, i)}})
	})
	if err := Check(f); err != nil {
		t.Error(err)
	}
	if err := CheckLoops(f); err != nil {
		t.Error(err)
	}
}

func TestCheckRefuses(t *testing.T) {
	one := Float(F32, 1)
	h := Float(F16, 1)
	cases := []checkCase{
		{"outputs", func() *Func { f := value(one)(); f.Outputs = 3; return f }, "3 outputs of 2 parameters"},
		{"parameter twice", func() *Func { f := value(one)(); f.Params[0] = f.Params[1]; return f }, "parameter C is listed twice"},
		{"parameter type", func() *Func { f := value(one)(); f.Params[0].Type = Invalid; return f }, "parameter A: element type"},
		{"shape", func() *Func { f := value(one)(); f.Params[0].Shape[0] = 0; return f }, "extent 0 in shape [0]"},
		{"number of strides", func() *Func { f := value(one)(); f.Params[0].Strides = []int64{1, 1}; return f }, "2 strides for 1 dimensions"},
		{"overlap", func() *Func { f := value(one)(); f.Params[0].Strides = []int64{0}; return f }, "elements overlap"},
		{"no body", func() *Func { f := value(one)(); f.Body = nil; return f }, "no body"},
		{"empty sequence", func() *Func { return bodyFunc(func(a, c *Buffer) Stmt { return &Seq{} }) }, "empty sequence"},
		{"nil statement", func() *Func { return bodyFunc(func(a, c *Buffer) Stmt { return &Seq{Stmts: []Stmt{nil}} }) }, "nil statement"},
		{"unbound variable", value(&Cast{X: NewVar("q"), To: F32}), "variable q is not bound"},
		{"variable after its loop", func() *Func {
			return bodyFunc(func(a, c *Buffer) Stmt {
				i := NewVar("i")
				s := &Store{Buffer: c, Index: []Expr{i}, Value: one}
				return &Seq{Stmts: []Stmt{&For{Var: i, Extent: Int(8), Body: s}, s}}
			})
		}, `in "C[i] = 1f": index of C: variable i is used outside its loop`},
		{"variable bound twice", func() *Func {
			return bodyFunc(func(a, c *Buffer) Stmt {
				i := NewVar("i")
				s := &For{Var: i, Extent: Int(8), Body: &Store{Buffer: c, Index: []Expr{i}, Value: one}}
				return &Seq{Stmts: []Stmt{s, s}}
			})
		}, "variable i is bound twice"},
		{"loop variable's type", func() *Func { f := value(one)(); f.Body.(*For).Var.Type = I32; return f }, "loop variable i has type int32"},
		{"loop without variable", func() *Func { f := value(one)(); f.Body.(*For).Var = nil; f.Body.(*For).Body = &Barrier{}; return f }, "loop has no variable"},
		{"loop without body", func() *Func { f := value(one)(); f.Body.(*For).Body = nil; return f }, "loop has no body"},
		{"extent's type", func() *Func { f := value(one)(); f.Body.(*For).Extent = Const(I32, 8); return f }, "extent: 8 has type int32"},
		{"thread name on a serial loop", func() *Func { f := value(one)(); f.Body.(*For).Thread = "threadIdx.x"; return f }, `for loop with thread name "threadIdx.x"`},
		{"no thread name", func() *Func { f := value(one)(); f.Body.(*For).Kind = ThreadBound; return f }, `bind loop with thread name ""`},
		{"extent of a vector", func() *Func {
			f := value(one)()
			f.Body.(*For).Kind, f.Body.(*For).Extent = Vectorized, Bin(Add, Int(4), Int(4))
			return f
		}, "vectorize loop needs a constant extent"},
		{"store to input", func() *Func {
			return bodyFunc(func(a, c *Buffer) Stmt { return &Store{Buffer: a, Index: []Expr{Int(0)}, Value: one} })
		}, "store to input A"},
		{"store of another type", value(Float(F64, 1)), "has type float64, want float32"},
		{"unknown buffer", value(at(buf("T", F32))), "buffer T is neither a parameter nor allocated"},
		{"freed buffer", func() *Func {
			return bodyFunc(func(a, c *Buffer) Stmt {
				tmp := buf("T", F32)
				s := &Store{Buffer: tmp, Value: one}
				return &Seq{Stmts: []Stmt{&Alloc{Buffer: tmp, Body: s}, s}}
			})
		}, "buffer T is used after its alloc ends"},
		{"allocated twice", func() *Func {
			return bodyFunc(func(a, c *Buffer) Stmt {
				return &Alloc{Buffer: a, Body: &Store{Buffer: c, Index: []Expr{Int(0)}, Value: one}}
			})
		}, "buffer A is allocated twice or is a parameter"},
		{"bad allocation", func() *Func {
			return bodyFunc(func(a, c *Buffer) Stmt {
				return &Alloc{Buffer: buf("T", F32, -1), Body: &Store{Buffer: c, Index: []Expr{Int(0)}, Value: one}}
			})
		}, "alloc T: extent -1"},
		{"number of indices", func() *Func { return copyFunc(func(a, _ *Buffer, i *Var) Expr { return at(a, i, i) }) }, "2 indices for A, which has 1 dimensions"},
		{"index's type", func() *Func { return copyFunc(func(a, _ *Buffer, i *Var) Expr { return at(a, Const(I32, 0)) }) }, "index of A: 0 has type int32"},
		{"condition's type", func() *Func {
			return bodyFunc(func(a, c *Buffer) Stmt {
				return &If{Cond: Int(1), Then: &Store{Buffer: c, Index: []Expr{Int(0)}, Value: one}}
			})
		}, `in "if 1:": 1 has type int64, want bool`},
		{"if without statement", func() *Func { return bodyFunc(func(a, c *Buffer) Stmt { return &If{Cond: BoolImm(true)} }) }, "if without a statement"},
		{"nil expression", value(nil), "nil expression"},
		{"operands differ", value(Bin(Add, one, Float(F64, 1))), "has type float64, want float32"},
		{"arithmetic on halves", value(&Cast{X: Bin(Sub, h, h), To: F32}), "- of float16, a storage type, in (1h - 1h): cast to float32 first"},
		{"comparing halves", value(&Select{Cond: Bin(LT, h, h), Then: one, Else: one}), "< of float16, a storage type"},
		{"equal halves", value(&Select{Cond: Bin(EQ, h, h), Then: one, Else: one}), "== of float16, a storage type"},
		{"bits of another width", value(&Bitcast{X: one, To: I64}), "bits of float32 as int64"},
		{"bits of bool", value(&Cast{X: &Bitcast{X: BoolImm(true), To: U8}, To: F32}), "bits of bool as uint8"},
		{"bits of floats", value(Bin(BitXor, one, one)), "bitxor of float32"},
		{"floordiv of floats", value(Bin(FloorDiv, one, one)), "floordiv of float32"},
		{"sum of bools", value(&Cast{X: Bin(Add, BoolImm(true), BoolImm(true)), To: F32}), "+ of bool"},
		{"and of numbers", value(&Cast{X: Bin(And, Int(1), Int(1)), To: F32}), "&& of int64"},
		{"not of a number", value(&Cast{X: &Not{X: Int(1)}, To: F32}), "want bool"},
		{"no operator", value(&Binary{X: one, Y: one}), "operator number 0"},
		{"branches differ", value(&Select{Cond: BoolImm(true), Then: one, Else: h}), "1h has type float16, want float32"},
		{"select by a number", value(&Select{Cond: Int(1), Then: one, Else: one}), "1 has type int64, want bool"},
		{"cast to nothing", value(&Cast{X: one}), "cast to dtype(0)"},
		{"integer constant", value(&IntImm{Value: 1, Type: F32}), "integer constant of type float32"},
		{"float constant", value(&Cast{X: &FloatImm{Value: 1, Type: I32}, To: F32}), "float constant of type int32"},
		{"number of arguments", value(&Call{Fn: Pow, Args: []Expr{one}}), "1 arguments for pow, which takes 2"},
		{"arguments differ", value(&Call{Fn: Pow, Args: []Expr{one, h}}), "1h has type float16, want float32"},
		{"function of halves", value(&Cast{X: &Call{Fn: Exp, Args: []Expr{h}}, To: F32}), "exp of float16"},
		{"function of integers", value(&Cast{X: &Call{Fn: Abs, Args: []Expr{Int(1)}}, To: F32}), "fabs of int64"},
		{"tf32 of doubles", value(&Cast{X: &Call{Fn: TF32, Args: []Expr{Float(F64, 1)}}, To: F32}), "tf32 of float64"},
		{"no function", value(&Call{Args: []Expr{one}}), "intrinsic number 0"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			err := Check(tc.f())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestCheckLoopsRefuses(t *testing.T) {
	one := Float(F32, 1)
	// nested is an outer loop of 8 of one kind around body.
	nested := func(kind ForKind, body func(i *Var, c *Buffer) Stmt) func() *Func {
		return func() *Func {
			return bodyFunc(func(a, c *Buffer) Stmt {
				i := NewVar("i")
				l := &For{Var: i, Extent: Int(8), Kind: kind, Body: body(i, c)}
				if kind == ThreadBound {
					l.Thread = "blockIdx.x"
				}
				return l
			})
		}
	}
	inner := func(kind ForKind) func(i *Var, c *Buffer) Stmt {
		return func(i *Var, c *Buffer) Stmt {
			return &For{Var: NewVar("j"), Extent: Int(1), Kind: kind, Body: &Store{Buffer: c, Index: []Expr{i}, Value: one}}
		}
	}
	cases := []checkCase{
		{"parallel in parallel", nested(Parallel, inner(Parallel)), "parallel loop in parallel loop i"},
		{"parallel in a vector", nested(Vectorized, inner(Parallel)), "parallel loop in vectorized loop i"},
		{"parallel in a thread", nested(ThreadBound, inner(Parallel)), "parallel loop in bind loop i"},
		{"vector in a vector", nested(Vectorized, inner(Vectorized)), "vectorize loop in vectorized loop i"},
		{"extent by lane", nested(Vectorized, func(i *Var, c *Buffer) Stmt {
			return &For{Var: NewVar("j"), Extent: i, Body: &Store{Buffer: c, Index: []Expr{i}, Value: one}}
		}), "the extent differs between the lanes of i"},
		{"alloc in a vector", nested(Vectorized, func(i *Var, c *Buffer) Stmt {
			return &Alloc{Buffer: buf("T", F32), Body: &Store{Buffer: c, Index: []Expr{i}, Value: one}}
		}), "alloc of T in vectorized loop i"},
		{"one element for all lanes", nested(Vectorized, func(i *Var, c *Buffer) Stmt {
			return &Store{Buffer: c, Index: []Expr{Int(0)}, Value: one}
		}), "all lanes write one element"},
		{"barrier in a vector", nested(Vectorized, func(i *Var, c *Buffer) Stmt { return &Barrier{Shared} }), "barrier in vectorized loop i"},
		{"barrier outside of threads", nested(ThreadBound, func(i *Var, c *Buffer) Stmt { return &Barrier{Shared} }), "barrier outside of thread loops"},
		{"wait in a vector", nested(Vectorized, func(i *Var, c *Buffer) Stmt { return &Wait{} }), "wait in vectorized loop i"},
		{"wait outside of threads", nested(ThreadBound, func(i *Var, c *Buffer) Stmt { return &Wait{} }), "wait outside of thread loops"},
		{"in an else branch", nested(Vectorized, func(i *Var, c *Buffer) Stmt {
			return &If{Cond: Bin(LT, i, Int(2)), Then: &Store{Buffer: c, Index: []Expr{i}, Value: one}, Else: inner(Parallel)(i, c)}
		}), "parallel loop in vectorized loop i"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			f := tc.f()
			if err := Check(f); err != nil {
				t.Fatalf("not well formed: %v", err)
			}
			err := CheckLoops(f)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

// What is stored asynchronously arrives in shared memory, and is no other program's.
func TestAsyncStores(t *testing.T) {
	for _, scope := range []Scope{Shared, Local, Global} {
		program := func(async bool) *Func {
			b := &Buffer{Name: "S", Type: F32, Shape: []int64{1}, Scope: scope}
			return &Func{Name: "f", Body: &Alloc{Buffer: b, Body: &Store{Buffer: b, Index: []Expr{Int(0)}, Value: Float(F32, 1), Async: async}}}
		}
		err := Check(program(true))
		if (scope == Shared) != (err == nil) || err != nil && !strings.Contains(err.Error(), "asynchronous store to S, which is not in shared memory") {
			t.Errorf("%s: %v", scope, err)
		}
		if program(true).Hash() == program(false).Hash() || program(true).String() == program(false).String() {
			t.Error("asynchronous or not is one program")
		}
		if got := FreshLoops(program(true).Body).String(); !strings.Contains(got, "async ") {
			t.Errorf("a copy is\n%s", got)
		}
		renamed := MapStmt(program(true).Body, nil, func(e Expr) Expr {
			return MapExpr(e, func(e Expr) Expr {
				if _, ok := e.(*IntImm); ok {
					return Int(0)
				}
				return e
			})
		})
		if got := renamed.String(); !strings.Contains(got, "async ") {
			t.Errorf("with other indices it is\n%s", got)
		}
	}
}
