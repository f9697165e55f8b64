package tensor

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/graph/op/dag"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Moving has the operators that put elements in another order, or repeat them.
var Moving = []op.Row{
	{Op: "Transpose", Since: 1, In: "T:A", Infer: inferTranspose, Eval: evalTranspose, Body: bodyTranspose,
		Opaque: &op.Function{Alone: true, When: transposesBlocks, Make: transposeBlocks, Reads: transposeReads}},
	{Op: "Expand", Since: 8, In: "T:A -:I", Infer: inferExpand, Eval: evalExpand, Body: bodyExpand,
		Opaque: dag.Claimed(claimExpand, 1)},
	{Op: "Tile", Since: 6, In: "T:A T1:I", Infer: inferTile, Eval: evalTile, Body: bodyTile,
		Opaque: dag.Claimed(claimTile, 1)},
	{Op: "DepthToSpace", Since: 1, In: "T:A", Infer: inferDepthToSpace, Eval: evalDepthToSpace, Body: bodyDepthToSpace},
	{Op: "SpaceToDepth", Since: 1, In: "T:A", Infer: inferSpaceToDepth, Eval: evalSpaceToDepth, Body: bodySpaceToDepth},
}

// permutation returns the dimension of the input that each dimension of a Transpose is.
func permutation(n *graph.Node, rank int) ([]int, error) {
	perm := make([]int, rank)
	given := n.Ints("perm")
	if given == nil {
		for i := range perm {
			perm[i] = rank - 1 - i
		}
		return perm, nil
	}
	seen := map[int]bool{}
	for i, p := range given {
		d, err := array.Axis(p, rank)
		if err != nil || p < 0 || len(given) != rank || seen[d] {
			return nil, fmt.Errorf("perm %v is no permutation of %d dimensions", given, rank)
		}
		seen[d], perm[i] = true, d
	}
	if len(given) != rank {
		return nil, fmt.Errorf("perm %v is no permutation of %d dimensions", given, rank)
	}
	return perm, nil
}

func inferTranspose(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	perm, err := permutation(n, len(x.Shape))
	if err != nil {
		return nil, err
	}
	shape := make([]int64, len(perm))
	for i, p := range perm {
		shape[i] = x.Shape[p]
	}
	return []op.Type{{DType: x.Type, Shape: shape}}, nil
}

func evalTranspose(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	perm, err := permutation(n, len(x.Shape))
	if err != nil {
		return nil, err
	}
	shape, stride := make([]int64, len(perm)), make([]int64, len(perm))
	for i, p := range perm {
		shape[i], stride[i] = x.Shape[p], array.Strides(x.Shape)[p]
	}
	return []*graph.Tensor{array.View(x, shape, 0, stride)}, nil
}

// transposeReads returns where the element of a result is read.
func transposeReads(n *graph.Node, at []tir.Expr) []tir.Expr {
	perm, err := permutation(n, len(n.Inputs[0].Shape))
	if err != nil {
		panic("BUG: tensor: " + err.Error())
	}
	list := make([]tir.Expr, len(at))
	for i, p := range perm {
		list[p] = at[i]
	}
	return list
}

func bodyTranspose(b *op.Body) error {
	perm, err := permutation(b.Node, len(b.Node.Inputs[0].Shape))
	if err != nil {
		return err
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		index := make([]tir.Expr, len(at))
		for i, p := range perm {
			index[p] = at[i]
		}
		return b.Read(0, index...)
	})
	return nil
}

func inferExpand(n *graph.Node) ([]op.Type, error) {
	want, err := op.Integers(n, 1)
	if err != nil {
		return nil, err
	}
	x := n.Inputs[0]
	s, err := expanded(x.Shape, want)
	return []op.Type{{DType: x.Type, Shape: s}}, err
}

func expanded(shape, want []int64) ([]int64, error) {
	for _, d := range want {
		if d < 0 {
			return nil, fmt.Errorf("shape %v has a dimension of %d", want, d)
		}
	}
	return array.Broadcast(shape, want)
}

func evalExpand(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	s, err := expanded(in[0].Shape, in[1].I)
	if err != nil {
		return nil, err
	}
	return []*graph.Tensor{array.View(in[0], s, 0, array.BroadcastStrides(in[0].Shape, s))}, nil
}

