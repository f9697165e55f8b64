package encoder

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/wmtune/wmtune/encoder/bpe"
)

// What a token says before anything is learned: the number in it, the depth of a
// line, the index of a name.
const hints = 9

type hintList [hints]float64

// hintsOf returns the hints of a token, each about 1 at most.
func hintsOf(token string) (h hintList) {
	blanks, name := 0, false
	for i := 0; i < len(token); {
		c := token[i]
		switch {
		case c == '\n':
			h[0] = 1
		case c == ' ':
			blanks++
		case c >= 'a' && c <= 'z' || c == '_':
			name = true
		case c >= '0' && c <= '9':
			base, end := digits(token, i)
			if name {
				h[1] = math.Log2(1+base) / 6
				i = end
				continue
			}
			power := 1.0
			if end+1 < len(token) && token[end] == '^' && token[end+1] >= '0' && token[end+1] <= '9' {
				power, end = digits(token, end+1)
			}
			h.factor(base, power)
			i = end
			continue
		}
		i++
	}
	if h[0] == 1 {
		h[2] = float64(blanks) / 16
	}
	return h
}

// factor adds a factor of a number.
func (h *hintList) factor(base, power float64) {
	h[3] += power * math.Log2(max(base, 1)) / 8
	h[4] = 1
	for k, prime := range []float64{2, 3, 5, 7} {
		if base == prime {
			h[5+k] += power / 4
		}
	}
}

// digits reads a number of at most nine digits.
func digits(s string, at int) (n float64, end int) {
	end = at
	for end < len(s) && end < at+9 && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, _ = strconv.ParseFloat(s[at:end], 64)
	return n, end
}

// hint adds to each row of a new token embedding what its token says, each hint in a
// direction of its own: tokens of like numbers begin alike, so that those that
// training meets rarely, or never, are not strangers.
func hint(table []float32, tok *bpe.Tokenizer, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 12))
	directions := make([]float64, hints*Size)
	for i := range directions {
		directions[i] = 0.1 * rng.NormFloat64()
	}
	for id := range tok.Size() {
		h := hintsOf(tok.Decode([]int32{int32(id)}))
		for k, v := range h {
			for i := range Size {
				table[id*Size+i] += float32(v * directions[k*Size+i])
			}
		}
	}
}
