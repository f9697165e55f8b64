package sequence

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// A scan is what a Scan consists of.
type scan struct {
	body            *graph.Graph
	states          int // of the inputs, after first
	first           int // 1 if version 8 has lengths of sequences as input 0
	inputs, outputs []scanned
}

// A scanned input or output is read or made along an axis, from its end if backwards is set.
type scanned struct {
	axis      int
	backwards bool
}

// scanOf returns the parts of a Scan. Of version 8, axes do not count the one of the batch.
func scanOf(n *graph.Node) (scan, error) {
	s := scan{body: n.Graph("body")}
	if n.Version < 9 {
		s.first = 1
	}
	m := int(n.Int("num_scan_inputs", 0))
	s.states = len(n.Inputs) - m - s.first
	if s.body == nil || m < 1 || s.states < 0 || len(s.body.Inputs) != s.states+m || len(s.body.Outputs) < s.states ||
		len(n.Outputs) > len(s.body.Outputs) {
		return s, fmt.Errorf("its body does not fit %d inputs, of which %d are scanned, and %d outputs", len(n.Inputs), m,
			len(n.Outputs))
	}
	var err error
	flag := func(name string, i int) int64 {
		if list := n.Ints(name); i < len(list) {
			return list[i]
		}
		return 0
	}
	directions := "scan_input_directions"
	if s.first == 1 {
		directions = "directions"
	}
	for i := range m {
		a := 0
		if n.Inputs[s.first+s.states+i] == nil {
			return s, fmt.Errorf("input %d is missing", s.first+s.states+i)
		}
		if s.first == 0 {
			if a, err = array.Axis(flag("scan_input_axes", i), len(n.Inputs[s.states+i].Shape)); err != nil {
				return s, err
			}
		}
		s.inputs = append(s.inputs, scanned{a, flag(directions, i) != 0})
	}
	for i := range len(s.body.Outputs) - s.states {
		s.outputs = append(s.outputs, scanned{int(flag("scan_output_axes", i)), flag("scan_output_directions", i) != 0})
	}
	return s, nil
}

// shapes returns the number of iterations, the size of the batch (1 without), and the shape of an element of each
// input, states first.
func (s scan) shapes(inputs [][]int64) (trips, batch int64, elems [][]int64, err error) {
	trips, batch = -1, 1
	for i, shape := range inputs {
		if s.first == 1 {
			if len(shape) == 0 || i > 0 && shape[0] != batch {
				return 0, 0, nil, fmt.Errorf("inputs of shapes %v have no batch in common", inputs)
			}
			batch, shape = shape[0], shape[1:]
		}
		if i >= s.states {
			at := s.inputs[i-s.states].axis
			if at >= len(shape) || trips >= 0 && shape[at] != trips {
				return 0, 0, nil, fmt.Errorf("scanned inputs of shapes %v are not of one length", inputs[s.states:])
			}
			trips, shape = shape[at], slices.Delete(slices.Clone(shape), at, at+1)
		}
		elems = append(elems, shape)
	}
	return trips, batch, elems, nil
}

func (s scan) shapesOf(n *graph.Node) (trips, batch int64, elems [][]int64, err error) {
	var shapes [][]int64
	for i, v := range n.Inputs[s.first:] {
		if v == nil {
			return 0, 0, nil, fmt.Errorf("input %d is missing", s.first+i)
		}
		shapes = append(shapes, v.Shape)
	}
	return s.shapes(shapes)
}

func enterScan(n *graph.Node) error {
	s, err := scanOf(n)
	if err != nil {
		return err
	}
	_, _, elems, err := s.shapesOf(n)
	if err != nil {
		return err
	}
	for i, v := range s.body.Inputs {
		v.Type, v.Shape, v.Ranked, v.DimNames = n.Inputs[s.first+i].Type, elems[i], true, nil
	}
	return nil
}

func inferScan(s scan, n *graph.Node) ([]op.Type, error) {
	trips, batch, _, err := s.shapesOf(n)
	if err != nil {
		return nil, err
	}
	var types []op.Type
	for i, v := range s.body.Outputs {
		shape := v.Shape
		if v.Extents != nil {
			return nil, op.Unsupported("%s in its body has extents that depend on data: that", v)
		}
		if i < s.states {
			if in := s.body.Inputs[i]; in.Type != v.Type || !slices.Equal(in.Shape, v.Shape) {
				return nil, &op.ChangingError{In: in, Out: v}
			}
		} else {
			at, err := array.Axis(int64(s.outputs[i-s.states].axis), len(shape)+1)
			if err != nil {
				return nil, err
			}
			shape = slices.Insert(slices.Clone(shape), at, trips)
		}
		if s.first == 1 {
			shape = slices.Concat([]int64{batch}, shape)
		}
		types = append(types, op.Type{DType: v.Type, Shape: shape})
	}
	return types, nil
}

