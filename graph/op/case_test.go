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
	"github.com/wmtune/wmtune/tir/compute"
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
		if v.Extents != nil {
			unpack(env, v)
		}
		if diff := differ(env[v], want[i]); diff != "" {
			t.Fatalf("%s: output %d: %s", c, i, diff)
		}
	}
	return want
}

// unpack gives a value that depends on data its true shape.
func unpack(env map[*graph.Value]*graph.Tensor, v *graph.Value) {
	x := env[v]
	shape := env[v.Extents].I
	k := graph.Elems(shape)
	r := &graph.Tensor{Type: x.Type, Shape: shape}
	if x.F != nil {
		r.F = x.F[:k]
	} else {
		r.I = x.I[:k]
	}
	env[v] = r
}

// differ says where two tensors are not equal but for rounding.
func differ(got, want *graph.Tensor) string {
	if !slices.Equal(got.Shape, want.Shape) || got.Type != want.Type {
		return fmt.Sprintf("got %s%v, want %s%v", got.Type, got.Shape, want.Type, want.Shape)
	}
	for i := range want.Len() {
		x, y := got.At(i), want.At(i)
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

// errRuntime is what a program sets its "error" for.
var errRuntime = fmt.Errorf("the program reports an error")

// interpretNode computes the outputs of n in the interpreter.
func interpretNode(n *graph.Node, env map[*graph.Value]*graph.Tensor) error {
	r, err := Find(n)
	if err != nil {
		return err
	}
	switch r.Form(n) {
	case FormBody:
		return interpretBody(r, n, env)
	case FormOpaque:
		return interpretOpaque(r, n, env)
	case FormDecompose:
		nodes, outputs, err := Decompose(n)
		if err != nil {
			return err
		}
		for _, k := range nodes {
			if err := interpretNode(k, env); err != nil {
				return fmt.Errorf("%s inside: %w", k.Op, err)
			}
		}
		for i, v := range outputs {
			env[n.Outputs[i]] = valueOf(env, v)
		}
		return nil
	}
	return fmt.Errorf("%s has no program", n.Op)
}

func valueOf(env map[*graph.Value]*graph.Tensor, v *graph.Value) *graph.Tensor {
	if t := env[v]; t != nil {
		return t
	}
	return v.Const.Tensor()
}

func toInterp(t *graph.Tensor) *interp.Tensor {
	return &interp.Tensor{Type: t.Type, Data: t.Const().Data}
}

func fromInterp(t *interp.Tensor, shape []int64) *graph.Tensor {
	return (&graph.Const{Type: t.Type, Shape: shape, Data: t.Data}).Tensor()
}

func interpretBody(r *Row, n *graph.Node, env map[*graph.Value]*graph.Tensor) error {
	b := &Body{Builder: compute.NewBuilder(), Node: n}
	names := 0
	b.Unique = func(name string) string {
		names++
		return fmt.Sprintf("%s%d", name, names)
	}
	placeholders, args := map[*graph.Value]compute.Tensor{}, []*interp.Tensor(nil)
	b.Tensor = func(v *graph.Value) compute.Tensor {
		if placeholders[v].Buffer == nil {
			placeholders[v] = b.Placeholder(v.Name, v.Type, v.Shape...)
			args = append(args, toInterp(valueOf(env, v)))
		}
		return placeholders[v]
	}
	if err := r.Body(b); err != nil {
		return err
	}
	dag, err := b.Build(b.Outputs()...)
	if err != nil {
		return err
	}
	results := interp.NewTensors(dag.Results())
	if err := interp.RunDAG(dag, append(args, results...)); err != nil {
		return err
	}
	for i, x := range results {
		env[n.Outputs[i]] = fromInterp(x, n.Outputs[i].Shape)
	}
	return nil
}

func interpretOpaque(r *Row, n *graph.Node, env map[*graph.Value]*graph.Tensor) error {
	f, err := r.Opaque(n)
	if err != nil {
		return err
	}
	if err := tir.Check(f); err != nil {
		return err
	}
	if err := tir.CheckLoops(f); err != nil {
		return err
	}
	var args []*interp.Tensor
	for _, v := range n.Inputs {
		if v != nil {
			args = append(args, toInterp(valueOf(env, v)))
		}
	}
	outputs := []*graph.Value(nil)
	for _, v := range n.Outputs {
		if v != nil {
			outputs = append(outputs, v)
		}
	}
	for _, v := range n.Outputs {
		if v != nil && v.Extents != nil {
			outputs = append(outputs, v.Extents)
		}
	}
	results := interp.NewTensors(f.Results())
	holes := interp.Part{Holes: slices.ContainsFunc(n.Outputs, func(v *graph.Value) bool { return v.Extents != nil })}
	options := interp.Options{Shuffle: true, Seed: 1, Races: true}
	if err := interp.RunPart(f, append(args, results...), options, holes); err != nil {
		return fmt.Errorf("%w\n%s", err, f)
	}
	if last := f.Params[len(f.Params)-1]; last.Name == "error" {
		if last.Type != tir.I32 || last.Elems() != 1 {
			return fmt.Errorf("its error is %s", last)
		}
		if results[len(results)-1].Int(0) != 0 {
			return errRuntime
		}
	}
	for i, v := range outputs {
		env[v] = fromInterp(results[i], v.Shape)
	}
	return nil
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
