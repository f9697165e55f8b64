package encoder

import "github.com/wmtune/wmtune/encoder/bpe"

// Windows of tokens. Each is encoded by itself; they overlap, so that most tokens
// have both neighbours in one of them.
const (
	window  = 256
	stride  = 192
	longest = 6 // windows; of longer texts, the first and the last half of so many
)

// windows cuts tokens into windows, at most so many, and says whether some are left
// out.
func windows(ids []int32, most int) (list [][]int32, truncated bool) {
	for at := 0; ; at += stride {
		end := min(at+window, len(ids))
		list = append(list, ids[at:end])
		if end == len(ids) {
			break
		}
	}
	if n := len(list); n > most {
		first := (most + 1) / 2
		return append(list[:first:first], list[n-(most-first):]...), true
	}
	return list, false
}

// tokens returns the tokens of a text between those of its start and its end.
func tokens(t *bpe.Tokenizer, text string) []int32 {
	return append(t.Append([]int32{bpe.Start}, text), bpe.End)
}
