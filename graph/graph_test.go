package graph

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

func value(name string, t tir.DType, shape ...int64) *Value {
	return &Value{Name: name, Type: t, Shape: shape, Ranked: true}
}

// example is y = Double(x + w); z = If(c) { Double(y) } else { w }.
func example() *Graph {
	x, w, c := value("x", tir.F32, 2), value("w", tir.F32, 2), value("c", tir.Bool)
	w.Const = (&Tensor{Type: tir.F32, Shape: []int64{2}, F: []float64{1, 2}}).Const()
	a, y, z, t := value("a", tir.F32, 2), value("y", tir.F32, 2), value("z", tir.F32, 2), value("t", tir.F32, 2)
	then := &Graph{Name: "then", Outputs: []*Value{t}, Nodes: []*Node{
		{Op: "Double", Inputs: []*Value{y}, Outputs: []*Value{t}},
	}}
	els := &Graph{Name: "else", Outputs: []*Value{w}}
	return &Graph{Name: "main", Inputs: []*Value{x, c}, Outputs: []*Value{y, z}, Nodes: []*Node{
		{Op: "Plus", Inputs: []*Value{x, w, nil}, Outputs: []*Value{a},
			Attrs: []Attr{IntAttr("axis", -1), IntsAttr("pads", 1, 2)}},
		{Op: "Double", Name: "twice", Inputs: []*Value{a}, Outputs: []*Value{y}},
		{Op: "If", Inputs: []*Value{c}, Outputs: []*Value{z}, Attrs: []Attr{
			{Name: "else_branch", Kind: AttrGraph, Graphs: []*Graph{els}},
			{Name: "then_branch", Kind: AttrGraph, Graphs: []*Graph{then}},
		}},
	}}
}

const exampleText = `graph main
  input x: float32[2]
  input c: bool[]
  const w: float32[2] {1, 2}
  a: float32[2] = Plus(x, w, _) axis=-1 pads=[1, 2]
  y: float32[2] = Double(a)
  z: float32[2] = If(c)
    else_branch:
      graph else
        output w
    then_branch:
      graph then
        t: float32[2] = Double(y)
        output t
  output y
  output z
`

// TestPrintUnsigned: a uint64 beyond the int64s is no negative number.
func TestPrintUnsigned(t *testing.T) {
	c := (&Tensor{Type: tir.U64, Shape: []int64{2}, I: []int64{-1, 7}}).Const()
	if got := c.String(); got != "{18446744073709551615, 7}" {
		t.Errorf("got %s", got)
	}
}

// TestCheckExtents: the extents of a value are made with it.
func TestCheckExtents(t *testing.T) {
	x, y, s := value("x", tir.F32, 2), value("y", tir.F32, 2), value("s", tir.I64, 1)
	y.Extents = value("y.extents", tir.I64, 1)
	g := &Graph{Inputs: []*Value{x}, Outputs: []*Value{s}, Nodes: []*Node{
		{Op: "Some", Inputs: []*Value{x}, Outputs: []*Value{y}},
		{Op: "Double", Inputs: []*Value{y.Extents}, Outputs: []*Value{s}},
	}}
	if err := Check(g); err != nil {
		t.Error(err)
	}
}

// TestPrint holds the text of a graph, and that a copy has it, too.
func TestPrint(t *testing.T) {
	g := example()
	if got := g.String(); got != exampleText {
		t.Errorf("got\n%s", got)
	}
	c, m := g.Clone()
	if got := c.String(); got != exampleText {
		t.Errorf("the copy is\n%s", got)
	}
	for _, n := range c.Nodes {
		for _, v := range append(n.Reads(), n.Outputs...) {
			for old, v2 := range m {
				if v == old && v2 != old {
					t.Errorf("the copy has value %s of the graph", v.Name)
				}
			}
		}
	}
	c.Nodes[0].Outputs[0].Name = "other"
	if g.String() != exampleText {
		t.Error("a change of the copy shows")
	}
}

