package metric

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
