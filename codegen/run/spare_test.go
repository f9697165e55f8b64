package run

import (
	"runtime/debug"
	"slices"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
)

// TestSpare: memory that a program leaves is another's of that size, faults until then, and is
// bounded.
func TestSpare(t *testing.T) {
	p := &placement{side: atLower, args: newArgv(nil)}
	defer p.close()
	one, two := &packed{memory: map[int]*guarded{}}, &packed{memory: map[int]*guarded{}}
	first, err := p.packedMemory(one, 3, 5000)
	if err != nil {
		t.Fatal(err)
	}
	first.page[len(first.page)-1] = 1 // of the canaries
	if err := first.loosen(); err != nil {
		t.Fatal(err)
	}
	if again, err := p.packedMemory(one, 3, 5000); again != first || err != nil {
		t.Errorf("a program has other memory when it packs again: %v", err)
	}
	prog := &program{packed: map[*placement]*packed{p: one}}
	if err := prog.unpack(p); err != nil {
		t.Fatal(err)
	}
	if !faults(func() { first.all[worker.GuardBytes+len(first.page)]++ }) {
		t.Error("what packs again may write behind its memory")
	}
	if !faults(func() { first.data[0]++ }) {
		t.Error("memory that a program left can be written")
	}
	if other, err := p.packedMemory(two, 1, 5001); other == first || err != nil {
		t.Errorf("memory of another size is handed out: %v", err)
	}
	g, err := p.packedMemory(two, 0, 5000)
	if g != first || err != nil {
		t.Errorf("memory is not used again: %v", err)
	}
	if g.data[0] = 1; g.damageText() != "" {
		t.Error("the canaries were not written anew")
	}
	if next, err := p.packedMemory(two, 2, 5000); next == first || err != nil {
		t.Errorf("memory is handed out twice: %v", err)
	}
	for range 3 {
		g, err := newGuarded(mostSpare/2, atLower)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.spare.keep(g); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.spare.list) != 2 || p.spare.bytes > mostSpare {
		t.Errorf("%d pieces of %d bytes are spared", len(p.spare.list), p.spare.bytes)
	}
}

// TestPackedIsBounded: programs keep packed operands between their turns while there is room, and those that were not
// used for longest go first. A program that has none packs again, and its calls get what it packs.
func TestPackedIsBounded(t *testing.T) {
	const size, room = 8192, 3
	s := &signature{Outputs: 1, Kept: room*size + size/2, Footprint: 1 << 16, Constants: []int{1}, Tensors: []tensor{
		{Name: "x", Type: tir.F32, Shape: []int64{16}}, {Name: "w", Type: tir.F32, Shape: []int64{16}},
		{Name: "y", Type: tir.F32, Shape: []int64{16}},
	}}
	place, err := newPlacement(s, atUpper, [][]byte{make([]byte, 64), make([]byte, 64)})
	if err != nil {
		t.Fatal(err)
	}
	defer place.close()
	packs := 0
	b := &base{repeat: purego.NewCallback(func(_, _, _ uintptr) uintptr { packs++; return 0 }), now: worker.Monotonic}
	w := &server{sig: s, page: &statusPage{}, places: [2]*placement{atUpper: place}}
	if w.copies, err = newRotation(s); err != nil {
		t.Fatal(err)
	}
	var list []*hostCandidate
	for range 5 {
		p := &program{base: b, packs: []packing{{Pack: measure.Pack{Param: 0, Bytes: size, Name: "x"}, fn: 1}}}
		list = append(list, &hostCandidate{w: w, p: p})
	}
	turn := func(k, want int, holders ...int) {
		t.Helper()
		packs = 0
		c := list[k]
		if bad, err := c.ready(); bad != "" || err != nil {
			t.Fatal(bad, err)
		}
		if packs != want {
			t.Errorf("candidate %d packs %d times, want %d", k, packs, want)
		}
		at := c.p.packed[place].memory[0].address()
		if c.args.list[0] != at || c.turns.list[0] != at || faults(func() { _ = c.p.packed[place].memory[0].data[0] }) {
			t.Errorf("candidate %d is not called with what it packed", k)
		}
		for i, c := range list {
			if held := c.p.packed[place] != nil; held != slices.Contains(holders, i) {
				t.Errorf("after the turn of %d, candidate %d holds packed operands: %v", k, i, held)
			}
		}
	}
	turn(0, 1, 0)
	turn(1, 1, 0, 1)
	turn(2, 1, 0, 1, 2)
	turn(0, 0, 0, 1, 2)
	turn(3, 1, 0, 2, 3)
	turn(4, 1, 0, 3, 4)
	turn(1, 1, 1, 3, 4)
	turn(0, 1, 0, 1, 4)
	place.kept = size - 1 // one needs more
	turn(2, 1, 2)
	turn(2, 0, 2)
	for _, c := range list {
		if err := c.p.unpack(place); err != nil {
			t.Error(err)
		}
		c.turns.close()
	}
	if len(place.holders) > 0 {
		t.Errorf("%d programs that ended hold operands", len(place.holders))
	}
}

// faults reports whether f touches memory that it may not.
func faults(f func()) (yes bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { yes = recover() != nil }()
	f()
	return false
}
