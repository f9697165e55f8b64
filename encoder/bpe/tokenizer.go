package bpe

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/sugarme/tokenizer/model"
	"github.com/sugarme/tokenizer/model/bpe"
)

// Special tokens, by ID. Text never becomes one.
const (
	Pad   = 0 // fills up
	Start = 1 // begins a text
	End   = 2 // ends it
	Unk   = 3 // is never used: every byte has a token

	firstByte   = 4
	firstMerged = firstByte + 256
)

var special = [firstByte]string{"<pad>", "<s>", "</s>", "<unk>"}

// basic returns the tokens that there are before anything is merged, as bytes.
func basic() []string {
	tokens := append([]string(nil), special[:]...)
	for b := range 256 {
		tokens = append(tokens, string([]byte{byte(b)}))
	}
	return tokens
}

// A Tokenizer makes tokens of texts. It may be used by several goroutines.
type Tokenizer struct {
	tokens []string // as bytes
	merges []pair
	table  bpe.Merges
	file   []byte
	hash   string

	mu    sync.Mutex
	words map[string][]int32 // of words met before
}

// build makes a tokenizer of tokens, by ID, and of merges, the first one first.
func build(tokens []string, merges []pair) (*Tokenizer, error) {
	t := &Tokenizer{tokens: tokens, merges: merges, words: map[string][]int32{}}
	vocab := model.Vocab{}
	names := make([]string, len(tokens))
	for i, s := range tokens {
		if names[i] = s; i >= firstByte {
			names[i] = visible(s)
		}
		vocab[names[i]] = i
	}
	lines := make([]string, len(merges))
	for i, m := range merges {
		lines[i] = names[m.left] + " " + names[m.right]
	}
	tables, err := bpe.New(vocab, lines, nil, nil, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("bpe: the tables: %w", err)
	}
	t.table = *tables.Merges
	if t.file, err = write(names, lines); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(t.file)
	t.hash = hex.EncodeToString(sum[:])
	return t, nil
}

// Size returns the number of tokens.
func (t *Tokenizer) Size() int { return len(t.tokens) }

// File returns the tokenizer in the form of Hugging Face's tokenizer.json.
func (t *Tokenizer) File() []byte { return t.file }

// Hash returns the SHA-256 of File, as hex digits.
func (t *Tokenizer) Hash() string { return t.hash }

// mostWords is how many words a tokenizer remembers.
const mostWords = 1 << 17

// Append appends the tokens of a text. Bytes that are no UTF-8 are read as U+FFFD.
func (t *Tokenizer) Append(ids []int32, text string) []int32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	for text = strings.ToValidUTF8(text, "\uFFFD"); text != ""; {
		n := next(text)
		word := text[:n]
		text = text[n:]
		list, ok := t.words[word]
		if !ok {
			list = t.word(word)
			if len(t.words) >= mostWords {
				clear(t.words)
			}
			t.words[strings.Clone(word)] = list
		}
		ids = append(ids, list...)
	}
	return ids
}

// Encode returns the tokens of a text.
func (t *Tokenizer) Encode(text string) []int32 { return t.Append(nil, text) }

// word merges the bytes of a word: of all pairs that it has, always those that were
// learned first.
func (t *Tokenizer) word(word string) []int32 {
	ids := make([]int32, len(word))
	for k := range ids {
		ids[k] = firstByte + int32(word[k])
	}
	for len(ids) > 1 {
		best, value := pair{}, bpe.PairVal{Rank: len(t.merges)}
		for k := 1; k < len(ids); k++ {
			v, ok := t.table[bpe.Pair{C1: int(ids[k-1]), C2: int(ids[k])}]
			if ok && v.Rank < value.Rank {
				best, value = pair{ids[k-1], ids[k]}, v
			}
		}
		if value.Rank == len(t.merges) {
			break
		}
		ids = replace(ids, best, int32(value.NewId))
	}
	return ids
}

// Decode returns the text of tokens. Special ones, and numbers that are no tokens,
// have none.
func (t *Tokenizer) Decode(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		if id >= firstByte && int(id) < len(t.tokens) {
			b.WriteString(t.tokens[id])
		}
	}
	return b.String()
}
