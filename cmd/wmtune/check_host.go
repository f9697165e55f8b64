package main

import (
	"context"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/lower"
)

// checkOnHost checks programs of a GPU on this machine's processor, of which the
// task is set. Each runs twice, the threads of a block from the first to the last
// and from the last to the first (lower.OnHost), and must compute the right thing
// both times. Results align with inputs and have no costs.
func checkOnHost(ctx context.Context, m *processor, inputs []measure.Input) ([]measure.Result, error) {
	results := make([]measure.Result, len(inputs))
	for _, order := range []lower.Order{lower.Forward, lower.Backward} {
		built, err := m.build.BuildOnHost(ctx, inputs, order, m.host)
		if err != nil {
			return nil, err
		}
		checked, err := m.runs.CheckOnce(ctx, built)
		if err != nil {
			return nil, err
		}
		for i, res := range checked {
			if order == lower.Forward || results[i].Status == measure.OK {
				res.Seconds += results[i].Seconds
				results[i] = res
			}
		}
	}
	return results, nil
}
