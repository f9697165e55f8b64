package tirtest

import (
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// RandomSteps returns up to n random steps that are legal one after the other
// on d, for a CPU: lengths that do not divide, odd orders and places of
// computation, annotations that no search would choose.
func RandomSteps(r *rand.Rand, d *compute.DAG, n int) []schedule.Step {
	return randomSteps(r, schedule.New(d), n, stepKinds)
}

// RandomStepsFrom is RandomSteps behind those of a state, which are the first ones returned.
func RandomStepsFrom(r *rand.Rand, s *schedule.State, n int) []schedule.Step {
	return randomSteps(r, s, len(s.Steps)+n, stepKinds)
}

// RandomGPUSteps is RandomSteps with loops bound to blocks and threads, and
// caches in shared memory.
func RandomGPUSteps(r *rand.Rand, d *compute.DAG, n int) []schedule.Step {
	return randomSteps(r, schedule.New(d), n, gpuStepKinds)
}

func randomSteps(r *rand.Rand, s *schedule.State, n int, kinds []stepKind) []schedule.Step {
	for range 8 * n {
		if len(s.Steps) >= n {
			break
		}
		stage := r.IntN(len(s.Stages))
		if s.Stages[stage].Op.IsPlaceholder() && r.IntN(8) > 0 {
			continue
		}
		kind := kinds[pick(r, kinds)]
		for _, step := range kind.make(r, s, stage) {
			if t, err := s.Apply(step); err == nil && !tooLarge(t) {
				s = t
			}
		}
	}
	return s.Steps
}

// tooLarge reports whether a state has so many iterations, of loops padded by
// lengths that do not divide, or so many threads that a test would take long.
func tooLarge(s *schedule.State) bool {
	b, err := s.InferBound()
	if err != nil {
		return false // for lowering to find
	}
	for _, st := range b.Stages {
		n := int64(1)
		for _, it := range st.Iters {
			if it.Ann.IsThread() && it.Extent > 64 {
				return true
			}
			if n *= max(1, it.Extent); n > 1<<17 {
				return true
			}
		}
	}
	return false
}

type stepKind struct {
	weight int
	make   func(r *rand.Rand, s *schedule.State, stage int) []schedule.Step
}

var stepKinds = []stepKind{
	{30, randomSplit},
	{10, randomFuse},
	{10, randomReorder},
	{14, randomAnnotate},
	{12, randomComputeAt},
	{6, one(func(i int) schedule.Step { return schedule.ComputeInline{At: i} })},
	{2, one(func(i int) schedule.Step { return schedule.ComputeRoot{At: i} })},
	{4, randomCacheRead},
	{5, randomCacheWrite},
	{4, randomRfactor},
	{3, randomPragma},
	{2, randomAlign},
	{4, randomFollow},
	{3, randomTiling},
}

var gpuStepKinds = append([]stepKind{
	{30, randomBinding},
	{8, randomSharedRead},
	{6, randomBlocks},
}, stepKinds...)

func pick(r *rand.Rand, kinds []stepKind) int {
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	n := r.IntN(total)
	for i, k := range kinds {
		if n -= k.weight; n < 0 {
			return i
		}
	}
	panic("BUG: tirtest: weights do not add up")
}

func one(f func(stage int) schedule.Step) func(*rand.Rand, *schedule.State, int) []schedule.Step {
	return func(_ *rand.Rand, _ *schedule.State, stage int) []schedule.Step { return []schedule.Step{f(stage)} }
}

// iter returns a random iterator of a stage, -1 if it has none.
func iter(r *rand.Rand, s *schedule.State, stage int) int {
	n := len(s.Stages[stage].Iters)
	if n == 0 {
		return -1
	}
	return r.IntN(n)
}

var splitLengths = []int64{1, 2, 2, 3, 4, 4, 5, 7, 8, 16}

func lengths(r *rand.Rand, n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = splitLengths[r.IntN(len(splitLengths))]
	}
	return list
}

func randomSplit(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	it := iter(r, s, stage)
	if it < 0 || len(s.Stages[stage].Iters) > 12 {
		return nil
	}
	n := max(1, r.IntN(4))
	return []schedule.Step{schedule.Split{
		At: stage, Iter: it, Extent: max(0, s.Stages[stage].Iters[it].Extent), Lengths: lengths(r, n),
		InnerToOuter: r.IntN(4) > 0,
	}}
}

