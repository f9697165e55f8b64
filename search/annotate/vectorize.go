package annotate

import (
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/schedule"
)

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
