package evolve

import (
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// paddedProduct is A, pad, B, C: the product of a matrix, padded by a row of
// zeros, and another one.
func paddedProduct(m, n, k int64) *schedule.State {
	matrix := func(name string, shape ...int64) *tir.Buffer {
		return &tir.Buffer{Name: name, Type: tir.F32, Shape: shape}
	}
	axis := func(name string, extent int64) *compute.Axis {
		return &compute.Axis{Var: tir.NewVar(name), Extent: extent}
	}
	a, p, b, c := matrix("A", m-1, k), matrix("pad", m, k), matrix("B", k, n), matrix("C", m, n)
	load := func(b *tir.Buffer, index ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: index} }
	y, x := axis("y", m), axis("x", k)
	pad := tir.IfThenElse(tir.Bin(tir.LT, y.Var, tir.Int(m-1)), load(a, y.Var, x.Var), tir.Float(tir.F32, 0))
	i, j, r := axis("i", m), axis("j", n), axis("k", k)
	acc, src := &tir.Var{Name: "x", Type: tir.F32}, &tir.Var{Name: "y", Type: tir.F32}
	return schedule.New(&compute.DAG{
		Tensors: []*tir.Buffer{a, b, c}, Outputs: 1,
		Ops: []*compute.Op{
			{Name: "A", Results: []*tir.Buffer{a}},
			{Name: "pad", Results: []*tir.Buffer{p}, Axes: []*compute.Axis{y, x}, Body: []tir.Expr{pad}},
			{Name: "B", Results: []*tir.Buffer{b}},
			{
				Name: "C", Results: []*tir.Buffer{c}, Axes: []*compute.Axis{i, j}, ReduceAxes: []*compute.Axis{r},
				Body: []tir.Expr{tir.Bin(tir.Mul, load(p, i.Var, r.Var), load(b, r.Var, j.Var))},
				Combine: &compute.Combiner{
					Kind: compute.Sum, Acc: []*tir.Var{acc}, Src: []*tir.Var{src},
					Result: []tir.Expr{tir.Bin(tir.Add, acc, src)}, Identity: []tir.Expr{tir.Float(tir.F32, 0)},
				},
			},
		},
	})
}

var (
	host   = target.Generic(32, 2)
	gpu, _ = target.GPU("sm_86")
)

func sampler(t *testing.T) *annotate.Sampler {
	t.Helper()
	a := annotate.New(annotate.CPU, host)
	return a
}

// samples returns n sampled states.
func samples(t *testing.T, s *schedule.State, n int) []*schedule.State {
	t.Helper()
	list, err := sketch.Generate(t.Context(), sketch.CPU, s.DAG, host)
	if err != nil {
		t.Fatal(err)
	}
	population, err := sampler(t).Population(t.Context(), list, n, 1, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return population
}

func replayed(t *testing.T, s *schedule.State, steps ...schedule.Step) *schedule.State {
	t.Helper()
	out, err := schedule.ReplayBound(s.DAG, steps)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func text(s *schedule.State) string { return string(schedule.FormatSteps(s.Steps)) }

func split(at, iter int, extent int64, lengths ...int64) schedule.Step {
	return schedule.Split{At: at, Iter: iter, Extent: extent, Lengths: lengths, InnerToOuter: true}
}
