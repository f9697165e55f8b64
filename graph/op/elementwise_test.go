package op

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// allTypes are the types that TensorIR has.
var allTypes = tir.DTypes()

// TestPointwise: every operator with one operand or two computes in its program what it does in the reference, in every type
// that it takes, with operands that broadcast.
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
