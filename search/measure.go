package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// split cuts the candidates of a round into pieces, each of which is built while the
// one before it runs. Two pieces are a few that are built first, and the rest.
func split(inputs []measure.Input, pieces int) [][]measure.Input {
	if pieces > 2 {
		return slices.Collect(slices.Chunk(inputs, (len(inputs)+pieces-1)/pieces))
	}
	first := (len(inputs) + 3) / 4
	if first == len(inputs) {
		return [][]measure.Input{inputs}
	}
	return [][]measure.Input{inputs[:first], inputs[first:]}
}

// measure builds and runs candidates, some while others are built. If the context
// is cancelled while they run, the results so far are returned, without error if
// the runner has any; they are fewer than inputs then, as with an error.
func (r *run) measure(ctx context.Context, inputs []measure.Input) (
	builds []measure.BuildResult, results []measure.Result, err error,
) {
	r.tell(Event{Kind: Building, Count: len(inputs)})
	if stream := r.Runner.Modes().Stream; stream != nil {
		return r.streamed(ctx, stream, inputs)
	}
	parts := split(inputs, r.opt.Pieces)
	type built struct {
		results []measure.BuildResult
		err     error
	}
	next := make(chan built)
	ctx, stop := context.WithCancel(ctx)
	var builder sync.WaitGroup
	builder.Go(func() {
		defer close(next)
		for _, part := range parts {
			b, err := r.build(ctx, part)
			select {
			case next <- built{b, err}:
			case <-ctx.Done():
				return
			}
		}
	})
	defer builder.Wait()
	defer stop()
	for _, part := range parts {
		b, ok := <-next
		switch {
		case !ok:
			return builds, results, nil
		case b.err != nil && ctx.Err() != nil && len(results) > 0:
			return builds, results, nil
		case b.err != nil:
			return builds, results, b.err
		}
		if len(builds) == 0 {
			r.tell(Event{Kind: Running, Count: len(inputs)})
		}
		ran, err := r.runBuilt(ctx, part, b.results, r.Runner.Run)
		if err != nil {
			return builds, results, err
		}
		builds, results = append(builds, b.results...), append(results, ran...)
	}
	return builds, results, nil
}

func (r *run) build(ctx context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	builds, err := r.Builder.Build(ctx, inputs)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), fmt.Errorf("search: builder: %w", err))
	}
	if len(builds) != len(inputs) {
		return nil, fmt.Errorf("search: the builder returned %d results for %d candidates", len(builds), len(inputs))
	}
	return builds, ctx.Err()
}

// runBuilt runs those candidates that were built.
func (r *run) runBuilt(
	ctx context.Context, inputs []measure.Input, builds []measure.BuildResult, by measure.Running,
) ([]measure.Result, error) {
	results := make([]measure.Result, len(inputs))
	var good []int
	var goodInputs []measure.Input
	var goodBuilds []measure.BuildResult
	for i, b := range builds {
		if b.Status == measure.OK {
			good = append(good, i)
			goodInputs, goodBuilds = append(goodInputs, inputs[i]), append(goodBuilds, b)
			continue
		}
		results[i] = measure.Result{Status: b.Status, Message: b.Message, Unix: r.unix()}
	}
	if len(good) == 0 {
		return results, nil
	}
	ran, err := by(ctx, goodInputs, goodBuilds)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), fmt.Errorf("search: runner: %w", err))
	}
	if len(ran) != len(good) {
		return nil, fmt.Errorf("search: the runner returned %d results for %d candidates", len(ran), len(good))
	}
	for k, i := range good {
		results[i] = ran[k]
	}
	return results, nil
}

// record makes the record of the next trial.
func (r *run) record(s *schedule.State, score float64, b measure.BuildResult, res measure.Result) dataset.Record {
	rec := dataset.Record{
		WorkloadKey: r.key,
		Workload:    r.Task.Name,
		Target:      r.Task.Target,
		Steps:       s.Steps,
		Layout:      r.Task.Layout,
		Timing:      r.Task.Timing,
		Packed:      measure.PacksText(b.Packs),

		Costs: res.Costs, Status: res.Status, Message: res.Message,
		BuildSeconds: b.Seconds, RunSeconds: res.Seconds, Unix: res.Unix,

		Scorer: r.phases.name(), Score: score, Seed: r.opt.Seed,
		Trial: r.known.trials(),
	}
	rec.Trajectory = dataset.TrajectoryHash(rec.WorkloadKey, rec.Workload, rec.Steps)
	return rec
}
