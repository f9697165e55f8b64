package annotate

import (
	"slices"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir"
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
	if last < 0 || n == nil { // nothing is computed in the stage
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
	return schedule.ReplayBound(s.DAG, steps)
}

// doubleBuffer gives some of the copies in shared memory two buffers, of a share of the
// candidates, so that the next iteration's elements come while this one's are used.
//
//	CA 1 4 6        =>    CA 1 4 6
//	...                   ...
//	                      PR 1 0 double_buffer$1
//
// AutoScheduler has nothing of the kind; TVM's te.schedule and TensorIR's software
// pipelines have (Stage::double_buffer, InjectSoftwarePipeline).
//
// Of the candidates that tensor cores compute half have such copies, not a few: they wait for
// memory most.
func doubleBuffer(c *choice, s *schedule.State) (*schedule.State, error) {
	beyond := c.goesBeyond()
	for _, stage := range copies(s.Steps) {
		if !beyond && !(c.Beyond > 0 && ForTensorCores(s, stage)) {
			continue
		}
		others := c.Bufferings(s, stage)
		if len(others) < 2 || c.rng.IntN(2) == 0 {
			continue
		}
		next, err := s.Apply(schedule.Pragma{At: stage, Text: schedule.BufferPragma(others[1+c.rng.IntN(len(others)-1)])})
		if err != nil {
			return nil, err
		}
		s = next
	}
	return s, nil
}

// Bufferings returns how a copy may be refilled on the target: one buffer at least. There
// must be another iteration to fetch for. The state has bounds.
func (a *Sampler) Bufferings(s *schedule.State, stage int) []schedule.Buffering {
	at, ok := s.Attach.At(stage)
	if !ok || s.Stages[at.Stage].Iters[at.Iter].Extent < 2 {
		return []schedule.Buffering{schedule.OneBuffer}
	}
	if a.Target.HasAsyncCopies() {
		return []schedule.Buffering{schedule.OneBuffer, schedule.TwoBuffers, schedule.TwoBuffersByAsync}
	}
	return []schedule.Buffering{schedule.OneBuffer, schedule.TwoBuffers}
}

// Buffered returns the steps of s with a copy refilled so.
func Buffered(s *schedule.State, stage int, how schedule.Buffering) []schedule.Step {
	steps := schedule.Without(s.Steps, func(i int) bool {
		p, ok := s.Steps[i].(schedule.Pragma)
		return ok && p.At == stage && slices.Contains(bufferTexts, p.Text)
	})
	if how == schedule.OneBuffer {
		return steps
	}
	return append(steps, schedule.Pragma{At: stage, Text: schedule.BufferPragma(how)})
}

// bufferTexts are the texts of the pragmas that say how copies are refilled.
var bufferTexts = []string{
	schedule.BufferPragma(schedule.OneBuffer), schedule.BufferPragma(schedule.TwoBuffers),
	schedule.BufferPragma(schedule.TwoBuffersByAsync),
}

// Shared memory has 32 banks of 4 bytes, and serves one word of each at a time (CUDA C++
// Programming Guide, "Shared Memory"). A warp reads it up to bankWidth bytes a thread.
const (
	bankBytes = 4
	bankWidth = 16
)

// pad pads some of the copies in shared memory, of a share of the candidates, so that
// threads that read elements of one column find them in different banks: the distance of
// two rows becomes an odd multiple of what one thread reads.
//
//	CHR 0 shared [3]    =>    CHR 0 shared [3]
//	CA 1 4 6                  CA 1 4 6
//	                          SA 1 0 8 4           rows of 16 are 20 elements apart
//	FU 1 [0, 1]               FU 1 [0, 1]
//
// AutoScheduler has the step, and its lowering, but no rule that takes it.
//
// Copies of which neighbouring threads read neighbouring rows are mostly padded: on an H200 the fastest of 448 programs
// of a dense layer took 27.5 us with padding, 37.2 without (bert-t2, 2026-11-26,
// lab/models/eval/h200-paper22.arrow.zst).
//
// What tensor cores read is always padded: a warp reads 8 rows of a tile at once, 16 bytes of each,
// which are in different banks if rows are an odd multiple of 16 bytes apart, and mostly are
// not if they are 32 or 64.
func pad(c *choice, s *schedule.State) (*schedule.State, error) {
	beyond := c.goesBeyond()
	steps := s.Steps
	for _, stage := range copies(s.Steps) {
		tensor := c.Beyond > 0 && ForTensorCores(s, stage)
		inRows := c.Beyond > 0 && readInRows(s, stage)
		if !beyond && !tensor && !inRows {
			continue
		}
		units, err := PadUnits(s, stage)
		if err != nil {
			return nil, err
		}
		switch {
		case len(units) == 0:
		case tensor:
			steps = Padded(steps, stage, units[len(units)-1], s)
		case inRows && c.rng.IntN(4) > 0 || !inRows && c.rng.IntN(2) == 0:
			steps = Padded(steps, stage, units[c.rng.IntN(len(units))], s)
		}
	}
	if schedule.Extras(steps) == schedule.Extras(s.Steps) {
		return s, nil
	}
	return schedule.ReplayBound(s.DAG, steps)
}

// goesBeyond draws whether a candidate may have a decision that AutoScheduler has not.
func (c *choice) goesBeyond() bool { return c.Beyond > 0 && c.rng.Float64() < c.Beyond }

// ForTensorCores reports whether tensor cores read a copy.
func ForTensorCores(s *schedule.State, stage int) bool {
	at, ok := s.Attach.At(stage)
	return ok && s.Stages[at.Stage].IsTensorized()
}

// copies returns the stages that threads copy together, ascending.
func copies(steps []schedule.Step) []int {
	var list []int
	for _, i := range FetchSplits(steps) {
		list = append(list, steps[i].Stage())
	}
	slices.Sort(list)
	return list
}

// readInRows reports whether the neighbouring threads of a tile read neighbouring rows of a copy. Where rows are of 128
// bytes, all that they read is in one bank. Threads are neighbours along the last axis that they divide.
func readInRows(s *schedule.State, stage int) bool {
	at, _ := s.Attach.At(stage)
	op := s.Stages[at.Stage].Op
	list := sketch.SpatialSplits(s, at.Stage) // the last first
	d := slices.IndexFunc(list, func(i int) bool {
		sp := s.Steps[i].(schedule.Split)
		return len(sp.Lengths) > threadLevel && sp.Lengths[threadLevel] > 1
	})
	if d < 0 || len(list) != len(op.Axes) {
		return false
	}
	v, found := op.Axes[len(op.Axes)-1-d].Var, false
	uses := func(i tir.Expr) bool { return tir.Uses(i, v) }
	for _, body := range op.Body {
		tir.VisitExpr(body, func(e tir.Expr) bool {
			l, ok := e.(*tir.Load)
			if ok && l.Buffer == s.Stages[stage].Op.Results[0] && len(l.Index) > 0 {
				last := len(l.Index) - 1
				found = found || !uses(l.Index[last]) && slices.ContainsFunc(l.Index[:last], uses)
			}
			return !found
		})
	}
	return found
}

// PadUnits returns the numbers of elements of which the rows of a copy may become an odd
// multiple, ascending: none if there is one row, or if the rows are odd multiples as they
// are. A unit is not less than what one thread copies at once, so that this stays
// aligned. The state has bounds or can have them, and the copy is one that threads share.
func PadUnits(s *schedule.State, stage int) ([]int64, error) {
	nests, err := s.Nests()
	if err != nil || nests[stage] == nil { // nothing is computed in the stage
		return nil, err
	}
	st, region := s.Stages[stage], nests[stage].Region[:len(s.Stages[stage].Op.Axes)]
	last := len(region) - 1
	rows := int64(1)
	for _, r := range region[:max(last, 0)] {
		rows *= r.Extent
	}
	if rows < 2 {
		return nil, nil
	}
	width, size := fetched(s.Steps, stage), int64(st.Op.Results[0].Type.Bytes())
	var list []int64
	for u := max(bankBytes/size, 1); u*size <= bankWidth; u *= 2 {
		if u >= width && region[last].Extent%(2*u) == 0 {
			list = append(list, u)
		}
	}
	return list, nil
}

// fetched returns how many elements a thread copies at once.
func fetched(steps []schedule.Step, stage int) int64 {
	for _, i := range FetchSplits(steps) {
		if steps[i].Stage() == stage {
			return steps[i].(schedule.Split).Lengths[0]
		}
	}
	return 1
}

// Pad returns the unit of which the rows of a copy are an odd multiple because a step
// says so, 0 if none does.
func Pad(steps []schedule.Step, stage int) int64 {
	if i := padStep(steps, stage); i >= 0 {
		return steps[i].(schedule.StorageAlign).Offset
	}
	return 0
}

// padStep returns the number of the step that pads a copy, -1 if there is none. Copies
// are padded when all stages are there.
func padStep(steps []schedule.Step, stage int) int {
	return slices.IndexFunc(steps, func(s schedule.Step) bool {
		sa, ok := s.(schedule.StorageAlign)
		return ok && sa.At == stage
	})
}

// Padded returns the steps of s with a copy padded to an odd multiple of unit, 0 for not
// at all, in place of how it was.
func Padded(steps []schedule.Step, stage int, unit int64, s *schedule.State) []schedule.Step {
	at := padStep(steps, stage)
	sa := schedule.StorageAlign{At: stage, Iter: len(s.Stages[stage].Op.Axes) - 2, Factor: 2 * unit, Offset: unit}
	switch {
	case at < 0 && unit == 0:
		return steps
	case unit == 0:
		return schedule.Without(steps, func(i int) bool { return i == at })
	case at >= 0:
		steps = slices.Clone(steps)
		steps[at] = sa
		return steps
	}
	return schedule.Insert(steps, firstOf(steps, stage), sa)
}

// firstOf returns the number of the first step that is about the loops of a copy: by
// then all stages are there, and it is computed where it stays.
func firstOf(steps []schedule.Step, stage int) int {
	from := 0
	for i, s := range steps {
		switch s.Kind() {
		case schedule.CHR, schedule.CHW, schedule.RF, schedule.CA:
			from = i + 1
		}
	}
	return from + slices.IndexFunc(steps[from:], func(s schedule.Step) bool { return s.Stage() == stage })
}

// Repad widens the padding of copies of which a thread copies more at once than it was
// made for.
func Repad(steps []schedule.Step) []schedule.Step {
	for _, stage := range copies(steps) {
		width := fetched(steps, stage)
		if at := padStep(steps, stage); at >= 0 && steps[at].(schedule.StorageAlign).Offset < width {
			sa := steps[at].(schedule.StorageAlign)
			sa.Factor, sa.Offset = 2*width, width
			steps = slices.Clone(steps)
			steps[at] = sa
		}
	}
	return steps
}
