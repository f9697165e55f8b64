package classic

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// Encoders has operators that look numbers up.
var Encoders = []op.Row{
	{Op: "ai.onnx.ml.OneHotEncoder", Since: 1, In: "T:N", Infer: op.InferDecomposed(decomposeOneHot),
		Eval: op.EvalBy(categoriesOf, evalOneHot), Decompose: decomposeOneHot},
	{Op: "ai.onnx.ml.LabelEncoder", Since: 2, In: "T:N", Infer: op.InferDecomposed(decomposeEncoder),
		Eval: op.EvalBy(encoderOf, evalEncoder), Decompose: decomposeEncoder},
}

func categoriesOf(n *graph.Node) ([]int64, error) {
	list := n.Ints("cats_int64s")
	if len(list) == 0 {
		return nil, op.Unsupported("OneHotEncoder of text: encode the column before the model. Without cats_int64s it")
	}
	return list, nil
}

// evalOneHot: the last of equal categories counts.
func evalOneHot(list []int64, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, width := array.Convert(in[0], tir.I64), len(list)
	r := graph.NewTensor(tir.F32, append(slices.Clone(x.Shape), int64(width))...)
	for i, v := range x.I {
		at := width - 1
		for at >= 0 && list[at] != v {
			at--
		}
		if at >= 0 {
			r.F[i*width+at] = 1
		} else if n.Int("zeros", 1) == 0 {
			return nil, fmt.Errorf("%d is none of the categories", v)
		}
	}
	return []*graph.Tensor{r}, nil
}

// among adds what compares each number of x with each of a list: the last dimension of the result is the list's.
func among(d *op.Decomposer, x, list *graph.Value) *graph.Value {
	return apply(d, "Equal", d.Reshape(x, append(slices.Clone(x.Shape), 1)...), list)
}

// decomposeOneHot: without zeros, a number that is no category reads what is not there, an error at run time.
func decomposeOneHot(d *op.Decomposer) error {
	list, err := categoriesOf(d.Node)
	if err != nil {
		return err
	}
	for i, v := range list {
		if slices.Contains(list[i+1:], v) {
			return op.Unsupported("OneHotEncoder with category %d twice", v)
		}
	}
	y := d.Cast(among(d, d.Cast(d.Input(0), tir.I64), d.Const(graph.Ints(list...))), tir.F32)
	if d.Node.Int("zeros", 1) == 0 {
		known := d.Cast(apply(d, "ReduceMax", y, d.Const(graph.Ints(-1))), tir.I64)
		one := d.Const(&graph.Tensor{Type: tir.F32, Shape: []int64{1}, F: []float64{1}})
		y = apply(d, "Mul", y, apply(d, "Gather", one, apply(d, "Sub", d.Const(graph.Ints(1)), known)))
	}
	d.Output(y)
	return nil
}

// An encoder maps numbers to numbers: the first of equal keys counts.
type encoder struct {
	keys, values, missing *graph.Tensor
	nan                   bool // NaN is equal to NaN
}

// listOf returns an attribute of a LabelEncoder that is a list or, from version 4 on, a tensor. Texts are numbered.
func listOf(n *graph.Node, name string) (*graph.Tensor, error) {
	if a := n.Attr(name + "_tensor"); a != nil && a.Tensor != nil {
		return a.Tensor.Tensor(), nil
	}
	if list := n.Ints(name + "_int64s"); list != nil {
		return graph.Ints(list...), nil
	}
	if list := n.Floats(name + "_floats"); list != nil {
		return &graph.Tensor{Type: tir.F32, Shape: []int64{int64(len(list))}, F: list}, nil
	}
	return nil, op.Unsupported("a LabelEncoder without numbers as %s: encode text before the model, or train with labels "+
		"that are integers. It", name)
}

