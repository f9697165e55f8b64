package rivals

import (
	"strings"

	"gonum.org/v1/gonum/stat"
)

// OursName is the name of the contender that all others are compared with. Names of our further contenders begin with
// it.
const OursName = "wmtune"

// A Race is what contenders took that were timed in turns.
type Race struct {
	Key     string  `json:"key"`  // of all that the times depend on
	Unix    int64   `json:"unix"` // seconds; when it was timed
	Load    float64 `json:"load"` // of the machine before: processes that wanted to run
	Times   []Times `json:"times"`
	Failure string  `json:"failure,omitempty"` // why there is none of ours
}

// Of returns the times of the contender of a name, without an error if it took no part.
func (r *Race) Of(name string) *Times {
	for i := range r.Times {
		if r.Times[i].Name == name {
			return &r.Times[i]
		}
	}
	return &Times{Name: name}
}

// Ours returns our times.
func (r *Race) Ours() *Times {
	if t := r.Of(OursName); t.OK() || t.Error != "" {
		return t
	}
	return &Times{Name: OursName, Error: r.Failure}
}

// BestPeer returns the times of the fastest contender that is not ours, nil without one.
func (r *Race) BestPeer() *Times {
	var best *Times
	for i := range r.Times {
		t := &r.Times[i]
		if !strings.HasPrefix(t.Name, OursName) && t.OK() && (best == nil || t.Best() < best.Best()) {
			best = t
		}
	}
	return best
}

// Ratio compares us with the best peer. It reports whether both were timed.
func (r *Race) Ratio() (Ratio, bool) {
	peer, mine := r.BestPeer(), r.Of(OursName)
	if peer == nil || !mine.OK() {
		return Ratio{}, false
	}
	return ratioOf(peer, mine), true
}

// A Mean is the geometric mean of races' ratios.
type Mean struct {
	Value float64 `json:"value"` // 0 without races
	Rows  int     `json:"rows"`  // that have a ratio
	Of    int     `json:"of"`    // rows
}

// MeanRatio returns the geometric mean of our ratios. A race without a ratio is left out, and counted in Of only.
func MeanRatio(list []*Race) Mean {
	var ratios []float64
	for _, c := range list {
		if r, ok := c.Ratio(); ok {
			ratios = append(ratios, r.Value)
		}
	}
	return Mean{Value: Geomean(ratios), Rows: len(ratios), Of: len(list)}
}

// Geomean returns the geometric mean of values; 0 without any.
func Geomean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return stat.GeometricMean(values, nil)
}

// A Summary is a race in short.
type Summary struct {
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

// Summary returns the race in short.
func (r *Race) Summary() Summary {
	s := Summary{Unix: r.Unix, Load: r.Load, OursUS: r.Ours().Best() * 1e6,
		US: map[string]float64{}, Spread: map[string]float64{}, Errors: map[string]string{}}
	if peer := r.BestPeer(); peer != nil {
		s.BestPeer, s.PeerUS = peer.Name, peer.Best()*1e6
	}
	if q, ok := r.Ratio(); ok {
		s.Ratio = &q
	}
	for i := range r.Times {
		t := &r.Times[i]
		if t.OK() {
			s.US[t.Name], s.Spread[t.Name] = t.Best()*1e6, t.Spread()
		} else {
			s.Errors[t.Name] = t.Error
		}
	}
	if r.Failure != "" {
		s.Errors[OursName] = r.Failure
	}
	return s
}