// TestCheck: each rule is broken once.
func TestCheck(t *testing.T) {
	if err := Check(example()); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(g *Graph){
		"made twice":               func(g *Graph) { g.Nodes[1].Outputs = g.Nodes[0].Outputs },
		"read before it is made":   func(g *Graph) { g.Nodes[0], g.Nodes[1] = g.Nodes[1], g.Nodes[0] },
		"is another value's":       func(g *Graph) { g.Nodes[0].Outputs[0].Name = "x" },
		"has 7 bytes":              func(g *Graph) { g.Nodes[0].Inputs[1].Const.Data = make([]byte, 7) },
		"holds float32[2]":         func(g *Graph) { g.Nodes[0].Inputs[1].Shape = []int64{3} },
		"attribute axis is not in": func(g *Graph) { slices.Reverse(g.Nodes[0].Attrs) },
		"an output is missing":     func(g *Graph) { g.Outputs[0] = nil },
		"node If that makes z: then_": func(g *Graph) {
			g.Nodes[2].Graph("then_branch").Nodes[0].Inputs[0] = value("q",
				tir.F32)
		},
	} {
		g := example()
		change(g)
		if err := Check(g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestReads: nodes read what their subgraphs take from around them, and initializers only where they stand.
func TestReads(t *testing.T) {
	g := example()
	var names []string
	for _, v := range g.Nodes[2].Reads() {
		names = append(names, v.Name)
	}
	if !slices.Equal(names, []string{"c", "y"}) {
		t.Errorf("got %v", names)
	}
	if r := g.Readers()[g.Nodes[1].Outputs[0]]; len(r) != 1 || r[0] != g.Nodes[2] {
		t.Errorf("readers of y: %v", r)
	}
}

func evaluator() *Evaluator {
	return &Evaluator{Lookup: func(n *Node) (EvalFunc, error) {
		switch n.Op {
		case "Plus":
			return func(_ *Call, _ *Node, in []*Tensor) ([]*Tensor, error) {
				r := NewTensor(in[0].Type, in[0].Shape...)
				for i := range r.F {
					r.F[i] = in[0].F[i] + in[1].F[i]
				}
				return []*Tensor{r}, nil
			}, nil
		case "Double":
			return func(_ *Call, _ *Node, in []*Tensor) ([]*Tensor, error) {
				r := NewTensor(in[0].Type, in[0].Shape...)
				for i := range r.F {
					r.F[i] = 2 * in[0].F[i]
				}
				return []*Tensor{r}, nil
			}, nil
		case "If":
			return func(c *Call, n *Node, in []*Tensor) ([]*Tensor, error) {
				if in[0].I[0] != 0 {
					return c.Run(n.Graph("then_branch"), nil)
				}
				return c.Run(n.Graph("else_branch"), nil)
			}, nil
		}
		return nil, ErrUnsupported
	}}
}

// TestEvaluate: both branches, an operator that is not known, inputs of another type, and a context that ended.
func TestEvaluate(t *testing.T) {
	ctx := context.Background()
	x := &Tensor{Type: tir.F32, Shape: []int64{2}, F: []float64{10, 20}}
	for c, want := range map[float64][]float64{1: {44, 88}, 0: {1, 2}} {
		out, err := evaluator().Run(ctx, example(), []*Tensor{x, Scalar(tir.Bool, c)})
		if err != nil || !slices.Equal(out[0].F, []float64{22, 44}) || !slices.Equal(out[1].F, want) {
			t.Errorf("condition %v: %v, %v", c, out, err)
		}
	}
	g := example()
	g.Nodes[1].Op = "Triple"
	if _, err := evaluator().Run(ctx, g, []*Tensor{x, Scalar(tir.Bool, 0)}); !errors.Is(err, ErrUnsupported) ||
		!strings.HasPrefix(err.Error(), "node Triple twice: ") {
		t.Errorf("unknown operator: %v", err)
	}
	if _, err := evaluator().Run(ctx, example(), []*Tensor{x, x}); err == nil {
		t.Error("an input of another type is taken")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := evaluator().Run(ended, example(), []*Tensor{x, Scalar(tir.Bool, 0)}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}

// TestConst: numbers of each type survive the way to bytes and back.
func TestConst(t *testing.T) {
	for _, dt := range tir.DTypes() {
		x := NewTensor(dt, 4)
		for i, v := range []float64{0, 1, 100, 7} {
			if dt.IsFloat() {
				x.F[i] = v
			} else if dt == tir.Bool {
				x.I[i] = int64(i % 2)
			} else {
				x.I[i] = int64(v)
			}
		}
		switch {
		case dt.IsFloat():
			x.F[3] = math.Inf(-1)
		case dt == tir.U64:
			x.I[3] = -1 // 1<<64 - 1
			if x.At(3) != 1<<64 {
				t.Errorf("uint64: %v", x.At(3))
			}
		case dt.IsInt() && !dt.IsUnsigned():
			x.I[3] = -3
		}
		if y := x.Const().Tensor(); !slices.Equal(x.F, y.F) || !slices.Equal(x.I, y.I) {
			t.Errorf("%s: %v %v, then %v %v", dt, x.F, x.I, y.F, y.I)
		}
	}
}

// TestConstID: constants of one file may begin at the same byte.
func TestConstID(t *testing.T) {
	data := make([]byte, 64)
	c := func(typ tir.DType, bytes int, shape ...int64) *Const {
		return &Const{Type: typ, Shape: shape, Data: data[:bytes]}
	}
	a := c(tir.F32, 16, 4)
	for _, other := range []*Const{c(tir.F32, 64, 16), c(tir.I32, 16, 4), c(tir.F32, 16, 2, 2)} {
		if a.ID() == other.ID() {
			t.Errorf("%v is %v", other, a)
		}
	}
	if a.ID() != c(tir.F32, 16, 4).ID() || a.ID() == (&Const{Type: tir.F32, Shape: []int64{4}, Data: data[4:20]}).ID() {
		t.Error("not by where their bytes are")
	}
}
