package product

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// An einsum is a sum of products, by the labels of dimensions. Letters are labels, and so are the digits of the
// dimensions that an ellipsis stands for, counted from the last.
type einsum struct {
	inputs []string // labels of each input, one a dimension
	output string
	sums   string // labels that the output does not have
	extent map[byte]int64
}

func einsumOf(n *graph.Node) (*einsum, error) {
	equation := strings.ReplaceAll(n.Str("equation", ""), " ", "")
	left, right, explicit := strings.Cut(equation, "->")
	terms := strings.Split(left, ",")
	if len(terms) != len(n.Inputs) {
		return nil, fmt.Errorf("equation %q has %d terms for %d inputs", equation, len(terms), len(n.Inputs))
	}
	e := &einsum{extent: map[byte]int64{}}
	dots := 0 // dimensions of the longest ellipsis
	for i, t := range terms {
		shape := n.Inputs[i].Shape
		if rest := len(shape) - len(strings.Replace(t, "...", "", 1)); strings.Contains(t, "...") {
			if rest < 0 || rest > 10 {
				return nil, fmt.Errorf("equation %q: term %q does not fit an input of shape %v", equation, t, shape)
			}
			t = strings.Replace(t, "...", digits(rest), 1)
			dots = max(dots, rest)
		}
		if len(t) != len(shape) {
			return nil, fmt.Errorf("equation %q: term %q does not fit an input of shape %v", equation, t, shape)
		}
		for d := range len(t) {
			n, known := e.extent[t[d]]
			if known && n != 1 && shape[d] != 1 && n != shape[d] {
				return nil, fmt.Errorf("equation %q: label %c has extents %d and %d", equation, t[d], n, shape[d])
			}
			if !known || n == 1 {
				e.extent[t[d]] = shape[d]
			}
		}
		e.inputs = append(e.inputs, t)
	}
	all := strings.Join(e.inputs, "")
	e.output = strings.Replace(right, "...", digits(dots), 1)
	if !explicit {
		e.output = digits(dots) + once(all)
	}
	for d := range len(e.output) {
		if !strings.Contains(all, e.output[d:d+1]) || strings.Count(e.output, e.output[d:d+1]) > 1 {
			return nil, fmt.Errorf("equation %q: label %c of the result must stand there once, and in a term", equation,
				e.output[d])
		}
	}
	for d := range len(all) {
		if l := all[d : d+1]; !strings.Contains(e.output, l) && !strings.Contains(e.sums, l) {
			e.sums += l
		}
	}
	return e, nil
}

// digits returns the labels of n dimensions of an ellipsis: the last is 0.
func digits(n int) string { return "9876543210"[10-n:] }

// once returns the letters that occur once, sorted: the result of an equation without an arrow.
func once(labels string) string {
	var list []byte
	for d := range len(labels) {
		if c := labels[d]; (c < '0' || c > '9') && strings.Count(labels, labels[d:d+1]) == 1 {
			list = append(list, c)
		}
	}
	slices.Sort(list)
	return string(list)
}

// extents returns the extents of labels.
func (e *einsum) extents(labels string) []int64 {
	list := make([]int64, len(labels))
	for d := range list {
		list[d] = e.extent[labels[d]]
	}
	return list
}

// Output is the shape of the result.
func (e *einsum) Output() []int64 { return e.extents(e.output) }

// eval is the reference of Einsum.
func (e *einsum) eval(call *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	r := graph.NewTensor(in[0].Type, e.Output()...)
	sums := e.extents(e.sums)
	strideOf := func(i int, labels string) []int64 {
		list := make([]int64, len(labels))
		for d, s := range array.Strides(in[i].Shape) {
			if k := strings.IndexByte(labels, e.inputs[i][d]); k >= 0 && in[i].Shape[d] != 1 {
				list[k] += s
			}
		}
		return list
	}
	var outer, inner [][]int64
	for i := range in {
		outer, inner = append(outer, strideOf(i, e.output)), append(inner, strideOf(i, e.sums))
	}
	at := make([][]int64, 0, r.Len())
	array.Walk(r.Shape, func(_ int, first []int64) { at = append(at, slices.Clone(first)) }, outer...)
	err := array.Parallel(call.Context, r.Len(), func(o int) {
		array.Walk(sums, func(_ int, rest []int64) {
			if r.F != nil {
				v := 1.0
				for i, x := range in {
					v *= x.F[at[o][i]+rest[i]]
				}
				r.F[o] += v
				return
			}
			v := int64(1)
			for i, x := range in {
				v *= x.I[at[o][i]+rest[i]]
			}
			r.I[o] += v
		}, inner...)
	})
	array.WrapAll(r)
	return []*graph.Tensor{r}, err
}

// body makes a stage that sums products of all inputs:
//
//	einsum(i, k) += (x0[i, j]*x1[j, k])
func (e *einsum) body(b *op.Body) error {
	out := b.Node.Outputs[0].Type
	name := func(labels string) []string {
		var list []string
		for _, l := range labels {
			prefix := "l_"
			if l >= '0' && l <= '9' {
				prefix = "d"
			}
			list = append(list, prefix+string(l))
		}
		return list
	}
	axes, reduce := op.Named(name(e.output), "i", e.extents(e.output)), op.Named(name(e.sums), "k", e.extents(e.sums))
	variable := map[byte]tir.Expr{}
	for d, a := range axes {
		variable[e.output[d]] = a.Var
	}
	for d, a := range reduce {
		variable[e.sums[d]] = a.Var
	}
	var value tir.Expr
	for i, labels := range e.inputs {
		index := make([]tir.Expr, len(labels))
		for d, n := range b.Node.Inputs[i].Shape {
			index[d] = tir.Int(0)
			if n != 1 {
				index[d] = variable[labels[d]]
			}
		}
		if x := b.Read(i, index...); value == nil {
			value = x
		} else {
			value = Mul(value, x)
		}
	}
	if len(reduce) == 0 {
		b.Output(b.Stage("einsum", out, axes, value))
		return nil
	}
	r := b.SumWith(b.Unique("einsum"), axes, reduce, value, e.layoutFree(b))
	b.Output(b.Stored(r, out))
	return nil
}

// layoutFree marks inputs that are constant and have each label once.
func (e *einsum) layoutFree(b *op.Body) compute.Attrs {
	var attrs compute.Attrs
	for i, labels := range e.inputs {
		v := b.Node.Inputs[i]
		unique := true
		for d := range labels {
			unique = unique && strings.Count(labels, labels[d:d+1]) == 1
		}
		if v.Const != nil && v.Elems() > 1 && unique {
			attrs.LayoutFree = append(attrs.LayoutFree, b.Input(i).Buffer)
		}
	}
	return attrs
}
