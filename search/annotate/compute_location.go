package annotate

import (
	"strings"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// changeComputeLocation decides where each stage is computed that no rule has
// tiled or placed: inlined, in a loop nest of its own, or inside a loop of its
// reader, all equally likely. A stage that can be nowhere else stays. Stages are visited from the outputs to the
// inputs. The state it returns has bounds.
//
//	for i, for j                     for i
//	  pad = ...                =>      for i, for j
//	for i, for j, for ...                pad = ...
//	  conv = ...                       for j, for ...
//	                                     conv = ...
//
// AutoScheduler has the inline choice too, but takes it for attached stages only,
// of which a sketch has none; here Inlinable decides.
//
// It is an error if no bounds can be inferred for the places chosen.
func changeComputeLocation(c *choice, s *schedule.State) (*schedule.State, error) {
	s = s.Draft()
	for stage := len(s.Stages) - 1; stage >= 0; stage-- {
		if s.Stages[stage].At != schedule.AtRoot || !Movable(s, stage) {
			continue
		}
		places := Places(c.Target, s, stage)
		if len(places) == 1 {
			continue
		}
		next, err := s.Apply(places[c.rng.IntN(len(places))])
		if err != nil {
			return nil, err
		}
		s = next
	}
	return s.InferBound()
}

// Movable reports whether a stage's place is free to choose: it is computed,
// not an output, not tiled, not worth tiling, not one that sketches always
// inline, none of attention, and not computed for a tile of what reads it.
func Movable(s *schedule.State, stage int) bool {
	st := s.Stages[stage]
	if st.Op.IsPlaceholder() || s.IsOutput(stage) || sketch.IsTiled(st) || sketch.NeedsTiling(s, stage) ||
		sketch.Attending(s, stage) || sketch.ComputedInTiles(s, stage) != nil || inTiles(s, stage) {
		return false
	}
	return st.At != schedule.Inlined || !sketch.StrictlyInlineable(s, stage)
}

// inTiles reports whether an inlined stage is the reader of one that is computed for a tile, or of phases, or stands
// behind that reader.
func inTiles(s *schedule.State, stage int) bool {
	op, access := s.Stages[stage].Op, s.Current.Access()
	for from, st := range s.Stages {
		if s.Stages[stage].At != schedule.Inlined || sketch.ComputedInTiles(s, from) == nil && !isPhases(s, from) {
			continue
		}
		if access.ElementwiseMatch(access.Consumers(st.Op, nil)[0], op) {
			return true
		}
	}
	return false
}

// isPhases reports whether a stage has the phases of a sum, computed in what reads it.
func isPhases(s *schedule.State, stage int) bool {
	at, inside := s.Attach.At(stage)
	if !inside {
		return false
	}
	phases, _ := sketch.ReadsPhases(s, at.Stage)
	return phases == stage
}

// Places returns the steps that place a stage that is not inlined: in a nest of
// its own, in each of its Locations, and inlined, if it may be.
func Places(t target.Target, s *schedule.State, stage int) []schedule.Step {
	list := []schedule.Step{schedule.ComputeRoot{At: stage}}
	if Inlinable(t, s, stage) {
		list = append(list, schedule.ComputeInline{At: stage})
	}
	for _, p := range Locations(s, stage) {
		list = append(list, schedule.ComputeAt{At: stage, Target: p.Stage, TargetIter: p.Iter})
	}
	return list
}

// Inlinable reports whether a stage may be worth inlining where no sketch rule
// insists: it is no reduction, nothing is computed inside it, it has one reader,
// which does not become too large, and it calls no function, as a padding does not,
// or is read element by element. A padding whose reader has few columns is not inlined.
func Inlinable(t target.Target, s *schedule.State, stage int) bool {
	st := s.Stages[stage]
	if sketch.HasReduceIter(st) || sketch.FeedsInstruction(t, s, stage) || len(s.Readers(stage)) != 1 ||
		holdsStages(s, stage) || padsFewColumns(t, s, stage) {
		return false
	}
	_, elementwise := sketch.ElementwiseReader(s, stage)
	return (elementwise || !callsFunction(st.Op)) && s.InlinedSize(stage) <= schedule.MostInlined
}

// padsFewColumns reports whether a stage pads an image for a sum of few columns, on a processor, so that each test of a
// place would be for less than perTest products: those of the columns with the elements of the place.
func padsFewColumns(t target.Target, s *schedule.State, stage int) bool {
	op := s.Stages[stage].Op
	choice, ok := op.Body[0].(*tir.Select)
	if !ok || t.Hardware.WarpSize > 0 {
		return false
	}
	elements := int64(1)
	for _, a := range op.Axes {
		if !tir.Uses(choice.Cond, a.Var) {
			elements *= a.Extent
		}
	}
	for _, reader := range s.Readers(stage) {
		axes := s.Stages[reader].Op.Axes
		if !sketch.HasReduceIter(s.Stages[reader]) || len(axes) == 0 {
			continue
		}
		columns := axes[len(axes)-1].Extent
		if 16*columns <= int64(t.Hardware.VectorBytes) && columns*elements < perTest {
			return true
		}
	}
	return false
}

// perTest is how many products a test of a place is for at least, where columns are at most a quarter of a vector.
const perTest = 16

func callsFunction(op *compute.Op) bool {
	found := false
	for _, body := range op.Body {
		tir.VisitExpr(body, func(e tir.Expr) bool {
			_, call := e.(*tir.Call)
			found = found || call
			return !found
		})
	}
	return found
}

// Locations returns the loops in which a stage may be computed: those of its
// only reader (or of the root that holds all its readers) down to the first
// reduction, or, if the reader is tiled, down to the spatial loops inside the
// first reduction; and those around the reader. Loops that run once are left
// out.
func Locations(s *schedule.State, stage int) []schedule.IterKey {
	reader, ok := sketch.SingleReader(s, stage)
	if !ok {
		return nil
	}
	var places []schedule.IterKey
	st := s.Stages[reader]
	attached, tiled, inReduction := st.At == schedule.AtIter, sketch.IsTiled(st), false
	for i, it := range st.Iters {
		if it.Kind == schedule.Reduction {
			inReduction = true
			if !tiled {
				break
			}
		} else if it.Kind == schedule.Spatial && inReduction {
			break
		}
		if it.Ann == schedule.Unroll {
			break
		}
		if it.Extent == 1 {
			continue
		}
		// The outermost pieces of a tiled stage inside another one run once,
		// whatever their extent says before inference.
		if attached && it.Kind == schedule.Spatial && strings.HasSuffix(it.Name, ".0") {
			continue
		}
		places = append(places, schedule.IterKey{Stage: reader, Iter: i})
		if len(s.Attach.Inside(reader, i)) > 0 {
			break
		}
	}
	if !attached {
		return places
	}
	at, _ := s.Attach.At(reader)
	for i, it := range s.Stages[at.Stage].Iters {
		if it.Kind == schedule.Reduction || it.Ann == schedule.Unroll || len(s.Attach.Inside(at.Stage, i)) > 0 {
			break
		}
		if it.Extent != 1 {
			places = append(places, schedule.IterKey{Stage: at.Stage, Iter: i})
		}
	}
	return places
}
