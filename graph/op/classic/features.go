package classic

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/pointwise"
	"github.com/wmtune/wmtune/tir"
)

// Features has operators that prepare features.
var Features = []op.Row{
	{Op: "ai.onnx.ml.Scaler", Since: 1, In: "T:N", Infer: op.InferBy(scalerOf, inferFloats),
		Eval: op.EvalBy(scalerOf, evalScaler), Decompose: decomposeScaler},
	{Op: "ai.onnx.ml.Normalizer", Since: 1, In: "T:N", Infer: op.InferBy(normOf, inferFloats[string]),
		Eval: op.EvalBy(normOf, evalNormalizer), Decompose: decomposeNormalizer},
	{Op: "ai.onnx.ml.Imputer", Since: 1, In: "T:N", Infer: op.InferBy(imputerOf, inferImputer),
		Eval: op.EvalBy(imputerOf, evalImputer), Decompose: decomposeImputer},
	{Op: "ai.onnx.ml.FeatureVectorizer", Since: 1, In: "-:N*", Infer: op.InferBy(widthsOf, inferVectorizer),
		Eval: op.EvalBy(widthsOf, evalVectorizer), Decompose: decomposeVectorizer},
	{Op: "ai.onnx.ml.ZipMap", Since: 1, In: "T:F", Traits: op.Alias, Infer: op.InferSame, Eval: evalZipMap},
	{Op: "ai.onnx.ml.Binarizer", Since: 1, In: "T:N", Infer: op.InferSame, Eval: evalBinarizer,
		Body: pointwise.UnaryOf(func(n *graph.Node, x tir.Expr) tir.Expr {
			t := x.DType()
			if t.IsInt() {
				x = Cast(x, tir.F64)
			}
			return Sel(Gt(x, Num(x, n.Float("threshold", 0))), tir.Const(t, 1), tir.Const(t, 0))
		})},
	{Op: "ai.onnx.ml.ArrayFeatureExtractor", Since: 1, In: "T:N -:I", Infer: inferExtractor, Eval: evalExtractor,
		Decompose: decomposeExtractor},
}

func evalBinarizer(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	r := graph.NewTensor(tir.I64, in[0].Shape...)
	for i := range r.I {
		if in[0].At(i) > n.Float("threshold", 0) {
			r.I[i] = 1
		}
	}
	return []*graph.Tensor{array.Convert(r, in[0].Type)}, nil
}

// inferExtractor: the result has the last dimension's elements at the indices. That of a vector is a matrix of one row.
func inferExtractor(n *graph.Node) ([]op.Type, error) {
	x, index := n.Inputs[0], n.Inputs[1]
	if len(x.Shape) == 0 || index.Type != tir.I64 {
		return nil, fmt.Errorf("features %s of %s: it takes indices of type int64 into one or more dimensions", index, x)
	}
	shape := append([]int64{}, x.Shape[:len(x.Shape)-1]...)
	if len(x.Shape) == 1 {
		shape = []int64{1}
	}
	return []op.Type{{DType: x.Type, Shape: append(shape, index.Elems())}}, nil
}

func evalExtractor(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	types, err := inferExtractor(n)
	if err != nil {
		return nil, err
	}
	x, index, r := in[0], in[1].I, array.Like(in[0], types[0].Shape)
	size := x.Shape[len(x.Shape)-1]
	for to := range int64(r.Len()) {
		at, err := array.InRange(index[to%int64(len(index))], size)
		if err != nil {
			return nil, err
		}
		array.Put(r, to, x, to/int64(len(index))*size+at)
	}
	return []*graph.Tensor{r}, nil
}

func decomposeExtractor(d *op.Decomposer) error {
	x, index := d.Input(0), d.Input(1)
	types, err := inferExtractor(d.Node)
	if err != nil {
		return err
	}
	flat := d.Reshape(index, index.Elems())
	chosen := d.Apply("Gather", []*graph.Value{x, flat}, graph.IntAttr("axis", int64(len(x.Shape)-1)))
	d.Output(d.Reshape(chosen, types[0].Shape...))
	return nil
}

