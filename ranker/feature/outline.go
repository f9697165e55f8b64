package feature

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Outline returns the loop nests of a concrete state as TVM would make them
// (src/te/schedule/schedule_ops.cc), producers first:
//
//	C: i (0,8), k (0,4)            for i in 8:
//	  A attached at i         =>     alloc A
//	                                 A[i, ...] = ...
//	                                 C[i] = 0
//	                                 for k in 4:
//	                                   C[i] = C[i] + A[i, k]
//
// Loops of one iteration are left out, unless they are bound to threads. Indices
// are those of whole tensors, also where a part of one is allocated. The error
// is that of a state that has no bounds.
func Outline(s *schedule.State) (*Program[Float], error) {
	nests, err := s.Nests()
	if err != nil {
		return nil, fmt.Errorf("feature: %w", err)
	}
	o := newOutliner(s, nests)
	o.program()
	return o.p, nil
}

func bufferOf(b *tir.Buffer) Buffer {
	c := Buffer{Name: b.Name, Bytes: float64(b.Type.Bytes())}
	for _, n := range b.Shape {
		c.Shape = append(c.Shape, float64(n))
	}
	return c
}

// unrollLimits returns the limit that each stage sets for unrolling, 0 included,
// which counts inside a stage with another limit; or -1.
func unrollLimits(s *schedule.State) []int {
	limits := slices.Repeat([]int{-1}, len(s.DAG.Ops))
	for _, step := range s.Steps {
		switch step := step.(type) {
		case schedule.CacheWrite:
			limits = slices.Insert(limits, step.At, -1)
		case schedule.Rfactor:
			limits = slices.Insert(limits, step.At, -1)
		case schedule.CacheRead:
			limits = slices.Insert(limits, step.At+1, -1)
		case schedule.Pragma:
			var n int
			if _, err := fmt.Sscanf(step.Text, "auto_unroll_max_step$%d", &n); err == nil {
				limits[step.At] = n
			}
		}
	}
	return limits
}

// An outliner writes down the program of a state.
type outliner struct {
	s        *schedule.State
	nests    []*schedule.Nest
	p        *Program[Float]
	producer map[*tir.Buffer]int // the buffer in p of each result of each stage
	stage    []int               // by buffer

	limits []int // of unrolling, by stage; below 0 if it sets none

	around []int            // the loops around what is written next
	loops  map[*tir.Var]int // the loops of variables
	unroll int
	free   []int // the places of loops over threads that were left, the last one last
}

func newOutliner(s *schedule.State, nests []*schedule.Nest) *outliner {
	o := &outliner{
		s: s, nests: nests, p: &Program[Float]{}, limits: unrollLimits(s),
		loops: map[*tir.Var]int{}, producer: map[*tir.Buffer]int{},
	}
	for i, st := range s.Stages {
		for _, r := range st.Op.Results {
			o.producer[r] = len(o.p.Buffers)
			o.stage = append(o.stage, i)
			o.p.Buffers = append(o.p.Buffers, bufferOf(r))
		}
	}
	return o
}

// program writes all nests.
func (o *outliner) program() {
	var roots []int
	for i, n := range o.nests {
		if _, attached := o.s.Attach.At(i); n != nil && !attached {
			roots = append(roots, i)
		}
	}
	o.stages(roots, func() {})
}

// stages writes the nests of the listed stages, in order, and then rest, within
// their allocations.
func (o *outliner) stages(list []int, rest func()) {
	for _, i := range list {
		o.nest(i)
		size := 1.0
		for d := range o.s.Stages[i].Op.Axes {
			size *= float64(o.nests[i].Region[d].Extent)
		}
		for _, r := range o.s.Stages[i].Op.Results {
			o.p.Allocs = append(o.p.Allocs, Alloc[Float]{o.producer[r], Float(size), slices.Clone(o.around)})
		}
	}
	rest()
}

func (o *outliner) nest(i int) {
	n := &nester{outliner: o, n: o.nests[i], op: o.s.Stages[i].Op}
	outer := o.unroll
	if o.limits[i] >= 0 && !(len(n.n.Loops) > 0 && kinds[n.n.Loops[0].Iter.Ann].isGPU()) {
		o.unroll = o.limits[i] // TVM loses it on a loop over threads
	}
	n.reduce = len(n.n.Loops)
	if n.op.Combine != nil {
		if k := slices.IndexFunc(n.n.Loops, reduces); k >= 0 {
			n.reduce = k
		}
	}
	n.from(0)
	o.unroll = outer
}

