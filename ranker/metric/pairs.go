package metric

import (
	"cmp"
	"math"
)

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
