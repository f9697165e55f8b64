package search

import (
	"errors"
	"fmt"
	"time"

	"github.com/wmtune/wmtune/dataset"
)

// Options say how long to search and whom to tell. The zero value searches for
// 64 trials.
type Options struct {
	Trials   int           // candidates to measure in this run; 0 means 64, or no limit if Time is set
	Time     time.Duration // to search; 0 means no limit; needs Clock
	Patience int           // trials without a better time after which to stop, those taken over included; 0 means no limit
	PerRound int           // candidates in a round; 0 means RoundSize(Trials); less when time is running out

	// Pieces that a round is built in, each while the one before it runs: more of
	// them disturb the timing more, and leave less of the machine idle. 0 means 2, of
	// a quarter and the rest; more are of one size.
	Pieces int

	Propose Proposer // nil: Evolve

	// Phases say how many candidates each proposer seeks, one after the other; none: Propose seeks all.
	Phases []Phase

	Seed       uint64
	ScorerName string  // stands in the records
	Taught     bool    // the scorer has learned from the records before
	Workers    int     // goroutines that make candidates; 0 means one per processor
	Explore    float64 // the share of random candidates in a round; 0 means 0.05, below 0 none
	Finalists  int     // best candidates to measure again in turns at the end; 0 means DefaultFinalists, below 0 none

	Clock func() time.Time // nil: no time is taken
	Stop  <-chan struct{}  // when it is closed, the round under way is finished and kept, and the search ends

	// The callbacks are called one at a time, from Run's goroutine, but OnEvent also from that
	// of a builder while candidates are checked. An error of OnRound ends the search.
	OnRound func(Round) error // after each round, before the scorer learns of it

	// OnWithdrawn is told of a candidate that was ok in a round and failed as a
	// finalist: the record of that failure. An error ends the search.
	OnWithdrawn func(dataset.Record) error
	OnEvent     func(Event)
}

// A Round is what one round of the search did.
type Round struct {
	Number  int // from 0, in this run
	Records []dataset.Record
	Trials  int // measured so far in this run, this round included
	Best    dataset.Record
	Found   bool // there is a Best
	Elapsed time.Duration
}

// An Event tells what the search is doing.
type Event struct {
	Kind  EventKind
	Round int
	Count int // of what is worked on: sketches, candidates, finalists
}

// An EventKind is what an event tells of.
type EventKind uint8

// The kinds of events.
const (
	Sketched  EventKind = iota // Count sketches were made
	Resumed                    // Count records of a log were taken over
	Proposing                  // candidates are being sought
	Building                   // Count candidates are being built
	Running                    // Count candidates are being run
	Learning                   // the scorer learns from Count records
	Finals                     // Count finalists are being measured again
)

func (k EventKind) String() string {
	return [...]string{"sketched", "resumed", "proposing", "building", "running", "learning", "finals"}[k]
}

// A StopReason says why a search ended.
type StopReason uint8

// The reasons for the end of a search.
const (
	TrialsSpent StopReason = iota
	TimeSpent
	PatienceSpent
	Exhausted // no candidate is left that was not measured
	Stopped   // by Options.Stop
	Cancelled // by the context
)

func (r StopReason) String() string {
	return [...]string{"trials spent", "time spent", "patience spent", "space exhausted", "stopped", "cancelled"}[r]
}

// ErrNothingCorrect is the error of a search in which no candidate, measured or
// taken over from a log, was correct and timed.
var ErrNothingCorrect = errors.New("search: no candidate was correct")

// ErrTimeOver is the error of a Scorer whose own time is over: the search ends, as it does when its time is spent.
var ErrTimeOver = errors.New("search: the time of the scorer is over")

// errTimeOver is ErrNothingCorrect of a search that came to no candidate.
var errTimeOver = fmt.Errorf("%w: the time was over before one was measured", ErrNothingCorrect)

// RoundSize returns the usual number of candidates in a round of a search of so many
// trials: a quarter of them, 4 to 64. Few trials in one round would bring nothing back
// to choose the next by. Without a limit, 0, it is 64.
func RoundSize(trials int) int {
	if trials == 0 {
		return 64
	}
	return min(64, max(4, trials/4))
}

func (o Options) withDefaults() (Options, error) {
	if o.Time > 0 && o.Clock == nil {
		return o, errors.New("search: a time budget needs a clock")
	}
	if o.Trials < 0 || o.Time < 0 || o.Patience < 0 || o.PerRound < 0 {
		return o, fmt.Errorf("search: negative budget: trials %d, time %v, patience %d, per round %d",
			o.Trials, o.Time, o.Patience, o.PerRound)
	}
	if o.Pieces == 0 {
		o.Pieces = 2
	}
	if o.Pieces < 2 {
		return o, fmt.Errorf("search: a round in %d pieces", o.Pieces)
	}
	if o.Trials == 0 && o.Time == 0 {
		o.Trials = 64
	}
	if o.PerRound == 0 {
		o.PerRound = RoundSize(o.Trials)
	}
	if o.Explore == 0 {
		o.Explore = 0.05
	}
	if o.Propose == nil {
		o.Propose = Evolve{}
	}
	if o.Finalists == 0 {
		o.Finalists = DefaultFinalists
	}
	if o.Clock == nil {
		o.Clock = func() time.Time { return time.Time{} }
	}
	return o, nil
}
