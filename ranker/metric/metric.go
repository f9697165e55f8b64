// Package metric says how good a ranking of measured candidates is.
//
// All functions are about the n candidates of one task: s holds their scores
// (higher is better, -Inf is possible) and y their quality, the best cost of the
// task over their own: 1 for the fastest, 0 for what failed. Candidates of equal
// score are taken in their order. A figure for several tasks is the unweighted
// mean of the tasks' figures.
//
// The package must not know where scores or measurements come from.
package metric

import (
	"cmp"
	"math"
	"slices"
)

// Order returns the candidates by falling score. Equal ones keep their order.
func Order(s []float64) []int {
	list := make([]int, len(s))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(s[b], s[a]) })
	return list
}

// TopK returns the top-k score: the best quality among the k candidates with the
// highest scores.
func TopK(s, y []float64, k int) float64 {
	best := 0.0
	list := Order(s)
	for _, i := range list[:min(k, len(list))] {
		best = max(best, y[i])
	}
	return best
}

// Regret returns regret@k: what is missing to the best after measuring the k
// candidates with the highest scores.
func Regret(s, y []float64, k int) float64 { return 1 - TopK(s, y, k) }

// Recall returns recall@k: the share of the k best candidates that are among the
// k with the highest scores. If there are fewer than k candidates, k is their
// number.
func Recall(s, y []float64, k int) float64 {
	k = min(k, len(y))
	if k == 0 {
		return 0
	}
	best := map[int]bool{}
	for _, i := range Order(y)[:k] {
		best[i] = true
	}
	found := 0
	for _, i := range Order(s)[:k] {
		if best[i] {
			found++
		}
	}
	return float64(found) / float64(k)
}

// Speeds returns of each time the best one of its group over it; 0 of a time of 0, which is that of what failed.
func Speeds(costs []float64, groups []string) []float64 {
	best := map[string]float64{}
	for i, c := range costs {
		if b := best[groups[i]]; c > 0 && (b == 0 || c < b) {
			best[groups[i]] = c
		}
	}
	list := make([]float64, len(costs))
	for i, c := range costs {
		if c > 0 {
			list[i] = best[groups[i]] / c
		}
	}
	return list
}

// AverageRecall returns AutoTVM's a-recall@n (python/tvm/autotvm/tuner/metric.py). It is a mean over the n candidates
// with the highest scores: of the i-th of them, from 0 on, how many before it have one of the ranks 0 to i, over i+1.
// If there are fewer candidates, what is missing counts as 0.
func AverageRecall(s, y []float64, n int) float64 {
	rank := make([]int, len(y))
	for place, i := range Order(y) {
		rank[i] = place
	}
	order := Order(s)
	sum := 0.0
	for i := range min(n, len(order)) {
		found := 0
		for _, k := range order[:i] {
			if rank[k] <= i {
				found++
			}
		}
		sum += float64(found) / float64(i+1)
	}
	return sum / float64(n)
}

// RandomTop returns the mean of the top-k score over all orders of the candidates:
// what k random picks bring.
func RandomTop(y []float64, k int) float64 {
	n := len(y)
	k = min(k, n)
	// none is the probability that no pick is among the better ones so far.
	mean, none := 0.0, 1.0
	for rank, i := range Order(y) {
		if rank > n-k { // k picks of n contain one of the n-k+1 best
			break
		}
		hit := float64(k) / float64(n-rank)
		mean += none * hit * y[i]
		none *= 1 - hit
	}
	return mean
}

const (
	// MaxLevel is the relevance of the best level. XGBoost's gain is 2^rel - 1, in
	// 32 bits.
	MaxLevel = 31
	// tie is how much slower a candidate may be than the first of its level.
	tie = 0.02
)

// Levels returns the relevance of candidates, 0 to MaxLevel: they are sorted by
// cost, those within 2 % of the first of a level share it, and the levels are
// spread evenly. What failed has relevance 0.
func Levels(y []float64) []int {
	list := Order(y)
	level := make([]int, len(y))
	levels, first := 0, 0.0
	for _, i := range list {
		if y[i] <= 0 {
			break
		}
		if levels == 0 || y[i] < first/(1+tie) {
			levels, first = levels+1, y[i]
		}
		level[i] = levels - 1
	}
	rel := make([]int, len(y))
	for i := range rel {
		if y[i] > 0 {
			rel[i] = MaxLevel * (levels - level[i]) / levels
		}
	}
	return rel
}

// NDCG returns NDCG@k with the gains 2^rel - 1 of Levels, scaled to 0..1: with
// whole numbers up to 31 the first candidate would decide everything. It is 0
// if all candidates failed.
func NDCG(s, y []float64, k int) float64 {
	rel := Levels(y)
	gain := func(list []int) float64 {
		sum := 0.0
		for place, i := range list[:min(k, len(list))] {
			sum += (math.Exp2(float64(rel[i])/MaxLevel) - 1) / math.Log2(float64(place+2))
		}
		return sum
	}
	ideal := gain(Order(y))
	if ideal == 0 {
		return 0
	}
	return gain(Order(s)) / ideal
}

// MinBand is the smallest difference in quality that counts as one.
const MinBand = 0.02

// Band returns the difference in quality from which on the order of two
// candidates means something: twice the noise of the measurements, which is a
// share of the cost, but at least MinBand.
func Band(noise float64) float64 { return max(MinBand, 2*noise) }

// Pairs counts the pairs of candidates by what scores and qualities say of their
// order.
type Pairs struct {
	Concordant, Discordant int // ordered by both, alike or not
	TiedScore, TiedQuality int // tied in one only
	Tied                   int // in both
	Clear, ClearRight      int // those farther apart in quality than the band; of them, those that the scores put in order
}

// Count counts the pairs. Those with a difference in quality above band are clear.
func Count(s, y []float64, band float64) Pairs {
	var p Pairs
	for i := range s {
		for j := range i {
			bySpeed, byScore := cmp.Compare(y[i], y[j]), cmp.Compare(s[i], s[j])
			switch {
			case bySpeed == 0 && byScore == 0:
				p.Tied++
			case bySpeed == 0:
				p.TiedQuality++
			case byScore == 0:
				p.TiedScore++
			case bySpeed == byScore:
				p.Concordant++
			default:
				p.Discordant++
			}
			if math.Abs(y[i]-y[j]) > band {
				p.Clear++
				if bySpeed == byScore {
					p.ClearRight++
				}
			}
		}
	}
	return p
}

// Accuracy returns the pairwise accuracy: the share of the clear pairs whose
// scores are in the order of their qualities. Equal scores are in no order.
// Without a clear pair it is 0.
func (p Pairs) Accuracy() float64 { return share(p.ClearRight, p.Clear) }

// AccuracyOfAll returns the share of all pairs, close ones included, of which
// scores and qualities say the same: one order, or both that there is none.
func (p Pairs) AccuracyOfAll() float64 {
	right := p.Concordant + p.Tied
	return share(right, right+p.Discordant+p.TiedScore+p.TiedQuality)
}

// TauB returns Kendall's tau-b. It is 0 if all scores or all qualities are equal.
func (p Pairs) TauB() float64 {
	ordered := p.Concordant + p.Discordant
	product := float64(ordered+p.TiedScore) * float64(ordered+p.TiedQuality)
	if product == 0 {
		return 0
	}
	return float64(p.Concordant-p.Discordant) / math.Sqrt(product)
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
