package annotate

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/schedule"
)

// parallelize fuses the outermost loops of every root stage into one parallel
// loop, until it has enough iterations for all cores, meets a reduction or an
// annotated loop, or has taken in a loop with stages inside.
//
//	for i.0 (0,8)
//	  for j.0 (0,16)    =>    parallel i.0@j.0@ (0,128)
//	    for i.1 ...             for i.1 ...
//
// If all loops down to one with stages inside run once, those stages and the
// loops after it are made parallel instead. (AutoScheduler makes both parallel,
// and then drops the state, because one would be inside the other.)
//
// A nest with little work stays serial half of the time: handing it out may
// take longer than doing it.
func parallelize(c *choice, s *schedule.State) (*schedule.State, error) {
	s = s.Draft()
	for stage := range s.Stages {
		if st := s.Stages[stage]; st.At != schedule.AtRoot || st.Op.IsPlaceholder() {
			continue
		}
		if work(s, stage) < c.LittleWork && c.rng.IntN(2) == 0 {
			continue
		}
		enough := int64(c.Target.Hardware.Cores) * sketch.JobsPerCore
		if holdsAttention(s, stage) { // all loops, so that their order can be one head after the other
			enough = math.MaxInt64
		}
		next, err := parallelStage(s, stage, 0, enough)
		if err != nil {
			return nil, err
		}
		s = next
	}
	return s, nil
}

// work returns how often the bodies of a stage and of those computed inside it
// run each time that the stage is computed.
func work(s *schedule.State, stage int) float64 {
	runs, total := 1.0, 0.0
	for i, it := range s.Stages[stage].Iters {
		runs *= float64(it.Extent)
		for _, inside := range s.Attach.Inside(stage, i) {
			total += runs * work(s, inside)
		}
	}
	return total + runs
}

// parallelStage makes loops of a stage parallel, from a given one on.
func parallelStage(s *schedule.State, stage, from int, enough int64) (*schedule.State, error) {
	iters := s.Stages[stage].Iters
	degree, end := int64(1), from
	holder := -1
	for ; end < len(iters); end++ {
		it := iters[end]
		if it.Kind == schedule.Reduction || it.Ann != schedule.None {
			break
		}
		degree *= it.Extent
		if len(s.Attach.Inside(stage, end)) > 0 {
			holder = end
			end++
			break
		}
		if degree > enough {
			end++
			break
		}
	}
	if degree == 1 && holder >= 0 {
		var err error
		for _, inside := range s.Attach.Inside(stage, holder) {
			if s, err = parallelStage(s, inside, 0, enough); err != nil {
				return nil, err
			}
		}
		return parallelStage(s, stage, holder+1, enough)
	}
	if end == from {
		return s, nil
	}
	return annotateFused(s, stage, from, end, schedule.Parallel)
}

// annotateFused fuses loops [from, end) of a stage, if they are several, and
// annotates the result.
func annotateFused(s *schedule.State, stage, from, end int, ann schedule.Annotation) (*schedule.State, error) {
	if end-from > 1 {
		var err error
		if s, err = s.Apply(schedule.Fuse{At: stage, Iters: span(from, end)}); err != nil {
			return nil, err
		}
	}
	return s.Apply(schedule.Annotate{At: stage, Iter: from, Ann: ann})
}

func span(from, end int) []int {
	var list []int
	for i := from; i < end; i++ {
		list = append(list, i)
	}
	return list
}

