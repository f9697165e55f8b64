package op

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
)

// A nodeCase is a node of which the programs must compute what the reference computes.
type nodeCase struct {
	op      string
	version int
	attrs   []graph.Attr
	in      []*graph.Tensor
	fixed   []int // inputs that are constants
	outputs int   // 0: 1
	// declared are shapes of outputs that depend on inputs that are not constant.
	declared [][]int64
}

func (c nodeCase) String() string {
	s := fmt.Sprintf("%s-%d", c.op, c.version)
	for _, a := range c.attrs {
		s += fmt.Sprintf(" %s=%d%s%v", a.Name, a.Int, a.String, a.Ints)
	}
	for i, t := range c.in {
		switch {
		case t == nil:
			s += " _"
		case slices.Contains(c.fixed, i) && t.F == nil:
			s += fmt.Sprint(" ", t.I)
		default:
			s += fmt.Sprint(" ", t.Type, t.Shape)
		}
	}
	return s
}

// node returns the node and what its inputs are.
func (c nodeCase) node() (*graph.Node, map[*graph.Value]*graph.Tensor) {
	n := &graph.Node{Op: c.op, Version: c.version}
	n.SetAttr(c.attrs...)
	env := map[*graph.Value]*graph.Tensor{}
	for i, t := range c.in {
		if t == nil {
			n.Inputs = append(n.Inputs, nil)
			continue
		}
		v := &graph.Value{Name: fmt.Sprintf("in%d", i), Type: t.Type, Shape: t.Shape, Ranked: true}
		if slices.Contains(c.fixed, i) {
			v.Const = t.Const()
		}
		env[v] = t
		n.Inputs = append(n.Inputs, v)
	}
	for i := range max(1, c.outputs) {
		v := &graph.Value{Name: fmt.Sprintf("out%d", i)}
		n.Outputs = append(n.Outputs, v)
	}
	return n, env
}

// check compares the programs of the case with the reference, and returns what it computes.
func (c nodeCase) check(t *testing.T) []*graph.Tensor {
	t.Helper()
	n, env := c.node()
	r, err := Find(n)
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.evalFunc()(graph.NewCall(context.Background(), Evaluator()), n, c.in)
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	types, err := r.Infer(n)
	if _, open := err.(*OpenError); open && c.declared != nil {
		err, types = nil, nil
		for i, s := range c.declared {
			types = append(types, Type{DType: want[i].Type, Shape: s})
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	if _, err := setTypes(context.Background(), n, r, types, false); err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	for i, v := range n.Outputs {
		if v.Type != want[i].Type || v.Extents == nil && !slices.Equal(v.Shape, want[i].Shape) {
			t.Fatalf("%s: output %d is inferred as %s, and computed as %s%v", c, i, v, want[i].Type, want[i].Shape)
		}
	}
	if err := interpretNode(n, env); err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	for i, v := range n.Outputs {
		if diff := differ(env[v], want[i]); diff != "" {
			t.Fatalf("%s: output %d: %s", c, i, diff)
		}
	}
	return want
}

// differ says where two tensors are not equal but for rounding.
func differ(got, want *graph.Tensor) string {
	if !slices.Equal(got.Shape, want.Shape) || got.Type != want.Type {
		return fmt.Sprintf("got %s%v, want %s%v", got.Type, got.Shape, want.Type, want.Shape)
	}
	want = want.Const().Tensor() // rounded
	for i := range want.Len() {
		x, y := got.At(i), want.At(i)
		if x == y {
			continue
		}
		tolerance := 1e-5
		if want.Type.IsFloat() && want.Type.Bytes() == 2 {
			tolerance = 1e-2
		}
		if math.Abs(x-y) > tolerance*max(1, math.Abs(y)) || math.IsNaN(x) != math.IsNaN(y) {
			return fmt.Sprintf("element %d is %v, want %v", i, x, y)
		}
	}
	return ""
}

// interpretNode computes the outputs of n in the interpreter.
func interpretNode(n *graph.Node, env map[*graph.Value]*graph.Tensor) error {
	p := &Programs{Memory: map[*graph.Value]*graph.Const{}}
	for v, t := range env {
		p.Memory[v] = t.Const()
	}
	if err := p.Run(n); err != nil {
		return err
	}
	for _, v := range n.Outputs {
		if v != nil {
			env[v] = p.Memory[v].Tensor()
		}
	}
	return nil
}

func toInterp(t *graph.Tensor) *interp.Tensor {
	return &interp.Tensor{Type: t.Type, Data: t.Const().Data}
}

func fromInterp(t *interp.Tensor, shape []int64) *graph.Tensor {
	return (&graph.Const{Type: t.Type, Shape: shape, Data: t.Data}).Tensor()
}

// numbers returns a tensor of small numbers.
func numbers(r *rand.Rand, t tir.DType, shape ...int64) *graph.Tensor {
	x := graph.NewTensor(t, shape...)
	for i := range x.Len() {
		switch {
		case t.IsFloat():
			x.F[i] = float64(r.IntN(4001)-2000) / 64
		case t == tir.Bool:
			x.I[i] = r.Int64N(2)
		case t.IsUnsigned():
			x.I[i] = r.Int64N(100)
		default:
			x.I[i] = r.Int64N(200) - 100
		}
	}
	return x
}

// integersIn returns a tensor of integers of type t in low..high-1.
func integersIn(r *rand.Rand, t tir.DType, low, high int64, shape ...int64) *graph.Tensor {
	x := graph.NewTensor(t, shape...)
	for i := range x.I {
		x.I[i] = low + r.Int64N(high-low)
	}
	return x
}

// smallShape returns a shape of small dimensions.
func smallShape(r *rand.Rand, rank int) []int64 {
	s := make([]int64, rank)
	for i := range s {
		s[i] = 1 + r.Int64N(4)
	}
	return s
}
