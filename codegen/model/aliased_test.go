package model

import (
	"maps"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// TestAliased: a parameter that lies where an output does, in one call of several, is told to
// the emitter.
func TestAliased(t *testing.T) {
	b := func() *tir.Buffer { return &tir.Buffer{Name: "b", Type: tir.F32, Shape: []int64{16}} }
	fn := &tir.Func{Name: "f", Params: []*tir.Buffer{b(), b(), b()}, Outputs: 1}
	at := func(offset int64) Place { return Place{Space: Arena, Offset: offset} }
	apart := Call{Args: []Place{at(0), at(0), at(64)}}
	for _, c := range []struct {
		calls []Step
		want  []int
	}{
		{[]Step{apart}, nil},
		{[]Step{apart, Call{Args: []Place{at(0), at(64), at(0)}}}, []int{0, 2}},
		{[]Step{Call{Args: []Place{at(0), at(64), at(64)}}, apart}, []int{1, 2}},
		{[]Step{Loop{Body: []Step{Call{Args: []Place{at(0), at(0), at(0)}}}}}, []int{0, 1, 2}},
	} {
		l, err := newLayout(&Program{Name: "p", Arena: 128, Kernels: []*tir.Func{fn}, Steps: c.calls})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(l.aliased[0])); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.calls, got, c.want)
		}
	}
}