// unroll unrolls the innermost loops over axes that the op's attributes name,
// and gives every stage with a reduction a random limit up to which the code
// generator unrolls.
//
//	for i, for k       =>    #pragma auto_unroll_max_step 64
//	  C = ...                for i, for k
//	                           C = ...
//
// A limit of 0 is a step too, so that it can be mutated.
func unroll(c *choice, s *schedule.State) (*schedule.State, error) {
	s = s.Draft()
	for stage, st := range s.Stages {
		if st.Op.IsPlaceholder() || st.At == schedule.Inlined {
			continue
		}
		next, err := unrollInner(s, stage)
		if err != nil {
			return nil, err
		}
		s = next
		if !sketch.HasReduceIter(st) {
			continue
		}
		limit := c.UnrollSteps[c.rng.IntN(len(c.UnrollSteps))]
		if kept, ok := c.unrolled[stage]; ok {
			limit = kept
		}
		s, err = s.Apply(schedule.Pragma{At: stage, Iter: 0, Text: schedule.UnrollPragma(limit)})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// unrollInner unrolls the loops of the innermost tile that go over one named
// axis only. The tile ends, going outwards, where all axes of a loop have been
// seen.
func unrollInner(s *schedule.State, stage int) (*schedule.State, error) {
	names := s.Stages[stage].Op.Attrs.AlwaysUnrollInner
	if len(names) == 0 {
		return s, nil
	}
	seen := map[string]bool{}
	for i, it := range slices.Backward(s.Stages[stage].Iters) {
		axes := sketch.OriginalAxes(it.Name)
		before := len(seen)
		for _, a := range axes {
			seen[a] = true
		}
		if len(seen) == before {
			break
		}
		if len(axes) != 1 || !slices.Contains(names, axes[0]) || it.Ann != schedule.None {
			continue
		}
		next, err := s.Apply(schedule.Annotate{At: stage, Iter: i, Ann: schedule.Unroll})
		if err != nil {
			return nil, err
		}
		s = next
	}
	return s, nil
}

// maxFusedVector is the largest extent of a vector loop that is fused from
// several, whose elements may lie apart in memory.
const maxFusedVector = 16

// vectorize makes the innermost spatial loop of every stage a vector, or a
// random number of innermost loops fused into one, if they are short enough. A
// tiled stage uses one loop only: its next one is not contiguous.
//
//	for i (0,56)              for i (0,56)
//	  for j (0,8)       =>      vectorize j (0,8)
//	    C = ...                   C = ...
//
// A loop of an untiled stage that is too long for one vector is split first, by
// a multiple of the machine's vector width that divides it.
func vectorize(c *choice, s *schedule.State) (*schedule.State, error) {
	s = s.Draft()
	for stage, st := range s.Stages {
		if st.Op.IsPlaceholder() || st.At == schedule.Inlined {
			continue
		}
		next, err := vectorizeStage(c, s, stage)
		if err != nil {
			return nil, err
		}
		s = next
	}
	return s, nil
}

func vectorizeStage(c *choice, s *schedule.State, stage int) (*schedule.State, error) {
	iters := s.Stages[stage].Iters
	tiled := sketch.IsTiled(s.Stages[stage])
	n, product := 0, int64(1)
	for n < len(iters) {
		i := len(iters) - 1 - n
		it := iters[i]
		if len(s.Attach.Inside(stage, i)) > 0 ||
			it.Kind == schedule.Reduction || it.Ann != schedule.None || tiled && n > 0 {
			break
		}
		product *= it.Extent
		if product > c.MaxVector || n > 0 && product > maxFusedVector {
			break
		}
		n++
	}
	if n > 1 {
		n = 1 + c.rng.IntN(n-1)
	}
	switch {
	case n == 0 && c.SplitVector:
		return vectorSplit(c, s, stage)
	case n == 0:
		return s, nil
	}
	return annotateFused(s, stage, len(iters)-n, len(iters), schedule.Vectorize)
}

// vectorSplit splits a long innermost spatial loop and makes the inner piece a
// vector. The state is unchanged if the loop may not be a vector, or if no
// multiple of the vector width divides it.
//
//	for j (0,768)    =>    for j.0 (0,48)
//	                         vectorize j.1 (0,16)
func vectorSplit(c *choice, s *schedule.State, stage int) (*schedule.State, error) {
	iters := s.Stages[stage].Iters
	if len(iters) == 0 {
		return s, nil
	}
	i := len(iters) - 1
	it := iters[i]
	if len(s.Attach.Inside(stage, i)) > 0 ||
		it.Kind != schedule.Spatial || it.Ann != schedule.None || it.Extent <= c.MaxVector {
		return s, nil
	}
	lanes := int64(c.Target.Hardware.VectorBytes / s.Stages[stage].Op.Results[0].Type.Bytes())
	var widths []int64
	for w := lanes; w > 0 && w <= c.MaxVector; w *= 2 {
		if it.Extent%w == 0 {
			widths = append(widths, w)
		}
	}
	if len(widths) == 0 {
		return s, nil
	}
	w := widths[c.rng.IntN(len(widths))]
	s, err := s.Apply(schedule.Split{At: stage, Iter: i, Extent: it.Extent, Lengths: []int64{w}, InnerToOuter: true})
	if err != nil {
		return nil, err
	}
	return s.Apply(schedule.Annotate{At: stage, Iter: i + 1, Ann: schedule.Vectorize})
}
