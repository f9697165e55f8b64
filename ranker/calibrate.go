package ranker

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/ranker/metric"
)

// A Calibration says how sure a model may be of which of two candidates of a task is faster: by the logistic function
// of the difference of their scores over an uncertainty, which grows with the spreads of both. Half of the families of
// the validation tasks fit the uncertainty, the other half judge it; the weights of the parts were chosen on all.
type Calibration struct {
	Base     float64 // uncertainty of a pair without any spread, in units of the score
	BySpread float64 // what a unit of spread adds, in squares: uncertainty² = Base² + BySpread² (a² + b²)

	Bins          []CalibrationBin // by what is expected, of the families that judge
	Error         float64          // mean of |expected - seen| over the bins, weighted by their pairs
	LogLoss       float64          // mean over pairs
	LogLossPlain  float64          // the same if spreads count for nothing, fitted alike
	LogLossChance float64          // of even odds
}

// A CalibrationBin is the pairs of which the model is about equally sure.
type CalibrationBin struct {
	Pairs          int
	Expected, Seen float64 // share of the pairs in which the candidate of the higher score is the faster
}

// calibrationBins divide what is expected, from one half to one.
const calibrationBins = 5

// calibrated is how many candidates of a task are compared, taken evenly: all pairs of hundreds would take minutes.
const calibrated = 128

// A ratedPair is two candidates of a task whose times differ, the one with the higher score first.
type ratedPair struct {
	difference float64 // of the scores
	spread     float64 // of both, sum of squares
	right      bool    // the first is faster
}

// likely returns how likely the first is faster.
func (p *ratedPair) likely(base, bySpread float64) float64 {
	return 1 / (1 + math.Exp(-p.difference/math.Sqrt(base*base+bySpread*bySpread*p.spread)))
}

// Calibrate calibrates a model by tasks that it has not learned from. Without two families there is nothing to judge
// by: then all is 0.
func (m *Model) Calibrate(tasks []Candidates) Calibration {
	var families []string
	for i := range tasks {
		families = append(families, tasks[i].Family)
	}
	slices.Sort(families)
	families = slices.Compact(families)
	var halves [2][]ratedPair
	for i := range tasks {
		k, _ := slices.BinarySearch(families, tasks[i].Family)
		halves[k%2] = append(halves[k%2], m.pairs(&tasks[i])...)
	}
	if len(halves[0]) == 0 || len(halves[1]) == 0 {
		return Calibration{}
	}
	var c Calibration
	base, _ := fitUncertainty(halves[0], []float64{0})
	c.LogLossPlain = logLoss(halves[1], base, 0)
	c.Base, c.BySpread = fitUncertainty(halves[0], []float64{0, 0.125, 0.25, 0.5, 1, 2, 4})
	c.LogLoss, c.LogLossChance = logLoss(halves[1], c.Base, c.BySpread), math.Ln2
	c.judge(halves[1])
	return c
}

// pairs returns the pairs of some of a task's candidates that did not fail.
func (m *Model) pairs(of *Candidates) []ratedPair {
	var list []int
	for i := range min(calibrated, len(of.Quality)) {
		list = append(list, i*len(of.Quality)/min(calibrated, len(of.Quality)))
	}
	t := of.some(list)
	scores, spread := m.Score(t.Features, t.Values), m.Spread(t.Features, t.Values)
	var pairs []ratedPair
	for a, qa := range t.Quality {
		for b, qb := range t.Quality {
			if qa > 0 && qb > 0 && math.Abs(qa-qb) > metric.MinBand && scores[a] > scores[b] {
				squares := spread[a]*spread[a] + spread[b]*spread[b]
				pairs = append(pairs, ratedPair{scores[a] - scores[b], squares, qa > qb})
			}
		}
	}
	return pairs
}

// fitUncertainty returns the uncertainty under which the pairs are the most likely, of a grid.
func fitUncertainty(pairs []ratedPair, bySpread []float64) (base, by float64) {
	best := math.Inf(1)
	for _, s := range bySpread {
		for e := -12.0; e <= 8; e++ {
			b := math.Exp2(e / 4)
			if l := logLoss(pairs, b, s); l < best {
				best, base, by = l, b, s
			}
		}
	}
	return base, by
}

func logLoss(pairs []ratedPair, base, bySpread float64) float64 {
	sum := 0.0
	for i := range pairs {
		p := pairs[i].likely(base, bySpread)
		if !pairs[i].right {
			p = 1 - p
		}
		sum -= math.Log(max(p, 1e-12))
	}
	return sum / float64(len(pairs))
}

// judge fills the bins.
func (c *Calibration) judge(pairs []ratedPair) {
	c.Bins = make([]CalibrationBin, calibrationBins)
	for i := range pairs {
		p := pairs[i].likely(c.Base, c.BySpread)
		bin := &c.Bins[min(int((p-0.5)*2*calibrationBins), calibrationBins-1)]
		bin.Pairs++
		bin.Expected += p
		if pairs[i].right {
			bin.Seen++
		}
	}
	for i := range c.Bins {
		b := &c.Bins[i]
		if b.Pairs > 0 {
			c.Error += math.Abs(b.Expected-b.Seen) / float64(len(pairs))
			b.Expected, b.Seen = b.Expected/float64(b.Pairs), b.Seen/float64(b.Pairs)
		}
	}
}
