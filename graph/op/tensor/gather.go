package tensor

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Gathering has the operators that read elements whose indices are data. Each becomes two nodes: wmtune.CheckIndices,
// whose results are in range, or whose error is set, and one that reads with them, which is a compute DAG and so joins
// what follows. Indices that are constant are checked here. A GatherElements of long rows is one function.
var Gathering = []op.Row{
	{Op: "Gather", Since: 1, In: "T:A Tind:I", Infer: op.InferBy(operands, inferGather), Eval: evalGather,
		Decompose: decomposeGather("wmtune.Gather")},
	{Op: "GatherElements", Since: 11, In: "T:A Tind:I", Infer: op.InferBy(operands, inferGatherElements),
		Eval:      evalGatherElements,
		Decompose: decomposeGather("wmtune.GatherElements"),
		Opaque:    &op.Function{Make: opaqueGatherElements, When: gathersRows}},
	{Op: "GatherND", Since: 11, In: "T:A -:I", Infer: inferGatherND, Eval: evalGatherND, Decompose: decomposeGatherND},
	{Op: "wmtune.CheckIndices", In: "-:I", Class: op.Opaque, Infer: inferCheckIndices, Eval: evalCheckIndices,
		Opaque: &op.Function{Make: opaqueCheckIndices}},
	{Op: "wmtune.Gather", In: "T:A -:I", Infer: op.InferBy(operands, inferGather), Eval: evalGather, Body: bodyGather},
	{Op: "wmtune.GatherElements", In: "T:A -:I", Infer: op.InferBy(operands, inferGatherElements),
		Eval: evalGatherElements,
		Body: bodyGatherElements},
	{Op: "wmtune.GatherND", In: "T:A -:I", Infer: inferGatherND, Eval: evalGatherND, Body: bodyGatherND},
}

// checkConstant checks indices that are constant: element i of them into limits[i % len(limits)] elements.
func checkConstant(v *graph.Value, limits []int64) error {
	if v.Const == nil {
		return nil
	}
	for i, at := range v.Const.Tensor().I {
		if _, err := array.InRange(at, limits[i%len(limits)]); err != nil {
			return err
		}
	}
	return nil
}

// operands returns the axis of a node that gathers or scatters, and checks the types of its data and indices.
func operands(n *graph.Node) (int, error) {
	if t := n.Inputs[1].Type; !t.IsInt() {
		return 0, fmt.Errorf("the type of its indices is %s: it must be an integer", t)
	}
	at, err := array.Axis(n.Int("axis", 0), len(n.Inputs[0].Shape))
	if err == nil && n.Inputs[0].Shape[at] == 0 && n.Inputs[1].Elems() > 0 {
		return 0, fmt.Errorf("axis %d of shape %v has no elements for indices", at, n.Inputs[0].Shape)
	}
	return at, err
}

func inferGather(at int, n *graph.Node) ([]op.Type, error) {
	x, index := n.Inputs[0], n.Inputs[1]
	if err := checkConstant(index, x.Shape[at:at+1]); err != nil {
		return nil, err
	}
	return []op.Type{{DType: x.Type, Shape: slices.Concat(x.Shape[:at], index.Shape, x.Shape[at+1:])}}, nil
}

func evalGather(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, index := in[0], in[1]
	at, err := array.Axis(n.Int("axis", 0), len(x.Shape))
	if err != nil {
		return nil, err
	}
	r := array.Like(x, slices.Concat(x.Shape[:at], index.Shape, x.Shape[at+1:]))
	run, to := graph.Elems(x.Shape[at+1:]), int64(0)
	for outer := range graph.Elems(x.Shape[:at]) {
		for _, k := range index.I {
			if k, err = array.InRange(k, x.Shape[at]); err != nil {
				return nil, err
			}
			for j := range run {
				array.Put(r, to, x, (outer*x.Shape[at]+k)*run+j)
				to++
			}
		}
	}
	return []*graph.Tensor{r}, nil
}

