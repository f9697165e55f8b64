package lower

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A kernel is a root stage, and what is attached in it, that runs on GPU
// threads. All loops bound to one of its thread dimensions are that dimension:
// one loop per dimension stands around the body of the block, and in place of
// each bound loop its variable is used:
//
//	bind i in 4 blockIdx.x:                  bind i in 4 blockIdx.x:
//	  bind j in 32 threadIdx.x:                bind threadIdx.x in 32 threadIdx.x:
//	    alloc A.shared: float32[32] shared       alloc A.shared: float32[32] shared
//	    bind ax in 32 threadIdx.x:          =>   A.shared[threadIdx.x] = ...
//	      A.shared[ax] = ...                     ... A.shared[threadIdx.x] ...
//	    ... A.shared[j] ...
//
// What threads share is written by the thread that its loops name; a dimension
// that they do not name leaves it to thread 0. Buffers of a stage that is attached
// inside thread loops, and in no memory that threads share, are a thread's own:
// it computes all of its region itself, or, of a sum that crosses the threads of another
// dimension, from their partial results. See synchronize for barriers.
type kernel struct {
	dims []threadDim
	wrap int // the first loop of the root stage inside the thread loops
}

type threadDim struct {
	ann    schedule.Annotation
	extent int64
	v      *tir.Var
}

func isThread(a schedule.Annotation) bool {
	return a == schedule.ThreadX || a == schedule.ThreadY || a == schedule.ThreadZ
}

// findKernels sets the kernel of each stage that is in one.
func (b *builder) findKernels() {
	for i := len(b.nests) - 1; i >= 0; i-- {
		if b.nests[i] == nil {
			continue
		}
		root := b.rootOf(i)
		for _, l := range b.nests[i].Loops {
			if isThread(l.Iter.Ann) || l.Iter.Ann.IsBlock() {
				b.addThreads(root, l)
			}
		}
	}
	for root, k := range b.kernels {
		if k != nil {
			b.sortDims(k)
			k.wrap = b.wrapPoint(root)
		}
	}
}

func (b *builder) rootOf(i int) int {
	for {
		at, ok := b.s.Attach.At(i)
		if !ok {
			return i
		}
		i = at.Stage
	}
}

func (b *builder) addThreads(root int, l schedule.Loop) {
	if b.kernels == nil {
		b.kernels = make([]*kernel, len(b.nests))
		b.threads = map[*tir.Var]tir.Expr{}
	}
	if b.kernels[root] == nil {
		b.kernels[root] = &kernel{}
	}
	k := b.kernels[root]
	if !isThread(l.Iter.Ann) {
		return
	}
	for d := range k.dims {
		if k.dims[d].ann == l.Iter.Ann {
			k.dims[d].extent = max(k.dims[d].extent, l.Extent)
			return
		}
	}
	k.dims = append(k.dims, threadDim{l.Iter.Ann, l.Extent, tir.NewVar(l.Iter.Ann.String())})
}

// sortDims puts z before y before x.
func (b *builder) sortDims(k *kernel) {
	slices.SortFunc(k.dims, func(x, y threadDim) int { return int(y.ann) - int(x.ann) })
}

// wrapPoint returns where the thread loops stand in the root stage: inside its
// blockIdx loops, but outside of all attached stages and of its reduction.
func (b *builder) wrapPoint(root int) int {
	wrap, reduce := 0, false
	for k, l := range b.nests[root].Loops {
		if reduce = reduce || reduces(l); reduce {
			break
		}
		if l.Iter.Ann.IsBlock() {
			wrap = k + 1
		}
		if len(b.s.Attach.Inside(root, k)) > 0 {
			break
		}
	}
	return wrap
}

// kernelOf returns the kernel that stage i is in, or nil.
func (b *builder) kernelOf(i int) *kernel {
	if b.kernels == nil {
		return nil
	}
	return b.kernels[b.rootOf(i)]
}

