package metric

// A Ranker scores the candidates of a task in a replayed search.
type Ranker interface {
	// Scores returns a value per candidate.
	Scores() ([]float64, error)
	// Picked tells what was "measured": the numbers of candidates.
	Picked(list []int) error
}

// Replay repeats a search on candidates that were measured before: it picks the
// batch candidates with the highest scores that were not picked yet, shows them to
// the ranker, and goes on until n are picked. It returns the best quality after
// each pick; if there are fewer than n candidates, after the last of them.
func Replay(y []float64, n, batch int, r Ranker) ([]float64, error) {
	curve := make([]float64, 0, n)
	taken := make([]bool, len(y))
	best := 0.0
	for left := min(n, len(y)); left > 0; {
		s, err := r.Scores()
		if err != nil {
			return nil, err
		}
		var picks []int
		for _, i := range Order(s) {
			if taken[i] {
				continue
			}
			taken[i] = true
			picks = append(picks, i)
			best = max(best, y[i])
			curve = append(curve, best)
			if left--; left == 0 || len(picks) == batch {
				break
			}
		}
		if left == 0 {
			break
		}
		if err := r.Picked(picks); err != nil {
			return nil, err
		}
	}
	return curve, nil
}
