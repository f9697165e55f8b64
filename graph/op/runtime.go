package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Programs of operators that are given shapes, axes and the like at run time: the file declares the shapes of outputs,
// and the program sets error if an operand contradicts them.

// A claim returns a condition that operands must satisfy, with a statement that must run before, or nil. Inputs that
// are left out have no parameter.
type claim func(n *graph.Node, params []*tir.Buffer) (before tir.Stmt, holds tir.Expr, buffers []*tir.Buffer)

// claimed makes a program of a Body of one stage that does not read the operands, and a claim about them.
func claimed(body func(b *Body) error, claim claim) func(n *graph.Node) (*tir.Func, error) {
	return func(n *graph.Node) (*tir.Func, error) {
		b := &Body{Builder: compute.NewBuilder(), Node: n, Unique: func(name string) string { return name }}
		read := map[*graph.Value]compute.Tensor{}
		b.Tensor = func(v *graph.Value) compute.Tensor {
			if read[v].Buffer == nil {
				read[v] = b.Placeholder(v.Name, v.Type, v.Shape...)
			}
			return read[v]
		}
		if err := body(b); err != nil {
			return nil, err
		}
		dag, err := b.Build(b.Outputs()[0])
		if err != nil {
			return nil, err
		}
		stage := dag.Ops[len(dag.Ops)-1]
		params, all := make([]*tir.Buffer, len(n.Inputs)), []*tir.Buffer(nil)
		for i, v := range n.Inputs {
			if v == nil {
				continue
			}
			params[i] = read[v].Buffer
			if params[i] == nil || slices.Index(n.Inputs, v) < i { // one that is data and operand has two parameters
				params[i] = parameter(fmt.Sprintf("in%d", i), v)
			}
			all = append(all, params[i])
		}
		out, fault := parameter("out", n.Outputs[0]), errorFlag()
		var loops tir.Stmt = store(out, stage.Body[0], compute.Vars(stage.Axes)...)
		for d := len(stage.Axes) - 1; d >= 0; d-- {
			f := &tir.For{Var: stage.Axes[d].Var, Extent: tir.Int(stage.Axes[d].Extent), Body: loops}
			if d == 0 {
				f.Kind = tir.Parallel
			}
			loops = f
		}
		before, holds, buffers := claim(n, params)
		list := []tir.Stmt{store(fault, Cast(not(holds), tir.I32), zero), loops}
		if before != nil {
			list = append([]tir.Stmt{before}, list...)
		}
		return function("copy", 2, allocs(seq(list...), buffers...), append(all, out, fault)...), nil
	}
}

// entry reads element i of a vector, or a scalar, of integers.
func entry(b *tir.Buffer, i int) tir.Expr {
	return Cast(load(b, elementOf(b, tir.Int(int64(i)))...), tir.Index)
}

// elems returns the number of elements of an operand.
func elems(b *tir.Buffer) int { return int(b.Elems()) }

// claimReshape: each dimension is the one declared, -1, or 0 where a dimension stays.
func claimReshape(n *graph.Node, params []*tir.Buffer) (tir.Stmt, tir.Expr, []*tir.Buffer) {
	in, out := n.Inputs[0].Shape, n.Outputs[0].Shape
	if elems(params[1]) != len(out) {
		return nil, tir.BoolImm(false), nil
	}
	var all []tir.Expr
	for d, e := range out {
		s := entry(params[1], d)
		ok := or(eq(s, tir.Int(e)), eq(s, tir.Int(-1)))
		if n.Int("allowzero", 0) == 0 && d < len(in) && in[d] == e {
			ok = or(ok, eq(s, tir.Int(0)))
		}
		all = append(all, ok)
	}
	return nil, tir.AllOf(all...), nil
}

