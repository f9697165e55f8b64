package annotate

import (
	"slices"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/schedule"
)

// tileRows are how many rows of tiles may be computed at a time: few, so that they stay in a core's caches.
var tileRows = []int64{1, 2, 3, 4, 6, 8}

// convolveInRows computes the stages of a convolution in Winograd's tiles together, some rows of tiles at a time, half
// of the time. Then a core reads what it has written itself; across cores, which need not share a cache, this takes
// time, as it does where all tiles exceed the cache.
//
//	for p, ci: tiles = ...                     for i.0
//	for eps, nu, d, p, co: product = ...         for p, ci: tiles = ...
//	for d, i.0, j.0, co.0               =>       for d
//	  for i.1, j.1, co.1: relu = ...               for eps, nu, p, co: product = ...
//	                                               for i.0, j.0, co.0: for i.1, j.1, co.1: relu = ...
//
// The pieces of the axis p of all tiles are those that divide these rows.
func convolveInRows(c *choice, s *schedule.State) (*schedule.State, error) {
	for stage := range s.Stages {
		r, ok := sketch.TileRowsOf(s, stage)
		if !ok || c.rng.IntN(2) == 0 {
			continue
		}
		counts := rowCountsFor(s, r, int64(c.Target.Hardware.Cores))
		if len(counts) == 0 {
			continue
		}
		count := counts[c.rng.IntN(len(counts))]
		next, err := schedule.Replay(s.DAG, divideRows(s, r, count*r.Across))
		if err != nil {
			return nil, err
		}
		for _, step := range rowSteps(s, r, count) {
			if next, err = next.Apply(step); err != nil {
				return nil, err
			}
		}
		s = next
	}
	return s, nil
}

// rowCountsFor returns how many rows may be computed at a time: numbers that divide all rows, and leave iterations for
// all cores.
func rowCountsFor(s *schedule.State, r sketch.TileRows, cores int64) []int64 {
	iters := s.Stages[r.Reader].Iters
	rows, others := iters[r.Row].Extent, int64(1)
	for d, shares := range r.Shares {
		if !shares {
			others *= iters[d].Extent
		}
	}
	return slices.DeleteFunc(slices.Clone(tileRows), func(n int64) bool {
		return rows%n != 0 || others*(rows/n) < cores
	})
}

// rowSteps returns the steps that compute tiles and product so many rows of tiles at a time.
func rowSteps(s *schedule.State, r sketch.TileRows, count int64) []schedule.Step {
	var steps []schedule.Step
	iters := len(s.Stages[r.Reader].Iters)
	if count > 1 {
		steps = append(steps, schedule.Split{At: r.Reader, Iter: r.Row, Extent: s.Stages[r.Reader].Iters[r.Row].Extent,
			Lengths: []int64{count}, InnerToOuter: true})
		iters++
	}
	var order, sharing []int
	for d, shares := range r.Shares {
		if shares {
			sharing = append(sharing, d)
		} else {
			order = append(order, d)
		}
	}
	at := len(order)
	order = append(append(order, r.Row), sharing...)
	if len(sharing) > 0 {
		steps = append(steps, schedule.Reorder{At: r.Reader, Order: append(order, span(r.Row+1, iters)...)})
	}
	return append(steps,
		schedule.ComputeAt{At: r.Product, Target: r.Reader, TargetIter: at + len(sharing)},
		schedule.ComputeAt{At: r.Tiles, Target: r.Reader, TargetIter: at})
}

// divideRows returns the steps of s with splits of the axis of all tiles whose pieces divide so many tiles.
func divideRows(s *schedule.State, r sketch.TileRows, tiles int64) []schedule.Step {
	steps := slices.Clone(s.Steps)
	for _, i := range r.Splits {
		sp := steps[i].(schedule.Split)
		sp.Lengths = slices.Clone(sp.Lengths)
		room := tiles
		for k, l := range slices.Backward(sp.Lengths) {
			for room%l != 0 {
				l--
			}
			sp.Lengths[k] = l
			room /= l
		}
		steps[i] = sp
	}
	return steps
}
