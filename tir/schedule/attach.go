package schedule

import (
	"maps"
	"slices"
)

// At returns the loop in which a stage is computed, if it is computed in one.
func (m AttachMap) At(stage int) (IterKey, bool) {
	k, ok := m.Target[stage]
	return k, ok
}

func (m AttachMap) clone() AttachMap {
	c := AttachMap{Target: maps.Clone(m.Target), Inside: maps.Clone(m.Inside)}
	if c.Target == nil {
		c.Target = map[int]IterKey{}
		c.Inside = map[IterKey][]int{}
	}
	return c
}

// set moves stage into the loop named by k.
func (m AttachMap) set(stage int, k IterKey) {
	m.remove(stage)
	m.Target[stage] = k
	m.Inside[k] = append(slices.Clip(m.Inside[k]), stage)
}

// remove takes stage out of the loop that it is in, if any.
func (m AttachMap) remove(stage int) {
	k, ok := m.Target[stage]
	if !ok {
		return
	}
	delete(m.Target, stage)
	rest := slices.DeleteFunc(slices.Clone(m.Inside[k]), func(s int) bool { return s == stage })
	if len(rest) == 0 {
		delete(m.Inside, k)
		return
	}
	m.Inside[k] = rest
}

// mapIters renumbers the iterators of one stage.
func (m AttachMap) mapIters(stage int, to func(iter int) int) {
	moved := map[IterKey][]int{}
	for k, inside := range m.Inside {
		if k.Stage == stage && to(k.Iter) != k.Iter {
			delete(m.Inside, k)
			moved[IterKey{stage, to(k.Iter)}] = inside
		}
	}
	for k, inside := range moved {
		m.Inside[k] = inside
		for _, s := range inside {
			m.Target[s] = k
		}
	}
}

// shifted returns the map after stages from first on have moved by one.
func (m AttachMap) shifted(first int) AttachMap {
	to := func(s int) int {
		if s >= first {
			return s + 1
		}
		return s
	}
	c := AttachMap{Target: make(map[int]IterKey, len(m.Target)), Inside: make(map[IterKey][]int, len(m.Inside))}
	for s, k := range m.Target {
		c.Target[to(s)] = IterKey{to(k.Stage), k.Iter}
	}
	for k, inside := range m.Inside {
		list := make([]int, len(inside))
		for i, s := range inside {
			list[i] = to(s)
		}
		c.Inside[IterKey{to(k.Stage), k.Iter}] = list
	}
	return c
}

// hasInside reports whether any stage is computed in a loop of stage.
func (m AttachMap) hasInside(stage int) bool {
	for _, k := range m.Target {
		if k.Stage == stage {
			return true
		}
	}
	return false
}
