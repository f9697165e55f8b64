package annotate

import (
	"slices"

	"github.com/wmtune/wmtune/tir/schedule"
)

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
