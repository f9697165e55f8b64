package metaschedule

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir/schedule"
)

// instructions are those that have a counterpart (upstream: src/s_tir/schedule/primitive).
var instructions = map[string]func(r *replay, in *Instruction){
	"GetSBlock":      (*replay).getBlock,
	"GetLoops":       func(r *replay, in *Instruction) { set(r, in, r.stage(in).above()...) },
	"GetChildBlocks": (*replay).getChildBlocks,
	"GetConsumers":   func(r *replay, in *Instruction) { set(r, in, r.readers(r.stage(in))...) },
	"GetProducers":   (*replay).getProducers,

	"SamplePerfectTile":     (*replay).sampleTile,
	"SampleCategorical":     (*replay).sampleCategory,
	"SampleComputeLocation": (*replay).sampleLocation,

	"Split":   (*replay).split,
	"Reorder": (*replay).reorder,
	"Fuse":    (*replay).fuse,

	"ComputeInline":        (*replay).computeInline,
	"ReverseComputeInline": (*replay).reverseComputeInline,
	"ComputeAt":            (*replay).computeAt,
	"ReverseComputeAt":     (*replay).reverseComputeAt,
	"CacheWrite":           (*replay).cacheWrite,
	"RFactor":              (*replay).rfactor,

	"Parallel":   func(r *replay, in *Instruction) { r.annotateLoop(in, schedule.Parallel) },
	"Vectorize":  func(r *replay, in *Instruction) { r.annotateLoop(in, schedule.Vectorize) },
	"Unroll":     func(r *replay, in *Instruction) { r.annotateLoop(in, schedule.Unroll) },
	"Annotate":   (*replay).annotate,
	"Unannotate": func(*replay, *Instruction) {},

	"EnterPostproc":      func(*replay, *Instruction) {},
	"DecomposeReduction": (*replay).decomposeReduction,
	"CacheRead":          (*replay).cacheRead,
	"TransformLayout":    (*replay).transformLayout,
}

func (r *replay) getBlock(in *Instruction) {
	if len(in.Attrs) == 0 {
		r.fail("it has no name")
		return
	}
	name := r.text(in.Attrs[0])
	b := r.find(name)
	if b == nil {
		r.unmapped("the block %s, which the trace does not make", name)
		return
	}
	set(r, in, b)
}

func (r *replay) getChildBlocks(in *Instruction) {
	if r.block(in, 0) != r.root {
		r.unmapped("blocks in a block")
	}
	var list []*block
	for _, b := range r.blocks {
		if !b.hidden && b.into == nil {
			list = append(list, b)
		}
	}
	set(r, in, list...)
}

func (r *replay) getProducers(in *Instruction) {
	of := r.stage(in)
	var list []*block
	for _, b := range r.blocks {
		if !b.hidden && !b.other && b.into == nil && slices.Contains(r.readers(b), of) {
			list = append(list, b)
		}
	}
	set(r, in, list...)
}

func (r *replay) sampleTile(in *Instruction) {
	var lengths []int64
	r.decide(&lengths)
	set(r, in, lengths...)
}

func (r *replay) sampleCategory(in *Instruction) {
	var choice int
	var choices []int64
	if r.decide(&choice); len(in.Attrs) == 0 || json.Unmarshal(in.Attrs[0], &choices) != nil {
		r.unmapped("a choice between things that are no numbers")
		return
	}
	if choice < 0 || choice >= len(choices) {
		r.fail("choice %d of %d", choice, len(choices))
		return
	}
	set(r, in, choices[choice])
}

// sampleLocation: the location is the number of a loop around the readers, or says that the
// block stays (-1) or is inlined (-2).
func (r *replay) sampleLocation(in *Instruction) {
	var at int
	r.decide(&at)
	readers := r.readers(r.stage(in))
	switch {
	case r.err != nil:
	case at == -2:
		set(r, in, inlined)
	case at == -1 || len(readers) == 0:
		set(r, in, atRoot)
	default:
		loops := readers[0].above()
		for _, b := range readers[1:] {
			for shared, l := range b.above() {
				if shared >= len(loops) || loops[shared] != l {
					loops = loops[:min(shared, len(loops))]
					break
				}
			}
		}
		if at < 0 || at >= len(loops) {
			r.unmapped("a location in loop %d (here of %d)", at, len(loops))
			return
		}
		set(r, in, loops[at])
	}
}

// maxProduct bounds the product of the lengths that a split names.
const maxProduct = 1 << 40

