package sketch

import "github.com/wmtune/wmtune/tir/schedule"

// whenInlineable holds for stages that cost nothing to recompute where they are
// read: neither inputs, outputs nor reductions, and, unless the policy inlines
// all such, strictly inlineable by access analysis (no exp, no branch, indices
// that are axes in order). A stage that would make what reads it too large stays,
// as one that is read by several, and so does one that computes what an instruction multiplies.
func whenInlineable(g *Generator, s *schedule.State, stage int) Verdict {
	st := s.Stages[stage]
	if st.Op.IsPlaceholder() || s.IsOutput(stage) || HasReduceIter(st) {
		return Skip
	}
	if g.Inline != InlineAll && !StrictlyInlineable(s, stage) {
		return Skip
	}
	if s.InlinedSize(stage) > schedule.MostInlined || FeedsInstruction(g.Target, s, stage) {
		return Skip
	}
	return ApplyAndSkipRest
}

// inline substitutes a stage into its readers.
//
//	for i, for j            for i, for j
//	  B = A + 1      =>       C = (A + 1) * 2
//	for i, for j
//	  C = B * 2
//
// It is an error if another stage is computed inside this one.
func inline(_ *Generator, s *schedule.State, stage int) ([]Next, error) {
	s, err := s.Apply(schedule.ComputeInline{At: stage})
	if err != nil {
		return nil, err
	}
	return []Next{{s, stage - 1}}, nil
}