func encoderOf(n *graph.Node) (*encoder, error) {
	e := &encoder{nan: n.Version >= 4}
	var err, err2 error
	e.keys, err = listOf(n, "keys")
	if a := n.Attr("values_strings"); a != nil {
		numbers := make([]int64, len(a.Strings))
		for i, text := range a.Strings {
			numbers[i] = int64(slices.Index(a.Strings, text))
		}
		e.values = graph.Ints(numbers...)
	} else {
		e.values, err2 = listOf(n, "values")
	}
	if err = cmp.Or(err, err2); err != nil {
		return nil, err
	}
	if e.keys.Len() != e.values.Len() || e.keys.Len() == 0 || e.keys.Type != n.Inputs[0].Type {
		return nil, fmt.Errorf("%d keys of type %s and %d values for an operand of type %s", e.keys.Len(), e.keys.Type,
			e.values.Len(), n.Inputs[0].Type)
	}
	e.missing = graph.Scalar(e.values.Type, -1)
	if e.values.F != nil {
		e.missing.F[0] = n.Float("default_float", 0)
	} else if e.missing.I[0] = n.Int("default_int64", -1); n.Has("values_strings") {
		e.missing.I[0] = -1
	}
	if a := n.Attr("default_tensor"); a != nil && a.Tensor != nil && a.Tensor.Type == e.values.Type {
		e.missing = a.Tensor.Tensor()
	}
	return e, nil
}

func evalEncoder(e *encoder, _ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	r := graph.NewTensor(e.values.Type, in[0].Shape...)
	for i := range r.Len() {
		array.Put(r, int64(i), e.missing, 0)
		for k := range e.keys.Len() {
			x, key := in[0].At(i), e.keys.At(k)
			if x == key || e.nan && x != x && key != key {
				array.Put(r, int64(i), e.values, int64(k))
				break
			}
		}
	}
	return []*graph.Tensor{r}, nil
}

func decomposeEncoder(d *op.Decomposer) error {
	e, err := encoderOf(d.Node)
	if err != nil {
		return err
	}
	if e.keys.Len() <= fewKeys {
		e.choices(d)
		return nil
	}
	keys := d.Const(array.Reshaped(e.keys, []int64{int64(e.keys.Len())}))
	same := among(d, d.Input(0), keys)
	if e.nan && e.keys.F != nil {
		nan := apply(d, "IsNaN", d.Reshape(d.Input(0), append(slices.Clone(d.Input(0).Shape), 1)...))
		same = apply(d, "Or", same, apply(d, "And", nan, apply(d, "IsNaN", keys)))
	}
	last, flat, found := d.Const(graph.Ints(-1)), graph.IntAttr("keepdims", 0), d.Cast(same, tir.F32)
	first := d.Apply("ArgMax", []*graph.Value{found}, graph.IntAttr("axis", -1), flat)
	known := d.Apply("ReduceMax", []*graph.Value{found, last}, flat)
	value := apply(d, "wmtune.Gather", d.Const(array.Reshaped(e.values, keys.Shape)), first)
	missing := d.Const(array.Reshaped(e.missing, []int64{}))
	d.Output(apply(d, "Where", d.Cast(known, tir.Bool), value, missing))
	return nil
}

// fewKeys is up to how many keys each element is compared with one after another, in registers.
const fewKeys = 32

// choices makes an encoder of few keys: the value of the first that is equal.
func (e *encoder) choices(d *op.Decomposer) {
	item := func(t *graph.Tensor, k int) *graph.Value {
		r := graph.NewTensor(t.Type)
		array.Put(r, 0, t, int64(k))
		return d.Const(r)
	}
	x, y := d.Input(0), item(e.missing, 0)
	for k := e.keys.Len() - 1; k >= 0; k-- {
		same := apply(d, "Equal", x, item(e.keys, k))
		if key := e.keys.At(k); e.nan && key != key {
			same = apply(d, "IsNaN", x)
		}
		y = apply(d, "Where", same, item(e.values, k), y)
	}
	d.Output(y)
}
