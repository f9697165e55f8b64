package run

import (
	"testing"

	"github.com/wmtune/wmtune/codegen/worker"
)

// TestLoose: a page behind the data may be touched while a program is timed, and not while it is checked.
func TestLoose(t *testing.T) {
	s := &signature{Outputs: 1, Tensors: []tensor{{Name: "x", Shape: []int64{16}}, {Name: "y", Shape: []int64{16}}}}
	place, err := newPlacement(s, atUpper, [][]byte{make([]byte, s.Tensors[0].bytes())})
	if err != nil {
		t.Fatal(err)
	}
	defer place.close()
	g, err := newGuarded(100, atUpper)
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	prog := &program{packed: map[*placement]*packed{place: {memory: map[int]*guarded{0: g}}}}
	for range 2 {
		for _, loose := range []bool{false, true, true, false, false} {
			do := (*guarded).tighten
			if loose {
				do = (*guarded).loosen
			}
			if err := place.each(prog, do); err != nil {
				t.Fatal(err)
			}
			for i, g := range append(place.tensors, g) {
				behind := worker.GuardBytes + len(g.page)
				if faults(func() { g.all[behind]++ }) == loose {
					t.Errorf("memory %d, loose %v: the page behind the data is wrong", i, loose)
				}
				if !faults(func() { g.all[behind+pageBytes]++ }) || !faults(func() { g.all[worker.GuardBytes-1]++ }) {
					t.Errorf("memory %d, loose %v: there is no guard", i, loose)
				}
			}
		}
	}
}