// A scaler is what the attributes of a Scaler say, a number for all features or for each.
type scaler struct{ offset, scale []float64 }

func scalerOf(n *graph.Node) (*scaler, error) {
	s := &scaler{n.Floats("offset"), n.Floats("scale")}
	shape, err := rows(n.Inputs[0].Shape)
	if err != nil {
		return nil, err
	}
	if k := len(s.scale); k == 0 || len(s.offset) != k || k != 1 && int64(k) != shape[1] {
		return nil, fmt.Errorf("%d offsets and %d scales for %d features", len(s.offset), k, shape[1])
	}
	return s, nil
}

func inferFloats[S any](_ S, n *graph.Node) ([]op.Type, error) {
	return []op.Type{{DType: tir.F32, Shape: n.Inputs[0].Shape}}, nil
}

func evalScaler(s *scaler, _ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	r := graph.NewTensor(tir.F32, in[0].Shape...)
	for i := range r.F {
		k := i % len(s.scale)
		r.F[i] = (in[0].At(i) - s.offset[k]) * s.scale[k]
	}
	return []*graph.Tensor{r}, nil
}

func decomposeScaler(d *op.Decomposer) error {
	s, err := scalerOf(d.Node)
	if err != nil {
		return err
	}
	x := d.Cast(d.Input(0), work(d.Node))
	list := func(v []float64) *graph.Value {
		return d.Const(&graph.Tensor{Type: x.Type, Shape: []int64{int64(len(v))}, F: v})
	}
	d.Output(d.Cast(apply(d, "Mul", apply(d, "Sub", x, list(s.offset)), list(s.scale)), tir.F32))
	return nil
}

// normOf returns what rows are divided by: MAX, L1 or L2.
func normOf(n *graph.Node) (string, error) {
	norm := n.Str("norm", "MAX")
	if !slices.Contains([]string{"MAX", "L1", "L2"}, norm) {
		return "", fmt.Errorf("norm is %q", norm)
	}
	_, err := rows(n.Inputs[0].Shape)
	return norm, err
}

func evalNormalizer(norm string, _ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	shape, _ := rows(in[0].Shape)
	r := graph.NewTensor(tir.F32, in[0].Shape...)
	for i := range shape[0] {
		list := row(in[0], i, shape[1], tir.F64)
		size := array.LargestOf(list)
		switch norm {
		case "L1":
			size = array.SumBy(list, math.Abs)
		case "L2":
			size = math.Sqrt(array.Dot(list, list))
		}
		for k, v := range list {
			if r.F[i*shape[1]+int64(k)] = v; size != 0 {
				r.F[i*shape[1]+int64(k)] = v / size
			}
		}
	}
	return []*graph.Tensor{r}, nil
}

func decomposeNormalizer(d *op.Decomposer) error {
	x, last := d.Cast(d.Input(0), work(d.Node)), d.Const(graph.Ints(-1))
	var size *graph.Value
	switch norm, _ := normOf(d.Node); norm {
	case "MAX":
		size = apply(d, "ReduceMax", x, last)
	case "L1":
		size = apply(d, "ReduceL1", x, last)
	default:
		size = apply(d, "ReduceL2", x, last)
	}
	zero := apply(d, "Equal", size, d.Number(x, 0))
	d.Output(d.Cast(apply(d, "Div", x, apply(d, "Where", zero, d.Number(x, 1), size)), tir.F32))
	return nil
}

// An imputer replaces a number, or NaN, by another, one for all features or one for each.
type imputer struct {
	replaced, imputed *graph.Tensor
}

func imputerOf(n *graph.Node) (*imputer, error) {
	x := n.Inputs[0]
	p := &imputer{graph.Scalar(x.Type, n.Float("replaced_value_float", 0)), nil}
	if x.Type.IsFloat() {
		list := n.Floats("imputed_value_floats")
		p.imputed = &graph.Tensor{Type: x.Type, Shape: []int64{int64(len(list))}, F: list}
	} else {
		p.replaced = &graph.Tensor{Type: x.Type, I: []int64{n.Int("replaced_value_int64", 0)}}
		list := n.Ints("imputed_value_int64s")
		p.imputed = &graph.Tensor{Type: x.Type, Shape: []int64{int64(len(list))}, I: list}
	}
	shape, err := rows(x.Shape)
	if k := p.imputed.Shape[0]; err == nil && (k == 0 || k > 1 && k != shape[1]) {
		err = fmt.Errorf("%d imputed values of type %s for %d features", k, x.Type, shape[1])
	}
	return p, err
}

