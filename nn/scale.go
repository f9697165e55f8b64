package nn

import (
	"iter"
	"math"
)

// LeastDeviation bounds what columns are divided by. A column that few rows change would be worth a hundred deviations
// in them, with weights that hardly anything has taught.
const LeastDeviation = 0.02

// Standard returns what takes the mean off columns of rows, (v - shift) * factor, and divides them by their deviation,
// or by least. A column that deviates by no more than constant becomes 0.
func Standard(rows iter.Seq[[]float32], columns int, least, constant float64) (shift, factor []float32) {
	sum, squares, n := make([]float64, columns), make([]float64, columns), 0.0
	for row := range rows {
		for k, v := range row {
			sum[k] += float64(v)
			squares[k] += float64(v) * float64(v)
		}
		n++
	}
	shift, factor = make([]float32, columns), make([]float32, columns)
	for k := range columns {
		mean := sum[k] / max(n, 1)
		shift[k] = float32(mean)
		if deviation := math.Sqrt(max(squares[k]/max(n, 1)-mean*mean, 0)); deviation > constant {
			factor[k] = float32(1 / max(deviation, least))
		}
	}
	return shift, factor
}
