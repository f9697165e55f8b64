package encoder

import "math"

// retrieval returns the share of vectors whose other view is nearer than any other
// program's.
func retrieval(one, two [][]float32) float64 {
	found := 0
	for i, z := range one {
		best, at := math.Inf(-1), -1
		for j, w := range two {
			if c := dot(z, w); c > best {
				best, at = c, j
			}
		}
		if at == i {
			found++
		}
	}
	return float64(found) / float64(max(1, len(one)))
}

// vectorsOf returns the vectors of a network's output.
func vectorsOf(rows [][]float32) [][]float32 {
	list := make([][]float32, len(rows))
	for i, r := range rows {
		list[i] = r[:Size]
	}
	return list
}

func widen(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// meanR2 returns the share of the variance of each column that is explained, and of
// these the mean. Columns that do not vary are left out.
func meanR2(told, truth [][]float64) float64 {
	sum, n := 0.0, 0
	for k := range truth[0] {
		if r, ok := columnR2(told, truth, k); ok {
			sum += r
			n++
		}
	}
	return sum / float64(max(1, n))
}

// columnR2 is meanR2 of one column; not ok if it does not vary.
func columnR2(told, truth [][]float64, k int) (r2 float64, ok bool) {
	mean := 0.0
	for _, row := range truth {
		mean += row[k] / float64(len(truth))
	}
	wrong, all := 0.0, 0.0
	for i, row := range truth {
		wrong += (row[k] - told[i][k]) * (row[k] - told[i][k])
		all += (row[k] - mean) * (row[k] - mean)
	}
	if all < 1e-6*float64(len(truth)) {
		return 0, false
	}
	return 1 - wrong/all, true
}
