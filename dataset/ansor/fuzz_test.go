package ansor

import (
	"bytes"
	"testing"
)

// FuzzRecords reads whatever bytes as a log: no panic, and what becomes a record
// is written as a line that is the same record again.
func FuzzRecords(f *testing.F) {
	texts := sample(f)
	for i := 0; i < len(texts); i += 11 {
		f.Add([]byte(texts[i]))
	}
	f.Add([]byte(shortLine + "\n" + shortLine))
	f.Add([]byte(declares + "\"matmul:m=8,n=8,k=8\"\n" + shortLine))
	f.Add(compress(f, ".zst", shortLine))
	f.Add(compress(f, ".gz", shortLine))
	f.Fuzz(func(t *testing.T, log []byte) {
		r, err := NewReader("fuzz.json", bytes.NewReader(log))
		if err != nil {
			return
		}
		defer r.Close()
		im := NewImporter()
		for {
			text, _, err := r.Next()
			if _, line := err.(*LineError); line {
				continue
			}
			if err != nil {
				return
			}
			if d, ok := sameAgain(im, string(text)).(differs); ok {
				t.Fatalf("%s\n%v", text, d)
			}
		}
	})
}
