package op

import (
	"fmt"
	"math"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// An Epilogue is an elementwise operation on the result of an operator.
type Epilogue struct {
	Name string
	Help string

	apply func(g *Builder, r result) compute.Tensor
}

// epilogues is the table of all epilogues.
var epilogues = []Epilogue{
	{"bias", "adds a constant per channel", (*Builder).bias},
	{"bn", "multiplies by a constant per channel and adds another: a folded batch norm", (*Builder).batchNorm},
	{"relu", "max(x, 0)", unary("relu", (*Builder).relu)},
	{"relu6", "min(max(x, 0), 6)", unary("relu6", (*Builder).relu6)},
	{"gelu", "x times the normal distribution's integral, by erf", unary("gelu", (*Builder).gelu)},
	{"sigmoid", "1/(1 + exp(-x))", unary("sigmoid", (*Builder).sigmoid)},
	{"silu", "x*sigmoid(x)", unary("silu", (*Builder).silu)},
	{"add", "adds an input of the result's shape", (*Builder).residual},
	{"requantize", "times a float32 constant per channel, rounded, plus 128, as uint8; of int32", (*Builder).requantize},
}

// Epilogues lists what the key "epilogue" of every operator takes.
func Epilogues() []Epilogue { return append([]Epilogue(nil), epilogues...) }

// parseEpilogues reads a list such as "bias+relu".
func parseEpilogues(text string) ([]Epilogue, error) {
	if text == "" || text == none {
		return nil, nil
	}
	var list []Epilogue
	for name := range strings.SplitSeq(text, "+") {
		e, err := findEpilogue(name)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

func findEpilogue(name string) (Epilogue, error) {
	var known []string
	for _, e := range epilogues {
		if e.Name == name {
			return e, nil
		}
		known = append(known, e.Name)
	}
	return Epilogue{}, fmt.Errorf("unknown epilogue %q: known are %s", name, strings.Join(known, " "))
}

// unary is an epilogue without operands: a function of each element.
func unary(key string, f func(*Builder, tir.Expr) tir.Expr) func(*Builder, result) compute.Tensor {
	return func(g *Builder, r result) compute.Tensor {
		s := g.stage(key, r.Shape, nil)
		return g.Pointwise(s, f(g, r.At(s.index()...)))
	}
}

// perChannel adds an input with an element for each channel of r. It returns
// how to read it at a stage over r.
func (g *Builder) perChannel(name string, r result) func(*Stage) tir.Expr {
	n := r.Shape[r.channel]
	if !g.style.wideBias {
		t := g.input(name, g.types.result, n)
		return func(s *Stage) tir.Expr { return g.read(t, s.at(r.channel)) }
	}
	shape := make([]int64, len(r.Shape))
	for d := range shape {
		shape[d] = 1
	}
	shape[r.channel] = n
	t := g.input(name, g.types.result, shape...)
	return func(s *Stage) tir.Expr { return g.read(t, broadcast(shape, s)...) }
}

// broadcast is the position at which a stage reads an operand of the given shape,
// aligned at the last axis: a dimension of 1 stands for each of the stage's.
func broadcast(shape []int64, s *Stage) []tir.Expr {
	index := make([]tir.Expr, len(shape))
	for d, n := range shape {
		axis := s.Axes[len(s.Axes)-len(shape)+d]
		index[d] = axis.Var
		if n != axis.Extent {
			index[d] = tir.Int(0)
		}
	}
	return index
}

// bias: bias_add(i0, i1) = (dense[i0, i1] + bias[i1])
func (g *Builder) bias(r result) compute.Tensor {
	bias := g.perChannel("bias", r)
	s := g.stage("bias_add", r.Shape, nil)
	return g.Pointwise(s, add(r.At(s.index()...), bias(s)))
}

// batchNorm:
//
//	bn_mul(i0, i1) = (dense[i0, i1]*bn_scale[i1])
//	bn_add(i0, i1) = (bn_mul[i0, i1] + bn_offset[i1])
func (g *Builder) batchNorm(r result) compute.Tensor {
	scale := g.perChannel("bn_scale", r)
	s := g.stage("bn_mul", r.Shape, nil)
	scaled := g.Pointwise(s, mul(r.At(s.index()...), scale(s)))
	offset := g.perChannel("bn_offset", r)
	s = g.stage("bn_add", r.Shape, nil)
	return g.Pointwise(s, add(scaled.At(s.index()...), offset(s)))
}

// residual: add(i0, i1) = (bias_add[i0, i1] + addend[i0, i1])
func (g *Builder) residual(r result) compute.Tensor {
	addend := g.input("addend", g.types.result, r.Shape...)
	s := g.stage("add", r.Shape, nil)
	return g.Pointwise(s, add(r.At(s.index()...), g.read(addend, s.index()...)))
}

// requantize: requantize(i0, i1) = uint8(max(min(roundeven(float32(dense[i0, i1])*scale[i1]) + 128, 255), 0))
func (g *Builder) requantize(r result) compute.Tensor {
	if r.Type != tir.I32 {
		g.refuse("requantize needs sums in int32, not %s: take dtype i8, u8, i16 or i32", r.Type)
		return r.Tensor
	}
	scale := g.input("scale", tir.F32, r.Shape[r.channel])
	s := g.stage("requantize", r.Shape, nil)
	x := mul(cast(tir.F32, r.At(s.index()...)), scale.At(s.at(r.channel)))
	x = add(call(tir.RoundEven, x), tir.Float(tir.F32, 128))
	x = tir.Bin(tir.Max, tir.Bin(tir.Min, x, tir.Float(tir.F32, 255)), tir.Float(tir.F32, 0))
	g.arith, g.types.result = tir.U8, tir.U8 // of the epilogues that follow
	return g.Pointwise(s, cast(tir.U8, x))
}

func (g *Builder) relu(x tir.Expr) tir.Expr { return tir.Bin(tir.Max, x, g.constant(0)) }

func (g *Builder) relu6(x tir.Expr) tir.Expr {
	if g.style.relu6Min {
		return tir.Bin(tir.Max, tir.Bin(tir.Min, x, g.constant(6)), g.constant(0))
	}
	return tir.Bin(tir.Min, tir.Bin(tir.Max, x, g.constant(0)), g.constant(6))
}

func (g *Builder) gelu(x tir.Expr) tir.Expr {
	g.needFloat("gelu")
	erf := call(tir.Erf, mul(x, g.constant(math.Sqrt2/2)))
	return mul(x, add(g.constant(0.5), mul(erf, g.constant(0.5))))
}

func (g *Builder) sigmoid(x tir.Expr) tir.Expr {
	g.needFloat("sigmoid")
	return call(tir.Sigmoid, x)
}

func (g *Builder) silu(x tir.Expr) tir.Expr {
	g.needFloat("silu")
	return mul(x, call(tir.Sigmoid, x))
}