// claimAxes returns the claim that one shape is the other with dimensions of 1 at axes, which input 1 names: wide is
// the longer one.
func claimAxes(wide, narrow func(n *graph.Node) []int64) claim {
	return func(n *graph.Node, params []*tir.Buffer) (tir.Stmt, tir.Expr, []*tir.Buffer) {
		w, s := wide(n), narrow(n)
		if len(params) < 2 || params[1] == nil {
			return nil, tir.BoolImm(true), nil
		}
		if len(w) != len(s)+elems(params[1]) {
			return nil, tir.BoolImm(false), nil
		}
		next, wrong := scratch("next", tir.I64, 1), scratch("wrong", tir.I32, 1)
		list := []tir.Stmt{store(next, zero, zero), store(wrong, num32(0), zero)}
		bad := store(wrong, num32(1), zero)
		for d, e := range w {
			named := tir.Expr(tir.BoolImm(false))
			for i := range elems(params[1]) {
				a := entry(params[1], i)
				named = or(named, or(eq(a, tir.Int(int64(d))), eq(a, tir.Int(int64(d-len(w))))))
			}
			// The dimension that stands in its place if it is not named.
			other := tir.Expr(tir.Int(-1))
			for j, e := range s {
				other = sel(eq(load(next, zero), tir.Int(int64(j))), tir.Int(e), other)
			}
			list = append(list, &tir.If{Cond: named,
				Then: &tir.If{Cond: tir.BoolImm(e != 1), Then: bad},
				Else: seq(&tir.If{Cond: ne(other, tir.Int(e)), Then: bad}, store(next, plus(load(next, zero), 1), zero))})
		}
		holds := and(eq(load(wrong, zero), num32(0)), eq(load(next, zero), tir.Int(int64(len(s)))))
		return seq(list...), holds, []*tir.Buffer{next, wrong}
	}
}

func shapeIn(n *graph.Node) []int64  { return n.Inputs[0].Shape }
func shapeOut(n *graph.Node) []int64 { return n.Outputs[0].Shape }

// claimExpand: each dimension is the one declared, or 1 where that is the input's.
func claimExpand(n *graph.Node, params []*tir.Buffer) (tir.Stmt, tir.Expr, []*tir.Buffer) {
	in, out, k := n.Inputs[0].Shape, n.Outputs[0].Shape, elems(params[1])
	if len(out) != max(len(in), k) {
		return nil, tir.BoolImm(false), nil
	}
	all := []tir.Expr{}
	for d, e := range out {
		old := int64(1)
		if at := d - len(out) + len(in); at >= 0 {
			old = in[at]
		}
		at := d - len(out) + k
		if at < 0 {
			all = append(all, tir.BoolImm(e == old))
			continue
		}
		s := entry(params[1], at)
		ok := eq(s, tir.Int(e))
		if old == e {
			ok = or(ok, eq(s, tir.Int(1)))
		}
		all = append(all, ok)
	}
	return nil, tir.AllOf(all...), nil
}

// claimTile: each repeat makes the dimension that is declared.
func claimTile(n *graph.Node, params []*tir.Buffer) (tir.Stmt, tir.Expr, []*tir.Buffer) {
	in, out := n.Inputs[0].Shape, n.Outputs[0].Shape
	if len(in) != len(out) || elems(params[1]) != len(in) {
		return nil, tir.BoolImm(false), nil
	}
	all := []tir.Expr{}
	for d, e := range out {
		all = append(all, eq(times(entry(params[1], d), in[d]), tir.Int(e)))
	}
	return nil, tir.AllOf(all...), nil
}

// claimCrop: the shape that is asked for is the one declared.
func claimCrop(n *graph.Node, params []*tir.Buffer) (tir.Stmt, tir.Expr, []*tir.Buffer) {
	out, axes := n.Outputs[0].Shape, n.Ints("axes")
	if axes == nil {
		axes = upTo(int64(len(out)))
	}
	if len(axes) != elems(params[1]) || len(out) != len(n.Inputs[0].Shape) {
		return nil, tir.BoolImm(false), nil
	}
	all := []tir.Expr{}
	for i, a := range axes {
		d, err := axis(a, len(out))
		if err != nil {
			return nil, tir.BoolImm(false), nil
		}
		all = append(all, eq(entry(params[1], i), tir.Int(out[d])))
	}
	return nil, tir.AllOf(all...), nil
}

