package table

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// allTypes are the types that TensorIR has.
var allTypes = tir.DTypes()

// TestPointwise: every operator with one operand or two computes in its program what it does in the reference, in
// every type that it takes, with operands that broadcast.
func TestPointwise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	shapes := [][2][]int64{{{2, 3}, {2, 3}}, {{4}, {3, 1}}, {{}, {2, 1, 3}}, {{2, 3}, {1}}, {{0, 2}, {1}}}
	for _, op := range []struct {
		name    string
		version int
		inputs  int
		lo, hi  float64
		attrs   []graph.Attr
	}{
		{"Add", 14, 2, -3, 3, nil},
		{"Sub", 14, 2, -3, 3, nil},
		{"Mul", 14, 2, -3, 3, nil},
		{"Div", 14, 2, -3, 3, nil},
		{"Mod", 13, 2, -5, 5, nil},
		{"Mod", 13, 2, -5, 5, []graph.Attr{graph.IntAttr("fmod", 1)}},
		{"Pow", 15, 2, -3, 3, nil},
		{"Neg", 13, 1, -3, 3, nil},
		{"Abs", 13, 1, -3, 3, nil},
		{"Sign", 13, 1, -2, 2, nil},
		{"Reciprocal", 13, 1, -2, 2, nil},
		{"Sqrt", 13, 1, -1, 3, nil},
		{"Exp", 13, 1, -3, 3, nil},
		{"Log", 13, 1, -1, 3, nil},
		{"Erf", 13, 1, -3, 3, nil},
		{"Floor", 13, 1, -3, 3, nil},
		{"Ceil", 13, 1, -3, 3, nil},
		{"Round", 11, 1, -3, 3, nil},
		{"Identity", 13, 1, 0, 1, nil},
		{"Equal", 19, 2, 0, 2, nil},
		{"Less", 13, 2, -1, 2, nil},
		{"LessOrEqual", 16, 2, -1, 2, nil},
		{"Greater", 13, 2, -1, 2, nil},
		{"GreaterOrEqual", 16, 2, -1, 2, nil},
		{"And", 7, 2, 0, 1, nil},
		{"Or", 7, 2, 0, 1, nil},
		{"Xor", 7, 2, 0, 1, nil},
		{"Not", 1, 1, 0, 1, nil},
		{"IsNaN", 20, 1, -1, 1, nil},
		{"IsInf", 20, 1, -1, 1, nil},
		{"BitShift", 28, 2, -9, 40, []graph.Attr{graph.StrAttr("direction", "LEFT")}},
		{"BitShift", 28, 2, -9, 40, []graph.Attr{graph.StrAttr("direction", "RIGHT")}},
		{"BitwiseAnd", 18, 2, -90, 90, nil},
		{"BitwiseOr", 18, 2, -90, 90, nil},
		{"BitwiseXor", 18, 2, -90, 90, nil},
		{"BitwiseNot", 18, 1, -90, 90, nil},
		{"Max", 13, 2, -90, 90, nil},
		{"Max", 13, 1, -90, 90, nil},
		{"Min", 13, 2, -90, 90, nil},
		{"Sum", 13, 2, -3, 3, nil},
		{"Mean", 13, 2, -3, 3, nil},
		{"Clip", 6, 1, -3, 3, []graph.Attr{graph.FloatAttr("min", -1), graph.FloatAttr("max", 2)}},
		{"Clip", 10, 1, -3, 3, nil},
		{"Relu", 14, 1, -3, 3, nil},
		{"LeakyRelu", 16, 1, -3, 3, nil},
		{"LeakyRelu", 16, 1, -3, 3, []graph.Attr{graph.FloatAttr("alpha", 0.25)}},
		{"Elu", 6, 1, -3, 3, []graph.Attr{graph.FloatAttr("alpha", 2)}},
		{"Selu", 6, 1, -3, 3, nil},
		{"Celu", 12, 1, -3, 3, []graph.Attr{graph.FloatAttr("alpha", 2)}},
		{"Sigmoid", 13, 1, -9, 9, nil},
		{"HardSigmoid", 6, 1, -4, 4, nil},
		{"HardSwish", 14, 1, -4, 4, nil},
		{"Swish", 24, 1, -4, 4, nil},
		{"Swish", 24, 1, -4, 4, []graph.Attr{graph.FloatAttr("alpha", 1.5)}},
		{"Gelu", 20, 1, -4, 4, nil},
		{"Gelu", 20, 1, -4, 4, []graph.Attr{graph.StrAttr("approximate", "tanh")}},
		{"Mish", 18, 1, -30, 30, nil},
		{"Softplus", 1, 1, -30, 30, nil},
		{"Softsign", 1, 1, -3, 3, nil},
		{"ThresholdedRelu", 10, 1, -3, 3, nil},
		{"Shrink", 9, 1, -3, 3, []graph.Attr{graph.FloatAttr("lambd", 1.5), graph.FloatAttr("bias", 1)}},
		{"Sin", 7, 1, -9, 9, nil},
		{"Cos", 7, 1, -9, 9, nil},
		{"Tan", 7, 1, -1.5, 1.5, nil},
		{"Asin", 7, 1, -1.1, 1.1, nil},
		{"Acos", 7, 1, -1.1, 1.1, nil},
		{"Atan", 7, 1, -9, 9, nil},
		{"Sinh", 9, 1, -9, 9, nil},
		{"Cosh", 9, 1, -9, 9, nil},
		{"Tanh", 13, 1, -3, 3, nil},
		{"Asinh", 9, 1, -9, 9, nil},
		{"Acosh", 9, 1, 0, 9, nil},
		{"Atanh", 9, 1, -1.1, 1.1, nil},
	} {
		types := 0
		for _, dt := range allTypes {
			lo := op.lo
			if dt.IsUnsigned() || dt == tir.Bool {
				lo = 0
			}
			for _, s := range shapes {
				in := []*graph.Tensor{random(rng, dt, lo, op.hi, s[0]...), random(rng, dt, lo, op.hi, s[1]...)}[:op.inputs]
				n, err := newNode(op.name, op.version, 1, in, func(i int) bool { return i == 1 && rng.IntN(2) == 0 }, op.attrs...)
				if err != nil {
					break // not of this type
				}
				checkInferred(t, n, in)
				types++
			}
		}
		if types == 0 {
			t.Errorf("%s: no type", op.name)
		}
	}
}