// decomposeGather checks indices along an axis, and reads with them.
func decomposeGather(name string) func(d *op.Decomposer) error {
	return func(d *op.Decomposer) error {
		at, err := operands(d.Node)
		if err != nil {
			return err
		}
		index := checked(d, d.Input(1), d.Input(0).Shape[at:at+1])
		d.Output(d.Apply(name, []*graph.Value{d.Input(0), index}, graph.IntAttr("axis", int64(at))))
		return nil
	}
}

// checked adds a check of indices, if they are not constant.
func checked(d *op.Decomposer, index *graph.Value, limits []int64) *graph.Value {
	return d.Apply("wmtune.CheckIndices", []*graph.Value{index}, graph.IntsAttr("limits", limits...))
}

// bodyGather reads with indices that are in range. The program bounds them all the same.
func bodyGather(b *op.Body) error {
	x, index := b.Node.Inputs[0], b.Node.Inputs[1]
	along, err := array.Axis(b.Node.Int("axis", 0), len(x.Shape))
	if err != nil {
		return err
	}
	rank := len(index.Shape)
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		if _, ok := b.Scalar(0); ok {
			return b.Read(0, Zeros(len(x.Shape))...)
		}
		k := indexAt(b, 1, x.Shape[along], at[along:along+rank]...)
		return b.Read(0, slices.Concat(at[:along], []tir.Expr{k}, at[along+rank:])...)
	})
	return nil
}

// indexAt reads an index into n elements that input i has at a place.
func indexAt(b *op.Body, i int, n int64, at ...tir.Expr) tir.Expr {
	v := b.Node.Inputs[i]
	if n == 1 {
		return tir.Int(0)
	}
	if v.Const != nil && len(v.Shape) == 1 {
		// Indices with one distance between them need not be read.
		list := v.Const.Tensor().I
		step := int64(0)
		if len(list) > 1 {
			step = list[1] - list[0]
		}
		even := true
		for k, at := range list {
			even = even && at == list[0]+step*int64(k)
		}
		if even {
			return Plus(Times(at[0], step), list[0])
		}
	}
	if v.Const != nil && v.Elems() == 1 {
		return Cast(b.Read(i, at...), tir.Index)
	}
	return clamped(b.Read(i, at...), n)
}

func inferGatherElements(at int, n *graph.Node) ([]op.Type, error) {
	x, index := n.Inputs[0], n.Inputs[1]
	if err := fits(index.Shape, x.Shape, at); err != nil {
		return nil, err
	}
	return []op.Type{{DType: x.Type, Shape: index.Shape}}, checkConstant(index, x.Shape[at:at+1])
}

// fits checks that each dimension of indices, but that of the axis, is no longer than that of the data.
func fits(index, data []int64, at int) error {
	ok := len(index) == len(data)
	for d := range index {
		ok = ok && (d == at || index[d] <= data[d])
	}
	if !ok {
		return fmt.Errorf("indices of shape %v do not fit data of shape %v along axis %d", index, data, at)
	}
	return nil
}

func evalGatherElements(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, index := in[0], in[1]
	at, err := array.Axis(n.Int("axis", 0), len(x.Shape))
	if err != nil {
		return nil, err
	}
	r := array.Like(x, index.Shape)
	stride := slices.Clone(array.Strides(x.Shape))
	along := stride[at]
	stride[at] = 0
	array.Walk(index.Shape, func(i int, from []int64) {
		k, e := array.InRange(index.I[i], x.Shape[at])
		if e != nil {
			err = e
			return
		}
		array.Put(r, int64(i), x, from[0]+k*along)
	}, stride)
	return []*graph.Tensor{r}, err
}

func bodyGatherElements(b *op.Body) error {
	x := b.Node.Inputs[0]
	along, err := array.Axis(b.Node.Int("axis", 0), len(x.Shape))
	if err != nil {
		return err
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		index := slices.Clone(at)
		if _, ok := b.Scalar(0); ok {
			return b.Read(0, at...)
		}
		index[along] = clamped(b.Read(1, at...), x.Shape[along])
		return b.Read(0, index...)
	})
	return nil
}

