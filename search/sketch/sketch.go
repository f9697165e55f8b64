// Package sketch makes the sketches of a compute DAG: states whose structure
// (inlining, caches, tiling, fusion, factored reductions) is chosen and whose
// tile sizes are still open. Rules are those of AutoScheduler ("Ansor", Zheng et
// al., OSDI 2020; src/auto_scheduler/search_policy/sketch_policy_rules.cc), in
// its order: with policies AutoScheduler and CUDA the same DAG gives the same
// sketches in the same order. CPU has another sketch of attention and of the
// inverse of a Winograd convolution, and CUDATensor and GPU add some that it has not.
//
// To add a rule, write its condition and its application and add a
// row to a target's table in policy.go.
//
// The package must not know how open sizes are filled (search/annotate), how
// states are ranked, or how long anything takes to run.
package sketch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

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

// maxSketches bounds the states under work: every product has three sketches or more on a
// CPU, so those of a DAG of seven are thousands. Where there are more, keptSketches
// of them go on. No workload of the suites comes near it.
const (
	maxSketches  = 1024
	keptSketches = 256
)

// Generate returns the sketches of d on a target under a policy, in the order in
// which AutoScheduler makes them; of more than a thousand a part, the same one each
// time. Open split lengths are schedule.OpenLength. The error says which rule failed at which stage, or is the
// context's once ctx is done.
//
// It walks the rules breadth first: each round advances every open state by one stage.
func Generate(ctx context.Context, p Policy, d *compute.DAG, t target.Target) ([]*schedule.State, error) {
	g := &Generator{Policy: p, Target: t}
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
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			derived, err := g.derive(n)
			if err != nil {
				return nil, err
			}
			next = append(next, derived...)
		}
		if all := len(next) + len(done); all > maxSketches {
			done, next = some(done, max(2, keptSketches*len(done)/all)), some(next, max(2, keptSketches*len(next)/all))
		}
		open = next
	}
	return done, nil
}

// some returns n items in their order, the first and the last among them if n is 2 or more. The others are
// drawn, since every k-th would have made the same choices at the stage before.
func some[T any](list []T, n int) []T {
	if len(list) <= n {
		return list
	}
	rng := rand.New(rand.NewPCG(uint64(len(list)), uint64(n)))
	chosen := []int{0, len(list) - 1}[:min(2, n)]
	for _, i := range rng.Perm(len(list) - len(chosen))[:n-len(chosen)] {
		chosen = append(chosen, i+1)
	}
	slices.Sort(chosen)
	kept := make([]T, n)
	for i, k := range chosen {
		kept[i] = list[k]
	}
	return kept
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
// known length; the choice belongs to the annotation. A number of parts stays.
//
//	SP 3 1 512 [1] => SP 3 1 512 [None]
//	RF 3 1 2          RF 3 1 2
//
// The loop structure of s is kept.
func openFactors(s *schedule.State) *schedule.State {
	steps := s.Steps
	for i := 1; i < len(s.Steps); i++ {
		sp, ok := s.Steps[i-1].(schedule.Split)
		if _, factors := s.Steps[i].(schedule.Rfactor); !ok || !factors || !sp.InnerToOuter {
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

// An edit applies steps to one stage of a state until one of them fails. After
// an error the other methods do nothing.
type edit struct {
	state *schedule.State
	stage int
	err   error
}

func (e *edit) apply(step schedule.Step) {
	if e.err != nil {
		return
	}
	s, err := e.state.Apply(step)
	if err != nil {
		e.err = err
		return
	}
	e.state = s
}

// iter returns an iterator of the stage as it is now.
func (e *edit) iter(i int) *schedule.Iterator { return e.state.Stages[e.stage].Iters[i] }

// split splits an iterator, by open lengths if they are 0, and returns the
// number of the step.
func (e *edit) split(iter int, lengths []int64) int {
	if e.err != nil {
		return 0
	}
	e.apply(schedule.Split{
		At: e.stage, Iter: iter, Extent: max(e.iter(iter).Extent, 0), Lengths: lengths, InnerToOuter: true,
	})
	return len(e.state.Steps) - 1
}

func (e *edit) reorder(order []int) { e.apply(schedule.Reorder{At: e.stage, Order: order}) }

// fuseReductions fuses all reduce loops of the stage into one, if they are
// several, and returns its position.
func (e *edit) fuseReductions() int {
	var reduce []int
	for i, it := range e.state.Stages[e.stage].Iters {
		if it.Kind == schedule.Reduction {
			reduce = append(reduce, i)
		}
	}
	if len(reduce) > 1 {
		e.apply(schedule.Fuse{At: e.stage, Iters: reduce})
	}
	return reduce[0]
}

// next returns the edited state as the only derived one.
func (e *edit) next(stage int) ([]Next, error) {
	if e.err != nil {
		return nil, e.err
	}
	return []Next{{e.state, stage}}, nil
}

// always is the condition of the last rule.
func always(*Generator, *schedule.State, int) Verdict { return Apply }

// skip leaves a stage as it is. It is the last rule, so it holds for stages
// that no rule above took for itself.
func skip(_ *Generator, s *schedule.State, stage int) ([]Next, error) {
	return []Next{{s, stage - 1}}, nil
}
