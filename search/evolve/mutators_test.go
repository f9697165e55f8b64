package evolve

import (
	"errors"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/tir/schedule"
)

// outcomes applies a mutator many times and counts the step lists it gives.
func outcomes(t *testing.T, m Mutator, s *schedule.State) (map[string]int, error) {
	t.Helper()
	seen := map[string]int{}
	var last error
	a := sampler(t)
	for i := range 300 {
		child, err := m.Apply(a, s, annotate.Rand(1, 9, i))
		if err != nil {
			last = err
			continue
		}
		seen[text(child)]++
	}
	return seen, last
}

func mutator(t *testing.T, name string) Mutator {
	t.Helper()
	for _, m := range CPU {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no mutator %q", name)
	return Mutator{}
}

func expect(t *testing.T, seen map[string]int, want ...string) {
	t.Helper()
	for _, w := range want {
		if seen[w] == 0 {
			t.Errorf("never %s", w)
		}
		delete(seen, w)
	}
	for s := range seen {
		t.Errorf("unexpected %s", s)
	}
}

func TestMutateAutoUnroll(t *testing.T) {
	m := mutator(t, "auto unroll")
	s := paddedProduct(64, 64, 64)
	pragma := func(n int) schedule.Step { return schedule.Pragma{At: 3, Text: schedule.UnrollPragma(n)} }
	seen, err := outcomes(t, m, replayed(t, s, pragma(16)))
	if err != nil {
		t.Error(err)
	}
	expect(t, seen,
		`[["PR", 3, 0, "auto_unroll_max_step$0"]]`, `[["PR", 3, 0, "auto_unroll_max_step$64"]]`, `[["PR", 3, 0, "auto_unroll_max_step$512"]]`)
	if seen, err := outcomes(t, m, s); len(seen) != 0 || err == nil || !strings.Contains(err.Error(), "no unroll limit") {
		t.Errorf("a state without limits: %v, %v", seen, err)
	}
}

// The loop decisions follow the tile: with a larger inner piece, one loop is
// enough to be parallel.
func TestMutateTileSize(t *testing.T) {
	m := mutator(t, "tile size")
	s := replayed(t, paddedProduct(64, 64, 64),
		split(3, 0, 64, 8), schedule.Fuse{At: 3, Iters: []int{0, 1}}, schedule.Annotate{At: 3, Iter: 0, Ann: schedule.Parallel})
	seen, err := outcomes(t, m, s)
	if err != nil && !errors.Is(err, errUnchanged) {
		t.Error(err)
	}
	lengths := map[string]bool{}
	for steps := range seen {
		_, rest, _ := strings.Cut(steps, `["SP", 3, 0, 64, [`)
		l, rest, _ := strings.Cut(rest, "]")
		lengths[l] = true
		if wide := strings.Contains(rest, `["FU", 3, [0, 1]]`); wide != (l != "1") {
			t.Errorf("the parallel loop does not fit the tile: %s", steps)
		}
	}
	for _, l := range []string{"1", "2", "4", "16", "32", "64"} {
		if !lengths[l] {
			t.Errorf("never length %s", l)
		}
	}
	if seen, err := outcomes(t, m, paddedProduct(64, 64, 64)); len(seen) != 0 || err == nil || !strings.Contains(err.Error(), "no tile size") {
		t.Errorf("a state without splits: %v, %v", seen, err)
	}
	if seen, _ := outcomes(t, m, replayed(t, paddedProduct(64, 64, 200), split(3, 2, 200, 100))); len(seen) != 0 {
		t.Errorf("an innermost piece above the limit was mutated: %v", seen)
	}
}

func TestMutateComputeLocation(t *testing.T) {
	m := mutator(t, "compute location")
	s := paddedProduct(64, 64, 64)
	seen, err := outcomes(t, m, replayed(t, s, schedule.ComputeAt{At: 1, Target: 3, TargetIter: 0}))
	if err != nil {
		t.Error(err)
	}
	places := map[string]int{}
	for steps, n := range seen {
		place, _, _ := strings.Cut(steps, "]")
		places[place] += n
	}
	expect(t, places, `[["CA", 1, 3, 1`, `[["CR", 1`, `[["CI", 1`)

	if _, err := outcomes(t, m, replayed(t, s, schedule.ComputeInline{At: 1})); err != nil {
		t.Errorf("an inlined stage cannot be moved: %v", err)
	}
	tiled := replayed(t, s, split(1, 0, 64, 8))
	if seen, err := outcomes(t, m, tiled); len(seen) != 0 || err == nil || !strings.Contains(err.Error(), "no compute location") {
		t.Errorf("a state whose stages are tiled: %v, %v", seen, err)
	}
}

func TestMutateParallel(t *testing.T) {
	m := mutator(t, "parallel")
	s := paddedProduct(64, 64, 64)
	fused := []schedule.Step{
		split(3, 0, 64, 8), schedule.Fuse{At: 3, Iters: []int{0, 1}}, schedule.Annotate{At: 3, Iter: 0, Ann: schedule.Parallel},
		schedule.Pragma{At: 3, Text: schedule.UnrollPragma(16)}, schedule.Annotate{At: 3, Iter: 2, Ann: schedule.Unroll},
	}
	seen, err := outcomes(t, m, replayed(t, s, fused...))
	if !errors.Is(err, errUnchanged) {
		t.Errorf("drawing the same width: %v", err)
	}
	// The loops are i.0 i.1 j k; the unrolled one is k.
	expect(t, seen,
		`[["SP", 3, 0, 64, [8], 1], ["FU", 3, [0]], ["AN", 3, 0, 3], ["PR", 3, 0, "auto_unroll_max_step$16"], ["AN", 3, 3, 1]]`,
		`[["SP", 3, 0, 64, [8], 1], ["FU", 3, [0, 1, 2]], ["AN", 3, 0, 3], ["PR", 3, 0, "auto_unroll_max_step$16"], ["AN", 3, 1, 1]]`)

	for name, steps := range map[string][]schedule.Step{
		"no parallel loop":  fused[:2],
		"no fused loop":     {schedule.Annotate{At: 3, Iter: 0, Ann: schedule.Parallel}},
		"not the outermost": {schedule.Fuse{At: 3, Iters: []int{0, 1}}, schedule.Annotate{At: 3, Iter: 1, Ann: schedule.Unroll}},
	} {
		if seen, err := outcomes(t, m, replayed(t, s, steps...)); len(seen) != 0 || err == nil || !strings.Contains(err.Error(), "no parallel loop") {
			t.Errorf("%s: %v, %v", name, seen, err)
		}
	}
	later := append(fused[:3:3], schedule.Reorder{At: 3, Order: []int{0, 2, 1}})
	if seen, err := outcomes(t, m, replayed(t, s, later...)); len(seen) != 0 || err == nil {
		t.Errorf("a parallel stage that is reordered later: %v, %v", seen, err)
	}
	cached := append([]schedule.Step{schedule.Fuse{At: 3, Iters: []int{0, 1}}, schedule.Annotate{At: 3, Iter: 0, Ann: schedule.Parallel}}, schedule.CacheWrite{At: 1, Scope: "local"})
	if seen, err := outcomes(t, m, replayed(t, s, cached...)); len(seen) != 0 || err == nil {
		t.Errorf("a stage added later: %v, %v", seen, err)
	}
}

// Mutators are drawn by their weights.
func TestDraw(t *testing.T) {
	counts := map[string]int{}
	for i := range 10000 {
		counts[draw(CPU, annotate.Rand(1, 1, i)).Name]++
	}
	for _, m := range CPU {
		if n := float64(counts[m.Name]); n < 10000*m.Weight*0.6 || n > 10000*m.Weight*1.4 {
			t.Errorf("%s was drawn %.0f times, weight %g", m.Name, n, m.Weight)
		}
	}
}
