package table

import (
	"errors"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
)

// ErrRunTime is what a function of its own finds wrong with the numbers that it gets.
var ErrRunTime = errors.New("run-time error")

// Programs runs nodes one by one as the programs that their rows make, with the interpreters of tir/interp.
type Programs struct {
	Memory map[*graph.Value]*graph.Const // of values that were computed; the shape is the true one
	Alone  bool                          // nodes have the functions of those that stand alone
}

// Contents returns what a value holds.
func (p *Programs) Contents(v *graph.Value) (*graph.Const, error) {
	if v.Const != nil {
		return v.Const, nil
	}
	if c := p.Memory[v]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("value %s is read before it is computed", v.Name)
}

// argument returns the memory of a value, which is as large as its bound.
func (p *Programs) argument(v *graph.Value) (*interp.Tensor, error) {
	c, err := p.Contents(v)
	if err != nil {
		return nil, err
	}
	data := make([]byte, v.Bytes())
	copy(data, c.Data)
	return &interp.Tensor{Type: v.Type, Data: data}, nil
}

// keep stores a result whose extents are known.
func (p *Programs) keep(v *graph.Value, t *interp.Tensor, shape []int64) error {
	n := graph.Elems(shape) * int64(v.Type.Bytes())
	if n < 0 || n > int64(len(t.Data)) {
		return fmt.Errorf("output %s: extents %v, of %v at most", v.Name, shape, v.Shape)
	}
	p.Memory[v] = &graph.Const{Type: v.Type, Shape: shape, Data: t.Data[:n]}
	return nil
}

// Run computes the outputs of a node.
func (p *Programs) Run(n *graph.Node) error {
	r, err := op.Find(n)
	if err != nil {
		return err
	}
	if empty(n) {
		return p.runEmpty(n)
	}
	switch form := r.Form(n); {
	case p.Alone && standsAlone(n):
		return p.runOpaque(r.Opaque, n)
	case form == op.FormOpaque:
		return p.runOpaque(r.Opaque, n)
	case form == op.FormDecompose:
		return p.runDecomposed(n)
	case form == op.FormControl:
		return p.runControl(n)
	}
	if r.Body == nil && r.Has(op.Alias) { // the bytes stay where they are
		x, err := p.argument(n.Inputs[0])
		if err != nil {
			return err
		}
		return p.keep(n.Outputs[0], x, n.Outputs[0].Shape)
	}
	if r.Body == nil {
		return op.Unsupported("no program: its row")
	}
	return p.runBody(r, n)
}

// standsAlone reports whether a node has another program if it shares its kernel with no other.
func standsAlone(n *graph.Node) bool {
	r, err := op.Find(n)
	return err == nil && r.Alone(n) != nil && !empty(n)
}

// empty reports whether a result has no elements: there is nothing to compute then.
func empty(n *graph.Node) bool {
	some := false
	for _, v := range n.Outputs {
		if v != nil && v.Elems() > 0 || v != nil && v.Extents != nil {
			return false
		}
		some = some || v != nil
	}
	return some
}

func (p *Programs) runEmpty(n *graph.Node) error {
	for _, v := range n.Outputs {
		if v != nil {
			p.Memory[v] = &graph.Const{Type: v.Type, Shape: v.Shape}
		}
	}
	return nil
}

// runBody runs the DAG of a node alone: every value that it reads is a placeholder.
func (p *Programs) runBody(r *op.Row, n *graph.Node) error {
	b := &op.Body{Builder: compute.NewBuilder(), Node: n}
	placeholders := map[*graph.Value]compute.Tensor{}
	var args []*interp.Tensor
	var argErr error
	b.Tensor = func(v *graph.Value) compute.Tensor {
		x, ok := placeholders[v]
		if !ok {
			x = b.Placeholder(fmt.Sprintf("in%d", len(args)), v.Type, v.Shape...)
			placeholders[v] = x
			arg, err := p.argument(v)
			if err != nil {
				argErr = err
			}
			args = append(args, arg)
		}
		return x
	}
	names := 0
	b.Unique = func(name string) string { names++; return fmt.Sprintf("%s.%d", name, names) }
	if err := r.Body(b); err != nil {
		return err
	}
	if argErr != nil {
		return argErr
	}
	if len(b.Outputs()) < len(n.Outputs) {
		return fmt.Errorf("BUG: the body has %d outputs, the node %d", len(b.Outputs()), len(n.Outputs))
	}
	var results []compute.Tensor
	var values []*graph.Value
	for i, v := range n.Outputs {
		if v != nil {
			results, values = append(results, b.Outputs()[i]), append(values, v)
		}
	}
	dag, err := b.Build(results...)
	if err != nil {
		return err
	}
	for i, v := range values {
		x := results[i]
		if x.Type != v.Type || !slices.Equal(x.Shape, v.Shape) {
			return fmt.Errorf("BUG: the body makes %s%v for output %s", x.Type, x.Shape, v)
		}
		args = append(args, interp.NewTensor(x.Buffer))
	}
	if err := interp.RunDAG(dag, args); err != nil {
		return err
	}
	for i, v := range values {
		if err := p.keep(v, args[len(args)-len(values)+i], v.Shape); err != nil {
			return err
		}
	}
	return nil
}

