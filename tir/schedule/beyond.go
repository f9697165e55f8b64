package schedule

import (
	"slices"
	"strings"
)

// Beyond reports whether a step takes a decision that no search of AutoScheduler's
// takes, so that nothing trained on its records knows what it is worth: how a buffer is
// padded, and whether there are two of it.
func Beyond(s Step) bool {
	p, ok := s.(Pragma)
	return s.Kind() == SA || ok && strings.HasPrefix(p.Text, bufferPragma)
}

// Conventional returns the state of the steps of s that are not Beyond, with bounds; s
// itself if all are. It computes the same, but that products by instructions are of groups in it, and is what a scorer
// that was trained on AutoScheduler's records can tell of s.
func Conventional(s *State, g *Groups) (*State, error) {
	if slices.ContainsFunc(s.Steps, Beyond) {
		var err error
		if s, err = ReplayBound(s.DAG, Without(s.Steps, func(i int) bool { return Beyond(s.Steps[i]) })); err != nil {
			return nil, err
		}
	}
	return g.plain(s)
}

// Extras counts the steps that are Beyond.
func Extras(steps []Step) int {
	n := 0
	for _, s := range steps {
		if Beyond(s) {
			n++
		}
	}
	return n
}

// Without returns the steps except those whose numbers are gone, none of which another
// step follows. Steps that follow others get their new numbers.
func Without(steps []Step, gone func(i int) bool) []Step {
	to := make([]int, len(steps))
	var kept []Step
	for i, s := range steps {
		to[i] = len(kept)
		if !gone(i) {
			kept = append(kept, s)
		}
	}
	return renumbered(kept, func(i int) int { return to[i] })
}

// Insert returns the steps with one more, which gets number at. Steps that follow
// others get their new numbers.
func Insert(steps []Step, at int, s Step) []Step {
	return slices.Insert(renumbered(steps, func(i int) int {
		if i >= at {
			i++
		}
		return i
	}), at, s)
}

// renumbered returns the steps with other numbers of the steps that they follow.
func renumbered(steps []Step, number func(int) int) []Step {
	list := slices.Clone(steps)
	for i, s := range list {
		switch s := s.(type) {
		case FollowSplit:
			s.Src = number(s.Src)
			list[i] = s
		case FollowFusedSplit:
			s.Srcs = slices.Clone(s.Srcs)
			for k, src := range s.Srcs {
				s.Srcs[k] = number(src)
			}
			list[i] = s
		}
	}
	return list
}
