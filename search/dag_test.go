package search

import (
	"fmt"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/target"
)

var cpuSpace = Space{Open: Sketches{sketch.CPU, annotate.CPU, evolve.CPU}.Open}

// matmul returns the task C[i, j] += A[i, k] * B[k, j].
func matmul(m, n, k int64) *Task {
	matrix := func(name string, shape ...int64) *tir.Buffer {
		return &tir.Buffer{Name: name, Type: tir.F32, Shape: shape}
	}
	a, b, c := matrix("A", m, k), matrix("B", k, n), matrix("C", m, n)
	axis := func(name string, extent int64) *compute.Axis {
		return &compute.Axis{Var: tir.NewVar(name), Extent: extent}
	}
	i, j, r := axis("i", m), axis("j", n), axis("k", k)
	x, y := &tir.Var{Name: "x", Type: tir.F32}, &tir.Var{Name: "y", Type: tir.F32}
	load := func(b *tir.Buffer, i, j *compute.Axis) tir.Expr {
		return &tir.Load{Buffer: b, Index: []tir.Expr{i.Var, j.Var}}
	}
	product := &compute.Op{
		Name: "C", Results: []*tir.Buffer{c}, Axes: []*compute.Axis{i, j}, ReduceAxes: []*compute.Axis{r},
		Body: []tir.Expr{tir.Bin(tir.Mul, load(a, i, r), load(b, r, j))},
		Combine: &compute.Combiner{
			Kind: compute.Sum, Acc: []*tir.Var{x}, Src: []*tir.Var{y},
			Result: []tir.Expr{tir.Bin(tir.Add, x, y)}, Identity: []tir.Expr{tir.Float(tir.F32, 0)},
		},
	}
	d := &compute.DAG{
		Tensors: []*tir.Buffer{a, b, c}, Outputs: 1,
		Ops: []*compute.Op{
			{Name: "A", Results: []*tir.Buffer{a}}, {Name: "B", Results: []*tir.Buffer{b}}, product,
		},
	}
	name := fmt.Sprintf("matmul:m=%d,n=%d,k=%d", m, n, k)
	return &Task{Name: name, DAG: d, Target: target.Generic(32, 2), Space: cpuSpace}
}
