package pass

import (
	"context"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/microsoft"
	"github.com/wmtune/wmtune/tir"
)

// gatherStored has a Gather read a table that the file has in few bits as it is, and dequantizes what it took:
//
//	w = DequantizeLinear(q: int4[V, K], scale, zero); y = Gather(w, i)
//	=>
//	b = Gather(packed: uint8[V, K/2], i); q = ... the low and the high four bits of b
//	y = DequantizeLinear(q, Gather(scale, i), Gather(zero, i))
//
// Rows must not be gathered along the axis of the blocks, or along that in which numbers are packed, the last. A table
// that others read as real numbers stays one, and so does what constant indices take.
func gatherStored(ctx context.Context, g *graph.Graph) error {
	return subgraphs(g, func(g *graph.Graph) error {
		e := edit(ctx, g, "gathers")
		return e.each(e.gather)
	})
}

func (e *editor) gather(n *graph.Node) bool {
	if n.Op != "Gather" || n.Domain != "" || n.Inputs[1].Const != nil {
		return false
	}
	x := n.Inputs[0]
	axis, err := array.Axis(n.Int("axis", 0), len(x.Shape))
	e.check(err)
	s := &stored{axis: axis, index: n.Inputs[1], rank: len(x.Shape), from: x.Dequantized}
	if d := e.made[x]; s.from == nil && dequantizes(d) && !slices.ContainsFunc(d.Inputs, notConstant) {
		s.from = d
	}
	var make func(d *op.Decomposer) *graph.Value
	switch {
	case s.from != nil && e.onlyStored(x):
		make = s.dequantized
	case s.packs(x):
		make = func(d *op.Decomposer) *graph.Value { return s.pick(d, x) }
	default:
		return false
	}
	nodes, outputs, err := op.DecomposeBy(n, func(d *op.Decomposer) error {
		if y := make(d); y != nil {
			d.Output(y)
		} else {
			d.Output(n.Outputs[0])
		}
		return nil
	})
	e.check(err)
	if outputs[0] == n.Outputs[0] {
		return false
	}
	for _, k := range nodes {
		e.add(k)
	}
	return e.becomes(n, outputs[0])
}

func notConstant(v *graph.Value) bool { return v != nil && v.Const == nil }

// onlyStored reports whether v has no reader that needs it as real numbers: products read weights as they are stored.
func (e *editor) onlyStored(v *graph.Value) bool {
	list, leaves := e.readers(v)
	return !leaves && !slices.ContainsFunc(list, func(n *graph.Node) bool {
		gathers := n.Op == "Gather" && e.now(n.Inputs[0]) == v
		return !gathers && n.Op != "MatMul" && n.Op != "Gemm" || n.Domain != ""
	})
}

// stored is a table of few bits that a Gather reads.
type stored struct {
	from  *graph.Node // DequantizeLinear that the table is the result of
	axis  int         // along which rows are taken
	rank  int         // of the table
	index *graph.Value
}

// packs reports whether x is a constant of integers of less than 8 bits, whose rows can be packed.
func (s *stored) packs(x *graph.Value) bool {
	return x.Const != nil && x.Narrow != nil && x.Narrow.Float == nil && x.Narrow.Bits < 8 && s.axis != s.rank-1
}

// dequantized dequantizes rows of the table; nil if blocks lie along the axis of rows.
func (s *stored) dequantized(d *op.Decomposer) *graph.Value {
	k := s.from
	q, scale, zero := k.Inputs[0], k.Inputs[1], k.Input(2)
	block, along, err := k.Int("block_size", 0), 0, error(nil)
	if t, failed := op.TypeAttr(k, "output_dtype", scale.Type); failed != nil || t != scale.Type || !q.Type.IsInt() {
		return nil
	}
	if scale.Elems() > 1 || len(scale.Shape) > 1 {
		if along, err = array.Axis(k.Int("axis", 1), s.rank); err != nil {
			return nil
		}
	}
	one := scale.Elems() == 1 && len(scale.Shape) <= 1
	if !one && along == s.axis {
		if len(scale.Shape) > 1 {
			return nil
		}
		return s.byRow(d, q, scale, zero)
	}
	x := s.pick(d, q)
	if len(scale.Shape) > 1 {
		scale = s.pick(d, scale)
		if zero != nil {
			zero = s.pick(d, zero)
		}
	}
	if along > s.axis {
		along += len(s.index.Shape) - 1
	}
	in := []*graph.Value{x, scale}
	if zero != nil {
		in = append(in, zero)
	}
	attrs := []graph.Attr{graph.IntAttr("axis", int64(along))}
	if block > 0 {
		attrs = append(attrs, graph.IntAttr("block_size", block))
	}
	return d.ApplyAt(op.Newest, "DequantizeLinear", 1, in, attrs...)[0]
}

// byRow dequantizes rows of which each has a scale.
func (s *stored) byRow(d *op.Decomposer, q, scale, zero *graph.Value) *graph.Value {
	shape := array.Ones(s.rank - 1)
	shape = slices.Insert(shape, s.axis, s.index.Shape...)
	row := func(v *graph.Value) *graph.Value {
		return d.Reshape(d.Apply("Gather", []*graph.Value{v, s.index}), shape...)
	}
	x := d.Cast(s.pick(d, q), tir.I32)
	if zero != nil {
		if zero.Elems() > 1 {
			zero = row(zero)
		}
		x = d.Two("Sub", x, d.Cast(zero, tir.I32))
	}
	return d.Two("Mul", d.Cast(x, scale.Type), row(scale))
}

// pick takes rows of v along the axis. Numbers of few bits lie packed until then.
func (s *stored) pick(d *op.Decomposer, v *graph.Value) *graph.Value {
	take := func(v *graph.Value) *graph.Value {
		return d.Apply("Gather", []*graph.Value{v, s.index}, graph.IntAttr("axis", int64(s.axis)))
	}
	if !s.packs(v) {
		return take(v)
	}
	return microsoft.Unpacked(d, v, take)
}
