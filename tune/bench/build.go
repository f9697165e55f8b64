package bench

import "github.com/wmtune/wmtune/dataset/measure"

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
