// Package bpe splits text into tokens by byte-level byte pair encoding (Sennrich et
// al. 2016, on bytes as in GPT-2), and learns the tokens.
//
// A tokenizer is a file in the form of Hugging Face's tokenizer.json, which other
// tools read. Its tables are loaded by github.com/sugarme/tokenizer; splitting,
// merging and learning are our own: the library's trainer skips most words of large
// texts, its merging depends on chance in long runs, and both are a hundred times
// slower.
//
// The package must not know what texts are about, but for one rule: digits never
// merge with letters.
package bpe

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
	Unk   = 3 // no text has it, as every byte has a token; a pretraining masks tokens with it

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

// Length returns how many bytes of a text a token stands for: none if it is special.
func (t *Tokenizer) Length(id int32) int {
	if id < firstByte {
		return 0
	}
	return len(t.tokens[id])
}

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

// pattern is what split does, for other tools: words are letters with the blanks and
// line ends before them, or anything else with one of those before it. So the start
// of a line is one word with its depth, and numbers are apart from letters.
const pattern = `[ \n]*[A-Za-z_]+|[ \n]?[^A-Za-z_ \n]+|[ \n]+`

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func blank(c byte) bool { return c == ' ' || c == '\n' }

// next returns the length of the first word of a text that is not empty.
func next(text string) int {
	blanks := 0
	for blanks < len(text) && blank(text[blanks]) {
		blanks++
	}
	end := blanks
	switch {
	case blanks == len(text) || blanks > 1 && !letter(text[blanks]):
		return blanks
	case letter(text[blanks]):
		for end < len(text) && letter(text[end]) {
			end++
		}
	default:
		for end < len(text) && !letter(text[end]) && !blank(text[end]) {
			end++
		}
	}
	return end
}

// visible writes each byte as a character that can be seen, as GPT-2 does: those of
// Latin-1 that can, as they are, and the others as the characters from U+0100.
func visible(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(characters[s[i]])
	}
	return b.String()
}

// characters is the character of each byte, bytesOf the reverse.
var characters, bytesOf = func() (list [256]rune, back map[rune]byte) {
	back = map[rune]byte{}
	hidden := rune(256)
	for b := range 256 {
		list[b] = rune(b)
		if !(b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE) {
			list[b] = hidden
			hidden++
		}
		back[list[b]] = byte(b)
	}
	return list, back
}()

// invisible is the reverse of visible.
func invisible(s string) (string, error) {
	var b strings.Builder
	for _, r := range s {
		c, ok := bytesOf[r]
		if !ok {
			return "", fmt.Errorf("the character %q stands for no byte", r)
		}
		b.WriteByte(c)
	}
	return b.String(), nil
}

// The parts of tokenizer.json that a tokenizer of ours has.
type (
	document struct {
		Version  string    `json:"version"`
		Trunc    any       `json:"truncation"`
		Padding  any       `json:"padding"`
		Added    []added   `json:"added_tokens"`
		Norm     any       `json:"normalizer"`
		Pre      *splitter `json:"pre_tokenizer"`
		Post     any       `json:"post_processor"`
		Decoder  *bytesRow `json:"decoder"`
		Encoding *tables   `json:"model"`
	}
	added struct {
		ID         int    `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		Left       bool   `json:"lstrip"`
		Right      bool   `json:"rstrip"`
		Normalized bool   `json:"normalized"`
		Special    bool   `json:"special"`
	}
	splitter struct {
		Type  string `json:"type"`
		Parts [2]any `json:"pretokenizers"`
	}
	splitRow struct {
		Type    string            `json:"type"`
		Pattern map[string]string `json:"pattern"`
		Keep    string            `json:"behavior"`
		Invert  bool              `json:"invert"`
	}
	bytesRow struct {
		Type  string `json:"type"`
		Space bool   `json:"add_prefix_space"`
		Trim  bool   `json:"trim_offsets"`
		Regex bool   `json:"use_regex"`
	}
	tables struct {
		Type     string         `json:"type"`
		Dropout  any            `json:"dropout"`
		Unknown  any            `json:"unk_token"`
		Prefix   any            `json:"continuing_subword_prefix"`
		Suffix   any            `json:"end_of_word_suffix"`
		FuseUnk  bool           `json:"fuse_unk"`
		Fallback bool           `json:"byte_fallback"`
		Vocab    map[string]int `json:"vocab"`
		Merges   []string       `json:"merges"`
	}
)

// write writes tokenizer.json.
func write(names, merges []string) ([]byte, error) {
	vocab := map[string]int{}
	for i, s := range names {
		vocab[s] = i
	}
	d := document{
		Version: "1.0",
		Pre: &splitter{"Sequence", [2]any{
			splitRow{"Split", map[string]string{"Regex": pattern}, "Isolated", false},
			bytesRow{Type: "ByteLevel"},
		}},
		Decoder:  &bytesRow{Type: "ByteLevel"},
		Encoding: &tables{Type: "BPE", Vocab: vocab, Merges: merges},
	}
	for i, s := range special {
		d.Added = append(d.Added, added{ID: i, Content: s, Special: true})
	}
	b, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return nil, fmt.Errorf("bpe: %w", err)
	}
	return append(b, '\n'), nil
}

// mostTokens is the largest vocabulary that is read.
const mostTokens = 1 << 16

// Load reads a tokenizer that Tokenizer.File wrote.
func Load(file []byte) (*Tokenizer, error) {
	var d document
	if err := json.Unmarshal(file, &d); err != nil {
		return nil, fmt.Errorf("bpe: this is no tokenizer.json: %w", err)
	}
	if d.Encoding == nil || d.Encoding.Type != "BPE" {
		return nil, fmt.Errorf("bpe: the tokenizer.json has no model of type BPE")
	}
	if d.Pre == nil || !strings.Contains(fmt.Sprint(d.Pre.Parts[0]), pattern) {
		return nil, fmt.Errorf("bpe: the tokenizer.json splits text into other words than wmtune does: train one with " +
			"wmtune train tokenizer")
	}
	n := len(d.Encoding.Vocab)
	if n < firstMerged || n > mostTokens {
		return nil, fmt.Errorf("bpe: the vocabulary has %d tokens; from %d to %d are understood", n, firstMerged, mostTokens)
	}
	tokens := make([]string, n)
	for name, id := range d.Encoding.Vocab {
		if name == "" || id < 0 || id >= n || tokens[id] != "" {
			return nil, fmt.Errorf("bpe: the vocabulary of %d tokens gives %q the ID %d, which is another's or no token's", n,
				name, id)
		}
		if tokens[id] = name; id >= firstByte {
			text, err := invisible(name)
			if err != nil {
				return nil, fmt.Errorf("bpe: token %d: %w", id, err)
			}
			tokens[id] = text
		}
	}
	for i, s := range basic() {
		if tokens[i] != s {
			return nil, fmt.Errorf("bpe: token %d of the vocabulary is %q; it must be %q", i, tokens[i], s)
		}
	}
	merges := make([]pair, len(d.Encoding.Merges))
	for i, line := range d.Encoding.Merges {
		left, right, ok := strings.Cut(line, " ")
		l, known1 := d.Encoding.Vocab[left]
		r, known2 := d.Encoding.Vocab[right]
		_, whole := d.Encoding.Vocab[left+right]
		if !ok || !known1 || !known2 || !whole || l < firstByte || r < firstByte {
			return nil, fmt.Errorf("bpe: merge %d, %q, is not of two tokens that make a third", i, line)
		}
		merges[i] = pair{int32(l), int32(r)}
	}
	return build(tokens, merges)
}
