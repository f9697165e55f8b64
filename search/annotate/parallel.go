package annotate

import "github.com/wmtune/wmtune/tir/schedule"

// jobsPerCore is how many iterations of the parallel loop each core should
// have, so that uneven ones even out.
const jobsPerCore = 16

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
		next, err := parallelStage(s, stage, 0, int64(c.Target.Hardware.Cores)*jobsPerCore)
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
