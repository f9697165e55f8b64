package bench

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
