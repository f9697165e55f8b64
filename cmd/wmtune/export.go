package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/tir/schedule"
)

// An exported kernel is what a machine makes of a program for others to use.
type exported struct {
	files []build.File
	lacks string // which file could not be made, and why; "" if all could
	takes string // what it takes of a GPU; "" on a processor
}

// isRefused tells an error about the program, such as that it spills or takes too long
// to compile: another program may do.
func isRefused(err error) bool {
	var refused *refusedError
	var against *build.CompileError
	return errors.As(err, &refused) || errors.As(err, &against)
}

// putFirst exports the first of states that is not refused, and returns why those before
// it are. If all are, so says the error.
func (s *searching) putFirst(ctx context.Context, states []*schedule.State) (refused []error, err error) {
	for _, state := range states {
		if err = s.output.putKernel(ctx, s.machine, s.w, state, s.layout); !isRefused(err) {
			return refused, err
		}
		s.progress.say("a kernel is passed over: %v", err)
		refused = append(refused, err)
	}
	return refused, fmt.Errorf("none of %d candidates can be built: %w", len(states), err)
}
