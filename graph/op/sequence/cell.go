package sequence

import (
	"fmt"
	"math"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// A cell says what a recurrent network computes at a time.
type cell struct {
	kind          string           // RNN, GRU or LSTM
	functions     [][]gateFunction // by direction: f, g and h
	clip          float64          // 0 without
	linear        bool             // linear_before_reset of a GRU
	coupled       bool             // input_forget of an LSTM
	reversedFirst bool             // direction 0 goes backwards
	quantized     bool             // the state is quantized before each product
}

// A gateFunction is a function of a gate, with its parameters.
type gateFunction struct {
	name        string
	alpha, beta float64
}

// gateFunctions are those that gates may have: which parameters they take, and their defaults.
var gateFunctions = []struct {
	name        string
	parameters  int // alpha, beta
	alpha, beta float64
	number      func(x, alpha, beta float64) float64
	expr        func(x tir.Expr, alpha, beta float64) tir.Expr
}{
	{"Relu", 0, 0, 0, func(x, _, _ float64) float64 { return max(x, 0) },
		func(x tir.Expr, _, _ float64) tir.Expr { return MaxOf(x, Num(x, 0)) }},
	{"Tanh", 0, 0, 0, func(x, _, _ float64) float64 { return math.Tanh(x) },
		func(x tir.Expr, _, _ float64) tir.Expr { return Fn(tir.Tanh, x) }},
	{"Sigmoid", 0, 0, 0, func(x, _, _ float64) float64 { return array.Logistic(x) },
		func(x tir.Expr, _, _ float64) tir.Expr { return Fn(tir.Sigmoid, x) }},
	{"Affine", 2, 1, 0, func(x, a, b float64) float64 { return a*x + b },
		func(x tir.Expr, a, b float64) tir.Expr { return Add(Mul(x, Num(x, a)), Num(x, b)) }},
	{"LeakyRelu", 1, 0.01, 0, func(x, a, _ float64) float64 {
		if x < 0 {
			return a * x
		}
		return x
	}, func(x tir.Expr, a, _ float64) tir.Expr { return Sel(Lt(x, Num(x, 0)), Mul(x, Num(x, a)), x) }},
	{"ThresholdedRelu", 1, 1, 0, func(x, a, _ float64) float64 {
		if x < a {
			return 0
		}
		return x
	}, func(x tir.Expr, a, _ float64) tir.Expr { return Sel(Lt(x, Num(x, a)), Num(x, 0), x) }},
	{"ScaledTanh", 2, 1, 1, func(x, a, b float64) float64 { return a * math.Tanh(b*x) },
		func(x tir.Expr, a, b float64) tir.Expr { return Mul(Fn(tir.Tanh, Mul(x, Num(x, b))), Num(x, a)) }},
	{"HardSigmoid", 2, 0.2, 0.5, func(x, a, b float64) float64 { return min(max(a*x+b, 0), 1) },
		func(x tir.Expr, a, b float64) tir.Expr {
			return MinOf(MaxOf(Add(Mul(x, Num(x, a)), Num(x, b)), Num(x, 0)), Num(x, 1))
		}},
	{"Elu", 1, 1, 0, func(x, a, _ float64) float64 {
		if x < 0 {
			return a * math.Expm1(x)
		}
		return x
	}, func(x tir.Expr, a, _ float64) tir.Expr {
		return Sel(Lt(x, Num(x, 0)), Mul(Sub(Fn(tir.Exp, MinOf(x, Num(x, 0))), Num(x, 1)), Num(x, a)), x)
	}},
	{"Softsign", 0, 0, 0, func(x, _, _ float64) float64 { return x / (1 + math.Abs(x)) },
		func(x tir.Expr, _, _ float64) tir.Expr { return Quo(x, Add(Fn(tir.Abs, x), Num(x, 1))) }},
	{"Softplus", 0, 0, 0, func(x, _, _ float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) },
		func(x tir.Expr, _, _ float64) tir.Expr {
			return Add(MaxOf(x, Num(x, 0)), Fn(tir.Log, Add(Fn(tir.Exp, Neg(Fn(tir.Abs, x))), Num(x, 1))))
		}},
}

func findGateFunction(name string) (int, error) {
	var known []string
	for i, a := range gateFunctions {
		if strings.EqualFold(a.name, name) {
			return i, nil
		}
		known = append(known, a.name)
	}
	return 0, fmt.Errorf("activation %q: known are %s", name, strings.Join(known, " "))
}

func (a gateFunction) number(x float64) float64 {
	i, _ := findGateFunction(a.name)
	return gateFunctions[i].number(x, a.alpha, a.beta)
}

func (a gateFunction) expr(x tir.Expr) tir.Expr {
	i, _ := findGateFunction(a.name)
	return gateFunctions[i].expr(x, a.alpha, a.beta)
}

// defaultActivations are those of a direction of a cell.
var defaultActivations = map[string][]string{
	"RNN": {"Tanh"}, "GRU": {"Sigmoid", "Tanh"}, "LSTM": {"Sigmoid", "Tanh", "Tanh"},
}

