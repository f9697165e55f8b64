package metric

import "math"

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
