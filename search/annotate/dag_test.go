package annotate

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Small DAGs for tests: op makes a stage over axes, and load reads one.

func axis(name string, extent int64) *compute.Axis {
	return &compute.Axis{Var: tir.NewVar(name), Extent: extent}
}

func op(name string, body tir.Expr, axes ...*compute.Axis) *compute.Op {
	o := &compute.Op{Name: name, Axes: axes, Results: []*tir.Buffer{{Name: name, Type: tir.F32}}}
	for _, a := range axes {
		o.Results[0].Shape = append(o.Results[0].Shape, a.Extent)
	}
	if body != nil {
		o.Body = []tir.Expr{body}
	} else {
		o.Axes = nil
	}
	return o
}

func load(o *compute.Op, index ...tir.Expr) tir.Expr {
	return &tir.Load{Buffer: o.Results[0], Index: index}
}

func sum(o *compute.Op, over ...*compute.Axis) *compute.Op {
	x, y := &tir.Var{Name: "x", Type: tir.F32}, &tir.Var{Name: "y", Type: tir.F32}
	o.ReduceAxes = over
	o.Combine = &compute.Combiner{
		Kind: compute.Sum, Acc: []*tir.Var{x}, Src: []*tir.Var{y},
		Result: []tir.Expr{tir.Bin(tir.Add, x, y)}, Identity: []tir.Expr{tir.Float(tir.F32, 0)},
	}
	return o
}

func state(ops ...*compute.Op) *schedule.State {
	d := &compute.DAG{Ops: ops, Outputs: 1}
	for _, o := range ops {
		if o.IsPlaceholder() {
			d.Tensors = append(d.Tensors, o.Results[0])
		}
	}
	d.Tensors = append(d.Tensors, ops[len(ops)-1].Results[0])
	return schedule.New(d)
}

// conv is A, pad, W, C, relu: a convolution of width 3 over n points and c
// channels, padded. The stages are numbered in this order.
func conv(n, c int64) *schedule.State {
	x, ci := axis("x", n+2), axis("c", c)
	a := op("A", nil, axis("x", n), axis("c", c))
	inside := tir.AllOf(tir.Bin(tir.GE, x.Var, tir.Int(1)), tir.Bin(tir.LT, x.Var, tir.Int(n+1)))
	pad := op("pad", tir.IfThenElse(inside, load(a, tir.Bin(tir.Sub, x.Var, tir.Int(1)), ci.Var), tir.Float(tir.F32, 0)), x, ci)
	w := op("W", nil, axis("k", 3), axis("c", c), axis("o", c))
	i, o, k, r := axis("i", n), axis("o", c), axis("k", 3), axis("r", c)
	cv := sum(op("C", tir.Bin(tir.Mul, load(pad, tir.Bin(tir.Add, i.Var, k.Var), r.Var), load(w, k.Var, r.Var, o.Var)), i, o), k, r)
	p, q := axis("p", n), axis("q", c)
	return state(a, pad, w, cv, op("relu", tir.Bin(tir.Max, load(cv, p.Var, q.Var), tir.Float(tir.F32, 0)), p, q))
}

// scale is A, B: B = 2*A over the extents.
func scale(extents ...int64) *schedule.State {
	var axes []*compute.Axis
	var index []tir.Expr
	for i, e := range extents {
		axes = append(axes, axis(string('i'+rune(i)), e))
		index = append(index, axes[i].Var)
	}
	a := op("A", nil, axes...)
	return state(a, op("B", tir.Bin(tir.Mul, load(a, index...), tir.Float(tir.F32, 2)), axes...))
}

func sampler(t *testing.T, vectorBytes, cores int) *Sampler {
	t.Helper()
	return New(CPU, target.Generic(vectorBytes, cores))
}

func apply1(t *testing.T, s *schedule.State, steps ...schedule.Step) *schedule.State {
	t.Helper()
	for _, step := range steps {
		var err error
		if s, err = s.Apply(step); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func steps(s *schedule.State) string { return string(schedule.FormatSteps(s.Steps)) }
