package run_test

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
)

// BenchmarkTurns times 24 copies of one program in turns, as finalists are. It reports how much longer the first of
// them seems to take than the later half, in per cent, by its fastest sample and by its middle one.
func BenchmarkTurns(b *testing.B) {
	s := newBench(b)
	r := s.runner(run.Config{})
	copies := slices.Repeat([]measure.BuildResult{s.object("good.ll")}, 24)
	var best, middle float64
	for b.Loop() {
		results, err := r.Remeasure(b.Context(), nil, copies)
		if err != nil {
			b.Fatal(err)
		}
		var fastest, medians []float64
		for _, res := range results {
			if res.Status != measure.OK {
				b.Fatalf("%+v", res)
			}
			fastest, medians = append(fastest, res.Cost()), append(medians, measure.Median(res.Costs))
		}
		best += 100 * (fastest[0]/measure.Median(fastest[12:]) - 1)
		middle += 100 * (medians[0]/measure.Median(medians[12:]) - 1)
	}
	b.ReportMetric(best/float64(b.N), "%first")
	b.ReportMetric(middle/float64(b.N), "%first-median")
}
