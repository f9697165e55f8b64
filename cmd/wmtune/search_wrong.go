package main

import (
	"slices"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
)

// noteWrong notes a program that failed.
func (s *searching) noteWrong(r dataset.Record) {
	if !r.Timed() && r.Status != measure.Unmeasured {
		s.wrong = append(s.wrong, string(schedule.FormatSteps(r.Steps)))
	}
}

// dropWrong takes the kernel out of the folder and out of the result if its program
// failed after it was handed over: as a finalist, or in the log that is continued. No
// other is correct, or it would have taken its place. A kernel of which the log knows
// nothing, such as one of another log, stays.
func (s *searching) dropWrong() error {
	s.result.clearBest()
	old, err := s.output.readResult()
	if err != nil || old.WorkloadKey != s.w.Key || old.Target != s.result.Target || old.Layout != s.result.Layout || !slices.Contains(s.wrong, old.Steps) {
		return nil // no kernel lies there, or none that is known to be wrong
	}
	if err := s.output.remove(old.Files); err != nil {
		return err
	}
	s.output.shown = ""
	s.progress.say("the kernel in %s is removed: its program failed when it was measured again, and no other is correct", s.out)
	return s.output.putResult(s.result)
}
