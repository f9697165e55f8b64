package op

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
)

// newNode returns a node of inferred types that applies an operator of an operator set to tensors, nil for one that is
// left out. Those that constant has are constants.
func newNode(op string, version, outputs int, in []*graph.Tensor, constant func(i int) bool, attrs ...graph.Attr,
) (*graph.Node, error) {
	n := &graph.Node{Op: op, Version: version}
	n.SetAttr(attrs...)
	for i, t := range in {
		if t == nil {
			n.Inputs = append(n.Inputs, nil)
			continue
		}
		v := &graph.Value{Name: fmt.Sprintf("in%d", i), Type: t.Type, Shape: t.Shape, Ranked: true}
		if constant(i) {
			v.Const = t.Const()
		}
		n.Inputs = append(n.Inputs, v)
	}
	for i := range outputs {
		n.Outputs = append(n.Outputs, &graph.Value{Name: fmt.Sprintf("out%d", i)})
	}
	return n, inferOnly(n)
}

// inferOnly gives the outputs of a node the types that its row infers.
func inferOnly(n *graph.Node) error {
	r, err := Find(n)
	if err != nil {
		return err
	}
	types, err := r.Infer(n)
	if err != nil {
		return err
	}
	_, err = setTypes(context.Background(), n, r, types, false)
	return err
}

// reference computes the outputs of a node with the row's Eval.
func reference(n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	e := Evaluator()
	f, err := e.Lookup(n)
	if err != nil {
		return nil, err
	}
	return f(graph.NewCall(context.Background(), e), n, in)
}

// compiled computes the outputs of a node with the interpreter, from the row's program.
func compiled(n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	env := map[*graph.Value]*graph.Tensor{}
	for i, v := range n.Inputs {
		if v != nil {
			env[v] = in[i]
		}
	}
	if err := interpretNode(n, env); err != nil {
		return nil, err
	}
	out := make([]*graph.Tensor, len(n.Outputs))
	for i, v := range n.Outputs {
		if v != nil {
			out[i] = env[v]
		}
	}
	return out, nil
}

// same returns an error if two tensors differ: floats by more than a part tol of a number or of 1.
func same(got, want *graph.Tensor, tol float64) error {
	if got.Type != want.Type || fmt.Sprint(got.Shape) != fmt.Sprint(want.Shape) {
		return fmt.Errorf("it is %s%v, want %s%v", got.Type, got.Shape, want.Type, want.Shape)
	}
	for i := range want.I {
		if got.I[i] != want.I[i] {
			return fmt.Errorf("element %d is %d, want %d", i, got.I[i], want.I[i])
		}
	}
	for i, w := range want.F {
		g := got.F[i]
		w = round(want.Type, w)
		if (g != g) != (w != w) || g != w && !(math.Abs(g-w) <= tol*max(1, math.Abs(w))) && w == w {
			return fmt.Errorf("element %d is %v, want %v", i, g, w)
		}
	}
	return nil
}

// tolerance is how far, as a part of a number or of 1, programs may be from the reference in a type.
func tolerance(t tir.DType) float64 {
	return map[tir.DType]float64{tir.F64: 1e-12, tir.F32: 4e-6, tir.F16: 2e-3, tir.BF16: 2e-2}[t]
}

// random returns numbers of a type between lo and hi, the last included for integers.
func random(rng *rand.Rand, t tir.DType, lo, hi float64, shape ...int64) *graph.Tensor {
	x := graph.NewTensor(t, shape...)
	for i := range x.F {
		x.F[i] = round(t, lo+rng.Float64()*(hi-lo))
	}
	for i := range x.I {
		x.I[i] = int64(lo) + rng.Int64N(int64(hi)-int64(lo)+1)
	}
	return x
}

// checkNode fails unless the program of a node computes what its Eval does, with every input as an operand and with
// those that fixed names as constants.
func checkNode(t *testing.T, op string, version, outputs int, in []*graph.Tensor, fixed []int, attrs ...graph.Attr) {
	t.Helper()
	n, err := newNode(op, version, outputs, in, func(i int) bool {
		for _, f := range fixed {
			if f == i {
				return true
			}
		}
		return false
	}, attrs...)
	if err != nil {
		t.Errorf("%s-%d: %v", op, version, err)
		return
	}
	checkInferred(t, n, in)
}

func checkInferred(t *testing.T, n *graph.Node, in []*graph.Tensor) {
	t.Helper()
	want, err := reference(n, in)
	if err != nil {
		t.Errorf("%s-%d: reference: %v", n.Op, n.Version, err)
		return
	}
	for i, v := range n.Outputs {
		if v != nil && (want[i].Type != v.Type || fmt.Sprint(want[i].Shape) != fmt.Sprint(v.Shape)) {
			t.Errorf("%s-%d: output %d is %s%v, inferred as %s%v", n.Op, n.Version, i, want[i].Type, want[i].Shape, v.Type,
				v.Shape)
			return
		}
	}
	if graph.Elems(n.Outputs[0].Shape) == 0 {
		return
	}
	got, err := compiled(n, in)
	if err != nil {
		t.Errorf("%s-%d: program: %v", n.Op, n.Version, err)
		return
	}
	for i, v := range n.Outputs {
		if v == nil {
			continue
		}
		if err := same(got[i], want[i], tolerance(v.Type)); err != nil {
			t.Errorf("%s-%d %v: output %d: %v", n.Op, n.Version, n.Attrs, i, err)
		}
	}
}

// faults reports whether the function of a node sets its error.
func faults(t *testing.T, n *graph.Node, in ...*graph.Tensor) bool {
	t.Helper()
	r, err := Find(n)
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.Opaque(n)
	if err != nil {
		t.Fatal(err)
	}
	var args []*interp.Tensor
	for _, x := range in {
		args = append(args, &interp.Tensor{Type: x.Type, Data: x.Const().Data})
	}
	args = append(args, interp.NewTensors(f.Results())...)
	if err := interp.RunPart(f, args, interp.Options{}, interp.Part{Holes: true}); err != nil {
		t.Fatal(err)
	}
	return args[len(args)-1].Int(0) != 0
}
