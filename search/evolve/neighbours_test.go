package evolve

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
)

// Neighbours are new, distinct, and one mutation away from a parent; the parents
// take turns; the number of workers does not matter.
func TestNeighbours(t *testing.T) {
	parents := samples(t, paddedProduct(64, 64, 512), 12)
	known := map[[16]byte]bool{}
	for _, p := range parents {
		known[p.Signature()] = true
	}
	unroll := slices.DeleteFunc(slices.Clone(CPU), func(m Mutator) bool { return m.Name != "auto unroll" })
	var want []string
	for _, workers := range []int{1, 2, 7} {
		e := Evolution{
			Options: Options{Seed: 1, Stream: 4, Workers: workers}, Step: Step(sampler(t), unroll),
			Exclude: func(sig [16]byte) bool { return known[sig] || sig[0] < 64 },
		}
		var got []string
		list, err := e.Neighbours(t.Context(), parents, 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if sig := s.Signature(); known[sig] || sig[0] < 64 {
				t.Errorf("a neighbour is excluded: %s", text(s))
			}
			if n := changed(s, parents); n != 1 {
				t.Errorf("a neighbour differs in %d steps: %s", n, text(s))
			}
			got = append(got, text(s))
		}
		if want == nil {
			want = slices.Clone(got)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d workers give other neighbours", workers)
		}
		if slices.Sort(got); len(got) < 8 || len(slices.Compact(got)) != len(got) {
			t.Errorf("%d neighbours, or some twice", len(got))
		}
	}
	e := &Evolution{Step: Step(sampler(t), CPU)}
	if got, err := e.Neighbours(t.Context(), nil, 3); got != nil || err != nil {
		t.Errorf("%d neighbours of nobody", len(got))
	}
}

// TestLastNeighbours: a single neighbour is found although the mutations that are tried first give known ones.
func TestLastNeighbours(t *testing.T) {
	parents := samples(t, paddedProduct(64, 64, 512), 12)
	known := map[[16]byte]bool{}
	e := Evolution{
		Options: Options{Seed: 1}, Step: Step(sampler(t), CPU),
		Exclude: func(sig [16]byte) bool { return known[sig] },
	}
	list, err := e.Neighbours(t.Context(), parents, 20)
	if err != nil || len(list) != 20 {
		t.Fatalf("%d neighbours, %v", len(list), err)
	}
	for _, s := range list[:19] {
		known[s.Signature()] = true
	}
	last, err := e.Neighbours(t.Context(), parents, 1)
	if err != nil || len(last) != 1 || known[last[0].Signature()] {
		t.Errorf("%d neighbours, %v", len(last), err)
	}
}

// changed is the smallest number of steps in which s differs from a parent with as
// many.
func changed(s *schedule.State, parents []*schedule.State) int {
	best := len(s.Steps)
	for _, p := range parents {
		if len(p.Steps) != len(s.Steps) {
			continue
		}
		n := 0
		for i := range s.Steps {
			if string(schedule.FormatSteps(s.Steps[i:i+1])) != string(schedule.FormatSteps(p.Steps[i:i+1])) {
				n++
			}
		}
		best = min(best, n)
	}
	return best
}
