package encoder

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/encoder/bpe"
)

// A token has the numbers of the part of the text that it stands for.
func TestTokensHaveTheirNumbers(t *testing.T) {
	var tr bpe.Trainer
	tr.Add(strings.Join(texts(t), ""))
	tok, err := tr.Train(400)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{product, "\xff\n" + product} { // what is no UTF-8 is read as U+FFFD
		all := tokenize(tok, text)
		all.number(tok, text)
		valid := strings.ToValidUTF8(text, "\uFFFD")
		at := 0
		for i, id := range all.ids {
			part := tok.Decode([]int32{id})
			if !strings.HasPrefix(valid[at:], part) {
				t.Fatalf("token %d is %q, the text goes on with %.10q", i, part, valid[at:])
			}
			if want := ReadNumbers(valid, []int{at, at + len(part)})[1]; all.numbers[i] != want {
				t.Errorf("token %d, %q, has %v, want %v", i, part, all.numbers[i], want)
			}
			at += len(part)
		}
		if at != len(valid) {
			t.Errorf("tokens of %d of %d bytes", at, len(valid))
		}
	}
}
