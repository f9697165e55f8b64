package bench

import "math"

// OursName is the name of the contender that all others are compared with.
const OursName = "wmtune"

// HeavySeconds is the time of the best peer from which on a workload is heavy:
// below it, what is compared is mostly what a call of the library costs.
const HeavySeconds = 150e-6

// A Row is what a workload's contenders took.
type Row struct {
	Workload string `json:"workload"` // name within the suite
	Spec     string `json:"spec"`
	Key      string `json:"key"` // of all that the times depend on

	Steps   string    `json:"steps"`  // of our kernel, in AutoScheduler's form
	Trials  int       `json:"trials"` // of the search that found it
	Scorer  string    `json:"scorer"`
	Curve   []float64 `json:"curve"` // seconds: the best so far after each trial, as the search measured it; 0: none yet
	FLOP    float64   `json:"flop"`
	Unix    int64     `json:"unix"` // seconds; when it was timed
	Load    float64   `json:"load"` // of the machine before: processes that wanted to run
	Times   []Times   `json:"times"`
	Failure string    `json:"failure,omitempty"` // why there is no kernel of ours
}

// Ours returns our times.
func (r *Row) Ours() *Times {
	for i := range r.Times {
		if r.Times[i].Name == OursName {
			return &r.Times[i]
		}
	}
	return &Times{Name: OursName, Error: r.Failure}
}

// BestPeer returns the times of the fastest other contender, nil without one.
func (r *Row) BestPeer() *Times {
	var best *Times
	for i := range r.Times {
		if t := &r.Times[i]; t.Name != OursName && t.OK() && (best == nil || t.Best() < best.Best()) {
			best = t
		}
	}
	return best
}

// Ratio compares us with the best peer. It reports whether both were timed.
func (r *Row) Ratio() (Ratio, bool) {
	peer, ours := r.BestPeer(), r.Ours()
	if peer == nil || !ours.OK() {
		return Ratio{}, false
	}
	return ratioOf(peer, ours), true
}

// Heavy reports whether the workload takes the best peer long enough for the
// cost of a call not to matter.
func (r *Row) Heavy() bool {
	peer := r.BestPeer()
	return peer != nil && peer.Best() >= HeavySeconds
}

// A Mean is the geometric mean of rows' ratios.
type Mean struct {
	Value float64 `json:"value"` // 0 without rows
	Rows  int     `json:"rows"`  // that have a ratio
	Of    int     `json:"of"`    // rows
}

// MeanRatio returns the geometric mean of the rows that count. A row without
// a ratio is left out, and counted in Of only.
func MeanRatio(rows []Row, counts func(*Row) bool) Mean {
	var m Mean
	sum := 0.0
	for i := range rows {
		if !counts(&rows[i]) {
			continue
		}
		m.Of++
		if r, ok := rows[i].Ratio(); ok {
			m.Rows++
			sum += math.Log(r.Value)
		}
	}
	if m.Rows > 0 {
		m.Value = math.Exp(sum / float64(m.Rows))
	}
	return m
}

// Means are the figures at the end of the table.
func Means(rows []Row) (heavy, all Mean) {
	return MeanRatio(rows, (*Row).Heavy), MeanRatio(rows, func(*Row) bool { return true })
}

// KernelCharts draws the search of each row beside what its best peer and the final
// measurement of our kernel took.
func KernelCharts(rows []Row) (charts []Chart, legend []Line) {
	for i := range rows {
		r := &rows[i]
		c := Chart{Title: r.Workload, Lines: []Line{{Name: "best so far", Color: Colors[0], Times: r.Curve}}}
		if peer := r.BestPeer(); peer != nil {
			c.Levels = append(c.Levels, Level{peer.Name, Colors[1], peer.Best()})
		}
		if ours := r.Ours(); ours.OK() {
			c.Levels = append(c.Levels, Level{OursName, Colors[2], ours.Best()})
		}
		charts = append(charts, c)
	}
	return charts, []Line{
		{Name: "best so far in the search", Color: Colors[0]},
		{Name: "best peer, beside ours", Color: Colors[1]},
		{Name: "ours, beside the peers", Color: Colors[2]},
	}
}
