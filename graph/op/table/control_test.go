package table_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// A sketch builds graphs.
type sketch struct{ g *graph.Graph }

func newSketch(name string) sketch { return sketch{&graph.Graph{Name: name}} }

func (s sketch) input(name string, t tir.DType, shape ...int64) *graph.Value {
	v := &graph.Value{Name: name, Type: t, Shape: shape, Ranked: true}
	s.g.Inputs = append(s.g.Inputs, v)
	return v
}

func (s sketch) node(name string, outputs []string, inputs []*graph.Value, attrs ...graph.Attr) []*graph.Value {
	n := &graph.Node{Op: name, Version: 13, Inputs: inputs}
	n.SetAttr(attrs...)
	for _, o := range outputs {
		n.Outputs = append(n.Outputs, &graph.Value{Name: o})
	}
	s.g.Nodes = append(s.g.Nodes, n)
	return n.Outputs
}

func (s sketch) apply(name, output string, inputs ...*graph.Value) *graph.Value {
	return s.node(name, []string{output}, inputs)[0]
}

func (s sketch) output(v ...*graph.Value) *graph.Graph {
	s.g.Outputs = append(s.g.Outputs, v...)
	return s.g
}

func constant(name string, t *graph.Tensor) *graph.Value {
	return &graph.Value{Name: name, Type: t.Type, Shape: t.Shape, Ranked: true, Const: t.Const()}
}

func sub(name string, g *graph.Graph) graph.Attr {
	return graph.Attr{Name: name, Kind: graph.AttrGraph, Graphs: []*graph.Graph{g}}
}

func vector(v ...float64) *graph.Tensor {
	return &graph.Tensor{Type: tir.F32, Shape: []int64{int64(len(v))}, F: v}
}

// agree compares what the programs of a graph compute with the reference, and returns the results and the graph after
// Infer.
func agree(t *testing.T, g *graph.Graph, in ...*graph.Tensor) ([]*graph.Tensor, *graph.Graph) {
	t.Helper()
	if err := graph.Check(g); err != nil {
		t.Fatal(err)
	}
	want, err := op.Evaluator().Run(t.Context(), g, in)
	if err != nil {
		t.Fatal(err)
	}
	c := &graphtest.Case{Name: g.Name, RTol: 1e-5, ATol: 1e-6, Graph: g, In: in, Want: want}
	if err := checkInfer(t, g.Clone, in, c); err != nil {
		t.Fatalf("infer: %v", err)
	}
	if err := checkProgram(t, g.Clone, in, c); err != nil {
		k, e := inferred(t, g.Clone, in)
		t.Fatalf("program: %v\n%v%v", err, k, e)
	}
	k, err := inferred(t, g.Clone, in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := op.Evaluator().Run(t.Context(), k, in)
	if err == nil {
		err = c.Compare(out)
	}
	if err != nil {
		t.Fatalf("after Infer: %v\n%s", err, k)
	}
	return want, k
}

// fails infers a graph, and wants an error that says a text.
func fails(t *testing.T, g *graph.Graph, text string) error {
	t.Helper()
	err := op.Infer(t.Context(), g)
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Fatalf("%v: it must say %q", err, text)
	}
	return err
}

// choice is a graph with an If that adds or multiplies x and a value of its branch.
func choice(cond *graph.Value) *graph.Graph {
	s := newSketch("choice")
	if cond == nil {
		cond = s.input("cond", tir.Bool)
	}
	x := s.input("x", tir.F32, 3)
	branch := func(name string, by float64) *graph.Graph {
		b := newSketch(name)
		k := b.apply("Relu", "k", x)
		return b.output(b.apply(name, name+".out", k, constant(name+".by", vector(by))))
	}
	y := s.node("If", []string{"y"}, []*graph.Value{cond}, sub("then_branch", branch("Add", 1)),
		sub("else_branch", branch("Mul", 2)))[0]
	return s.output(s.apply("Relu", "z", y))
}

func TestIf(t *testing.T) {
	x := vector(-1, 2, 3)
	for cond, want := range map[float64]float64{0: 4, 1: 3} {
		c := graph.Scalar(tir.Bool, cond)
		g := choice(nil)
		out, k := agree(t, g, c, x)
		if out[0].F[1] != want || k.Nodes[0].Op != "If" {
			t.Errorf("%v: %v, want %v\n%s", cond, out[0].F, want, k)
		}
		g = choice(constant("c", c))
		out, k = agree(t, g, x)
		if out[0].F[1] != want || strings.Contains(k.String(), "If(") {
			t.Errorf("%v: %v, want %v\n%s", cond, out[0].F, want, k)
		}
	}
}

