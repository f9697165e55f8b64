package run

import (
	"runtime/debug"
	"testing"
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
	if again, err := p.packedMemory(one, 3, 5000); again != first || err != nil {
		t.Errorf("a program has other memory when it packs again: %v", err)
	}
	prog := &program{packed: map[*placement]*packed{p: one}}
	if err := prog.unpack(p); err != nil {
		t.Fatal(err)
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

// faults reports whether f touches memory that it may not.
func faults(f func()) (yes bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { yes = recover() != nil }()
	f()
	return false
}