func randomFuse(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	it := iter(r, s, stage)
	if it < 0 {
		return nil
	}
	list := []int{it}
	for k := it + 1; k < len(s.Stages[stage].Iters) && r.IntN(3) > 0; k++ {
		list = append(list, k)
	}
	if r.IntN(20) == 0 {
		list = nil
	}
	return []schedule.Step{schedule.Fuse{At: stage, Iters: list}}
}

func randomReorder(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	return []schedule.Step{schedule.Reorder{At: stage, Order: r.Perm(len(s.Stages[stage].Iters))}}
}

func randomAnnotate(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	it := iter(r, s, stage)
	if it < 0 {
		return nil
	}
	ann := []schedule.Annotation{schedule.Unroll, schedule.Vectorize, schedule.Vectorize, schedule.Parallel}[r.IntN(4)]
	if ann == schedule.Vectorize && r.IntN(3) > 0 {
		it = len(s.Stages[stage].Iters) - 1
	}
	return []schedule.Step{schedule.Annotate{At: stage, Iter: it, Ann: ann}}
}

func randomComputeAt(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	target := r.IntN(len(s.Stages))
	if stage+1 < len(s.Stages) && r.IntN(2) == 0 {
		target = stage + 1 + r.IntN(len(s.Stages)-stage-1)
	}
	it := iter(r, s, target)
	if it < 0 {
		return nil
	}
	return []schedule.Step{schedule.ComputeAt{At: stage, Target: target, TargetIter: it}}
}

var cacheScopes = []string{"local", "local", "global"}

func randomCacheRead(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	buffer := s.Stages[stage].Op.Results[0]
	var readers []int
	for i, st := range s.Stages {
		reads := slices.ContainsFunc(st.Op.Body, func(e tir.Expr) bool { return tir.ReadsBuffer(e, buffer) })
		if reads && r.IntN(4) > 0 {
			readers = append(readers, i)
		}
	}
	if len(readers) == 0 || len(s.Stages) > 10 {
		return nil
	}
	return []schedule.Step{schedule.CacheRead{At: stage, Scope: cacheScopes[r.IntN(len(cacheScopes))], Readers: readers}}
}

func randomCacheWrite(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	if len(s.Stages) > 10 {
		return nil
	}
	list := []schedule.Step{schedule.CacheWrite{At: stage, Scope: cacheScopes[r.IntN(len(cacheScopes))]}}
	if it := iter(r, s, stage); it >= 0 && r.IntN(2) == 0 && len(s.Stages[stage].Op.Axes) > 0 {
		list = append(list, schedule.ComputeAt{At: stage, Target: stage + 1,
			TargetIter: r.IntN(len(s.Stages[stage].Op.Axes))})
	}
	return list
}

// randomRfactor splits a reduce loop and factors out one of the pieces.
func randomRfactor(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	op := s.Stages[stage].Op
	if op.Combine == nil || len(s.Stages) > 10 {
		return nil
	}
	axes := len(op.Axes)
	it := iter(r, s, stage)
	if it < 0 || s.Stages[stage].Iters[it].Kind != schedule.Reduction {
		it = len(s.Stages[stage].Iters) - 1
	}
	return []schedule.Step{
		schedule.Split{At: stage, Iter: it, Extent: max(0, s.Stages[stage].Iters[it].Extent), Lengths: lengths(r, 1),
			InnerToOuter: true},
		schedule.Rfactor{At: stage, Iter: it + r.IntN(2), FactorIter: r.IntN(axes + 1)},
	}
}

func randomPragma(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	return []schedule.Step{schedule.Pragma{At: stage, Text: schedule.UnrollPragma([]int{0, 16, 64, 512}[r.IntN(4)])}}
}

func randomAlign(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	it := iter(r, s, stage)
	if it < 0 {
		return nil
	}
	return []schedule.Step{schedule.StorageAlign{At: stage, Iter: it, Factor: []int64{1, 4, 8, 16}[r.IntN(4)],
		Offset: r.Int64N(4)}}
}

// randomFollow splits an iterator as an earlier split did.
func randomFollow(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	it := iter(r, s, stage)
	var sources []int
	for i, step := range s.Steps {
		if _, ok := step.(schedule.Split); ok {
			sources = append(sources, i)
		}
	}
	if it < 0 || len(sources) == 0 || len(s.Stages[stage].Iters) > 12 {
		return nil
	}
	src := sources[r.IntN(len(sources))]
	parts := 1 + r.IntN(len(s.Steps[src].(schedule.Split).Lengths)+1)
	if r.IntN(3) == 0 {
		return []schedule.Step{schedule.FollowFusedSplit{At: stage, Iter: it, Srcs: []int{src}, Level: 0,
			Factor: r.IntN(2) == 0}}
	}
	return []schedule.Step{schedule.FollowSplit{At: stage, Iter: it, Src: src, Parts: parts}}
}

