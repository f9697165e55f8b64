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
	{Op: "ai.onnx.ml.Imputer", Since: 1, In: "T:N", Infer: op.InferDecomposed(decomposeImputer),
		Eval: op.EvalBy(imputerOf, evalImputer), Decompose: decomposeImputer},
	{Op: "ai.onnx.ml.FeatureVectorizer", Since: 1, In: "-:N*", Infer: op.InferDecomposed(decomposeVectorizer),
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

// A scaler subtracts a number, one for all features or one for each, and multiplies by another.
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
	s.offset = slices.Repeat(s.offset, int(shape[1])/len(s.offset))
	s.scale = slices.Repeat(s.scale, int(shape[1])/len(s.scale))
	return s, nil
}

func (s *scaler) columns() int64 { return int64(len(s.scale)) }

func (s *scaler) score(row []float64) (int64, []float64) {
	list := slices.Clone(row)
	for k, v := range row {
		list[k] = (v - s.offset[k]) * s.scale[k]
	}
	return 0, list
}

func (s *scaler) nodes(d *op.Decomposer, x *graph.Value) (label, scores *graph.Value) {
	list := func(v []float64) *graph.Value {
		return d.Const(&graph.Tensor{Type: x.Type, Shape: []int64{1, s.columns()}, F: v})
	}
	return nil, apply(d, "Mul", apply(d, "Sub", x, list(s.offset)), list(s.scale))
}

// A normalizer divides rows by their largest number (MAX), or by a norm of theirs (L1, L2), unless that is 0.
type normalizer struct {
	norm     string
	features int64
}

func normalizerOf(n *graph.Node) (*normalizer, error) {
	shape, err := rows(n.Inputs[0].Shape)
	if err != nil {
		return nil, err
	}
	norm := n.Str("norm", "MAX")
	if !slices.Contains([]string{"MAX", "L1", "L2"}, norm) {
		return nil, fmt.Errorf("norm is %q", norm)
	}
	return &normalizer{norm, shape[1]}, nil
}

func (k *normalizer) columns() int64 { return k.features }

func (k *normalizer) score(row []float64) (int64, []float64) {
	size := array.LargestOf(row)
	switch k.norm {
	case "L1":
		size = array.SumBy(row, math.Abs)
	case "L2":
		size = math.Sqrt(array.Dot(row, row))
	}
	list := slices.Clone(row)
	for i := range list {
		if size != 0 {
			list[i] /= size
		}
	}
	return 0, list
}

func (k *normalizer) nodes(d *op.Decomposer, x *graph.Value) (label, scores *graph.Value) {
	name := map[string]string{"MAX": "ReduceMax", "L1": "ReduceL1", "L2": "ReduceL2"}[k.norm]
	size := apply(d, name, x, d.Const(graph.Ints(1)))
	zero := apply(d, "Equal", size, d.Number(x, 0))
	return nil, apply(d, "Div", x, apply(d, "Where", zero, d.Number(x, 1), size))
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

// widthsOf checks how many features each operand has. ONNX Runtime cuts and pads what has another number.
func widthsOf(n *graph.Node) ([]int64, error) {
	widths := n.Ints("inputdimensions")
	for i, v := range n.Inputs {
		shape, err := rows(v.Shape)
		if err != nil || i >= len(widths) || shape[1] != widths[i] {
			return nil, op.Unsupported("input %d, %s, with inputdimensions %v: that", i, v, widths)
		}
	}
	return widths, nil
}

func evalVectorizer(widths []int64, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	width := array.SumBy(widths, array.Plain)
	r, first := graph.NewTensor(tir.F32, int64(in[0].Len())/max(widths[0], 1), width), int64(0)
	for k, x := range in {
		for i := range int64(x.Len()) {
			r.F[i/widths[k]*width+first+i%widths[k]] = x.At(int(i))
		}
		first += widths[k]
	}
	return []*graph.Tensor{r}, nil
}

func decomposeVectorizer(d *op.Decomposer) error {
	_, err := widthsOf(d.Node)
	if err != nil {
		return err
	}
	var list []*graph.Value
	for _, v := range d.Node.Inputs {
		shape, _ := rows(v.Shape)
		list = append(list, d.Cast(d.Reshape(v, shape...), tir.F32))
	}
	d.Output(d.Apply("Concat", list, graph.IntAttr("axis", 1)))
	return nil
}

// evalZipMap: what ONNX makes a map of each row stays a matrix, a column for each label.
func evalZipMap(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	return in[:1], nil
}
