package sketch

import (
	"maps"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A tiledReader is how a stage is read whose axes are places in a tile, as the inverse of a Winograd convolution is:
//
//	bias_add[i, j, c] = inverse[i%4, j%4, i/4*7 + j/4, c] + bias[c]
//	relu[i, j, c]     = max(bias_add[i, j, c], 0)
type tiledReader struct {
	inlined []int         // stages that read it element by element, each the one before
	last    int           // the stage behind them
	tiles   map[int]int64 // extents of tiles, by axis of last, whose axes are those of the first reader
}

// tiledReaderOf returns how a stage with a constant tensor is read: by stages of which the last one is not split yet,
// and at a remainder of an axis for each named axis of the stage that is not a reduction, none of which goes along
// memory.
func tiledReaderOf(s *schedule.State, stage int) (tiledReader, bool) {
	r := tiledReader{}
	readers := s.Readers(stage)
	if len(readers) != 1 || s.IsOutput(stage) || HasReduceIter(s.Stages[readers[0]]) {
		return r, false
	}
	if r.tiles, _ = readTiles(s, stage); len(r.tiles) == 0 {
		return r, false
	}
	r.last = readers[0]
	for {
		next, ok := ElementwiseReader(s, r.last)
		if !ok || HasReduceIter(s.Stages[next]) {
			break
		}
		r.inlined, r.last = append(r.inlined, r.last), next
	}
	last := s.Stages[r.last]
	_, alongMemory := r.tiles[len(last.Op.Axes)-1]
	return r, len(last.Iters) == len(last.Op.Axes) && !alongMemory
}

// readTiles returns the extents of the tiles that a stage's only reader reads it in, by axis of the reader: one element
// at a time, at a remainder for each axis that the stage names. The axes of the reader are also in the order of these.
// It returns nil if it is read in another way.
func readTiles(s *schedule.State, stage int) (tiles map[int]int64, axes []int) {
	op, access := s.Stages[stage].Op, s.Current.Access()
	readers := access.Consumers(op, nil)
	if len(readers) != 1 {
		return nil, nil
	}
	reads := access.Reads(readers[0])
	read := reads[slices.IndexFunc(reads, func(r compute.Read) bool { return r.From == op })]
	if len(read.Loads) != 1 {
		return nil, nil
	}
	tiles = map[int]int64{}
	for d, axis := range op.Axes {
		if !slices.Contains(op.Attrs.SimplifyConstTensorIndices, axis.Var.Name) {
			continue
		}
		rest, ok := read.Loads[0].Index[d].(*tir.Binary)
		if !ok || rest.Op != tir.FloorMod {
			return nil, nil
		}
		by, ok := rest.Y.(*tir.IntImm)
		at := slices.IndexFunc(readers[0].Axes, func(a *compute.Axis) bool { return rest.X == tir.Expr(a.Var) })
		if !ok || by.Value != axis.Extent || at < 0 {
			return nil, nil
		}
		tiles[at] = by.Value
		axes = append(axes, at)
	}
	return tiles, axes
}

// ComputedInTiles returns the numbers of the steps that split a stage's reader, first into the tiles that the stage is
// computed for; nil if it is computed in another way. Other lengths would compute it more than once, or for less than a
// vector, or leave cores without rows of tiles.
func ComputedInTiles(s *schedule.State, stage int) []int {
	st := s.Stages[stage]
	if len(st.Op.Attrs.SimplifyConstTensorIndices) == 0 || st.At != schedule.AtIter {
		return nil
	}
	tiles, _ := readTiles(s, stage)
	if len(tiles) == 0 {
		return nil
	}
	at, _ := s.Attach.At(stage)
	splits := Splits(s, at.Stage)
	slices.Reverse(splits) // the first first
	if len(splits) <= len(tiles) {
		return nil
	}
	for i, axis := range slices.Sorted(maps.Keys(tiles)) {
		if sp := s.Steps[splits[i]].(schedule.Split); !slices.Equal(sp.Lengths, []int64{tiles[axis]}) {
			return nil
		}
	}
	return splits
}

// whenReadInTiles holds for stages with a constant tensor that are read tile by tile.
func whenReadInTiles(g *Generator, s *schedule.State, stage int) Verdict {
	if whenConstTensor(g, s, stage) == Skip {
		return Skip
	}
	if _, ok := tiledReaderOf(s, stage); !ok {
		return Skip
	}
	return ApplyAndSkipRest
}

// unrollInTiles unrolls the named axes, and computes the stage for a tile of what reads it, and one vector of what goes
// along memory. Elements of two or three vectors do not stay in registers, which took up to 1.4 times as long. The rule
// inlines the stages between them.
//
//	for p, ci                              for i.0, j.0, c.0
//	  unroll eps, nu, r_a, r_b               for ci
//	    inverse = ...                          unroll eps, nu, r_a, r_b
//	for i, j, c                       =>         inverse = ...
//	  bias_add = inverse[...] + ...          for i.1 in 4, j.1 in 4, c.1
//	for i, j, c                                relu = ...
//	  relu = ...
func unrollInTiles(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	r, _ := tiledReaderOf(s, stage)
	e := edit{state: s, stage: stage}
	for _, at := range r.inlined {
		e.apply(schedule.ComputeInline{At: at})
	}
	e.unrollNamed()
	e.stage = r.last
	axes, at := len(s.Stages[r.last].Iters), 0
	var outer, inner []int
	for k, axis := range s.Stages[r.last].Op.Axes {
		outer = append(outer, at)
		extent := r.tiles[k]
		if k == axes-1 {
			extent = min(g.Target.Hardware.Lanes(s.Stages[r.last].Op.Results[0].Type.RegisterBytes()), axis.Extent)
		}
		if extent > 0 {
			e.split(at, []int64{extent})
			at++
			inner = append(inner, at)
		}
		at++
	}
	e.reorder(append(outer, inner...))
	e.apply(schedule.ComputeAt{At: stage, Target: r.last, TargetIter: axes - 1})
	return e.next(stage - 1)
}
