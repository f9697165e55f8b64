package compile

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A turner is a timer that finds the reverse order in turns. What fails there is its fault.
type turner struct {
	timer
	fails bool
	turns int
	again func() // called in turns; may be nil
}

func (m *turner) Runner() machine.Runner { return m }

func (m *turner) Modes() measure.Modes { return measure.Modes{InTurns: m.Remeasure} }

func (m *turner) Remeasure(
	_ context.Context, in []measure.Input, _ []measure.BuildResult,
) ([]measure.Result, error) {
	m.turns++
	if m.again != nil {
		m.again()
	}
	if m.fails {
		return nil, errors.New("the machine burns")
	}
	list := make([]measure.Result, len(in))
	for i := range in {
		list[i] = measure.Result{Status: measure.OK, Costs: []float64{1 / float64(i+1)}}
	}
	return list, nil
}

// TestTuneFinals: the kernel of the heaviest task is the one that won in turns, in later compilations too, until a
// record is faster than all that took part.
func TestTuneFinals(t *testing.T) {
	db := openTestDatabase(t)
	m := &turner{}
	tasks, r, err := tuneProducts(t.Context(), db, func(s *scheduler) { s.machine, s.trials = m, 60 })
	if err != nil || m.turns == 0 {
		t.Fatalf("%d comparisons, %v", m.turns, err)
	}
	heavy := slices.MaxFunc(r.Tasks, func(a, b TaskTuning) int {
		return int(float64(a.Weight)*a.ToUS - float64(b.Weight)*b.ToUS)
	}).Name
	k := tasks[slices.IndexFunc(tasks, func(k *Task) bool { return k.Name == heavy })]
	records, err := db.Records(k.Text, m.Target(), target.Rewrite)
	if err != nil {
		t.Fatal(err)
	}
	best := fastest(records)
	if k.Source != Tuned || k.Steps == string(schedule.FormatSteps(best.Steps)) {
		t.Errorf("%s: the fastest record was taken, which lost in turns", k.Source)
	}

	again, _, err := tuneProducts(t.Context(), db, func(s *scheduler) { s.machine = m })
	if err != nil {
		t.Fatal(err)
	}
	same := again[slices.Index(tasks, k)]
	if same.Source != FromDatabase || same.Steps != k.Steps {
		t.Errorf("%s %s instead of the winner of before, %s", same.Source, same.Steps, k.Steps)
	}

	s := &scheduler{machine: m, db: db, tell: silent{}}
	lines := s.compared(k)
	if len(lines) < 2 || lines[0] != k.Steps {
		t.Fatalf("compared: %q", lines)
	}
	if first := string(schedule.FormatSteps(records[0].Steps)); !slices.Contains(lines, first) {
		t.Errorf("compared: %q, and not the first choice, %s", lines, first)
	}
	db.Put("final", s.finalKey(k), []byte(k.Steps)) // the fastest record is a new one
	if !s.recorded(k) || k.Steps != string(schedule.FormatSteps(best.Steps)) {
		t.Errorf("%s instead of a record that is faster than all that were compared", k.Steps)
	}
}

// TestTuneFinalsLeft: what was not compared is compared by a later compilation, though it measures nothing new, and not
// by the one after it. Times of a task are those that were measured in turns.
func TestTuneFinalsLeft(t *testing.T) {
	db, stop := openTestDatabase(t), make(chan struct{})
	for i, compared := range []int{1, 2, 0} {
		m := &turner{}
		if i == 0 {
			m.again = sync.OnceFunc(func() { close(stop) })
		}
		_, r, err := tuneProducts(t.Context(), db, func(s *scheduler) {
			s.machine, s.time = m, time.Hour
			if s.trials = 60; i == 0 {
				s.stop = stop
			}
		})
		if i == 0 && !errors.Is(err, ErrStopped) || i > 0 && (err != nil || r.New != 0) || m.turns != compared {
			t.Fatalf("compilation %d: %d comparisons, not %d; %d new trials, %v", i, m.turns, compared, r.New, err)
		}
		inTurns := slices.DeleteFunc(slices.Clone(r.Tasks), func(k TaskTuning) bool { return k.ToUS < 1e4 })
		if len(inTurns) != compared {
			t.Errorf("compilation %d: times in turns of %d tasks, not %d: %+v", i, len(inTurns), compared, r.Tasks)
		}
		for _, k := range inTurns {
			if k.FromUS < k.ToUS {
				t.Errorf("compilation %d, %s: from %v us to %v", i, k.Name, k.FromUS, k.ToUS)
			}
		}
	}
}

// TestTuneFinalsStopped: who stops the work while the best candidates are compared gets no bundle, and is told so.
func TestTuneFinalsStopped(t *testing.T) {
	stop := make(chan struct{})
	m := &turner{again: sync.OnceFunc(func() { close(stop) })}
	_, _, err := tuneProducts(t.Context(), openTestDatabase(t), func(s *scheduler) {
		s.machine, s.trials, s.stop = m, 60, stop
	})
	if m.turns != 1 || !errors.Is(err, ErrStopped) {
		t.Errorf("%d comparisons, %v", m.turns, err)
	}
}

// TestTuneFinalsFail: a machine that fails at the end spoils nothing.
func TestTuneFinalsFail(t *testing.T) {
	said := &saying{}
	tasks, _, err := tuneProducts(t.Context(), openTestDatabase(t), func(s *scheduler) {
		s.machine, s.trials, s.tell = &turner{fails: true}, 24, said
	})
	if err != nil || len(said.lines) == 0 {
		t.Fatalf("%v, said %q", err, said.lines)
	}
	for _, k := range tasks {
		if k.searches() && k.Source != Tuned {
			t.Errorf("task %s: %s", k.Name, k.Source)
		}
	}
}
