package annotate

import (
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// tileCounts are how many tiles of rows of attention are computed at a time: few, so that the scores stay in a core's
// cache.
var tileCounts = []int64{1, 1, 2, 4}

// attendInRows computes all stages of attention together, some rows of scores at a time:
//
//	for h, i, k: s = ...                       for i.0, h
//	for h, i: maxelem = ...                      for i.1, k: s = ...
//	for h, i, k: exp = ...             =>        for i.1: maxelem = ...
//	for h, i: expsum = ...                       for i.1, k: exp = ...
//	for i.0, h, j.0                              for i.1: expsum = ...
//	  for k, i.1, j.1: batch_matmul = ...        for j.0
//	  for i.1, j.1: attend = ...                   for k, i.1, j.1: batch_matmul = ...
//	                                               for i.1, j.1: attend = ...
//
// The tiles of both products are drawn together, so that they suit the register file and each other: whole vectors of
// columns, and rows of one head.
func attendInRows(c *choice, s *schedule.State) (*schedule.State, error) {
	for stage := range s.Stages {
		g := attentionOf(s, stage)
		if g == nil || g.placed || c.Target.Hardware.VectorRegisters == 0 {
			continue
		}
		s, err := schedule.Replay(s.DAG, c.drawTiles(s, g, false))
		if err != nil {
			return nil, err
		}
		for _, p := range slices.Backward(g.stages) {
			if s, err = s.Apply(schedule.ComputeAt{At: p, Target: stage, TargetIter: g.depth - 1}); err != nil {
				return nil, err
			}
		}
		return s, nil
	}
	return s, nil
}

// MutateAttention draws the tiles of attention anew, half of the time those of its scores alone, and returns the steps
// of a structure with these; ok is false if it has no such tiles.
func (a *Sampler) MutateAttention(
	d *compute.DAG, structure []schedule.Step, rng *rand.Rand,
) (_ []schedule.Step, ok bool) {
	s, err := schedule.Replay(d, structure)
	if err != nil || !a.suitsMatter() {
		return nil, false
	}
	if _, ok := sketch.Attends(s); !ok {
		return nil, false
	}
	c := &choice{Sampler: a, rng: rng}
	for stage := range s.Stages {
		if g := attentionOf(s, stage); g != nil && g.placed {
			return c.drawTiles(s, g, g.scores >= 0 && rng.IntN(2) == 0), true
		}
	}
	return nil, false
}

// drawTiles draws the tiles of the products of attention, or only those of its scores, and returns the steps of s with
// these.
func (c *choice) drawTiles(s *schedule.State, g *attention, scoresOnly bool) []schedule.Step {
	steps := slices.Clone(s.Steps)
	if !scoresOnly {
		c.drawRowTile(s, steps, g.product, g.queries, 0, tileCounts[c.rng.IntN(len(tileCounts))])
	}
	if g.scores >= 0 {
		count, rows := rowTile(s, steps, g.product, g.queries)
		c.drawRowTile(s, steps, g.scores, g.queries, count*rows, 0)
	}
	return steps
}

// rowTile returns how many tiles of how many rows a stage computes at a time.
func rowTile(s *schedule.State, steps []schedule.Step, stage int, queries int64) (count, rows int64) {
	for _, at := range sketch.SpatialSplits(s, stage)[1:] {
		if sp := steps[at].(schedule.Split); sp.Extent == queries {
			return sp.Lengths[0], sp.Lengths[len(sp.Lengths)-1]
		}
	}
	return 1, 1
}

// reduceSizes are how many steps of a reduction are inside the tile's loops.
var reduceSizes = []int64{2, 4, 8}

// drawRowTile draws the tile of a stage, and writes it into steps: two or four vectors of the last axis, some rows
// along that of the queries, one of the others. There are tiles of all rows in all, or, if all is 0, count tiles.
func (c *choice) drawRowTile(s *schedule.State, steps []schedule.Step, stage int, queries, all, count int64) {
	hw := c.Target.Hardware
	lanes := int64(max(hw.VectorBytes/4, 1))
	splits := sketch.SpatialSplits(s, stage) // the last first
	columns := steps[splits[0]].(schedule.Split)
	vectors := int64(2) << c.rng.IntN(2)
	for vectors > 1 && vectors*lanes > columns.Extent {
		vectors /= 2
	}
	columns.Lengths = slices.Repeat([]int64{1}, len(columns.Lengths))
	columns.Lengths[len(columns.Lengths)-1] = min(vectors*lanes, columns.Extent)
	steps[splits[0]] = columns

	// Beside the accumulators, a row's element and a vector of each column are in registers.
	most := min(max((int64(hw.VectorRegisters)-1-vectors)/vectors, 1), queries)
	rows := most
	if all == 0 {
		rows = c.drawRows(queries, (most+1)/2, most)
	} else {
		for all%rows != 0 {
			rows--
		}
		count = all / rows
	}
	count = min(count, max(queries/rows, 1))
	main := slices.IndexFunc(splits[1:], func(i int) bool { return steps[i].(schedule.Split).Extent == queries })
	for i, at := range splits[1:] {
		sp := steps[at].(schedule.Split)
		sp.Lengths = slices.Repeat([]int64{1}, len(sp.Lengths))
		if i == main {
			sp.Lengths[0], sp.Lengths[len(sp.Lengths)-1] = count, rows
		}
		steps[at] = sp
	}
	for _, at := range sketch.Splits(s, stage) {
		if sp := steps[at].(schedule.Split); !slices.Contains(splits, at) && len(sp.Lengths) == 1 {
			sp.Lengths = []int64{min(reduceSizes[c.rng.IntN(len(reduceSizes))], sp.Extent)}
			steps[at] = sp
		}
	}
}

// drawRows draws a number of rows from least to most, one that divides all queries if there is one: a rest of rows
// takes guards in all stages, and half as long again for all of them.
func (c *choice) drawRows(queries, least, most int64) int64 {
	var exact []int64
	for n := least; n <= most; n++ {
		if queries%n == 0 {
			exact = append(exact, n)
		}
	}
	if len(exact) > 0 {
		return exact[c.rng.IntN(len(exact))]
	}
	return least + c.rng.Int64N(most-least+1)
}

// An attention is the stages that end in a tiled output whose product reads a softmax of rows.
type attention struct {
	stages  []int // what is computed at a time, in order, but for the product
	product int
	scores  int   // the stage that has the tiles of the scores; -1 if others compute them
	queries int64 // extent of the axis of queries
	depth   int   // how many outer loops of the output are of rows
	placed  bool  // the stages are computed in the loops of the output
}

// attentionOf returns the attention that ends in a stage, or nil.
func attentionOf(s *schedule.State, stage int) *attention {
	st := s.Stages[stage]
	if !s.IsOutput(stage) || st.At != schedule.AtRoot || sketch.HasReduceIter(st) || !sketch.IsTiled(st) {
		return nil
	}
	g := &attention{product: -1, scores: -1, depth: len(st.Op.Axes) - 1}
	inside := func(r int) bool { return r == stage || r == g.product || slices.Contains(g.stages, r) }
	reductions, weights := 0, -1
	for p := stage - 1; p >= 0; p-- {
		producer := s.Stages[p]
		at, attached := s.Attach.At(p)
		switch {
		case attached && at.Stage == stage && g.product < 0 && isTiledProduct(s, p):
			g.product = p
			continue
		case attached && slices.Contains(g.stages, at.Stage) && isTiledProduct(s, p):
			g.scores = p
			continue
		}
		readers := s.Readers(p)
		outside := func(r int) bool { return !inside(r) }
		if producer.Op.IsPlaceholder() || producer.At == schedule.Inlined || attached && at.Stage != stage ||
			s.IsOutput(p) || len(readers) == 0 || slices.ContainsFunc(readers, outside) {
			continue
		}
		g.placed = g.placed || attached
		g.stages = append(g.stages, p)
		tiled := isTiledProduct(s, p)
		switch {
		case tiled:
			g.scores = p
		case sketch.HasReduceIter(producer):
			reductions++
		case slices.Contains(readers, g.product) && weights < 0:
			weights = p
		}
	}
	if g.product < 0 || reductions < 2 || weights < 0 || g.depth < 1 {
		return nil
	}
	axes := s.Stages[weights].Op.Axes
	if len(axes) < 2 {
		return nil
	}
	g.queries = axes[len(axes)-2].Extent
	slices.Sort(g.stages)
	return g
}

// isTiledProduct reports whether a stage is a reduction with the tiles of one.
func isTiledProduct(s *schedule.State, stage int) bool {
	st, splits := s.Stages[stage], sketch.SpatialSplits(s, stage)
	empty := func(i int) bool { return len(s.Steps[i].(schedule.Split).Lengths) == 0 }
	return sketch.HasReduceIter(st) && sketch.IsTiled(st) && sketch.NeedsTiling(s, stage) && len(splits) > 0 &&
		!slices.ContainsFunc(splits, empty)
}

// holdsAttention reports whether the stages of attention are computed in the loops of a stage.
func holdsAttention(s *schedule.State, stage int) bool {
	for p := range s.Stages {
		if at, ok := s.Attach.At(p); ok && at.Stage == stage && sketch.Attending(s, p) {
			return true
		}
	}
	return false
}
