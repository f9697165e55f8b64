package sketch

import "github.com/wmtune/wmtune/tir/schedule"

// always is the condition of the last rule.
func always(*Generator, *schedule.State, int) Verdict { return Apply }

// skip leaves a stage as it is. It is the last rule, so it holds for stages
// that no rule above took for itself.
func skip(_ *Generator, s *schedule.State, stage int) ([]Next, error) {
	return []Next{{s, stage - 1}}, nil
}
