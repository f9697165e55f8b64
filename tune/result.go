package tune

import (
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tune/scorerservice"
)

// A Result is what a session found, as result.json holds it. Fields may be added, never
// renamed.
type Result struct {
	Workload    string         `json:"workload"`
	WorkloadKey string         `json:"workload_key"`
	Searched    string         `json:"searched,omitempty"` // what records say was searched, if that is another text
	Target      string         `json:"target"`
	Scorer      string         `json:"scorer"`
	Space       string         `json:"space,omitempty"`
	Proposer    string         `json:"proposer,omitempty"`
	Seed        uint64         `json:"seed"`
	Layout      string         `json:"layout"` // of constant operands: keep or rewrite
	Trials      int            `json:"trials"` // in the log
	NewTrials   int            `json:"new_trials"`
	Status      map[string]int `json:"status"` // of the trials in the log
	BestUS      *float64       `json:"best_us"`
	// the kernel is the scorer's choice, not timed; without trials it is not checked either
	Unmeasured bool `json:"unmeasured,omitempty"`
	// of an unmeasured kernel; higher is faster, comparable with those of the same choice only
	Score *float64 `json:"score,omitempty"`
	// checked candidates that an unmeasured kernel was chosen from
	Rivals     int    `json:"rivals,omitempty"`
	Confidence string `json:"confidence,omitempty"` // what the scorer says of its choice
	// what an unmeasured kernel takes of the GPU: threads, registers, shared memory
	ResourceUsage string   `json:"takes,omitempty"`
	BestGFLOPS    *float64 `json:"best_gflops"`
	UntunedUS     *float64 `json:"untuned_us"`
	UntunedStatus string   `json:"untuned_status"`
	// finalists as fast as the best, as far as the noise lets us see, itself included
	Tied     int     `json:"tied"`
	TiedRate float64 `json:"tied_rate,omitempty"` // how often such ties hold the fastest finalist
	Steps    string  `json:"steps"`               // of the best, in AutoScheduler's form
	// it rounds float32 that it multiplies to tf32, as --allow-tf32 allows
	TF32 bool `json:"tf32,omitempty"`
	// it computes a convolution by Winograd's algorithm
	Winograd bool `json:"winograd,omitempty"`
	// constant operands that the best has packed, such as "w[4,64,16]"
	Packed              string  `json:"packed"`
	Log                 string  `json:"log"`
	Out                 string  `json:"out"`
	Seconds             float64 `json:"seconds"`
	CandidatesPerSecond float64 `json:"candidates_per_second"`
	Reason              string  `json:"reason"`               // why the search ended
	Conditions          string  `json:"conditions,omitempty"` // how the machine was while candidates were timed
	Version             string  `json:"version"`
	// how a command did as the scorer
	Command  *scorerservice.Report `json:"scorer_command,omitempty"`
	Files    []string              `json:"files"`               // in Out, of the best kernel
	NoShared string                `json:"no_shared,omitempty"` // "kernel.cubin: " and why there is none

	kernel []model.File // the best kernel
}

// setBest notes the best cost in seconds.
func (r *Result) setBest(seconds, flop float64) {
	us := seconds * 1e6
	r.BestUS = &us
	if flop > 0 {
		g := flop / seconds / 1e9
		r.BestGFLOPS = &g
	}
}

// clearBest forgets the best and its kernel.
func (r *Result) clearBest() {
	r.BestUS, r.BestGFLOPS = nil, nil
	r.Steps, r.Packed, r.TF32, r.Winograd = "", "", false, false
	r.Files, r.NoShared = nil, ""
}

func (r *Result) setUntuned(res measure.Result) {
	r.UntunedStatus = res.Status.String()
	if res.Status == measure.OK {
		us := res.Cost() * 1e6
		r.UntunedUS = &us
	}
}
