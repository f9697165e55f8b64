package encoder

import (
	"math/rand/v2"
	"strings"

	"github.com/wmtune/wmtune/tir/compact"
)

// Resize returns a text of which one loop has another number of iterations, or that
// as it is if it has no loop of more than one. Of
//
//	for l0 2^3
//	 b1[l0]=b0[l0]
//
// it may make
//
//	for l0 2^3*3
//	 b1[l0]=b0[l0]
//
// It means something else than the text, and is the nearest such program there is.
// Shapes and indices stay as they are.
func Resize(text string, rng *rand.Rand) string {
	type place struct{ at, end int }
	var places []place
	at := 0
	for line := range strings.Lines(text) {
		content := strings.TrimRight(line, "\n")
		words := strings.Fields(content)
		if len(words) == 3 && strings.HasPrefix(words[1], "l") && number(words[2]) > 1 {
			places = append(places, place{at + len(content) - len(words[2]), at + len(content)})
		}
		at += len(line)
	}
	if len(places) == 0 {
		return text
	}
	p := places[rng.IntN(len(places))]
	n := int64(number(text[p.at:p.end]))
	by := []int64{2, 3, 4, 7, 8}[rng.IntN(5)]
	if rng.IntN(2) == 0 && n%by == 0 && n > by {
		n /= by
	} else {
		n *= by
	}
	return text[:p.at] + string(compact.AppendNumber(nil, n)) + text[p.end:]
}
