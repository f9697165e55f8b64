package bench

import (
	"errors"
	"slices"
)

// Times are what a contender took for a workload.
type Times struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rounds  [][]float64 `json:"rounds,omitempty"` // seconds per call: the samples of each round
	Error   string      `json:"error,omitempty"`  // why there are no times
	Missing bool        `json:"missing,omitempty"`
}

// fail notes an error; what was timed before it does not count.
func (t *Times) fail(err error) {
	if err == nil {
		return
	}
	var missing *MissingError
	t.Error, t.Missing, t.Rounds = err.Error(), errors.As(err, &missing), nil
}

// OK reports whether the contender was timed.
func (t *Times) OK() bool { return t.Error == "" && len(t.Rounds) > 0 }

// Best returns the smallest sample in seconds; 0 without one.
func (t *Times) Best() float64 {
	if !t.OK() {
		return 0
	}
	return slices.Min(t.minima())
}

// Spread says how much longer than the best round the median one took: 0.1 is
// a tenth longer.
func (t *Times) Spread() float64 {
	if !t.OK() {
		return 0
	}
	list := slices.Sorted(slices.Values(t.minima()))
	return list[len(list)/2]/list[0] - 1
}

// minima are the best samples of the rounds.
func (t *Times) minima() []float64 {
	var list []float64
	for _, r := range t.Rounds {
		list = append(list, slices.Min(r))
	}
	return list
}

// A Ratio says how many times as long as we a peer takes: above 1, we are
// faster. Value is that of the best times. Low and High are the 95 % confidence
// interval of the median of the rounds' ratios: noise that lasts longer than a
// round falls out of it, so Value may lie outside.
type Ratio struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// ratioOf compares two contenders that took turns.
func ratioOf(peer, ours *Times) Ratio {
	theirs, mine := peer.minima(), ours.minima()
	list := make([]float64, min(len(theirs), len(mine)))
	for i := range list {
		list[i] = theirs[i] / mine[i]
	}
	slices.Sort(list)
	k := signRank(len(list))
	return Ratio{peer.Best() / ours.Best(), list[k], list[len(list)-1-k]}
}

// signRank returns the largest k for which the median of a distribution lies
// between the (k+1)th smallest and largest of n samples with probability 0.95 at
// least (the sign test, which assumes nothing of the distribution); 0 if there is
// none.
func signRank(n int) int {
	k, p, sum := 0, 1.0, 0.0
	for range n {
		p /= 2
	}
	for i := range n / 2 { // p is the probability of i heads in n throws
		if sum += p; 2*sum > 0.05 {
			break
		}
		k = i
		p = p * float64(n-i) / float64(i+1)
	}
	return k
}
