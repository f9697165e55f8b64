package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tune"
)

// A Speed is how fast candidates of a workload are built, checked and timed, and
// where the time goes. Builds run beside each other and beside the program that is
// timed, so the parts may add up to more than the whole.
type Speed struct {
	Workload string         `json:"workload"`
	Spec     string         `json:"spec"`
	Key      string         `json:"key"` // of all that the figures depend on
	Scorer   string         `json:"scorer"`
	Trials   int            `json:"trials"`
	Status   map[string]int `json:"status"`
	Rounds   int            `json:"rounds"`
	Wall     float64        `json:"wall_s"` // of the whole search
	Parts    Parts          `json:"parts_s"`
	Unix     int64          `json:"unix"`
	Load     float64        `json:"load"` // of the machine before: processes that wanted to run
}

// Parts are seconds that all candidates together took.
type Parts struct {
	Propose float64 `json:"propose"` // until a round's candidates are chosen
	Measure float64 `json:"measure"` // from then until all are timed
	Learn   float64 `json:"learn"`
	Lower   float64 `json:"lower"`
	Emit    float64 `json:"emit"`
	Compile float64 `json:"compile"`
	Check   float64 `json:"check"` // loading included
	Time    float64 `json:"time"`
	Idle    float64 `json:"idle"` // the runner waits: for builds, or between rounds of samples
}

// AddBuild adds what building a candidate took.
func (p *Parts) AddBuild(b measure.BuildResult) {
	p.Lower += b.LowerSeconds
	p.Emit += b.EmitSeconds
	p.Compile += b.Seconds - b.LowerSeconds - b.EmitSeconds
}

// AddRun adds what running a candidate took.
func (p *Parts) AddRun(r measure.Result) {
	p.Check += r.CheckSeconds
	p.Time += r.Seconds - r.CheckSeconds
}

// PerSecond is how many candidates are built, checked and timed in a second.
func (s *Speed) PerSecond() float64 { return float64(s.Trials) / s.Wall }

// BuildOptions say what the benchmark of building searches.
type BuildOptions struct {
	Search
	Done func(s *Speed) // told of each workload that was measured now; nil: nobody listens
}

// Check reports what is wrong with the options.
func (o BuildOptions) Check(known Scorers) error { return o.Search.check(known) }

// A BuildReport is what the benchmark of building found.
type BuildReport struct {
	Machine string  `json:"machine"`
	Rows    []Speed `json:"rows"`
	Version string  `json:"version"`
}

