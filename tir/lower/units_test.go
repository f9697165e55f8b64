package lower

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// chipProgram is a product of two virtual threads, the second operand of which is the same for both.
func chipProgram(kind tir.ForKind) *tir.Func {
	v, k, i, j := tir.NewVar("v"), tir.NewVar("k"), tir.NewVar("i"), tir.NewVar("j")
	a := &tir.Buffer{Name: "A", Type: tir.I8, Shape: []int64{2, 8}}
	b := &tir.Buffer{Name: "B", Type: tir.I8, Shape: []int64{8}}
	out := &tir.Buffer{Name: "C", Type: tir.I32, Shape: []int64{2}}
	inp := &tir.Buffer{Name: "A.inp", Type: tir.I8, Shape: []int64{4}, Scope: tir.Inp}
	wgt := &tir.Buffer{Name: "B.wgt", Type: tir.I8, Shape: []int64{4}, Scope: tir.Wgt}
	sum := &tir.Buffer{Name: "C.local", Type: tir.I32, Shape: []int64{1}, Scope: tir.Local}
	load := func(b *tir.Buffer, index ...tir.Expr) *tir.Load { return &tir.Load{Buffer: b, Index: index} }
	at := func(x tir.Expr) tir.Expr { return tir.Bin(tir.Add, tir.Bin(tir.Mul, k, tir.Int(4)), x) }
	wide := func(x tir.Expr) tir.Expr { return &tir.Cast{X: x, To: tir.I32} }
	zero := []tir.Expr{tir.Int(0)}
	fill := func(to *tir.Buffer, i *tir.Var, from *tir.Load) tir.Stmt {
		return &tir.For{Var: i, Extent: tir.Int(4), Body: &tir.Store{Buffer: to, Index: []tir.Expr{i}, Value: from}}
	}
	l := tir.NewVar("l")
	product := &tir.For{Var: l, Extent: tir.Int(4), Body: &tir.Store{Buffer: sum, Index: zero, Value: tir.Bin(tir.Add,
		load(sum, zero...), tir.Bin(tir.Mul, wide(load(inp, l)), wide(load(wgt, l))))}}
	steps := &tir.For{Var: k, Extent: tir.Int(2), Body: &tir.Alloc{Buffer: inp, Body: tir.Sequence(fill(inp, i, load(a, v, at(i))),
		&tir.Alloc{Buffer: wgt, Body: tir.Sequence(fill(wgt, j, load(b, at(j))), product)})}}
	body := &tir.Alloc{Buffer: sum, Body: tir.Sequence(
		&tir.Store{Buffer: sum, Index: zero, Value: &tir.IntImm{Type: tir.I32}}, steps,
		&tir.Store{Buffer: out, Index: []tir.Expr{v}, Value: load(sum, zero...)})}
	return &tir.Func{Name: "main", Params: []*tir.Buffer{a, b, out}, Outputs: 1,
		Body: &tir.For{Var: v, Extent: tir.Int(2), Kind: kind, Body: body}}
}

// TestInUnits: each virtual thread of an accelerator has all its buffers for itself, and the threads take turns at what
// one unit does.
func TestInUnits(t *testing.T) {
	const want = `func main(A: int8[2, 8], B: int8[8], out C: int32[2]):
  alloc B.wgt: int8[2, 4] wgt
  alloc A.inp: int8[2, 4] inp
  alloc C.local: int32[2, 1] local
  unroll v in 2:
    C.local[v, 0] = 0
  for k in 2:
    unroll v_1 in 2:
      for i in 4:
        A.inp[v_1, i] = A[v_1, ((k*4) + i)]
      for j in 4:
        B.wgt[v_1, j] = B[((k*4) + j)]
    unroll v_2 in 2:
      for l in 4:
        C.local[v_2, 0] = (C.local[v_2, 0] + (int32(A.inp[v_2, l])*int32(B.wgt[v_2, l])))
  unroll v_3 in 2:
    C[v_3] = C.local[v_3, 0]
`
	got, err := vthread(chipProgram(tir.Vthread), Config{Target: target.Accelerator()})
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got\n%s", got)
	}
	if err := tir.Check(got); err != nil {
		t.Error(err)
	}
	for what, cfg := range map[string]Config{"other loops": {Target: target.Accelerator()}, "other targets": {}} {
		kind := tir.Serial
		if what == "other targets" {
			kind = tir.Vthread
		}
		f := chipProgram(kind)
		if got, err := vthread(f, cfg); err != nil || got.String() != f.String() {
			t.Errorf("%s: %v\n%s", what, err, got)
		}
	}
}