// opaqueSplit copies each part. The sizes must be those of the parts that are declared.
func opaqueSplit(n *graph.Node) (*tir.Func, error) {
	x, sizes, fault := parameter("x", n.Inputs[0]), parameter("sizes", n.Inputs[1]), errorFlag()
	along, err := axis(n.Int("axis", 0), len(x.Shape))
	if err != nil {
		return nil, err
	}
	if elems(sizes) != len(n.Outputs) {
		return nil, fmt.Errorf("%d sizes for %d parts", elems(sizes), len(n.Outputs))
	}
	params, all, stmts, begin := []*tir.Buffer{x, sizes}, []tir.Expr(nil), []tir.Stmt(nil), int64(0)
	for i, v := range n.Outputs {
		if v == nil {
			return nil, fmt.Errorf("part %d has no name, so its size is not known: give it one, or fix the sizes", i)
		}
		all = append(all, eq(entry(sizes, i), tir.Int(v.Shape[along])))
		out := parameter(fmt.Sprint("out", i), v)
		params = append(params, out)
		from := begin
		stmts = append(stmts, nest(v.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt {
			index := append([]tir.Expr(nil), at...)
			index[along] = plus(at[along], from)
			return store(out, load(x, index...), at...)
		}))
		begin += v.Shape[along]
	}
	if begin != x.Shape[along] {
		return nil, fmt.Errorf("the parts that the file declares have %d elements along axis %d of %d", begin, along,
			x.Shape[along])
	}
	stmts = append([]tir.Stmt{store(fault, Cast(not(tir.AllOf(all...)), tir.I32), zero)}, stmts...)
	return function("split", len(n.Outputs)+1, seq(stmts...), append(params, fault)...), nil
}

// eachAxis runs body for each axis that an operand names, or for all in order if there is no such operand: i is its
// place in the operands, d the axis, counted from the beginning. One that is out of range sets fault.
func eachAxis(axes *tir.Buffer, count, rank int, fault *tir.Buffer, body func(i, d tir.Expr) tir.Stmt) tir.Stmt {
	return loop("i", int64(count), func(i tir.Expr) tir.Stmt {
		if axes == nil {
			return body(i, minOf(i, tir.Int(int64(rank-1))))
		}
		a := Cast(load(axes, elementOf(axes, i)...), tir.Index)
		d := sel(lt(a, zero), plus(a, int64(rank)), a)
		return &tir.If{Cond: and(ge(d, zero), lt(d, tir.Int(int64(rank)))), Then: body(i, d), Else: setFault(fault)}
	})
}

// dims stores the extents of a shape in a buffer.
func dims(b *tir.Buffer, shape []int64) tir.Stmt {
	var list []tir.Stmt
	for d, e := range shape {
		list = append(list, store(b, tir.Int(e), tir.Int(int64(d))))
	}
	return seq(list...)
}

// opaqueSlice computes where each dimension starts, and copies.
func opaqueSlice(n *graph.Node) (*tir.Func, error) {
	x, out, fault := parameter("x", n.Inputs[0]), parameter("out", n.Outputs[0]), errorFlag()
	rank := len(x.Shape)
	if rank == 0 || rank != len(out.Shape) {
		return nil, fmt.Errorf("the file declares a slice %s of %s", n.Outputs[0], n.Inputs[0])
	}
	params, in := []*tir.Buffer{x}, [5]*tir.Buffer{}
	for i, name := range []string{"x", "starts", "ends", "axes", "steps"} {
		if v := n.Input(i); i > 0 && v != nil {
			in[i] = parameter(name, v)
			params = append(params, in[i])
		}
	}
	size, start, step := scratch("size", tir.I64, int64(rank)), scratch("start", tir.I64, int64(rank)),
		scratch("step", tir.I64, int64(rank))
	count := scratch("count", tir.I64, int64(rank))
	operand := func(b *tir.Buffer, i tir.Expr) tir.Expr { return Cast(load(b, elementOf(b, i)...), tir.Index) }
	one := tir.Int(1)
	cut := func(i, d tir.Expr) tir.Stmt {
		n := load(size, d)
		by := tir.Expr(one)
		if in[4] != nil {
			by = operand(in[4], i)
		}
		by = maxOf(minOf(by, plus(n, 1)), sub(tir.Int(-1), n))
		fromEnd := func(e tir.Expr) tir.Expr { return sel(lt(e, zero), add(e, n), e) }
		s, e := fromEnd(operand(in[1], i)), fromEnd(operand(in[2], i))
		forth := gt(by, zero)
		s = sel(forth, maxOf(zero, minOf(n, s)), maxOf(zero, minOf(plus(n, -1), s)))
		e = sel(forth, maxOf(zero, minOf(n, e)), maxOf(tir.Int(-1), minOf(plus(n, -1), e)))
		distance := sel(forth, sub(e, s), sub(s, e))
		length := maxOf(sel(forth, by, sub(zero, by)), one)
		return seq(&tir.If{Cond: eq(by, zero), Then: setFault(fault)},
			store(start, s, d), store(step, by, d),
			store(count, maxOf(zero, tir.Bin(tir.FloorDiv, plus(add(distance, length), -1), length)), d))
	}
	stmts := []tir.Stmt{clearFault(fault), dims(size, x.Shape), dims(count, x.Shape),
		dims(start, make([]int64, rank)), dims(step, ones(rank)),
		eachAxis(in[3], elems(in[1]), rank, fault, cut)}
	for d, e := range out.Shape {
		stmts = append(stmts, &tir.If{Cond: ne(load(count, tir.Int(int64(d))), tir.Int(e)), Then: setFault(fault)})
	}
	stmts = append(stmts, nest(out.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		index := make([]tir.Expr, rank)
		for d := range index {
			i := tir.Int(int64(d))
			index[d] = within(add(load(start, i), mul(at[d], load(step, i))), x.Shape[d])
		}
		return store(out, load(x, index...), at...)
	}))
	return function("slice", 2, allocs(seq(stmts...), size, start, step, count), append(params, out, fault)...), nil
}

