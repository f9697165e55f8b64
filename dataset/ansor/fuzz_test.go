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
	f.Add(compress(f, ".zst", shortLine))
	f.Add(compress(f, ".gz", shortLine))
	f.Fuzz(func(t *testing.T, log []byte) {
		r, err := NewReader("fuzz.json", bytes.NewReader(log))
		if err != nil {
			return
		}
		defer r.Close()
		im := NewImporter()
		for rec, err := range im.Records(r) {
			if _, line := err.(*LineError); err != nil && !line {
				return
			}
			if err != nil {
				continue
			}
			first := LineOf(&rec).Append(nil)
			l, err := ParseLine(first)
			if err != nil {
				t.Fatalf("it was written as %s: %v", first, err)
			}
			again, err := im.Record(l, rec.Trial)
			if err != nil {
				t.Fatalf("it was written as %s: %v", first, err)
			}
			if second := LineOf(&again).Append(nil); !bytes.Equal(first, second) {
				t.Fatalf("it was written as\n%s\nand then as\n%s", first, second)
			}
		}
	})
}