// tuples returns the number of batch dimensions of a GatherND, and the extents of the data that its tuples index.
func tuples(n *graph.Node, data, index []int64) (int, []int64, error) {
	batch := n.Int("batch_dims", 0)
	if len(index) == 0 || batch < 0 || batch >= int64(min(len(data), len(index))) {
		return 0, nil, fmt.Errorf("%d batch dimensions of data of shape %v and indices of shape %v", batch, data, index)
	}
	k := index[len(index)-1]
	if k < 1 || k > int64(len(data))-batch || !slices.Equal(data[:batch], index[:batch]) {
		return 0, nil, fmt.Errorf("indices of shape %v do not fit data of shape %v with %d batch dimensions", index, data,
			batch)
	}
	return int(batch), data[batch : batch+k], nil
}

func inferGatherND(n *graph.Node) ([]op.Type, error) {
	x, index := n.Inputs[0], n.Inputs[1]
	batch, limits, err := tuples(n, x.Shape, index.Shape)
	if err != nil {
		return nil, err
	}
	shape := slices.Concat(index.Shape[:len(index.Shape)-1], x.Shape[batch+len(limits):])
	return []op.Type{{DType: x.Type, Shape: shape}}, checkConstant(index, limits)
}

func evalGatherND(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, index := in[0], in[1]
	batch, limits, err := tuples(n, x.Shape, index.Shape)
	if err != nil {
		return nil, err
	}
	k, rest := len(limits), x.Shape[batch+len(limits):]
	r := array.Like(x, slices.Concat(index.Shape[:len(index.Shape)-1], rest))
	stride, run := array.Strides(x.Shape), graph.Elems(rest)
	perBatch := graph.Elems(index.Shape[batch : len(index.Shape)-1])
	for t := range graph.Elems(index.Shape[:len(index.Shape)-1]) {
		from := t / perBatch * graph.Elems(x.Shape[batch:])
		for d, limit := range limits {
			at, err := array.InRange(index.I[t*int64(k)+int64(d)], limit)
			if err != nil {
				return nil, err
			}
			from += at * stride[batch+d]
		}
		for j := range run {
			array.Put(r, t*run+j, x, from+j)
		}
	}
	return []*graph.Tensor{r}, nil
}

func decomposeGatherND(d *op.Decomposer) error {
	x, index := d.Input(0), d.Input(1)
	_, limits, err := tuples(d.Node, x.Shape, index.Shape)
	if err != nil {
		return err
	}
	d.Output(d.Apply("wmtune.GatherND", []*graph.Value{x, checked(d, index, limits)},
		graph.IntAttr("batch_dims", d.Node.Int("batch_dims", 0))))
	return nil
}

func bodyGatherND(b *op.Body) error {
	x, index := b.Node.Inputs[0], b.Node.Inputs[1]
	batch, limits, err := tuples(b.Node, x.Shape, index.Shape)
	if err != nil {
		return err
	}
	b.Elementwise(func(at []tir.Expr) tir.Expr {
		if _, ok := b.Scalar(0); ok {
			return b.Read(0, Zeros(len(x.Shape))...)
		}
		from := slices.Clone(at[:batch])
		tuple := at[:len(index.Shape)-1]
		for d, n := range limits {
			k := b.Read(1, slices.Concat(tuple, []tir.Expr{tir.Int(int64(d))})...)
			from = append(from, clamped(k, n))
		}
		return b.Read(0, append(from, at[len(tuple):]...)...)
	})
	return nil
}

// inferCheckIndices: the result holds the indices counted from the beginning, as int32 if that has all of them: then a
// vector has twice as many, and a processor gathers twice as many at once.
func inferCheckIndices(n *graph.Node) ([]op.Type, error) {
	return []op.Type{{DType: indexType(n), Shape: n.Inputs[0].Shape}}, nil
}

func indexType(n *graph.Node) tir.DType {
	if slices.Max(n.Ints("limits")) <= math.MaxInt32 {
		return tir.I32
	}
	return tir.I64
}

func evalCheckIndices(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	limits := n.Ints("limits")
	r := graph.NewTensor(indexType(n), in[0].Shape...)
	for i, at := range in[0].I {
		limit := limits[i%len(limits)]
		var err error
		if r.I[i], err = array.InRange(at, limit); err != nil || at < leastIndex(n, limit) {
			return nil, fmt.Errorf("%d is not in %d..%d", at, leastIndex(n, limit), limit-1)
		}
	}
	return []*graph.Tensor{r}, nil
}

