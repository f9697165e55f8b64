package nn

import (
	"fmt"
	"hash"
	"hash/fnv"
	"sync/atomic"

	"github.com/chewxy/hm"
	_ "go4.org/unsafe/assume-no-moving-gc" // gorgonia needs this version
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An op is an operation on rows: one value from several, all float32.
type op struct {
	name   string
	id     uint64 // no two operations are the same, whatever their inputs
	inputs []*G.Node
	rows   int // of the output; 0 if it is a scalar
	cols   int
	// forward computes the output, all of which it must write.
	forward func(in [][]float32, out []float32)
	// backward returns, for each input, the operation that computes its derivative
	// from that of the output; nil where there is none.
	backward func(output, grad *G.Node) []*op

	out *tensor.Dense // the output, which every run writes again
}

var ops atomic.Uint64

// apply adds an operation to the graph of its inputs.
func (o *op) apply() (*G.Node, error) {
	o.id = ops.Add(1)
	return G.ApplyOp(o, o.inputs...)
}

// Arity returns the number of inputs.
func (o *op) Arity() int { return len(o.inputs) }

// Type returns the types of the inputs and of the output, all of them concrete:
// gorgonia unifies type variables wrongly where there are several.
func (o *op) Type() hm.Type {
	var list []hm.Type
	for _, n := range o.inputs {
		list = append(list, n.Type())
	}
	if o.rows == 0 {
		return hm.NewFnType(append(list, G.Float32)...)
	}
	return hm.NewFnType(append(list, G.TensorType{Dims: 2, Of: G.Float32})...)
}

// InferShape returns the shape of the output.
func (o *op) InferShape(...G.DimSizer) (tensor.Shape, error) {
	if o.rows == 0 {
		return tensor.ScalarShape(), nil
	}
	return tensor.Shape{o.rows, o.cols}, nil
}

// Do computes the output. It is in memory of the operation, which has one place in
// one graph: the machine would find memory of the same shape too rarely.
func (o *op) Do(inputs ...G.Value) (G.Value, error) {
	in := make([][]float32, len(inputs))
	for i, v := range inputs {
		in[i] = v.Data().([]float32)
	}
	if o.rows == 0 {
		var out [1]float32
		o.forward(in, out[:])
		return G.NewF32(out[0]), nil
	}
	if o.out == nil {
		o.out = tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(o.rows, o.cols))
	}
	o.forward(in, o.out.Data().([]float32))
	return o.out, nil
}

// DiffWRT says by which inputs the operation can be derived.
func (o *op) DiffWRT(inputs int) []bool {
	list := make([]bool, inputs)
	if o.backward == nil {
		return list
	}
	for i, g := range o.backward(nil, nil) {
		list[i] = g != nil
	}
	return list
}

// SymDiff adds the operations of the derivatives to the graph.
func (o *op) SymDiff(inputs G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	var list G.Nodes
	for _, g := range o.backward(output, grad) {
		if g == nil {
			list = append(list, nil)
			continue
		}
		n, err := g.apply()
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// ReturnsPtr says that the output is a pointer to new memory.
func (o *op) ReturnsPtr() bool { return true }

// CallsExtern says that nothing outside Go is called.
func (o *op) CallsExtern() bool { return false }

// OverwritesInput says that no input is overwritten.
func (o *op) OverwritesInput() int { return -1 }

// WriteHash writes what identifies the operation.
func (o *op) WriteHash(h hash.Hash) { fmt.Fprintf(h, "%s %d", o.name, o.id) }

// Hashcode returns a hash of what identifies the operation.
func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

func (o *op) String() string { return fmt.Sprintf("%s#%d", o.name, o.id) }
