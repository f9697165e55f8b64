package tune

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
)

// choices is how many candidates are tried until one can be built.
const choices = 8

// Choose exports what the scorer thinks fastest of what is correct, which nobody has timed. It stands in the
// place of Begin, Step and End.
func (s *Session) Choose(ctx context.Context) error {
	if len(s.past) > 0 {
		return fmt.Errorf("%s holds %d trials: --trials 0 would put an unmeasured kernel in the place of "+
			"theirs; choose another --out",
			s.opt.Log, len(s.past))
	}
	if s.folder != nil { // another log may have the trials of what lies there
		if r, err := s.folder.result(); err == nil && r.BestUS != nil {
			return fmt.Errorf("folder %s holds a measured kernel: --trials 0 would put an unmeasured one in its place; "+
				"choose another --out", s.opt.Out)
		}
	}
	s.mu.Lock()
	s.progress.Choosing = true
	s.mu.Unlock()
	s.Phase("choosing without measuring")
	chosen, err := s.Candidates(ctx, choices)
	if errors.Is(err, search.ErrUntrained) { // the one that was asked for is not there
		return fmt.Errorf("--trials 0: --scorer %s: %w", s.opt.ScorerName, err)
	}
	if err != nil {
		return err
	}
	states := make([]*schedule.State, len(chosen))
	for i, c := range chosen {
		states[i] = c.State
	}
	s.Phase("computing the reference")
	if err := s.setTask(ctx); err != nil {
		return err
	}
	rejected, err := s.putFirst(ctx, states, s.check)
	if err != nil {
		return err
	}
	s.setChoice(chosen[len(rejected)].Score)
	s.result.Reason = search.TrialsSpent.String()
	return s.putResult(states[len(rejected)])
}

// check runs a candidate that is about to be chosen, and compares what it computes with the reference.
// machine.IsRejected tells an error about the candidate.
func (s *Session) check(ctx context.Context, state *schedule.State) error {
	s.Phase("checking the choice")
	in := []measure.Input{measure.NewInput(state, s.machine.Target(), s.opt.Layout)}
	built, err := s.machine.Builder().Build(ctx, in)
	if err != nil {
		return err
	}
	if status := built[0].Status; status != measure.OK {
		return &machine.RejectedError{Status: status, Why: built[0].Message}
	}
	results, err := s.machine.Runner().Run(ctx, in, built)
	if err != nil {
		return err
	}
	if status := results[0].Status; status != measure.OK && status != measure.Unmeasured {
		return &machine.RejectedError{Status: status, Why: results[0].Message}
	}
	return nil
}

// putFirst exports the first of states that is not rejected, by a check if there is one, and returns why those before
// it are. If all are, so says the error.
func (s *Session) putFirst(ctx context.Context, states []*schedule.State,
	check func(context.Context, *schedule.State) error) (rejected []error, err error) {
	for _, state := range states {
		if err = nil; check != nil {
			err = check(ctx, state)
		}
		if err == nil {
			err = s.putKernel(ctx, state)
		}
		if !machine.IsRejected(err) {
			return rejected, err
		}
		s.say("skipped a kernel: %v", err)
		rejected = append(rejected, err)
	}
	return rejected, fmt.Errorf("none of %d candidates can be built: %w", len(states), err)
}

// putKernel makes the kernel of a state the best one, if it is not. machine.IsRejected
// tells an error about the state.
func (s *Session) putKernel(ctx context.Context, state *schedule.State) error {
	steps := string(schedule.FormatSteps(state.Steps))
	if s.kernel.steps == steps {
		return nil
	}
	t := s.machine.Target()
	f, err := lower.Lower(state, lower.Config{Target: t, Layout: s.opt.Layout})
	if err != nil {
		return fmt.Errorf("export the best kernel: %w", &machine.RejectedError{Status: measure.LowerError, Why: err.Error()})
	}
	note := fmt.Sprintf("workload: %s\nworkload key: %s\n", s.w.Text, s.w.Key)
	if text := s.searched(); text != "" {
		note += fmt.Sprintf("searched as: %s\n", text)
	}
	note += fmt.Sprintf("target: %s\nsteps: %s\nmade by wmtune %s", t, steps, Version())
	name := s.opt.Name
	if name == "" {
		name = functionName(s.w)
	}
	made, err := s.machine.Export(ctx, f, machine.ExportOptions{Name: name, Note: note})
	if err != nil {
		return fmt.Errorf("export the best kernel: %w", err)
	}
	s.kernel = kernel{steps: steps, files: made.Files, missing: made.Missing, usage: made.ResourceUsage,
		tf32: state.Rounds(), winograd: len(state.Prepared) > 0}
	return nil
}

