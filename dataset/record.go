package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A Record is one measured candidate: the program, the machine, and what came
// back. Failures are records too; their Costs are empty.
type Record struct {
	WorkloadKey string // compute.DAG.WorkloadKey: the key of public logs, which does not tell types apart
	// what is computed, as canonical text, such as "matmul:m=64,n=64,k=64"; a DAG's own text has several lines
	Workload   string
	Target     target.Target
	Steps      []schedule.Step
	Trajectory string // TrajectoryHash of key, workload and steps; the Writer computes it

	Layout target.Layout // whether the layout of constant operands was chosen
	Packed string        // how they are laid out (measure.PacksText); "" if none is packed

	Timing       measure.Timing // what the caches held; costs of different kinds do not compare
	Costs        []float64      // seconds per call, all samples; empty unless Status is measure.OK
	Status       measure.Status
	Message      string  // why Status is not measure.OK; else "", or what else there is to say
	BuildSeconds float64 // spent on building, lowering included
	RunSeconds   float64 // spent on running, checking included
	Unix         int64   // seconds; when it was measured

	Scorer string  // the name of the scorer that chose the candidate
	Score  float64 // its score; higher is better; -Inf if it could not be scored
	Seed   uint64  // of the search
	Trial  int     // number of the candidate in its search, from 0; of an imported record, of its line in its log

	Source Source // what the log of another tool said of it
}

// Cost returns the smallest sample in seconds, which ranks candidates, or 0 if
// the candidate was not timed.
func (r *Record) Cost() float64 {
	return measure.Result{Costs: r.Costs}.Cost()
}

// Timed reports whether the candidate was correct and timed, so that its cost
// may rank it or train a scorer.
func (r *Record) Timed() bool { return r.Status == measure.OK && len(r.Costs) > 0 }

// mend makes a broken record, which claims to be timed and has a cost that is no
// time, an unmeasured one, so that nothing ranks it or learns from it. It returns
// what was wrong, or "".
func (r *Record) mend() string {
	if r.Status != measure.OK {
		r.Costs = nil
		return ""
	}
	for _, c := range r.Costs {
		if !measure.IsTime(c) {
			r.Status, r.Costs = measure.Unmeasured, nil
			r.Message = fmt.Sprintf("broken record: its cost is %v seconds", c)
			return r.Message
		}
	}
	return ""
}

// TrajectoryHash identifies a program by its workload and steps: 32 hex digits
// of SHA-256. Two records with equal hashes, layouts and targets measured the same program. The key
// alone would not do: it tells shapes apart, but not types.
func TrajectoryHash(workloadKey, workload string, steps []schedule.Step) string {
	text := appendText(appendText(nil, workloadKey), workload)
	for _, s := range steps {
		c := encodeStep(s)
		text = appendText(text, string(c.kind))
		text = binary.AppendUvarint(text, uint64(len(c.ints)))
		for _, v := range c.ints {
			text = binary.AppendVarint(text, v)
		}
		text = appendText(text, c.text)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// appendText appends s with its length before it, so that a list of texts reads
// in one way only.
func appendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// Outcome says in a line how a trial ended: its cost, or its status and why.
func (r *Record) Outcome() string {
	switch {
	case r.Timed():
		return FormatSeconds(r.Cost())
	case r.Message == "":
		return r.Status.String()
	}
	line, _, _ := strings.Cut(r.Message, "\n")
	return r.Status.String() + ": " + line
}

// FormatSeconds prints a duration with three significant digits in the unit that people
// use for kernels.
func FormatSeconds(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.3g us", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	}
	return fmt.Sprintf("%.3g s", s)
}
