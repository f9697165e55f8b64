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
//	                                        if threadIdx.x < 4:
//	                                          for k1 in 7:
//	                                            C.part[threadIdx.x] = (C.part[threadIdx.x] +
//	                                                                   C.part[((k1*4) + threadIdx.x) + 4])
//	                                        if threadIdx.x < 1:
//	                                          C[i] = 0
//	                                          for k1 in 4:
//	                                            C[i] = (C[i] + C.part[k1])

// crossesThreads reports whether a loop over the reduction is bound to threads.
func (nb *nestBuilder) crossesThreads() bool {
	return nb.op.Combine != nil && nb.k != nil && slices.ContainsFunc(nb.boundLoops(nb.n, len(nb.n.Loops)), reduces)
}

// partials replaces the results by buffers of partial ones. They are indexed by
// the threads that share a reduction, by those that have elements of their own,
// and by the loops from the reduction on that do not only reduce. What threads sum up
// together is indexed by the loops around the stage as well, which have threads of their own.
func (nb *nestBuilder) partials() {
	var shape []int64
	index := func(list []schedule.Loop) {
		for _, l := range list {
			shape = append(shape, l.Extent)
			nb.partAt = append(nb.partAt, l.Var)
		}
	}
	if nb.joint(nb.n.Stage) {
		index(nb.threadsAround(nb.n.Stage))
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
		nb.parts = append(nb.parts, &tir.Buffer{Name: r.Name + ".part", Type: nb.typeOf(nb.op, r), Shape: shape,
			Scope: tir.Shared})
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

// How partial results become one.
const (
	foldedAtOnce = 8  // one thread makes one of so many
	fewParts     = 16 // so many are left to the thread that makes the result
	maxFolds     = 4  // enough for 65,536; a block of 1,024 threads folds twice
)

// folds returns the statements that make fewer of many partial results, several threads at
// a time, and how many are left. Those of loops bound to more than one dimension stay, and
// all do in a program that is as its steps say it.
//
//	32 -> 4, 256 -> 32 -> 4, 1000 -> 125 -> 16
func (nb *nestBuilder) folds() (list []tir.Stmt, left int64) {
	if len(nb.shared) != 1 || nb.asTVM {
		return nil, 0
	}
	l := nb.shared[0]
	name := partsName(nb.name)
	for left = l.Extent; left > fewParts && len(list) < maxFolds; {
		name = partsName(name)
		threads := (left + foldedAtOnce - 1) / foldedAtOnce
		list = append(list, nb.fold(name, left, threads))
		left = threads
	}
	return list, left
}

// fold returns the statement by which the first threads take the partial results of the
// others to their own.
func (nb *nestBuilder) fold(name string, parts, threads int64) tir.Stmt {
	to := nb.freshVars()
	own := substituteAll(nb.partAt, to)
	taken := slices.Clone(own)
	other := tir.NewVar(nb.shared[0].Var.Name)
	last := len(own) - 1
	taken[last] = tir.Bin(tir.Add, own[last], tir.Bin(tir.Mul, tir.Bin(tir.Add, other, tir.Int(1)), tir.Int(threads)))
	var sources []tir.Expr
	for _, t := range nb.partTargets(taken) {
		sources = append(sources, t.load())
	}
	step := tir.Stmt(&tir.Block{Name: name, Body: nb.combineInto(nb.partTargets(own), sources)})
	others := (parts - 1) / threads
	if parts%threads != 0 {
		step = nb.guarded(step, []tir.Expr{tir.Bin(tir.LT, taken[last], tir.Int(parts))})
	}
	step = &tir.For{Var: other, Extent: tir.Int(others), Kind: tir.Unrolled, Body: step}
	working := nb.workers(nb.n)
	for i, l := range working {
		if l.Var == nb.shared[0].Var {
			working[i].Extent = threads
		}
	}
	guards := append(substituteAll(nb.spatialGuards(), to), nb.k.onThreads(working)...)
	return nb.around(nb.guarded(step, guards), to, slices.Concat(nb.kept, nb.shared))
}

// gather returns the statement that combines the partial results: the first ones of the only
// loop over them if some are left by folds, and all if left is 0.
func (nb *nestBuilder) gather(left int64) tir.Stmt {
	to := nb.freshVars()
	results := nb.targets(substituteAll(nb.at, to))
	var sources []tir.Expr
	for _, t := range nb.partTargets(substituteAll(nb.partAt, to)) {
		sources = append(sources, t.load())
	}
	step := tir.Stmt(&tir.Block{Name: nb.name, Body: nb.combineInto(results, sources)})
	for k := len(nb.shared) - 1; k >= 0; k-- {
		l := nb.shared[k]
		n := l.Extent
		if left > 0 {
			n = left
		}
		step = &tir.For{Var: to[l.Var].(*tir.Var), Extent: tir.Int(n), Body: step}
	}
	init := &tir.Block{Name: nb.name, Init: true, Body: nb.identityInto(results)}
	guards := substituteAll(nb.spatialGuards(), to)
	if nb.joint(nb.n.Stage) { // each thread that has a result of its own
		guards = append(guards, nb.having(nb.n.Stage, nb.k)...)
	} else {
		guards = append(guards, nb.k.onThreads(slices.DeleteFunc(nb.workers(nb.n), reduces))...)
	}
	return nb.around(nb.guarded(tir.Sequence(init, step), guards), to, nb.kept)
}

// around returns s inside copies of loops with other variables.
func (nb *nestBuilder) around(s tir.Stmt, vars map[*tir.Var]tir.Expr, loops []schedule.Loop) tir.Stmt {
	for k := len(loops) - 1; k >= 0; k-- {
		s = nb.loopOf(loops[k], vars[loops[k].Var].(*tir.Var), s)
	}
	return s
}