// randomTiling makes the register tile of a reduction as a search would: inner
// and outer pieces of each axis, the reduction around the inner spatial ones,
// the last vectorized.
func randomTiling(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	st := s.Stages[stage]
	if len(st.Iters) != len(st.Op.Axes)+len(st.Op.ReduceAxes) || len(st.Op.Axes) == 0 || len(st.Iters) > 6 {
		return nil
	}
	var steps []schedule.Step
	var outer, reduce, inner []int
	for i := range st.Iters {
		steps = append(steps, schedule.Split{At: stage, Iter: 2 * i, Extent: max(0, st.Iters[i].Extent),
			Lengths: lengths(r, 1), InnerToOuter: true})
		if i < len(st.Op.Axes) {
			outer, inner = append(outer, 2*i), append(inner, 2*i+1)
		} else {
			reduce = append(reduce, 2*i, 2*i+1)
		}
	}
	order := append(append(append([]int(nil), outer...), reduce...), inner...)
	steps = append(steps, schedule.Reorder{At: stage, Order: order})
	steps = append(steps, schedule.Annotate{At: stage, Iter: len(order) - 1, Ann: schedule.Vectorize})
	if r.IntN(2) == 0 && len(outer) > 1 {
		steps = append(steps, schedule.Fuse{At: stage, Iters: []int{0, 1}},
			schedule.Annotate{At: stage, Iter: 0, Ann: schedule.Parallel})
	}
	if r.IntN(2) == 0 {
		steps = append(steps, schedule.Pragma{At: stage, Text: schedule.UnrollPragma(64)})
	}
	return steps
}

var bindings = []schedule.Annotation{
	schedule.BlockX, schedule.BlockX, schedule.BlockY, schedule.VThread,
	schedule.ThreadX, schedule.ThreadX, schedule.ThreadX, schedule.ThreadY, schedule.ThreadZ,
}

func randomBinding(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	it := iter(r, s, stage)
	if it < 0 {
		return nil
	}
	return []schedule.Step{schedule.Annotate{At: stage, Iter: it, Ann: bindings[r.IntN(len(bindings))]}}
}

// randomSharedRead caches a stage in shared memory, inside a loop of its
// reader, and may bind the loops of the cache to threads.
func randomSharedRead(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	list := randomCacheRead(r, s, stage)
	if list == nil {
		return nil
	}
	c := list[0].(schedule.CacheRead)
	c.Scope = "shared"
	c.Readers = c.Readers[:1]
	reader := c.Readers[0] + 1
	it := iter(r, s, c.Readers[0])
	if it < 0 {
		return nil
	}
	steps := []schedule.Step{c, schedule.ComputeAt{At: stage + 1, Target: reader, TargetIter: it}}
	if r.IntN(3) > 0 {
		all := make([]int, len(s.Stages[stage].Op.Results[0].Shape))
		for i := range all {
			all[i] = i
		}
		steps = append(steps,
			schedule.Fuse{At: stage + 1, Iters: all},
			schedule.Split{At: stage + 1, Iter: 0, Lengths: lengths(r, 1), InnerToOuter: true},
			schedule.Annotate{At: stage + 1, Iter: r.IntN(2), Ann: schedule.ThreadX})
	}
	if r.IntN(2) == 0 {
		steps = append(steps, schedule.Pragma{At: stage + 1, Text: schedule.BufferPragma(1 + schedule.Buffering(r.IntN(2)))})
	}
	return steps
}

// randomBlocks splits the outermost loop over blocks, virtual threads and
// threads.
func randomBlocks(r *rand.Rand, s *schedule.State, stage int) []schedule.Step {
	st := s.Stages[stage]
	if len(st.Iters) == 0 || st.Iters[0].Kind != schedule.Spatial || st.At != schedule.AtRoot {
		return nil
	}
	return []schedule.Step{
		schedule.Split{At: stage, Iter: 0, Extent: max(0, st.Iters[0].Extent), Lengths: lengths(r, 3), InnerToOuter: true},
		schedule.Annotate{At: stage, Iter: 0, Ann: schedule.BlockX},
		schedule.Annotate{At: stage, Iter: 1, Ann: schedule.VThread},
		schedule.Annotate{At: stage, Iter: 2, Ann: schedule.ThreadX},
	}
}
