package table

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
)

// A nodeCase is a node of which the program must compute what the reference computes.
type nodeCase struct {
	op      string // with its domain
	version int
	attrs   []graph.Attr
	in      []*graph.Tensor // nil for one that is left out
	fixed   []int           // inputs that are constants
	outputs int             // 0: 1
	// declared are shapes of outputs that depend on inputs that are not constant.
	declared [][]int64
}

// node returns the node. Its outputs have no types.
func (c nodeCase) node() *graph.Node {
	n := &graph.Node{Version: c.version}
	n.Domain, n.Op = op.SplitName(c.op)
	n.SetAttr(c.attrs...)
	for i, t := range c.in {
		if t == nil {
			n.Inputs = append(n.Inputs, nil)
			continue
		}
		v := &graph.Value{Name: fmt.Sprintf("in%d", i), Type: t.Type, Narrow: t.Narrow, Shape: t.Shape, Ranked: true}
		if slices.Contains(c.fixed, i) {
			v.Const = t.Const()
		}
		n.Inputs = append(n.Inputs, v)
	}
	for i := range max(1, c.outputs) {
		n.Outputs = append(n.Outputs, &graph.Value{Name: fmt.Sprintf("out%d", i)})
	}
	return n
}

func (c nodeCase) String() string { return nodeText(c.node()) }

// nodeText says which node failed.
func nodeText(n *graph.Node) string {
	s := fmt.Sprintf("%s.%s-%d", n.Domain, n.Op, n.Version)
	for _, a := range n.Attrs {
		s += fmt.Sprintf(" %s=%d%s%v", a.Name, a.Int, a.String, a.Ints)
	}
	for _, v := range n.Inputs {
		switch {
		case v == nil:
			s += " _"
		case v.Const != nil && !v.Type.IsFloat():
			s += fmt.Sprint(" ", v.Const.Tensor().I)
		default:
			s += fmt.Sprint(" ", v.Type, v.Shape)
		}
	}
	return s
}

// check compares the program of the case with the reference, and returns what that computes.
func (c nodeCase) check(t *testing.T) []*graph.Tensor {
	t.Helper()
	n := c.node()
	var declared []op.Type
	if c.declared != nil {
		want, err := reference(n, c.in)
		if err != nil {
			t.Fatalf("%s: reference: %v", c, err)
		}
		for i, s := range c.declared {
			declared = append(declared, op.Type{DType: want[i].Type, Shape: s})
		}
	}
	if err := inferOnly(n, declared...); err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	return checkInferred(t, n, c.in)
}

// checkNode is check of a case whose attributes come last.
func checkNode(t *testing.T, op string, version, outputs int, in []*graph.Tensor, fixed []int, attrs ...graph.Attr) {
	t.Helper()
	nodeCase{op: op, version: version, outputs: outputs, in: in, fixed: fixed, attrs: attrs}.check(t)
}

// newNode returns a node of inferred types. The inputs that constant has are constants.
func newNode(name string, version, outputs int, in []*graph.Tensor, constant func(i int) bool, attrs ...graph.Attr,
) (*graph.Node, error) {
	c := nodeCase{op: name, version: version, outputs: outputs, in: in, attrs: attrs}
	for i := range in {
		if constant(i) {
			c.fixed = append(c.fixed, i)
		}
	}
	n := c.node()
	r, err := op.Find(n)
	if err != nil {
		return n, err
	}
	if err := r.CheckInputs(n); err != nil {
		return n, err
	}
	return n, inferOnly(n)
}

// inferOnly gives the outputs of a node the types that its row infers or, where those depend on data, the declared
// ones.
func inferOnly(n *graph.Node, declared ...op.Type) error {
	r, err := op.Find(n)
	if err != nil {
		return err
	}
	types, err := r.Infer(n)
	if _, open := err.(*op.OpenError); open && declared != nil {
		err, types = nil, declared
	}
	if err != nil {
		return err
	}
	for i, v := range n.Outputs {
		if v == nil {
			continue
		}
		v.Type, v.Narrow, v.Shape, v.Ranked = types[i].DType, types[i].Narrow, slices.Clone(types[i].Shape), true
		if types[i].Bounded {
			v.Extents = &graph.Value{Name: v.Name + ".extents", Type: tir.I64, Shape: []int64{int64(len(v.Shape))}, Ranked: true}
		}
	}
	return nil
}

