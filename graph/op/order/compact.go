// Package order has the operators that sort or choose elements: top-k, and unique or nonzero ones.
package order

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Compacting has the operators that keep some elements: how many is data. Their programs write what they keep to the
// beginning of an output that has room for all, and the true extents beside it.
var Compacting = []op.Row{
	{Op: "Compress", Since: 9, In: "T:A T1:B", Class: op.Opaque, Infer: inferCompress, Eval: evalCompress,
		Decompose: decomposeCompress, Opaque: &op.Function{Make: opaqueCompress, When: op.Open(1)}},
	{Op: "NonZero", Since: 9, In: "T:A", Class: op.Opaque, Infer: inferNonZero, Eval: evalNonZero,
		Opaque: &op.Function{Make: opaqueNonZero}},
	{Op: "Unique", Since: 11, In: "T:A", Class: op.Opaque, Infer: inferUnique, Eval: evalUnique,
		Opaque: &op.Function{Make: opaqueUnique}},
}

// along returns the number of items of a tensor along the axis that a node names, the numbers of elements before and
// behind it, and the shape that n items make; without the attribute, items are elements.
func along(n *graph.Node, shape []int64) (items, outer, inner int64, of func(n int64) []int64, err error) {
	if !n.Has("axis") {
		return graph.Elems(shape), 1, 1, func(n int64) []int64 { return []int64{n} }, nil
	}
	at, err := array.Axis(n.Int("axis", 0), len(shape))
	if err != nil {
		return 0, 0, 0, nil, err
	}
	of = func(n int64) []int64 {
		s := slices.Clone(shape)
		s[at] = n
		return s
	}
	return shape[at], graph.Elems(shape[:at]), graph.Elems(shape[at+1:]), of, nil
}

func inferCompress(n *graph.Node) ([]op.Type, error) {
	x, c := n.Inputs[0], n.Inputs[1]
	if c.Type != tir.Bool || len(c.Shape) != 1 {
		return nil, fmt.Errorf("the condition is %s: it must be a vector of bools", c)
	}
	items, _, _, of, err := along(n, x.Shape)
	if err != nil {
		return nil, err
	}
	if op.Open(1)(n) {
		return []op.Type{{DType: x.Type, Shape: of(min(items, c.Shape[0])), Bounded: true}}, nil
	}
	kept, err := keptByConstant(n, items)
	return []op.Type{{DType: x.Type, Shape: of(int64(len(kept)))}}, err
}

// keptByConstant is keptItems of a node whose condition is constant, or has no elements and keeps nothing.
func keptByConstant(n *graph.Node, items int64) ([]int64, error) {
	if c := n.Inputs[1].Const; c != nil {
		return keptItems(c.Tensor(), items)
	}
	return nil, nil
}

// keptItems returns the items for which a condition holds. It may be shorter than the number of items.
func keptItems(c *graph.Tensor, items int64) ([]int64, error) {
	var list []int64
	for i, v := range c.I {
		if v == 0 {
			continue
		}
		if int64(i) >= items {
			return nil, fmt.Errorf("the condition holds for item %d of %d", i, items)
		}
		list = append(list, int64(i))
	}
	return list, nil
}

func evalCompress(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	items, outer, inner, of, err := along(n, x.Shape)
	if err != nil {
		return nil, err
	}
	kept, err := keptItems(in[1], items)
	if err != nil {
		return nil, err
	}
	r, to := array.Like(x, of(int64(len(kept)))), int64(0)
	for o := range outer {
		for _, k := range kept {
			for j := range inner {
				array.Put(r, to, x, (o*items+k)*inner+j)
				to++
			}
		}
	}
	return []*graph.Tensor{r}, nil
}

// decomposeCompress gathers what a constant condition keeps.
func decomposeCompress(d *op.Decomposer) error {
	x := d.Input(0)
	items, _, _, _, err := along(d.Node, x.Shape)
	if err != nil {
		return err
	}
	kept, err := keptByConstant(d.Node, items)
	if err != nil {
		return err
	}
	if !d.Node.Has("axis") {
		x = d.Reshape(x, items)
	}
	d.Output(d.Apply("wmtune.Gather", []*graph.Value{x, d.Const(graph.Ints(kept...))},
		graph.IntAttr("axis", d.Node.Int("axis", 0))))
	return nil
}

// opaqueCompress counts what is kept, and copies it. A condition that holds beyond the last item sets error.
func opaqueCompress(n *graph.Node) (*tir.Func, error) {
	x, c, out, fault := Flat("x", n.Inputs[0]), Flat("condition", n.Inputs[1]), Flat("out", n.Outputs[0]), ErrorFlag()
	extents := ExtentsOf(n.Outputs[0])
	items, outer, inner, of, err := along(n, n.Inputs[0].Shape)
	if err != nil {
		return nil, err
	}
	count, to := Scratch("count", tir.I64, 1), Scratch("to", tir.I64, 1)
	holds := func(i tir.Expr) tir.Expr { return Load(c, i) }
	stmts := []tir.Stmt{ClearFault(fault), Store(count, Zero, Zero), Store(to, Zero, Zero)}
	stmts = append(stmts, Loop("i", c.Shape[0], func(i tir.Expr) tir.Stmt {
		return &tir.If{Cond: holds(i), Then: &tir.If{Cond: Lt(i, tir.Int(items)),
			Then: Store(count, Plus(Load(count, Zero), 1), Zero), Else: SetFault(fault)}}
	}))
	most := min(items, c.Shape[0])
	stmts = append(stmts, Loop("o", outer, func(o tir.Expr) tir.Stmt {
		return Loop("i", most, func(i tir.Expr) tir.Stmt {
			from := Times(Add(Times(o, items), i), inner)
			return &tir.If{Cond: holds(i), Then: Seq(
				Vectors("j", inner, func(j tir.Expr) tir.Stmt {
					return Store(out, Load(x, Add(from, j)), Add(Load(to, Zero), j))
				}),
				Store(to, Plus(Load(to, Zero), inner), Zero))}
		})
	}))
	for d, e := range of(-1) {
		v := tir.Expr(tir.Int(e))
		if e < 0 {
			v = Load(count, Zero)
		}
		stmts = append(stmts, Store(extents, v, tir.Int(int64(d))))
	}
	return NewFunc("compress", 3, Allocs(Seq(stmts...), count, to), x, c, out, extents, fault), nil
}