// cellOf reads the attributes of a recurrent network.
func cellOf(n *graph.Node, kind string) (*cell, error) {
	c := &cell{kind: kind, clip: n.Float("clip", 0), linear: n.Int("linear_before_reset", 0) != 0,
		coupled: n.Int("input_forget", 0) != 0}
	directions := 1
	direction := n.Str("direction", "forward")
	if direction == "bidirectional" {
		directions = 2
	}
	c.reversedFirst = direction == "reverse"
	per := len(defaultActivations[kind])
	var names []string
	if a := n.Attr("activations"); a != nil {
		names = a.Strings
	}
	if len(names) == 0 {
		for range directions {
			names = append(names, defaultActivations[kind]...)
		}
	}
	if len(names) != per*directions {
		return nil, fmt.Errorf("%d activations: %s has %d", len(names), kind, per*directions)
	}
	alphas, betas := n.Floats("activation_alpha"), n.Floats("activation_beta")
	for i, name := range names {
		k, err := findGateFunction(name)
		if err != nil {
			return nil, err
		}
		a := gateFunction{name, gateFunctions[k].alpha, gateFunctions[k].beta}
		if gateFunctions[k].parameters > 0 && len(alphas) > 0 {
			a.alpha, alphas = alphas[0], alphas[1:]
		}
		if gateFunctions[k].parameters > 1 && len(betas) > 0 {
			a.beta, betas = betas[0], betas[1:]
		}
		if i%per == 0 {
			c.functions = append(c.functions, nil)
		}
		c.functions[i/per] = append(c.functions[i/per], a)
	}
	return c, nil
}

// A cellEval computes the state of a sequence, time after time.
type cellEval struct {
	*cell
	width int64
	dir   int
	r     []float64 // recurrent weights, a row for each element of a gate
	p     []float64 // of peepholes, or nil
	h, c  []float64

	rounds bool // products and the state are rounded, as float32 does
}

// step changes the state. Gates holds the products with the input, late what is added to those with the state.
func (e *cellEval) step(gates, late []float64) {
	w := int(e.width)
	f := e.functions[e.dir]
	apply := func(a gateFunction, x float64) float64 {
		if e.clip > 0 {
			x = min(max(x, -e.clip), e.clip)
		}
		return a.number(x)
	}
	h, dot := e.h, array.Dot
	if e.quantized {
		h = asBytes(h)
	}
	if e.rounds {
		dot = roundedDot
	}
	product := func(i int) float64 { return dot(e.r[i*w:(i+1)*w], h) + late[i] }
	next := make([]float64, w)
	switch e.kind {
	case "RNN":
		for j := range w {
			next[j] = apply(f[0], gates[j]+product(j))
		}
	case "GRU":
		z, reset := make([]float64, w), make([]float64, w)
		for j := range w {
			z[j], reset[j] = apply(f[0], gates[j]+product(j)), apply(f[0], gates[w+j]+product(w+j))
		}
		for j := range w {
			v := reset[j] * product(2*w+j)
			if !e.linear {
				v = late[2*w+j]
				for k, h := range e.h {
					v += e.r[(2*w+j)*w+k] * reset[k] * h
				}
			}
			next[j] = (1-z[j])*apply(f[1], gates[2*w+j]+v) + z[j]*e.h[j]
		}
	case "LSTM":
		peep := func(gate, j int, c float64) float64 {
			if e.p == nil {
				return 0
			}
			return e.p[gate*w+j] * c
		}
		for j := range w {
			in := apply(f[0], gates[j]+product(j)+peep(0, j, e.c[j]))
			forget := 1 - in
			if !e.coupled {
				forget = apply(f[0], gates[2*w+j]+product(2*w+j)+peep(2, j, e.c[j]))
			}
			e.c[j] = forget*e.c[j] + in*apply(f[1], gates[3*w+j]+product(3*w+j))
			out := apply(f[0], gates[w+j]+product(w+j)+peep(1, j, e.c[j]))
			next[j] = out * f[2].number(e.c[j])
		}
	}
	copy(e.h, next)
	for i := 0; e.rounds && i < w; i++ {
		e.h[i], e.c[i] = float64(float32(e.h[i])), float64(float32(e.c[i]))
	}
}

// roundedDot is a product that float32 computes.
func roundedDot(x, y []float64) float64 {
	sum := float32(0)
	for i, v := range x {
		sum += float32(v * y[i])
	}
	return float64(sum)
}

// asBytes returns the numbers that a state stands for as bytes whose range is that of the state and 0. It rounds as
// float32 does.
func asBytes(h []float64) []float64 {
	least, most := float32(min(0, array.SmallestOf(h))), float32(max(0, array.LargestOf(h)))
	scale := (most - least) / 255
	if scale == 0 {
		scale = 1
	}
	zero := math.RoundToEven(float64(-least / scale))
	q := make([]float64, len(h))
	for i, v := range h {
		byte := min(max(math.RoundToEven(float64(float32(v)/scale))+zero, 0), 255)
		q[i] = (byte - zero) * float64(scale)
	}
	return q
}
