package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A machine is a fake builder and runner. A program's cost follows from its
// signature; fail, if set, says how a candidate ends.
type machine struct {
	built int
	ran   int                        // others are built meanwhile
	fail  func(n int) measure.Status // of the n-th candidate built, from 0
	stop  func(n int)                // called before the n-th is run, from 0
	again bool                       // remeasured
	fatal bool                       // a cancelled context is an error of Run

	packs   []measure.Pack  // of each program
	layouts []target.Layout // asked for
}

func (m *machine) Build(_ context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	out := make([]measure.BuildResult, len(inputs))
	for i := range inputs {
		out[i] = measure.BuildResult{Status: measure.OK, Object: []byte{1}, Packs: m.packs}
		m.layouts = append(m.layouts, inputs[i].Layout)
		if m.fail != nil {
			out[i].Status = m.fail(m.built)
		}
		m.built++
	}
	return out, nil
}

func (*machine) Modes() measure.Modes { return measure.Modes{} }

func (m *machine) Run(ctx context.Context, inputs []measure.Input, builds []measure.BuildResult) ([]measure.Result, error) {
	out := make([]measure.Result, len(inputs))
	for i, in := range inputs {
		if m.stop != nil {
			m.stop(m.ran)
		}
		m.ran++
		if ctx.Err() != nil {
			if m.fatal {
				return nil, ctx.Err()
			}
			out[i].Status = measure.Unmeasured
			continue
		}
		if builds[i].Status != measure.OK {
			return nil, errors.New("asked to run what was not built")
		}
		sig := stateOf(in).Signature()
		out[i] = measure.Result{Status: measure.OK, Costs: []float64{1e-3 * (1 + float64(sig[0])/256)}, Unix: 7}
	}
	return out, nil
}

// A finalist machine can also measure again.
type finalistMachine struct{ machine }

func (m *finalistMachine) Modes() measure.Modes { return measure.Modes{InTurns: m.Remeasure} }

func (m *finalistMachine) Remeasure(ctx context.Context, inputs []measure.Input, builds []measure.BuildResult) ([]measure.Result, error) {
	m.again = true
	out, err := m.Run(ctx, inputs, builds)
	for i := range out { // the order turns around
		out[i].Costs = slices.Repeat([]float64{1 / float64(i+1)}, 20)
	}
	return out, err
}

func tuner(m *machine, o Options) *Tuner {
	return &Tuner{Task: matmul(64, 48, 32), Scorer: Random{Seed: o.Seed}, Builder: m, Runner: m, Options: o}
}

// collect makes the options keep the records of a run.
func collect(o *Options) *[]dataset.Record {
	var list []dataset.Record
	o.OnRound = func(r Round) error {
		list = append(list, r.Records...)
		return nil
	}
	return &list
}

func stepsOf(records []dataset.Record) []string {
	var list []string
	for _, r := range records {
		list = append(list, string(schedule.FormatSteps(r.Steps)))
	}
	return list
}

// TestLayout: the task's layout is that of all inputs and records, and what was
// packed stands in the record.
func TestLayout(t *testing.T) {
	o := Options{Trials: 6, Seed: 1}
	records := collect(&o)
	m := &finalistMachine{}
	m.packs = []measure.Pack{{Param: 1, Name: "B", Shape: []int64{2, 3}}}
	tn := tuner(&m.machine, o)
	tn.Runner, tn.Task.Layout = m, target.Rewrite
	if _, err := tn.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if !m.again || len(m.layouts) != 6+3 || slices.Contains(m.layouts, target.Keep) {
		t.Errorf("built with layouts %v", m.layouts)
	}
	for _, r := range *records {
		if r.Layout != target.Rewrite || r.Packed != "B[2,3]" {
			t.Errorf("record of layout %s, packed %q", r.Layout, r.Packed)
		}
	}
}

