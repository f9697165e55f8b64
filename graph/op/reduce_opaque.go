package op

import (
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// opaque is the program of a reduction whose axes are known at run time only: it reads them, and sets its error if
// they lead to another shape than the one that the model was compiled for.
func (r *reducer) opaque(n *graph.Node) (*tir.Func, error) {
	x, axes, out := parameter("x", n.Inputs[0]), parameter("axes", n.Inputs[1]), flat("out", n.Outputs[0])
	fault := errorFlag()
	rank := int64(len(x.Shape))
	local := func(name string, n int64) *tir.Buffer {
		return &tir.Buffer{Name: name, Type: tir.I64, Shape: []int64{max(n, 1)}, Scope: tir.Local}
	}
	// For each dimension, whether it is reduced, and how far its neighbours are apart in the result.
	reduced, step := local("reduced", rank), local("step", rank)
	cells := local("cells", 2) // how many elements become one; dimensions of the result seen so far
	count, seen := tir.Int(0), tir.Int(1)

	steps := []tir.Stmt{clearFault(fault)}
	for d := range rank {
		steps = append(steps, store(reduced, tir.Int(0), tir.Int(d)))
	}
	steps = append(steps, loop("i", axes.Elems(), func(i tir.Expr) tir.Stmt {
		a := load(axes, elementOf(axes, i)...)
		a = sel(lt(a, tir.Int(0)), add(a, tir.Int(rank)), a)
		inside := and(ge(a, tir.Int(0)), lt(a, tir.Int(rank)))
		return &tir.If{Cond: inside, Then: store(reduced, tir.Int(1), a), Else: setFault(fault)}
	}))
	steps = append(steps, store(cells, tir.Int(1), count), store(cells, tir.Int(0), seen))
	steps = append(steps, checkShape(n, reduced, cells, fault)...)
	distance := tir.Expr(tir.Int(1))
	stride := local("stride", 1)
	steps = append(steps, store(stride, distance, tir.Int(0)))
	for d := rank - 1; d >= 0; d-- {
		isReduced, here := eq(load(reduced, tir.Int(d)), tir.Int(1)), load(stride, tir.Int(0))
		steps = append(steps, &tir.If{
			Cond: isReduced,
			Then: tir.Sequence(store(step, tir.Int(0), tir.Int(d)),
				store(cells, mul(load(cells, count), tir.Int(x.Shape[d])), count)),
			Else: tir.Sequence(store(step, here, tir.Int(d)),
				store(stride, mul(here, tir.Int(x.Shape[d])), tir.Int(0))),
		})
	}
	fold := r.opaqueFold(x, out, step, load(cells, count))
	steps = append(steps, &tir.If{Cond: noFault(fault), Then: fold})
	body := tir.Sequence(steps...)
	for _, b := range []*tir.Buffer{reduced, step, cells, stride} {
		body = alloc(b, body)
	}
	return function(n.Op, 2, body, x, axes, out, fault), nil
}

// checkShape compares the shape that the axes lead to with that of the output.
func checkShape(n *graph.Node, reduced, cells, fault *tir.Buffer) []tir.Stmt {
	in, out := n.Inputs[0].Shape, n.Outputs[0].Shape
	var list []tir.Stmt
	demand := func(cond tir.Expr) { list = append(list, &tir.If{Cond: not(cond), Then: setFault(fault)}) }
	if keepDims(n) {
		if len(in) != len(out) {
			return []tir.Stmt{setFault(fault)}
		}
		for d := range in {
			isReduced := eq(load(reduced, tir.Int(int64(d))), tir.Int(1))
			demand(sel(isReduced, tir.BoolImm(out[d] == 1), tir.BoolImm(out[d] == in[d])))
		}
		return list
	}
	seen := load(cells, tir.Int(1))
	for d := range in {
		fits := tir.BoolImm(false)
		var e tir.Expr = fits
		for k := range out {
			e = or(e, and(eq(seen, tir.Int(int64(k))), tir.BoolImm(out[k] == in[d])))
		}
		kept := eq(load(reduced, tir.Int(int64(d))), tir.Int(0))
		list = append(list, &tir.If{Cond: kept, Then: tir.Sequence(
			&tir.If{Cond: not(e), Then: setFault(fault)},
			store(cells, add(seen, tir.Int(1)), tir.Int(1)))})
	}
	demand(eq(seen, tir.Int(int64(len(out)))))
	return list
}

// opaqueFold folds the elements of x, each into the place of the result that the steps along its dimensions lead to.
func (r *reducer) opaqueFold(x, out, step *tir.Buffer, count tir.Expr) tir.Stmt {
	work := r.work(x.Type)
	acc := &tir.Buffer{Name: "acc", Type: work, Shape: out.Shape}
	largest := &tir.Buffer{Name: "largest", Type: work, Shape: out.Shape}
	into := func(at []tir.Expr) tir.Expr {
		var e tir.Expr = tir.Int(0)
		for d, i := range at {
			e = add(e, mul(i, load(step, tir.Int(int64(d)))))
		}
		return e
	}
	foldInto := func(b *tir.Buffer, c *compute.Combiner, value func(at []tir.Expr) tir.Expr) tir.Stmt {
		fold := nest(x.Shape, tir.Serial, func(at []tir.Expr) tir.Stmt {
			return store(b, replaced(c, load(b, into(at)), value(at)), into(at))
		})
		return tir.Sequence(loop("o", out.Shape[0], func(o tir.Expr) tir.Stmt { return store(b, c.Start()[0], o) }), fold)
	}
	read := func(at []tir.Expr) tir.Expr { return r.element(Cast(load(x, at...), Register(x.Type))) }
	if !r.shifted {
		return alloc(acc, tir.Sequence(foldInto(acc, r.combiner(work), read),
			loop("r", out.Shape[0], func(o tir.Expr) tir.Stmt {
				return store(out, r.finished(load(acc, o), count, out.Type), o)
			})))
	}
	shift := func(o tir.Expr) tir.Expr { return finite(load(largest, o)) }
	return alloc(largest, alloc(acc, tir.Sequence(
		foldInto(largest, compute.NewCombiner(compute.MaxOf, work), read),
		foldInto(acc, r.combiner(work), func(at []tir.Expr) tir.Expr { return fn(tir.Exp, sub(read(at), shift(into(at)))) }),
		loop("r", out.Shape[0], func(o tir.Expr) tir.Stmt {
			return store(out, castTo(add(r.finish(load(acc, o), nil), shift(o)), out.Type), o)
		}))))
}

// replaced is what a combiner of one result folds two values to.
func replaced(c *compute.Combiner, acc, src tir.Expr) tir.Expr {
	return tir.Substitute(c.Result[0], map[*tir.Var]tir.Expr{c.Acc[0]: acc, c.Src[0]: src})
}
