package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// reduction returns the loops of a reduction, update, after what sets its
// results to the identity: the loops from the first one that has to do with the
// reduction on, without those that only reduce (te/operation/compute_op.cc does
// the same):
//
//	for i: for k: for j: C[i, j] += ...
//	=>
//	for i:
//	  for j: C[i, j] = 0
//	  for k: for j: C[i, j] += ...
//
// A loop fused from spatial and reduce axes stays; it sets elements more than
// once.
func (nb *nestBuilder) reduction(update tir.Stmt) tir.Stmt {
	if nb.parts == nil {
		return tir.Sequence(nb.init(), update)
	}
	folds, left := nb.folds()
	s := tir.Sequence(slices.Concat([]tir.Stmt{nb.initParts(), update}, folds, []tir.Stmt{nb.gather(left)})...)
	for d := len(nb.parts) - 1; d >= 0; d-- {
		s = &tir.Alloc{Buffer: nb.parts[d], Body: s}
	}
	return s
}

func (nb *nestBuilder) init() tir.Stmt {
	to := map[*tir.Var]tir.Expr{}
	var kept []schedule.Loop
	loops := nb.n.Loops[nb.reduce:]
	if nb.tile != nil {
		loops = nb.n.Loops[nb.reduce:nb.tile.product.first]
	}
	for _, l := range loops {
		if l.Iter.Kind == schedule.Reduction {
			continue
		}
		kept = append(kept, l)
		to[l.Var] = tir.NewVar(l.Var.Name)
	}
	at := substituteAll(nb.at, to)
	if nb.tile != nil {
		return nb.around(nb.guarded(nb.initTile(at), nb.conds), to, kept)
	}
	guards := append(substituteAll(nb.spatialGuards(), to), nb.conds...)
	s := nb.guarded(&tir.Block{Name: nb.name, Init: true, Body: nb.identityInto(nb.targets(at))}, guards)
	return nb.around(s, to, kept)
}

func substituteAll(list []tir.Expr, to map[*tir.Var]tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(list))
	for i, e := range list {
		out[i] = tir.Substitute(e, to)
	}
	return out
}

// spatialGuards returns the guards that do not depend on a loop that only
// reduces: the others say nothing of the spatial axes.
func (nb *nestBuilder) spatialGuards() []tir.Expr {
	var list []tir.Expr
	for _, g := range nb.n.Guards {
		if !slices.ContainsFunc(nb.n.Loops,
			func(l schedule.Loop) bool { return l.Iter.Kind == schedule.Reduction && tir.Uses(g, l.Var) }) {
			list = append(list, g)
		}
	}
	return list
}

func (nb *nestBuilder) identityInto(to []element) tir.Stmt {
	list := make([]tir.Stmt, len(to))
	for d, t := range to {
		list[d] = t.store(inType(nb.start()[d], t.buffer.Type))
	}
	return tir.Sequence(list...)
}

// start returns what the reduction starts from.
func (nb *nestBuilder) start() []tir.Expr {
	if nb.asTVM {
		return nb.op.Combine.Identity
	}
	return nb.op.Combine.Start()
}

// step returns one step of the reduction, into the results or into the partial
// ones.
func (nb *nestBuilder) step() tir.Stmt {
	if nb.parts == nil {
		return &tir.Block{Name: nb.name, Body: nb.combineInto(nb.targets(nb.at), nb.body)}
	}
	return &tir.Block{Name: partsName(nb.name), Body: nb.combineInto(nb.partTargets(nb.partAt), nb.body)}
}

// combineInto returns to = combine(to, source). With several results all are
// computed before any is stored.
func (nb *nestBuilder) combineInto(to []element, source []tir.Expr) tir.Stmt {
	c, fold := nb.op.Combine, nb.op.Combine.Fold()
	if nb.asTVM {
		fold = c.Result
	}
	values := map[*tir.Var]tir.Expr{}
	for d, t := range to {
		values[c.Acc[d]], values[c.Src[d]] = t.load(), termOf(source[d], t.buffer.Type)
	}
	if len(to) == 1 {
		return to[0].store(tir.Substitute(fold[0], values))
	}
	var compute, keep []tir.Stmt
	var next []*tir.Buffer
	for d, t := range to {
		b := &tir.Buffer{Name: t.buffer.Name + ".next", Type: t.buffer.Type, Scope: tir.Local}
		n := element{buffer: b}
		next = append(next, b)
		compute = append(compute, n.store(tir.Substitute(fold[d], values)))
		keep = append(keep, t.store(n.load()))
	}
	s := tir.Sequence(append(compute, keep...)...)
	for d := len(next) - 1; d >= 0; d-- {
		s = &tir.Alloc{Buffer: next[d], Body: s}
	}
	return s
}
