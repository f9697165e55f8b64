package encoder

import (
	"strings"

	"github.com/wmtune/wmtune/encoder/bpe"
)

// Windows of tokens. Each is encoded by itself; they overlap, so that most tokens
// have both neighbours in one of them.
const (
	window  = 256
	stride  = 192
	longest = 6 // windows; of longer texts, the first and the last half of so many
)

// Tokens are those of a text or of a window of it, and the numbers beside them.
type tokens struct {
	ids     []int32
	numbers [][Numbers]float32 // none before number was called
}

// tokenize returns the tokens of a text between those of its start and its end.
func tokenize(t *bpe.Tokenizer, text string) tokens {
	return tokens{ids: append(t.Append([]int32{bpe.Start}, text), bpe.End)}
}

// number reads the numbers beside the tokens of a text.
func (t *tokens) number(tok *bpe.Tokenizer, text string) {
	ends := make([]int, len(t.ids))
	end := 0
	for i, id := range t.ids {
		end += tok.Length(id)
		ends[i] = end
	}
	t.numbers = ReadNumbers(strings.ToValidUTF8(text, "\uFFFD"), ends) // as the tokenizer reads it
}

// windows cuts tokens into windows, at most so many, and says whether some are left
// out.
func (t *tokens) windows(most int) (list []tokens, truncated bool) {
	for at := 0; ; at += stride {
		end := min(at+window, len(t.ids))
		w := tokens{ids: t.ids[at:end]}
		if t.numbers != nil {
			w.numbers = t.numbers[at:end]
		}
		list = append(list, w)
		if end == len(t.ids) {
			break
		}
	}
	if n := len(list); n > most {
		first := (most + 1) / 2
		return append(list[:first:first], list[n-(most-first):]...), true
	}
	return list, false
}
