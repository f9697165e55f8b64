package lower_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// orders are those in which a host runs threads.
var orders = []lower.Order{lower.Forward, lower.Backward}

// TestRandomOnHost has random GPU programs split for a CPU, and compares what they
// compute with the DAG's definition.
func TestRandomOnHost(t *testing.T) {
	var seen struct{ barriers, loops, own int }
	failed := 0
	for seed := *firstSeed; seed < *firstSeed+uint64(*programs); seed++ {
		f, err := tryOnHost(seed)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			if failed++; failed >= 5 {
				t.Fatal("too many failures")
			}
			continue
		}
		barriers, inLoops := barriersOf(f)
		seen.barriers += min(1, barriers)
		seen.loops += min(1, inLoops)
	}
	t.Logf("%d programs, %d with barriers, %d with barriers in loops", *programs, seen.barriers, seen.loops)
	if seen.barriers < *programs/10 || seen.loops < *programs/20 {
		t.Errorf("of %d programs %d have barriers, %d in loops: the test says too little of them", *programs, seen.barriers, seen.loops)
	}
}

// barriersOf counts the barriers of f, and those in loops of a thread.
func barriersOf(f *tir.Func) (all, inLoops int) {
	tir.Visit(f.Body, func(s tir.Stmt) bool {
		if _, ok := s.(*tir.Barrier); ok {
			all++
		}
		if l, ok := s.(*tir.For); ok && l.Kind != tir.ThreadBound {
			n, _ := barriersOf(&tir.Func{Body: l.Body})
			inLoops += n
		}
		return true
	})
	return all, inLoops
}

func tryOnHost(seed uint64) (*tir.Func, error) {
	r := rand.New(rand.NewPCG(seed, 1))
	kind, d := tirtest.RandomDAG(r)
	args := tirtest.Args(r, d)
	want := clone(args)
	if err := interp.RunDAG(d, want); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	steps := tirtest.RandomGPUSteps(r, d, 1+r.IntN(*maxSteps))
	s, err := schedule.Replay(d, steps)
	if err != nil {
		return nil, err
	}
	f, err := lower.Lower(s, config)
	if err != nil {
		return nil, err
	}
	if err := compareOnHost(f, s, args, want); err != nil {
		return nil, fmt.Errorf("%s, steps %s: %w\n%s", kind, schedule.FormatSteps(steps), err, f)
	}
	return f, nil
}

// compareOnHost runs what OnHost makes of f in both orders.
func compareOnHost(f *tir.Func, s *schedule.State, args, want []*interp.Tensor) error {
	for _, order := range orders {
		g, err := lower.OnHost(f, order)
		if err != nil {
			return err
		}
		got := clone(args)
		err = tir.Check(g)
		if err == nil {
			err = tir.CheckLoops(g)
		}
		if err == nil {
			err = interp.Run(g, got, interp.Options{Races: true})
		}
		if err == nil {
			err = compareOutputs(s.DAG, got, want)
		}
		if err != nil {
			return fmt.Errorf("order %d: %w\n%s", order, err, g)
		}
	}
	return nil
}
