package product

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Rotaries has RotaryEmbedding, which turns pairs of elements by angles. wmtune.RotaryEmbedding takes x of four
// dimensions, heads in that of attribute heads (1 or 2) and positions in the other, and cosines and sines for each
// position of each batch.
var Rotaries = []op.Row{
	{Op: "RotaryEmbedding", Since: 23, In: "T:F T:F T:F M:I?", Class: op.Injective, Infer: inferRotary,
		Eval:      op.EvalBy(rotaryOf, evalRotary),
		Decompose: decomposeRotary},
	{Op: "wmtune.RotaryEmbedding", Class: op.Injective, Infer: op.InferSame, Eval: evalTurned, Body: bodyRotary},
}

// A rotary has the sizes of a RotaryEmbedding.
type rotary struct {
	batch, heads, length, size int64
	turned                     int64 // elements of a head that are turned
	headsDim                   int64 // of the input with four dimensions
}

func rotaryOf(n *graph.Node) (*rotary, error) {
	x := n.Inputs[0].Shape
	r := &rotary{}
	switch {
	case len(x) == 4:
		r.batch, r.heads, r.length, r.size, r.headsDim = x[0], x[1], x[2], x[3], 1
	case len(x) == 3 && n.Int("num_heads", 0) > 0 && x[2]%n.Int("num_heads", 0) == 0:
		r.batch, r.length, r.heads, r.headsDim = x[0], x[1], n.Int("num_heads", 0), 2
		r.size = x[2] / r.heads
	default:
		return nil, fmt.Errorf("an input of shape %v in %d heads", x, n.Int("num_heads", 0))
	}
	if r.turned = n.Int("rotary_embedding_dim", 0); r.turned == 0 {
		r.turned = r.size
	}
	if r.turned%2 != 0 || r.turned > r.size || r.turned < 0 {
		return nil, fmt.Errorf("%d elements of %d to turn: they must be even", r.turned, r.size)
	}
	want := []int64{r.batch, r.length, r.turned / 2}
	if p := n.Input(3); p != nil {
		if !slices.Equal(p.Shape, want[:2]) {
			return nil, fmt.Errorf("positions of shape %v: it must be %v", p.Shape, want[:2])
		}
		if want = n.Inputs[1].Shape; len(want) != 2 || want[1] != r.turned/2 {
			return nil, fmt.Errorf("cosines of shape %v: it must be [positions, %d]", want, r.turned/2)
		}
	}
	for _, v := range n.Inputs[1:3] {
		if !slices.Equal(v.Shape, want) {
			return nil, fmt.Errorf("cosines or sines of shape %v: it must be %v", v.Shape, want)
		}
	}
	return r, nil
}

func inferRotary(n *graph.Node) ([]op.Type, error) {
	if _, err := rotaryOf(n); err != nil {
		return nil, err
	}
	return op.InferSame(n)
}

func decomposeRotary(d *op.Decomposer) error {
	r, err := rotaryOf(d.Node)
	if err != nil {
		return err
	}
	x, cos, sin := d.Input(0), d.Input(1), d.Input(2)
	if positions := d.Input(3); positions != nil {
		cos, sin = d.Two("Gather", cos, positions), d.Two("Gather", sin, positions)
	}
	if r.headsDim == 2 {
		x = d.Reshape(x, r.batch, r.length, r.heads, r.size)
	}
	y := d.Apply("wmtune.RotaryEmbedding", []*graph.Value{x, cos, sin}, graph.IntAttr("turned", r.turned),
		graph.IntAttr("heads", r.headsDim), graph.IntAttr("interleaved", d.Node.Int("interleaved", 0)))
	d.Output(d.Reshape(y, d.Input(0).Shape...))
	return nil
}

// bodyRotary makes x[d]*cos ± x[partner]*sin for elements that are turned.
func bodyRotary(b *op.Body) error {
	n := b.Node
	shape := n.Inputs[0].Shape
	size, turned := shape[3], n.Int("turned", 0)
	half := turned / 2
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		d := at[3]
		angle, first := Floormod(d, half), Lt(d, tir.Int(half))
		partner := Floormod(Plus(d, half), turned)
		if n.Int("interleaved", 0) != 0 {
			angle, first = Floordiv(d, 2), Eq(Floormod(d, 2), tir.Int(0))
			partner = Sub(Plus(d, 1), Times(Floormod(d, 2), 2))
			if turned < size {
				angle, partner = MinOf(angle, tir.Int(half-1)), MinOf(partner, tir.Int(size-1))
			}
		}
		position := at[3-n.Int("heads", 1)]
		x, other := b.Read(0, at...), b.Read(0, at[0], at[1], at[2], partner)
		cos, sin := Cast(b.Read(1, at[0], position, angle), x.DType()), Cast(b.Read(2, at[0], position, angle),
			x.DType())
		v := Add(Mul(x, cos), Mul(Sel(first, Neg(other), other), sin))
		if turned < size {
			v = Sel(Lt(d, tir.Int(turned)), v, x)
		}
		return v
	})
	return nil
}

// evalTurned is the reference of wmtune.RotaryEmbedding.
func evalTurned(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	y := &graph.Tensor{Type: x.Type, Shape: x.Shape, F: slices.Clone(x.F)}
	half := n.Int("turned", 0) / 2
	length, size := x.Shape[3-n.Int("heads", 1)], x.Shape[3]
	for i := range int64(x.Len()) / size {
		position := i % x.Shape[2]
		if n.Int("heads", 1) == 2 {
			position = i / x.Shape[2] % length
		}
		turn(y.F[i*size:], in, i/(x.Shape[1]*x.Shape[2])*length+position, half, n.Int("interleaved", 0) != 0)
	}
	return []*graph.Tensor{y}, nil
}

// turn turns pairs of elements of a row by angles of which the cosines and sines are in rows of inputs 1 and 2.
func turn(row []float64, in []*graph.Tensor, angles, half int64, interleaved bool) {
	old := slices.Clone(row[:2*half])
	for k := range half {
		cos, sin := in[1].F[angles*half+k], in[2].F[angles*half+k]
		i, j := k, k+half
		if interleaved {
			i, j = 2*k, 2*k+1
		}
		row[i], row[j] = old[i]*cos-old[j]*sin, old[i]*sin+old[j]*cos
	}
}

// evalRotary is the reference of RotaryEmbedding.
func evalRotary(r *rotary, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	var err error
	x := in[0]
	y := &graph.Tensor{Type: x.Type, Shape: x.Shape, F: slices.Clone(x.F)}
	for b := range r.batch {
		for l := range r.length {
			angles := b*r.length + l
			if n.Input(3) != nil {
				if angles, err = array.InRange(in[3].I[angles], in[1].Shape[0]); err != nil {
					return nil, err
				}
			}
			for h := range r.heads {
				at := (b*r.heads+h)*r.length + l
				if r.headsDim == 2 {
					at = (b*r.length+l)*r.heads + h
				}
				turn(y.F[at*r.size:], in, angles, r.turned/2, n.Int("interleaved", 0) != 0)
			}
		}
	}
	return []*graph.Tensor{y}, nil
}
