package op

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// The functions once more, on float64.
var unaryFuncs = map[string]func(x float64) float64{
	"copy":    func(x float64) float64 { return x },
	"neg":     func(x float64) float64 { return -x },
	"square":  func(x float64) float64 { return x * x },
	"relu":    func(x float64) float64 { return math.Max(x, 0) },
	"relu6":   func(x float64) float64 { return math.Max(0, math.Min(x, 6)) },
	"gelu":    func(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) },
	"sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"silu":    func(x float64) float64 { return x / (1 + math.Exp(-x)) },
	"exp":     math.Exp,
	"log":     math.Log,
	"sqrt":    math.Sqrt,
	"rsqrt":   func(x float64) float64 { return 1 / math.Sqrt(x) },
	"tanh":    math.Tanh,
	"erf":     math.Erf,
	"sin":     math.Sin,
	"cos":     math.Cos,
	"atan":    math.Atan,
	"abs":     math.Abs,
	"floor":   math.Floor,
	"ceil":    math.Ceil,
	"round":   math.Round,

	"roundeven": math.RoundToEven,
}

var binaryFuncs = map[string]func(x, y float64) float64{
	"add": func(x, y float64) float64 { return x + y },
	"sub": func(x, y float64) float64 { return x - y },
	"mul": func(x, y float64) float64 { return x * y },
	"div": func(x, y float64) float64 { return x / y },
	"max": math.Max,
	"min": math.Min,
	"pow": math.Pow,
}

func TestElementwise(t *testing.T) {
	for _, f := range functions {
		dtypes := allTypes
		if f.float {
			dtypes = floatTypes
			refusedInts(t, "elementwise:fn="+f.name+",shape=4")
		}
		draw := anyNumber
		switch f.name {
		case "log", "sqrt", "rsqrt", "pow", "div":
			draw = positive
		case "relu6":
			draw = func(r *rand.Rand, t tir.DType) float64 { return 4 * anyNumber(r, t) }
		}
		one, two := unaryFuncs[f.name], binaryFuncs[f.name]
		if one != nil {
			compareOn(t, "elementwise:fn="+f.name+",shape=4x5", dtypes, draw, func(in []array) array {
				return each([]int{4, 5}, func(at []int) float64 { return one(in[0].at(at...)) })
			})
			refused(t, "elementwise:fn="+f.name+",shape=4,y=4", "takes one operand")
			continue
		}
		if two == nil {
			t.Errorf("%s is not tested", f.name)
			continue
		}
		compareOn(t, "elementwise:fn="+f.name+",shape=4x5", dtypes, draw, func(in []array) array {
			return each([]int{4, 5}, func(at []int) float64 { return two(in[0].at(at...), in[1].at(at...)) })
		})
		for y, index := range map[string]func(at []int) []int{
			"5":     func(at []int) []int { return at[2:] },
			"1":     func(at []int) []int { return []int{0} },
			"4x1":   func(at []int) []int { return []int{at[1], 0} },
			"3x1x5": func(at []int) []int { return []int{at[0], 0, at[2]} },
			"1x4x1": func(at []int) []int { return []int{0, at[1], 0} },
		} {
			compareOn(t, "elementwise:fn="+f.name+",shape=3x4x5,y="+y, dtypes, draw, func(in []array) array {
				return each([]int{3, 4, 5}, func(at []int) float64 { return two(in[0].at(at...), in[1].at(index(at)...)) })
			})
		}
	}
	compare(t, "elementwise:fn=sub,shape=4x5,batch=3", allTypes, func(in []array) array {
		return each([]int{3, 4, 5}, func(at []int) float64 { return in[0].at(at...) - in[1].at(at...) })
	})
	compare(t, "elementwise:fn=sub,shape=4x5,y=5,batch=3", allTypes, func(in []array) array {
		return each([]int{3, 4, 5}, func(at []int) float64 { return in[0].at(at...) - in[1].at(at[2]) })
	})
}

func TestElementwiseRefuses(t *testing.T) {
	refused(t, "elementwise:fn=add,shape=4x5,y=4", "each dimension must be 1 or that of x")
	refused(t, "elementwise:fn=add,shape=5,y=4x5", "has more dimensions than x")
	refused(t, "elementwise:fn=cosh,shape=5", "must be one of add sub")
	refused(t, "elementwise:fn=add,shape=4x0", "shape=4x0: must be at least 1")
	refused(t, "elementwise:fn=add,shape=1x1x1x1x1x1x1", "at most 6")
}
