package sequence

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// decomposeLoop makes a wmtune.Loop, whose scan outputs are values that it carries, with room for all iterations:
//
//	y, s = Loop(trip, cond, x): on, a, e = body(i, on, b)
//	=>
//	y, t = wmtune.Loop(trip, cond, x, _): on, a, v = body(i, on, b, u), where v = wmtune.Insert(u, i, e)
//	s = t, or wmtune.Packed(t, number of iterations)
func decomposeLoop(d *op.Decomposer) error {
	l, err := op.LoopOf(d.Node)
	if err != nil {
		return err
	}
	body := op.CopyGraph(l.Body)
	trip, on := d.Input(0), d.Input(1)
	if l.Endless() {
		on = nil
	} else if on == nil {
		on = d.Const(op.Counter(body.Inputs[1], tir.Bool, 1))
	}
	inputs := append([]*graph.Value{trip, on}, l.Initial...)
	i := body.Inputs[0]
	counted := false
	for k := range l.Scans {
		out := d.Node.Output(l.Carried + k)
		elem := body.Outputs[1+l.Carried+k]
		if out == nil {
			continue
		}
		room := &graph.Value{Name: d.Name("scan"), Type: elem.Type, Shape: slices.Clone(out.Shape), Ranked: true}
		node := &graph.Node{Name: d.Node.Name, Op: "Insert", Domain: "wmtune", Version: d.Node.Version,
			Inputs: []*graph.Value{room, i, elem}, Outputs: []*graph.Value{{Name: d.Name("scan")}}}
		body.Nodes = append(body.Nodes, node)
		body.Inputs, inputs = append(body.Inputs, room), append(inputs, nil)
		body.Outputs[1+l.Carried+k] = node.Outputs[0]
		counted = counted || out.Extents != nil
	}
	// Scan outputs that nobody reads are gone.
	outputs := body.Outputs[:1+l.Carried]
	for k, v := range body.Outputs[1+l.Carried:] {
		if d.Node.Output(l.Carried+k) != nil {
			outputs = append(outputs, v)
		}
	}
	body.Outputs = outputs
	if counted {
		count := &graph.Value{Name: d.Name("count"), Type: tir.I64, Shape: slices.Clone(i.Shape), Ranked: true}
		one := d.Const(op.Counter(i, tir.I64, 1))
		node := &graph.Node{Name: d.Node.Name, Op: "Add", Version: max(d.Node.Version, 7), Inputs: []*graph.Value{i, one},
			Outputs: []*graph.Value{{Name: d.Name("count")}}}
		body.Nodes = append(body.Nodes, node)
		body.Inputs, body.Outputs = append(body.Inputs, count), append(body.Outputs, node.Outputs[0])
		inputs = append(inputs, d.Const(op.Counter(i, tir.I64, 0)))
	}
	made := d.ApplyN("wmtune.Loop", len(body.Outputs)-1, inputs,
		graph.Attr{Name: "body", Kind: graph.AttrGraph, Graphs: []*graph.Graph{body}})
	results := slices.Clone(made[:l.Carried])
	at := l.Carried
	for k := range l.Scans {
		out := d.Node.Output(l.Carried + k)
		if out == nil {
			results = append(results, nil)
			continue
		}
		v := made[at]
		at++
		if out.Extents != nil {
			v = d.Apply("wmtune.Packed", []*graph.Value{v, made[len(made)-1]})
		}
		results = append(results, v)
	}
	d.Output(results[:len(d.Node.Outputs)]...)
	return nil
}

// inferInsert: the result is input 0, but for the elements at index input 1 of the first dimension, which are input 2.
func inferInsert(n *graph.Node) ([]op.Type, error) {
	return op.InferSame(n)
}

func evalInsert(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	i, err := array.InRange(in[1].I[0], in[0].Shape[0])
	if err != nil {
		return nil, err
	}
	r, size := array.Like(in[0], in[0].Shape), int64(in[2].Len())
	for j := range int64(r.Len()) {
		array.Put(r, j, in[0], j)
	}
	for j := range size {
		array.Put(r, i*size+j, in[2], j)
	}
	return []*graph.Tensor{r}, nil
}

func opaqueInsert(n *graph.Node) (*tir.Func, error) {
	old := Flat("old", n.Inputs[0])
	f, err := updateInsert(n)
	if err != nil {
		return nil, err
	}
	out := f.Params[2]
	copying := Nest(old.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt { return Store(out, Load(old, at...), at...) })
	return NewFunc("insert", 2, Seq(copying, f.Body), append([]*tir.Buffer{old}, f.Params...)...), nil
}

// updateInsert writes the new elements. An index that is out of range sets error.
func updateInsert(n *graph.Node) (*tir.Func, error) {
	index, elem, out := Flat("index", n.Inputs[1]), Flat("elem", n.Inputs[2]), Flat("out", n.Outputs[0])
	fault := ErrorFlag()
	size, rows := n.Inputs[2].Elems(), n.Outputs[0].Shape[0]
	i := Load(index, tir.Int(0))
	body := &tir.If{Cond: And(Ge(i, tir.Int(0)), Lt(i, tir.Int(rows))),
		Then: Seq(Store(fault, Num32(0), tir.Int(0)), Nest([]int64{size}, tir.Serial, func(at []tir.Expr) tir.Stmt {
			return Store(out, Load(elem, at...), Add(Times(i, size), at[0]))
		})),
		Else: Store(fault, Num32(1), tir.Int(0))}
	return NewFunc("insert", 2, body, index, elem, out, fault), nil
}

// inferPacked: the result is the first part of input 0, as many of the first dimension as input 1 says.
func inferPacked(n *graph.Node) ([]op.Type, error) {
	t, err := op.InferSame(n)
	for i := range t {
		t[i].Bounded = true
	}
	return t, err
}

func evalPacked(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	k := max(0, min(in[1].I[0], in[0].Shape[0]))
	shape := slices.Clone(in[0].Shape)
	shape[0] = k
	return []*graph.Tensor{array.View(in[0], shape, 0, array.Strides(in[0].Shape))}, nil
}

func opaquePacked(n *graph.Node) (*tir.Func, error) {
	x, count := Flat("x", n.Inputs[0]), Flat("count", n.Inputs[1])
	out := Flat("out", n.Outputs[0])
	shape := n.Outputs[0].Shape
	extents := ExtentsOf(n.Outputs[0])
	k := MaxOf(MinOf(Load(count, tir.Int(0)), tir.Int(shape[0])), tir.Int(0))
	i := tir.NewVar("i")
	stmts := []tir.Stmt{&tir.For{Var: i, Extent: Times(k, graph.Elems(shape[1:])), Body: Store(out, Load(x, i), i)}}
	for d, e := range shape {
		v := tir.Expr(tir.Int(e))
		if d == 0 {
			v = k
		}
		stmts = append(stmts, Store(extents, v, tir.Int(int64(d))))
	}
	return NewFunc("packed", 2, Seq(stmts...), x, count, out, extents), nil
}
