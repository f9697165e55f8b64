package op

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// decomposeLoop makes a wmtune.Loop, whose scan outputs are values that it carries, with room for all iterations:
//
//	y, s = Loop(trip, cond, x): on, a, e = body(i, on, b)
//	=>
//	y, t = wmtune.Loop(trip, cond, x, _): on, a, v = body(i, on, b, u), where v = wmtune.Insert(u, i, e)
//	s = t, or wmtune.Packed(t, number of iterations)
func decomposeLoop(d *Decomposer) error {
	l, err := loopOf(d.Node)
	if err != nil {
		return err
	}
	body := copyGraph(l.body)
	trip, on := d.Input(0), d.Input(1)
	if l.endless() {
		on = nil
	} else if on == nil {
		on = d.Const(counter(body.Inputs[1], tir.Bool, 1))
	}
	inputs := append([]*graph.Value{trip, on}, l.initial...)
	i := body.Inputs[0]
	counted := false
	for k := range l.scans {
		out := d.Node.Output(l.carried + k)
		elem := body.Outputs[1+l.carried+k]
		if out == nil {
			continue
		}
		room := &graph.Value{Name: d.name("scan"), Type: elem.Type, Shape: slices.Clone(out.Shape), Ranked: true}
		node := &graph.Node{Name: d.Node.Name, Op: "Insert", Domain: "wmtune", Version: d.Node.Version,
			Inputs: []*graph.Value{room, i, elem}, Outputs: []*graph.Value{{Name: d.name("scan")}}}
		body.Nodes = append(body.Nodes, node)
		body.Inputs, inputs = append(body.Inputs, room), append(inputs, nil)
		body.Outputs[1+l.carried+k] = node.Outputs[0]
		counted = counted || out.Extents != nil
	}
	// Scan outputs that nobody reads are gone.
	outputs := body.Outputs[:1+l.carried]
	for k, v := range body.Outputs[1+l.carried:] {
		if d.Node.Output(l.carried+k) != nil {
			outputs = append(outputs, v)
		}
	}
	body.Outputs = outputs
	if counted {
		count := &graph.Value{Name: d.name("count"), Type: tir.I64, Shape: slices.Clone(i.Shape), Ranked: true}
		one := d.Const(counter(i, tir.I64, 1))
		node := &graph.Node{Name: d.Node.Name, Op: "Add", Version: max(d.Node.Version, 7), Inputs: []*graph.Value{i, one},
			Outputs: []*graph.Value{{Name: d.name("count")}}}
		body.Nodes = append(body.Nodes, node)
		body.Inputs, body.Outputs = append(body.Inputs, count), append(body.Outputs, node.Outputs[0])
		inputs = append(inputs, d.Const(counter(i, tir.I64, 0)))
	}
	made := d.ApplyN("wmtune.Loop", len(body.Outputs)-1, inputs,
		graph.Attr{Name: "body", Kind: graph.AttrGraph, Graphs: []*graph.Graph{body}})
	results := slices.Clone(made[:l.carried])
	at := l.carried
	for k := range l.scans {
		out := d.Node.Output(l.carried + k)
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
func inferInsert(n *graph.Node) ([]Type, error) {
	return inferSame(n)
}

func evalInsert(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	i, err := inRange(in[1].I[0], in[0].Shape[0])
	if err != nil {
		return nil, err
	}
	r, size := like(in[0], in[0].Shape), int64(in[2].Len())
	for j := range int64(r.Len()) {
		put(r, j, in[0], j)
	}
	for j := range size {
		put(r, i*size+j, in[2], j)
	}
	return []*graph.Tensor{r}, nil
}

func opaqueInsert(n *graph.Node) (*tir.Func, error) {
	old := flat("old", n.Inputs[0])
	f, err := updateInsert(n)
	if err != nil {
		return nil, err
	}
	out := f.Params[2]
	copying := nest(old.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt { return store(out, load(old, at...), at...) })
	return function("insert", 2, seq(copying, f.Body), append([]*tir.Buffer{old}, f.Params...)...), nil
}

// updateInsert writes the new elements. An index that is out of range sets error.
func updateInsert(n *graph.Node) (*tir.Func, error) {
	index, elem, out := flat("index", n.Inputs[1]), flat("elem", n.Inputs[2]), flat("out", n.Outputs[0])
	fault := errorFlag()
	size, rows := n.Inputs[2].Elems(), n.Outputs[0].Shape[0]
	i := load(index, tir.Int(0))
	body := &tir.If{Cond: and(ge(i, tir.Int(0)), lt(i, tir.Int(rows))),
		Then: seq(store(fault, num32(0), tir.Int(0)), nest([]int64{size}, tir.Serial, func(at []tir.Expr) tir.Stmt {
			return store(out, load(elem, at...), add(times(i, size), at[0]))
		})),
		Else: store(fault, num32(1), tir.Int(0))}
	return function("insert", 2, body, index, elem, out, fault), nil
}

// inferPacked: the result is the first part of input 0, as many of the first dimension as input 1 says.
func inferPacked(n *graph.Node) ([]Type, error) {
	t, err := inferSame(n)
	for i := range t {
		t[i].Bounded = true
	}
	return t, err
}

func evalPacked(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	k := max(0, min(in[1].I[0], in[0].Shape[0]))
	shape := slices.Clone(in[0].Shape)
	shape[0] = k
	return []*graph.Tensor{view(in[0], shape, 0, strides(in[0].Shape))}, nil
}

func opaquePacked(n *graph.Node) (*tir.Func, error) {
	x, count := flat("x", n.Inputs[0]), flat("count", n.Inputs[1])
	out := flat("out", n.Outputs[0])
	shape := n.Outputs[0].Shape
	extents := extentsOf(n.Outputs[0])
	k := maxOf(minOf(load(count, tir.Int(0)), tir.Int(shape[0])), tir.Int(0))
	i := tir.NewVar("i")
	stmts := []tir.Stmt{&tir.For{Var: i, Extent: times(k, graph.Elems(shape[1:])), Body: store(out, load(x, i), i)}}
	for d, e := range shape {
		v := tir.Expr(tir.Int(e))
		if d == 0 {
			v = k
		}
		stmts = append(stmts, store(extents, v, tir.Int(int64(d))))
	}
	return function("packed", 2, seq(stmts...), x, count, out, extents), nil
}

// extentsOf returns the parameter for the extents of a value that depend on data.
func extentsOf(v *graph.Value) *tir.Buffer {
	return &tir.Buffer{Name: "extents", Type: tir.I64, Shape: []int64{int64(len(v.Shape))}}
}