func TestIfRejects(t *testing.T) {
	g := choice(nil)
	g.Nodes[0].Graph("then_branch").Nodes[1].Inputs[1].Const = graph.NewTensor(tir.F32, 2, 3).Const()
	g.Nodes[0].Graph("then_branch").Nodes[1].Inputs[1].Shape = []int64{2, 3}
	if err := fails(t, g, "another shape in each"); !errors.Is(err, graph.ErrUnsupported) {
		t.Error(err)
	}
	g = choice(nil)
	g.Inputs[0].Shape = []int64{2}
	fails(t, g, "must be one bool")
	fails(t, choice(constant("c", vector(1))), "must be one bool")
	g = choice(nil)
	g.Nodes[0].Graph("then_branch").Outputs = nil
	fails(t, g, "then_branch of 1 outputs")
}

// TestIfWithAnImpossibleBranch: what cannot be for the shapes at hand fails if it runs, and not before.
func TestIfWithAnImpossibleBranch(t *testing.T) {
	g := choice(nil)
	by := g.Nodes[0].Graph("else_branch").Nodes[1].Inputs[1]
	by.Const, by.Shape = vector(1, 2).Const(), []int64{2}
	out, k := agree(t, g, graph.Scalar(tir.Bool, 1), vector(-1, 2, 3))
	if out[0].F[1] != 3 || !strings.Contains(k.String(), "wmtune.Fail()") {
		t.Errorf("%v\n%s", out[0].F, k)
	}
	in := []*graph.Tensor{graph.Scalar(tir.Bool, 0), vector(-1, 2, 3)}
	err := checkProgram(t, g.Clone, in, &graphtest.Case{Graph: g, In: in, Want: out})
	if err == nil || !strings.Contains(err.Error(), "run-time error") {
		t.Error(err)
	}
	if _, err := op.Evaluator().Run(t.Context(), k, in); err == nil || !strings.Contains(err.Error(), "do not broadcast") {
		t.Error(err)
	}
	n := k.Nodes[0].Graph("else_branch").Nodes[0]
	if !strings.Contains(op.Fault(n), "do not broadcast") {
		t.Error(op.Fault(n))
	}
	g = choice(nil)
	g.Inputs[1].Shape = []int64{3, 0, 4}
	by = g.Nodes[0].Graph("then_branch").Nodes[1].Inputs[1]
	by.Const, by.Shape = vector(1, 2).Const(), []int64{2}
	by = g.Nodes[0].Graph("else_branch").Nodes[1].Inputs[1]
	by.Const, by.Shape = vector(1, 2).Const(), []int64{2}
	fails(t, g, "else_branch: node Mul")
}

// sums is a loop that carries a and b, which change places, and adds up to b in a scan output. It ends when a is at
// least limit, if there is one.
func sums(trips, limit *graph.Value) *graph.Graph {
	s := newSketch("sums")
	b := newSketch("body")
	i, on := b.input("i", tir.I64), b.input("on", tir.Bool)
	a, c := b.input("a", tir.F32, 2), b.input("c", tir.F32, 2)
	step := b.node("Cast", []string{"step"}, []*graph.Value{i}, graph.IntAttr("to", 1))[0]
	d := b.apply("Add", "d", b.apply("Add", "e", a, c), step)
	stay := b.apply("Identity", "stay", on)
	if limit != nil {
		stay = b.apply("Less", "less", step, limit)
	}
	b.output(stay, c, d, d)
	if trips == nil {
		trips = s.input("trips", tir.I64)
	}
	x, y := s.input("x", tir.F32, 2), s.input("y", tir.F32, 2)
	out := s.node("Loop", []string{"p", "q", "r"}, []*graph.Value{trips, nil, x, y}, sub("body", b.g))
	return s.output(out...)
}

func count(n float64) *graph.Value { return constant("trips", graph.Scalar(tir.I64, n)) }

func TestLoop(t *testing.T) {
	x, y := vector(1, 2), vector(3, -4)
	out, k := agree(t, sums(count(40), nil), x, y)
	if out[2].Shape[0] != 40 || out[2].F[0] != 4 || out[2].F[2] != 3+4+1 || k.Nodes[0].Op != "Loop" {
		t.Errorf("%v\n%s", out[2], k)
	}
	if k.Outputs[2].Extents != nil {
		t.Errorf("the number of iterations is constant: %s", k.Outputs[2])
	}
	out, k = agree(t, sums(count(3), nil), x, y)
	if out[2].Shape[0] != 3 || strings.Contains(k.String(), "Loop(") {
		t.Errorf("%v\n%s", out[2], k)
	}
}

