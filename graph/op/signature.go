package op

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// A signature says which inputs an operator has, from a version of its operator set on.
type signature struct {
	since  int
	inputs []formal
}

// A formal is what a signature says of an input. Inputs of one name have one type; "-" is no name.
type formal struct {
	name     string
	kind     byte // A: any type, N: numbers, F: floats, I: integers, B: bools
	optional bool
	repeated bool // there may be any number of them
}

var kinds = map[byte]struct {
	name string
	has  func(t tir.DType) bool
}{
	'A': {"any type", func(tir.DType) bool { return true }},
	'N': {"a number", func(t tir.DType) bool { return t != tir.Bool }},
	'F': {"a float", tir.DType.IsFloat},
	'I': {"an integer", tir.DType.IsInt},
	'B': {"bool", isBool},
}

var signatures = map[string][]signature{}

func init() {
	for _, line := range strings.Split(strings.TrimSpace(signatureText), "\n") {
		f := strings.Fields(line)
		since, err := strconv.Atoi(f[1])
		if err != nil {
			panic("BUG: signature " + line)
		}
		s := signature{since: since}
		for _, word := range f[2:] {
			name, rest, _ := strings.Cut(word, ":")
			s.inputs = append(s.inputs, formal{name: name, kind: rest[0], optional: strings.HasSuffix(rest, "?"),
				repeated: strings.HasSuffix(rest, "*")})
		}
		signatures[f[0]] = append(signatures[f[0]], s)
	}
}

// checkInputs returns an error if a node of a file has not the inputs that its operator has, or of other types.
func checkInputs(n *graph.Node) error {
	var s *signature
	for i, x := range signatures[fullName(n)] {
		if i == 0 || x.since <= n.Version {
			s = &signatures[fullName(n)][i]
		}
	}
	if s == nil {
		return nil
	}
	named := map[string]int{} // first input of a name
	for i := range max(len(n.Inputs), len(s.inputs)) {
		v, f := n.Input(i), formal{}
		switch last := len(s.inputs) - 1; {
		case i <= last:
			f = s.inputs[i]
		case last >= 0 && s.inputs[last].repeated:
			f = s.inputs[last]
		case v != nil:
			return fmt.Errorf("it has an input %d, %s: %s takes %d", i, v, n.Op, len(s.inputs))
		default:
			continue
		}
		switch {
		case v == nil && !f.optional && !f.repeated:
			return fmt.Errorf("input %d is missing", i)
		case v == nil:
			continue
		case !kinds[f.kind].has(v.Type):
			return fmt.Errorf("the type of input %d is %s: it must be %s", i, v.Type, kinds[f.kind].name)
		}
		if first, ok := named[f.name]; ok && f.name != "-" && n.Inputs[first].Type != v.Type {
			return fmt.Errorf("the type of input %d is %s: it must be %s, that of input %d", i, v.Type,
				n.Inputs[first].Type, first)
		} else if !ok {
			named[f.name] = i
		}
	}
	return nil
}