func bodyExpand(b *op.Body) error {
	b.Elementwise(func(at []tir.Expr) tir.Expr { return b.ReadBroadcast(0, at...) })
	return nil
}

func inferTile(n *graph.Node) ([]op.Type, error) {
	repeats, err := op.Integers(n, 1)
	if err != nil {
		return nil, err
	}
	x := n.Inputs[0]
	s, err := tiled(x.Shape, repeats)
	return []op.Type{{DType: x.Type, Shape: s}}, err
}

func tiled(shape, repeats []int64) ([]int64, error) {
	if len(repeats) != len(shape) {
		return nil, fmt.Errorf("%d repeats of a tensor of shape %v", len(repeats), shape)
	}
	s := make([]int64, len(shape))
	for i, r := range repeats {
		if r < 0 {
			return nil, fmt.Errorf("repeats %v has a negative number", repeats)
		}
		s[i] = graph.Times(shape[i], r)
	}
	return s, nil
}

func evalTile(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	shape, err := tiled(x.Shape, in[1].I)
	if err != nil {
		return nil, err
	}
	tables := make([][]int64, len(shape))
	for d := range tables {
		for i := range shape[d] {
			tables[d] = append(tables[d], i%x.Shape[d])
		}
	}
	return []*graph.Tensor{array.Pick(x, tables, nil)}, nil
}

func bodyTile(b *op.Body) error {
	from, to := b.Node.Inputs[0].Shape, b.Node.Outputs[0].Shape
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		index := make([]tir.Expr, len(at))
		for d := range at {
			switch {
			case from[d] == to[d]:
				index[d] = at[d]
			case from[d] == 1:
				index[d] = tir.Int(0)
			default:
				index[d] = tir.Bin(tir.FloorMod, at[d], tir.Int(from[d]))
			}
		}
		return b.Read(0, index...)
	})
	return nil
}

// maxBlock bounds blocksize, of which the square is a number of channels.
const maxBlock = 1 << 15

// blocks returns the shape that DepthToSpace or SpaceToDepth reads, of four dimensions, and the size of its blocks.
func blocks(n *graph.Node, shape []int64) ([]int64, int64, error) {
	size := n.Int("blocksize", 0)
	if len(shape) != 4 || size < 1 {
		return nil, 0, fmt.Errorf("blocks of %d in a tensor of shape %v: %s needs 4 dimensions", size, shape, n.Op)
	}
	if size > maxBlock {
		return nil, 0, fmt.Errorf("blocks of %d: at most %d are supported", size, maxBlock)
	}
	if m := n.Str("mode", "DCR"); m != "DCR" && m != "CRD" {
		return nil, 0, op.Unsupported("mode %s", m)
	}
	return shape, size, nil
}

func inferDepthToSpace(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	s, k, err := blocks(n, x.Shape)
	if err != nil {
		return nil, err
	}
	if s[1]%(k*k) != 0 {
		return nil, fmt.Errorf("%d channels are not a multiple of blocks of %d x %d", s[1], k, k)
	}
	return []op.Type{{DType: x.Type, Shape: []int64{s[0], s[1] / (k * k), s[2] * k, s[3] * k}}}, nil
}

func evalDepthToSpace(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	s, k, err := blocks(n, in[0].Shape)
	if err != nil {
		return nil, err
	}
	c := s[1] / (k * k)
	hw := s[2] * s[3]
	// Strides of row and column in a block, and of a channel of the result, within the channels of the input.
	row, column, channel := k*c, c, int64(1)
	if n.Str("mode", "DCR") == "CRD" {
		row, column, channel = k, 1, k*k
	}
	y := array.View(in[0], []int64{s[0], c, s[2], k, s[3], k}, 0,
		[]int64{s[1] * hw, channel * hw, s[3], row * hw, 1, column * hw})
	return []*graph.Tensor{array.Reshaped(y, []int64{s[0], c, s[2] * k, s[3] * k})}, nil
}

