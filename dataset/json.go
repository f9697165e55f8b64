package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// A jsonRecord is a record as JSON. Names may be added, never changed.
type jsonRecord struct {
	Record       int         `json:"record"`
	WorkloadKey  string      `json:"workload_key"`
	Workload     string      `json:"workload"`
	Target       string      `json:"target"`
	Status       string      `json:"status"`
	Message      string      `json:"message"`
	CostUS       *float64    `json:"cost_us"` // the fastest sample; null if there is none
	CostsUS      []jsonFloat `json:"costs_us"`
	BuildSeconds jsonFloat   `json:"build_seconds"`
	RunSeconds   jsonFloat   `json:"run_seconds"`
	Unix         int64       `json:"unix"`
	Scorer       string      `json:"scorer"`
	Score        jsonFloat   `json:"score"`
	Seed         uint64      `json:"seed"`
	Trial        int         `json:"trial"`
	Trajectory   string      `json:"trajectory"`
	Hardware     *TargetJSON `json:"hardware"`
	Layout       string      `json:"layout"`
	Source       *jsonSource `json:"source"` // null if wmtune measured it
	Packed       string      `json:"packed"` // constant operands and their layout, such as "w[4,64,16]"
	Timing       string      `json:"timing"` // what the caches held: repeated or deployed
}

// A jsonSource is the part of a Source that people look for.
type jsonSource struct {
	Format  string `json:"format"`
	Version string `json:"version"`
	Target  string `json:"target"`
	ErrorNo int64  `json:"error_no"`
}

// A jsonFloat is a number, or null if JSON has none for it.
type jsonFloat float64

// MarshalJSON implements json.Marshaler.
func (f jsonFloat) MarshalJSON() ([]byte, error) {
	if v := float64(f); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// A Field is a name and a text that a view adds to a record.
type Field struct{ Name, Text string }

// WriteJSON writes a record as one JSON object on a line. Number is its number
// in the log, from 0; extra fields come last. Scores that are infinite or no
// number become null.
func WriteJSON(w io.Writer, number int, r *Record, extra ...Field) error {
	costs := make([]jsonFloat, len(r.Costs))
	for i, c := range r.Costs {
		costs[i] = jsonFloat(microseconds(c))
	}
	j := jsonRecord{
		Record: number, WorkloadKey: r.WorkloadKey, Workload: r.Workload, Target: r.Target.String(),
		Status: r.Status.String(), Message: r.Message, CostsUS: costs,
		BuildSeconds: jsonFloat(r.BuildSeconds), RunSeconds: jsonFloat(r.RunSeconds), Unix: r.Unix,
		Scorer: r.Scorer, Score: jsonFloat(r.Score), Seed: r.Seed, Trial: r.Trial, Trajectory: r.Trajectory,
		Layout: r.Layout.String(), Packed: r.Packed, Timing: r.Timing.String(),
		Hardware: NewTargetJSON(r.Target),
	}
	if s := &r.Source; s.Format != "" {
		j.Source = &jsonSource{Format: s.Format, Version: s.Version, Target: s.Target, ErrorNo: s.ErrorNo}
	}
	if r.Timed() {
		us := microseconds(r.Cost())
		j.CostUS = &us
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // programs are full of < and &
	if err := enc.Encode(j); err != nil {
		return fmt.Errorf("dataset: record %d as JSON: %w", number, err)
	}
	for _, f := range extra {
		b.Truncate(b.Len() - len("}\n"))
		b.WriteByte(',')
		for i, text := range []string{f.Name, f.Text} {
			if err := enc.Encode(text); err != nil {
				return fmt.Errorf("dataset: record %d as JSON: %w", number, err)
			}
			b.Truncate(b.Len() - len("\n"))
			b.WriteString(":}"[i : i+1])
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

// microseconds converts seconds, rounded to a picosecond, below which no clock
// reads: 0.0004185 s is 418.5 µs and not 418.49999999999994.
func microseconds(seconds float64) float64 {
	return math.Round(seconds*1e12) / 1e6
}