// reduces reports whether a loop has to do with a reduction.
func reduces(l schedule.Loop) bool {
	return l.Iter.Kind == schedule.Reduction || l.Iter.Kind == schedule.Mixed
}

// A nester writes the loop nest of one stage.
type nester struct {
	*outliner
	n      *schedule.Nest
	op     *compute.Op
	reduce int // the first loop that has to do with the reduction
}

// from writes the nest from loop k on.
func (n *nester) from(k int) {
	if k == n.reduce && n.op.Combine != nil {
		n.init()
	}
	if k == len(n.n.Loops) {
		n.update()
		return
	}
	l := n.n.Loops[k]
	leave := n.enter(l)
	inside := slices.Sorted(slices.Values(n.s.Attach.Inside(n.n.Stage, k)))
	n.stages(inside, func() { n.from(k + 1) })
	leave()
}

// enter opens a loop.
func (o *outliner) enter(l schedule.Loop) (leave func()) {
	kind := kinds[l.Iter.Ann]
	if l.Extent == 1 && !kind.isGPU() {
		return func() {}
	}
	before, had := o.loops[l.Var]
	o.loops[l.Var] = len(o.p.Loops)
	o.around = append(o.around, len(o.p.Loops))
	o.p.Loops = append(o.p.Loops, Loop[Float]{Float(l.Extent), kind, o.place(kind)})
	return func() {
		last := o.around[len(o.around)-1]
		if kind.isGPU() {
			o.free = append(o.free, o.p.Loops[last].Place)
		}
		o.around = o.around[:len(o.around)-1]
		if had {
			o.loops[l.Var] = before
		}
	}
}

// place returns the place of the next loop. TVM tells loops apart by the addresses
// of their nodes, and makes nodes for loops over threads that it frees when it
// leaves the loop. The next such node has the same address, unless that of another
// loop took the memory.
func (o *outliner) place(kind Kind) int {
	place := len(o.p.Loops)
	if n := len(o.free); n > 0 {
		if kind.isGPU() {
			place = o.free[n-1]
		}
		o.free = o.free[:n-1]
	}
	return place
}

var kinds = [...]Kind{
	schedule.None: Serial, schedule.Unroll: Unrolled, schedule.Vectorize: Vectorized, schedule.Parallel: Parallel,
	schedule.VThread: Vthread, schedule.BlockX: BlockX, schedule.BlockY: BlockY, schedule.BlockZ: BlockZ,
	schedule.ThreadX: ThreadX, schedule.ThreadY: ThreadY, schedule.ThreadZ: ThreadZ, schedule.Tensorize: Serial,
}

// init writes the initialisation of a reduction: the loops from the first one
// that has to do with it on, without those that only reduce.
func (n *nester) init() {
	var leave []func()
	for _, l := range n.n.Loops[n.reduce:] {
		if l.Iter.Kind != schedule.Reduction {
			leave = append(leave, n.enter(l))
		}
	}
	for d := range n.op.Results {
		n.store(d, n.op.Combine.Identity[d], nil)
	}
	for _, f := range slices.Backward(leave) {
		f()
	}
}

// update writes what the stage computes at one point, or one step of its
// reduction.
func (n *nester) update() {
	for d := range n.op.Results {
		if n.op.Combine == nil {
			n.store(d, n.op.Body[d], nil)
			continue
		}
		n.store(d, n.op.Combine.Result[d], n.op.Combine)
	}
}

// store writes the store of result d.
func (n *nester) store(d int, value tir.Expr, c *compute.Combiner) {
	w := &statement{outliner: n.outliner, env: map[*tir.Var]sum{}, ranges: ranges{loops: n.p.Loops}}
	at := n.axes(w)
	for k := range at {
		w.env[n.axis(k)] = at[k]
	}
	own := at[:len(n.op.Axes)]
	w.access(n.producer[n.op.Results[d]], Write, own)
	if c != nil {
		w.combine = map[*tir.Var]func(){}
		for k := range c.Acc {
			w.combine[c.Acc[k]] = func() {
				for _, s := range own {
					s.ops(&w.ops.Int)
				}
				w.access(n.producer[n.op.Results[k]], Read, own)
			}
			w.combine[c.Src[k]] = func() { w.value(n.op.Body[k]) }
		}
	}
	w.value(value)
	n.p.Stores = append(n.p.Stores, Store[Float]{
		Loops: slices.Clone(n.around), Ops: w.ops, Accesses: w.accesses, Unroll: n.unroll,
	})
}

func (n *nester) axis(k int) *tir.Var {
	if k < len(n.op.Axes) {
		return n.op.Axes[k].Var
	}
	return n.op.ReduceAxes[k-len(n.op.Axes)].Var
}