func TestRunSpendsItsTrials(t *testing.T) {
	for _, trials := range []int{1, 7, 30} {
		o := Options{Trials: trials, Seed: 1}
		records := collect(&o)
		rounds, kept := 0, o.OnRound
		o.OnRound = func(r Round) error {
			rounds++
			if err := kept(r); err != nil || r.Trials != len(*records) {
				t.Errorf("round %d says %d trials, %d records came, %v", r.Number, r.Trials, len(*records), err)
			}
			return nil
		}
		m := &machine{}
		out, err := tuner(m, o).Run(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if out.Trials != trials || m.built != trials || len(*records) != trials || out.Reason != TrialsSpent || rounds != out.Rounds {
			t.Errorf("%d trials: %d measured, %d built, %d records, %v", trials, out.Trials, m.built, len(*records), out.Reason)
		}
		seen := map[string]bool{}
		best := math.Inf(1)
		for i, r := range *records {
			if seen[r.Trajectory] {
				t.Errorf("trial %d was measured before", i)
			}
			seen[r.Trajectory] = true
			best = min(best, r.Cost())
			if r.Trial != i {
				t.Errorf("trial %d is numbered %d", i, r.Trial)
			}
		}
		if out.Best.Cost() != best || out.State == nil {
			t.Errorf("best is %g, not %g", out.Best.Cost(), best)
		}
	}
}

func TestDefaultRounds(t *testing.T) {
	for trials, want := range map[int]int{64: 16, 16: 4, 8: 4, 1000: 64, 100: 25} {
		o, err := Options{Trials: trials}.withDefaults()
		if err != nil || o.PerRound != want {
			t.Errorf("%d trials: %d a round, want %d (%v)", trials, o.PerRound, want, err)
		}
	}
	if o, _ := (Options{}).withDefaults(); o.Trials != 64 {
		t.Errorf("the zero options have %d trials", o.Trials)
	}
	if _, err := (Options{Time: time.Second}).withDefaults(); err == nil {
		t.Error("a time budget without a clock is accepted")
	}
	if _, err := (Options{Trials: -1}).withDefaults(); err == nil {
		t.Error("negative trials are accepted")
	}
}

// The same seed gives the same candidates in the same order for any number of
// workers; another seed gives others.
func TestDeterminism(t *testing.T) {
	candidates := func(seed uint64, workers int) []string {
		o := Options{Trials: 24, Seed: seed, Workers: workers}
		records := collect(&o)
		if _, err := tuner(&machine{}, o).Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		return stepsOf(*records)
	}
	one := candidates(5, 1)
	for _, workers := range []int{1, 2, 3} {
		if got := candidates(5, workers); !slices.Equal(got, one) {
			t.Errorf("%d workers give other candidates than 1", workers)
		}
	}
	if slices.Equal(candidates(6, 1), one) {
		t.Error("another seed gives the same candidates")
	}
}

// A search that is continued from a log measures nothing twice, keeps the best,
// and goes on as if it had not stopped.
func TestResume(t *testing.T) {
	o := Options{Trials: 32, PerRound: 8, Seed: 3}
	whole := collect(&o)
	if _, err := tuner(&machine{}, o).Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	o = Options{Trials: 16, PerRound: 8, Seed: 3}
	first := collect(&o)
	if _, err := tuner(&machine{}, o).Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	second := collect(&o)
	out, err := tuner(&machine{}, o).Run(context.Background(), *first)
	if err != nil {
		t.Fatal(err)
	}
	both := append(slices.Clone(*first), *second...)
	if !slices.Equal(stepsOf(both), stepsOf(*whole)) {
		t.Error("a continued search differs from one that did not stop")
	}
	best := slices.MinFunc(both, func(a, b dataset.Record) int { return int(math.Copysign(1, a.Cost()-b.Cost())) })
	if out.Best.Cost() != best.Cost() {
		t.Errorf("best is %g, not %g", out.Best.Cost(), best.Cost())
	}
}

// Records that do not apply are passed over.
func TestResumeFromForeignRecords(t *testing.T) {
	o := Options{Trials: 8, Seed: 3}
	foreign := []dataset.Record{{Steps: []schedule.Step{schedule.ComputeInline{At: 99}}, Status: measure.OK, Costs: []float64{1e-9}}}
	out, err := tuner(&machine{}, o).Run(context.Background(), foreign)
	if err != nil || out.Trials != 8 || out.Best.Cost() == 1e-9 {
		t.Errorf("%d trials, best %g, %v", out.Trials, out.Best.Cost(), err)
	}
}

func TestNothingCorrect(t *testing.T) {
	o := Options{Trials: 20, Seed: 1}
	records := collect(&o)
	m := &machine{fail: func(int) measure.Status { return measure.BuildError }}
	out, err := tuner(m, o).Run(context.Background(), nil)
	if !errors.Is(err, ErrNothingCorrect) || out.Trials != 20 || out.Found || out.Status[measure.BuildError] != 20 {
		t.Errorf("%+v, %v", out, err)
	}
	for _, r := range *records {
		if r.Timed() || r.Status != measure.BuildError {
			t.Errorf("record %d: %v, cost %g", r.Trial, r.Status, r.Cost())
		}
	}
}

// A scorer for which nothing can be lowered, or whose values are odd, neither
// hangs the search nor is trusted.
func TestOddScores(t *testing.T) {
	for name, f := range map[string]func(int) float64{
		"all -Inf": func(int) float64 { return math.Inf(-1) },
	} {
		tu := tuner(&machine{}, Options{Trials: 8})
		tu.Scorer = scorer{f, 0}
		tu.Options.Propose = Evolve{Evolution: evolve.Options{Population: 32}}
		out, err := tu.Run(context.Background(), nil)
		if !errors.Is(err, ErrNothingCorrect) || out.Reason != Exhausted {
			t.Errorf("%s: %v, %v", name, out.Reason, err)
		}
	}
	for name, f := range map[string]func(int) float64{
		"negative": func(i int) float64 { return -1e12 * float64(i+1) },
		"half":     func(i int) float64 { return []float64{math.Inf(-1), 3}[i%2] },
		"equal":    func(int) float64 { return 0 },
	} {
		tu := tuner(&machine{}, Options{Trials: 8})
		tu.Scorer = scorer{f, 0}
		tu.Options.Propose = Evolve{Evolution: evolve.Options{Population: 32}}
		if out, err := tu.Run(context.Background(), nil); err != nil || out.Trials != 8 {
			t.Errorf("%s: %d trials, %v", name, out.Trials, err)
		}
	}
	tu := tuner(&machine{}, Options{Trials: 8})
	tu.Scorer = scorer{func(int) float64 { return 0 }, 1}
	if _, err := tu.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "scores for") {
		t.Errorf("a scorer that returns too few scores: %v", err)
	}
	tu = tuner(&machine{}, Options{Trials: 8})
	tu.Scorer = scorer{func(int) float64 { return math.NaN() }, 0}
	if _, err := tu.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "NaN for all of") {
		t.Errorf("a scorer that knows of no number: %v", err)
	}
}

