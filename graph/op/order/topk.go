package order

import (
	"fmt"
	"slices"
	"sort"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// TopK is TopK: the k largest or smallest elements along an axis, sorted, with their indices. Of equals the one of the
// lower index comes first; NaN is the largest number.
var TopK = []op.Row{
	{Op: "TopK", Since: 1, In: "T:N", Class: op.Opaque, Infer: inferTopK, Eval: evalTopK,
		Opaque: &op.Function{Make: opaqueTopK}},
	{Op: "TopK", Since: 10, In: "T:N -:I", Class: op.Opaque, Infer: inferTopK, Eval: evalTopK,
		Opaque: &op.Function{Make: opaqueTopK}},
}

// topShape returns the shape of the results of a TopK, and its axis.
func topShape(n *graph.Node, shape []int64, k int64) ([]int64, int, error) {
	at, err := array.Axis(n.Int("axis", -1), len(shape))
	if err != nil {
		return nil, 0, err
	}
	if k < 0 || k > shape[at] {
		return nil, 0, fmt.Errorf("%d elements of axis %d of shape %v", k, at, shape)
	}
	shape = slices.Clone(shape)
	shape[at] = k
	return shape, at, nil
}

func inferTopK(n *graph.Node) ([]op.Type, error) {
	x, k := n.Inputs[0], n.Int("k", 0)
	if n.Version >= 10 {
		v := n.Inputs[1]
		switch {
		case v.Type != tir.I64 || v.Elems() != 1:
			return nil, fmt.Errorf("k is %s: it must be one int64", v)
		case v.Const == nil:
			return nil, &op.OpenError{Input: 1}
		}
		k = v.Const.Tensor().I[0]
	}
	shape, _, err := topShape(n, x.Shape, k)
	return []op.Type{{DType: x.Type, Shape: shape}, {DType: tir.I64, Shape: shape}}, err
}

func evalTopK(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, k := in[0], n.Int("k", 0)
	if n.Version >= 10 {
		k = in[1].I[0]
	}
	shape, at, err := topShape(n, x.Shape, k)
	if err != nil {
		return nil, err
	}
	values, indices := array.Like(x, shape), graph.NewTensor(tir.I64, shape...)
	length, run := x.Shape[at], graph.Elems(x.Shape[at+1:])
	for row := range graph.Elems(x.Shape[:at]) * run {
		outer, inner := row/run, row%run
		place := func(i int64) int64 { return (outer*length+i)*run + inner }
		order := array.UpTo(length)
		sort.SliceStable(order, func(a, b int) bool {
			i, j := place(order[a]), place(order[b])
			if n.Int("largest", 1) != 0 {
				i, j = j, i
			}
			return comesBefore(x, i, j)
		})
		for i, from := range order[:k] {
			to := (outer*k+int64(i))*run + inner
			array.Put(values, to, x, place(from))
			indices.I[to] = from
		}
	}
	return []*graph.Tensor{values, indices}, nil
}

// insertionLimit is the number of elements up to which the best are kept sorted; more are found by sorting all.
const insertionLimit = 64

// opaqueTopK finds the elements of each row in turn. A k that is known at run time only must be that of the outputs.
func opaqueTopK(n *graph.Node) (*tir.Func, error) {
	x := Parameter("x", n.Inputs[0])
	params := []*tir.Buffer{x}
	var out [2]*tir.Buffer // values, indices
	shape := []int64(nil)
	for i, name := range []string{"values", "indices"} {
		if v := n.Output(i); v != nil {
			out[i], shape = Parameter(name, v), v.Shape
		}
	}
	at, err := array.Axis(n.Int("axis", -1), len(x.Shape))
	if err != nil {
		return nil, err
	}
	fault := ErrorFlag()
	check := ClearFault(fault)
	k := shape[at]
	if n.Version >= 10 {
		given := Flat("k", n.Inputs[1])
		params = append(params, given)
		check = Store(fault, Cast(Ne(Load(given, Zero), tir.Int(k)), tir.I32), Zero)
	}
	outputs := 1
	for _, b := range out {
		if b != nil {
			params, outputs = append(params, b), outputs+1
		}
	}
	rows := slices.Delete(slices.Clone(shape), at, at+1)
	total, kind := graph.Elems(rows), tir.Parallel
	if total == 1 {
		kind = tir.Serial // threads share the row, if it is selected from
	}
	body := Nest([]int64{total}, kind, func(i []tir.Expr) tir.Stmt {
		row, rest := make([]tir.Expr, len(rows)), i[0]
		for d := len(rows) - 1; d >= 0; d-- {
			row[d], rest = Floormod(rest, rows[d]), Floordiv(rest, rows[d])
		}
		place := func(i tir.Expr) []tir.Expr { return slices.Insert(slices.Clone(row), at, i) }
		t := top{n: n, x: x, axis: at, at: place, length: x.Shape[at], k: k}
		give := func(rank, from tir.Expr) tir.Stmt {
			var list []tir.Stmt
			if out[0] != nil {
				list = append(list, Store(out[0], Load(x, place(from)...), place(rank)...))
			}
			if out[1] != nil {
				list = append(list, Store(out[1], from, place(rank)...))
			}
			return Seq(list...)
		}
		if t.selects() {
			return newSelection(t, total).program(give)
		}
		best, find := t.sort()
		if k <= insertionLimit {
			best, find = t.insert()
		}
		return Alloc(best, Seq(find, Loop("k", k, func(i tir.Expr) tir.Stmt { return give(i, Load(best, i)) })))
	})
	return NewFunc("top_k", outputs, Seq(check, body), append(params, fault)...), nil
}

// A top finds the first k elements of a row of length elements.
type top struct {
	n         *graph.Node
	x         *tir.Buffer
	axis      int
	at        func(i tir.Expr) []tir.Expr // indices of an element of the row
	length, k int64
}

// better says whether element i of the row comes before element j, whatever their indices are.
func (t top) better(i, j tir.Expr) tir.Expr {
	x, y := Load(t.x, t.at(i)...), Load(t.x, t.at(j)...)
	if t.n.Int("largest", 1) != 0 {
		x, y = y, x
	}
	return below(x, y)
}

// sort returns a buffer for the indices of all elements, sorted, and the statement that fills it.
func (t top) sort() (*tir.Buffer, tir.Stmt) {
	order := Scratch("order", tir.I64, t.length)
	return order, mergeSort(tir.Int(t.length), t.length, order, func(i, j tir.Expr, after *tir.Buffer) tir.Stmt {
		return Store(after, Cast(t.better(j, i), tir.I32), Zero)
	})
}

// insert returns a buffer for the indices of the best elements so far, sorted, and the statement that fills it: an
// element that is better than the last goes to its place, and those behind it move on.
func (t top) insert() (*tir.Buffer, tir.Stmt) {
	best := Scratch("best", tir.I64, t.k)
	last := tir.Int(t.k - 1)
	// The first k elements are inserted into as many as there are.
	move := func(i, held tir.Expr) tir.Stmt {
		return UpToExpr("j", held, func(j tir.Expr) tir.Stmt {
			p := Plus(Sub(held, j), -1) // held-1 .. 0
			return &tir.If{Cond: t.better(i, Load(best, p)), Then: Seq(
				&tir.If{Cond: Lt(p, last), Then: Store(best, Load(best, p), MinOf(Plus(p, 1), last))},
				Store(best, i, p))}
		})
	}
	return best, Seq(
		Loop("i", t.k, func(i tir.Expr) tir.Stmt { return Seq(Store(best, i, i), move(i, i)) }),
		Loop("i", t.length-t.k, func(i tir.Expr) tir.Stmt {
			i = Plus(i, t.k)
			return &tir.If{Cond: t.better(i, Load(best, last)), Then: move(i, tir.Int(t.k))}
		}))
}