// opaquePad computes the margins of each dimension, and copies.
func opaquePad(n *graph.Node) (*tir.Func, error) {
	x, out, fault := parameter("x", n.Inputs[0]), parameter("out", n.Outputs[0]), errorFlag()
	rank := len(x.Shape)
	if rank == 0 || rank != len(out.Shape) {
		return nil, fmt.Errorf("the file declares %s for a padded %s", n.Outputs[0], n.Inputs[0])
	}
	params, in := []*tir.Buffer{x}, [4]*tir.Buffer{}
	for i, name := range []string{"x", "pads", "value", "axes"} {
		if v := n.Input(i); i > 0 && v != nil {
			in[i] = parameter(name, v)
			params = append(params, in[i])
		}
	}
	mode, count := n.Str("mode", "constant"), elems(in[1])/2
	before, after := scratch("before", tir.I64, int64(rank)), scratch("after", tir.I64, int64(rank))
	none := make([]int64, rank)
	stmts := []tir.Stmt{clearFault(fault), dims(before, none), dims(after, none),
		eachAxis(in[3], count, rank, fault, func(i, d tir.Expr) tir.Stmt {
			return seq(store(before, load(in[1], i), d), store(after, load(in[1], plus(i, int64(count))), d))
		})}
	for d, e := range out.Shape {
		i := tir.Int(int64(d))
		b, a := load(before, i), load(after, i)
		left := add(add(minOf(b, zero), minOf(a, zero)), tir.Int(x.Shape[d]))
		ok := and(eq(add(add(b, a), tir.Int(x.Shape[d])), tir.Int(e)), ge(left, zero))
		if mode != "constant" {
			ok = and(ok, gt(left, zero))
		}
		stmts = append(stmts, &tir.If{Cond: not(ok), Then: setFault(fault)})
	}
	fill := tir.Expr(tir.Const(x.Type, 0))
	if in[2] != nil {
		fill = load(in[2], zeros(len(in[2].Shape))...)
	}
	stmts = append(stmts, nest(out.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		index, inside := make([]tir.Expr, rank), tir.Expr(tir.BoolImm(true))
		for d := range index {
			i := tir.Int(int64(d))
			place := sub(at[d], load(before, i))
			if mode == "constant" {
				inside = and(inside, and(ge(place, zero), lt(place, tir.Int(x.Shape[d]))))
			} else {
				place = mirrored(mode, place, load(before, i), load(after, i), x.Shape[d])
			}
			index[d] = within(place, x.Shape[d])
		}
		value := load(x, index...)
		if mode == "constant" {
			value = sel(inside, value, fill)
		}
		return store(out, value, at...)
	}))
	return function("pad", 2, allocs(seq(stmts...), before, after), append(params, out, fault)...), nil
}

// mirrored returns what a dimension of n elements that is padded reads in a place, before the beginning if it is
// negative.
func mirrored(mode string, place, before, after tir.Expr, n int64) tir.Expr {
	low := maxOf(zero, sub(zero, before))
	left := maxOf(sub(tir.Int(n), add(low, maxOf(zero, sub(zero, after)))), tir.Int(1))
	i := sub(place, low)
	switch mode {
	case "edge":
		i = maxOf(minOf(i, plus(left, -1)), zero)
	case "wrap":
		i = tir.Bin(tir.FloorMod, i, left)
	default:
		twice := times(plus(left, -1), 2)
		i = tir.Bin(tir.FloorMod, i, maxOf(twice, tir.Int(1)))
		i = minOf(i, sub(twice, i))
	}
	return add(i, low)
}
