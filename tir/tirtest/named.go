package tirtest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Named returns the DAG of a line such as "matmul 128 64 32", for
// golden files, of float32:
//
//	matmul M N K          A, B, C
//	matmul_relu M N K     A, B, C, D
//	conv H W CI CO K      X, pad, W, C: stride 1, padded by K/2, channels last
//	softmax M N           X, max, exp, sum, softmax
//	argmax M N            X, argmax: two results
//	sum M N               X, S: over the last axis
//	add M N               A, B, C
//	chain M N             X, Y, Z: elementwise
//	quantized M N K       A of uint8, W of int8, C of int32
//
// A type before the name is that of the inputs, as in "float16 matmul 32 16 16".
func Named(line string) (*compute.DAG, error) {
	f := strings.Fields(line)
	storage := tir.F32
	if len(f) > 0 {
		if t, err := tir.ParseDType(f[0]); err == nil {
			storage, f = t, f[1:]
		}
	}
	if len(f) == 0 {
		return nil, fmt.Errorf("tirtest: no DAG named")
	}
	n := make([]int64, len(f)-1)
	for i, s := range f[1:] {
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("tirtest: DAG %q: %w", line, err)
		}
		n[i] = v
	}
	d, ok := namedDAGs[f[0]]
	if !ok || len(n) != d.numbers {
		return nil, fmt.Errorf("tirtest: no DAG %q of %d numbers", f[0], len(n))
	}
	g := newGen(rand.New(rand.NewPCG(0, 0)))
	g.storage, g.t = storage, arithmeticType(storage)
	d.build(g, n)
	return g.dag(), nil
}

var namedDAGs = map[string]struct {
	numbers int
	build   func(g *gen, n []int64)
}{
	"matmul":      {3, func(g *gen, n []int64) { g.output(g.namedMatmul(n)) }},
	"matmul_relu": {3, (*gen).namedMatmulRelu},
	"scores":      {3, (*gen).namedScores},
	"conv":        {5, (*gen).namedConv},
	"softmax":     {2, func(g *gen, n []int64) { g.softmaxOf(n) }},
	"argmax":      {2, func(g *gen, n []int64) { g.argmaxOf(n) }},
	"sum":         {2, (*gen).namedSum},
	"wide_sum":    {2, (*gen).namedWideSum},
	"add":         {2, (*gen).namedAdd},
	"chain":       {2, (*gen).namedChain},
	"quantized":   {3, (*gen).namedQuantized},
}

func (g *gen) namedMatmul(n []int64) *tir.Buffer {
	a, b := g.input("A", n[0], n[2]), g.input("B", n[2], n[1])
	return g.product("C", a, b, n[0], n[1], n[2], false, false)
}

func (g *gen) namedMatmulRelu(n []int64) {
	c := g.namedMatmul(n)
	g.output(g.compute("D", c.Shape,
		func(at []tir.Expr) tir.Expr { return tir.Bin(tir.Max, load(c, at...), tir.Float(g.t, 0)) }))
}

// namedScores is a product of rows, of which one side is computed before.
func (g *gen) namedScores(n []int64) {
	q, b := g.input("Q", n[0], n[2]), g.input("B", n[1], n[2])
	k := g.compute("K", b.Shape, func(at []tir.Expr) tir.Expr { return mul(load(b, at...), tir.Float(g.t, 2)) })
	g.output(g.fold(compute.Sum, "C", []int64{n[0], n[1]}, []int64{n[2]}, func(at, r []tir.Expr) tir.Expr {
		return mul(load(q, at[0], r[0]), load(k, at[1], r[0]))
	}))
}

func (g *gen) namedConv(n []int64) {
	x := g.input("X", n[0], n[1], n[2])
	p := g.pad(x, map[int]int64{0: n[4] / 2, 1: n[4] / 2}, tir.Float(g.t, 0))
	k := g.input("W", n[4], n[4], n[2], n[3])
	g.output(g.fold(compute.Sum, "C", []int64{n[0], n[1], n[3]}, []int64{n[4], n[4], n[2]},
		func(at, r []tir.Expr) tir.Expr {
			return mul(load(p, add(at[0], r[0]), add(at[1], r[1]), r[2]), load(k, r[0], r[1], r[2], at[2]))
		}))
}

func (g *gen) namedSum(n []int64) {
	x := g.input("X", n...)
	g.output(g.fold(compute.Sum, "S", n[:1], n[1:], func(at, r []tir.Expr) tir.Expr { return load(x, at[0], r[0]) }))
}

func (g *gen) namedAdd(n []int64) {
	a, b := g.input("A", n...), g.input("B", n...)
	g.output(g.compute("C", n, func(at []tir.Expr) tir.Expr { return add(load(a, at...), load(b, at...)) }))
}

func (g *gen) namedChain(n []int64) {
	x := g.input("X", n...)
	y := g.compute("Y", n, func(at []tir.Expr) tir.Expr { return mul(load(x, at...), tir.Float(g.t, 2)) })
	g.output(g.compute("Z", n, func(at []tir.Expr) tir.Expr { return add(load(y, at...), tir.Float(g.t, 1)) }))
}

func (g *gen) namedQuantized(n []int64) {
	a, w := g.typedInput("A", tir.U8, n[0], n[2]), g.typedInput("W", tir.I8, n[2], n[1])
	g.t = tir.I32
	g.output(g.product("C", a, w, n[0], n[1], n[2], false, false))
}

// namedWideSum is a wide sum, whose result is read: an output accumulates in its own type.
func (g *gen) namedWideSum(n []int64) {
	x := g.input("X", n...)
	s := g.fold(compute.Sum, "S", n[:1], n[1:], func(at, r []tir.Expr) tir.Expr { return load(x, at[0], r[0]) })
	g.output(g.compute("Y", n[:1], func(at []tir.Expr) tir.Expr { return load(s, at...) }))
	widenSums(g.dag())
}