func inferImputer(_ *imputer, n *graph.Node) ([]op.Type, error) { return op.InferSame(n) }

func evalImputer(p *imputer, _ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	r := array.Like(in[0], in[0].Shape)
	for i := range int64(r.Len()) {
		v, w := in[0].At(int(i)), p.replaced.At(0)
		if array.Put(r, i, in[0], i); v == w || v != v && w != w {
			array.Put(r, i, p.imputed, i%p.imputed.Shape[0])
		}
	}
	return []*graph.Tensor{r}, nil
}

func decomposeImputer(d *op.Decomposer) error {
	p, err := imputerOf(d.Node)
	if err != nil {
		return err
	}
	x := d.Input(0)
	replace := apply(d, "Equal", x, d.Const(p.replaced))
	if x.Type.IsFloat() && math.IsNaN(p.replaced.F[0]) {
		replace = apply(d, "IsNaN", x)
	}
	d.Output(apply(d, "Where", replace, d.Const(p.imputed), x))
	return nil
}

// widthsOf returns how many columns the features of each operand have in the result: more than it has are 0.
func widthsOf(n *graph.Node) ([]int64, error) {
	widths := n.Ints("inputdimensions")
	if len(widths) != len(n.Inputs) || len(widths) == 0 {
		return nil, fmt.Errorf("%d inputdimensions for %d inputs", len(widths), len(n.Inputs))
	}
	for i, v := range n.Inputs {
		if len(v.Shape) == 0 || widths[i] < 0 || batch(v.Shape)[0] != batch(n.Inputs[0].Shape)[0] {
			return nil, fmt.Errorf("input %d is %s, for %d columns of %s", i, v, widths[i], n.Inputs[0])
		}
	}
	return widths, nil
}

// batch returns a shape as that of a matrix whose rows are what the first dimension counts; a vector is one row.
func batch(shape []int64) []int64 {
	if len(shape) == 1 {
		return []int64{1, shape[0]}
	}
	return []int64{shape[0], graph.Elems(shape[1:])}
}

func inferVectorizer(widths []int64, n *graph.Node) ([]op.Type, error) {
	return []op.Type{{DType: tir.F32, Shape: []int64{batch(n.Inputs[0].Shape)[0], array.SumBy(widths, array.Plain)}}}, nil
}

func evalVectorizer(widths []int64, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	types, _ := inferVectorizer(widths, n)
	r := graph.NewTensor(tir.F32, types[0].Shape...)
	at := int64(0)
	for k, x := range in {
		shape := batch(x.Shape)
		for i := range shape[0] {
			for c := range min(shape[1], widths[k]) {
				r.F[i*r.Shape[1]+at+c] = x.At(int(i*shape[1] + c))
			}
		}
		at += widths[k]
	}
	return []*graph.Tensor{r}, nil
}

func decomposeVectorizer(d *op.Decomposer) error {
	widths, err := widthsOf(d.Node)
	if err != nil {
		return err
	}
	var list []*graph.Value
	for i, v := range d.Node.Inputs {
		shape := batch(v.Shape)
		x := d.Cast(d.Reshape(v, shape...), tir.F32)
		if list = append(list, d.Cut(x, 1, 0, min(shape[1], widths[i]))); shape[1] < widths[i] {
			list = append(list, d.Const(graph.NewTensor(tir.F32, shape[0], widths[i]-shape[1])))
		}
	}
	d.Output(d.Apply("Concat", list, graph.IntAttr("axis", 1)))
	return nil
}

// evalZipMap: what ONNX makes a map of each row stays a matrix, a column for each label.
func evalZipMap(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	return in[:1], nil
}
