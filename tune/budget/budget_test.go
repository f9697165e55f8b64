package budget

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// report reports trials of a task.
func report(s *Scheduler, task int, seconds ...float64) {
	for _, x := range seconds {
		s.Report(task, x)
	}
}

func same(n int, seconds float64) []float64 { return slices.Repeat([]float64{seconds}, n) }

// TestTerms: each term of the gradient decides where the others are equal.
func TestTerms(t *testing.T) {
	heavy := Work{Weight: 3, FLOPs: 1e9, Bytes: 1e6}
	light := Work{Weight: 1, FLOPs: 1e9, Bytes: 1e6}
	for _, c := range []struct {
		name  string
		tasks []Work
		past  func(s *Scheduler)
		want  Choice
	}{
		{"a task without a trial is first, the one that takes most of the model before others", []Work{light, light, heavy},
			func(s *Scheduler) { report(s, 0, 1e-3) }, Choice{2, 4, First}},
		{"weight", []Work{light, heavy}, func(s *Scheduler) {
			report(s, 0, same(16, 1e-3)...)
			report(s, 1, same(16, 1e-3)...)
		}, Choice{1, 16, Limit}},
		{"few rounds", []Work{light, light}, func(s *Scheduler) {
			report(s, 0, same(160, 1e-3)...)
			report(s, 1, same(128, 1e-3)...)
		}, Choice{1, 16, Guess}},
		{"the machine's limit is near", []Work{light, {Weight: 1, FLOPs: 1e8}}, func(s *Scheduler) {
			report(s, 0, same(16, 1e-3)...)
			report(s, 1, same(64, 0.9e-3)...) // ten times as slow per FLOP
		}, Choice{1, 16, Guess}},
		{"bytes are a limit, too", []Work{{Weight: 1, FLOPs: 1e3, Bytes: 1e7}, {Weight: 1, FLOPs: 1e3, Bytes: 1e6},
			{Weight: 0.1, FLOPs: 1e9, Bytes: 1e6}}, func(s *Scheduler) {
			report(s, 0, same(64, 1.01e-3)...)
			report(s, 1, same(64, 1e-3)...)
			report(s, 2, same(64, 1e-3)...)
		}, Choice{1, 16, Guess}},
		{"the fall after the first candidate says nothing", []Work{light, {Weight: 1.1, FLOPs: 1e9, Bytes: 1e6}},
			func(s *Scheduler) {
				report(s, 0, slices.Concat(same(8, 100e-3), same(48, 1e-3))...)
				report(s, 1, same(56, 1e-3)...)
			}, Choice{1, 16, Limit}},
		{"failures are no times", []Work{light, light}, func(s *Scheduler) {
			report(s, 0, same(64, 0)...)
			report(s, 1, same(128, 1e-3)...)
		}, Choice{1, 16, Guess}},
		{"a task whose space is exhausted is out", []Work{light, heavy}, func(s *Scheduler) {
			report(s, 0, same(64, 1e-3)...)
			report(s, 1, same(16, 1e-3)...)
			s.Exhausted(1)
		}, Choice{0, 16, Limit}},
		{"a task that has converged waits", []Work{light, heavy}, func(s *Scheduler) {
			report(s, 0, slices.Concat(same(200, 1e-3), same(8, 0.9e-3))...)
			report(s, 1, same(208, 1e-3)...)
		}, Choice{0, 16, Guess}},
		{"until all have", []Work{light, heavy}, func(s *Scheduler) {
			report(s, 0, same(208, 1e-3)...)
			report(s, 1, same(208, 1e-3)...)
		}, Choice{1, 16, Rest}},
	} {
		s := New(c.tasks, Options{First: 4, Round: 16, Explore: -1})
		c.past(s)
		if got, ok := s.Next(1000); !ok || got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestSimilar: a task that is slower per FLOP than one that is like it is hoped to come near to that.
func TestSimilar(t *testing.T) {
	task := func(like string) Work { return Work{Weight: 1, FLOPs: 1e9, Like: like} }
	tasks := []Work{task("a"), task("a"), task("b")}
	s := New(tasks, Options{Round: 16, Explore: -1})
	report(s, 0, same(160, 1e-4)...)
	report(s, 1, same(160, 1e-3)...)
	report(s, 2, same(160, 1e-3)...)
	if got, ok := s.Next(16); !ok || got != (Choice{1, 16, Similar}) {
		t.Errorf("got %+v", got)
	}
	report(s, 1, same(16, 1e-3)...) // it had more rounds than the similar task, and did not get there
	if got, ok := s.Next(16); !ok || got.Why == Similar {
		t.Errorf("got %+v", got)
	}
}

// TestSlope: a task that became faster in its last rounds is expected to go on.
func TestSlope(t *testing.T) {
	s := New([]Work{{Weight: 1, FLOPs: 1e9}, {Weight: 1, FLOPs: 1e9}}, Options{Round: 1, Explore: -1})
	report(s, 0, same(8, 1e-3)...)
	report(s, 1, slices.Concat(same(5, 9e-3), same(3, 1e-3))...)
	if got, ok := s.Next(1); !ok || got != (Choice{1, 1, Slope}) {
		t.Errorf("got %+v", got)
	}
}

// TestPerSecond: where time is the budget, a round of a task whose candidates take long must bring more.
func TestPerSecond(t *testing.T) {
	for _, perSecond := range []bool{false, true} {
		tasks := []Work{{Weight: 2, FLOPs: 1e9}, {Weight: 1, FLOPs: 1e9}}
		s := New(tasks, Options{Round: 4, Explore: -1, PerSecond: perSecond})
		report(s, 0, same(8, 1e-3)...)
		report(s, 1, same(8, 1e-3)...)
		s.Took(0, 8, 40)
		s.Took(1, 8, 1)
		want := 0
		if perSecond {
			want = 1
		}
		if got, ok := s.Next(4); !ok || got.Task != want {
			t.Errorf("per second %v: got %+v", perSecond, got)
		}
	}
}

// TestBudget: all trials are given, and no more; the choices follow from the seed and from what was reported.
func TestBudget(t *testing.T) {
	tasks := []Work{
		{Weight: 1, FLOPs: 1e9, Bytes: 1e6}, {Weight: 5, FLOPs: 1e7, Bytes: 1e6}, {Weight: 2, FLOPs: 1e6, Bytes: 1e7},
	}
	given := func(seed uint64, restart bool) (list []Choice) {
		opt := Options{Seed: seed, First: 3, Round: 8, Explore: 0.3} // 100 are no whole number of rounds
		s := New(tasks, opt)
		var past [3][]float64
		for {
			c, ok := s.Next(100 - s.Total())
			if !ok {
				break
			}
			list = append(list, c)
			for range c.Trials {
				cost := 1e-3 / float64(1+len(past[c.Task]))
				past[c.Task] = append(past[c.Task], cost)
				s.Report(c.Task, cost)
			}
			if restart { // as a session does that continues logs
				s = New(tasks, opt)
				for i := range past {
					report(s, i, past[i]...)
				}
			}
		}
		if s.Total() != 100 {
			t.Errorf("%d trials of 100", s.Total())
		}
		return list
	}
	if !slices.Equal(given(1, false), given(1, true)) {
		t.Error("continued, the choices are others")
	}
	if slices.Equal(given(1, false), given(2, false)) {
		t.Error("the seed does not count")
	}
}

// TestReport: the best time is that of the fastest trial; a trial that failed counts as one, and has no time.
func TestReport(t *testing.T) {
	s := New([]Work{{Weight: 3, FLOPs: 1e9}}, Options{})
	report(s, 0, 0, 2e-3, 0, 1e-3, 0, 4e-3)
	if s.Best(0) != 1e-3 || s.Trials(0) != 6 || s.Total() != 6 || s.Model() != 3e-3 {
		t.Errorf("best %v, %d trials, %d of all, model %v", s.Best(0), s.Trials(0), s.Total(), s.Model())
	}
}

// TestEnd: there is no next round without tasks, without budget, and if all tasks are out.
func TestEnd(t *testing.T) {
	if c, ok := New(nil, Options{}).Next(10); ok {
		t.Errorf("no tasks: %+v", c)
	}
	s := New([]Work{{Weight: 1, FLOPs: 1}}, Options{Round: 2})
	s.Exhausted(0)
	if c, ok := s.Next(10); ok {
		t.Errorf("exhausted: %+v", c)
	}
	s = New([]Work{{Weight: 1, FLOPs: 1}}, Options{Round: 2})
	for _, trials := range []int{0, 1} { // one without trials, and one with
		report(s, 0, same(trials, 1e-3)...)
		s.Pass(0)
		if c, ok := s.Next(10); ok {
			t.Errorf("passed over: %+v", c)
		}
		if _, ok := s.Next(10); !s.Again() || ok || s.Again() {
			t.Error("it was not passed over")
		}
		if _, ok := s.Next(10); !ok {
			t.Error("it is passed over still")
		}
	}
	s = New([]Work{{Weight: 1, FLOPs: 1}}, Options{First: 4, Round: 2})
	if c, ok := s.Next(3); !ok || c.Trials != 3 {
		t.Errorf("3 trials are left: %+v", c)
	}
	if c, ok := s.Next(0); ok {
		t.Errorf("no budget: %+v", c)
	}
	report(s, 0, same(dead*2, 0)...)
	if c, ok := s.Next(10); ok {
		t.Errorf("nothing correct: %+v", c)
	}
}

// BenchmarkNext is a decision among 500 tasks of 200 trials.
func BenchmarkNext(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	tasks := make([]Work, 500)
	for i := range tasks {
		tasks[i] = Work{Weight: 1 + 9*rng.Float64(), FLOPs: 1e9 * rng.Float64(), Bytes: 1e7 * rng.Float64(),
			Like: string(rune('a' + i%20))}
	}
	s := New(tasks, Options{Round: 16})
	for i := range tasks {
		for range 200 {
			s.Report(i, 1e-3*(1+rng.Float64()))
		}
	}
	for b.Loop() {
		s.Next(16)
	}
}

// TestEven: in turns, all tasks have as many trials, whatever they weigh; what is exhausted is left out.
func TestEven(t *testing.T) {
	s := New([]Work{{Weight: 100, FLOPs: 1e9}, {Weight: 1, FLOPs: 1e6}, {Weight: 1, FLOPs: 1e3}},
		Options{First: 4, Round: 8, Even: true})
	for range 9 {
		c, ok := s.Next(1000)
		if !ok {
			t.Fatal("no round")
		}
		for range c.Trials {
			s.Report(c.Task, 1e-3)
		}
	}
	if s.Trials(0) != 20 || s.Trials(1) != 20 || s.Trials(2) != 20 {
		t.Errorf("%d, %d and %d trials", s.Trials(0), s.Trials(1), s.Trials(2))
	}
	s.Exhausted(0)
	if c, ok := s.Next(1000); !ok || c.Task != 1 {
		t.Errorf("%+v: want task 1", c)
	}
}