// runOpaque runs a function that was written by hand. Its parameters are the inputs that are there, the outputs that
// are there, a vector of extents for each output that has Extents, and, if it may fail, "error", an int32[1] that is
// not 0 then.
func (p *Programs) runOpaque(by *op.Function, n *graph.Node) error {
	f, err := by.Make(n)
	if err != nil {
		return err
	}
	if err := tir.Check(f); err != nil {
		return fmt.Errorf("BUG: the function is not well formed: %w", err)
	}
	if err := tir.CheckLoops(f); err != nil {
		return fmt.Errorf("BUG: the function's loops are not what they say: %w", err)
	}
	var args []*interp.Tensor
	for _, v := range n.Inputs {
		if v == nil {
			continue
		}
		arg, err := p.argument(v)
		if err != nil {
			return err
		}
		if v.Elems() == 0 { // see flat
			arg.Data = make([]byte, f.Params[len(args)].Bytes())
		}
		if pack := f.Pack(len(args)); pack != nil {
			packed := interp.NewTensor(pack.Params[1])
			if err := interp.Run(pack, []*interp.Tensor{arg, packed}, interp.Options{Shuffle: true, Seed: 2}); err != nil {
				return err
			}
			arg = packed
		}
		args = append(args, arg)
	}
	results, extents := map[*graph.Value]*interp.Tensor{}, map[*graph.Value]*interp.Tensor{}
	output := func(v *graph.Value) *interp.Tensor {
		t := &interp.Tensor{Type: v.Type, Data: make([]byte, f.Params[len(args)].Bytes())}
		args = append(args, t)
		return t
	}
	for _, v := range n.Outputs {
		if v != nil {
			results[v] = output(v)
		}
	}
	for _, v := range n.Outputs {
		if v != nil && v.Extents != nil {
			extents[v] = output(v.Extents)
		}
	}
	var failed *interp.Tensor
	if len(f.Params) == len(args)+1 && f.Params[len(args)].Name == "error" {
		failed = &interp.Tensor{Type: tir.I32, Data: make([]byte, 4)}
		args = append(args, failed)
	}
	options := interp.Options{Shuffle: true, Seed: 1, Races: true}
	part := interp.Part{Holes: len(extents) > 0} // elements outside of the extents need not be written
	if err := interp.RunPart(f, args, options, part); err != nil {
		return err
	}
	if failed != nil && failed.Int(0) != 0 {
		return fmt.Errorf("the function found %w %d", ErrRunTime, failed.Int(0))
	}
	for v, t := range results {
		shape := v.Shape
		if e := extents[v]; e != nil {
			shape = make([]int64, len(v.Shape))
			for i := range shape {
				if shape[i] = e.Int(i); shape[i] < 0 || shape[i] > v.Shape[i] {
					return fmt.Errorf("output %s: extent %d is %d, of %v at most", v.Name, i, shape[i], v.Shape)
				}
			}
			p.Memory[v.Extents] = &graph.Const{Type: tir.I64, Shape: v.Extents.Shape, Data: e.Data}
		}
		if err := p.keep(v, t, shape); err != nil {
			return err
		}
	}
	return nil
}

// runDecomposed runs the nodes that stand for one.
func (p *Programs) runDecomposed(n *graph.Node) error {
	nodes, outputs, err := op.Decompose(n)
	if err != nil {
		return err
	}
	for _, k := range nodes {
		if err := p.Run(k); err != nil {
			return fmt.Errorf("%s: %w", k.Label(), err)
		}
	}
	for i, v := range n.Outputs {
		if v == nil {
			continue
		}
		w := outputs[i]
		if w == nil || w.Type != v.Type || !slices.Equal(w.Shape, v.Shape) {
			return fmt.Errorf("BUG: it decomposes into %s for output %s", w, v)
		}
		c, err := p.Contents(w)
		if err != nil {
			return err
		}
		p.Memory[v] = c
		if v.Extents != nil {
			p.Memory[v.Extents] = graph.Ints(c.Shape...).Const()
		}
	}
	return nil
}