type scorer struct {
	f       func(int) float64
	missing int
}

func (s scorer) Score(_ context.Context, _ *Task, states []*schedule.State) ([]float64, error) {
	list := make([]float64, len(states)-s.missing)
	for i := range list {
		list[i] = s.f(i)
	}
	return list, nil
}

func (scorer) Update(context.Context, *Task, []dataset.Record) error { return nil }

func (scorer) Traits() Traits { return Traits{} }

func TestPatience(t *testing.T) {
	o := Options{Trials: 1000, PerRound: 4, Patience: 12, Seed: 13}
	records := collect(&o)
	out, err := tuner(&machine{}, o).Run(context.Background(), nil)
	if err != nil || out.Reason != PatienceSpent {
		t.Fatalf("%v, %v", out.Reason, err)
	}
	last := 0
	for i, r := range *records {
		if r.Trajectory == out.Best.Trajectory {
			last = i
		}
	}
	since := len(*records) - 1 - last
	if since < 12 || since >= 12+4 {
		t.Errorf("stopped %d trials after the best, want 12 to 15", since)
	}
	// Continued, it has the patience that is left, in rounds of 4: none, a round, all of it.
	for _, c := range []struct{ patience, held, trials int }{
		{12, len(*records), 0}, {since + 1, len(*records), 4}, {12, last + 1, 12}, {12, last + 5, 8},
	} {
		tu := tuner(&machine{}, Options{Trials: 1000, PerRound: 4, Patience: c.patience, Seed: o.Seed})
		again, err := tu.Run(context.Background(), (*records)[:c.held])
		if err != nil || again.Reason != PatienceSpent || again.Best.Trajectory != out.Best.Trajectory || again.Trials != c.trials {
			t.Errorf("patience %d after %d trials: %d more, want %d; %v, best %g, %v", c.patience, c.held, again.Trials, c.trials, again.Reason, again.Best.Cost(), err)
		}
	}
	// What failed, and applies no more, was a trial, too.
	failures := slices.Repeat([]dataset.Record{{Status: measure.BuildError, Steps: []schedule.Step{schedule.ComputeInline{At: 99}}}}, 12)
	if again, err := tuner(&machine{}, o).Run(context.Background(), append(slices.Clone((*records)[:last+1]), failures...)); err != nil || again.Trials != 0 {
		t.Errorf("after 12 failures: %d trials, %v", again.Trials, err)
	}
	if again, err := tuner(&machine{}, Options{Trials: 4, Patience: 1, Seed: o.Seed}).Run(context.Background(), failures); err != nil || again.Trials != 4 {
		t.Errorf("after failures alone: %d trials, %v", again.Trials, err)
	}
}

