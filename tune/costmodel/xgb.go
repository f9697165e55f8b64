package costmodel

import (
	"context"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/ranker/autotvm"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// An XGB is AutoTVM's cost model. It is random until it has learned from records.
type XGB struct {
	search.Random
	model *autotvm.Model
}

// xgb begins the names of AutoTVM's cost models: "xgb-curve" ranks by curve features. Behind a colon stand variants,
// with commas between: reg predicts speeds, mean, ei and ucb ask five models.
const xgb = "xgb-"

// OpenXGB opens a cost model that has learned nothing yet. The error tells what is wrong with its name.
func OpenXGB(name string, o Options) (*XGB, error) {
	how, err := xgbOptions(name)
	if err != nil {
		return nil, err
	}
	how.Seed = o.Seed
	m, err := autotvm.New(o.XGBoost, how)
	if err != nil {
		return nil, err
	}
	return &XGB{search.Random{Seed: o.Seed}, m}, nil
}

// xgbOptions reads a name.
func xgbOptions(name string) (o autotvm.Options, err error) {
	name, variants, _ := strings.Cut(name, ":")
	o.Features = autotvm.Features(strings.TrimPrefix(name, xgb))
	for v := range strings.SplitSeq(variants, ",") {
		switch v {
		case "":
		case "reg":
			o.Regression = true
		case string(autotvm.Mean), string(autotvm.EI), string(autotvm.UCB):
			o.Acquire = autotvm.Acquisition(v)
		default:
			return o, fmt.Errorf("scorer %s: unknown variant %q: known are reg, mean, ei, ucb", name, v)
		}
	}
	return o, nil
}

// Learns reports whether a scorer can learn from logs before a search (Pretrain).
func Learns(name string) bool {
	base, _ := cutVariants(name)
	return base == "gbt" || base == "mlp" || base == gru || strings.HasPrefix(base, xgb)
}

// Traits says whether the scorer has learned anything.
func (s *XGB) Traits() search.Traits {
	return search.Traits{Untrained: !s.model.Ready(), Pretrain: s.Pretrain}
}

// Score returns a value per state.
func (s *XGB) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	if !s.model.Ready() {
		return s.Random.Score(ctx, task, states)
	}
	return s.model.Score(ctx, task.Workload(), states)
}

// Update learns from records.
func (s *XGB) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	return s.model.Update(ctx, task.Workload(), records)
}

// Pretrain learns from tuning logs of other tasks, as GBT.Pretrain: what it knows of them counts less the more is
// measured.
func (s *XGB) Pretrain(ctx context.Context, logs []string, tell func(text string)) error {
	return pretrain(ctx, s.model, logs, tell)
}
