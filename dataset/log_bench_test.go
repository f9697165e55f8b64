package dataset

import (
	"path/filepath"
	"testing"
)

// benchRound is a round as a search measures: 64 records, ten samples each,
// steps of a public log's length.
func benchRound() []Record {
	list := sampleRound(0, 64)
	for i := range list {
		for len(list[i].Steps) < 20 {
			list[i].Steps = append(list[i].Steps, list[(i+1)%64].Steps...)
			list[i].Steps = append(list[i].Steps, sampleRecord(9).Steps...)
		}
		list[i].Steps = list[i].Steps[:20]
		for range 60 {
			list[i].Target.Features = append(list[i].Target.Features, "some-feature")
		}
	}
	return list
}

// BenchmarkEncode is the work of appending a round, without the disk.
func BenchmarkEncode(b *testing.B) {
	e, round := newEncoder(false, SchemaVersion), benchRound()
	for b.Loop() {
		frame, err := e.round(1, round)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(frame)))
	}
}

// BenchmarkAppend is the whole of it: a round is on the disk when it returns.
func BenchmarkAppend(b *testing.B) {
	w, err := OpenWriter(filepath.Join(b.TempDir(), "bench.arrow"), WriterOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	round := benchRound()
	for b.Loop() {
		if err := w.Append(round); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScan reads a log of 1024 records.
func BenchmarkScan(b *testing.B) {
	path := filepath.Join(b.TempDir(), "bench.arrow")
	w, err := OpenWriter(path, WriterOptions{})
	if err != nil {
		b.Fatal(err)
	}
	round := benchRound()
	for range 16 {
		if err := w.Append(round); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(w.end)
	w.Close()
	for b.Loop() {
		if n := len(mustRead(b, path)); n != 1024 {
			b.Fatal(n)
		}
	}
}