func TestTimeBudget(t *testing.T) {
	now := time.Unix(1000, 0)
	o := Options{Time: 10 * time.Second, PerRound: 4, Clock: func() time.Time { return now }}
	var elapsed []time.Duration
	o.OnRound = func(r Round) error {
		elapsed = append(elapsed, r.Elapsed)
		return nil
	}
	m := &machine{stop: func(int) { now = now.Add(time.Second) }}
	out, err := tuner(m, o).Run(context.Background(), nil)
	// The last round is smaller, so that the time is kept.
	if err != nil || out.Reason != TimeSpent || out.Trials != 10 {
		t.Errorf("%d trials, %v, %v", out.Trials, out.Reason, err)
	}
	if fmt.Sprint(elapsed) != "[4s 8s 10s]" {
		t.Errorf("rounds end at %v", elapsed)
	}
}

// Where the time is over before the first candidate, none was wrong, and the error says so.
func TestTimeOver(t *testing.T) {
	now := time.Unix(1000, 0)
	o := Options{Time: 10 * time.Second, Clock: func() time.Time {
		now = now.Add(10 * time.Second)
		return now
	}}
	out, err := tuner(&machine{}, o).Run(context.Background(), nil)
	if !errors.Is(err, ErrNothingCorrect) || !strings.Contains(err.Error(), "the time was over before one was measured") ||
		out.Reason != TimeSpent || out.Trials != 0 {
		t.Errorf("%d trials, %v, %v", out.Trials, out.Reason, err)
	}
	wrong := []dataset.Record{{Status: measure.BuildError, Steps: []schedule.Step{schedule.ComputeInline{At: 99}}}}
	if _, err := tuner(&machine{}, o).Run(context.Background(), wrong); err != ErrNothingCorrect {
		t.Errorf("after a wrong one: %v", err)
	}
}

// A late scorer has no time after a few batches.
type late struct {
	Random
	batches int
}

func (s *late) Score(ctx context.Context, t *Task, states []*schedule.State) ([]float64, error) {
	if s.batches--; s.batches < 0 {
		return nil, fmt.Errorf("%w: it thinks", ErrTimeOver)
	}
	return s.Random.Score(ctx, t, states)
}

// TestScorerTimeOver: a scorer whose time is over ends the search, which keeps what it has found.
func TestScorerTimeOver(t *testing.T) {
	for batches, found := range map[int]bool{0: false, 20: true} {
		tn := tuner(&machine{}, Options{Trials: 1 << 20, Time: time.Hour, PerRound: 4,
			Clock: func() time.Time { return time.Unix(1000, 0) }})
		tn.Scorer = &late{batches: batches}
		out, err := tn.Run(context.Background(), nil)
		if out.Reason != TimeSpent || out.Found != found || (err == nil) != found || !found && err != errTimeOver {
			t.Errorf("%d batches: %d trials, %v, %v", batches, out.Trials, out.Reason, err)
		}
	}
}