// TestLoopWithoutIterations: Infer must have found the shapes of scan outputs.
func TestLoopWithoutIterations(t *testing.T) {
	for _, trips := range []*graph.Value{count(0), nil} {
		g, in := sums(trips, nil), []*graph.Tensor{vector(1, 2), vector(3, -4)}
		if trips == nil {
			g.Outputs[2].Type, g.Outputs[2].Shape, g.Outputs[2].Ranked = tir.F32, []int64{7, 2}, true
			in = append([]*graph.Tensor{graph.Scalar(tir.I64, 0)}, in...)
		}
		if err := op.Infer(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		if out, _ := agree(t, g, in...); out[0].F[0] != 1 || out[2].Shape[0] != 0 {
			t.Errorf("%v %v", out[0], out[2])
		}
	}
}

func TestLoopEnds(t *testing.T) {
	x, y := vector(1, 2), vector(3, -4)
	limit := constant("limit", graph.Scalar(tir.F32, 5))
	out, k := agree(t, sums(count(40), limit), x, y)
	if out[2].Shape[0] != 6 {
		t.Errorf("it ends after %d iterations", out[2].Shape[0])
	}
	if v := k.Outputs[2]; v.Extents == nil || v.Shape[0] != 40 {
		t.Errorf("the scan output is %s", v)
	}
	// The number of iterations is data: the file says the shape.
	g := sums(nil, nil)
	fails(t, g, "depends on input 0")
	g = sums(nil, nil)
	g.Outputs[2].Type, g.Outputs[2].Shape, g.Outputs[2].Ranked = tir.F32, []int64{7, 2}, true
	for _, n := range []float64{1, 4, 7} {
		if out, _ := agree(t, g, graph.Scalar(tir.I64, n), x, y); out[2].Shape[0] != int64(n) {
			t.Errorf("%v iterations: %v", n, out[2].Shape)
		}
	}
	// More iterations than there is room for are an error of the program.
	want, err := op.Evaluator().Run(t.Context(), g, []*graph.Tensor{graph.Scalar(tir.I64, 8), x, y})
	if err != nil {
		t.Fatal(err)
	}
	c := &graphtest.Case{Name: g.Name, Graph: g, In: []*graph.Tensor{graph.Scalar(tir.I64, 8), x, y}, Want: want}
	if err := checkProgram(t, g.Clone, c.In, c); err == nil || !strings.Contains(err.Error(), "run-time error") {
		t.Error(err)
	}
	g = sums(count(40), nil)
	g.Nodes[0].Inputs[0] = nil
	fails(t, g, "never ends")
	// What reads the scan output must know its extents.
	g = sums(count(40), limit)
	relu := &graph.Node{Op: "Relu", Version: 13, Inputs: []*graph.Value{g.Outputs[2]},
		Outputs: []*graph.Value{{Name: "s"}}}
	g.Nodes = append(g.Nodes, relu)
	fails(t, g, "r: float32[40, 2], whose extents depend on data")
}

// growing is a loop that joins what it carries with itself.
func growing(trips *graph.Value) *graph.Graph {
	s, b := newSketch("growing"), newSketch("body")
	b.input("i", tir.I64)
	on, a := b.input("on", tir.Bool), b.input("a", tir.F32, graph.Open)
	size := b.node("Shape", []string{"size"}, []*graph.Value{a})[0]
	b.output(on, b.node("Concat", []string{"d"}, []*graph.Value{a, a}, graph.IntAttr("axis", 0))[0],
		b.node("Cast", []string{"f"}, []*graph.Value{size}, graph.IntAttr("to", 1))[0])
	if trips == nil {
		trips = s.input("trips", tir.I64)
	}
	x := s.input("x", tir.F32, 1)
	out := s.node("Loop", []string{"y", "sizes"}, []*graph.Value{trips, nil, x}, sub("body", b.g))
	return s.output(out...)
}

func TestLoopOfChangingShapes(t *testing.T) {
	out, k := agree(t, growing(count(5)), vector(2))
	if out[0].Shape[0] != 32 || out[1].F[4] != 16 || strings.Contains(k.String(), "Loop(") {
		t.Errorf("%v %v\n%s", out[0].Shape, out[1].F, k)
	}
	fails(t, growing(nil), "shapes change")
}

// TestLoopOfSlices: a loop whose shapes are known only with the number of an iteration is unrolled, be it small or not.
func TestLoopOfSlices(t *testing.T) {
	for _, trips := range []int64{3, 40} {
		s, b := newSketch("slices"), newSketch("body")
		i, on, a := b.input("i", tir.I64), b.input("on", tir.Bool), b.input("a", tir.F32, 4)
		x := s.input("x", tir.F32, trips+3)
		i.Shape, i.Ranked = []int64{1}, true
		part := b.apply("Slice", "part", x, i, b.apply("Add", "end", i, constant("four", graph.Ints(4))))
		b.output(on, b.apply("Add", "sum", a, part))
		y := s.node("Loop", []string{"y"}, []*graph.Value{count(float64(trips)), nil, s.input("zero", tir.F32, 4)},
			sub("body", b.g))
		in := graph.NewTensor(tir.F32, trips+3)
		for k := range in.F {
			in.F[k] = float64(k)
		}
		out, k := agree(t, s.output(y...), in, vector(0, 0, 0, 0))
		if out[0].F[1] != float64(trips*(trips+1)/2) || strings.Contains(k.String(), "Loop(") {
			t.Errorf("%v\n%s", out[0].F, k)
		}
	}
}

// TestScan scans two inputs, one from its end and along its last axis.
func TestScan(t *testing.T) {
	for _, length := range []int64{1, 3} {
		s, b := newSketch("scan"), newSketch("body")
		a, u, w := b.input("a", tir.F32, 2), b.input("u", tir.F32, 2), b.input("w", tir.F32, 2)
		c := b.apply("Add", "c", a, u)
		b.output(c, b.apply("Mul", "m", c, w), b.apply("Relu", "n", w))
		x, y, z := s.input("x", tir.F32, 2), s.input("y", tir.F32, length, 2), s.input("z", tir.F32, 2, length)
		out := s.node("Scan", []string{"p", "q", "r"}, []*graph.Value{x, y, z}, sub("body", b.g),
			graph.IntAttr("num_scan_inputs", 2), graph.IntsAttr("scan_input_axes", 0, -1),
			graph.IntsAttr("scan_input_directions", 0, 1), graph.IntsAttr("scan_output_axes", 0, 1),
			graph.IntsAttr("scan_output_directions", 1, 0))
		in := []*graph.Tensor{vector(1, 1), graph.NewTensor(tir.F32, length, 2), graph.NewTensor(tir.F32, 2, length)}
		for i := range in[1].F {
			in[1].F[i], in[2].F[i] = float64(i+1), float64(10*i+3)
		}
		got, _ := agree(t, s.output(out...), in...)
		// The last iteration reads the first column of z, and makes the first row of q.
		if q, p := got[1], got[0]; q.F[0] != p.F[0]*3 {
			t.Errorf("q is %v, p is %v", q.F, p.F)
		}
	}
}

// TestScanNothing: a Scan over sequences of length 0 passes its states on.
func TestScanNothing(t *testing.T) {
	for _, states := range []int{0, 1, 2} {
		s, b := newSketch("scan"), newSketch("body")
		var inputs, outputs []*graph.Value
		var in []*graph.Tensor
		for i := range states {
			name := string(rune('a' + i))
			a := b.input(name, tir.F32, 2)
			inputs, outputs = append(inputs, s.input("x"+name, tir.F32, 2)), append(outputs, b.apply("Neg", "n"+name, a))
			in = append(in, vector(float64(i+1), 5))
		}
		u := b.input("u", tir.F32, 3)
		b.output(append(outputs, b.apply("Relu", "r", u))...)
		inputs = append(inputs, s.input("y", tir.F32, 0, 3))
		in = append(in, graph.NewTensor(tir.F32, 0, 3))
		names := []string{"p", "q", "r"}[:states+1]
		out := s.node("Scan", names, inputs, sub("body", b.g), graph.IntAttr("num_scan_inputs", 1))
		got, _ := agree(t, s.output(out...), in...)
		for i := range states {
			if got[i].F[0] != float64(i+1) || got[i].F[1] != 5 {
				t.Errorf("state %d is %v", i, got[i].F)
			}
		}
		if y := got[states]; len(y.Shape) != 2 || y.Shape[0] != 0 || y.Shape[1] != 3 {
			t.Errorf("the scanned output has shape %v", y.Shape)
		}
	}
}

// TestLoopRejects: constants that are no number of iterations and no condition are an error, even if the loop would be
// unrolled.
func TestLoopRejects(t *testing.T) {
	none := &graph.Tensor{Type: tir.I64, Shape: []int64{0}}
	for text, trips := range map[string]*graph.Tensor{
		"trips: float32[]: it must be one int64": graph.Scalar(tir.F32, 3),
		"trips: int64[0]: it must be one int64":  none,
	} {
		fails(t, sums(constant("trips", trips), nil), text)
	}
	for text, cond := range map[string]*graph.Tensor{
		"cond: float32[]: it must be one bool": graph.Scalar(tir.F32, 1),
		"cond: bool[0]: it must be one bool":   {Type: tir.Bool, Shape: []int64{0}},
	} {
		g := sums(count(3), nil)
		g.Nodes[0].Inputs[1] = constant("cond", cond)
		fails(t, g, text)
	}
	g := sums(count(3), nil)
	body := g.Nodes[0].Graph("body")
	body.Outputs[0] = constant("made", &graph.Tensor{Type: tir.Bool, Shape: []int64{0}})
	fails(t, g, "made: bool[0]: it must be one bool")
	g = sums(count(3), nil)
	for _, n := range g.Nodes[0].Graph("body").Nodes {
		if n.Op == "Identity" {
			n.Inputs = nil
		}
	}
	fails(t, g, "input 0 is missing")
}

// TestLoopWithoutEnd: the number of iterations of a loop that is not unrolled may be the largest there is, whatever the
// body has.
func TestLoopWithoutEnd(t *testing.T) {
	for nodes := range 3 {
		s, b := newSketch("long"), newSketch("body")
		b.input("i", tir.I64)
		on, a := b.input("on", tir.Bool), b.input("a", tir.F32, 2)
		v := a
		for k := range nodes {
			v = b.apply("Neg", string(rune('b'+k)), v)
		}
		b.output(on, v)
		trips := constant("trips", &graph.Tensor{Type: tir.I64, I: []int64{math.MaxInt64}})
		g := s.output(s.node("Loop", []string{"y"}, []*graph.Value{trips, nil, s.input("x", tir.F32, 2)},
			sub("body", b.g))...)
		if err := op.Infer(t.Context(), g); err != nil || len(g.Nodes) != 1 || g.Nodes[0].Op != "Loop" {
			t.Errorf("%d nodes: %v\n%s", nodes, err, g)
		}
	}
}

// TestIfWithoutAnOutput: a branch that is impossible may have a result that nobody reads.
func TestIfWithoutAnOutput(t *testing.T) {
	s := newSketch("unread")
	cond, x := s.input("cond", tir.Bool), s.input("x", tir.F32, 3)
	branch := func(name string, by *graph.Tensor) *graph.Graph {
		b := newSketch(name)
		k := b.apply("Add", name+".out", x, constant(name+".by", by))
		return b.output(k, k)
	}
	n := &graph.Node{Op: "If", Version: 13, Inputs: []*graph.Value{cond}, Outputs: []*graph.Value{nil, {Name: "y"}}}
	n.SetAttr(sub("then_branch", branch("then", vector(1))), sub("else_branch", branch("else", vector(1, 2))))
	s.g.Nodes = append(s.g.Nodes, n)
	g := s.output(n.Outputs[1])
	if err := op.Infer(t.Context(), g); err != nil || !strings.Contains(g.String(), "Fail(") {
		t.Errorf("%v\n%s", err, g)
	}
	if err := graph.Check(g); err != nil {
		t.Error(err)
	}
}

// TestIfWithoutTheLastOutput: its branches may have a last result that nobody reads, whether its condition is known or
// not.
func TestIfWithoutTheLastOutput(t *testing.T) {
	for _, known := range []bool{false, true} {
		on, x := graph.Scalar(tir.Bool, 1), vector(-1, 2, 3)
		cond, in := constant("on", on), []*graph.Tensor{x}
		if !known {
			cond, in = nil, []*graph.Tensor{on, x}
		}
		g := choice(cond)
		n := g.Nodes[0]
		n.Outputs = append(n.Outputs, nil)
		for _, name := range []string{"then_branch", "else_branch"} {
			b := n.Graph(name)
			b.Outputs = append(b.Outputs, b.Nodes[0].Outputs[0])
		}
		if out, k := agree(t, g, in...); out[0].F[1] != 3 {
			t.Errorf("%v\n%s", out[0].F, k)
		}
	}
}