// leastIndex returns the least index that a CheckIndices accepts.
func leastIndex(n *graph.Node, limit int64) int64 {
	if n.Has("positive") {
		return 0
	}
	return -limit
}

// checkedBlock is how many tuples of indices one thread checks at a time.
const checkedBlock = 1024

// opaqueCheckIndices counts indices from the beginning, and sets error to 1 if one is out of range, where the result
// is 0. They may not be negative if the attribute positive is there. Blocks are checked in parallel, in vectors, and
// each notes whether it has one that is out of range.
func opaqueCheckIndices(n *graph.Node) (*tir.Func, error) {
	limits := n.Ints("limits")
	k, elems := int64(len(limits)), n.Inputs[0].Elems()
	c := &checker{n: n, limits: limits, index: &tir.Buffer{Name: "index", Type: n.Inputs[0].Type, Shape: []int64{elems}},
		out: &tir.Buffer{Name: "checked", Type: indexType(n), Shape: []int64{elems}}}
	fault, block := ErrorFlag(), checkedBlock*k
	blocks := elems / block
	bad := Scratch("bad", tir.I32, (elems+block-1)/block)
	var all []tir.Stmt
	if blocks > 0 {
		all = append(all, Nest([]int64{blocks}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
			return c.block(Times(at[0], block), block, bad, at[0])
		}))
	}
	if rest := elems - blocks*block; rest > 0 {
		all = append(all, c.block(tir.Int(blocks*block), rest, bad, tir.Int(blocks)))
	}
	all = append(all, anyBad(bad, fault))
	return NewFunc("check_indices", 2, Alloc(bad, Seq(all...)), c.index, c.out, fault), nil
}

// A checker writes the function of a CheckIndices.
type checker struct {
	n          *graph.Node
	limits     []int64
	index, out *tir.Buffer
}

// block checks count indices from a multiple of the number of limits on.
func (c *checker) block(from tir.Expr, count int64, bad *tir.Buffer, number tir.Expr) tir.Stmt {
	lanes := Scratch("lanes", tir.I32, vectorLanes)
	return Alloc(lanes, Seq(
		Vector("clear", vectorLanes, func(l tir.Expr) tir.Stmt { return Store(lanes, Num32(0), l) }),
		Chunks("i", count, func(base tir.Expr, width int64) tir.Stmt {
			return Vector("i", width, func(l tir.Expr) tir.Stmt { return c.lane(from, Add(base, l), l, lanes) })
		}),
		noted(bad, number, lanes)))
}

// vectorLanes is how many lanes vectors of Chunks have.
const vectorLanes = 16

// lane checks one index, and notes in a lane whether it is out of range.
func (c *checker) lane(from, i, l tir.Expr, lanes *tir.Buffer) tir.Stmt {
	at := Cast(Load(c.index, Add(from, i)), tir.Index)
	limit, least := tir.Expr(tir.Int(c.limits[0])), tir.Expr(tir.Int(leastIndex(c.n, c.limits[0])))
	for d, n := range c.limits[1:] {
		is := Eq(Floormod(i, int64(len(c.limits))), tir.Int(int64(d+1)))
		limit, least = Sel(is, tir.Int(n), limit), Sel(is, tir.Int(leastIndex(c.n, n)), least)
	}
	begin := Sel(Lt(at, tir.Int(0)), Add(at, limit), at)
	ok := And(Ge(at, least), Lt(at, limit))
	return Seq(Store(c.out, Cast(Sel(ok, begin, tir.Int(0)), c.out.Type), Add(from, i)),
		Store(lanes, tir.Bin(tir.BitOr, Load(lanes, l), Cast(Not(ok), tir.I32)), l))
}

// clamped bounds an index into n elements that was checked: programs read inside of the data, whatever it is.
func clamped(e tir.Expr, n int64) tir.Expr {
	if e.DType() == tir.I32 && n <= math.MaxInt32 {
		return Cast(MaxOf(MinOf(e, Num32(n-1)), Num32(0)), tir.Index)
	}
	return Within(Cast(e, tir.Index), n)
}
