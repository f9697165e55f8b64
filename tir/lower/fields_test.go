package lower_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
)

// A fieldCase is a product of bytes by fields of words: (words[lane*stride]>>(step*shift+low) & mask)*x[step].
type fieldCase struct {
	extent, shift, low, mask, stride int64
	inLane, inStep                   bool // the shift depends on the lane; the word on the step
	word                             tir.DType
}

func (c fieldCase) function() *tir.Func {
	words := &tir.Buffer{Name: "words", Type: c.word, Shape: []int64{64}}
	x := &tir.Buffer{Name: "x", Type: tir.I8, Shape: []int64{8}}
	y := &tir.Buffer{Name: "y", Type: tir.I32, Shape: []int64{16}}
	lane, step := tir.NewVar("lane"), tir.NewVar("step")
	times := func(e tir.Expr, n int64) tir.Expr { return tir.Bin(tir.Mul, e, tir.Int(n)) }
	shift, at := tir.Bin(tir.Add, times(step, c.shift), tir.Int(c.low)), times(lane, c.stride)
	if c.inLane {
		shift = tir.Bin(tir.Add, shift, tir.Bin(tir.FloorMod, lane, tir.Int(2)))
	}
	if c.inStep {
		at = tir.Bin(tir.Add, at, step)
	}
	load := tir.Expr(&tir.Load{Buffer: words, Index: []tir.Expr{at}})
	cast := func(e tir.Expr, t tir.DType) tir.Expr { return &tir.Cast{X: e, To: t} }
	field := tir.Bin(tir.BitAnd, tir.Bin(tir.Shr, load, cast(shift, c.word)), &tir.IntImm{Value: c.mask, Type: c.word})
	if c.word != tir.I32 {
		field = cast(field, tir.I32)
	}
	sum := &tir.Load{Buffer: y, Index: []tir.Expr{lane}}
	product := tir.Bin(tir.Mul, field, cast(&tir.Load{Buffer: x, Index: []tir.Expr{step}}, tir.I32))
	loop := &tir.For{Var: step, Extent: tir.Int(c.extent), Kind: tir.Tensorized,
		Body: &tir.Store{Buffer: y, Index: []tir.Expr{lane}, Value: tir.Bin(tir.Add, sum, product)}}
	clear := tir.NewVar("clear")
	return &tir.Func{Name: "main", Params: []*tir.Buffer{words, x, y}, Outputs: 1, Body: &tir.Seq{Stmts: []tir.Stmt{
		&tir.For{Var: clear, Extent: tir.Int(16), Kind: tir.Vectorized,
			Body: &tir.Store{Buffer: y, Index: []tir.Expr{clear}, Value: tir.Const(tir.I32, 0)}},
		&tir.For{Var: lane, Extent: tir.Int(16), Kind: tir.Vectorized, Body: loop}}}}
}

// TestSelectFields: fields of the bytes of a word are multiplied at once, and none that lie otherwise.
func TestSelectFields(t *testing.T) {
	tg := target.Generic(64, 1)
	tg.Features = []string{"avx512vnni"}
	for _, c := range []struct {
		fieldCase
		want bool
	}{
		{fieldCase{4, 8, 0, 15, 1, false, false, tir.I32}, true}, {fieldCase{4, 8, 4, 15, 1, false, false, tir.I32}, true},
		{fieldCase{4, 8, 0, 255, 1, false, false, tir.I32}, true}, {fieldCase{3, 8, 6, 3, 1, false, false, tir.I32}, true},
		{fieldCase{4, 8, 0, 511, 1, false, false, tir.I32}, false}, {fieldCase{4, 4, 0, 15, 1, false, false, tir.I32}, false},
		{fieldCase{4, 8, 0, 15, 2, false, false, tir.I32}, false}, {fieldCase{4, 8, 0, 15, 1, true, false, tir.I32}, false},
		{fieldCase{4, 8, 0, 15, 1, false, true, tir.I32}, false}, {fieldCase{2, 8, 0, 15, 1, false, false, tir.I32}, false},
		{fieldCase{4, 8, 0, 15, 1, false, false, tir.I64}, false}, {fieldCase{4, 8, 0, 15, 0, false, false, tir.I32}, false},
	} {
		f := c.function()
		if err := tir.Check(f); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		g, err := lower.ForCPU(f, tg)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(g.String(), "by vpdpbusd.512"); got != c.want {
			t.Errorf("%+v: by the instruction: %v\n%s", c, got, g)
		}
	}
}
