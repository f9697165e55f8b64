package sketch

import (
	"slices"

	"github.com/wmtune/wmtune/tir/schedule"
)

// Attends returns the stage of a product whose operand is made of what reduces rows, as the weights of attention are of
// their maxima:
//
//	maxelem = ...; exp = exp(s - maxelem); expsum = ...; product += exp*v
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
			for _, p := range access.DirectProducers(weights) {
				if len(p.ReduceAxes) > 0 && !access.NeedsMultiLevelTiling(p) {
					return stage, true
				}
			}
		}
	}
	return 0, false
}

// whenAttends holds for such a product whose tiles its reader can hold, and for the reductions of rows beside it.
func whenAttends(_ *Generator, s *schedule.State, stage int) Verdict {
	product, ok := Attends(s)
	switch {
	case !ok:
		return Skip
	case stage == product:
		if _, fuses := TileReader(s, stage); fuses {
			return ApplyAndSkipRest
		}
	case HasReduceIter(s.Stages[stage]) && !NeedsTiling(s, stage):
		return ApplyAndSkipRest
	}
	return Skip
}

// attend tiles the product with its reader, and leaves the reductions of rows as they are: later, all stages are computed
// in a loop over rows of the reader, and rows are enough to do in parallel.
func attend(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	if product, ok := Attends(s); ok && product == stage {
		return tileAndFuse(g, s, stage)
	}
	return skip(g, s, stage)
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
