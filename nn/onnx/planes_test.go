package onnx

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// twoRuns are planes of the bytes "ab", weights 1 and -2, the byte "c", weight 0.75, the byte "d".
var twoRuns = []byte{3, 2, 2, 1, 1, 1, 0, 'a', 'b', 'c', 'd', 0, 1, 0, 0, 0, 0, 0, 0, 128, 127, 128, 126}

// TestPlanes: the file comes back of its planes.
func TestPlanes(t *testing.T) {
	want := []byte("ab\x00\x00\x80\x3f\x00\x00\x00\xc0c\x00\x00\x40\x3fd")
	if got, err := FromPlanes(twoRuns); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%x, %v, want %x", got, err, want)
	}
}

// Planes that are damaged in any way are an error, or a file of no more bytes.
func TestPlanesDamaged(t *testing.T) {
	for i := range twoRuns {
		if _, err := FromPlanes(twoRuns[:i]); err == nil {
			t.Errorf("cut at %d of %d", i, len(twoRuns))
		}
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for range 10000 {
		b := bytes.Clone(twoRuns)
		for range 1 + rng.IntN(4) {
			b[rng.IntN(8)] = byte(rng.Uint32())
		}
		if got, err := FromPlanes(b); err == nil && len(got) > len(b) {
			t.Fatalf("%d bytes came of %d", len(got), len(b))
		}
	}
	wraps := []byte{1, 0xfc, 255, 255, 255, 255, 255, 255, 255, 255, 1, 1} // -4 bytes and a weight, were they signed
	for _, b := range [][]byte{{}, {1}, wraps, {1, 0, 0, 7}, {255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0},
		slices.Repeat([]byte{255}, 40)} {
		if got, err := FromPlanes(b); err == nil {
			t.Errorf("%v of %v", got, b)
		}
	}
}
