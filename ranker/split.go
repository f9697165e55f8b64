package ranker

import (
	"slices"

	"github.com/wmtune/wmtune/tir/schedule"
)

// A split is a Split step as tile sizes.
type split struct {
	stage   int       // of the state after all steps
	extent  float64   // log2
	levels  []float64 // log2 of the loops, outermost first
	divides bool
}

// sum returns the sum of some levels.
func (s *split) sum(levels ...int) float64 {
	sum := 0.0
	for _, k := range levels {
		if k < len(s.levels) {
			sum += s.levels[k]
		}
	}
	return sum
}

// inner returns the sum of all levels but the outermost.
func (s *split) inner() float64 {
	sum := 0.0
	for _, v := range s.levels[1:] {
		sum += v
	}
	return sum
}

// splitsOf returns the Split steps of a state. A step names its stage by the
// number at that time; later steps insert stages before it.
func splitsOf(steps []schedule.Step) []split {
	var list []split
	insert := func(at int) {
		for i := range list {
			if list[i].stage >= at {
				list[i].stage++
			}
		}
	}
	for _, step := range steps {
		switch s := step.(type) {
		case schedule.CacheRead:
			insert(s.At + 1)
		case schedule.CacheWrite:
			insert(s.At)
		case schedule.Rfactor:
			insert(s.At)
		case schedule.Split:
			list = append(list, splitOf(s))
		}
	}
	return list
}

func splitOf(s schedule.Split) split {
	out := split{stage: s.At, extent: float64(log2(s.Extent)), levels: []float64{float64(log2(outerExtent(s)))}}
	product := int64(1)
	for _, n := range s.Lengths {
		out.levels = append(out.levels, float64(log2(n)))
		product *= max(n, 1)
	}
	out.divides = s.Extent%product == 0
	if !s.InnerToOuter { // the lengths are those of the outer loops
		out.levels = append(out.levels[1:], out.levels[0])
	}
	return out
}

// A tiling is the splits of a state by what they split.
type tiling struct {
	spatial, reduce []split // of the main stage: the one with most splits of all levels
	other           []split
}

// tilingOf sorts splits. Those of all levels have so many lengths for spatial axes
// and so many for reduce axes.
func tilingOf(list []split, spatial, reduce int) tiling {
	full := func(s split) bool { return len(s.levels) == 1+spatial }
	count := map[int]int{}
	main, most := -1, 0
	for _, s := range list {
		if !full(s) {
			continue
		}
		if count[s.stage]++; count[s.stage] > most {
			main, most = s.stage, count[s.stage]
		}
	}
	var t tiling
	for _, s := range list {
		switch {
		case s.stage == main && full(s):
			t.spatial = append(t.spatial, s)
		case s.stage == main && len(s.levels) == 1+reduce:
			t.reduce = append(t.reduce, s)
		default:
			t.other = append(t.other, s)
		}
	}
	return t
}

// uneven returns how many splits do not divide their extent.
func uneven(list []split) float64 {
	n := 0
	for _, s := range list {
		if !s.divides {
			n++
		}
	}
	return float64(n)
}

// last returns the last split, or an empty one.
func last(list []split) split {
	if len(list) == 0 {
		return split{levels: []float64{0}}
	}
	return list[len(list)-1]
}

// levelSums returns, for each of n levels, the sum over splits.
func levelSums(list []split, n int) []float64 {
	sums := make([]float64, n)
	for _, s := range list {
		for k := range min(n, len(s.levels)) {
			sums[k] += s.levels[k]
		}
	}
	return sums
}

// padded returns the first n values, zeros behind them if there are fewer.
func padded(v []float64, n int) []float64 {
	return append(slices.Clone(v), make([]float64, n)...)[:n]
}
