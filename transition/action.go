package transition

import (
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir/schedule"
)

// An Action is a step with what it refers to.
type Action struct {
	Kind  schedule.Kind
	Stage int
	Roles []Role // of the stage

	Stages, Steps int  // of the state before
	Same          bool // the step before transformed the same stage

	Loop   *Loop   // the iterator addressed; nil if the kind addresses none
	Split  *Pieces // of SP, FSP and FFSP
	Ann    schedule.Annotation
	Unroll int64  // of PR
	Fused  *Fused // of FU
	Order  []Loop // of RE: the loops in their new order
	Target *Place // of CA
	Cache  *Cache // of CHR and CHW
}

// A Loop is an iterator.
type Loop struct {
	At, Loops int // position from outside, and number of iterators of the stage
	Kind      schedule.IterKind
	Extent    int64
}

// Pieces are what a split makes.
type Pieces struct {
	Outer        int64 // the piece that gets what remains
	Lengths      []int64
	InnerToOuter bool
	Divides      bool // the lengths divide the extent
}

// Fused is what a fusion makes.
type Fused struct {
	Loops    int
	Extent   int64
	Spatial  bool // all of them
	Attached bool // a stage is computed in one of them
}

// A Place is where a stage is computed.
type Place struct {
	Stage           int
	Roles           []Role
	Loop            Loop
	Outside, Inside int64 // iterations of the target's loops up to it, and within it
}

// A Cache is a copy in another memory.
type Cache struct {
	Scope   string
	Readers int
}

// Resolve returns the action of a step that can be applied to a state. The
// extents are those after bound inference.
func Resolve(before *schedule.State, step schedule.Step) Action {
	r := resolver{s: before}
	return r.resolve(step)
}

func (r *resolver) resolve(step schedule.Step) Action {
	before := r.s
	a := Action{
		Kind: step.Kind(), Stage: step.Stage(), Roles: rolesOf(before, step.Stage()),
		Stages: len(before.Stages), Steps: len(before.Steps),
	}
	if n := len(before.Steps); n > 0 {
		a.Same = before.Steps[n-1].Stage() == a.Stage
	}
	switch step := step.(type) {
	case schedule.Annotate:
		a.Loop, a.Ann = r.loop(step.At, step.Iter), step.Ann
	case schedule.Fuse:
		r.fuse(step, &a)
	case schedule.Pragma:
		a.Loop = r.loop(step.At, step.Iter)
		_, number, _ := strings.Cut(step.Text, "$")
		a.Unroll, _ = strconv.ParseInt(number, 10, 64) // other pragmas have none
	case schedule.Reorder:
		for _, old := range step.Order {
			a.Order = append(a.Order, *r.loop(step.At, old))
		}
	case schedule.Split:
		a.Loop = r.loop(step.At, step.Iter)
	case schedule.FollowSplit:
		a.Loop = r.loop(step.At, step.Iter)
	case schedule.FollowFusedSplit:
		a.Loop = r.loop(step.At, step.Iter)
	case schedule.StorageAlign:
		a.Loop = r.loop(step.At, step.Iter)
	case schedule.ComputeAt:
		a.Target = r.place(step.Target, step.TargetIter)
	case schedule.CacheRead:
		a.Cache = &Cache{Scope: step.Scope, Readers: len(step.Readers)}
	case schedule.CacheWrite:
		a.Cache = &Cache{Scope: step.Scope}
	case schedule.Rfactor:
		a.Loop = r.loop(step.At, step.Iter)
	}
	if lengths, inner, err := before.SplitLengths(step); err == nil && a.Loop != nil {
		a.Split = pieces(a.Loop.Extent, lengths, inner)
	}
	return a
}

// A resolver looks things up in a state, whose bounds it infers when they are
// first asked for and not known.
type resolver struct {
	s     *schedule.State
	bound *schedule.State
}

// iters returns the iterators of a stage with their extents.
func (r *resolver) iters(stage int) []*schedule.Iterator {
	iters := r.s.Stages[stage].Iters
	for _, it := range iters {
		if it.Extent != schedule.Unknown {
			continue
		}
		if r.bound == nil {
			var err error
			if r.bound, err = r.s.InferBound(); err != nil {
				return iters // the number of iterations is out of range, or open
			}
		}
		return r.bound.Stages[stage].Iters
	}
	return iters
}

// loop returns an iterator, or nil if there is none: a PR step may name one that is
// out of range.
func (r *resolver) loop(stage, iter int) *Loop {
	iters := r.iters(stage)
	if iter < 0 || iter >= len(iters) {
		return nil
	}
	return &Loop{At: iter, Loops: len(iters), Kind: iters[iter].Kind, Extent: max(iters[iter].Extent, 1)}
}

func (r *resolver) fuse(step schedule.Fuse, a *Action) {
	f := &Fused{Loops: len(step.Iters), Extent: 1, Spatial: true}
	for _, i := range step.Iters {
		l := r.loop(step.At, i)
		f.Extent *= l.Extent
		f.Spatial = f.Spatial && l.Kind == schedule.Spatial
		f.Attached = f.Attached || len(r.s.Attach.Inside(step.At, i)) > 0
	}
	if len(step.Iters) > 0 {
		a.Loop = r.loop(step.At, step.Iters[0])
	}
	a.Fused = f
}

func (r *resolver) place(stage, iter int) *Place {
	p := &Place{Stage: stage, Roles: rolesOf(r.s, stage), Loop: *r.loop(stage, iter), Outside: 1, Inside: 1}
	for k, it := range r.iters(stage) {
		if k <= iter {
			p.Outside *= max(it.Extent, 1)
		} else {
			p.Inside *= max(it.Extent, 1)
		}
	}
	return p
}

// pieces splits an extent.
func pieces(extent int64, lengths []int64, innerToOuter bool) *Pieces {
	p := &Pieces{Outer: extent, Lengths: lengths, InnerToOuter: innerToOuter, Divides: true}
	for _, l := range lengths {
		l = max(l, 1)
		p.Divides = p.Divides && p.Outer%l == 0
		p.Outer = (p.Outer + l - 1) / l
	}
	return p
}
