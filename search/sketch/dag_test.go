package sketch

import (
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Small DAGs for tests.

func axis(name string, extent int64) *compute.Axis {
	return &compute.Axis{Var: tir.NewVar(name), Extent: extent}
}

func input(name string, shape ...int64) *compute.Op {
	return &compute.Op{Name: name, Results: []*tir.Buffer{{Name: name, Type: tir.F32, Shape: shape}}}
}

func load(op *compute.Op, axes ...*compute.Axis) tir.Expr {
	l := &tir.Load{Buffer: op.Results[0]}
	for _, a := range axes {
		l.Index = append(l.Index, a.Var)
	}
	return l
}

func mul(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Mul, x, y) }

func compute1(name string, body tir.Expr, axes ...*compute.Axis) *compute.Op {
	var shape []int64
	for _, a := range axes {
		shape = append(shape, a.Extent)
	}
	return &compute.Op{
		Name: name, Axes: axes, Body: []tir.Expr{body},
		Results: []*tir.Buffer{{Name: name, Type: tir.F32, Shape: shape}},
	}
}

func sum(op *compute.Op, over ...*compute.Axis) *compute.Op {
	x, y := &tir.Var{Name: "x", Type: tir.F32}, &tir.Var{Name: "y", Type: tir.F32}
	op.ReduceAxes = over
	op.Combine = &compute.Combiner{
		Kind: compute.Sum, Acc: []*tir.Var{x}, Src: []*tir.Var{y},
		Result: []tir.Expr{tir.Bin(tir.Add, x, y)}, Identity: []tir.Expr{tir.Float(tir.F32, 0)},
	}
	return op
}

// startAt5 has the sum at the end of ops start from 5.
func startAt5(ops []*compute.Op) []*compute.Op {
	ops[len(ops)-1].Combine.Identity[0] = tir.Float(tir.F32, 5)
	return ops
}

// state returns the state without steps of a DAG whose output is the last op.
func state(ops ...*compute.Op) *schedule.State {
	d := &compute.DAG{Ops: ops, Outputs: 1}
	for _, op := range ops {
		if op.IsPlaceholder() {
			d.Tensors = append(d.Tensors, op.Results[0])
		}
	}
	d.Tensors = append(d.Tensors, ops[len(ops)-1].Results[0])
	return schedule.New(d)
}

// matmul is A, B, C = A*B.
func matmul(m, n, k int64) []*compute.Op {
	i, j, r := axis("i", m), axis("j", n), axis("k", k)
	a, b := input("A", m, k), input("B", k, n)
	return []*compute.Op{a, b, sum(compute1("C", mul(load(a, i, r), load(b, r, j)), i, j), r)}
}

// epilogue appends D = f(last).
func epilogue(ops []*compute.Op, name string, f func(tir.Expr) tir.Expr) []*compute.Op {
	last := ops[len(ops)-1]
	axes := make([]*compute.Axis, len(last.Axes))
	for i, a := range last.Axes {
		axes[i] = axis("ax"+string('0'+rune(i)), a.Extent)
	}
	return append(ops, compute1(name, f(load(last, axes...)), axes...))
}

func relu(x tir.Expr) tir.Expr { return tir.Bin(tir.Max, x, tir.Float(tir.F32, 0)) }

func exp(x tir.Expr) tir.Expr { return &tir.Call{Fn: tir.Exp, Args: []tir.Expr{x}} }

// rowSum is A, C[i] += A[i, k].
func rowSum(m, k int64) []*compute.Op {
	i, r := axis("i", m), axis("k", k)
	a := input("A", m, k)
	return []*compute.Op{a, sum(compute1("C", load(a, i, r), i), r)}
}

func cpu(cores int) *Generator {
	return &Generator{Policy: CPU, Target: target.Generic(32, cores)}
}

func gpu() *Generator {
	t := target.Target{Kind: target.CUDA}
	t.Hardware = target.Hardware{Cores: -1, VectorBytes: 16, CacheLineBytes: 64, SharedBytes: 49152, MaxThreads: 1024, MaxVthread: 8, WarpSize: 32}
	return &Generator{Policy: CUDA, Target: t}
}

// generate returns the sketches of d under what a generator knows.
func generate(t *testing.T, g *Generator, d *compute.DAG) ([]*schedule.State, error) {
	return Generate(t.Context(), g.Policy, d, g.Target)
}

// apply applies steps that must be legal.
func apply(t *testing.T, s *schedule.State, steps ...schedule.Step) *schedule.State {
	t.Helper()
	for _, step := range steps {
		var err error
		if s, err = s.Apply(step); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// A whenCase says what a rule's condition is at a stage.
type whenCase struct {
	name  string
	s     *schedule.State
	stage int
	want  Verdict
}

func checkWhen(t *testing.T, g *Generator, when func(*Generator, *schedule.State, int) Verdict, cases []whenCase) {
	t.Helper()
	for _, c := range cases {
		if got := when(g, c.s, c.stage); got != c.want {
			t.Errorf("%s: verdict %d, want %d", c.name, got, c.want)
		}
	}
}
