package search

import (
	"context"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Scorer predicts which states are fast.
type Scorer interface {
	// Score returns one value per state, in order; higher is faster, comparable
	// within one call. A state that cannot be lowered scores -Inf. NaN counts as that,
	// and ends the search if all are.
	Score(ctx context.Context, task *Task, states []*schedule.State) ([]float64, error)

	// Update learns from measured records, failures included.
	Update(ctx context.Context, task *Task, records []dataset.Record) error
}

// An Untrained is a Scorer that may have learned nothing yet: long evolution under its
// scores would be wasted then.
type Untrained interface {
	// Untrained reports whether the scores mean nothing at present.
	Untrained() bool
}

// A Builder compiles candidates. Results align with inputs; what is wrong with
// a candidate is in its result. An error means that nothing can be built.
type Builder interface {
	Build(context.Context, []measure.Input) ([]measure.BuildResult, error)
}

// A Runner checks and times built candidates. Results align with inputs; what
// is wrong with a candidate is in its result. An error means that nothing can
// be run.
type Runner interface {
	Run(context.Context, []measure.Input, []measure.BuildResult) ([]measure.Result, error)
}

// A Remeasurer is a Runner that can also time a few candidates in turns, so
// that they see the same disturbances and their order can be trusted. The tuner
// uses it for the finalists, if the runner has it.
type Remeasurer interface {
	Remeasure(context.Context, []measure.Input, []measure.BuildResult) ([]measure.Result, error)
}
