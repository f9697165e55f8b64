// Package microsoft has the operators of ONNX Runtime's own domain, com.microsoft. Its optimizer and its quantizer
// write them into files (ContribOperators.md in its repository). They become ONNX's operators, so that passes join and
// the search tunes what they are made of; only Inverse is a function by hand, beside Det (reduce). The references
// follow the documented definitions: sums written out, or the references of ONNX's operators where the definition names
// these.
package microsoft

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
)

// domain is the prefix of the names of these operators.
const domain = "com.microsoft."

// row returns the row of an operator that becomes others.
func row(name, in string, decompose func(d *op.Decomposer) error, eval func(r *reference) []*graph.Tensor) op.Row {
	return op.Row{Op: name, Since: 1, In: in, Infer: op.InferDecomposed(decompose), Eval: evaluated(eval),
		Decompose: decompose}
}

// renamed returns the row of an operator that is one of ONNX's, with the same inputs and attributes.
func renamed(name, in, onnx string) op.Row {
	return row(name, in, func(d *op.Decomposer) error {
		d.Output(d.ApplyN(onnx, len(d.Node.Outputs), d.Node.Inputs, d.Node.Attrs...)...)
		return nil
	}, func(r *reference) []*graph.Tensor { return r.do(onnx, r.in, r.Attrs...) })
}

// A reference computes with the references of other rows. A mistake in a node that it makes ends it.
type reference struct {
	call *graph.Call
	*graph.Node
	in []*graph.Tensor
}

// referenceError is what ends a reference.
type referenceError struct{ err error }

// evaluated is Eval of a reference.
func evaluated(f func(r *reference) []*graph.Tensor) graph.EvalFunc {
	return func(call *graph.Call, n *graph.Node, in []*graph.Tensor) (out []*graph.Tensor, err error) {
		defer func() {
			switch p := recover().(type) {
			case nil:
			case referenceError:
				err = p.err
			default:
				panic(p)
			}
		}()
		return f(&reference{call, n, in}), nil
	}
}

// input returns an input, or nil.
func (r *reference) input(i int) *graph.Tensor { return array.Argument(r.in, i) }

// do computes the outputs of an operator.
func (r *reference) do(name string, in []*graph.Tensor, attrs ...graph.Attr) []*graph.Tensor {
	return r.doAt(op.Newest, name, in, attrs...)
}

// doAt is do with an operator set.
func (r *reference) doAt(version int, name string, in []*graph.Tensor, attrs ...graph.Attr) []*graph.Tensor {
	n := &graph.Node{Version: version}
	n.Domain, n.Op = op.SplitName(name)
	n.SetAttr(attrs...)
	for i, t := range in {
		if t == nil {
			n.Inputs = append(n.Inputs, nil)
			continue
		}
		n.Inputs = append(n.Inputs, &graph.Value{Name: fmt.Sprint("in", i), Type: t.Type, Shape: t.Shape, Ranked: true})
	}
	n.Outputs = []*graph.Value{{Name: "out"}}
	row, err := op.Find(n)
	if err == nil {
		var out []*graph.Tensor
		if out, err = row.Eval(r.call, n, in); err == nil {
			return out
		}
	}
	panic(referenceError{err})
}

// one is do of an operator of one output.
func (r *reference) one(name string, in []*graph.Tensor, attrs ...graph.Attr) *graph.Tensor {
	return r.do(name, in, attrs...)[0]
}

// transposed returns x with its dimensions in another order.
func (r *reference) transposed(x *graph.Tensor, perm []int64) *graph.Tensor {
	return r.one("Transpose", []*graph.Tensor{x}, graph.IntsAttr("perm", perm...))
}

// fail ends a reference.
func (r *reference) fail(err error) {
	if err != nil {
		panic(referenceError{err})
	}
}

// channels returns the orders of dimensions that move the channels of images of a rank to dimension 1, and back to
// where the node has them.
func channels(n *graph.Node, rank int) (first, back []int64) {
	first, back = array.UpTo(int64(rank)), array.UpTo(int64(rank))
	missing := int64(0)
	if n.Op == "GroupNorm" || n.Op == "SkipGroupNorm" || n.Op == "NhwcMaxPool" || n.Op == "NhwcFusedConv" {
		missing = 1
	}
	for d := 1; d < rank && n.Int("channels_last", missing) != 0; d++ {
		first[d], back[d] = int64((d+rank-3)%(rank-1)+1), int64(d%(rank-1)+1)
	}
	return first, back
}

// ranks returns an error unless the inputs that are there have so many dimensions; -1 is any number.
func ranks(n *graph.Node, want ...int) error {
	for i, rank := range want {
		if v := n.Input(i); v != nil && rank >= 0 && len(v.Shape) != rank {
			return fmt.Errorf("input %d is %s: it must have %d dimensions", i, v, rank)
		}
	}
	return nil
}

// lacks is the error of a use of an operator that wmtune has otherwise; instead says what avoids it.
func lacks(n *graph.Node, what, instead string) error {
	return fmt.Errorf("%s of %s%s is %w: %s", what, domain, n.Op, graph.ErrUnsupported, instead)
}

// sum adds tensors that are there, which broadcast.
func sum(d *op.Decomposer, list ...*graph.Value) *graph.Value {
	x := list[0]
	for _, v := range list[1:] {
		if v != nil {
			x = d.Two("Add", x, v)
		}
	}
	return x
}

// added returns the sums of a tensor and others that broadcast to it; nil ones are left out.
func added(list ...*graph.Tensor) *graph.Tensor {
	y := mapped(list[0], array.Plain)
	for _, v := range list[1:] {
		if v != nil {
			array.Walk(y.Shape, func(i int, at []int64) { y.F[i] += v.F[at[0]] }, array.BroadcastStrides(v.Shape, y.Shape))
		}
	}
	return y
}

// scaled returns y times a factor that broadcasts to it.
func scaled(y, factor *graph.Tensor) *graph.Tensor {
	z := graph.NewTensor(y.Type, y.Shape...)
	array.Walk(y.Shape, func(i int, at []int64) { z.F[i] = y.F[i] * factor.F[at[0]] },
		array.BroadcastStrides(factor.Shape, y.Shape))
	return z
}

// mapped returns f of each number of x.
func mapped(x *graph.Tensor, f func(v float64) float64) *graph.Tensor {
	y := graph.NewTensor(x.Type, x.Shape...)
	for i, v := range x.F {
		y.F[i] = f(v)
	}
	return y
}
