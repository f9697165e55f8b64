package ansor

import "testing"

// BenchmarkParseLine and BenchmarkRecord are the two halves of an import.
func BenchmarkParseLine(b *testing.B) {
	lines := sample(b)
	for i := 0; b.Loop(); i++ {
		if _, err := ParseLine([]byte(lines[i%len(lines)])); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	var lines []*Line
	for _, text := range sample(b) {
		lines = append(lines, mustParse(b, text))
	}
	im := NewImporter()
	for i := 0; b.Loop(); i++ {
		if _, err := im.Record(lines[i%len(lines)], i); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExport(b *testing.B) {
	var lines []*Line
	for _, text := range sample(b) {
		lines = append(lines, mustParse(b, text))
	}
	var out []byte
	for i := 0; b.Loop(); i++ {
		out = lines[i%len(lines)].Append(out[:0])
	}
}
