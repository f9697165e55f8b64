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

// A KernelReport is what the benchmark kernels prints as JSON.
type KernelReport struct {
	Machine string    `json:"machine"`
	Version string    `json:"version"`
	Peers   []string  `json:"peers"`
	Trials  int       `json:"trials"`
	Scorer  string    `json:"scorer"`
	Seed    uint64    `json:"seed"`
	Rows    []Figures `json:"rows"`
	Heavy   Mean      `json:"heavy"` // of the rows whose best peer takes HeavySeconds or more
	All     Mean      `json:"all"`
}

// Figures are a row in short.
type Figures struct {
	Workload string             `json:"workload"`
	Spec     string             `json:"spec"`
	Heavy    bool               `json:"heavy"`
	BestPeer string             `json:"best_peer,omitempty"`
	PeerUS   float64            `json:"peer_us,omitempty"`
	OursUS   float64            `json:"ours_us,omitempty"`
	Ratio    *Ratio             `json:"ratio,omitempty"`
	US       map[string]float64 `json:"us"`     // of each contender: the best time
	Spread   map[string]float64 `json:"spread"` // how much longer the median round took
	Errors   map[string]string  `json:"errors,omitempty"`
	Unix     int64              `json:"unix"`
	Load     float64            `json:"load"`
}

// NewKernelReport summarizes rows.
func NewKernelReport(rows []Row) KernelReport {
	var report KernelReport
	for i := range rows {
		report.Rows = append(report.Rows, rows[i].figures())
	}
	report.Heavy, report.All = Means(rows)
	return report
}

func (r *Row) figures() Figures {
	f := Figures{
		Workload: r.Workload, Spec: r.Spec, Heavy: r.Heavy(), Unix: r.Unix, Load: r.Load,
		OursUS: r.Ours().Best() * 1e6, US: map[string]float64{}, Spread: map[string]float64{}, Errors: map[string]string{},
	}
	if peer := r.BestPeer(); peer != nil {
		f.BestPeer, f.PeerUS = peer.Name, peer.Best()*1e6
	}
	if q, ok := r.Ratio(); ok {
		f.Ratio = &q
	}
	for i := range r.Times {
		t := &r.Times[i]
		if t.OK() {
			f.US[t.Name], f.Spread[t.Name] = t.Best()*1e6, t.Spread()
		} else {
			f.Errors[t.Name] = t.Error
		}
	}
	if r.Failure != "" {
		f.Errors[OursName] = r.Failure
	}
	return f
}
