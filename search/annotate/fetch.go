package annotate

import (
	"slices"

	"github.com/wmtune/wmtune/tir/schedule"
)

// fetchWidths are the numbers of neighbouring elements that one thread may copy at once:
// one instruction moves up to fetchBytes.
var fetchWidths = []int64{1, 2, 4, 8}

const fetchBytes = 16

// fetchWidth draws how many neighbouring elements a thread copies at once.
// AutoScheduler begins with one, and has mutation multiply it by what divides the loop
// before it was bound, which mostly leaves elements of two rows side by side. Here it
// divides the rows on both sides.
func (c *choice) fetchWidth(s *schedule.State, stage int) (int64, error) {
	if !c.Tiles.Threads {
		return 1, nil
	}
	// The threads that share the copy are bound already: the region is that of all.
	widths, err := widthsOf(s, stage)
	if err != nil {
		return 0, err
	}
	return widths[c.rng.IntN(len(widths))], nil
}

// widthsOf returns the widths at which the rows of a copy can be read and written.
func widthsOf(s *schedule.State, stage int) ([]int64, error) {
	nests, err := s.Nests()
	if err != nil {
		return nil, err
	}
	return rowWidths(nests[stage], s.Stages[stage]), nil
}

func rowWidths(n *schedule.Nest, st *schedule.Stage) []int64 {
	last := len(st.Op.Axes) - 1
	if last < 0 {
		return slices.Clone(fetchWidths[:1])
	}
	widest := fetchBytes / int64(max(st.Op.Results[0].Type.Bytes(), 2))
	return slices.DeleteFunc(slices.Clone(fetchWidths), func(w int64) bool {
		return w > widest || n.Region[last].Extent%w != 0 || st.Op.Axes[last].Extent%w != 0
	})
}

// isFetchSplit reports whether step i splits off what one thread copies at once.
func isFetchSplit(steps []schedule.Step, i int) bool {
	sp, ok := steps[i].(schedule.Split)
	if !ok || len(sp.Lengths) != 1 || i+1 == len(steps) {
		return false
	}
	return steps[i+1] == schedule.Step(schedule.Annotate{At: sp.At, Iter: sp.Iter + 1, Ann: schedule.Vectorize})
}

// FetchSplits returns the numbers of the steps that split off what one thread copies
// at once.
func FetchSplits(steps []schedule.Step) []int {
	var list []int
	for i := range steps {
		if isFetchSplit(steps, i) {
			list = append(list, i)
		}
	}
	return list
}

// Widths returns the widths that the split of step i, one of FetchSplits, may have,
// ascending. No step behind it adds a stage. It is an error if bounds cannot be inferred.
func Widths(s *schedule.State, i int) ([]int64, error) {
	return widthsOf(s, s.Steps[i].Stage())
}

// Refit narrows what threads copy at once where rows are no longer as long as that,
// because tiles have changed. The state has bounds.
func (a *Sampler) Refit(s *schedule.State) (*schedule.State, error) {
	fetches := FetchSplits(s.Steps)
	if !a.Tiles.Threads || len(fetches) == 0 {
		return s, nil
	}
	nests, err := s.Nests()
	if err != nil {
		return nil, err
	}
	var steps []schedule.Step
	for _, i := range fetches {
		sp := s.Steps[i].(schedule.Split)
		widths := rowWidths(nests[sp.At], s.Stages[sp.At])
		if slices.Contains(widths, sp.Lengths[0]) {
			continue
		}
		if steps == nil {
			steps = slices.Clone(s.Steps)
		}
		at, _ := slices.BinarySearch(widths, sp.Lengths[0])
		sp.Lengths = []int64{widths[at-1]}
		steps[i] = sp
	}
	if steps == nil {
		return s, nil
	}
	return replayed(s, steps)
}

// replayed returns the state of other steps on the DAG of s, with bounds.
func replayed(s *schedule.State, steps []schedule.Step) (*schedule.State, error) {
	out, err := schedule.Replay(s.DAG, steps)
	if err != nil {
		return nil, err
	}
	return out.InferBound()
}
