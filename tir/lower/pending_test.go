package lower

import (
	"maps"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

// What was written before a loop and read in it is waited for in the first iteration, though each iteration ends with a
// barrier of the warp:
//
//	S[y, x] = ...
//	for k in 3:
//	  barrier warp
//	  C[y, x] = S[y, 7 - x]
//	  T[y, x] = ...
//	  barrier warp
//	  D[y, x] = T[y, 7 - x]
func TestWaitedForBeforeALoop(t *testing.T) {
	buffer := func(name string, scope tir.Scope) *tir.Buffer {
		return &tir.Buffer{Name: name, Type: tir.F32, Shape: []int64{8, 8}, Scope: scope}
	}
	a, s, u := buffer("A", tir.Global), buffer("S", tir.Shared), buffer("T", tir.Shared)
	c, d := buffer("C", tir.Global), buffer("D", tir.Global)
	y, x, k := tir.NewVar("y"), tir.NewVar("x"), tir.NewVar("k")
	across := tir.Bin(tir.Sub, tir.Int(7), x)
	copied := func(to, from *tir.Buffer, at tir.Expr) tir.Stmt {
		return &tir.Block{Name: to.Name, Body: &tir.Store{Buffer: to, Index: []tir.Expr{y, x},
			Value: &tir.Load{Buffer: from, Index: []tir.Expr{y, at}}}}
	}
	bound := func(v *tir.Var, name string, body tir.Stmt) tir.Stmt {
		return &tir.For{Var: v, Extent: tir.Int(8), Kind: tir.ThreadBound, Thread: name, Body: body}
	}
	loop := &tir.For{Var: k, Extent: tir.Int(3),
		Body: tir.Sequence(copied(c, s, across), copied(u, a, x), copied(d, u, across))}
	inThreads := &tir.Alloc{Buffer: s, Body: &tir.Alloc{Buffer: u, Body: tir.Sequence(copied(s, a, x), loop)}}
	f := &tir.Func{Name: "f", Params: []*tir.Buffer{a, c, d}, Outputs: 2,
		Body: bound(y, "threadIdx.y", bound(x, "threadIdx.x", inThreads))}
	g, err := synchronize(f, Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, inLoop, _ := strings.Cut(g.String(), "for k")
	lines, block := strings.Split(inLoop, "\n"), strings.Contains(g.String(), "barrier shared")
	if len(lines) < 2 || strings.TrimSpace(lines[1]) != "barrier warp" || block {
		t.Errorf("got\n%s", g)
	}
}

// Accesses that get one name have been waited for if both have.
func TestRenamedAccesses(t *testing.T) {
	b, l := &tir.Buffer{Name: "S"}, &tir.For{}
	at := func(s slot) access { return access{buffer: b, stage: "s", write: true, slot: s} }
	turn := map[slot]slot{thisSlot: nextSlot, nextSlot: thisSlot}
	for _, c := range []struct {
		what         string
		before, want map[access]bool
		to           map[slot]slot
	}{
		{"both change places", map[access]bool{at(thisSlot): true, at(nextSlot): false},
			map[access]bool{at(nextSlot): true, at(thisSlot): false}, turn},
		{"two become one", map[access]bool{at(evenSlot): true, at(oddSlot): false},
			map[access]bool{at(thisSlot): false}, map[slot]slot{evenSlot: thisSlot, oddSlot: thisSlot}},
		{"both were waited for", map[access]bool{at(evenSlot): true, at(oddSlot): true},
			map[access]bool{at(thisSlot): true}, map[slot]slot{evenSlot: thisSlot, oddSlot: thisSlot}},
		{"one keeps its name", map[access]bool{at(anySlot): true, at(evenSlot): false},
			map[access]bool{at(anySlot): true, at(thisSlot): false}, map[slot]slot{evenSlot: thisSlot}},
	} {
		for range 20 { // in whatever order
			p := pending{slotted: slotted{b: l}, set: maps.Clone(c.before)}
			if p.renamed(l, c.to); !maps.Equal(p.set, c.want) {
				t.Fatalf("%s: %v, want %v", c.what, p.set, c.want)
			}
		}
	}
}
