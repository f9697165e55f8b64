package trajectory

import (
	"fmt"
	"maps"
	"slices"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/tir/compact"
)

// A Use says what a part of a split has.
type Use struct {
	Split        string     `json:"split"`
	Part         split.Part `json:"part"`
	Tasks        int        `json:"tasks"`
	Trajectories int        `json:"trajectories"`
}

// Uses counts the tasks and trajectories of each part of each split.
func (s *Set) Uses() []Use {
	var list []Use
	for _, name := range split.Names() {
		for _, part := range split.All() {
			u := Use{Split: name, Part: part}
			for i := range s.tasks {
				if p, err := s.tasks[i].Split.By(name); err == nil && p == part {
					u.Tasks++
					u.Trajectories += s.tasks[i].Records
				}
			}
			list = append(list, u)
		}
	}
	return list
}

// Leaks says what is in two parts of a split and must not be. The units of the
// splits by task and by DAG are kept apart on each kind of target by itself: so
// are the families, the workload keys and the programs. Programs are the states of
// all records of a task, so a sentence here means that something which is tested
// with was learned from.
func (s *Set) Leaks() ([]string, error) {
	var found []string
	for _, by := range []struct {
		split string
		unit  func(t *Entry) string
	}{
		{"task", func(t *Entry) string { return "family " + t.Family + " on " + string(t.Target.Kind) }},
		{"task", func(t *Entry) string { return "workload " + t.WorkloadKey + " on " + string(t.Target.Kind) }},
		{"dag", func(t *Entry) string { return "DAG " + t.DAG + " on " + string(t.Target.Kind) }},
		{"target", func(t *Entry) string { return "target " + t.Target.String() }},
	} {
		parts := map[string]map[split.Part]bool{}
		for i := range s.tasks {
			t := &s.tasks[i]
			part, err := t.Split.By(by.split)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(split.All(), part) {
				found = append(found, fmt.Sprintf("task %d is in no part of the split by %s: %q", i, by.split, part))
			}
			unit := by.unit(t)
			if parts[unit] == nil {
				parts[unit] = map[split.Part]bool{}
			}
			parts[unit][part] = true
		}
		for _, unit := range slices.Sorted(maps.Keys(parts)) {
			if len(parts[unit]) > 1 {
				found = append(found, fmt.Sprintf("split by %s: %s is for %v", by.split, unit,
					slices.Sorted(maps.Keys(parts[unit]))))
			}
		}
	}
	states, err := s.leakedStates()
	return append(found, states...), err
}

// leakedStates finds programs that tasks of two parts have.
func (s *Set) leakedStates() ([]string, error) {
	var ids []compact.ID
	for st, err := range s.States() {
		if err != nil {
			return nil, err
		}
		ids = append(ids, st.ID)
	}
	var found []string
	for _, name := range []string{"task", "dag"} {
		type key struct {
			id   compact.ID
			kind string
		}
		first := map[key]int{} // task
		leaks, example := 0, ""
		for i := range s.tasks {
			t := &s.tasks[i]
			for _, id := range ids[t.FirstState : t.FirstState+t.States] {
				k := key{id, string(t.Target.Kind)}
				j, ok := first[k]
				if !ok {
					first[k] = i
					continue
				}
				a, _ := t.Split.By(name)
				if b, _ := s.tasks[j].Split.By(name); a != b {
					leaks++
					example = fmt.Sprintf("one of task %d for %s and of task %d for %s", j, b, i, a)
				}
			}
		}
		if leaks > 0 {
			found = append(found, fmt.Sprintf("split by %s: %d programs are in two parts, such as %s", name, leaks, example))
		}
	}
	return found, nil
}