// A stop ends the search after the round under way; a cancelled context ends it
// at once, and what was timed of that round is kept.
func TestStopAndCancel(t *testing.T) {
	stop := make(chan struct{})
	o := Options{Trials: 64, PerRound: 8, Stop: stop}
	m := &machine{stop: func(n int) {
		if n == 10 {
			close(stop)
		}
	}}
	out, err := tuner(m, o).Run(context.Background(), nil)
	if err != nil || out.Reason != Stopped || out.Trials != 16 {
		t.Errorf("stop: %d trials, %v, %v", out.Trials, out.Reason, err)
	}

	// One that comes before the first round is no failure of the search.
	if out, err := tuner(&machine{}, o).Run(context.Background(), nil); err != nil || out.Reason != Stopped || out.Trials != 0 {
		t.Errorf("stop at once: %d trials, %v, %v", out.Trials, out.Reason, err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m = &machine{stop: func(n int) {
		if n == 10 {
			cancel()
		}
	}}
	o = Options{Trials: 64, PerRound: 8}
	records := collect(&o)
	out, err = tuner(m, o).Run(ctx, nil)
	if !errors.Is(err, context.Canceled) || out.Reason != Cancelled || out.Trials != 10 || len(*records) != 10 || out.Rounds != 2 {
		t.Errorf("cancel: %d trials, %d records, %v, %v", out.Trials, len(*records), out.Reason, err)
	}
}

// A runner that ends with its context's error loses what it was given, and no
// more: the part of the round before is kept.
func TestCancelledRunner(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m := &machine{stop: func(n int) {
		if n == 11 {
			cancel()
		}
	}, fatal: true}
	out, err := tuner(m, Options{Trials: 64, PerRound: 8}).Run(ctx, nil)
	if !errors.Is(err, context.Canceled) || out.Reason != Cancelled || out.Trials != 10 || !out.Found {
		t.Errorf("%d trials, %v, %v", out.Trials, out.Reason, err)
	}
}

func TestOnRoundError(t *testing.T) {
	full := errors.New("disk full")
	o := Options{Trials: 64, PerRound: 8, OnRound: func(Round) error { return full }}
	out, err := tuner(&machine{}, o).Run(context.Background(), nil)
	if !errors.Is(err, full) || out.Trials != 8 {
		t.Errorf("%d trials, %v", out.Trials, err)
	}
}

// The finalists are measured again in turns, and that order decides.
func TestFinalists(t *testing.T) {
	m := &finalistMachine{}
	tu := tuner(&m.machine, Options{Trials: 16})
	tu.Builder, tu.Runner = m, m
	out, err := tu.Run(context.Background(), nil)
	if err != nil || !m.again || len(out.Finalists) != 3 {
		t.Fatalf("%d finalists, %v", len(out.Finalists), err)
	}
	if out.Finalists[0].Record.Trajectory != out.Best.Trajectory || out.Finalists[0].Result.Cost() != 1./3 {
		t.Errorf("the first finalist, of %g s, is not the best", out.Finalists[0].Result.Cost())
	}
	if out.Tied != 1 {
		t.Errorf("%d finalists are tied", out.Tied)
	}

	m = &finalistMachine{}
	tu = tuner(&m.machine, Options{Trials: 16, Finalists: -1})
	tu.Builder, tu.Runner = m, m
	if out, err := tu.Run(context.Background(), nil); err != nil || m.again || len(out.Finalists) != 0 {
		t.Errorf("finals took place though switched off: %v", err)
	}
}

// A flakyMachine is one on which the first finalists compute something else when
// they are measured again.
type flakyMachine struct {
	machine
	bad int // calls of Remeasure in which all fail
}

func (m *flakyMachine) Modes() measure.Modes { return measure.Modes{InTurns: m.Remeasure} }

func (m *flakyMachine) Remeasure(ctx context.Context, inputs []measure.Input, builds []measure.BuildResult) ([]measure.Result, error) {
	out, err := m.Run(ctx, inputs, builds)
	for i := range out {
		if m.bad > 0 {
			out[i] = measure.Result{Status: measure.WrongAnswer}
		}
	}
	m.bad--
	return out, err
}

// TestFinalistsThatFail: a candidate that fails when it is measured again is not
// the best, and the next ones are compared instead.
func TestFinalistsThatFail(t *testing.T) {
	var fastest []string // by the search's own measurement
	var withdrawn []string
	o := Options{Trials: 16, OnWithdrawn: func(r dataset.Record) error {
		if r.Status != measure.WrongAnswer || r.Timed() {
			t.Errorf("withdrawn: status %s, costs %v", r.Status, r.Costs)
		}
		withdrawn = append(withdrawn, r.Trajectory)
		return nil
	}}
	records := collect(&o)
	m := &flakyMachine{bad: 1}
	tu := tuner(&m.machine, o)
	tu.Builder, tu.Runner = m, m
	out, err := tu.Run(context.Background(), nil)
	if err != nil || len(out.Finalists) != 3 {
		t.Fatalf("%d finalists, %v", len(out.Finalists), err)
	}
	slices.SortStableFunc(*records, func(a, b dataset.Record) int { return cmp.Compare(a.Cost(), b.Cost()) })
	for _, r := range *records {
		fastest = append(fastest, r.Trajectory)
	}
	if !slices.Equal(withdrawn, fastest[:3]) {
		t.Errorf("withdrawn %v, want %v", withdrawn, fastest[:3])
	}
	if slices.Contains(fastest[:3], out.Best.Trajectory) || !slices.Contains(fastest[3:6], out.Best.Trajectory) {
		t.Errorf("the best is number %d of the search", slices.Index(fastest, out.Best.Trajectory))
	}

	// Where that cannot be kept, the search is over, and the best is one that has not failed.
	full := errors.New("disk full")
	var gone []string
	m = &flakyMachine{bad: 1}
	tu = tuner(&m.machine, Options{Trials: 16, OnWithdrawn: func(r dataset.Record) error {
		gone = append(gone, r.Trajectory)
		return full
	}})
	tu.Builder, tu.Runner = m, m
	out, err = tu.Run(context.Background(), nil)
	if !errors.Is(err, full) || len(gone) != 3 || !out.Found || slices.Contains(gone, out.Best.Trajectory) {
		t.Errorf("%v, %d withdrawn, found %v, the best is number %d of them", err, len(gone), out.Found, slices.Index(gone, out.Best.Trajectory))
	}
}

// TestOnlyFinalist: a single correct candidate is measured again, too, for it may
// have been checked in part only.
func TestOnlyFinalist(t *testing.T) {
	m := &flakyMachine{bad: 1}
	tu := tuner(&m.machine, Options{Trials: 1})
	tu.Builder, tu.Runner = m, m
	if out, err := tu.Run(context.Background(), nil); !errors.Is(err, ErrNothingCorrect) || out.Found {
		t.Errorf("found %v, %v", out.Found, err)
	}
}

func TestTied(t *testing.T) {
	list := func(blocks string) []float64 { // a digit is the best time of a block of three
		var l []float64
		for _, c := range blocks {
			l = append(l, 9, float64(c-'0'), 9)
		}
		return l
	}
	first := list("3333333333")
	for _, c := range []struct {
		times []float64
		want  bool
	}{
		{first, true},
		{list("4444444444"), false},
		{list("4444424444"), false},
		{list("4444324444"), true},
		{list("4242424242"), true},
		{[]float64{9, 9}, true},
	} {
		if got := Tied(c.times, first); got != c.want {
			t.Errorf("%v: tied %v", c.times, got)
		}
	}
}

// A space with few programs is searched to its end.
func TestExhausted(t *testing.T) {
	tu := tuner(&machine{}, Options{Trials: 5000})
	tu.Task = matmul(1, 1, 1)
	out, err := tu.Run(context.Background(), nil)
	if err != nil || out.Reason != Exhausted || out.Trials == 0 {
		t.Errorf("%d trials, %v, %v", out.Trials, out.Reason, err)
	}
}

// stateOf decodes an input.
func stateOf(in measure.Input) *schedule.State {
	d, err := compute.Parse(in.Workload)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	steps, err := schedule.ParseSteps([]byte(in.Steps))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	s, err := schedule.Replay(d, steps)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return s
}
