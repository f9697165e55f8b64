package model

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestSequenceGolden compares the text of a program of all kinds of steps with
// testdata/sequence.ll. That such text does what it should is held by TestRandomPrograms.
func TestSequenceGolden(t *testing.T) {
	b := &tir.Buffer{Name: "b", Type: tir.F32, Shape: []int64{16}}
	c := &tir.Buffer{Name: "c", Type: tir.F32, Shape: []int64{16}}
	fn := &tir.Func{Name: "f", Params: []*tir.Buffer{b, c}, Outputs: 1}
	at := func(offset int64) Place { return Place{Space: Arena, Offset: offset} }
	port := Port{Name: "x", Type: tir.F32, Shape: []int64{16}}
	bounded := Port{Name: "y", Type: tir.F32, Shape: []int64{16}, Bounded: true}
	call := func(threads int, from, to Place) Call { return Call{Args: []Place{from, to}, Threads: threads} }
	p := &Program{Name: "p", Inputs: []Port{port}, Outputs: []Port{bounded, port}, Arena: 256, Weights: 64,
		WeightsHash: [32]byte{1, 2, 0xff}, Kernels: []*tir.Func{fn}, Steps: []Step{
			call(0, Place{Space: Input}, at(0)),
			call(0, Place{Space: Weights}, at(64)), // as many threads as before
			call(1, at(0), Place{Space: Output}),
			Check{Error: at(4), Message: "index out of range: node \"n\""},
			If{Cond: at(128), Then: []Step{call(2, at(0), at(64))}},
			call(1, at(0), at(64)),
			Loop{Trip: at(136), Cond: at(128), Counter: at(144), Body: []Step{Check{Error: at(4), Message: "again"}}},
			Copy{From: at(4), To: Place{Space: OutputShape, Offset: 0}, Bytes: 8},
			call(0, at(0), Place{Space: Output, Index: 1}),
		}}
	l, err := newLayout(p)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "sequence.ll", []byte(emitSequence([]variant{{layout: l, numbers: []int{0}}}, description{scratch: 4352, parallel: true, features: 5, embedded: true})))
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s: got\n%s", name, got)
	}
}
