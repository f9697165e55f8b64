package ranker

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Columns is the number of features of a candidate.
const Columns = ActionColumns + TilingColumns + LocalityColumns + HardwareColumns

// HardwareColumns is the number of hardware features.
const HardwareColumns = 12

var hardwareNames = []string{"gpu", "cores", "vector", "registers", "L1", "L2", "L3", "line", "shared", "threads", "vthreads", "warp"}

// Features returns the features of a candidate, Columns numbers: action features,
// tiling features, on a CPU locality features, and those of the hardware. It is an
// error if bounds cannot be inferred.
func Features(s *schedule.State, t target.Target) ([]float32, error) {
	b, err := s.Bounds()
	if err != nil {
		return nil, fmt.Errorf("ranker: %w", err)
	}
	row := make([]float32, 0, Columns)
	row = append(row, Actions(s.DAG, s.Steps)...)
	row = append(row, tilingRow(s.Steps, b.State, t)...)
	m := machineOf(t)
	if t.Kind == target.CUDA {
		row = append(row, make([]float32, LocalityColumns)...)
	} else {
		row = locality(row, b, m)
	}
	row = hardware(row, t, m)
	if len(row) != Columns {
		panic(fmt.Sprintf("BUG: ranker: %d features, of %d", len(row), Columns))
	}
	for i, v := range row {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			panic(fmt.Sprintf("BUG: ranker: feature %d is %v", i, v))
		}
	}
	return row, nil
}

// hardware appends what is known of a target, as logarithms.
func hardware(row []float32, t target.Target, m machine) []float32 {
	h := t.Hardware
	gpu := 0.0
	if t.Kind == target.CUDA {
		gpu, m = 1, machine{}
	}
	of := func(n int) float64 { return math.Log2(1 + float64(max(n, 0))) }
	return add(row, gpu, math.Log2(1+m.cores), math.Log2(1+m.vector), math.Log2(1+m.registers),
		math.Log2(1+m.cache[0]), math.Log2(1+m.cache[1]), math.Log2(1+m.cache[2]),
		of(h.CacheLineBytes), of(h.SharedBytes), of(h.MaxThreads), of(h.MaxVthread), of(h.WarpSize))
}
