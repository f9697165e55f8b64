package search

import (
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// record makes the record of the next trial.
func (r *run) record(s *schedule.State, score float64, b measure.BuildResult, res measure.Result) dataset.Record {
	rec := dataset.Record{
		WorkloadKey: r.key,
		Workload:    r.Task.Name,
		Target:      r.Task.Target,
		Steps:       s.Steps,
		Layout:      r.Task.Layout,
		Packed:      measure.PacksText(b.Packs),

		Costs: res.Costs, Status: res.Status, Message: res.Message,
		BuildSeconds: b.Seconds, RunSeconds: res.Seconds, Unix: res.Unix,

		Scorer: r.phases.name(), Score: score, Seed: r.opt.Seed,
		Trial: r.known.trials(),
	}
	rec.Trajectory = dataset.TrajectoryHash(rec.WorkloadKey, rec.Workload, rec.Steps)
	return rec
}
