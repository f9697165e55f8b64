package dataset

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// A BenchWriter writes the samples of records in the Go benchmark format, one
// line per sample, so that benchstat compares two logs.
type BenchWriter struct {
	w      io.Writer
	target string // of the last record
}

// NewBenchWriter returns a BenchWriter.
func NewBenchWriter(w io.Writer) *BenchWriter { return &BenchWriter{w: w} }

// Write writes the samples of a record; there are none if it was not timed.
// Suffix, if not empty, tells records of one workload apart: benchstat takes
// all lines of one name as samples of one thing.
//
//	target: llvm -mcpu=znver3 -mattr=avx2,fma -cores=2
//	BenchmarkTuned/matmul:m=64,n=64,k=64/record=3-2 1 418504.2 ns/op
func (b *BenchWriter) Write(r *Record, suffix string) error {
	if !r.Timed() {
		return nil
	}
	var text strings.Builder
	if t := r.Target.String(); t != b.target {
		b.target = t
		fmt.Fprintf(&text, "target: %s\n", t)
	}
	name := "BenchmarkTuned/" + benchName(r.Title())
	if suffix != "" {
		name += "/" + benchName(suffix)
	}
	if cores := r.Target.Hardware.Cores; cores > 1 {
		name += fmt.Sprintf("-%d", cores) // as go test does with GOMAXPROCS
	}
	for _, c := range r.Costs {
		fmt.Fprintf(&text, "%s 1 %s ns/op\n", name, number64(microseconds(c)*1e3))
	}
	_, err := io.WriteString(b.w, text.String())
	return err
}

// benchName replaces what ends a name in the format.
func benchName(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, s)
}
