package rivals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A fake is a contender that notes what is asked of it.
type fake struct {
	name   string
	cost   float64
	events *[]string
	awake  bool
	fails  string // the event at which it fails
	t      *testing.T
}

func (f *fake) Name() string { return f.name }

func (f *fake) note(event string) error {
	*f.events = append(*f.events, f.name+" "+event)
	if event == f.fails {
		return errors.New(event + " fails")
	}
	return nil
}

func (f *fake) Resume() error { f.awake = true; return f.note("on") }
func (f *fake) Pause() error  { f.awake = false; return f.note("off") }

func (f *fake) Prepare(_ context.Context, spec string) (string, error) {
	if !f.awake {
		f.t.Errorf("%s prepares while it is paused", f.name)
	}
	return "v1", f.note("prepare " + spec)
}

func (f *fake) Round(_ context.Context, s Sampling) ([]float64, error) {
	if !f.awake {
		f.t.Errorf("%s runs while it is paused", f.name)
	}
	list := make([]float64, s.Samples)
	for i := range list {
		list[i] = f.cost
	}
	return list, f.note("round")
}

func testPlan(rounds int) Plan {
	return Plan{Rounds: rounds, Sampling: Sampling{Samples: 2, MinSample: time.Millisecond, MaxTotal: time.Second}}
}

func silent(string) {}

// TestTakeTurns: one contender runs at a time, in the other order in each second
// round, and what one of them gets wrong does not disturb the others.
func TestTakeTurns(t *testing.T) {
	var events []string
	a, b, c := &fake{"a", 1, &events, false, "", t}, &fake{"b", 2, &events, false, "prepare x", t}, &fake{"c", 3, &events, false, "", t}
	times, err := TakeTurns(context.Background(), []Contender{a, b, c}, "x", testPlan(2), silent)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(events, ", ")
	want := "a on, a prepare x, a off, b on, b prepare x, b off, c on, c prepare x, c off, " +
		"a on, a round, a off, c on, c round, c off, c on, c round, c off, a on, a round, a off"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !times[0].OK() || times[0].Best() != 1 || len(times[0].Rounds) != 2 || len(times[0].Rounds[0]) != 2 || times[0].Version != "v1" {
		t.Errorf("a: %+v", times[0])
	}
	if times[1].OK() || times[1].Best() != 0 || !strings.Contains(times[1].Error, "prepare x fails") {
		t.Errorf("b: %+v", times[1])
	}
}

// TestTakeTurnsDrops: who fails in a round has no times, those before included,
// and no further turn.
func TestTakeTurnsDrops(t *testing.T) {
	var events []string
	a, b := &fake{"a", 1, &events, false, "", t}, &fake{"b", 2, &events, false, "round", t}
	times, err := TakeTurns(context.Background(), []Contender{a, b}, "x", testPlan(3), silent)
	if err != nil || len(times[0].Rounds) != 3 {
		t.Fatalf("%v, %+v", err, times[0])
	}
	if times[1].OK() || times[1].Rounds != nil || slices.Index(events, "b round") != len(events)-1-slices.Index(reversed(events), "b round") {
		t.Errorf("b: %+v, events %v", times[1], events)
	}
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// TestTakeTurnsCancelled: the end of the context is an error, not one of a contender.
func TestTakeTurnsCancelled(t *testing.T) {
	var events []string
	ctx, cancel := context.WithCancel(context.Background())
	told := func(doing string) {
		if doing == "round 2 of 3" {
			cancel()
		}
	}
	_, err := TakeTurns(ctx, []Contender{&fake{"a", 1, &events, false, "", t}}, "x", testPlan(3), told)
	if !errors.Is(err, context.Canceled) || strings.Count(fmt.Sprint(events), "round") != 1 {
		t.Errorf("%v, events %v", err, events)
	}
}
