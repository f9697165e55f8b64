package ranker

import (
	"math"
	"math/rand/v2"

	"github.com/wmtune/wmtune/ranker/metric"
	"github.com/wmtune/wmtune/ranker/xgboost"
)

// Pairs is an objective of ours: the logistic loss of all pairs inside a task, as of
// the networks. XGBoost's rank:pairwise draws one pair for each row (1.7.4), which
// leaves more to luck. A pair weighs more the better its better candidate is, and
// tasks weigh by their number of candidates.
const Pairs Objective = "pairs"

// partners bounds with how many others a candidate is compared in a round.
const partners = 128

// pairs derives the loss of groups of candidates.
type pairs struct {
	groups []Group
	seed   uint64
}

// derive is an xgboost.Objective.
func (p *pairs) derive(round int, pred, grad, hess []float32) bool {
	clear(grad)
	clear(hess)
	at := 0
	for g := range p.groups {
		y := p.groups[g].Quality
		n := len(y)
		p.group(round, g, y, pred[at:at+n], grad[at:at+n], hess[at:at+n])
		at += n
	}
	return true
}

// group derives one group. Of a large one, each candidate meets those that stand a
// drawn distance behind it.
func (p *pairs) group(round, number int, y []float64, pred, grad, hess []float32) {
	n := len(y)
	steps := make([]int, 0, n-1)
	for d := 1; d < n; d++ {
		steps = append(steps, d)
	}
	if n > 2*partners {
		rng := rand.New(rand.NewPCG(p.seed, uint64(round)<<32|uint64(number)))
		rng.Shuffle(len(steps), func(i, k int) { steps[i], steps[k] = steps[k], steps[i] })
		steps = steps[:partners]
	}
	sum := 0.0
	for _, d := range steps {
		for i := range n {
			k := (i + d) % n
			if n <= 2*partners && k < i { // each pair once
				continue
			}
			better, worse := i, k
			if y[k] > y[i] {
				better, worse = k, i
			}
			if y[better]-y[worse] <= metric.MinBand {
				continue
			}
			w := 0.3 + y[better]
			share := 1 / (1 + math.Exp(float64(pred[better]-pred[worse])))
			sum += w
			grad[better] -= float32(w * share)
			grad[worse] += float32(w * share)
			h := float32(w * share * (1 - share))
			hess[better] += h
			hess[worse] += h
		}
	}
	if sum == 0 {
		return
	}
	scale := float32(float64(n) / sum)
	for i := range grad {
		grad[i] *= scale
		hess[i] *= scale
	}
}

var _ xgboost.Objective = (&pairs{}).derive
