package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A reduction whose loops are bound to threads goes by way of partial results,
// one per thread:
//
//	for k0 in 4:                            alloc C.part: float32[32] shared
//	  bind k1 in 32 threadIdx.x:            C.part[threadIdx.x] = 0
//	    C[i] = (C[i] + A[i, k0, k1])   =>   for k0 in 4:
//	                                          C.part[threadIdx.x] = (C.part[threadIdx.x] + A[i, k0, threadIdx.x])
//	                                        if threadIdx.x < 1:
//	                                          C[i] = 0
//	                                          for k1 in 32:
//	                                            C[i] = (C[i] + C.part[k1])

// crossesThreads reports whether a loop over the reduction is bound to threads.
func (nb *nestBuilder) crossesThreads() bool {
	return nb.op.Combine != nil && nb.k != nil && slices.ContainsFunc(nb.boundLoops(nb.n, len(nb.n.Loops)), reduces)
}

// partials replaces the results by buffers of partial ones. They are indexed by
// the threads that share a reduction, by those that have elements of their own,
// and by the loops from the reduction on that do not only reduce.
func (nb *nestBuilder) partials() {
	var shape []int64
	index := func(list []schedule.Loop) {
		for _, l := range list {
			shape = append(shape, l.Extent)
			nb.partAt = append(nb.partAt, l.Var)
		}
	}
	for k, l := range nb.n.Loops {
		thread := isThread(l.Iter.Ann) && nb.bound(nb.n, l)
		switch {
		case reduces(l) && thread:
			nb.shared = append(nb.shared, l)
		case reduces(l) || l.Extent == 1:
		case k >= nb.reduce:
			nb.kept = append(nb.kept, l)
		case thread:
			index([]schedule.Loop{l})
		}
	}
	index(nb.kept)
	index(nb.shared)
	for _, r := range nb.op.Results {
		nb.parts = append(nb.parts, &tir.Buffer{Name: r.Name + ".part", Type: r.Type, Shape: shape, Scope: tir.Shared})
	}
}

func (nb *nestBuilder) partTargets(at []tir.Expr) []element {
	list := make([]element, len(nb.parts))
	for d, p := range nb.parts {
		list[d] = element{p, at}
	}
	return list
}

// freshVars returns new variables for the loops that index partial results.
func (nb *nestBuilder) freshVars() map[*tir.Var]tir.Expr {
	to := map[*tir.Var]tir.Expr{}
	for _, l := range slices.Concat(nb.kept, nb.shared) {
		to[l.Var] = tir.NewVar(l.Var.Name)
	}
	return to
}

// initParts returns the statement that sets the partial results to the
// identity, each by its thread.
func (nb *nestBuilder) initParts() tir.Stmt {
	to := nb.freshVars()
	b := &tir.Block{Name: partsName(nb.name), Init: true,
		Body: nb.identityInto(nb.partTargets(substituteAll(nb.partAt, to)))}
	return nb.around(nb.guarded(b, nb.conds), to, slices.Concat(nb.kept, nb.shared))
}

// gather returns the statement that combines the partial results.
func (nb *nestBuilder) gather() tir.Stmt {
	to := nb.freshVars()
	results := nb.targets(substituteAll(nb.at, to))
	var sources []tir.Expr
	for _, t := range nb.partTargets(substituteAll(nb.partAt, to)) {
		sources = append(sources, t.load())
	}
	step := tir.Stmt(&tir.Block{Name: nb.name, Body: nb.combineInto(results, sources)})
	for k := len(nb.shared) - 1; k >= 0; k-- {
		l := nb.shared[k]
		step = &tir.For{Var: to[l.Var].(*tir.Var), Extent: tir.Int(l.Extent), Body: step}
	}
	init := &tir.Block{Name: nb.name, Init: true, Body: nb.identityInto(results)}
	own := slices.DeleteFunc(nb.boundLoops(nb.n, len(nb.n.Loops)), reduces) // their threads do the gathering
	guards := append(substituteAll(nb.spatialGuards(), to), nb.k.onThreads(own)...)
	return nb.around(nb.guarded(tir.Sequence(init, step), guards), to, nb.kept)
}

// around returns s inside copies of loops with other variables.
func (nb *nestBuilder) around(s tir.Stmt, vars map[*tir.Var]tir.Expr, loops []schedule.Loop) tir.Stmt {
	for k := len(loops) - 1; k >= 0; k-- {
		s = nb.loopOf(loops[k], vars[loops[k].Var].(*tir.Var), s)
	}
	return s
}