// Build searches each workload for a few trials, and says how many candidates a second are
// built, checked and timed, and where the time goes. It measures again when this program
// has changed.
func (b *Bench) Build(ctx context.Context, o BuildOptions) (*BuildReport, error) {
	if err := o.Check(b.Scorers); err != nil {
		return nil, err
	}
	program, err := ProgramHash()
	if err != nil {
		return nil, err
	}
	r := &BuildReport{Machine: b.Target().String(), Version: tune.Version()}
	for _, w := range b.list {
		key, err := b.speedKey(program, w, o)
		if err != nil {
			return nil, err
		}
		keyOf := func(s *Speed) *string { return &s.Key }
		s, fresh, err := Kept(b, filepath.Join("build", w.Name+".json"), key, keyOf, func() (Speed, error) {
			return b.speed(ctx, w, o)
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		if fresh && o.Done != nil {
			o.Done(&s)
		}
		r.Rows = append(r.Rows, s)
	}
	return r, b.Save("build.json", r)
}

// speedKey identifies all that the speed of a workload's search depends on.
func (b *Bench) speedKey(program string, w workload.Workload, o BuildOptions) (string, error) {
	known, err := b.knowledge(o.Scorer)
	if err != nil {
		return "", fmt.Errorf("scorer %s: %w", o.Scorer, err)
	}
	return HashOf(program, w.Key, w.Text, o.Trials, o.Scorer, known, o.Seed), nil
}

// speedOptions are those of a workload's search, but for who watches it.
func (b *Bench) speedOptions(o BuildOptions, scorer search.Scorer) tune.Options {
	_, spaceName := b.Scorers.split(o.Scorer)
	return tune.Options{
		Trials: o.Trials, Seed: o.Seed, Scorer: scorer, ScorerName: o.Scorer, Space: spaceName, Layout: layout, Finalists: -1,
	}
}

// speed searches one workload and watches. Finding the reference is not counted: it
// happens once in a search.
func (b *Bench) speed(ctx context.Context, w workload.Workload, o BuildOptions) (Speed, error) {
	speed := Speed{Workload: w.Name, Spec: w.Text, Scorer: o.Scorer, Unix: time.Now().Unix(), Load: LoadAverage()}
	b.Show(w.Name + ": computing the reference")
	if err := b.prepare(ctx, w.DAG, w.Text, o.Seed); err != nil {
		return speed, err
	}
	scorer, err := b.openScorer(ctx, o.Scorer, o.Seed)
	if err != nil {
		return speed, err
	}
	m, options := &meter{}, b.speedOptions(o, scorer)
	options.OnEvent, options.Observer = m.event, observer{b, w.Name}
	s, err := tune.Open(ctx, quiet{b.machine, m}, w, options)
	if err != nil {
		return speed, err
	}
	defer s.Close()
	begin := time.Now()
	err = s.Begin(ctx)
	for more := err == nil; more && err == nil; speed.Rounds++ {
		more, err = s.Step(ctx)
	}
	speed.Rounds--
	speed.Wall = time.Since(begin).Seconds()
	m.phase(nil)
	if err = s.End(ctx, err); err != nil && !errors.Is(err, search.ErrNothingCorrect) {
		return speed, err
	}
	m.parts.Idle = max(0, m.parts.Measure-m.parts.Check-m.parts.Time)
	r := s.Result()
	speed.Parts, speed.Trials, speed.Status = m.parts, r.Trials, r.Status
	return speed, nil
}

// A quiet machine is one that is ready for the task of a search, and whose time is added
// up. It neither times the untuned loop nest nor exports kernels.
type quiet struct {
	*machine.CPU
	m *meter
}

// SetTask implements tune.Machine.
func (quiet) SetTask(context.Context, *compute.DAG, uint64, measure.Timing) error { return nil }

// Baseline implements tune.Machine.
func (quiet) Baseline(context.Context, measure.Input) (measure.Result, error) {
	return measure.Result{Status: measure.Unmeasured}, nil
}

// Export implements tune.Machine.
func (quiet) Export(context.Context, *tir.Func, machine.ExportOptions) (machine.Export, error) {
	return machine.Export{}, nil
}

// Builder implements tune.Machine.
func (q quiet) Builder() machine.Builder { return meteredBuilder{q.CPU.Builder(), q.m} }

// Runner implements tune.Machine.
func (q quiet) Runner() machine.Runner { return meteredRunner{q.CPU.Runner(), q.m} }

// A meter adds up where the time of a search goes.
type meter struct {
	mu    sync.Mutex
	parts Parts
	now   *float64 // the phase under way, of parts
	since time.Time
}

// phase ends the phase under way and begins another.
func (m *meter) phase(next *float64) {
	if m.now != nil {
		*m.now += time.Since(m.since).Seconds()
	}
	m.now, m.since = next, time.Now()
}

func (m *meter) event(e search.Event) {
	switch e.Kind {
	case search.Proposing:
		m.phase(&m.parts.Propose)
	case search.Building:
		m.phase(&m.parts.Measure)
	case search.Learning:
		m.phase(&m.parts.Learn)
	}
}

// A meteredBuilder is a builder whose time is added up.
type meteredBuilder struct {
	machine.Builder
	m *meter
}

// Build implements search.Builder.
func (b meteredBuilder) Build(ctx context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	results, err := b.Builder.Build(ctx, inputs)
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	for _, r := range results {
		b.m.parts.AddBuild(r)
	}
	return results, err
}

// A meteredRunner is a runner whose time is added up.
type meteredRunner struct {
	machine.Runner
	m *meter
}

// Run implements search.Runner.
func (r meteredRunner) Run(
	ctx context.Context, inputs []measure.Input, built []measure.BuildResult,
) ([]measure.Result, error) {
	results, err := r.Runner.Run(ctx, inputs, built)
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	for _, res := range results {
		r.m.parts.AddRun(res)
	}
	return results, err
}

// Modes implements search.Runner. It streams, as the runner of a CPU does.
func (r meteredRunner) Modes() measure.Modes {
	own := r.Runner.Modes()
	own.Stream = r.runStream
	return own
}

func (r meteredRunner) runStream(
	ctx context.Context, inputs []measure.Input, built <-chan []measure.BuildResult,
) ([]measure.Result, error) {
	results, err := r.Runner.Modes().Stream(ctx, inputs, built)
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	for _, res := range results {
		r.m.parts.AddRun(res)
	}
	return results, err
}

// ProgramHash identifies this program.
func ProgramHash() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return hashFiles([]string{self})
}
