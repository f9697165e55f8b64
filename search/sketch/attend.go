package sketch

import (
	"slices"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Attends returns the stage of a product whose operand is made of what reduces rows and is reduced by row itself, as
// the weights of attention are, of their maxima and for their sums:
//
//	maxelem = ...; exp = exp(s - maxelem); expsum += exp; product += exp*v
func Attends(s *schedule.State) (product int, ok bool) {
	access := s.Current.Access()
	for stage, st := range s.Stages {
		if !HasReduceIter(st) || !NeedsTiling(s, stage) {
			continue
		}
		for _, weights := range access.DirectProducers(st.Op) {
			if weights.IsPlaceholder() || len(weights.ReduceAxes) > 0 || access.StrictlyInlineable(weights) {
				continue
			}
			ofRows := func(op *compute.Op) bool { return len(op.ReduceAxes) > 0 && !access.NeedsMultiLevelTiling(op) }
			if slices.ContainsFunc(access.DirectProducers(weights), ofRows) &&
				slices.ContainsFunc(access.Consumers(weights, nil), ofRows) {
				return stage, true
			}
		}
	}
	return 0, false
}

// sharedScores returns the stage of the last scores, that both the maxima of rows and the weights read, such as those
// with a mask, and the product that it is made of, element by element; or -1.
func sharedScores(s *schedule.State, product int) (shared, scores int) {
	for stage, st := range s.Stages[:product] {
		if !HasReduceIter(st) || !NeedsTiling(s, stage) {
			continue
		}
		at := stage
		for {
			readers := s.Readers(at)
			if len(readers) > 1 && at != stage {
				return at, stage
			}
			if len(readers) != 1 || HasReduceIter(s.Stages[readers[0]]) ||
				!s.Current.Access().ElementwiseMatch(s.Stages[at].Op, s.Stages[readers[0]].Op) {
				break
			}
			at = readers[0]
		}
	}
	return -1, -1
}

// whenAttends holds for such a product whose tiles its reader can hold, for the reductions of rows beside it, and for
// the scores that both of these read.
func whenAttends(_ *Generator, s *schedule.State, stage int) Verdict {
	product, ok := Attends(s)
	if !ok {
		return Skip
	}
	shared, scores := sharedScores(s, product)
	switch stage {
	case product, scores:
		if _, fuses := TileReader(s, stage); fuses {
			return ApplyAndSkipRest
		}
		return Skip
	case shared:
		return ApplyAndSkipRest
	}
	if HasReduceIter(s.Stages[stage]) && !NeedsTiling(s, stage) {
		return ApplyAndSkipRest
	}
	return Skip
}

// attend tiles products with their readers, down to the last level, and leaves other stages as they are: later, all are
// computed in a loop over rows of the output, and rows are enough to do in parallel.
func attend(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	if !HasReduceIter(s.Stages[stage]) || !NeedsTiling(s, stage) {
		return skip(g, s, stage)
	}
	list, err := tileAndFuse(g, s, stage)
	if err != nil {
		return nil, err
	}
	return list[len(list)-1:], nil
}

// Attending reports whether a stage is computed in the loops over rows of attention.
func Attending(s *schedule.State, stage int) bool {
	at, inside := s.Attach.At(stage)
	product, ok := Attends(s)
	if !inside || !ok {
		return false
	}
	of, attached := s.Attach.At(product)
	return attached && of.Stage == at.Stage && slices.Contains(s.Readers(product), at.Stage)
}
