package trajectory

import (
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compact"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Trajectory is one record of a log with the programs that its steps lead
// through.
type Trajectory struct {
	Task   int    // number of the task
	Log    string // SHA-256 of the log, as hex digits
	Record int    // its number there, from 0
	Hash   string // dataset.TrajectoryHash

	StepText string // all steps, as JSON in AutoScheduler's form; see Steps

	// States are rows of states: States[0] has no steps, States[t+1] comes of
	// States[t] by Actions[t]. Equal neighbours are an action that changes nothing.
	States  []int32
	Actions []int32 // rows of actions
	Stopped string  // why there are fewer actions than steps; "" if there are not

	Status  measure.Status
	Message string
	Costs   []float64 // seconds; empty unless it was timed

	// Cost to Relevance are 0 unless the trajectory was timed.
	Cost      float64 // seconds, the smallest of Costs
	Label     float64 // the task's best cost / Cost: 1 for the best
	Level     int     // tie band, 0 for the fastest
	Relevance int     // MaxRelevance for the fastest band, down to 0

	Scorer string
	Score  float64
	Unix   int64 // seconds; when it was measured
	Trial  int   // of its search, from 0; of an imported record, the number of its line
}

// Timed reports whether the trajectory has a cost. What has none failed, or is measure.Unmeasured. The transition and
// the ranker learn a failure as quality 0, its Label, and pass over what is unmeasured; the encoder's labels are of
// timed trajectories alone.
func (t *Trajectory) Timed() bool { return len(t.Costs) > 0 }

// Whole reports whether every step is an action.
func (t *Trajectory) Whole() bool { return t.Stopped == "" }

// Steps returns all steps, for replay.
func (t *Trajectory) Steps() ([]schedule.Step, error) { return schedule.ParseSteps([]byte(t.StepText)) }

// A State is a program on the way.
type State struct {
	ID   compact.ID
	Text string // package tir/compact
}

// An Action is a step as a model sees it.
type Action struct {
	Kind   schedule.Kind
	Text   string
	Vector []float32 // Meta.Vector numbers
}