// putResult brings the result up to date with the kernel of a state, and has both replace
// what lies in the folder.
func (s *Session) putResult(state *schedule.State) error {
	r := &s.result
	r.Steps = string(schedule.FormatSteps(state.Steps))
	r.Seconds = time.Since(s.started).Seconds()
	r.Files, r.NoShared, r.TF32, r.Winograd = nil, s.kernel.missing, s.kernel.tf32, s.kernel.winograd
	for _, f := range s.kernel.files {
		r.Files = append(r.Files, f.Name)
	}
	return s.putFolder()
}

func (s *Session) putFolder() error {
	if s.folder == nil {
		return nil
	}
	return s.writing(func() error { return s.folder.replace(s.kernel.files, &s.result) })
}

func (s *Session) exportRecord(ctx context.Context, r dataset.Record) error {
	state, err := schedule.Replay(s.task.DAG, r.Steps)
	if err != nil {
		return fmt.Errorf("replay the best candidate: %w", err)
	}
	return s.export(ctx, r, state)
}

// keep exports what a search found. Where it found nothing, a kernel that is wrong does
// not stay.
func (s *Session) keep(ctx context.Context, out search.Outcome) error {
	if !out.Found && len(s.checked) > 0 {
		return s.keepChecked(ctx)
	}
	if !out.Found {
		return s.dropWrong()
	}
	return s.export(ctx, out.Best, out.State)
}

func (s *Session) export(ctx context.Context, best dataset.Record, state *schedule.State) error {
	s.result.Conditions = s.machine.Conditions()
	s.result.setBest(best.Cost(), s.w.FLOPs)
	s.result.Packed = best.Packed
	s.result.NewTrials = s.result.Trials - len(s.past)
	if err := s.putKernel(ctx, state); err != nil {
		return err
	}
	return s.putResult(state)
}

// noteWrong notes a program that failed.
func (s *Session) noteWrong(r dataset.Record) {
	if !r.Timed() && r.Status != measure.Unmeasured {
		s.wrong = append(s.wrong, string(schedule.FormatSteps(r.Steps)))
	}
}

// dropWrong takes the kernel out of the folder and out of the result if its program
// failed after it was handed over: as a finalist, or in the log that is continued. No
// other is correct, or it would have taken its place. A kernel of which the log knows
// nothing, such as one of another log, stays.
func (s *Session) dropWrong() error {
	s.result.clearBest()
	s.kernel = kernel{}
	if s.folder == nil {
		return nil
	}
	old, err := s.folder.result()
	if err != nil || !s.isOf(&old) || old.Target != s.result.Target || old.Layout != s.result.Layout ||
		!slices.Contains(s.wrong, old.Steps) {
		return nil // no kernel lies there, or none that is known to be wrong
	}
	s.say("the kernel in %s is removed: its program failed when it was measured again, and no other is correct", s.opt.Out)
	return s.putFolder()
}

// WriteTo writes the kernel and result.json to a folder, which holds nothing else: it is
// made, or replaced as a whole if it holds a kernel of the same workload.
func (r *Result) WriteTo(dir string) error {
	if r.kernel == nil {
		return fmt.Errorf("tune: write %s: the session found no kernel", dir)
	}
	f, err := openFolder(dir, r.Workload, "")
	if err != nil {
		return err
	}
	defer f.close()
	return f.replace(r.kernel, r)
}