// checkInferred compares the program of a node whose outputs have types with the reference, and returns what that
// computes.
func checkInferred(t *testing.T, n *graph.Node, in []*graph.Tensor) []*graph.Tensor {
	t.Helper()
	want, err := reference(n, in)
	if err != nil {
		t.Fatalf("%s: reference: %v", nodeText(n), err)
	}
	for i, v := range n.Outputs {
		if v != nil && (want[i].Type != v.Type || v.Extents == nil && !slices.Equal(want[i].Shape, v.Shape)) {
			t.Fatalf("%s: output %d is %s%v, inferred as %s", nodeText(n), i, want[i].Type, want[i].Shape, v)
		}
	}
	for _, alone := range []bool{false, true} {
		if alone && !standsAlone(n) {
			continue
		}
		got, err := compiledAs(n, in, alone)
		if err != nil {
			t.Fatalf("%s: program, alone %t: %v", nodeText(n), alone, err)
		}
		for i, v := range n.Outputs {
			if v == nil {
				continue
			}
			if err := same(got[i], want[i], tolerance(v.Type)); err != nil {
				t.Errorf("%s: output %d, alone %t: %v", nodeText(n), i, alone, err)
			}
		}
	}
	return want
}

// reference computes the outputs of a node with the row's Eval.
func reference(n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	e := op.Evaluator()
	f, err := e.Lookup(n)
	if err != nil {
		return nil, err
	}
	return f(graph.NewCall(context.Background(), e), n, in)
}

// evalOf returns the reference of an operator of a version.
func evalOf(name string, version int) graph.EvalFunc {
	n := &graph.Node{Version: version}
	n.Domain, n.Op = op.SplitName(name)
	r, err := op.Find(n)
	if err != nil {
		panic(err)
	}
	return r.Eval
}

// compiled computes the outputs of a node with the interpreter, from the row's program.
func compiled(n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	return compiledAs(n, in, false)
}

// compiledAs is compiled, of a node that shares its kernel with no other or might.
func compiledAs(n *graph.Node, in []*graph.Tensor, alone bool) ([]*graph.Tensor, error) {
	p := &Programs{Memory: map[*graph.Value]*graph.Const{}, Alone: alone}
	for i, v := range n.Inputs {
		if v != nil {
			p.Memory[v] = in[i].Const()
		}
	}
	if err := p.Run(n); err != nil {
		return nil, err
	}
	out := make([]*graph.Tensor, len(n.Outputs))
	for i, v := range n.Outputs {
		if v != nil {
			out[i] = p.Memory[v].Tensor()
		}
	}
	return out, nil
}

// same returns an error if two tensors differ: floats by more than a part tol of a number or of 1.
func same(got, want *graph.Tensor, tol float64) error {
	if got.Type != want.Type || !slices.Equal(got.Shape, want.Shape) {
		return fmt.Errorf("it is %s%v, want %s%v", got.Type, got.Shape, want.Type, want.Shape)
	}
	for i := range want.I {
		if got.I[i] != want.I[i] {
			return fmt.Errorf("element %d is %d, want %d", i, got.I[i], want.I[i])
		}
	}
	for i, w := range want.F {
		g := got.F[i]
		w = tir.Rounded(want.Type, w)
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

// faults reports whether the function of a node sets its error.
func faults(t *testing.T, n *graph.Node, in ...*graph.Tensor) bool {
	t.Helper()
	r, err := op.Find(n)
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.Opaque.Make(n)
	if err != nil {
		t.Fatal(err)
	}
	var args []*interp.Tensor
	for _, x := range in {
		args = append(args, toInterp(x))
	}
	args = append(args, interp.NewTensors(f.Results())...)
	if err := interp.RunPart(f, args, interp.Options{}, interp.Part{Holes: true}); err != nil {
		t.Fatal(err)
	}
	return args[len(args)-1].Int(0) != 0
}

func toInterp(t *graph.Tensor) *interp.Tensor {
	return &interp.Tensor{Type: t.Type, Data: t.Const().Data}
}

func fromInterp(t *interp.Tensor, shape []int64) *graph.Tensor {
	return (&graph.Const{Type: t.Type, Shape: shape, Data: t.Data}).Tensor()
}