// split splits a loop: the factors are the lengths of the pieces, of which one may be open.
func (r *replay) split(in *Instruction) {
	list := r.ofOne(in.Inputs[:min(1, len(in.Inputs))])
	if r.err != nil {
		return
	}
	l, lengths, open := list[0], []int64{}, -1
	rest := int64(1)
	for i, v := range in.Inputs[1:] {
		n, ok := r.number(v)
		switch {
		case !ok && open >= 0:
			r.fail("two pieces of open length")
			return
		case !ok:
			open = i
		case n < 1 || n > maxProduct/rest:
			r.fail("a piece of length %d, of pieces that make 1 to %d", n, int64(maxProduct))
			return
		default:
			rest *= n
		}
		lengths = append(lengths, n)
	}
	b, at := l.of, l.position()
	extent := r.state.Stages[b.stage].Iters[at].Extent
	if open > 0 {
		if extent == schedule.Unknown {
			r.unmapped("a split of a loop of unknown length")
			return
		}
		lengths[open] = (extent + rest - 1) / rest
	}
	if len(lengths) < 2 {
		set(r, in, l)
		return
	}
	var c *cut
	if l.axis >= 0 && l.cut == nil && l.part == 0 {
		c = &cut{len(r.state.Steps), lengths[1:]}
	}
	r.apply(schedule.Split{At: b.stage, Iter: at, Extent: max(extent, 0), Lengths: lengths[1:], InnerToOuter: true})
	pieces := make([]*loop, len(lengths))
	for i := range pieces {
		pieces[i] = &loop{of: b, axis: -1, part: i}
		if c != nil {
			pieces[i].axis, pieces[i].cut = l.axis, c
		}
	}
	b.loops, b.touched = slices.Replace(b.loops, at, at+1, pieces...), true
	r.attached(l, pieces[len(pieces)-1])
	set(r, in, pieces...)
}

// attached moves the blocks that are computed in a loop to another.
func (r *replay) attached(from, to *loop) {
	for _, b := range r.blocks {
		if b.at == from {
			b.at = to
		}
	}
}

// reorder gives loops the places that they have together, in a new order.
func (r *replay) reorder(in *Instruction) {
	list := r.ofOne(in.Inputs)
	if r.err != nil {
		return
	}
	b := list[0].of
	next, k := slices.Clone(b.loops), 0
	for i, l := range b.loops {
		if slices.Contains(list, l) {
			next[i] = list[k]
			k++
		}
	}
	r.arrange(b, next)
}

// arrange gives the loops of a block another order.
func (r *replay) arrange(b *block, next []*loop) {
	if slices.Equal(next, b.loops) {
		return
	}
	order := make([]int, len(next))
	for i, l := range next {
		order[i] = l.position()
	}
	for _, o := range r.blocks {
		if o.at != nil && o.at.of == b && o.at.position() != slices.Index(next, o.at) {
			r.unmapped("a reordering of loops in which blocks are computed")
		}
	}
	r.apply(schedule.Reorder{At: b.stage, Order: order})
	b.loops = next
}

func (r *replay) fuse(in *Instruction) {
	list := r.ofOne(in.Inputs)
	if r.err != nil || len(list) == 1 {
		set(r, in, list...)
		return
	}
	b, first := list[0].of, list[0].position()
	iters := make([]int, len(list))
	for i, l := range list {
		if iters[i] = l.position(); iters[i] != first+i {
			r.unmapped("a fusion of loops that do not follow each other")
		}
	}
	for _, o := range r.blocks {
		if i := slices.Index(list, o.at); o.at != nil && i >= 0 && i < len(list)-1 {
			r.unmapped("a fusion of loops between which a block is computed")
		}
	}
	r.apply(schedule.Fuse{At: b.stage, Iters: iters})
	if r.err != nil {
		return
	}
	fused := &loop{of: b, axis: -1}
	b.loops, b.touched = slices.Replace(b.loops, first, first+len(list), fused), true
	r.attached(list[len(list)-1], fused)
	set(r, in, fused)
}

func (r *replay) computeInline(in *Instruction) {
	b := r.stage(in)
	readers := r.readers(b)
	r.apply(schedule.ComputeInline{At: b.stage})
	if r.err == nil && len(readers) > 0 {
		b.into = readers[0]
	}
}

// reverseComputeInline inlines a block into the one that it reads: that one, which goes on by its name, into this one.
func (r *replay) reverseComputeInline(in *Instruction) {
	b := r.stage(in)
	for _, o := range r.blocks {
		if !o.hidden && !o.other && o.into == nil && slices.Equal(r.readers(o), []*block{b}) {
			if b.touched || b.at != nil || o.touched || o.at != nil {
				r.unmapped("an inlined block that has a schedule")
			}
			r.apply(schedule.ComputeInline{At: o.stage})
			o.into, b.name = b, o.name
			return
		}
	}
	r.unmapped("a block inlined into what others read, too")
}

// cacheWrite shows the copy that replay.copies made.
func (r *replay) cacheWrite(in *Instruction) {
	b := r.stage(in)
	i := slices.Index(r.blocks, b)
	if r.err != nil || i < 0 || i+1 == len(r.blocks) || !r.blocks[i+1].hidden {
		r.fail("it copies a block that has a copy")
		return
	}
	r.blocks[i+1].hidden = false
	set(r, in, r.blocks[i+1])
}