// signatureText has a line for each operator and version from which on its inputs are others: of each input the name of
// its type, what types that may be in any version, and ? if it may be left out, or * if it may be repeated. It follows
// the schemas of ONNX 1.23.
const signatureText = `
Abs 1 T:N
Acos 7 T:F
Acosh 9 T:F
Add 1 T:N T:N
AffineGrid 20 T1:F T2:I
And 1 T:B T:B
ArgMax 1 T:N
ArgMin 1 T:N
Asin 7 T:F
Asinh 9 T:F
Atan 7 T:F
Atanh 9 T:F
Attention 23 T1:F T1:F T2:F U:A? T1:F? T2:F?
Attention 24 T1:F T1:F T2:F U:A? T1:F? T2:F? -:I?
AveragePool 1 T:F
BatchNormalization 1 T:F T:F T:F T:F T:F
BatchNormalization 14 T:F T:F T:F U:F U:F
BatchNormalization 15 T:F T1:F T1:F T2:F T2:F
Bernoulli 15 T1:F
BitCast 26 T1:A
BitShift 11 T:I T:I
BitwiseAnd 18 T:I T:I
BitwiseNot 18 T:I
BitwiseOr 18 T:I T:I
BitwiseXor 18 T:I T:I
BlackmanWindow 17 T1:I
Cast 1 T1:A
CastLike 15 T1:A T2:A
CausalConvWithState 27 T:F T:F T:F? T:F?
Ceil 1 T:F
Celu 12 T:F
CenterCropPad 18 T:A Tind:I
Clip 1 T:N
Clip 11 T:N T:N? T:N?
Col2Im 18 T:A -:I -:I
Compress 9 T:A T1:B
Concat 1 T:A*
Constant 1
ConstantOfShape 9 T1:I
Conv 1 T:F T:F T:F?
ConvInteger 10 T1:I T2:I T1:I? T2:I?
ConvTranspose 1 T:F T:F T:F?
Cos 7 T:F
Cosh 9 T:F
CumProd 26 T:N T2:I
CumSum 11 T:N T2:I
DFT 17 T1:F T2:I?
DFT 20 T1:F T2:I? -:I?
DeformConv 19 T:F T:F T:F T:F? T:F?
DepthToSpace 1 T:A
DequantizeLinear 10 T:I -:F T:I?
DequantizeLinear 19 T1:I T2:F T1:I?
Det 11 T:F
Div 1 T:N T:N
Dropout 1 T:F
Dropout 12 T:F T1:F? T2:B?
DynamicQuantizeLinear 11 T1:F
Einsum 12 T:N*
Elu 1 T:F
Equal 1 T:A T:A
Erf 9 T:N
Exp 1 T:F
Expand 8 T:A -:I
EyeLike 9 T1:A
Flatten 1 T:A
Floor 1 T:F
GRU 1 T:F T:F T:F T:F? T1:I? T:F?
Gather 1 T:A Tind:I
GatherElements 11 T:A Tind:I
GatherND 11 T:A -:I
Gelu 20 T:F
Gemm 1 T:N T:N T:N
Gemm 11 T:N T:N T:N?
GlobalAveragePool 1 T:F
GlobalLpPool 1 T:F
GlobalMaxPool 1 T:F
Greater 1 T:N T:N
GreaterOrEqual 12 T:N T:N
GridSample 16 T1:A T2:F
GroupNormalization 21 T:F T:F T:F
HammingWindow 17 T1:I
HannWindow 17 T1:I
HardSigmoid 1 T:F
HardSwish 14 T:F
Hardmax 1 T:F
Identity 1 T:A
Identity 14 V:A
If 1 B:B
ImageDecoder 20 T1:I
InstanceNormalization 1 T:F T:F T:F
IsInf 10 T1:F
IsNaN 9 T1:F
LRN 1 T:F
LSTM 1 T:F T:F T:F T:F? T1:I? T:F? T:F? T:F?
LayerNormalization 17 T:F T:F T:F?
LeakyRelu 1 T:F
Less 1 T:N T:N
LessOrEqual 12 T:N T:N
LinearAttention 27 T:F T:F T:F S:F? T:F? T:F?
Log 1 T:F
LogSoftmax 1 T:F
Loop 1 I:I? B:B? -:A*
LpNormalization 1 T:F
LpPool 1 T:F
MatMul 1 T:N T:N
MatMulInteger 10 T1:I T2:I T1:I? T2:I?
Max 1 T:N*
MaxPool 1 T:N
MaxRoiPool 1 T:F T:F
MaxUnpool 9 T1:F T2:I T2:I?
Mean 1 T:F*
MeanVarianceNormalization 9 T:F
MelWeightMatrix 17 T1:I T1:I T1:I T2:F T2:F
Min 1 T:N*
Mish 18 T:F
Mod 10 T:N T:N
Mul 1 T:N T:N
Multinomial 7 T1:F
Neg 1 T:N
NegativeLogLikelihoodLoss 12 T:F Tind:I T:F?
NonMaxSuppression 10 -:F -:F -:I? -:F? -:F?
NonZero 9 T:A
Not 1 T:B
OneHot 9 T1:N T2:N T3:A
Optional 15 V:A?
OptionalGetElement 15 O:A
OptionalHasElement 15 O:A
OptionalHasElement 18 O:A?
Or 1 T:B T:B
PRelu 1 T:N T:N
Pad 1 T:A
Pad 11 T:A -:I T:A?
Pad 18 T:A -:I T:A? Tind:I?
Pow 1 T:N T:N
Pow 12 T:N T1:N
QLinearConv 10 T1:I -:F T1:I T2:I -:F T2:I -:F T3:I T4:I?
QLinearMatMul 10 T1:I -:F T1:I T2:I -:F T2:I -:F T3:I
QLinearMatMul 21 T1:I TS:F T1:I T2:I TS:F T2:I TS:F T3:I
QuantizeLinear 10 T1:N -:N T2:I?
QuantizeLinear 19 T1:N T1:N T2:I?
QuantizeLinear 23 T1:N T2:N T3:I?
RMSNormalization 23 T:F V:F
RNN 1 T:F T:F T:F T:F? T1:I? T:F?
RandomNormal 1
RandomNormalLike 1 T1:A
RandomUniform 1
RandomUniformLike 1 T1:A
Range 11 T:N T:N T:N
Reciprocal 1 T:F
ReduceL1 1 T:N
ReduceL1 18 T:N -:I?
ReduceL2 1 T:N
ReduceL2 18 T:N -:I?
ReduceLogSum 1 T:N
ReduceLogSum 18 T:N -:I?
ReduceLogSumExp 1 T:N
ReduceLogSumExp 18 T:N -:I?
ReduceMax 1 T:A
ReduceMax 18 T:A -:I?
ReduceMean 1 T:N
ReduceMean 18 T:N -:I?
ReduceMin 1 T:A
ReduceMin 18 T:A -:I?
ReduceProd 1 T:N
ReduceProd 18 T:N -:I?
ReduceSum 1 T:N
ReduceSum 13 T:N -:I?
ReduceSumSquare 1 T:N
ReduceSumSquare 18 T:N -:I?
Relu 1 T:N
Reshape 1 T:A
Reshape 5 T:A -:I
Resize 10 T:A -:F
Resize 11 T1:A T2:F -:F -:I?
Resize 13 T1:A T2:F? -:F? -:I?
ReverseSequence 10 T:A -:I
RoiAlign 10 T1:F T1:F T2:I
RotaryEmbedding 23 T:F T:F T:F M:I?
Round 11 T:F
STFT 17 T1:F T2:I T1:F? T2:I?
Scan 8 I:I? -:A*
Scan 9 -:A*
Scatter 9 T:A Tind:I T:A
ScatterElements 11 T:A Tind:I T:A
ScatterND 11 T:A -:I T:A
Selu 1 T:F
Shape 1 T:A
Shrink 9 T:N
Sigmoid 1 T:F
Sign 9 T:N
Sin 7 T:F
Sinh 9 T:F
Size 1 T:A
Slice 1 T:A
Slice 10 T:A Tind:I Tind:I Tind:I? Tind:I?
Softmax 1 T:F
SoftmaxCrossEntropyLoss 12 T:F Tind:I T:F?
Softplus 1 T:F
Softsign 1 T:F
SpaceToDepth 1 T:A
Split 1 T:A T:N?
Split 2 T:A
Split 13 T:A -:N?
Sqrt 1 T:F
Squeeze 1 T:A
Squeeze 13 T:A -:I?
Sub 1 T:N T:N
Sum 1 T:F*
SwiGLU 28 T:F T:F
Swish 24 T:F
Tan 7 T:F
Tanh 1 T:F
TensorScatter 24 T:A T:A -:I?
TfIdfVectorizer 9 T:I
ThresholdedRelu 10 T:F
Tile 1 T:A T:F T:F
Tile 6 T:A T1:I
TopK 1 T:N
TopK 10 T:N -:I
Transpose 1 T:A
Trilu 14 T:A -:I?
Unique 11 T:A
Unsqueeze 1 T:A
Unsqueeze 13 T:A -:I
Upsample 1 T:A
Upsample 9 T:A -:F
Where 9 B:B T:A T:A
Xor 1 T:B T:B
ai.onnx.ml.ArrayFeatureExtractor 1 T:N -:I
ai.onnx.ml.Binarizer 1 T:N
ai.onnx.ml.TreeEnsemble 5 T:F
ai.onnx.preview.FlexAttention 1 T1:F T1:F T1:F
ai.onnx.preview.training.Adagrad 1 T1:F T2:I -:F*
ai.onnx.preview.training.Adam 1 T1:F T2:I -:F*
ai.onnx.preview.training.Momentum 1 T1:F T2:I -:F*
`
