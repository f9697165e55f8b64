package sketch

import (
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// NeedsTiling reports whether a stage reads some element often enough that
// multi-level tiling pays. A stage without a reduction that walks the elements of one with, such as
// the scales of rows and columns behind a quantized product, does not need it, whatever else it
// reads: the tiles of the reduction are computed in it.
func NeedsTiling(s *schedule.State, stage int) bool {
	access := s.Current.Access()
	if !access.NeedsMultiLevelTiling(s.Stages[stage].Op) {
		return false
	}
	if HasReduceIter(s.Stages[stage]) {
		return true
	}
	for from := range stage {
		if !HasReduceIter(s.Stages[from]) || !access.NeedsMultiLevelTiling(s.Stages[from].Op) {
			continue
		}
		if reader, ok := ElementwiseReader(s, from); ok && reader == stage {
			return false
		}
	}
	return true
}

// TileReader returns the reader of a stage that its tiles can be computed in: one that
// walks its elements, has no reduce loops, is not tiled itself, and holds no sum whose blocks have threads of
// their own number. A stage whose axes are all kept whole has no tiles.
func TileReader(s *schedule.State, stage int) (int, bool) {
	reader, ok := ElementwiseReader(s, stage)
	if !ok || HasReduceIter(s.Stages[reader]) || IsTiled(s.Stages[reader]) || ReducesAcrossThreads(s, reader) {
		return 0, false
	}
	op := s.Stages[stage].Op
	splits := slices.ContainsFunc(op.Axes,
		func(a *compute.Axis) bool { return !slices.Contains(op.Attrs.NoSplitAtInner, a.Var.Name) })
	return reader, splits
}

// StrictlyInlineable reports whether a stage is cheap to recompute wherever it
// is read.
func StrictlyInlineable(s *schedule.State, stage int) bool {
	return s.Current.Access().StrictlyInlineable(s.Stages[stage].Op)
}

// IsTiled reports whether the loops of a stage are no longer one per axis.
func IsTiled(st *schedule.Stage) bool {
	return len(st.Iters) != len(st.Op.Axes)+len(st.Op.ReduceAxes)
}

// HasReduceIter reports whether a stage has a loop that is not spatial.
func HasReduceIter(st *schedule.Stage) bool {
	for _, it := range st.Iters {
		if it.Kind != schedule.Spatial {
			return true
		}
	}
	return false
}

// IsShared reports whether a stage is a copy into shared memory.
func IsShared(st *schedule.Stage) bool { return strings.HasSuffix(st.Op.Name, ".shared") }

// extents returns the products of the extents of the spatial and of the reduce
// loops of a stage.
func extents(st *schedule.Stage) (space, reduce int64) {
	space, reduce = 1, 1
	for _, it := range st.Iters {
		switch it.Kind {
		case schedule.Spatial:
			space *= it.Extent
		case schedule.Reduction:
			reduce *= it.Extent
		}
	}
	return space, reduce
}

// ElementwiseReader returns the only reader of a stage, inlined stages passed
// over, if it reads the stage element by element in the same order and not both
// of them reduce. An output has none, whoever reads it: it is computed whole, in loops of
// its own. A copy into shared memory is none: all threads of its tile carry it
// out together, so no tile can be inside it.
func ElementwiseReader(s *schedule.State, stage int) (int, bool) {
	readers := s.Readers(stage)
	if len(readers) != 1 || s.IsOutput(stage) {
		return 0, false
	}
	reader := readers[0]
	from, to := s.Stages[stage], s.Stages[reader]
	if !s.Current.Access().ElementwiseMatch(from.Op, to.Op) || HasReduceIter(from) && HasReduceIter(to) || IsShared(to) {
		return 0, false
	}
	return reader, true
}

// SingleReader returns the only reader of a stage, inlined stages passed over,
// or, if it has several, the root stage that all of them are computed in.
func SingleReader(s *schedule.State, stage int) (int, bool) {
	readers := s.Readers(stage)
	if len(readers) == 0 {
		return 0, false
	}
	if len(readers) == 1 {
		return readers[0], true
	}
	root := -1
	for _, r := range readers {
		if at, ok := s.Attach.At(r); ok {
			r = at.Stage
		}
		if root >= 0 && r != root {
			return 0, false
		}
		root = r
	}
	return root, true
}

// commonOuter returns how many leading loops of two stages go over the same
// elements of the first.
func commonOuter(s *schedule.State, stage, reader int) int {
	return s.Current.Access().CommonOuterIterators(s.Stages[stage].Op, s.Stages[reader].Op)
}

// directlyReads reports whether a stage's own body, before inlining, reads the
// first result of another stage, the one that CacheRead copies.
func directlyReads(s *schedule.State, reader, stage int) bool {
	return slices.Contains(s.Stages[reader].Op.Reads(), s.Stages[stage].Op.Results[0])
}

// readsAny reports whether a stage reads another one.
func readsAny(s *schedule.State, stage int) bool {
	return len(s.Current.Access().DirectProducers(s.Stages[stage].Op)) > 0
}

// Splits returns the numbers of the Split steps of a stage, which is numbered
// as in s, the last first. Those before a step that made the stage are of the stage behind it.
func Splits(s *schedule.State, stage int) []int {
	var list []int
	for i := len(s.Steps) - 1; i >= 0; i-- {
		if split, ok := s.Steps[i].(schedule.Split); ok && split.At == stage {
			list = append(list, i)
		}
		at, n := schedule.Adds(s.Steps[i])
		if n > 0 && stage >= at && stage < at+n {
			return list
		}
		if stage >= at+n {
			stage -= n
		}
	}
	return list
}

// SpatialSplits returns the numbers of the Split steps of a tiled stage's spatial
// loops, the last first. Tiling splits them before the reduce loops.
func SpatialSplits(s *schedule.State, stage int) []int {
	list := Splits(s, stage)
	for _, a := range s.Stages[stage].Op.ReduceAxes {
		op := s.Stages[stage].Op
		if len(list) > 0 && !slices.Contains(op.Attrs.NoSplitAtInner, a.Var.Name) && !staysOutside(op, a) {
			list = list[1:]
		}
	}
	return list
}

// isCacheWritten reports whether a cache write made a stage.
func isCacheWritten(s *schedule.State, stage int) bool {
	_, ok := madeBy(s, stage).(schedule.CacheWrite)
	return ok
}

// isFactored reports whether a stage has the partial results of a reduction.
func isFactored(s *schedule.State, stage int) bool {
	_, ok := madeBy(s, stage).(schedule.Rfactor)
	return ok
}

// madeBy returns the last step that put a new stage before others at the place of a stage,
// nil if none did.
func madeBy(s *schedule.State, stage int) schedule.Step {
	for i := len(s.Steps) - 1; i >= 0; i-- {
		at, n := schedule.Adds(s.Steps[i])
		if n > 0 && stage >= at && stage < at+n {
			return s.Steps[i]
		}
		if stage >= at+n {
			stage -= n
		}
	}
	return nil
}

// OriginalAxes returns the distinct axes that an iterator's name says it was
// split and fused from: "i.0@j.1@" is of i and j.
func OriginalAxes(name string) []string {
	var axes []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '@' || r == '.' }) {
		if part[0] >= '0' && part[0] <= '9' || slices.Contains(axes, part) {
			continue
		}
		axes = append(axes, part)
	}
	return axes
}
