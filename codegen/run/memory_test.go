package run

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/tir"
)

// TestMemory: a need counts both sets of inputs and results, the reference in float64, both placements and
// packed weights, and does not overflow.
func TestMemory(t *testing.T) {
	const place = 2*worker.GuardBytes + 2*pageBytes
	small := Memory(parsed(t, `input x: float32[1024, 1024]
input w: float32[1024, 1024]
h(i: 1024, k: 1024) = x[i, k]*2
y(i: 1024, j: 1024) = sum(k: 1024) h[i, k]*w[k, j]
    layout_free w
output y
`))
	const m = 4 << 20 // bytes of a tensor
	want := Need{
		Vault: 2*2*m + 2*2*m, Reference: 4*2*m + 3*place + 4*pageBytes,
		Placed: 3*2*(m+place) + 2*(2*m+place) + m + pageBytes, Largest: "x", LargestBytes: m,
	}
	if small != want {
		t.Errorf("%+v, want %+v", small, want)
	}
	for limit, want := range map[uint64]uint64{1: 0, small.peak(): 0, small.peak() + 5: 5} {
		if room, err := small.room(limit); room != want || err != nil {
			t.Errorf("%d bytes leave room for %d, want %d: %v", limit, room, want, err)
		}
	}
	s := &signature{Constants: []int{1}, Tensors: []tensor{{Type: tir.F32, Shape: []int64{8}},
		{Type: tir.F32, Shape: []int64{8, 10}}, {Type: tir.I8, Shape: []int64{1 << 40, 1 << 40}}}}
	for constants, want := range map[int]uint64{1: 2 * 320, 2: 4 * mostKept} {
		if s.Constants = []int{constants}; s.packedBytes() != want {
			t.Errorf("packed operands need %d bytes, want %d", s.packedBytes(), want)
		}
	}
	for _, c := range []struct{ text, tensor, bytes string }{
		{"input x: float32[1099511627776]\ny(i: 1099511627776) = x[i]*2\noutput y", "x", "4398046511104 bytes"},
		{"input x: float32[8]\nbig(i: 8, j: 35184372088832) = x[i]*2\ny(i: 8) = sum(j: 35184372088832) big[i, j]\noutput y", "big", "1125899906842624 bytes"},
	} {
		d := parsed(t, c.text)
		_, err := Fits(d, 0)
		if err == nil || !strings.Contains(err.Error(), "tensor, "+c.tensor+", has "+c.bytes) || !strings.Contains(err.Error(), "--memory") {
			t.Errorf("%v", err)
		}
		if _, err := Fits(d, mostBytes); err != nil {
			t.Error(err)
		}
		if _, err := NewInterpreter(d, 1); err == nil {
			t.Error("an interpreter of it begins")
		}
	}
	// Images, products and weights of a convolution in tiles of 4x4.
	const conv = `input x: float32[34, 34, 64]
input w: float32[3, 3, 64, 64]
y(h: 32, j: 32, c: 64) = sum(r: 3, s: 3, k: 64) x[h + r, j + s, k]*w[r, s, k, c]
`
	direct := Memory(parsed(t, conv+"output y\n")).Placed + 2*(2*4*9*64*64+place)
	if got := Memory(parsed(t, conv+"    layout_free w\noutput y\n")).Placed - direct; got != 4*36*(2*64*64+2*2*64*64) {
		t.Errorf("in tiles it needs %d bytes more", got)
	}
	var n Need
	for range 100 {
		n.add("x", elemsOf([]int64{1 << 40, 1 << 40, 1 << 40}), parsed(t, "input x: float64[1]\ny() = x[0]\noutput y").Tensors[0].Type, constantTensor)
	}
	if n.Bytes() != mostBytes || n.peak() < mostBytes {
		t.Errorf("%+v: %d, %d at once", n, n.Bytes(), n.peak())
	}
	if _, err := Fits(parsed(t, "input x: float32[1024, 1024]\ny(i: 1024, j: 1024) = x[i, j]\noutput y"), 8<<20); err == nil || !strings.Contains(err.Error(), "is the limit") {
		t.Errorf("%v", err)
	}
}
