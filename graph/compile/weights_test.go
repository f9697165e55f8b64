package compile

import (
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// TestWeightsOfOnePlace: constants that begin at the same byte of a file are two, unless they are equal.
func TestWeightsOfOnePlace(t *testing.T) {
	data := make([]byte, 4000)
	short := &graph.Const{Type: tir.F32, Shape: []int64{4}, Data: data[:16]}
	long := &graph.Const{Type: tir.F32, Shape: []int64{1000}, Data: data}
	copied := &graph.Const{Type: tir.F32, Shape: []int64{4}, Data: make([]byte, 16)}
	w := &weights{}
	a, b, c := w.add(short, nil), w.add(long, nil), w.add(copied, nil)
	if a.Offset == b.Offset || a != c || w.size < 4016 {
		t.Errorf("places %v, %v and %v of %d bytes", a, b, c, w.size)
	}
	one, two := fixed("a", short.Tensor(), 4), fixed("b", long.Tensor(), 1000)
	one.Const, two.Const = short, long
	m := &Model{layout: &layout{stores: map[*graph.Value]*storage{one: {konst: short}, two: {konst: long}}}}
	if n := m.weights(); n != 4016 {
		t.Errorf("%d bytes of weights", n)
	}
}
