package bpe

import (
	"encoding/json"
	"fmt"
	"strings"
)

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
		return nil, fmt.Errorf("bpe: the tokenizer.json splits text into other words than wmtune does: train one with wmtune train tokenizer")
	}
	n := len(d.Encoding.Vocab)
	if n < firstMerged || n > mostTokens {
		return nil, fmt.Errorf("bpe: the vocabulary has %d tokens; from %d to %d are understood", n, firstMerged, mostTokens)
	}
	tokens := make([]string, n)
	for name, id := range d.Encoding.Vocab {
		if name == "" || id < 0 || id >= n || tokens[id] != "" {
			return nil, fmt.Errorf("bpe: the vocabulary of %d tokens gives %q the ID %d, which is another's or no token's", n, name, id)
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