// inThreads reports whether stage i is attached inside a loop bound to
// threadIdx.
func (b *builder) inThreads(i int) bool {
	for {
		at, ok := b.s.Attach.At(i)
		if !ok {
			return false
		}
		for k := 0; k <= at.Iter; k++ {
			if isThread(b.nests[at.Stage].Loops[k].Iter.Ann) {
				return true
			}
		}
		i = at.Stage
	}
}

// scopeOf returns where the result of stage i is to live, which asks for scope.
func (b *builder) scopeOf(i int, scope tir.Scope) tir.Scope {
	_, attached := b.s.Attach.At(i)
	k := b.kernelOf(i)
	switch {
	case b.kernels == nil && attached && scope == "":
		return tir.Local
	case b.kernels == nil:
		return scope
	case !attached || k == nil:
		return tir.Global // kernels and the host have no other memory in common
	case (scope == "" || scope == tir.Local) && (len(k.dims) == 0 || b.inThreads(i)):
		return tir.Local
	}
	return tir.Shared
}

// refuseWarp returns an error for a cache in warp memory that several rows of threads would fill: lowering puts it into
// shared memory, of which a block has one, and its region is what the threads along threadIdx.x of one row need.
func (b *builder) refuseWarp(stage int) error {
	op := b.s.Stages[stage].Op
	if op.Results[0].Scope != tir.Warp {
		return nil
	}
	for at, ok := b.s.Attach.At(stage); ok; at, ok = b.s.Attach.At(at.Stage) {
		for _, l := range b.nests[at.Stage].Loops[:at.Iter+1] {
			if a := l.Iter.Ann; (a == schedule.ThreadY || a == schedule.ThreadZ) && l.Extent > 1 {
				return fmt.Errorf("stage %s is in warp memory and attached inside iterator %s of stage %s, which is bound to %s: "+
					"cache it in shared memory, or attach it outside", op.Name, l.Iter.Name, b.s.Stages[at.Stage].Op.Name, a)
			}
		}
	}
	return nil
}

// wrapped returns the body of a block inside the loops over its threads.
func (k *kernel) wrapped(body tir.Stmt) tir.Stmt {
	for d := len(k.dims) - 1; d >= 0; d-- {
		dim := k.dims[d]
		body = &tir.For{Var: dim.v, Extent: tir.Int(dim.extent), Kind: tir.ThreadBound, Thread: dim.ann.String(), Body: body}
	}
	return body
}

// dim returns the dimension that a loop is bound to.
func (k *kernel) dim(a schedule.Annotation) threadDim {
	for _, d := range k.dims {
		if d.ann == a {
			return d
		}
	}
	panic("BUG: lower: no thread dimension " + a.String())
}

// bound reports whether a loop that is to be bound to threads is. In a nest that
// each thread runs for itself none is, and of several bound to one dimension
// only the outermost. No loop over a reduction is if some loop is fused from
// spatial and reduce axes: no thread has elements of its own then, and one does
// the work of all.
func (b *builder) bound(n *schedule.Nest, l schedule.Loop) bool {
	if b.private(n.Stage) && !b.mayCross(n.Stage, l) {
		return false
	}
	for _, outer := range n.Loops {
		if outer.Iter.Ann == l.Iter.Ann {
			if outer.Var != l.Var {
				return false
			}
			break
		}
	}
	return !reduces(l) || !slices.ContainsFunc(n.Loops,
		func(l schedule.Loop) bool { return l.Iter.Kind == schedule.Mixed })
}

// private reports whether each thread has the results of a stage for itself.
func (b *builder) private(stage int) bool {
	return b.storage[b.s.Stages[stage].Op.Results[0]].buffer.Scope == tir.Local
}

// joint reports whether threads sum up the results of a stage together that each of them then has for itself.
//
//	bind i.1 in 8 threadIdx.y:
//	  for k.0 in 4:
//	    bind k.1 in 32 threadIdx.x:
//	      sum = (sum + A[i.1, k.0*32 + k.1])
func (b *builder) joint(stage int) bool {
	n := b.nests[stage]
	return b.private(stage) && len(b.boundLoops(n, len(n.Loops))) > 0
}

