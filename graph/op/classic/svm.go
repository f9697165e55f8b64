package classic

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
)

// Coupling has what makes probabilities of classes of those of pairs.
var Coupling = []op.Row{
	{Op: "wmtune.Couple", Since: 1, Class: op.Opaque, Infer: inferCouple, Eval: evalCouple,
		Opaque: &op.Function{Make: opaqueCouple}},
}

// The kernels, by name.
const (
	kernelLinear  = "LINEAR"
	kernelPoly    = "POLY"
	kernelRBF     = "RBF"
	kernelSigmoid = "SIGMOID"
)

// A kernel compares rows with vectors. Without support vectors, coefficients are its vectors.
type kernel struct {
	kind                string
	gamma, coef, degree float64
	vectors             []float64
	count, features     int64
	coefficients, rho   []float64
}

func kernelOf(n *graph.Node) (*kernel, error) {
	k := &kernel{kind: n.Str("kernel_type", kernelLinear), vectors: n.Floats("support_vectors"), rho: n.Floats("rho"),
		coefficients: n.Floats("coefficients")}
	if !slices.Contains([]string{kernelLinear, kernelPoly, kernelRBF, kernelSigmoid}, k.kind) {
		return nil, fmt.Errorf("kernel_type is %q", k.kind)
	}
	if p := n.Floats("kernel_params"); len(p) >= 3 {
		k.gamma, k.coef, k.degree = p[0], p[1], p[2]
	}
	shape, err := rows(n.Inputs[0].Shape)
	if err != nil {
		return nil, err
	}
	if k.features = shape[1]; len(k.vectors) == 0 {
		k.kind, k.vectors = kernelLinear, k.coefficients
	}
	if k.features == 0 || int64(len(k.vectors))%k.features != 0 || len(k.vectors) == 0 || len(k.rho) == 0 {
		return nil, fmt.Errorf("%d numbers of vectors of %d features, and %d of rho", len(k.vectors), k.features, len(k.rho))
	}
	k.count = int64(len(k.vectors)) / k.features
	return k, nil
}

// compare returns what the kernel says of a row and each vector.
func (k *kernel) compare(row []float64) []float64 {
	list := make([]float64, k.count)
	for i := range list {
		v := k.vectors[int64(i)*k.features:]
		dot, far := 0.0, 0.0
		for c, x := range row {
			dot += x * v[c]
			far += (x - v[c]) * (x - v[c])
		}
		switch k.kind {
		case kernelLinear:
			list[i] = dot
		case kernelRBF:
			list[i] = math.Exp(-k.gamma * far)
		case kernelPoly:
			list[i] = math.Pow(k.gamma*dot+k.coef, k.degree)
		case kernelSigmoid:
			list[i] = math.Tanh(k.gamma*dot + k.coef)
		}
	}
	return list
}

// compareNodes adds what compares each row of x with each vector.
func (k *kernel) compareNodes(d *op.Decomposer, x *graph.Value) *graph.Value {
	v := constant(d, k.count, k.features, k.vectors)
	if k.kind == kernelRBF {
		apart := apply(d, "Sub", d.Reshape(x, x.Shape[0], 1, k.features), d.Reshape(v, 1, k.count, k.features))
		far := d.Apply("ReduceSumSquare", []*graph.Value{apart, d.Const(graph.Ints(2))}, graph.IntAttr("keepdims", 0))
		return apply(d, "Exp", apply(d, "Mul", far, d.Number(far, -k.gamma)))
	}
	y := d.Apply("Gemm", []*graph.Value{x, v}, graph.IntAttr("transB", 1))
	if k.kind == kernelLinear {
		return y
	}
	y = apply(d, "Add", apply(d, "Mul", y, d.Number(y, k.gamma)), d.Number(y, k.coef))
	if k.kind == kernelSigmoid {
		return apply(d, "Tanh", y)
	}
	return apply(d, "Pow", y, d.Number(y, k.degree))
}

// An svmRegressor adds up what the kernel says, if it has support vectors. ONNX Runtime ignores post_transform.
type svmRegressor struct {
	*kernel
	adds, oneClass bool
}

func svmRegressorOf(n *graph.Node) (*svmRegressor, error) {
	k, err := kernelOf(n)
	if err != nil {
		return nil, err
	}
	s := &svmRegressor{k, len(n.Floats("support_vectors")) > 0, n.Int("one_class", 0) != 0}
	if s.adds && int64(len(k.coefficients)) != k.count || !s.adds && k.count != 1 {
		return nil, fmt.Errorf("%d coefficients for %d vectors", len(k.coefficients), k.count)
	}
	return s, nil
}

func (s *svmRegressor) columns() int64 { return 1 }

func (s *svmRegressor) score(row []float64) (int64, []float64) {
	list := s.compare(row)
	if s.adds {
		list[0] = array.Dot(list, s.coefficients)
	}
	if list[0] += s.rho[0]; s.oneClass {
		list[0] = map[bool]float64{true: 1, false: -1}[list[0] > 0]
	}
	return 0, list[:1]
}

func (s *svmRegressor) nodes(d *op.Decomposer, x *graph.Value) (label, scores *graph.Value) {
	y := s.compareNodes(d, x)
	if s.adds {
		y = apply(d, "MatMul", y, constant(d, s.count, 1, s.coefficients))
	}
	if y = apply(d, "Add", y, d.Number(y, s.rho[0])); s.oneClass {
		y = apply(d, "Where", apply(d, "Greater", y, d.Number(y, 0)), d.Number(y, 1), d.Number(y, -1))
	}
	return nil, y
}