func evalScan(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	k := *n // axes that count from the end need shapes
	k.Inputs = make([]*graph.Value, len(in))
	var shapes [][]int64
	for i, t := range in {
		if t != nil {
			k.Inputs[i] = &graph.Value{Type: t.Type, Shape: t.Shape, Ranked: true}
		}
		if t == nil && (i > 0 || n.Version >= 9) {
			return nil, fmt.Errorf("input %d is missing", i)
		}
	}
	s, err := scanOf(&k)
	if err != nil {
		return nil, err
	}
	for _, t := range in[s.first:] {
		shapes = append(shapes, t.Shape)
	}
	trips, batch, _, err := s.shapes(shapes)
	if err != nil {
		return nil, err
	}
	if s.first == 0 {
		return s.run(c, in, trips, trips)
	}
	results := make([][]*graph.Tensor, len(s.body.Outputs))
	for b := range batch {
		var args []*graph.Tensor
		for _, t := range in[1:] {
			args = append(args, element(t, 0, b))
		}
		count := trips
		if in[0] != nil {
			count = in[0].I[b]
		}
		out, err := s.run(c, args, count, trips)
		if err != nil {
			return nil, err
		}
		for i, t := range out {
			results[i] = append(results[i], t)
		}
	}
	out := make([]*graph.Tensor, len(results))
	for i, list := range results {
		if out[i], err = stacked(list, s.body.Outputs[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// element returns what t has at index i of an axis.
func element(t *graph.Tensor, axis int, i int64) *graph.Tensor {
	stride := array.Strides(t.Shape)
	return array.View(t, slices.Delete(slices.Clone(t.Shape), axis, axis+1), i*stride[axis],
		slices.Delete(slices.Clone(stride), axis, axis+1))
}

// run runs the body count times; scan outputs have room for trips elements.
func (s scan) run(c *graph.Call, in []*graph.Tensor, count, trips int64) ([]*graph.Tensor, error) {
	if count < 0 || count > trips {
		return nil, fmt.Errorf("%d elements of a sequence of %d", count, trips)
	}
	state := slices.Clone(in[:s.states])
	elems := make([][]*graph.Tensor, len(s.outputs))
	for t := range count {
		args := slices.Clone(state)
		for i, x := range s.inputs {
			at := t
			if x.backwards {
				at = trips - 1 - t
			}
			args = append(args, element(in[s.states+i], x.axis, at))
		}
		out, err := c.Run(s.body, args)
		if err != nil {
			return nil, fmt.Errorf("iteration %d: %w", t, err)
		}
		state = out[:s.states]
		for i := range elems {
			elems[i] = append(elems[i], out[s.states+i])
		}
	}
	results := slices.Clone(state)
	if count == 0 { // what an iteration makes of zeros has the shapes of nothing
		args := slices.Clone(state)
		for i, x := range s.inputs {
			t := in[s.states+i]
			args = append(args, array.Like(t, slices.Delete(slices.Clone(t.Shape), x.axis, x.axis+1)))
		}
		out, err := c.Run(s.body, args)
		if err != nil {
			return nil, fmt.Errorf("its body, of zeros: %w", err)
		}
		for i := range elems {
			v := out[s.states+i]
			elems[i] = []*graph.Tensor{array.Like(v, v.Shape)}
		}
	}
	for i, list := range elems {
		for int64(len(list)) < trips {
			list = append(list, array.Like(list[0], list[0].Shape))
		}
		if s.outputs[i].backwards {
			slices.Reverse(list)
		}
		t, err := stacked(list, s.body.Outputs[s.states+i])
		if err != nil {
			return nil, err
		}
		if trips == 0 {
			t = array.Like(list[0], slices.Concat([]int64{0}, list[0].Shape))
		}
		at, err := array.Axis(int64(s.outputs[i].axis), len(t.Shape))
		if err != nil {
			return nil, err
		}
		// Dimension 0 goes to its place.
		shape, stride := slices.Clone(t.Shape[1:]), array.Strides(t.Shape)
		shape, stride = slices.Insert(shape, at, t.Shape[0]), slices.Insert(stride[1:], at, stride[0])
		results = append(results, array.View(t, shape, 0, stride))
	}
	return results, nil
}

// decomposeScan makes a Loop that reads the elements with the number of the iteration.
func decomposeScan(d *op.Decomposer) error {
	s, err := scanOf(d.Node)
	if err != nil {
		return err
	}
	trips, batch, _, err := s.shapesOf(d.Node)
	if err != nil {
		return err
	}
	if s.first == 1 {
		return scanBatches(d, s, batch)
	}
	if trips == 0 { // the body has no elements to read
		scanNothing(d, s)
		return nil
	}
	c := op.NewCopier(op.SameName)
	i := &graph.Value{Name: d.Name("i"), Ranked: true}
	on := &graph.Value{Name: d.Name("on"), Ranked: true}
	body := &graph.Graph{Name: s.body.Name, Inputs: []*graph.Value{i, on}}
	for _, v := range s.body.Inputs[:s.states] {
		body.Inputs = append(body.Inputs, c.Define(v))
	}
	add := func(op string, inputs ...*graph.Value) *graph.Node {
		k := &graph.Node{Name: d.Node.Name, Op: op, Version: 13, Inputs: inputs, Outputs: []*graph.Value{{Name: d.Name(op)}}}
		body.Nodes = append(body.Nodes, k)
		return k
	}
	for j, x := range s.inputs {
		at := i
		if x.backwards {
			at = add("Sub", d.Const(scalarInt(trips-1)), i).Outputs[0]
		}
		k := add("Gather", d.Input(s.states+j), at)
		k.Domain = "wmtune"
		k.SetAttr(graph.IntAttr("axis", int64(x.axis)))
		c.To[s.body.Inputs[s.states+j]] = k.Outputs[0]
	}
	rest := c.Graph(&graph.Graph{Nodes: s.body.Nodes, Outputs: s.body.Outputs})
	body.Nodes = append(body.Nodes, rest.Nodes...)
	yes := graph.Scalar(tir.Bool, 1)
	body.Outputs = append([]*graph.Value{d.Const(yes)}, rest.Outputs...)

	inputs := append([]*graph.Value{d.Const(scalarInt(trips)), nil}, d.Node.Inputs[:s.states]...)
	out := slices.Clone(d.ApplyAt(13, "Loop", len(s.body.Outputs), inputs,
		graph.Attr{Name: "body", Kind: graph.AttrGraph, Graphs: []*graph.Graph{body}}))
	for j, y := range s.outputs {
		v := out[s.states+j]
		if y.backwards && trips > 1 {
			back := array.UpTo(trips)
			slices.Reverse(back)
			v = d.Apply("wmtune.Gather", []*graph.Value{v, d.Const(graph.Ints(back...))})
		}
		at, err := array.Axis(int64(y.axis), len(v.Shape))
		if err != nil {
			return err
		}
		if at > 0 {
			perm := slices.Insert(array.UpTo(int64(len(v.Shape)))[1:], at, 0)
			v = d.Apply("Transpose", []*graph.Value{v}, graph.IntsAttr("perm", perm...))
		}
		out[s.states+j] = v
	}
	d.Output(out...)
	return nil
}

// scanNothing passes states on; what is scanned has no elements.
func scanNothing(d *op.Decomposer, s scan) {
	var out []*graph.Value
	for i, v := range d.Node.Outputs {
		switch {
		case i < s.states:
			out = append(out, d.Apply("Identity", []*graph.Value{d.Input(i)}))
		case v == nil:
			out = append(out, nil)
		default:
			out = append(out, d.Const(graph.NewTensor(v.Type, v.Shape...)))
		}
	}
	d.Output(out...)
}

func scalarInt(v int64) *graph.Tensor { return graph.Scalar(tir.I64, float64(v)) }

// maxBatch is how many Scans stand for one of version 8 at most.
const maxBatch = 64

// scanBatches makes a Scan of version 9 for each element of the batch of a Scan of version 8.
func scanBatches(d *op.Decomposer, s scan, batch int64) error {
	if d.Input(0) != nil {
		return op.Unsupported("Scan with lengths of sequences")
	}
	if batch > maxBatch {
		return op.Unsupported("Scan of a batch of %d", batch)
	}
	parts := make([][]*graph.Value, len(s.body.Outputs))
	for b := range batch {
		var inputs []*graph.Value
		for _, v := range d.Node.Inputs[1:] {
			inputs = append(inputs, d.Apply("wmtune.Gather", []*graph.Value{v, d.Const(scalarInt(b))}))
		}
		c := op.NewCopier(func(name string) string { return fmt.Sprintf("%s.%d", name, b) })
		attrs := []graph.Attr{graph.IntAttr("num_scan_inputs", int64(len(s.inputs))),
			{Name: "body", Kind: graph.AttrGraph, Graphs: []*graph.Graph{c.Graph(s.body)}}}
		if l := d.Node.Ints("directions"); l != nil {
			attrs = append(attrs, graph.IntsAttr("scan_input_directions", l...))
		}
		for i, v := range d.ApplyAt(9, "Scan", len(s.body.Outputs), inputs, attrs...) {
			parts[i] = append(parts[i], d.ApplyAt(9, "Unsqueeze", 1, []*graph.Value{v}, graph.IntsAttr("axes", 0))[0])
		}
	}
	var out []*graph.Value
	for _, list := range parts {
		out = append(out, d.ApplyAt(9, "Concat", 1, list, graph.IntAttr("axis", 0))[0])
	}
	d.Output(out...)
	return nil
}
