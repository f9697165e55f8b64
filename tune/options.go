package tune

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/spell"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// Options say how a workload is tuned. The zero value searches for 64 trials with the
// default scorer and keeps nothing on disk.
type Options struct {
	Trials   int           // trials in the log in the end; 0 means 64, or no limit if Time is set
	Time     time.Duration // to tune, opening included; 0 means no limit
	Patience int           // trials without a better one after which to stop; 0 means no limit
	PerRound int           // candidates in a round; 0 means a quarter of the trials, 4 to 64

	// Scorer ranks candidates; ScorerName stands in the records. Without a Scorer,
	// ScorerName names one of package costmodel, and Model says how it is opened.
	// Without both it is costmodel.Default.
	Scorer     search.Scorer
	ScorerName string
	Model      costmodel.Options // Seed, Kind and Tell are filled in
	Pretrain   []string          // logs that gbt, mlp or xgb learns from first; an error with another scorer, or a Scorer
	Taught     bool              // the Scorer has learned from the records of the log before

	// Proposer seeks candidates. Without one, Propose names one of Proposers; "" means the first. Where it has a
	// name of its own, that stands in the records.
	Proposer search.Proposer
	Propose  string

	Seed      uint64         // the same seed gives the same candidates
	Space     string         // of package search/space; "" means the default
	Layout    target.Layout  // weight layout; target.Keep is the zero value
	Timing    measure.Timing // what the caches hold when a candidate is timed
	AllowTF32 bool           // tensor cores may round the float32 operands of products to tf32
	Workers   int            // goroutines that make candidates; 0 means one per core

	Log  string // file of the tuning log, which is continued if it exists; "" keeps none
	Out  string // folder that holds the best kernel so far at any moment; "" keeps none
	Name string // of the exported function and of all its symbols; "" means the workload's

	Evolution evolve.Options     // of the evolutionary search; the zero value has its defaults
	Finalists int                // best candidates to measure again at the end; 0 means the default, below 0 none
	Writing   sync.Locker        // held while results are written, so that a program can end hard in between; may be nil
	Stop      <-chan struct{}    // when it is closed, the round under way is finished and kept, and the search ends
	Observer  Observer           // told what happens; may be nil
	OnEvent   func(search.Event) // told what the search does, before the Observer; may be nil
}

// An OptionError says that options of this package or one below it do not fit each other, the machine or the
// log. The command calls it bad usage.
type OptionError struct{ text string }

func (e *OptionError) Error() string { return e.text }

// Optionf returns an *OptionError.
func Optionf(format string, args ...any) error { return &OptionError{fmt.Sprintf(format, args...)} }

// withDefaults fills in what the options leave open, for a kind of target. What does not fit is an *OptionError.
func (o Options) withDefaults(kind target.Kind) (Options, error) {
	if o.Trials == 0 && o.Time == 0 {
		o.Trials = 64
	}
	if o.ScorerName == "" && o.Scorer == nil {
		o.ScorerName = costmodel.DefaultFor(kind)
	}
	if o.Observer == nil {
		o.Observer = silent{}
	}
	switch {
	case o.Trials < 0, o.Time < 0, o.Patience < 0, o.PerRound < 0, o.Workers < 0:
		return o, Optionf("tune: a negative number: trials %d, time %v, patience %d, per round %d, workers %d", o.Trials,
			o.Time, o.Patience, o.PerRound, o.Workers)
	case o.ScorerName == "":
		return o, Optionf("tune: a Scorer needs a ScorerName, which stands in the records")
	case o.Scorer == nil && !costmodel.Known(o.ScorerName):
		return o, Optionf("tune: unknown scorer %q: known are %s%s", o.ScorerName, costmodel.Help(),
			spell.Hint(o.ScorerName, costmodel.Names()))
	case len(o.Pretrain) > 0 && (o.Scorer != nil || !costmodel.Learns(o.ScorerName)):
		return o, Optionf("only a scorer gbt, mlp or xgb that the session opens learns from logs first (Pretrain), not %s",
			o.ScorerName)
	}
	if o.Name != "" {
		if err := model.ValidKernelName(o.Name); err != nil {
			return o, Optionf("%v; choose another with --name", err)
		}
	}
	if _, err := machine.LayoutFor(kind, o.Layout, true); err != nil {
		return o, Optionf("%v", err)
	}
	if _, err := o.space(kind); err != nil {
		return o, Optionf("%v", err)
	}
	if err := o.fits(kind); err != nil {
		return o, err
	}
	if o.Propose == "" && o.Proposer == nil {
		o.Propose = Proposers()[0]
	}
	return o, nil
}

// space returns the search space.
func (o *Options) space(kind target.Kind) (search.Space, error) {
	return space.Find(kind, o.Space, space.Config{Layout: o.Layout, TF32: o.AllowTF32})
}

// Version returns the version of wmtune and, if the program was built in a checkout, its commit: "0.1.0
// (99f2a630abcd)".
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return model.Version + " (" + s.Value[:12] + ")"
			}
		}
	}
	return model.Version
}
