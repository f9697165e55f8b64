package trajectory_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/tir/compute"
)

// TestLeaks moves tasks to other parts, one split after the other, and looks for
// the sentence.
func TestLeaks(t *testing.T) {
	dir := t.TempDir()
	build(t, options(sampleLogs(t, dir, 10), filepath.Join(dir, "data")))
	s, err := trajectory.Open(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if leaks, err := s.Leaks(); err != nil || len(leaks) > 0 {
		t.Errorf("%v %v", leaks, err)
	}
	sum := 0
	for _, u := range s.Uses() {
		sum += u.Trajectories
	}
	if sum != 3*100 {
		t.Errorf("parts of three splits have %d trajectories", sum)
	}
	// Two batch variants on one target.
	var a, b *trajectory.Entry
	tasks := s.Tasks()
	for i := range tasks {
		for j := range tasks[:i] {
			x, y := &tasks[i], &tasks[j]
			if x.Family == y.Family && x.Target.String() == y.Target.String() && x.WorkloadKey != y.WorkloadKey {
				a, b = x, y
			}
		}
	}
	if a == nil {
		t.Fatal("no batch variants among the samples")
	}
	other := func(p split.Part) split.Part {
		if p == split.Train {
			return split.Test
		}
		return split.Train
	}
	for want, change := range map[string]func(p *split.Parts){
		"split by task: family ":   func(p *split.Parts) { p.Task = other(p.Task) },
		"split by dag: DAG ":       func(p *split.Parts) { p.DAG = other(p.DAG) },
		"split by target: target ": func(p *split.Parts) { p.Target = other(p.Target) },
		"is in no part":            func(p *split.Parts) { p.Task = "" },
	} {
		p := b.Split
		change(&p)
		s.SetParts(b.Number, p)
		leaks, err := s.Leaks()
		if err != nil || !strings.Contains(strings.Join(leaks, "\n"), want) {
			t.Errorf("%q: %v %v", want, leaks, err)
		}
		units := slices.DeleteFunc(leaks, func(l string) bool {
			return !strings.HasPrefix(l, "split by dag: ") || !strings.Contains(l, " is for ")
		})
		if len(units) > 1 {
			t.Errorf("one unit is said more than once: %q", units)
		}
		s.SetParts(b.Number, b.Split)
	}
}

// TestLeakedStates: a program of two tasks in two parts is a leak, even if nothing
// else is.
func TestLeakedStates(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log.arrow")
	// Two names of one computation: the workload keys differ, the programs do not.
	records := sampleRecords("matmul:m=32,n=32,k=32", cpu, 4, 1)
	d, err := dagOf(records[0].Workload)
	if err != nil {
		t.Fatal(err)
	}
	other, err := compute.Parse(strings.ReplaceAll(d.Text(), d.Tensors[0].Name, "other"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range sampleRecords("matmul:m=32,n=32,k=32", cpu, 4, 2) {
		r.Workload, r.WorkloadKey = other.Text(), other.WorkloadKey()
		records = append(records, r)
	}
	writeLog(t, log, records)
	opts := options([]string{log}, filepath.Join(dir, "data"))
	opts.DAG = nil
	build(t, opts)
	s, err := trajectory.Open(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.SetParts(0, split.Parts{Task: split.Train, DAG: split.Train, Target: split.Train})
	s.SetParts(1, split.Parts{Task: split.Test, DAG: split.Train, Target: split.Train})
	leaks, err := s.Leaks()
	const want = "programs are in two parts, such as one of task 0 for train and of task 1 for test"
	if err != nil || !strings.Contains(strings.Join(leaks, "\n"), want) {
		t.Errorf("%v %v", leaks, err)
	}
}
