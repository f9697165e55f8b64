package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
)

// A result is what a search found, as --json prints it and result.json holds
// it. Fields may be added, never renamed.
type result struct {
	Workload            string         `json:"workload"`
	WorkloadKey         string         `json:"workload_key"`
	Target              string         `json:"target"`
	Scorer              string         `json:"scorer"`
	Seed                uint64         `json:"seed"`
	Layout              string         `json:"layout"` // of constant operands: keep or rewrite
	Trials              int            `json:"trials"` // in the log
	NewTrials           int            `json:"new_trials"`
	Status              map[string]int `json:"status"` // of the trials in the log
	BestUS              *float64       `json:"best_us"`
	Unmeasured          bool           `json:"unmeasured,omitempty"` // the kernel is the scorer's choice, not timed; without trials it is not checked either
	Score               *float64       `json:"score,omitempty"`      // of an unmeasured kernel; higher is faster, comparable with those of Rivals only
	Rivals              int            `json:"rivals,omitempty"`     // checked candidates that an unmeasured kernel was chosen from
	Confidence          string         `json:"confidence,omitempty"` // what the scorer says of its choice
	Takes               string         `json:"takes,omitempty"`      // what an unmeasured kernel takes of the GPU: threads, registers, shared memory
	BestGFLOPS          *float64       `json:"best_gflops"`
	UntunedUS           *float64       `json:"untuned_us"`
	UntunedStatus       string         `json:"untuned_status"`
	Tied                int            `json:"tied"`                // finalists as fast as the best, as far as the noise lets us see, itself included
	TiedRate            float64        `json:"tied_rate,omitempty"` // how often such ties hold the fastest finalist
	Steps               string         `json:"steps"`               // of the best, in AutoScheduler's form
	TF32                bool           `json:"tf32,omitempty"`      // it rounds float32 that it multiplies to tf32, as --allow-tf32 allows
	Packed              string         `json:"packed"`              // constant operands that the best has packed, such as "w[4,64,16]"
	Log                 string         `json:"log"`
	Out                 string         `json:"out"`
	Seconds             float64        `json:"seconds"`
	CandidatesPerSecond float64        `json:"candidates_per_second"`
	Reason              string         `json:"reason"`               // why the search ended
	Conditions          string         `json:"conditions,omitempty"` // how the machine was while candidates were timed
	Version             string         `json:"version"`
	Files               []string       `json:"files"`               // in Out, of the best kernel
	NoShared            string         `json:"no_shared,omitempty"` // "kernel.so: " and why there is none
}

// setBest notes the best cost in seconds.
func (r *result) setBest(seconds, flop float64) {
	us := seconds * 1e6
	r.BestUS = &us
	if flop > 0 {
		g := flop / seconds / 1e9
		r.BestGFLOPS = &g
	}
}

// clearBest forgets the best and its kernel.
func (r *result) clearBest() {
	r.BestUS, r.BestGFLOPS = nil, nil
	r.Steps, r.Packed, r.TF32 = "", "", false
	r.Files, r.NoShared = nil, ""
}

func (r *result) setUntuned(res measure.Result) {
	r.UntunedStatus = res.Status.String()
	if res.Status == measure.OK {
		us := res.Cost() * 1e6
		r.UntunedUS = &us
	}
}

// print writes the last screen.
func (r *result) print(w io.Writer) {
	if r.Unmeasured && r.Rivals > 0 {
		fmt.Fprintf(w, "the choice of %s among %d checked candidates, not timed\n", r.Scorer, r.Rivals)
		for _, line := range []string{r.Takes, r.rounding(), r.Confidence, r.ending()} {
			if line != "" {
				fmt.Fprintln(w, line)
			}
		}
		fmt.Fprintf(w, "trials: %d (%s), %d of them now\nkernel: in %s: %s\nlog: %s\n",
			r.Trials, r.statuses(), r.NewTrials, r.Out, strings.Join(r.Files, " "), r.Log)
		return
	}
	if r.Unmeasured && r.Steps != "" {
		fmt.Fprintf(w, "the choice of %s, neither measured nor checked\n", r.Scorer)
		if line := r.rounding(); line != "" {
			fmt.Fprintln(w, line)
		}
		fmt.Fprintf(w, "kernel: in %s: %s\n", r.Out, strings.Join(r.Files, " "))
		return
	}
	if r.BestUS == nil {
		fmt.Fprintf(w, "no correct kernel among %d trials: %s\n", r.Trials, r.statuses())
		if line := r.ending(); line != "" {
			fmt.Fprintln(w, line)
		}
		fmt.Fprintf(w, "log: %s\n", r.Log)
		return
	}
	fmt.Fprintf(w, "best: %s", formatSeconds(*r.BestUS/1e6))
	if r.BestGFLOPS != nil {
		fmt.Fprintf(w, ", %.1f GFLOP/s", *r.BestGFLOPS)
	}
	if r.UntunedUS != nil {
		fmt.Fprint(w, besideUntuned(*r.BestUS, *r.UntunedUS))
	} else {
		fmt.Fprintf(w, "; the untuned loop nest was not timed: %s", r.UntunedStatus)
	}
	fmt.Fprintln(w)
	if r.Tied > 1 {
		fmt.Fprintf(w, "tie: %d of the finalists are as fast, as far as this machine's noise lets us see\n", r.Tied)
	}
	fmt.Fprintf(w, "trials: %d (%s), %d of them now, %.1f a second\n", r.Trials, r.statuses(), r.NewTrials, r.CandidatesPerSecond)
	for _, line := range []string{r.ending(), r.rounding(), r.Conditions} {
		if line != "" {
			fmt.Fprintln(w, line)
		}
	}
	fmt.Fprintf(w, "kernel: in %s: %s\n", r.Out, strings.Join(r.Files, " "))
	if r.Packed != "" {
		fmt.Fprintf(w, "packed ahead of time, by a function in the kernel: %s\n", r.Packed)
	}
	if r.NoShared != "" {
		fmt.Fprintf(w, "no %s\n", r.NoShared)
	}
	fmt.Fprintf(w, "log: %s\n", r.Log)
}

// ending says why there were fewer trials than were asked for; "" if nobody asks.
func (r *result) ending() string {
	switch r.Reason {
	case search.Exhausted.String():
		return "no further candidates: the search finds none that it has not measured"
	case search.PatienceSpent.String():
		return "stopped by --patience: the last trials brought nothing better"
	}
	return ""
}

// rounding says that the kernel rounds more than float32 does; "" if it does not.
func (r *result) rounding() string {
	if r.TF32 {
		return "the float32 operands of its products are rounded to tf32 (--allow-tf32)"
	}
	return ""
}

// statuses returns the counts by status in the order of the statuses.
func (r *result) statuses() string {
	var parts []string
	for _, s := range measure.Statuses() {
		if n := r.Status[s.String()]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// besideUntuned compares the best kernel with the loop nest as it is written down. Few trials of a
// small operator may find nothing faster.
func besideUntuned(best, untuned float64) string {
	time := formatSeconds(untuned / 1e6)
	if best > 1.05*untuned {
		return fmt.Sprintf(", takes %.1f times as long as the untuned loop nest (%s): try more --trials", best/untuned, time)
	}
	return fmt.Sprintf(", %.1f times as fast as the untuned loop nest (%s)", untuned/best, time)
}