func bodyDepthToSpace(b *op.Body) error {
	k, c := b.Node.Int("blocksize", 0), b.Node.Outputs[0].Shape[1]
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		bh, bw := tir.Bin(tir.FloorMod, at[2], tir.Int(k)), tir.Bin(tir.FloorMod, at[3], tir.Int(k))
		from := Add(Times(Add(Times(bh, k), bw), c), at[1])
		if b.Node.Str("mode", "DCR") == "CRD" {
			from = Add(Add(Times(at[1], k*k), Times(bh, k)), bw)
		}
		return b.Read(0, at[0], from, tir.Bin(tir.FloorDiv, at[2], tir.Int(k)), tir.Bin(tir.FloorDiv, at[3], tir.Int(k)))
	})
	return nil
}

func inferSpaceToDepth(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	s, k, err := blocks(n, x.Shape)
	if err != nil {
		return nil, err
	}
	if s[2]%k != 0 || s[3]%k != 0 {
		return nil, fmt.Errorf("an image of %d x %d is not a multiple of blocks of %d", s[2], s[3], k)
	}
	return []op.Type{{DType: x.Type, Shape: []int64{s[0], s[1] * k * k, s[2] / k, s[3] / k}}}, nil
}

func evalSpaceToDepth(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	s, k, err := blocks(n, in[0].Shape)
	if err != nil {
		return nil, err
	}
	hw := s[2] * s[3]
	y := array.View(in[0], []int64{s[0], k, k, s[1], s[2] / k, s[3] / k}, 0, []int64{s[1] * hw, s[3], 1, hw, k * s[3], k})
	if n.Str("mode", "DCR") == "CRD" {
		y = array.View(in[0], []int64{s[0], s[1], k, k, s[2] / k, s[3] / k}, 0, []int64{s[1] * hw, hw, s[3], 1, k * s[3], k})
	}
	return []*graph.Tensor{array.Reshaped(y, []int64{s[0], s[1] * k * k, s[2] / k, s[3] / k})}, nil
}

func bodySpaceToDepth(b *op.Body) error {
	k, c := b.Node.Int("blocksize", 0), b.Node.Inputs[0].Shape[1]
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		block, channel := tir.Bin(tir.FloorDiv, at[1], tir.Int(c)), tir.Bin(tir.FloorMod, at[1], tir.Int(c))
		if b.Node.Str("mode", "DCR") == "CRD" {
			block, channel = tir.Bin(tir.FloorMod, at[1], tir.Int(k*k)), tir.Bin(tir.FloorDiv, at[1], tir.Int(k*k))
		}
		return b.Read(0, at[0], channel,
			Add(Times(at[2], k), tir.Bin(tir.FloorDiv, block, tir.Int(k))),
			Add(Times(at[3], k), tir.Bin(tir.FloorMod, block, tir.Int(k))))
	})
	return nil
}

// claimExpand: each dimension is the one declared, or 1 where that is the input's.
func claimExpand(d *dag.Draft) []dag.Variant {
	in, out, k := dag.ShapeIn(d.Node), dag.ShapeOut(d.Node), Elems(d.In[1])
	if len(out) != max(len(in), k) {
		return nil
	}
	all := []tir.Expr{}
	for i, e := range out {
		old := int64(1)
		if at := i - len(out) + len(in); at >= 0 {
			old = in[at]
		}
		at := i - len(out) + k
		if at < 0 {
			all = append(all, tir.BoolImm(e == old))
			continue
		}
		s := Entry(d.In[1], at)
		ok := Eq(s, tir.Int(e))
		if old == e {
			ok = Or(ok, Eq(s, tir.Int(1)))
		}
		all = append(all, ok)
	}
	return dag.Holding(all...)
}

// claimTile: each repeat makes the dimension that is declared.
func claimTile(d *dag.Draft) []dag.Variant {
	in, out := dag.ShapeIn(d.Node), dag.ShapeOut(d.Node)
	if len(in) != len(out) || Elems(d.In[1]) != len(in) {
		return nil
	}
	all := []tir.Expr{}
	for i, e := range out {
		all = append(all, Eq(Times(Entry(d.In[1], i), in[i]), tir.Int(e)))
	}
	return dag.Holding(all...)
}
