package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset/measure"
)

// Run checks every candidate and times those that are correct, in rounds that go
// through the whole batch. Results align with built; inputs are not looked at.
// If the context ends, candidates not timed yet are Unmeasured and the others
// keep their samples. The error is for what is not a candidate's fault.
func (r *Runner) Run(
	ctx context.Context, inputs []measure.Input, built []measure.BuildResult,
) ([]measure.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sig == nil {
		return nil, errors.New("run: no task is set")
	}
	b := newBatch(r, built)
	err := b.run(ctx, r.plan())
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	b.finish()
	return b.results[:len(built)], nil
}

// Modes are RunStream and Remeasure.
func (r *Runner) Modes() measure.Modes {
	return measure.Modes{Stream: r.RunStream, InTurns: r.Remeasure}
}

// RunStream is Run for candidates whose builds come in pieces: those that came are checked while others are built, and
// timed when the channel is closed, so that no compiler runs meanwhile. Results align with the builds that came.
func (r *Runner) RunStream(
	ctx context.Context, inputs []measure.Input, pieces <-chan []measure.BuildResult,
) ([]measure.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sig == nil {
		return nil, errors.New("run: no task is set")
	}
	b := newBatch(r, make([]measure.BuildResult, len(inputs)))
	n, err := b.receive(ctx, pieces)
	if err == nil {
		err = b.timeAll(ctx, r.plan())
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	b.finish()
	return b.results[:n], nil
}

// receive checks candidates as they come, then the anchor, and returns how many came.
func (b *batch) receive(ctx context.Context, pieces <-chan []measure.BuildResult) (n int, err error) {
	if err := b.clean(ctx); err != nil {
		return 0, err
	}
	room := len(b.built)
	if b.r.anchor != nil {
		room--
	}
	for piece := range pieces {
		if len(piece) > room-n {
			return n, fmt.Errorf("run: %d candidates came, of %d", n+len(piece), room)
		}
		for _, built := range piece {
			b.built[n] = built
			if err := b.examine(ctx, n); err != nil {
				return n, err
			}
			n++
		}
	}
	if b.r.anchor == nil {
		return n, nil
	}
	return n, b.examine(ctx, room)
}

// plan is how candidates of a search are timed.
func (r *Runner) plan() plan {
	return plan{rounds: r.cfg.Rounds, calls: r.cfg.Calls, spacing: r.cfg.Spacing, extra: r.cfg.Rounds}
}

// Check is Run without timing: results have no costs. Slow candidates are checked
// in all ways, too.
func (r *Runner) Check(ctx context.Context, built []measure.BuildResult) ([]measure.Result, error) {
	return r.checkAll(ctx, built, nil)
}

// CheckOnce is Check with a single call of each candidate, the first of trials: for
// programs that are right once they compute the right thing, since nobody times
// them. Of Part of a program, only what it writes is compared.
func (r *Runner) CheckOnce(ctx context.Context, built []measure.BuildResult, c Coverage) ([]measure.Result, error) {
	return r.checkAll(ctx, built, &c)
}

// A Coverage says which elements of the outputs a program has to write.
type Coverage uint8

// The coverages.
const (
	Whole Coverage = iota // every element
	Part                  // at least one of all
)

func (r *Runner) checkAll(ctx context.Context, built []measure.BuildResult, once *Coverage) ([]measure.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sig == nil {
		return nil, errors.New("run: no task is set")
	}
	b := newBatch(r, built)
	b.all, b.once = true, once
	if err := b.clean(ctx); err != nil {
		return nil, err
	}
	for i, built := range built {
		res := &b.results[i]
		if res.Unix = time.Now().Unix(); built.Status != measure.OK {
			res.Status, res.Message = built.Status, built.Message
			continue
		}
		calls, err := b.check(ctx, i)
		if err != nil {
			return nil, err
		}
		if calls != nil {
			res.Status = measure.OK
		}
	}
	return b.results[:len(built)], nil
}

// Baseline is Run for one program that candidates are compared with, such as the
// untuned loop nest: if a call of it takes a second or more, it is called three
// times at most, as the nests of the largest tasks take a minute. Its time limit is that of the
// reference.
func (r *Runner) Baseline(ctx context.Context, built measure.BuildResult) (measure.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sig == nil {
		return measure.Result{}, errors.New("run: no task is set")
	}
	b := newBatch(r, []measure.BuildResult{built})
	b.brief = true
	err := b.run(ctx, plan{rounds: r.cfg.Rounds, calls: r.cfg.Calls, spacing: r.cfg.Spacing})
	if err != nil && ctx.Err() == nil {
		return measure.Result{}, err
	}
	b.finish()
	return b.results[0], nil
}

// A batch is candidates being measured together. Its slices have one entry per
// candidate, and one more for the anchor, if there is one: the best candidate of
// earlier batches, which is timed along to tell whether the machine is as quiet as
// it was.
type batch struct {
	r       *Runner
	built   []measure.BuildResult
	first   int // identity of candidate 0 in the worker
	results []measure.Result
	repeat  []int       // calls per sample, 0 before the first round
	rounds  [][]float64 // best sample of each round
	checks  [][]float64 // seconds of the calls as it is timed, of its check
	suspect []bool      // gave a wrong answer in a worker that another candidate may have damaged
	brief   bool        // see Runner.Baseline
	all     bool        // slow candidates are timed to the end, too
	once    *Coverage   // see Runner.CheckOnce; nil: all trials
}

func newBatch(r *Runner, built []measure.BuildResult) *batch {
	if r.anchor != nil {
		built = append(slices.Clone(built), *r.anchor)
	}
	b := &batch{r: r, built: built, first: r.identities}
	r.identities += len(built)
	b.results, b.repeat = make([]measure.Result, len(built)), make([]int, len(built))
	b.rounds, b.checks = make([][]float64, len(built)), make([][]float64, len(built))
	b.suspect = make([]bool, len(built))
	return b
}

// A plan says how a batch is timed.
type plan struct {
	rounds, calls int
	spacing       time.Duration
	all           bool // time slow candidates to the end, too
	extra         int  // rounds to be added at most, for those that were disturbed
}

func (b *batch) run(ctx context.Context, p plan) error {
	if err := b.clean(ctx); err != nil {
		return err
	}
	b.all = p.all
	for i := range b.built {
		if err := b.examine(ctx, i); err != nil {
			return err
		}
	}
	return b.timeAll(ctx, p)
}

// examine checks candidate i, if it was built.
func (b *batch) examine(ctx context.Context, i int) error {
	b.results[i].Unix = time.Now().Unix()
	if built := b.built[i]; built.Status != measure.OK {
		b.results[i].Status, b.results[i].Message = built.Status, built.Message
		return nil
	}
	calls, err := b.check(ctx, i)
	if err != nil {
		return err
	}
	if calls != nil {
		b.checks[i] = calls
		b.r.note(slices.Min(calls))
	}
	return nil
}

// timeAll times those candidates that passed their check and are worth it.
func (b *batch) timeAll(ctx context.Context, p plan) error {
	var alive []int
	for i := range b.built {
		if b.checks[i] == nil {
			continue
		}
		if b.isSlow(i) && b.fastest(i) < longCall && b.mayBeDisturbed(i) {
			// Others were built while it was called.
			calls, err := b.check(ctx, i)
			if err != nil {
				return err
			}
			if calls == nil {
				continue
			}
			b.checks[i] = append(b.checks[i], calls...)
			b.r.note(slices.Min(calls))
		}
		if b.isSlow(i) {
			// More than one call, if it is slow beside one that came after it.
			b.results[i].Status, b.results[i].Costs = measure.OK, b.checks[i]
			b.results[i].Message = fewSamples("called", b.checks[i], b.r.best)
			continue
		}
		alive = append(alive, i)
	}
	if err := b.timeRounds(ctx, alive, p); err != nil {
		return err
	}
	for _, i := range alive {
		// What is far from the best will not be handed over, so nobody gains from
		// what it computes now.
		if list := b.rounds[i]; b.all || len(list) == 0 || slices.Min(list) < b.r.cfg.GiveUp/2*b.r.best {
			if err := b.verify(ctx, i); err != nil {
				return err
			}
		}
		if b.results[i].Status == measure.NoStatus {
			b.results[i].Status = measure.OK
			if costs := b.results[i].Costs; len(costs) < atLeast {
				b.results[i].Message = fewSamples("timed", costs, b.best())
			}
			b.r.note(b.results[i].Cost())
		}
	}
	if !b.brief {
		b.r.keepAnchor(b)
	}
	return nil
}

// fewSamples says why a candidate has so few samples, in seconds.
func fewSamples(verb string, costs []float64, best float64) string {
	times := "once"
	if n := len(costs); n > 1 {
		times = fmt.Sprintf("%d times", n)
	}
	return fmt.Sprintf("%s %s: that took %.1f times as long as the best so far", verb, times, slices.Min(costs)/best)
}

// slow returns the time of a first call, in seconds, above which a candidate is
// not called again; 0 means that there is none.
func (b *batch) slow() float64 {
	if b.all || b.r.best == 0 {
		return 0
	}
	return max(b.r.cfg.GiveUp*b.r.best, worthGivingUp)
}

// isSlow reports whether the calls of a candidate's check say that timing it is not worth while.
func (b *batch) isSlow(i int) bool {
	slow := b.slow()
	return slow > 0 && slices.Min(b.checks[i]) > min(slow, longCall)
}

// worthGivingUp is the time, in seconds, of a call below which it saves nothing to
// stop timing a slow candidate.
const worthGivingUp = 1e-3

// worthCallingOnce is the time, in seconds, of the very first call below which a
// second one judges: guarded temporaries, which are mapped and filled in each
// call of a check, take milliseconds that other calls do not.
const worthCallingOnce = 15e-3

// longCall is the time, in seconds, of a call that is a measurement by itself:
// the noise of calls this long is small, and rounds of them would take minutes.
const longCall = 1.0

// note keeps the fastest time of the task.
func (r *Runner) note(seconds float64) {
	if r.best == 0 || seconds < r.best {
		r.best = seconds
	}
}

// finish gives those that were not measured to the end a status: they were timed, if only
// in fewer rounds, or they were not.
func (b *batch) finish() {
	for i := range b.results {
		res := &b.results[i]
		if res.Status != measure.NoStatus {
			continue
		}
		res.Status = measure.OK
		if len(res.Costs) == 0 {
			res.Status, res.Message = measure.Unmeasured, "interrupted"
		}
	}
}

// clean unloads what an earlier batch left in the worker.
func (b *batch) clean(ctx context.Context) error {
	p := b.r.proc
	if p == nil || len(p.used) == 0 {
		return nil
	}
	ans, err := p.ask(ctx, &request{Kind: "drop"}, limits{b.r.cfg.Timeout, b.r.overhead()})
	if err != nil || ans.Error != "" {
		b.r.stop()
		return ctx.Err()
	}
	clear(p.loaded)
	return nil
}

// check loads candidate i and has its results compared. It returns the seconds
// of its first calls after that; what is wrong is in the result.
func (b *batch) check(ctx context.Context, i int) ([]float64, error) {
	ans, err := b.attempt(ctx, i, func(p *workerProcess) (*answer, error) {
		return b.load(ctx, p, i, checked)
	})
	if err != nil || ans == nil {
		return nil, err
	}
	return ans.Calls, nil
}

// confidence says whether a candidate is checked when it is loaded.
type confidence bool

const (
	checked confidence = false
	trusted confidence = true // it was checked before, by a worker that is gone
)

// limits bound a request that makes so many calls of a candidate.
func (b *batch) limits(calls int) limits {
	call := b.r.callLimit()
	if b.brief {
		call = max(call, b.r.cfg.ReferenceTimeout)
	}
	return limits{call, time.Duration(calls)*call + b.r.overhead()}
}

func (b *batch) load(ctx context.Context, p *workerProcess, i int, c confidence) (*answer, error) {
	order := &loadOrder{ID: b.first + i, Symbol: b.built[i].Symbol, Packs: b.built[i].Packs, Trusted: bool(c),
		Brief: b.brief, Once: b.once, Passes: 1,
		Launches: b.built[i].Launches, Workspaces: b.built[i].Workspaces, TF32: b.built[i].TF32,
		Growth: b.built[i].Growth}
	if slow := b.slow(); slow > 0 && !b.brief {
		order.Slow = slow
	}
	if b.suspect[i] {
		// It may be innocent, or wrong now and then: a race. One pass would not tell.
		order.Trusted, order.Passes = false, suspectPasses
	}
	lim := b.limits(order.Passes*len(trials) + 3)
	ans, err := p.ask(ctx, &request{Kind: "load", Load: order}, lim, b.built[i].Object)
	if err == nil && ans.Error == "" && ans.Status == measure.OK && !ans.Slow {
		p.loaded[b.first+i] = true
	}
	return ans, err
}

// suspectPasses is how often a suspect must pass the whole check.
const suspectPasses = 8

// maxKills is how often a candidate is tried again whose worker was killed by
// somebody else.
const maxKills = 3

// attempt has the worker do something with candidate i. Where that fails, and
// other candidates ran in the worker before, which may have damaged it, it is done
// again in a fresh one before i is blamed. The answer is nil if the candidate
// failed; its result says why.
func (b *batch) attempt(ctx context.Context, i int, do func(*workerProcess) (*answer, error)) (*answer, error) {
	start := time.Now()
	defer func() { b.results[i].Seconds += time.Since(start).Seconds() }()
	for kills := 0; ; {
		if b.r.proc == nil {
			if err := b.r.start(ctx); err != nil {
				return nil, err
			}
		}
		p := b.r.proc
		id := b.first + i
		alone := len(p.used) == 0 || len(p.used) == 1 && p.used[id]
		p.used[id] = true
		ans, err := do(p)
		if err == nil && ans.Error != "" {
			b.r.stop()
			return nil, fmt.Errorf("run: worker: %s", ans.Error)
		}
		if err == nil && ans.Status == measure.OK {
			return ans, nil
		}
		if ctx.Err() != nil {
			b.r.stop()
			return nil, ctx.Err()
		}
		status, text, killed := b.r.blame(p, ans, err)
		if status == measure.NoStatus {
			return nil, err
		}
		if status == measure.LoadError || !killed && alone || killed && kills == maxKills {
			if status != measure.LoadError && status != measure.WrongAnswer {
				b.r.stop()
			}
			b.results[i].Status, b.results[i].Message, b.results[i].Costs = status, text, nil
			return nil, nil
		}
		if killed {
			kills++
		}
		if status == measure.WrongAnswer {
			b.suspect[i] = true
		}
		b.r.stop()
	}
}

// blame says what an answer or the lack of one means for a candidate, and whether
// somebody else killed the worker. There is no status if it is an error of ours.
func (r *Runner) blame(p *workerProcess, ans *answer, err error) (status measure.Status, text string, killed bool) {
	var late *worker.DeadlineError
	var dead *deathError
	switch {
	case err == nil:
		return ans.Status, ans.Message, false
	case errors.As(err, &late):
		return measure.RunTimeout, late.Error(), false
	case errors.As(err, &dead):
		status, text = judge(dead, r.sig, p.spans)
		return status, text, killedOutside(dead)
	}
	return measure.NoStatus, "", false
}

// The plan of a final measurement: many short rounds, so that all candidates see
// the same phases of a noisy machine (10 rounds of 3 to 6 calls find the true
// minimum within 2 % in nine cases of ten; one go of 60 calls does in seven).
const (
	finalRounds  = 10
	finalCalls   = 6
	finalSpacing = 200 * time.Millisecond
)

// Remeasure checks candidates again and times them in turns, in a fresh worker:
// ten rounds of six samples each, slow ones included. Results align with built;
// their samples are in the order in which they were taken, so that those of two
// candidates can be compared part by part.
func (r *Runner) Remeasure(
	ctx context.Context, inputs []measure.Input, built []measure.BuildResult,
) ([]measure.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sig == nil {
		return nil, errors.New("run: no task is set")
	}
	r.stop()
	r.anchor = nil // the comparison is with each other
	b := newBatch(r, built)
	p := plan{rounds: max(finalRounds, r.cfg.Rounds), calls: finalCalls, spacing: min(finalSpacing, r.cfg.Spacing),
		all: true}
	if err := b.run(ctx, p); err != nil {
		return nil, err
	}
	b.finish()
	return b.results, nil
}
