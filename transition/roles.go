package transition

import (
	"slices"

	"github.com/wmtune/wmtune/tir/schedule"
)

// A Role says what a stage is for. A stage may have several.
type Role uint8

// The roles of stages.
const (
	Placeholder Role = iota
	Elementwise      // computes without a reduction
	Reduction
	CacheRead
	CacheWrite
	Rfactor
	Output
	Inlined
	roleCount
)

var roleNames = [roleCount]string{"placeholder", "elementwise", "reduction", "cache_read", "cache_write", "rfactor", "output", "inlined"}

func (r Role) String() string { return roleNames[r] }

// rolesOf returns the roles of a stage, in order.
func rolesOf(s *schedule.State, stage int) []Role {
	st := s.Stages[stage]
	if st.Op.IsPlaceholder() {
		return []Role{Placeholder}
	}
	list := []Role{Elementwise}
	if st.Op.Combine != nil {
		list[0] = Reduction
	}
	if made := madeBy(s.Steps)(stage); made < roleCount {
		list = append(list, made)
	}
	if s.IsOutput(stage) {
		list = append(list, Output)
	}
	if st.At == schedule.Inlined {
		list = append(list, Inlined)
	}
	return list
}

// madeBy returns a function that says which kind of step made a stage; roleCount
// for a stage of the DAG. Stages after a new one move by one.
func madeBy(steps []schedule.Step) func(stage int) Role {
	var at []int // stages that steps made, by their numbers now
	var roles []Role
	for _, step := range steps {
		stage, role := step.Stage(), roleCount
		switch step.Kind() {
		case schedule.CHR:
			stage, role = stage+1, CacheRead
		case schedule.CHW:
			role = CacheWrite
		case schedule.RF:
			role = Rfactor
		default:
			continue
		}
		for i := range at {
			if at[i] >= stage {
				at[i]++
			}
		}
		at, roles = append(at, stage), append(roles, role)
	}
	return func(stage int) Role {
		if i := slices.Index(at, stage); i >= 0 {
			return roles[i]
		}
		return roleCount
	}
}
