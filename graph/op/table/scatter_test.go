package table

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
)

func TestScattering(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for i := range 60 {
		s := smallShape(r, 1+r.IntN(3))
		at := r.IntN(len(s))
		kind := []tir.DType{tir.F32, tir.I8, tir.F16, tir.U64, tir.F64}[i%5]
		reduction := graph.StrAttr("reduction", []string{"none", "add", "mul", "max", "min"}[r.IntN(5)])
		if kind == tir.F16 && reduction.String == "mul" {
			kind = tir.F32 // the reference does not round products
		}
		x := numbers(r, kind, s...)
		shape := smallShape(r, len(s))
		for d := range shape {
			if d != at {
				shape[d] = min(shape[d], s[d])
			}
		}
		index := integersIn(r, []tir.DType{tir.I32, tir.I64}[i%2], -s[at], s[at], shape...)
		c := nodeCase{op: "ScatterElements", version: 18, in: []*graph.Tensor{x, index, numbers(r, kind, shape...)},
			attrs: []graph.Attr{graph.IntAttr("axis", int64(at)), reduction}}
		c.check(t)
		checkUpdate(t, c)

		k := 1 + r.IntN(len(s))
		outer := smallShape(r, r.IntN(3))
		tuples := graph.NewTensor(tir.I64, append(append([]int64(nil), outer...), int64(k))...)
		for i := range tuples.I {
			n := s[i%k]
			tuples.I[i] = r.Int64N(2*n) - n
		}
		c = nodeCase{op: "ScatterND", version: 18, attrs: []graph.Attr{reduction},
			in: []*graph.Tensor{x, tuples, numbers(r, kind, append(append([]int64(nil), outer...), s[k:]...)...)}}
		c.check(t)
		checkUpdate(t, c)
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, kind := range []string{"max", "min"} {
		infinities := floatsOf([]int64{2}, inf, -inf)
		y := nodeCase{op: "ScatterElements", version: 18, attrs: []graph.Attr{graph.StrAttr("reduction", kind)},
			in: []*graph.Tensor{floatsOf([]int64{2}, nan, nan), graph.Ints(0, 1), infinities}}.check(t)[0]
		if !math.IsNaN(y.F[0]) || !math.IsNaN(y.F[1]) {
			t.Errorf("%s of NaN and an infinity: %v", kind, y.F)
		}
	}
	x := numbers(r, tir.F32, 2, 3)
	nodeCase{op: "Scatter", version: 10,
		in: []*graph.Tensor{x, graph.NewTensor(tir.I64, 1, 3), numbers(r, tir.F32, 1, 3)}}.check(t)
}

func TestTensorScatter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	past, update := numbers(r, tir.F32, 2, 3, 5, 4), numbers(r, tir.F32, 2, 3, 2, 4)
	circle := graph.StrAttr("mode", "circular")
	for _, c := range []nodeCase{
		{in: []*graph.Tensor{past, update}},
		{in: []*graph.Tensor{past, update, graph.Ints(3, 0)}},
		{in: []*graph.Tensor{past, update, graph.Ints(4, 11)}, attrs: []graph.Attr{circle}},
		{in: []*graph.Tensor{past, numbers(r, tir.F32, 2, 3, 5, 1), graph.Ints(2, 3)},
			attrs: []graph.Attr{circle, graph.IntAttr("axis", 3)}},
	} {
		if len(c.attrs) == 2 {
			c.in[0] = numbers(r, tir.F32, 2, 3, 5, 7)
		}
		c.op, c.version = "TensorScatter", 24
		c.check(t)
		checkUpdate(t, c)
	}
}

// checkUpdate compares what the program that works in place makes with the reference.
func checkUpdate(t *testing.T, c nodeCase) {
	t.Helper()
	n := c.node()
	row, err := op.Find(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := inferOnly(n); err != nil {
		t.Fatal(err)
	}
	f, err := row.Opaque.Update(n)
	if errors.Is(err, graph.ErrUnsupported) {
		return
	}
	if err == nil {
		err = tir.Check(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	var args []*interp.Tensor
	for _, x := range c.in[1:] {
		if x != nil {
			args = append(args, toInterp(x))
		}
	}
	out := toInterp(c.in[0])
	args = append(args, out, interp.NewTensor(ErrorFlag()))
	if err := interp.RunPart(f, args, interp.Options{}, interp.Part{Holes: true}); err != nil {
		t.Fatalf("%s: %v\n%s", c, err, f)
	}
	want, err := row.Eval(nil, n, c.in)
	if err != nil {
		t.Fatal(err)
	}
	if err := same(fromInterp(out, c.in[0].Shape), want[0], tolerance(want[0].Type)); err != nil {
		t.Errorf("%s in place: %v", c, err)
	}
}

// TestScatterRows: data and updates in vectors, of one dimension so long that threads copy blocks of it, and of rows
// that vectors do not divide.
func TestScatterRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for _, s := range [][]int64{{2048}, {2500}, {2047}, {16}, {5, 37}, {4, 2, 16}} {
		index := integersIn(r, tir.I64, -s[0], s[0], 7, 1)
		updates := numbers(r, tir.F32, append([]int64{7}, s[1:]...)...)
		for _, reduction := range []string{"none", "add", "max"} {
			nodeCase{op: "ScatterND", version: 18, in: []*graph.Tensor{numbers(r, tir.F32, s...), index, updates},
				attrs: []graph.Attr{graph.StrAttr("reduction", reduction)}}.check(t)
		}
	}
}
