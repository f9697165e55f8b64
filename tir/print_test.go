package tir

import (
	"math"
	"testing"
)

func TestPrintFunc(t *testing.T) {
	want := `func f(A: float32[8], out C: float32[8]):
  alloc T: float32[8] shared
  bind i in 8 threadIdx.x:
    block T init:
      T[i] = tir.if_then_else((i < 3), A[i], float32(2))
      barrier shared
  pragma auto_unroll_max_step=16
  for j in 8:
    if !(j == 1):
      C[j] = tir.pow(T[j], 2f)
    else:
      C[j] = T[(7 - j)]
  unroll k in 1:
    C[k] = C[k]
`
	if got := sample().String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestPrintTellsNamesApart prints variables and buffers that share a name.
func TestPrintTellsNamesApart(t *testing.T) {
	a, c, tmp := buf("A", F32, 8), buf("A", F32, 8), buf("A", F32, 8)
	tmp.Strides = []int64{2}
	i, j := NewVar("i"), NewVar("i")
	copyOf := func(v *Var, to, from *Buffer) Stmt {
		return &For{Var: v, Extent: Int(8), Kind: Vectorized, Body: &Store{Buffer: to, Index: []Expr{v}, Value: at(from, v)}}
	}
	f := &Func{Name: "f", Params: []*Buffer{a, c}, Outputs: 1, Body: &Alloc{Buffer: tmp, Body: &Seq{Stmts: []Stmt{copyOf(i, tmp, a), copyOf(j, c, tmp)}}}}
	want := `func f(A: float32[8], out A_1: float32[8]):
  alloc A_2: float32[8] strides[2]
  vectorize i in 8:
    A_2[i] = A[i]
  vectorize i_1 in 8:
    A_1[i_1] = A_2[i_1]
`
	if got := f.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestPrintExpr(t *testing.T) {
	x, i := &Var{Name: "x", Type: F32}, NewVar("i")
	cases := []struct {
		e    Expr
		want string
	}{
		{Bin(Add, Bin(Mul, i, Int(4)), Int(-1)), "((i*4) + -1)"},
		{Bin(Div, x, Float(F32, 3)), "(x/3f)"},
		{Bin(FloorMod, i, Int(3)), "floormod(i, 3)"},
		{Bin(And, Bin(GE, i, Int(1)), Bin(NE, i, Int(2))), "((i >= 1) && (i != 2))"},
		{Const(I8, -3), "(int8)-3"},
		{BoolImm(true), "(bool)1"},
		{Float(F64, 0.1), "(float64)0.1"},
		{Float(F32, 1e-5), "1e-05f"},
		{Float(F32, 1234567), "1.23457e+06f"},
		{Float(F32, math.Inf(-1)), "-inff"},
		{Float(F16, 0.5), "0.5h"},
		{&Select{Cond: Bin(LT, i, Int(1)), Then: x, Else: x}, "select((i < 1), x, x)"},
		{&Cast{X: i, To: BF16}, "bfloat16(i)"},
		{&Call{Fn: Sigmoid, Args: []Expr{x}}, "tir.sigmoid(x)"},
	}
	for _, tc := range cases {
		if got := tc.e.String(); got != tc.want {
			t.Errorf("got %s, want %s", got, tc.want)
		}
	}
}

func TestBufferSizes(t *testing.T) {
	b := buf("A", F32, 3, 4)
	if b.Elems() != 12 || b.Extent() != 12 || b.Bytes() != 48 || b.String() != "A: float32[3, 4]" {
		t.Errorf("dense: %d elements, extent %d, %d bytes, %s", b.Elems(), b.Extent(), b.Bytes(), b)
	}
	b.Strides, b.Scope = []int64{5, 1}, Local
	if b.Elems() != 12 || b.Extent() != 14 || b.Bytes() != 56 || b.String() != "A: float32[3, 4] local strides[5, 1]" {
		t.Errorf("padded: %d elements, extent %d, %d bytes, %s", b.Elems(), b.Extent(), b.Bytes(), b)
	}
}

func TestDTypes(t *testing.T) {
	for _, d := range DTypes() {
		got, err := ParseDType(d.String())
		if err != nil || got != d {
			t.Errorf("%s parses as %s, %v", d, got, err)
		}
		if d.IsFloat() && d.IsInt() {
			t.Errorf("%s is both", d)
		}
	}
	if _, err := ParseDType("float8"); err == nil {
		t.Error("float8 is a type")
	}
}