// rfactor: the loop becomes an axis of a new block, which comes first; the block itself reduces over that axis.
// TVM has the new axis first in both, and keeps the order of the loops.
func (r *replay) rfactor(in *Instruction) {
	list := r.ofOne(in.Inputs[:min(1, len(in.Inputs))])
	if r.err != nil || len(in.Attrs) == 0 {
		return
	}
	l := list[0]
	b := l.of
	op := r.op(b)
	spatial := len(op.Axes)
	at64, _ := r.number(in.Attrs[0])
	at := int(at64)
	if at < 0 {
		at += spatial + 1
	}
	for i, o := range b.loops {
		if i < spatial && o.axis != i || b.at != nil {
			r.unmapped("a factored reduction of a block that has a schedule")
			return
		}
	}
	r.apply(schedule.Rfactor{At: b.stage, Iter: l.position(), FactorIter: at})
	if r.err != nil {
		return
	}
	part := &block{name: b.name + "_rf", stage: b.stage, reduces: true}
	r.insert(b)
	part.stage = b.stage - 1
	r.blocks = slices.Insert(r.blocks, slices.Index(r.blocks, b), part)

	// The stage's axes: spatial ones with the new one among them, then the loops that still reduce.
	part.loops = fresh(part, len(b.loops))
	natural := slices.Insert(slices.Clone(b.loops[:spatial]), at, l)
	for _, o := range b.loops[spatial:] {
		if o != l {
			natural = append(natural, o)
		}
	}
	next := make([]*loop, len(b.loops))
	for i, o := range b.loops {
		next[i] = part.loops[slices.Index(natural, o)]
	}
	part.order = firstOf(at, len(b.loops))
	b.loops, b.touched, b.order = fresh(b, spatial+1), false, firstOf(spatial, spatial+1)
	r.arrange(part, next)
	set(r, in, part)
}

// firstOf returns 0..n-1 with one number in front.
func firstOf(first, n int) []int {
	list := []int{first}
	for i := range n {
		if i != first {
			list = append(list, i)
		}
	}
	return list
}

func (r *replay) annotateLoop(in *Instruction, a schedule.Annotation) {
	list := r.ofOne(in.Inputs)
	if r.err != nil {
		return
	}
	b, at := list[0].of, list[0].position()
	if r.state.Stages[b.stage].Iters[at].Ann != a { // TVM says it again for each block in the loop
		r.apply(schedule.Annotate{At: b.stage, Iter: at, Ann: a})
	}
	b.touched = true
}

func (r *replay) annotate(in *Instruction) {
	if len(in.Inputs) < 2 || len(in.Attrs) < 1 {
		r.fail("it has no value")
		return
	}
	key := r.text(in.Attrs[0])
	_, isLoop := r.vars[r.text(in.Inputs[0])].(*loop)
	switch {
	case strings.HasPrefix(key, "meta_schedule."), key == "pragma_unroll_explicit":
		// what the postprocessors carry out, and that LLVM unrolls rather than TVM
	case isLoop && key == "pragma_auto_unroll_max_step":
		list := r.ofOne(in.Inputs[:1])
		if steps, _ := r.number(in.Inputs[1]); r.err == nil {
			r.unroll(list[0], int(steps))
		}
	default:
		r.unmapped("an annotation %s", key)
	}
}

// unroll sets the limit of unrolling of the blocks in a loop that reduce, or, if there are none, of the loop's own.
func (r *replay) unroll(l *loop, steps int) {
	of := []*block{}
	for _, b := range r.blocks {
		if b.reduces && !b.other && !b.hidden && b.into == nil && slices.Contains(b.above(), l) {
			of = append(of, b)
		}
	}
	if len(of) == 0 {
		of = append(of, l.of)
	}
	for _, b := range of {
		r.apply(schedule.Pragma{At: b.stage, Text: schedule.UnrollPragma(steps)})
	}
}

// decomposeReduction splits off what initializes the result, which no stage of its own does here.
func (r *replay) decomposeReduction(in *Instruction) {
	b := r.stage(in)
	b.name += "_update"
	set(r, in, &block{name: strings.TrimSuffix(b.name, "_update") + "_init", other: true})
}

// cacheRead is the copy of a weight that TVM's RewriteLayout makes, to be carried out ahead of time.
func (r *replay) cacheRead(in *Instruction) {
	b := r.stage(in)
	if next := r.at + 1; next < len(r.trace.Instructions) {
		if in := &r.trace.Instructions[next]; in.Kind == "Annotate" && len(in.Attrs) == 1 &&
			r.text(in.Attrs[0]) == "meta_schedule.layout_rewrite_preproc" {
			r.packed = b
		}
	}
	if r.packed != b {
		r.unmapped("a copy of what a block reads")
	}
	set(r, in, &block{name: b.name, other: true})
}

func (r *replay) transformLayout(in *Instruction) {
	if r.stage(in) != r.packed {
		r.unmapped("another layout of a tensor that is no weight")
	}
	r.layout = true
}
