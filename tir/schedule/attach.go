package schedule

import "slices"

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
