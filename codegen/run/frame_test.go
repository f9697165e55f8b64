package run

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
)

func TestFrame(t *testing.T) {
	var w bytes.Buffer
	sent := answer{Number: 7, Message: "hello", Samples: []float64{1, 2.5}}
	if err := writeFrame(&w, sent, []byte("one"), nil, []byte("three")); err != nil {
		t.Fatal(err)
	}
	text := bytes.Clone(w.Bytes())
	var got answer
	blobs, err := readFrame(&w, &got)
	if err != nil || got.Number != 7 || got.Message != "hello" || len(got.Samples) != 2 || len(blobs) != 3 || string(blobs[2]) != "three" {
		t.Errorf("got %+v, %q, %v", got, blobs, err)
	}
	if _, err := readFrame(&w, &got); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	for n := 1; n < len(text); n++ {
		if _, err := readFrame(bytes.NewReader(text[:n]), &got); err == nil || err == io.EOF {
			t.Errorf("%d bytes of %d: %v", n, len(text), err)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 { // garbage does not panic, nor ask for all memory
		bad := bytes.Clone(text)
		bad[r.IntN(len(bad))] = byte(r.Uint32())
		readFrame(bytes.NewReader(bad), &got)
	}
}
