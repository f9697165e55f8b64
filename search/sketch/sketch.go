package sketch

import (
	"fmt"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A Rule derives states from a state by deciding on one of its stages. Rules
// see stages from the outputs to the inputs, so the readers of a stage are
// decided before it.
type Rule struct {
	Name  string
	When  func(g *Generator, s *schedule.State, stage int) Verdict
	Apply func(g *Generator, s *schedule.State, stage int) ([]Next, error)
}

// A Verdict says what to do with a rule at a stage. The zero value is Skip.
type Verdict uint8

// The verdicts on a rule.
const (
	Skip             Verdict = iota
	Apply                    // derive states, and try the rules below as well
	ApplyAndSkipRest         // derive states; the rules below are not tried
)

// A Next is a derived state and the stage to look at next in it; below 0 the
// state is a sketch.
type Next struct {
	State *schedule.State
	Stage int
}

// A Generator is what rules know of the task besides the state.
type Generator struct {
	Policy
	Target target.Target
}

// maxSketches bounds the states under work: a DAG of many stages with several
// choices each would otherwise grow without end. No workload of the suites
// comes near it.
const maxSketches = 4096

// Generate returns the sketches of d on a target under a policy, in the order in
// which AutoScheduler makes them. Open split lengths are schedule.OpenLength. The
// error says which rule failed at which stage, or that d has more than a few
// thousand sketches.
func Generate(p Policy, d *compute.DAG, t target.Target) ([]*schedule.State, error) {
	return (&Generator{Policy: p, Target: t}).Sketches(d)
}

// Sketches walks the rules breadth first: each round advances every open state
// by one stage.
func (g *Generator) Sketches(d *compute.DAG) ([]*schedule.State, error) {
	initial := schedule.New(d)
	open := []Next{{initial, len(initial.Stages) - 1}}
	var done []*schedule.State
	for len(open) > 0 {
		var next []Next
		for _, n := range open {
			if n.Stage < 0 {
				done = append(done, openFactors(n.State))
				continue
			}
			derived, err := g.derive(n)
			if err != nil {
				return nil, err
			}
			next = append(next, derived...)
		}
		if len(next)+len(done) > maxSketches {
			return nil, fmt.Errorf("sketch: the workload has more than %d sketches; split it into smaller ones", maxSketches)
		}
		open = next
	}
	return done, nil
}

// derive applies the rules to one state at one stage.
func (g *Generator) derive(n Next) ([]Next, error) {
	var derived []Next
	for _, r := range g.Rules {
		v := r.When(g, n.State, n.Stage)
		if v == Skip {
			continue
		}
		list, err := r.Apply(g, n.State, n.Stage)
		if err != nil {
			return nil, fmt.Errorf("sketch: rule %s at stage %s: %w", r.Name, n.State.Stages[n.Stage].Op.Name, err)
		}
		derived = append(derived, list...)
		if v == ApplyAndSkipRest {
			break
		}
	}
	return derived, nil
}

// openFactors returns s with the length of every split before a Rfactor open.
// The rule had to choose one to go on, since a reduction is factored by a
// known length; the choice belongs to the annotation.
//
//	SP 3 1 512 [1] => SP 3 1 512 [None]
//	RF 3 1 2          RF 3 1 2
//
// The loop structure of s is kept.
func openFactors(s *schedule.State) *schedule.State {
	steps := s.Steps
	for i := 1; i < len(s.Steps); i++ {
		sp, ok := s.Steps[i-1].(schedule.Split)
		if _, factors := s.Steps[i].(schedule.Rfactor); !ok || !factors {
			continue
		}
		if &steps[0] == &s.Steps[0] {
			steps = append([]schedule.Step(nil), s.Steps...)
		}
		sp.Lengths = []int64{schedule.OpenLength}
		steps[i-1] = sp
	}
	out := *s
	out.Steps = steps
	return &out
}
