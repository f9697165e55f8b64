package schedule

import (
	"fmt"
	"slices"
)

// An AttachMap holds which stages are computed inside which loops.
type AttachMap struct {
	target []IterKey    // by stage: the loop it is computed in; Stage is atNone if none. Nil: no stage is in a loop
	inside [][]attached // by stage: its loops with stages inside
}

// An attached is a loop of a stage and the stages computed in it, in order of attachment.
type attached struct {
	iter   int
	stages []int
}

const atNone = -1

// At returns the loop in which a stage is computed, if it is computed in one.
func (m AttachMap) At(stage int) (IterKey, bool) {
	if m.target == nil || m.target[stage].Stage == atNone {
		return IterKey{}, false
	}
	return m.target[stage], true
}

// Inside returns the stages that are computed in a loop, in order of attachment. The list
// must not be changed.
func (m AttachMap) Inside(stage, iter int) []int {
	if m.inside == nil {
		return nil
	}
	for _, a := range m.inside[stage] {
		if a.iter == iter {
			return a.stages
		}
	}
	return nil
}

// clone returns a copy for a state of so many stages.
func (m AttachMap) clone(stages int) AttachMap {
	if m.target == nil {
		return AttachMap{slices.Repeat([]IterKey{{Stage: atNone}}, stages), make([][]attached, stages)}
	}
	return AttachMap{slices.Clone(m.target), slices.Clone(m.inside)}
}

// set moves stage into the loop named by k.
func (m AttachMap) set(stage int, k IterKey) {
	m.remove(stage)
	m.target[stage] = k
	list := slices.Clone(m.inside[k.Stage])
	i := slices.IndexFunc(list, func(a attached) bool { return a.iter == k.Iter })
	if i < 0 {
		list = append(list, attached{iter: k.Iter, stages: []int{stage}})
	} else {
		list[i].stages = append(slices.Clip(list[i].stages), stage)
	}
	m.inside[k.Stage] = list
}

// remove takes stage out of the loop that it is in, if any.
func (m AttachMap) remove(stage int) {
	k, ok := m.At(stage)
	if !ok {
		return
	}
	m.target[stage] = IterKey{Stage: atNone}
	var list []attached
	for _, a := range m.inside[k.Stage] {
		if a.iter == k.Iter {
			a.stages = slices.DeleteFunc(slices.Clone(a.stages), func(s int) bool { return s == stage })
		}
		if len(a.stages) > 0 {
			list = append(list, a)
		}
	}
	m.inside[k.Stage] = list
}

// mapIters renumbers the iterators of one stage.
func (m AttachMap) mapIters(stage int, to func(iter int) int) {
	list := slices.Clone(m.inside[stage])
	for i := range list {
		list[i].iter = to(list[i].iter)
		for _, s := range list[i].stages {
			m.target[s] = IterKey{stage, list[i].iter}
		}
	}
	m.inside[stage] = list
}

// shifted returns the map after stages from first on have moved by one.
func (m AttachMap) shifted(first int) AttachMap {
	if m.target == nil {
		return m
	}
	to := func(s int) int {
		if s >= first {
			return s + 1
		}
		return s
	}
	c := AttachMap{}.clone(len(m.target) + 1)
	for s, k := range m.target {
		if k.Stage != atNone {
			k.Stage = to(k.Stage)
		}
		c.target[to(s)] = k
		for _, a := range m.inside[s] {
			moved := make([]int, len(a.stages))
			for i, inside := range a.stages {
				moved[i] = to(inside)
			}
			c.inside[to(s)] = append(c.inside[to(s)], attached{a.iter, moved})
		}
	}
	return c
}

// hasInside reports whether any stage is computed in a loop of stage.
func (m AttachMap) hasInside(stage int) bool { return m.inside != nil && len(m.inside[stage]) > 0 }

func (s ComputeAt) apply(b *builder) error {
	st, err := b.computed(s.At)
	if err != nil {
		return err
	}
	target, _, err := b.iterator(s.Target, s.TargetIter)
	if err != nil {
		return err
	}
	switch {
	case b.isOutput(st):
		return fmt.Errorf("stage %s is an output: it must be computed at the root", st.Op.Name)
	case target.At == Inlined:
		return fmt.Errorf("stage %s is inlined: it has no loops", target.Op.Name)
	}
	for t := s.Target; ; {
		if t == s.At {
			return fmt.Errorf("stage %s would be computed inside itself", st.Op.Name)
		}
		k, ok := b.s.Attach.At(t)
		if !ok {
			break
		}
		t = k.Stage
	}
	if s.Target < s.At { // nothing there reads it
		return fmt.Errorf("stage %s comes after %s: it must be computed in a later stage", st.Op.Name, target.Op.Name)
	}
	st = b.stage(s.At)
	if st.At == Inlined {
		b.reflow()
	}
	st.forgetExtents()
	st.At = AtIter
	b.attach().set(s.At, IterKey{s.Target, s.TargetIter})
	return b.checkNesting()
}

func (s ComputeInline) apply(b *builder) error {
	st, err := b.computed(s.At)
	if err != nil {
		return err
	}
	switch {
	case b.isOutput(st):
		return fmt.Errorf("stage %s is an output: it cannot be inlined", st.Op.Name)
	case st.Op.Combine != nil:
		return fmt.Errorf("stage %s reduces: it cannot be inlined", st.Op.Name)
	case b.s.Attach.hasInside(s.At):
		return fmt.Errorf("stage %s has stages attached in it", st.Op.Name)
	}
	if st.At == Inlined {
		return nil
	}
	if st.At == AtIter {
		b.attach().remove(s.At)
	}
	b.stage(s.At).At = Inlined
	b.reflow()
	return nil
}

func (s ComputeRoot) apply(b *builder) error {
	if _, err := b.computed(s.At); err != nil {
		return err
	}
	return b.moveToRoot(s.At)
}

func (b *builder) moveToRoot(stage int) error {
	st := b.stage(stage)
	switch st.At {
	case AtIter:
		b.attach().remove(stage)
	case Inlined:
		b.reflow()
	}
	st.At = AtRoot
	st.forgetExtents()
	return b.checkNesting()
}

// isOutput reports whether a stage computes a result of the program.
func (b *builder) isOutput(st *Stage) bool {
	for _, out := range b.s.DAG.Results() {
		for _, r := range st.Op.Results {
			if r == out {
				return true
			}
		}
	}
	return false
}

// checkNesting returns an error if a stage is attached in a loop and one that
// reads it is computed outside of that loop.
func (b *builder) checkNesting() error {
	if b.s.Attach.target == nil {
		return nil
	}
	for i, readers := range b.s.dataflow().readers {
		at, ok := b.s.Attach.At(i)
		if !ok {
			continue
		}
		for _, r := range readers {
			if !b.s.encloses(at, r) {
				target := b.s.Stages[at.Stage]
				return fmt.Errorf("stage %s, which reads %s, would not be computed inside iterator %s of stage %s",
					b.s.Stages[r].Op.Name, b.s.Stages[i].Op.Name, target.Iters[at.Iter].Name, target.Op.Name)
			}
		}
	}
	return nil
}

// encloses reports whether stage is computed inside the loop named by k.
func (s *State) encloses(k IterKey, stage int) bool {
	for {
		if stage == k.Stage {
			return true
		}
		at, ok := s.Attach.At(stage)
		if !ok {
			return false
		}
		if at.Stage == k.Stage {
			return at.Iter >= k.Iter
		}
		stage = at.Stage
	}
}