// inferNonZero: the result has a column for each element that is not 0: its indices.
func inferNonZero(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	if len(x.Shape) == 0 {
		return nil, op.Unsupported("NonZero of a scalar")
	}
	return []op.Type{{DType: tir.I64, Shape: []int64{int64(len(x.Shape)), x.Elems()}, Bounded: true}}, nil
}

func evalNonZero(_ *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	var found []int64
	for i := range int64(x.Len()) {
		if x.At(int(i)) != 0 {
			found = append(found, i)
		}
	}
	r := graph.NewTensor(tir.I64, int64(len(x.Shape)), int64(len(found)))
	for d, s := range array.Strides(x.Shape) {
		for i, at := range found {
			r.I[d*len(found)+i] = at / s % x.Shape[d]
		}
	}
	return []*graph.Tensor{r}, nil
}

func opaqueNonZero(n *graph.Node) (*tir.Func, error) {
	x, out, extents := Parameter("x", n.Inputs[0]), Flat("out", n.Outputs[0]), ExtentsOf(n.Outputs[0])
	count, to := Scratch("count", tir.I64, 1), Scratch("to", tir.I64, 1)
	rank := int64(len(x.Shape))
	found := func(at []tir.Expr, then tir.Stmt) tir.Stmt {
		v := Load(x, at...)
		if x.Type != tir.Bool {
			v = Cast(v, Register(x.Type))
			v = Ne(v, Num(v, 0))
		}
		return &tir.If{Cond: v, Then: then}
	}
	next := func(b *tir.Buffer) tir.Stmt { return Store(b, Plus(Load(b, Zero), 1), Zero) }
	return NewFunc("non_zero", 2, Allocs(Seq(
		Store(count, Zero, Zero), Store(to, Zero, Zero),
		Nest(x.Shape, tir.Serial, func(at []tir.Expr) tir.Stmt { return found(at, next(count)) }),
		Nest(x.Shape, tir.Serial, func(at []tir.Expr) tir.Stmt {
			var list []tir.Stmt
			for d, i := range at {
				list = append(list, Store(out, i, Add(Times(Load(count, Zero), int64(d)), Load(to, Zero))))
			}
			return found(at, Seq(append(list, next(to))...))
		}),
		Store(extents, tir.Int(rank), Zero), Store(extents, Load(count, Zero), tir.Int(1)),
	), count, to), x, out, extents), nil
}

func inferUnique(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	items, _, _, of, err := along(n, x.Shape)
	if err != nil {
		return nil, err
	}
	vector := []int64{items}
	return []op.Type{{DType: x.Type, Shape: of(items), Bounded: true}, {DType: tir.I64, Shape: vector, Bounded: true},
		{DType: tir.I64, Shape: vector}, {DType: tir.I64, Shape: vector, Bounded: true}}, nil
}

func evalUnique(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	items, outer, inner, of, err := along(n, x.Shape)
	if err != nil {
		return nil, err
	}
	compare := func(a, b int64) int {
		for o := range outer {
			for j := range inner {
				i, k := (o*items+a)*inner+j, (o*items+b)*inner+j
				switch {
				case comesBefore(x, i, k):
					return -1
				case comesBefore(x, k, i):
					return 1
				}
			}
		}
		return 0
	}
	order := array.UpTo(items)
	slices.SortStableFunc(order, compare)
	var first []int64 // of equal items
	inverse := graph.NewTensor(tir.I64, items)
	for i, item := range order {
		if i == 0 || compare(order[i-1], item) != 0 {
			first = append(first, item)
		}
		inverse.I[item] = int64(len(first) - 1)
	}
	if n.Int("sorted", 1) == 0 {
		place, found := make([]int64, len(first)), []int64(nil)
		for i, g := range inverse.I {
			if first[g] == int64(i) {
				place[g] = int64(len(found))
				found = append(found, int64(i))
			}
			inverse.I[i] = place[g]
		}
		first = found
	}
	k := int64(len(first))
	y, counts := array.Like(x, of(k)), graph.NewTensor(tir.I64, k)
	for _, g := range inverse.I {
		counts.I[g]++
	}
	to := int64(0)
	for o := range outer {
		for _, f := range first {
			for j := range inner {
				array.Put(y, to, x, (o*items+f)*inner+j)
				to++
			}
		}
	}
	return []*graph.Tensor{y, graph.Ints(first...), inverse, counts}, nil
}
