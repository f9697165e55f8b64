package models

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestEmbeddings: what the manifest keeps of embeddings is them, within half a unit.
func TestEmbeddings(t *testing.T) {
	list := Embeddings{{0.123456, -1, 0, 7}, {-0.00004, 0.00006, 3.2767, -7}}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var got Embeddings
	if err := json.Unmarshal(text, &got); err != nil || len(got) != len(list) {
		t.Fatal(got, err)
	}
	for i, e := range list {
		for k, x := range e {
			want := max(-3.2768, min(float64(x), 3.2767))
			if d := math.Abs(float64(got[i][k]) - want); d > embeddingUnit/2+1e-6 {
				t.Errorf("vector %d, number %d is %v, not %v", i, k, got[i][k], want)
			}
		}
	}
	if text, err := json.Marshal(Embeddings{{1, 2}, {1}}); err == nil {
		t.Errorf("vectors of two lengths are written: %s", text)
	}
}

// TestOlderEmbeddings: the lists that older manifests have are read.
func TestOlderEmbeddings(t *testing.T) {
	for _, c := range []struct {
		text string
		want Embedding
	}{
		{`[[0.5,-2]]`, Embedding{0.5, -2}},
		{`["` + base64.StdEncoding.EncodeToString([]byte{0x10, 0x27, 0xf0, 0xd8}) + `"]`, Embedding{1, -1}},
	} {
		var got Embeddings
		if err := json.Unmarshal([]byte(c.text), &got); err != nil || len(got) != 1 || !slices.Equal(got[0], c.want) {
			t.Errorf("%s is %v, not %v: %v", c.text, got, c.want, err)
		}
	}
}

// TestDamagedEmbeddings: what is no list of vectors is an error.
func TestDamagedEmbeddings(t *testing.T) {
	pack := func(data ...byte) string {
		w, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return `"` + base64.StdEncoding.EncodeToString(w.EncodeAll(data, nil)) + `"`
	}
	for name, c := range map[string]struct{ text, want string }{
		"no zstd":            {`"AAAA"`, "embeddings"},
		"no base64":          {`"?"`, "illegal base64"},
		"no length":          {pack(0x80), "hold no vectors"},
		"a length of 0":      {pack(0, 1, 2), "hold no vectors"},
		"a huge length":      {pack(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 2), "hold no vectors"},
		"half a vector":      {pack(2, 1, 2, 3, 4, 5, 6), "hold no vectors"},
		"an older odd one":   {`["AA=="]`, "want two a number"},
		"neither of the two": {`[true]`, "cannot unmarshal"},
	} {
		var got Embeddings
		if err := json.Unmarshal([]byte(c.text), &got); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", name, got, err, c.want)
		}
	}
}
