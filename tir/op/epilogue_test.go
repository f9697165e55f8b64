package op

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// plainEpilogue applies one epilogue to x, whose channels run along an axis. It
// returns how many of the operands it takes.
func plainEpilogue(name string, x array, channel int, operands []array) (array, int) {
	if f := unaryFuncs[name]; f != nil {
		return each(x.shape, func(at []int) float64 { return f(x.at(at...)) }), 0
	}
	switch name {
	case "bias":
		return each(x.shape, func(at []int) float64 { return x.at(at...) + operands[0].at(at[channel]) }), 1
	case "bn":
		return each(x.shape, func(at []int) float64 {
			return x.at(at...)*operands[0].at(at[channel]) + operands[1].at(at[channel])
		}), 2
	case "add":
		return each(x.shape, func(at []int) float64 { return x.at(at...) + operands[0].at(at...) }), 1
	case "requantize":
		return each(x.shape, func(at []int) float64 {
			return max(min(math.RoundToEven(x.at(at...)*operands[0].at(at[channel]))+128, 255), 0)
		}), 1
	}
	panic("no plain epilogue " + name)
}

// TestEpilogues puts each epilogue, and lists of them, behind operators with the
// channels at different places.
func TestEpilogues(t *testing.T) {
	lists := []string{"bias+relu", "bias+add+relu", "bn+relu6", "bias+gelu+add", "add+add", "bias+bn+silu+bias", "bias+sigmoid"}
	for _, e := range Epilogues() {
		lists = append(lists, e.Name)
	}
	small := func(r *rand.Rand, t tir.DType) float64 { // so that little of relu6 is cut off
		if t.IsFloat() {
			return anyNumber(r, t)
		}
		return float64(r.IntN(4))
	}
	for _, base := range []struct {
		spec    string
		channel int
		inputs  int
	}{
		{"dense:m=3,n=4,k=5", 1, 2},
		{"conv2d:h=3,w=4,ci=2,co=3,k=1", 3, 2},
		{"conv2d:h=3,w=4,ci=2,co=3,k=1,layout=NCHW", 1, 2},
		{"batch_matmul:b=2,m=3,n=4,k=2", 2, 2},
		{"maxpool2d:h=4,w=4,c=3,k=2,layout=NCHW", 1, 1},
		{"elementwise:fn=copy,shape=2x3x4", 2, 1},
	} {
		for _, list := range lists {
			names := strings.Split(list, "+")
			dtypes := allTypes
			for _, n := range names {
				if n == "gelu" || n == "sigmoid" || n == "silu" {
					dtypes = floatTypes
				}
				if n == "requantize" {
					dtypes = []string{"i8", "u8", "i16", "u16", "i32"}
				}
			}
			compareOn(t, base.spec+",epilogue="+list, dtypes, small, func(in []array) array {
				x := plainBase(base.spec, in)
				operands := in[base.inputs:]
				for _, n := range names {
					var used int
					x, used = plainEpilogue(n, x, base.channel, operands)
					operands = operands[used:]
				}
				if len(operands) > 0 {
					t.Errorf("%s: %d operands too many", list, len(operands))
				}
				return x
			})
		}
	}
}

// plainBase is the operator before the epilogue, by plain loops.
func plainBase(spec string, in []array) array {
	op, _, _ := strings.Cut(spec, ":")
	first := strings.Contains(spec, "NCHW")
	ones := []int{1, 1}
	switch op {
	case "dense":
		return product([]int{3, 4}, 5,
			func(at []int, k int) float64 { return in[0].at(at[0], k) }, func(at []int, k int) float64 { return in[1].at(at[1], k) })
	case "conv2d":
		return convCase{in: []int{3, 4}, k: ones, s: ones, p: []int{0, 0}, dilation: ones, n: 1, ci: 2, co: 3, groups: 1, first: first}.want(in)
	case "batch_matmul":
		return product([]int{2, 3, 4}, 2,
			func(at []int, k int) float64 { return in[0].at(at[0], at[1], k) }, func(at []int, k int) float64 { return in[1].at(at[0], k, at[2]) })
	case "maxpool2d":
		return poolCase{h: 4, w: 4, c: 3, kh: 2, kw: 2, s: 1, n: 1}.want(first, largest)(in)
	}
	return in[0]
}

// TestEveryOperatorTakesEpilogues builds all pairs.
func TestEveryOperatorTakesEpilogues(t *testing.T) {
	for _, o := range Operators() {
		for _, e := range Epilogues() {
			spec := smallest(o) + ",epilogue=" + e.Name
			w, err := Parse(spec)
			if e.Name == "requantize" {
				refused(t, spec, "requantize needs sums in int32")
				continue
			}
			if o.Name == "argmax" && (e.Name == "gelu" || e.Name == "sigmoid" || e.Name == "silu") {
				refused(t, spec, "needs a floating-point dtype")
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", spec, err)
				continue
			}
			if in, _ := run(t, w.DAG, nil); in == nil {
				t.Errorf("%s does not run", spec)
			}
		}
	}
}

// smallest is a small workload of an operator.
func smallest(o Operator) string {
	var list []string
	for _, k := range o.Keys {
		switch {
		case !k.Required():
		case k.Name == "fn":
			list = append(list, "fn=add")
		case k.Name == "shape":
			list = append(list, "shape=2x3")
		case k.Name == "k":
			list = append(list, "k=3")
		default:
			list = append(list, k.Name+"=4")
		}
	}
	return o.Name + ":" + strings.Join(list, ",")
}
