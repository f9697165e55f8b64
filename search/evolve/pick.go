package evolve

import "math"

// A Share is candidates for a number of the places of a round.
type Share struct {
	List   []Scored // the first ones first
	Places int
}

// Places returns how many of n places a share of them is.
func Places(share float64, n int) int { return int(math.Round(share * float64(n))) }

// Pick returns up to n states to measure: of each share as many as it has places, in
// the order of the shares, which then fill in for each other in that order. No program
// is picked twice.
func Pick(n int, shares ...Share) []Scored {
	var picked []Scored
	seen := map[[16]byte]bool{}
	take := func(s *Share, limit int) {
		for len(s.List) > 0 && len(picked) < min(limit, n) {
			if c := s.List[0]; !seen[c.Signature] {
				seen[c.Signature] = true
				picked = append(picked, c)
			}
			s.List = s.List[1:]
		}
	}
	for i := range shares {
		take(&shares[i], len(picked)+shares[i].Places)
	}
	for i := range shares {
		take(&shares[i], n)
	}
	return picked
}
