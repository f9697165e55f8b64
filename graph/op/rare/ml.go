package rare

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/graph/op/pointwise"
	"github.com/wmtune/wmtune/tir"
)

// Features has operators of ai.onnx.ml that choose and compare features.
var Features = []op.Row{
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

// decomposeExtractor: versions of ai.onnx.ml are not those of ONNX.
func decomposeExtractor(d *op.Decomposer) error {
	x, index := d.Input(0), d.Input(1)
	types, err := inferExtractor(d.Node)
	if err != nil {
		return err
	}
	const version = 13
	flat := d.ApplyAt(version, "Reshape", 1, []*graph.Value{index, d.Const(graph.Ints(-1))})[0]
	axis := graph.IntAttr("axis", int64(len(x.Shape)-1))
	chosen := d.ApplyAt(version, "Gather", 1, []*graph.Value{x, flat}, axis)[0]
	shape := d.Const(graph.Ints(types[0].Shape...))
	d.Output(d.ApplyAt(version, "Reshape", 1, []*graph.Value{chosen, shape})[0])
	return nil
}
