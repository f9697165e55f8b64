package main

import (
	"context"
	"fmt"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/tir/schedule"
)

// putFirst exports the first of states that is not refused, and returns why those before
// it are. If all are, so says the error.
func (s *searching) putFirst(ctx context.Context, states []*schedule.State) (refused []error, err error) {
	for _, state := range states {
		if err = s.output.putKernel(ctx, s.machine, s.w, state, s.layout); !machine.IsRejected(err) {
			return refused, err
		}
		s.progress.say("a kernel is passed over: %v", err)
		refused = append(refused, err)
	}
	return refused, fmt.Errorf("none of %d candidates can be built: %w", len(states), err)
}
