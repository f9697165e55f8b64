package measure

import "fmt"

// A Timing says what the caches hold when a program is timed. Times of different kinds do not compare.
type Timing uint8

const (
	// Repeated is the zero value: calls in a row, each of which finds what the one before left in the caches.
	Repeated Timing = iota

	// Deployed is as in a model whose weights are more than the last-level cache holds: each call reads its constant
	// operands from memory. Other operands are where the call before left them.
	Deployed
)

var timingTexts = [...]string{"repeated", "deployed"}

func (t Timing) String() string { return timingTexts[t] }

// ParseTiming is the inverse of String.
func ParseTiming(text string) (Timing, error) {
	for t, known := range timingTexts {
		if text == known {
			return Timing(t), nil
		}
	}
	return 0, fmt.Errorf("unknown timing %q", text)
}
