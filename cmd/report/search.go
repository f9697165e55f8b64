package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/collect"
)

// Search writes the last screen of a search. The last line says if a command that was the scorer failed.
func Search(w io.Writer, r *tune.Result) {
	found(w, r)
	if r.Command != nil {
		lines(w, r.Command.Sentence())
	}
}

// lines writes the texts that are not empty, a line each.
func lines(w io.Writer, list ...string) {
	for _, line := range list {
		if line != "" {
			fmt.Fprintln(w, line)
		}
	}
}

func found(w io.Writer, r *tune.Result) {
	if r.Unmeasured && r.Rivals > 0 {
		fmt.Fprintf(w, "the choice of %s among %d checked candidates, not timed\n", r.Scorer, r.Rivals)
		lines(w, r.ResourceUsage, rounding(r), r.Confidence, ending(r))
		fmt.Fprintf(w, "trials: %d (%s), %d of them now\nkernel: in %s: %s\nlog: %s\n",
			r.Trials, statuses(r.Status), r.NewTrials, r.Out, strings.Join(r.Files, " "), r.Log)
		return
	}
	if r.Unmeasured && r.Steps != "" {
		fmt.Fprintf(w, "the choice of %s, checked and not measured\n", r.Scorer)
		lines(w, r.ResourceUsage, rounding(r), r.Confidence)
		fmt.Fprintf(w, "kernel: in %s: %s\n", r.Out, strings.Join(r.Files, " "))
		return
	}
	if r.BestUS == nil {
		if r.Trials == 0 {
			fmt.Fprintln(w, "no kernel: no candidate was measured")
		} else {
			fmt.Fprintf(w, "no correct kernel among %d trials: %s\n", r.Trials, statuses(r.Status))
		}
		lines(w, ending(r))
		fmt.Fprintf(w, "log: %s\n", r.Log)
		return
	}
	fmt.Fprintf(w, "best: %s", dataset.FormatSeconds(*r.BestUS/1e6))
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
		fmt.Fprintf(w, "tie: %d finalists are equally fast within this machine's noise\n", r.Tied)
	}
	fmt.Fprintf(w, "trials: %d (%s), %d of them now, %.1f a second\n", r.Trials, statuses(r.Status), r.NewTrials,
		r.CandidatesPerSecond)
	lines(w, ending(r), rounding(r), r.Conditions)
	fmt.Fprintf(w, "kernel: in %s: %s\n", r.Out, strings.Join(r.Files, " "))
	if r.Packed != "" {
		fmt.Fprintf(w, "packed ahead of time by a function beside the kernel: %s\n", r.Packed)
	}
	if r.NoShared != "" {
		fmt.Fprintf(w, "no %s\n", r.NoShared)
	}
	fmt.Fprintf(w, "log: %s\n", r.Log)
}

// Collected says what a collection found.
func Collected(w io.Writer, r *collect.Result) {
	fmt.Fprintf(w, "tasks: %d of %d complete, of %d structures", r.Complete, r.Tasks, r.Structures)
	if r.Exhausted > 0 {
		fmt.Fprintf(w, ", %d more with a search space of fewer than %d candidates", r.Exhausted, r.PerTask)
	}
	fmt.Fprintf(w, "\nrecords: %d (%s), %d of them now, %.1f a second\n", r.Records, statuses(r.Status), r.NewRecords,
		r.RecordsPerSecond)
	if n := r.Noise; n != nil {
		fmt.Fprintf(w, "noise: the middle sample of a record is %.1f %% above its best at the median, %.1f "+
			"%% at the 95th percentile\n",
			100*n.Median, 100*n.P95)
	}
	fmt.Fprintf(w, "log: %s\n", r.Log)
}

// ending says why there were fewer trials than were asked for; "" if nobody asks.
func ending(r *tune.Result) string {
	switch r.Reason {
	case search.Exhausted.String():
		return "no further candidates: the search finds none that it has not measured"
	case search.PatienceSpent.String():
		return "stopped by --patience: the last trials brought nothing better"
	}
	return ""
}

// rounding says that the kernel rounds otherwise than the definition in float32 does; "" if it does not.
func rounding(r *tune.Result) string {
	if r.Winograd {
		return "convolution: computed by Winograd's algorithm; GFLOP/s count the operations of the direct sum, which " +
			"--space direct computes"
	}
	if r.TF32 {
		return "the float32 operands of its products are rounded to tf32 (--allow-tf32)"
	}
	return ""
}

// statuses returns the counts by status in the order of the statuses.
func statuses(count map[string]int) string {
	var parts []string
	for _, s := range measure.Statuses() {
		if n := count[s.String()]; n > 0 {
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
	time := dataset.FormatSeconds(untuned / 1e6)
	if best > 1.05*untuned {
		return fmt.Sprintf(", takes %.1f times as long as the untuned loop nest (%s): try more --trials", best/untuned, time)
	}
	return fmt.Sprintf(", %.1f times as fast as the untuned loop nest (%s)", untuned/best, time)
}
