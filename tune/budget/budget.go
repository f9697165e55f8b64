// Package budget divides the trials of a model among its tasks. The next round goes to the task with which it is
// expected to shorten the model most for what it costs: the gradient of Ansor's task scheduler (Zheng et al., OSDI
// 2020, section 6). What is expected of a task follows from its own curve, from similar tasks, and from the machine's
// limit.
//
// The package decides and measures nothing. It must not know schedules, logs or clocks. Its choices follow from the
// seed and from what was reported alone.
package budget

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Work is what a task of a model computes, and how often.
type Work struct {
	Weight float64 // how often the model runs it
	FLOPs  float64 // of one run
	Bytes  float64 // that one run moves at the least
	Like   string  // equal for tasks of one structure, whatever their shapes; "" for one that is like no other
}

// Guess returns the seconds that are expected of one run of a task of which nothing was measured, on one core: 20
// GFLOP/s, 10 GB/s.
func (t Work) Guess() float64 { return t.FLOPs/20e9 + t.Bytes/10e9 }

// Options say how a budget is divided.
type Options struct {
	Seed      uint64
	First     int     // trials of a task's first round
	Round     int     // trials of any other round
	PerSecond bool    // a round costs the seconds that it is expected to take; if not, its trials
	Explore   float64 // share of rounds for a task drawn at random; 0 means 0.05, below 0 none
	Even      bool    // round-robin, to compare with: a round for the task that has the fewest trials
}

// The parameters of the gradient: alpha, beta and window are Ansor's, the others were chosen on recorded curves.
const (
	alpha    = 0.2  // of the own curve's slope; the rest is what is hoped for
	beta     = 2.0  // how much slower per FLOP a task may stay than the fastest similar one
	window   = 3    // rounds that the slope is of
	headroom = 1.2  // how much faster than the fastest task so far the machine may be
	patience = 12   // rounds without progress after which a task has converged
	progress = 0.01 // shortening of a task, in those rounds, that counts
	explored = 0.05
	dead     = 4 // rounds after which a task of which no candidate was correct is left alone
)

// A Why says what a round was given for.
type Why uint8

// The reasons of rounds.
const (
	First   Why = iota // nothing was measured of the task yet
	Slope              // the task became faster in its last rounds
	Guess              // so few rounds went to the task, for its share of the model, that much may be left
	Similar            // similar tasks are faster per FLOP
	Limit              // like Guess or Similar, as far as the machine's limit allows
	Chance             // the task was drawn at random
	Rest               // all tasks have converged
)

func (w Why) String() string {
	return [...]string{"first", "slope", "guess", "similar", "limit", "chance", "rest"}[w]
}

// A Choice is a round to be measured.
type Choice struct {
	Task   int
	Trials int
	Why    Why
}

// A Scheduler divides a budget. It may be used by one goroutine at a time.
type Scheduler struct {
	opt   Options
	tasks []*curve
}

// New returns a scheduler of tasks of which nothing was measured yet. The order of the tasks counts where they are
// equal.
func New(tasks []Work, opt Options) *Scheduler {
	if opt.Explore == 0 {
		opt.Explore = explored
	}
	opt.Round = max(opt.Round, 1)
	opt.First = max(opt.First, 1)
	s := &Scheduler{opt: opt}
	for _, t := range tasks {
		s.tasks = append(s.tasks, &curve{Work: t, round: opt.Round})
	}
	return s
}

// Report adds a trial of a task, in the order in which they were measured: what the candidate took in seconds, or 0 if
// it gave no time. Those of earlier sessions are reported like new ones.
func (s *Scheduler) Report(task int, seconds float64) { s.tasks[task].add(seconds) }

// Took says how long some trials of a task took to make and measure, in seconds.
func (s *Scheduler) Took(task, trials int, seconds float64) {
	t := s.tasks[task]
	t.took += seconds
	t.tookFor += trials
}

// Exhausted takes a task out, of which no candidate is left.
func (s *Scheduler) Exhausted(task int) { s.tasks[task].exhausted = true }

// Pass leaves a task out until Again is called, because another program is at work on it.
func (s *Scheduler) Pass(task int) { s.tasks[task].passed = true }

// Again takes those that were passed over in again. It reports whether there were any.
func (s *Scheduler) Again() bool {
	some := false
	for _, t := range s.tasks {
		some = some || t.passed
		t.passed = false
	}
	return some
}

// Trials returns the number of trials of a task.
func (s *Scheduler) Trials(task int) int { return s.tasks[task].trials }

// Best returns the fastest trial of a task in seconds, 0 if none was timed.
func (s *Scheduler) Best(task int) float64 { return s.tasks[task].best() }

// Total returns the number of trials of all tasks.
func (s *Scheduler) Total() int {
	n := 0
	for _, t := range s.tasks {
		n += t.trials
	}
	return n
}

// Model returns the sum of weight and time of all tasks of which a candidate was timed, in seconds.
func (s *Scheduler) Model() float64 {
	sum := 0.0
	for _, t := range s.tasks {
		sum += t.Weight * t.best()
	}
	return sum
}

// Next returns the next round, of at most left trials. It reports false if there is none.
func (s *Scheduler) Next(left int) (Choice, bool) {
	if left <= 0 {
		return Choice{}, false
	}
	if i, ok := s.untouched(); ok {
		return Choice{i, min(s.opt.First, left), First}, true
	}
	var live, moving []int
	for i, t := range s.tasks {
		if t.live() {
			live = append(live, i)
			if !t.converged() {
				moving = append(moving, i)
			}
		}
	}
	if len(live) == 0 {
		return Choice{}, false
	}
	trials := min(s.opt.Round, left)
	rest := len(moving) == 0
	if rest {
		moving = live
	}
	if s.opt.Even {
		return Choice{s.fewest(live), trials, Rest}, true
	}
	if rng := s.rand(); rng.Float64() < s.opt.Explore {
		return Choice{s.draw(live, rng), trials, Chance}, true
	}
	gain := s.gains()
	best := moving[0]
	for _, i := range moving {
		if gain[i].value > gain[best].value {
			best = i
		}
	}
	c := Choice{best, trials, gain[best].why}
	if rest {
		c.Why = Rest
	}
	return c, true
}

// fewest returns the first of some tasks that has the fewest trials.
func (s *Scheduler) fewest(of []int) int {
	return slices.MinFunc(of, func(a, b int) int { return cmp.Compare(s.tasks[a].trials, s.tasks[b].trials) })
}

// untouched returns the task without a trial that is expected to take most of the model.
func (s *Scheduler) untouched() (at int, ok bool) {
	most := 0.0
	for i, t := range s.tasks {
		if share := t.Weight * t.Guess(); t.trials == 0 && !t.exhausted && !t.passed && (!ok || share > most) {
			at, most, ok = i, share, true
		}
	}
	return at, ok
}

// rand returns the random numbers of the next round: they follow from the seed and the trials before.
func (s *Scheduler) rand() *rand.Rand {
	return rand.New(rand.NewPCG(s.opt.Seed, 0x6275646765740000^uint64(s.Total())))
}

// draw draws a task, by its share of the model.
func (s *Scheduler) draw(from []int, rng *rand.Rand) int {
	sum := 0.0
	for _, i := range from {
		sum += s.tasks[i].share()
	}
	at := rng.Float64() * sum
	for _, i := range from {
		if at -= s.tasks[i].share(); at < 0 {
			return i
		}
	}
	return from[len(from)-1]
}
