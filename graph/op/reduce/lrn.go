package reduce

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Responses has LRN: x/(bias + alpha/size*s)^beta, with s the sum of the squares of size channels around.
var Responses = []op.Row{
	{Op: "LRN", Since: 1, In: "T:F", Class: op.Reduction, Infer: inferLRN, Eval: evalLRN, Body: bodyLRN},
}

func inferLRN(n *graph.Node) ([]op.Type, error) {
	if _, err := ChannelsOf(n); err != nil {
		return nil, err
	}
	if n.Int("size", 0) < 1 {
		return nil, fmt.Errorf("attribute size is %d: it must be at least 1", n.Int("size", 0))
	}
	return op.InferSame(n)
}

func evalLRN(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	y := graph.NewTensor(x.Type, x.Shape...)
	size, channels, pixels := n.Int("size", 1), x.Shape[1], graph.Elems(x.Shape[2:])
	err := array.Parallel(call.Context, int(x.Shape[0]*channels), func(i int) {
		c := int64(i) % channels
		first, last := max(0, c-(size-1)/2), min(channels-1, c+size/2)
		for p := range pixels {
			sum := 0.0
			for k := first; k <= last; k++ {
				v := x.F[(int64(i)-c+k)*pixels+p]
				sum += v * v
			}
			at := int64(i)*pixels + p
			scale := n.Float("bias", 1) + n.Float("alpha", 1e-4)/float64(size)*sum
			y.F[at] = x.F[at] / math.Pow(scale, n.Float("beta", 0.75))
		}
	})
	return []*graph.Tensor{y}, err
}

// bodyLRN makes
//
//	sqsum(i0, i1) += (pad[i0, (i1 + r)]*pad[i0, (i1 + r)])
//	lrn(i0, i1) = (x[i0, i1]/tir.pow(((sqsum[i0, i1]*0.00002f) + 1f), 0.75f))
func bodyLRN(b *op.Body) error {
	n := b.Node
	x := n.Inputs[0]
	size := n.Int("size", 1)
	list := make([]tirop.Margin, len(x.Shape))
	list[1] = tirop.Margin{Before: (size - 1) / 2, After: size / 2}
	padded := b.Stages(x.Type).Pad("pad", b.Input(0), list, nil)
	axes, at := b.Axes(x.Shape)
	r := compute.NewAxis("r", size)
	at[1] = Add(at[1], r.Var)
	v := Cast(padded.At(at...), Register(x.Type))
	sum := b.Sum(b.Unique("sqsum"), axes, compute.Axes(r), Mul(v, v))
	axes, at = b.Axes(x.Shape)
	v = b.Read(0, at...)
	scale := Add(Mul(sum.At(at...), Num(v, n.Float("alpha", 1e-4)/float64(size))), Num(v, n.Float("bias", 1)))
	b.Output(b.Stage("lrn", x.Type, axes, Quo(v, Fn(tir.Pow, scale, Num(v, n.Float("beta", 0.75))))))
	return nil
}
