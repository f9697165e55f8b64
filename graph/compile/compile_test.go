package compile

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/folder"
)

// lowerPlain gives each task of m a schedule without a search.
func lowerPlain(m *Model) error {
	t := target.Generic(32, 2)
	for _, k := range m.Tasks {
		if k.DAG == nil {
			continue
		}
		s, err := plain(k.DAG)
		if err != nil {
			return err
		}
		if k.Func, err = lower.Lower(s, lower.Config{Target: t, Layout: target.Rewrite, Check: lower.CheckEach}); err != nil {
			return err
		}
	}
	return nil
}

// plainProgram makes the program of m with plain schedules.
func plainProgram(m *Model) (*model.Program, *weights, error) {
	if err := lowerPlain(m); err != nil {
		return nil, nil, err
	}
	return m.program("m", target.Generic(32, 2))
}

// interpreted returns what the interpreter computes, in the shapes that results turn out to have.
func interpreted(m *Model, p *model.Program, w *weights, inputs []*graph.Tensor) (list []*graph.Tensor, err error) {
	var args [][]byte
	for _, x := range inputs {
		args = append(args, x.Const().Data)
	}
	out, shapes, err := interpret(m, p, w, args)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, m.Graph)
	}
	for i, o := range p.Outputs {
		shape := slices.Clone(o.Shape)
		for d := range shape {
			if o.Bounded {
				shape[d] = int64(binary.LittleEndian.Uint64(shapes[i][8*d:]))
			}
		}
		data := out[i][:graph.Elems(shape)*int64(o.Type.Bytes())]
		list = append(list, (&graph.Const{Type: o.Type, Shape: shape, Data: data}).Tensor())
	}
	return list, nil
}

// interpretedOutputs compiles g with plain schedules and returns what the interpreter computes.
func interpretedOutputs(t *testing.T, g *graph.Graph, inputs []*graph.Tensor) ([]*graph.Tensor, error) {
	m, err := New(t.Context(), g, pass.Options{Check: true})
	if err != nil {
		return nil, err
	}
	p, w, err := plainProgram(m)
	if err != nil {
		return nil, err
	}
	return interpreted(m, p, w, inputs)
}

// check compiles g with plain schedules, runs the program by the interpreter, and compares it with the reference.
func check(t *testing.T, g *graph.Graph, inputs []*graph.Tensor) {
	t.Helper()
	ctx := context.Background()
	want, err := op.Evaluator().Run(ctx, g, inputs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := interpretedOutputs(t, g, inputs)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range want {
		y := got[i]
		if !slices.Equal(y.Shape, x.Shape) {
			t.Fatalf("output %d: got shape %v, want %v\n%s", i, y.Shape, x.Shape, g)
		}
		for k := range x.Len() {
			if d := math.Abs(x.At(k) - y.At(k)); d > 1e-4*(1+math.Abs(x.At(k))) {
				t.Fatalf("output %d, element %d: got %v, want %v\n%s", i, k, y.At(k), x.At(k), g)
			}
		}
	}
}

// TestChain: a product, a sum, and what follows element by element is one kernel.
func TestChain(t *testing.T) {
	f := func(name string, shape ...int64) *graph.Value {
		return &graph.Value{Name: name, Type: tir.F32, Shape: shape, Ranked: shape != nil}
	}
	x, y, a, b := f("x", 3, 4), f("y", 4), f("a"), f("b")
	g := &graph.Graph{Name: "g", Inputs: []*graph.Value{x, y}, Outputs: []*graph.Value{b}, Nodes: []*graph.Node{
		{Op: "Add", Version: 14, Inputs: []*graph.Value{x, y}, Outputs: []*graph.Value{a}},
		{Op: "Neg", Version: 14, Inputs: []*graph.Value{a}, Outputs: []*graph.Value{b}},
	}}
	check(t, g, []*graph.Tensor{ramp(3, 4), ramp(4)})
}

// TestFound compiles what the fuzzer found to be wrong.
func TestFound(t *testing.T) {
	for name, text := range map[string]string{
		"the indices of a Gather along a dimension that was broadcast are not read": `
			input x: int64[1]
			input k: int64[4]
			const s: int64[2] {3, 2}
			a = Expand(x, s)
			y = Gather(a, k) axis=1
			output y`,
		"nor is what computes them": `
			input x: float32[1]
			input k: int64[4]
			const s: int64[2] {3, 2}
			a = Expand(x, s)
			b = Neg(k)
			c = Neg(b)
			y = Gather(a, c) axis=1
			output y`,
	} {
		t.Run(name, func(t *testing.T) {
			g := graphtest.MustParse(text, 18)
			check(t, g, drawInputs(g, inputBounds(g), 1))
		})
	}
}

// TestSameOperands: a value may be what is rearranged, and say how.
func TestSameOperands(t *testing.T) {
	for text, s := range map[string]int64{"y: int64[3] = Expand(s, s)": 3, "y: int64[3] = Tile(s, s)": 3,
		"y: int64[1] = Reshape(s, s)": 1} {
		t.Run(text, func(t *testing.T) {
			g := graphtest.MustParse("input s: int64[1]\n"+text+"\noutput y", 18)
			check(t, g, []*graph.Tensor{graph.Ints(s)})
		})
	}
}

func ramp(shape ...int64) *graph.Tensor {
	x := graph.NewTensor(tir.F32, shape...)
	for i := range x.F {
		x.F[i] = float64((i*7)%11) - 5
	}
	return x
}

// TestProgramsFile: the file of a bundle has its kernels as they are compiled, whatever the threads' shares.
func TestProgramsFile(t *testing.T) {
	g := graphtest.MustParse(`
		input x: float32[8,16]
		y = Softmax(x)
		z = Softmax(y)
		output z`, 18)
	m, err := New(context.Background(), g, pass.Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := plainProgram(m)
	if err != nil {
		t.Fatal(err)
	}
	other := *p.Kernels[0]
	other.Name = "other" // as if another call had other shares
	m.variants[m.Tasks[0]] = append(m.variants[m.Tasks[0]], &other)
	c := &compilation{model: m, result: Result{Name: "m"}, kernels: m.variants}
	dir := t.TempDir()
	if err := c.writePrograms(&folder.Stage{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	got := readPrograms(dir, "m")[m.Tasks[0].Name]
	for _, k := range append(p.Kernels, &other) {
		if !strings.Contains(got, k.String()) {
			t.Errorf("no %s\nin %s", k, got)
		}
	}
}
