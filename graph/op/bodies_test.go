package op

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// A bodyCase is a node with random inputs: its body, or what else makes its program, must compute what Eval does.
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

// node makes the node and the contents of its inputs.
func (c *bodyCase) node(t *testing.T) (*graph.Node, []*graph.Tensor) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(len(c.name))))
	n := &graph.Node{Name: c.name, Op: c.op, Version: c.ver}
	if n.Version == 0 {
		n.Version = 26
	}
	if d, o, ok := strings.Cut(c.op, "."); ok {
		n.Domain, n.Op = d, o
	}
	n.SetAttr(c.attrs...)
	var in []*graph.Tensor
	for i, s := range c.inputs {
		if s.absent {
			n.Inputs, in = append(n.Inputs, nil), append(in, nil)
			continue
		}
		x := s.data
		if x == nil {
			if s.t == tir.Invalid {
				s.t = tir.F32
			}
			x = graph.NewTensor(s.t, s.shape...)
			for k := range x.Len() {
				if x.F != nil {
					x.F[k] = float64(rng.IntN(65)-32) / 16
				} else {
					x.I[k] = int64(rng.IntN(9)) - 4
					if s.t.IsUnsigned() {
						x.I[k] += 4
					}
				}
			}
		}
		v := &graph.Value{Name: fmt.Sprintf("x%d", i), Type: x.Type, Shape: x.Shape, Ranked: true}
		if s.constant {
			v.Const = x.Const()
		}
		n.Inputs, in = append(n.Inputs, v), append(in, x)
	}
	for i := range max(1, c.outs) {
		n.Outputs = append(n.Outputs, &graph.Value{Name: fmt.Sprintf("y%d", i)})
	}
	return n, in
}

// check runs the case.
func (c *bodyCase) check(t *testing.T) {
	t.Helper()
	n, in := c.node(t)
	if err := inferOnly(n); err != nil {
		t.Fatal(err)
	}
	checkInferred(t, n, in)
}

func checkAll(t *testing.T, cases []bodyCase) {
	for _, c := range cases {
		t.Run(c.op+" "+c.name, c.check)
	}
}
