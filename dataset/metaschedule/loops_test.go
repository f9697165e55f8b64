package metaschedule

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
)

// TestLoops: the loops around each block are those that TVM makes of the trace (testdata/loops.py), in a file that is
// in a clone but in no module download.
func TestLoops(t *testing.T) {
	in, err := os.Open("../../lab/testdata/metaschedule/loops.txt")
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") == "" {
		t.Skip("SKIPPED: nobody checks that loops are TVM's: the oracle is in a clone of the repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	want, name := map[string][]string{}, ""
	for s := bufio.NewScanner(in); s.Scan(); {
		if line := s.Text(); strings.HasPrefix(line, " ") {
			want[name] = append(want[name], strings.TrimSpace(line))
		} else {
			name = line
			want[name] = nil
		}
	}
	equal, less := 0, 0
	for _, d := range databases(t) {
		for i, r := range d.records {
			name := fmt.Sprint(d.name, " ", i)
			w := d.workloads[r.Workload]
			state, _, err := w.State(r.Trace)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got := blockLoops(t, state)
			// TVM computes all of a padding on its own, a state what is read of it.
			for _, all := range [][2]string{{"pad 113p 113 64v", "pad 114p 114 64v"}, {"pad 57p 57 128", "pad 58p 58 128"}} {
				if i := slices.Index(got, all[0]); i >= 0 {
					got[i] = all[1]
					less++
				}
			}
			slices.Sort(got)
			slices.Sort(want[name])
			if !slices.Equal(got, want[name]) {
				t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want[name], "\n"))
				continue
			}
			equal++
		}
	}
	if equal != 944 || less > 9 {
		t.Errorf("%d records have the loops of TVM, but for %d paddings; want 944, but for 9", equal, less)
	}
}

// blockLoops prints the loops around each stage as loops.py does, stages by TVM's names.
func blockLoops(t *testing.T, of *schedule.State) []string {
	t.Helper()
	s, err := schedule.Replay(of.DAG, of.Steps)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.InferBound(); err != nil {
		t.Fatal(err)
	}
	if s.Signature() != of.Signature() {
		t.Errorf("its steps lead to another state:\n%s\nwas\n%s", s, of)
	}
	var list []string
	for i, st := range s.Stages {
		if st.Op.IsPlaceholder() || st.At == schedule.Inlined {
			continue
		}
		text := tvmName(s, i)
		for _, l := range around(s, i) {
			if l.Extent == 1 {
				continue
			}
			text += fmt.Sprint(" ", l.Extent)
			switch l.Ann {
			case schedule.Parallel:
				text += "p"
			case schedule.Vectorize:
				text += "v"
			}
		}
		list = append(list, text)
	}
	return list
}

// around returns the loops that a stage is in.
func around(s *schedule.State, stage int) []*schedule.Iterator {
	var list []*schedule.Iterator
	if at, ok := s.Attach.At(stage); ok {
		list = around(s, at.Stage)[:0:0]
		outer := around(s, at.Stage)
		own := len(s.Stages[at.Stage].Iters)
		list = append(list, outer[:len(outer)-own+at.Iter+1]...)
	}
	return append(list, s.Stages[stage].Iters...)
}

// tvmName returns the name that TVM gives the block of a stage.
func tvmName(s *schedule.State, i int) string {
	name := s.Stages[i].Op.Name
	for _, scope := range []string{".local", ".global"} {
		if computed, ok := strings.CutSuffix(name, scope); ok {
			return computed
		}
		if i > 0 && s.Stages[i-1].Op.Name == name+scope {
			return name + "_global"
		}
	}
	if rf, ok := strings.CutSuffix(name, ".rf"); ok {
		return rf + "_rf"
	}
	return strings.TrimSuffix(name, ".repl")
}

// BenchmarkState: states of the traces of a database, as a tuner asks for them.
func BenchmarkState(b *testing.B) {
	d := databases(b)
	var of *Workload
	var traces []*Trace
	for _, d := range d {
		if d.name == "r50-t6" {
			of = d.workloads[0]
			for _, r := range d.records {
				traces = append(traces, r.Trace)
			}
		}
	}
	for i := 0; b.Loop(); i++ {
		if _, _, err := of.State(traces[i%len(traces)]); err != nil {
			b.Fatal(err)
		}
	}
}
