package tune

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
)

// An Observer is told how a session goes on. Its methods are called one at a time, but
// Phase also from other goroutines than the session's.
type Observer interface {
	Say(text string)               // a line that stays: a warning, or what the session decided
	Phase(text string, p Progress) // what is going on now
	Round(p Progress)              // a round is over
}

// A Progress is how far a session is.
type Progress struct {
	Round        int           // from 1
	Trials, Goal int           // in the log; Goal is 0 if only time bounds the search
	New          int           // of Trials, those of this session
	Best         float64       // seconds; 0 if nothing correct was timed yet
	FLOPs        float64       // of one run of the workload
	Failed       int           // trials that gave no time
	Checked      int           // trials that were correct, and not timed
	Started      time.Time     // of the session
	Measuring    time.Time     // of the first round; zero before it
	Choosing     bool          // the scorer chooses, and nothing is measured: there are no rounds
	Budget       time.Duration // 0 means none
}

// add counts a record.
func (p *Progress) add(r *dataset.Record) {
	switch {
	case r.Status == measure.Unmeasured:
		p.Checked++
	case !r.Timed():
		p.Failed++
	case p.Best == 0 || r.Cost() < p.Best:
		p.Best = r.Cost()
	}
}

// silent is the observer of nobody.
type silent struct{}

func (silent) Say(string)             {}
func (silent) Phase(string, Progress) {}
func (silent) Round(Progress)         {}

// Logger returns an observer that writes a line for each round and for what is said.
func Logger(w io.Writer) Observer { return &logger{w: w} }

type logger struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *logger) Say(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, text)
}

func (l *logger) Phase(string, Progress) {}

func (l *logger) Round(p Progress) {
	best := "nothing correct yet"
	if p.Best > 0 {
		best = fmt.Sprintf("best %.4g us", p.Best*1e6)
	}
	l.Say(fmt.Sprintf("round %d: %d trials, %d failed, %s", p.Round, p.Trials, p.Failed, best))
}
