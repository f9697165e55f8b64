package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/graph/rivals"
)

// A Curve is the latency of a model against the time that it was tuned for.
type Curve struct {
	Model   string  `json:"model"`
	Threads int     `json:"threads"`
	BestUS  float64 `json:"best_library_us,omitempty"`
	Points  []Point `json:"points"`
}

// A Point is the latency after a time. The two were not timed in turns.
type Point struct {
	Seconds  float64 `json:"seconds"`
	OursUS   float64 `json:"ours_us,omitempty"`
	TheirsUS float64 `json:"metaschedule_us,omitempty"` // the best of runs that took no longer
	Trials   int     `json:"metaschedule_trials,omitempty"`
}

// A MetaRow is a line of a file of MetaSchedule runs: a model that MetaSchedule tuned.
type MetaRow struct {
	Row     string  `json:"row"` // onnx:PATH
	Trials  int     `json:"trials"`
	Seconds float64 `json:"wall_s"`
	US      float64 `json:"tuned_us"`
}

// ReadMetaSchedule reads a file of MetaSchedule runs. It skips lines that are not of a tuned model.
func ReadMetaSchedule(path string) ([]MetaRow, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []MetaRow
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		var r MetaRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, n, err)
		}
		if strings.HasPrefix(r.Row, "onnx:") && r.US > 0 {
			list = append(list, r)
		}
	}
	return list, lines.Err()
}

// timedName is the name of our contender that was tuned for a time.
func timedName(d time.Duration) string { return fmt.Sprintf("%s@%gs", rivals.OursName, d.Seconds()) }

// curves returns the curves of rows. MetaSchedule's rows stand beside those with the most threads.
func (o ModelOptions) curves(rows []rivals.Row) []Curve {
	var list []Curve
	for i := range rows {
		r := &rows[i]
		c := Curve{Model: r.Model, Threads: r.Threads}
		if peer := r.BestPeer(); peer != nil {
			c.BestUS = 1e6 * peer.Best()
		}
		for _, d := range o.Times {
			p := Point{Seconds: d.Seconds(), OursUS: 1e6 * r.Of(timedName(d)).Best()}
			for _, m := range o.MetaSchedule {
				name := rivals.NameOf(strings.TrimPrefix(m.Row, "onnx:"))
				beside := name == r.Model && r.Threads == slices.Max(o.Threads) && m.Seconds <= p.Seconds
				if beside && (p.TheirsUS == 0 || m.US < p.TheirsUS) {
					p.TheirsUS, p.Trials = m.US, m.Trials
				}
			}
			c.Points = append(c.Points, p)
		}
		if len(c.Points) > 0 {
			list = append(list, c)
		}
	}
	return list
}
