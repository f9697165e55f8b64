package search

import (
	"context"

	"github.com/wmtune/wmtune/tir/schedule"
)

// Traits say what a scorer is at present, and what it does beyond Score and Update. The zero value is that of a
// scorer that learns from measurements and does nothing else. A function is nil if the scorer does not do what it
// is for.
type Traits struct {
	Untrained bool // the scores mean nothing yet: long evolution under them would be wasted

	// Frozen: the ranking does not change with measurements, except for a correction. Where it is wrong about a
	// task, it stays wrong: if it prefers one kind of program, the search measures no other unless it keeps places
	// for them.
	Frozen bool

	// Promise plans ahead. It scores partial states, whose loops have their extents but not how they are carried
	// out: the higher, the faster the best program that a state may become. A state that cannot be told of has
	// -Inf.
	Promise Scoring

	// Refine looks closer at states, which takes too long for all states of an evolution. What evolution under
	// Score finds best is put into the order of Refine before candidates are chosen. Its scores compare with no
	// value of Score. Nil scores: there is no closer look at states of this task, and those of Score stand. The
	// search asks about no states to find out which it is.
	Refine Scoring

	// Relax tells the slopes of Score: it returns the score of a state as a function of the lengths of the splits
	// that free names. The error says why it has none for this state, which is nothing unusual.
	Relax func(task *Task, state *schedule.State, free func(step int) bool) (Relaxed, error)

	// Explain says why a state scores as it does beside others of its task, and names up to n of the nearest.
	Explain func(
		ctx context.Context, task *Task, state *schedule.State, others []*schedule.State, n int,
	) (*Explanation, error)

	// Pretrain learns from tuning logs of other searches, and tells what it did.
	Pretrain func(ctx context.Context, logs []string, tell func(text string)) error

	// Forget drops what the scorer remembers of a task, with what it learned from the task's records; nil: of all
	// tasks.
	Forget func(task *Task)

	// Close ends what the scorer started, such as a process.
	Close func() error
}

// A Scoring returns one value per state, in order; higher is faster, comparable within one call. A state that
// cannot be lowered scores -Inf.
type Scoring func(ctx context.Context, task *Task, states []*schedule.State) ([]float64, error)

// A Relaxed is a score as a smooth function of split lengths, of any real value. One goroutine uses it at a time.
type Relaxed interface {
	// Vars returns the lengths that are variables.
	Vars() []schedule.Length

	// Value returns the score for the natural logarithms of the lengths, and sets its derivative by each. It need
	// not be what Score has where the lengths are whole, but near it.
	Value(y, slope []float64) float64
}

// An Explanation says why a state scores as it does.
type Explanation struct {
	Score   float64
	Better  int            // states among the others that score higher
	Actions []Contribution // of the steps that the score looks at; nil if it has no such parts
	Nearest []NearState
	Latent  bool // distances are of predicted states, not of features
}

// A Contribution is what a step adds to the score of a state.
type Contribution struct {
	Action string
	Value  float64
}

// A NearState is one of the other states.
type NearState struct {
	Index    int
	Distance float64
	Score    float64
}
