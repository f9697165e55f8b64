package tune

import (
	"context"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// checkTF32 rejects Options.AllowTF32 where nothing would come of it.
func (s *Session) checkTF32() error {
	if !s.opt.AllowTF32 {
		return nil
	}
	return CanAllowTF32(s.machine.Target(), s.opt.Space)
}

// CanAllowTF32 says why Options.AllowTF32 does nothing for a target and a search space.
func CanAllowTF32(t target.Target, spaceName string) error {
	if t.Kind != target.CUDA {
		return Optionf(`--allow-tf32: %s has no tensor cores; it is for a GPU, as with --target "cuda -arch=sm_86"`, t.Kind)
	}
	tensor, err := space.HasTensorTiles(t.Kind, spaceName)
	if err != nil {
		return err
	}
	if !tensor {
		return Optionf("--allow-tf32: --space %s has no candidates for tensor cores", spaceName)
	}
	if t.Arch != "" && !t.HasTensorCores() {
		return Optionf("--allow-tf32: %s has no tensor cores that multiply tf32: they are there from sm_80 on", t)
	}
	return nil
}

// noteTF32 says so where --allow-tf32 changes nothing.
func (s *Session) noteTF32(ctx context.Context) error {
	if !s.opt.AllowTF32 {
		return nil
	}
	var sketches [2]int // without, and with
	for i, allowed := range []bool{false, true} {
		sp, err := space.Find(s.machine.Target().Kind, s.opt.Space, space.Config{Layout: s.opt.Layout, TF32: allowed})
		if err != nil {
			return err
		}
		source, err := sp.Open(ctx, &search.Task{DAG: s.task.DAG, Target: s.machine.Target()})
		if err != nil {
			return err
		}
		sketches[i] = source.Structures()
	}
	if sketches[0] == sketches[1] {
		s.say("--allow-tf32 changes nothing: tensor cores can compute no product of float32 of this workload, which would " +
			"have to be whole tiles (docs/design/search-space.md)")
	}
	return nil
}

// refuseTF32 rejects a session that goes on, without --allow-tf32, from a log with candidates that round to
// tf32: one of them might be handed over.
func (s *Session) refuseTF32() error {
	if s.opt.AllowTF32 {
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
		state, err := schedule.Replay(s.task.DAG, r.Steps)
		if err != nil {
			return fmt.Errorf("replay candidate %d: %w", r.Trial, err)
		}
		if state.Rounds() {
			return Optionf("%s holds candidates that round float32 to tf32: go on with --allow-tf32, or choose another --out",
				s.opt.Log)
		}
	}
	return nil
}
