package bench

import "github.com/wmtune/wmtune/dataset"

// BestSoFar returns the smallest cost of the first n records, for each n from 1 on;
// 0 as long as none was timed.
func BestSoFar(records []dataset.Record) []float64 {
	curve := make([]float64, len(records))
	best := 0.0
	for i := range records {
		if c := records[i].Cost(); records[i].Timed() && (best == 0 || c < best) {
			best = c
		}
		curve[i] = best
	}
	return curve
}
