package evolve

import "math"

// Pick returns up to n states to measure: mostly the best in order, and for a
// share eps of the places random ones, each kind filling in for the other. No
// program is picked twice.
func Pick(best, random []Scored, n int, eps float64) []Scored {
	reserved := int(math.Round(eps * float64(n)))
	var picked []Scored
	seen := map[[16]byte]bool{}
	take := func(list []Scored, limit int) []Scored {
		for len(list) > 0 && len(picked) < limit {
			if s := list[0]; !seen[s.Signature] {
				seen[s.Signature] = true
				picked = append(picked, s)
			}
			list = list[1:]
		}
		return list
	}
	best = take(best, n-reserved)
	take(random, n)
	take(best, n)
	return picked
}
