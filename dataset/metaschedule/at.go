package metaschedule

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// anew returns whether TVM may make the loops of a block anew, in its order of the axes.
func (r *replay) anew(b *block, in *Instruction) bool {
	switch unit := string(in.Attrs[0]); {
	case b.touched || b.at != nil:
		r.unmapped("%s of a block that has a schedule", in.Kind)
	case unit != "1" && unit != "true":
		r.unmapped("%s without loops of one iteration", in.Kind)
	}
	order := b.order
	if r.err != nil || order == nil {
		order = nil
		for i := range b.loops {
			order = append(order, i)
		}
	}
	next := make([]*loop, 0, len(order))
	for _, axis := range order {
		for _, l := range b.loops {
			if l.axis == axis {
				next = append(next, l)
			}
		}
	}
	if r.err == nil {
		r.arrange(b, next)
	}
	return r.err == nil
}

func (r *replay) computeAt(in *Instruction) {
	if len(in.Inputs) < 2 || len(in.Attrs) < 1 {
		r.fail("it has no place")
		return
	}
	b, l := r.stage(in), r.loop(in.Inputs[1])
	if r.err != nil || l == atRoot {
		return
	}
	if l == inlined {
		r.computeInline(in)
		return
	}
	readers := r.readers(b)
	if !r.anew(b, in) {
		return
	}
	r.apply(schedule.ComputeAt{At: b.stage, Target: l.of.stage, TargetIter: l.position()})
	if r.err == nil && len(readers) > 0 {
		r.move(b, r.child(l, readers[0]), 0)
		b.at = l
	}
}

// child returns the first block of what is in a loop and holds a block.
func (r *replay) child(l *loop, of *block) *block {
	loops := of.above()
	if next := slices.Index(loops, l) + 1; next < len(loops) {
		for _, b := range r.blocks {
			if b.into == nil && !b.hidden && slices.Contains(b.above(), loops[next]) {
				return b
			}
		}
	}
	return of
}

// reverseComputeAt computes a block in loops of the one that it reads. In a state it is the other way round:
// the reader gets those loops, by the same splits, and the block that is read is computed in them.
//
//	for i.0                                    for i.0   of relu, which follows the split of matmul
//	  for j.0     of matmul                      for j.0
//	    for i.1                                    for i.0, j.0, each of one iteration: ghosts
//	      for j.1                  =>                for i.1
//	        matmul = ...                               for j.1
//	    for ax0, ax1                                     matmul = ...
//	      relu = ...                               for i.1, j.1
//	                                                 relu = ...
func (r *replay) reverseComputeAt(in *Instruction) {
	if len(in.Inputs) < 2 || len(in.Attrs) < 1 {
		r.fail("it has no place")
		return
	}
	reader, l := r.stage(in), r.loop(in.Inputs[1])
	if r.err != nil || l == atRoot {
		return
	}
	if l == inlined {
		r.unmapped("a block inlined into what it reads, by its place")
		return
	}
	b := l.of
	if !slices.Contains(r.readers(b), reader) {
		r.unmapped("a block in loops that belong to none it reads")
		return
	}
	axes, ok := r.axesRead(reader, b)
	if !ok || !r.anew(reader, in) {
		r.unmapped("a block in loops of one that it does not read element by element")
		return
	}
	shared := slices.Clone(b.loops[:l.position()+1])
	for i, s := range shared {
		if s.ghost {
			r.unmapped("a block in loops that belong to several blocks")
			return
		}
		ghost := *s
		ghost.ghost = true
		b.loops[i] = &ghost
	}
	own := r.splitLike(reader, shared, axes)
	if r.err != nil {
		return
	}
	r.arrange(reader, slices.Concat(shared, own))
	reader.at, reader.touched = b.at, true
	for _, o := range r.blocks {
		if slices.Contains(shared, o.at) || o == b {
			if o == b {
				o.at = l
			}
			r.apply(schedule.ComputeAt{At: o.stage, Target: reader.stage, TargetIter: o.at.position()})
		}
	}
	if reader.at != nil {
		r.apply(schedule.ComputeAt{At: reader.stage, Target: reader.at.of.stage, TargetIter: reader.at.position()})
	}
	r.move(reader, b, 1)
}

// axesRead returns the axis of the reader by which it reads each dimension of a block, if it reads no element but the
// one at its own axes; -1 where the dimension has one element.
func (r *replay) axesRead(reader, b *block) (axes []int, ok bool) {
	op := r.op(reader)
	ok = true
	r.state.EachLoad(reader.stage, func(from int, index []tir.Expr) {
		if from != b.stage {
			return
		}
		list := make([]int, len(index))
		for d, e := range index {
			list[d] = -1
			for a, axis := range op.Axes {
				if e == tir.Expr(axis.Var) {
					list[d] = a
				}
			}
			if c, constant := e.(*tir.IntImm); list[d] < 0 && (!constant || c.Value != 0) {
				ok = false
			}
		}
		if axes != nil && !slices.Equal(axes, list) {
			ok = false
		}
		axes = list
	})
	return axes, ok && axes != nil
}

// splitLike splits the axes of a block as the shared loops are split, which become its loops. It returns the others.
func (r *replay) splitLike(b *block, shared []*loop, axes []int) (own []*loop) {
	pieces := make([][]*loop, len(b.loops))
	for _, s := range shared {
		if s.axis < 0 || s.axis >= len(axes) || axes[s.axis] < 0 || s.part != len(pieces[axes[s.axis]]) {
			r.unmapped("a block in loops of fused or reordered pieces")
			return nil
		}
		a := axes[s.axis]
		pieces[a] = append(pieces[a], s)
	}
	var list []*loop
	for a, l := range b.loops {
		n := len(pieces[a])
		if n == 0 {
			list, own = append(list, l), append(own, l)
			continue
		}
		switch c := pieces[a][0].cut; {
		case c != nil && n <= len(c.lengths):
			r.apply(schedule.FollowSplit{At: b.stage, Iter: len(list), Src: c.step, Parts: n})
		default: // all of it: one iteration stays
			lengths := []int64{1}
			if c != nil {
				lengths = append(slices.Clone(c.lengths), 1)
			}
			extent := r.op(b).Axes[a].Extent
			r.apply(schedule.Split{At: b.stage, Iter: len(list), Extent: extent, Lengths: lengths, InnerToOuter: true})
		}
		inner := &loop{of: b, axis: -1}
		for _, s := range pieces[a] {
			s.of = b
			list = append(list, s)
		}
		list, own = append(list, inner), append(own, inner)
	}
	b.loops = list
	return own
}