// mayCross reports whether a loop of a stage that is a thread's own may be divided among threads: it is over the
// reduction, and no loop around the stage is bound to its dimension.
func (b *builder) mayCross(stage int, l schedule.Loop) bool {
	return reduces(l) && b.s.Stages[stage].Op.Combine != nil &&
		!slices.ContainsFunc(b.threadsAround(stage), func(a schedule.Loop) bool { return a.Iter.Ann == l.Iter.Ann })
}

// workers returns the loops whose threads carry out the statements of a nest: those of its own loops that are bound
// and, if they sum up together, those around it.
func (b *builder) workers(n *schedule.Nest) []schedule.Loop {
	loops := b.boundLoops(n, len(n.Loops))
	if b.joint(n.Stage) {
		loops = append(b.threadsAround(n.Stage), loops...)
	}
	return loops
}

// threadsAround returns the loops bound to threads that a stage is attached in. Those of a nest that is not private
// count whatever it is itself attached in.
func (b *builder) threadsAround(stage int) []schedule.Loop {
	var list []schedule.Loop
	for {
		at, ok := b.s.Attach.At(stage)
		if !ok {
			return list
		}
		list = append(list, b.boundLoops(b.nests[at.Stage], at.Iter+1)...)
		if stage = at.Stage; !b.private(stage) {
			return list
		}
	}
}

// boundLoops returns those of the first loops of a nest that are bound to
// threads.
func (b *builder) boundLoops(n *schedule.Nest, first int) []schedule.Loop {
	var list []schedule.Loop
	for _, l := range n.Loops[:first] {
		if isThread(l.Iter.Ann) && b.bound(n, l) {
			list = append(list, l)
		}
	}
	return list
}

// threadConds returns the conditions under which a thread carries out the
// statements of a nest.
func (b *builder) threadConds(n *schedule.Nest, k *kernel) []tir.Expr {
	if b.private(n.Stage) && !b.joint(n.Stage) {
		return b.having(n.Stage, k)
	}
	loops := b.workers(n)
	if b.tiles[n.Stage] != nil {
		loops = append(loops, lanes)
	}
	return k.onThreads(loops)
}

// having returns the conditions under which a thread has results of a stage for itself: it runs the loops around.
func (b *builder) having(stage int, k *kernel) []tir.Expr {
	var conds []tir.Expr
	for _, l := range b.threadsAround(stage) {
		if d := k.dim(l.Iter.Ann); l.Extent < d.extent {
			conds = append(conds, tir.Bin(tir.LT, d.v, tir.Int(l.Extent)))
		}
	}
	return conds
}

// onThreads returns the conditions under which a thread carries out the
// statements of a nest of which the given loops are bound to threads: it is one
// of those, and the first in other dimensions.
func (k *kernel) onThreads(loops []schedule.Loop) []tir.Expr {
	var conds []tir.Expr
	for _, d := range k.dims {
		n := int64(1)
		for _, l := range loops {
			if l.Iter.Ann == d.ann {
				n = l.Extent
			}
		}
		if n < d.extent {
			conds = append(conds, tir.Bin(tir.LT, d.v, tir.Int(n)))
		}
	}
	return conds
}

// refuseOthers returns an error if threads that have no results of a stage for themselves carry out a nest that reads
// them: its own loops may be bound to more threads than those around the stage.
func (nb *nestBuilder) refuseOthers() error {
	for from, n := range nb.nests {
		if n == nil || !nb.private(from) || !slices.Contains(nb.s.Readers(from), nb.n.Stage) {
			continue
		}
		for _, cond := range nb.having(from, nb.k) {
			having := cond.(*tir.Binary)
			within := func(c tir.Expr) bool {
				own := c.(*tir.Binary)
				return own.X == having.X && own.Y.(*tir.IntImm).Value <= having.Y.(*tir.IntImm).Value
			}
			if !slices.ContainsFunc(nb.conds, within) {
				return fmt.Errorf("stage %s reads stage %s, which only the first %s threads along %s compute for themselves, in "+
					"more threads: attach %[2]s outside of the loops bound to threads, or bind loops of equal lengths",
					nb.op.Name, nb.s.Stages[from].Op.Name, having.Y, having.X)
			}
		}
	}
	return nil
}
