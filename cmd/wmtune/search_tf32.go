package main

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// allowTF32 lets tensor cores multiply float32 operands that they round, as --allow-tf32 asks
// for. It refuses where nothing would come of it.
func (c *searchCommand) allowTF32() error {
	if c.kind != target.CUDA {
		return usagef(`--allow-tf32: %s has no tensor cores; it is for a GPU, as with --target "cuda -arch=sm_86"`, c.kind)
	}
	if !slices.ContainsFunc(c.space.Sketch.Rules, func(r sketch.Rule) bool { return r.Name == sketch.TensorRule }) {
		return usagef("--allow-tf32: --space %s has no candidates for tensor cores", c.spaceName)
	}
	c.space.Sketch.TF32 = true
	gpu, named, err := target.ParseGPU(c.target)
	if err != nil || !named {
		return err
	}
	return c.checkTF32(gpu)
}

// checkTF32 refuses --allow-tf32 for a GPU that cannot round so.
func (c *searchCommand) checkTF32(gpu target.Target) error {
	if c.tf32 && !gpu.HasTensorCores() {
		return usagef("--allow-tf32: %s has no tensor cores that multiply tf32: they are there from sm_80 on", gpu)
	}
	return nil
}

// noteTF32 says so where --allow-tf32 changes nothing.
func (s *searching) noteTF32() error {
	if !s.tf32 {
		return nil
	}
	var sketches [2]int // without, and with
	for i, allowed := range []bool{false, true} {
		policy := s.space.Sketch
		policy.TF32 = allowed
		list, err := sketch.Generate(policy, s.w.DAG, s.machine.Target())
		if err != nil {
			return err
		}
		sketches[i] = len(list)
	}
	if sketches[0] == sketches[1] {
		s.progress.say("--allow-tf32 changes nothing: tensor cores can compute no product of float32 of this workload, which would have to be whole tiles (docs/search-space.md)")
	}
	return nil
}

// refuseTF32 refuses to go on, without --allow-tf32, from a log with candidates that round to
// tf32: one of them might be handed over.
func (s *searching) refuseTF32() error {
	if s.tf32 {
		return nil
	}
	for _, r := range s.past {
		tensorized := slices.ContainsFunc(r.Steps, func(step schedule.Step) bool {
			an, ok := step.(schedule.Annotate)
			return ok && an.Ann == schedule.Tensorize
		})
		if !tensorized {
			continue
		}
		state, err := schedule.Replay(s.w.DAG, r.Steps)
		if err != nil {
			return fmt.Errorf("replay candidate %d: %w", r.Trial, err)
		}
		if state.Rounds() {
			return usagef("%s holds candidates that round float32 to tf32: go on with --allow-tf32, or choose another --out", s.searchCommand.log)
		}
	}
	return nil
}
