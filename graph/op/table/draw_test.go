package table

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// A bodyCase is a nodeCase whose inputs are drawn.
type bodyCase struct {
	name   string
	op     string
	inputs []testInput
	attrs  []graph.Attr
	outs   int // 1 if 0
	ver    int // 26 if 0
}

// A testInput is an input of random numbers, or of given ones.
type testInput struct {
	t        tir.DType // float32 if Invalid
	shape    []int64
	constant bool
	data     *graph.Tensor
	absent   bool
}

func varying(shape ...int64) testInput  { return testInput{shape: shape} }
func constant(shape ...int64) testInput { return testInput{shape: shape, constant: true} }
func fixed(t *graph.Tensor) testInput   { return testInput{data: t, constant: true} }
func given(t *graph.Tensor) testInput   { return testInput{data: t} }
func absent() testInput                 { return testInput{absent: true} }

func (i testInput) of(t tir.DType) testInput {
	i.t = t
	return i
}

// draw makes the case.
func (c *bodyCase) draw() nodeCase {
	rng := rand.New(rand.NewPCG(1, uint64(len(c.name))))
	d := nodeCase{op: c.op, version: c.ver, attrs: c.attrs, outputs: c.outs}
	if d.version == 0 {
		d.version = 26
	}
	for i, s := range c.inputs {
		x := s.data
		if x == nil && !s.absent {
			x = s.draw(rng)
		}
		d.in = append(d.in, x)
		if s.constant {
			d.fixed = append(d.fixed, i)
		}
	}
	return d
}

func (i testInput) draw(rng *rand.Rand) *graph.Tensor {
	if i.t == tir.Invalid {
		i.t = tir.F32
	}
	x := graph.NewTensor(i.t, i.shape...)
	for k := range x.F {
		x.F[k] = float64(rng.IntN(65)-32) / 16
	}
	for k := range x.I {
		x.I[k] = int64(rng.IntN(9)) - 4
		if i.t.IsUnsigned() {
			x.I[k] += 4
		}
	}
	return x
}

func checkAll(t *testing.T, cases []bodyCase) {
	for _, c := range cases {
		t.Run(c.op+" "+c.name, func(t *testing.T) { c.draw().check(t) })
	}
}

// random returns numbers of a type between lo and hi, the last included for integers.
func random(rng *rand.Rand, t tir.DType, lo, hi float64, shape ...int64) *graph.Tensor {
	x := integersIn(rng, t, int64(lo), int64(hi)+1, shape...)
	for i := range x.F {
		x.F[i] = tir.Rounded(t, lo+rng.Float64()*(hi-lo))
	}
	return x
}

// integersIn returns a tensor of integers of type t in low..high-1.
func integersIn(r *rand.Rand, t tir.DType, low, high int64, shape ...int64) *graph.Tensor {
	x := graph.NewTensor(t, shape...)
	for i := range x.I {
		x.I[i] = low + r.Int64N(high-low)
	}
	return x
}

// numbers returns a tensor of small numbers.
func numbers(r *rand.Rand, t tir.DType, shape ...int64) *graph.Tensor {
	low, high := int64(-100), int64(100)
	switch {
	case t == tir.Bool:
		low, high = 0, 2
	case t.IsUnsigned():
		low = 0
	}
	x := integersIn(r, t, low, high, shape...)
	for i := range x.F {
		x.F[i] = float64(r.IntN(4001)-2000) / 64
	}
	return x
}

// smallShape returns a shape of small dimensions.
func smallShape(r *rand.Rand, rank int) []int64 {
	s := make([]int64, rank)
	for i := range s {
		s[i] = 1 + r.Int64N(4)
	}
	return s
}
