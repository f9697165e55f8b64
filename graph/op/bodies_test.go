package op

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
)

// A bodyCase is a node with random inputs: its body, or what else makes its program, must compute what Eval does.
type bodyCase struct {
	name   string
	op     string
	inputs []testInput
	attrs  []graph.Attr
	outs   int // 1 if 0
	ver    int // 26 if 0
}

// A testInput is an input of random numbers, or of given ones.
type testInput struct {
	t        tir.DType // float32 if Invalid
	shape    []int64
	constant bool
	data     *graph.Tensor
	absent   bool
}

func random(shape ...int64) testInput   { return testInput{shape: shape} }
func constant(shape ...int64) testInput { return testInput{shape: shape, constant: true} }
func fixed(t *graph.Tensor) testInput   { return testInput{data: t, constant: true} }
func given(t *graph.Tensor) testInput   { return testInput{data: t} }
func absent() testInput                 { return testInput{absent: true} }
func (i testInput) of(t tir.DType) testInput {
	i.t = t
	return i
}

// node makes the node and the contents of its inputs.
func (c *bodyCase) node(t *testing.T) (*graph.Node, []*graph.Tensor) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(len(c.name))))
	n := &graph.Node{Name: c.name, Op: c.op, Version: c.ver}
	if n.Version == 0 {
		n.Version = 26
	}
	if d, o, ok := cutDomain(c.op); ok {
		n.Domain, n.Op = d, o
	}
	n.SetAttr(c.attrs...)
	var in []*graph.Tensor
	for i, s := range c.inputs {
		if s.absent {
			n.Inputs, in = append(n.Inputs, nil), append(in, nil)
			continue
		}
		x := s.data
		if x == nil {
			if s.t == tir.Invalid {
				s.t = tir.F32
			}
			x = graph.NewTensor(s.t, s.shape...)
			for k := range x.Len() {
				if x.F != nil {
					x.F[k] = float64(rng.IntN(65)-32) / 16
				} else {
					x.I[k] = int64(rng.IntN(9)) - 4
				}
			}
		}
		v := &graph.Value{Name: fmt.Sprintf("x%d", i), Type: x.Type, Shape: x.Shape, Ranked: true}
		if s.constant {
			v.Const = x.Const()
		}
		n.Inputs, in = append(n.Inputs, v), append(in, x)
	}
	for i := range max(1, c.outs) {
		n.Outputs = append(n.Outputs, &graph.Value{Name: fmt.Sprintf("y%d", i)})
	}
	return n, in
}

// check runs the case.
func (c *bodyCase) check(t *testing.T) {
	t.Helper()
	n, in := c.node(t)
	r, err := Find(n)
	if err != nil {
		t.Fatal(err)
	}
	types, err := r.Infer(n)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := setTypes(context.Background(), n, r, types, false); err != nil {
		t.Fatal(err)
	}
	e := Evaluator()
	f, err := e.Lookup(n)
	if err != nil {
		t.Fatal(err)
	}
	want, err := f(graph.NewCall(context.Background(), e), n, in)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range n.Outputs {
		if fmt.Sprint(v.Shape) != fmt.Sprint(want[i].Shape) || v.Type != want[i].Type {
			t.Fatalf("output %d is %s%v, inferred as %s%v", i, want[i].Type, want[i].Shape, v.Type, v.Shape)
		}
	}
	got := program(t, r, n, in)
	for i := range n.Outputs {
		compare(t, fmt.Sprintf("output %d", i), got[i], want[i])
	}
}

func compare(t *testing.T, what string, got, want *graph.Tensor) {
	t.Helper()
	wrong := 0
	for k := range want.Len() {
		a, b := got.At(k), want.At(k)
		if (math.IsNaN(a) && math.IsNaN(b)) || a == b {
			continue
		}
		if d := math.Abs(a - b); !(d <= 2e-5+2e-5*math.Abs(b)) && wrong < 4 {
			wrong++
			t.Errorf("%s: element %d is %v, want %v", what, k, a, b)
		}
	}
}

// program computes a node by its row's body, decomposition or function.
func program(t *testing.T, r *Row, n *graph.Node, in []*graph.Tensor) []*graph.Tensor {
	t.Helper()
	switch {
	case r.Body != nil:
		return runBody(t, r, n, in)
	case r.Opaque != nil:
		return runOpaque(t, r, n, in)
	}
	e := Evaluator()
	out, err := evalDecomposed(r)(graph.NewCall(context.Background(), e), n, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func runBody(t *testing.T, r *Row, n *graph.Node, in []*graph.Tensor) []*graph.Tensor {
	t.Helper()
	placeholders := map[*graph.Value]compute.Tensor{}
	used := map[string]int{}
	var read []*graph.Tensor
	b := &Body{Builder: compute.NewBuilder(), Node: n}
	b.Tensor = func(v *graph.Value) compute.Tensor {
		if p, ok := placeholders[v]; ok {
			return p
		}
		for i, w := range n.Inputs {
			if w == v {
				read = append(read, in[i])
				break
			}
		}
		placeholders[v] = b.Placeholder(v.Name, v.Type, v.Shape...)
		return placeholders[v]
	}
	b.Unique = func(name string) string {
		used[name]++
		if used[name] > 1 {
			return fmt.Sprint(name, "_", used[name])
		}
		return name
	}
	if err := r.Body(b); err != nil {
		t.Fatal(err)
	}
	dag, err := b.Build(b.Outputs()...)
	if err != nil {
		t.Fatal(err)
	}
	var args []*interp.Tensor
	for i, buf := range dag.Tensors {
		x := interp.NewTensor(buf)
		if i < len(read) {
			x.Data = read[i].Const().Data
		}
		args = append(args, x)
	}
	if err := interp.RunDAG(dag, args); err != nil {
		t.Fatalf("%v\n%s", err, dag)
	}
	if testing.Verbose() {
		t.Logf("\n%s", dag)
	}
	return results(n, args[len(read):])
}

// results returns the outputs of a program.
func results(n *graph.Node, args []*interp.Tensor) []*graph.Tensor {
	var out []*graph.Tensor
	for i, v := range n.Outputs {
		c := graph.Const{Type: v.Type, Shape: v.Shape, Data: args[i].Data}
		out = append(out, c.Tensor())
	}
	return out
}

func runOpaque(t *testing.T, r *Row, n *graph.Node, in []*graph.Tensor) []*graph.Tensor {
	t.Helper()
	f, err := r.Opaque(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := tir.Check(f); err != nil {
		t.Fatal(err)
	}
	var args []*interp.Tensor
	i := 0
	for k, p := range f.Params {
		x := interp.NewTensor(p)
		if k < len(f.Params)-f.Outputs {
			for in[i] == nil {
				i++
			}
			x.Data = in[i].Const().Data
			i++
		}
		args = append(args, x)
	}
	if err := interp.Run(f, args, interp.Options{Races: true}); err != nil {
		t.Fatal(err)
	}
	return results(n, args[len(f.Params)-f.Outputs:])
}

func checkAll(t *testing.T, cases []bodyCase) {
	for _, c := range cases {
		t.Run(c.op+" "+c.name, c.check)
	}
}

func cutDomain(op string) (domain, name string, ok bool) { return strings.Cut(op, ".") }
