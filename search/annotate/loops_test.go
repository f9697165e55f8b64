package annotate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
)

func TestParallelize(t *testing.T) {
	split := func(at, iter int, lengths ...int64) schedule.Step {
		return schedule.Split{At: at, Iter: iter, Lengths: lengths, InnerToOuter: true}
	}
	// relu holds C in a loop; its outer loops have the given extents.
	holding := func(t *testing.T, outer, inner int64) *schedule.State {
		s := apply1(t, conv(outer*inner, 8), split(4, 0, inner), schedule.ComputeAt{At: 3, Target: 4, TargetIter: 0})
		s, err := s.InferBound()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name  string
		s     *schedule.State
		cores int
		want  string
	}{
		{"all loops, until there are enough", scale(4, 4, 4, 4), 2, `[["FU", 1, [0, 1, 2]], ["AN", 1, 0, 3]]`},
		{"exactly 16 a core are not enough", scale(32, 2, 2), 2, `[["FU", 1, [0, 1]], ["AN", 1, 0, 3]]`},
		{"one loop needs no fusion", scale(64, 64), 2, `[["AN", 1, 0, 3]]`},
		{"more cores take in more", scale(64, 64), 8, `[["FU", 1, [0, 1]], ["AN", 1, 0, 3]]`},
		{"stops before a reduction", apply1(t, conv(4, 4), schedule.ComputeInline{At: 1}), 8,
			`[["CI", 1], ["FU", 3, [0, 1]], ["AN", 3, 0, 3], ["FU", 4, [0, 1]], ["AN", 4, 0, 3]]`},
		{"stops before an annotated loop", apply1(t, scale(4, 4, 4), schedule.Annotate{At: 1, Iter: 1, Ann: schedule.Unroll}), 2,
			`[["AN", 1, 1, 1], ["AN", 1, 0, 3]]`},
		{"takes in a loop with stages inside", apply1(t, holding(t, 4, 2), schedule.ComputeInline{At: 1}), 8,
			`[["SP", 4, 0, 0, [2], 1], ["CA", 3, 4, 0], ["CI", 1], ["AN", 4, 0, 3]]`},
		{"goes inside a loop that runs once", apply1(t, holding(t, 1, 8), schedule.ComputeInline{At: 1}), 1,
			`[["SP", 4, 0, 0, [8], 1], ["CA", 3, 4, 0], ["CI", 1], ["FU", 3, [0, 1]], ["AN", 3, 0, 3], ["FU", 4, [1, 2]], ["AN", 4, 1, 3]]`},
	} {
		a := sampler(t, 32, c.cores)
		a.LittleWork = 0
		got, err := parallelize(&choice{Sampler: a}, c.s)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if steps(got) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, steps(got), c.want)
		}
	}
}

// A nest with little work is parallel or not; one with more always is.
func TestParallelizeLittleWork(t *testing.T) {
	a := sampler(t, 32, 2)
	seen := map[string]bool{}
	for i := range 20 {
		for _, s := range []*schedule.State{scale(64, 64), scale(64, 1024)} {
			got, err := parallelize(&choice{Sampler: a, rng: Rand(1, 1, i)}, s)
			if err != nil {
				t.Fatal(err)
			}
			seen[fmt.Sprint(s.Stages[1].Iters[1].Extent, steps(got))] = true
		}
	}
	for _, want := range []string{`64[]`, `64[["AN", 1, 0, 3]]`, `1024[["AN", 1, 0, 3]]`} {
		if !seen[want] {
			t.Errorf("never %s", want)
		}
		delete(seen, want)
	}
	if len(seen) != 0 {
		t.Errorf("unexpected %v", seen)
	}
}

func TestWork(t *testing.T) {
	s, err := apply1(t, conv(8, 4), schedule.ComputeAt{At: 3, Target: 4, TargetIter: 0}).InferBound()
	if err != nil {
		t.Fatal(err)
	}
	// relu runs 8*4 times, C, inside its outer loop, 8*1*4*3*4 times.
	if got := work(s, 4); got != 32+384 {
		t.Errorf("work %g", got)
	}
}

func TestUnroll(t *testing.T) {
	a := sampler(t, 32, 2)
	seen := map[string]bool{}
	for i := range 64 {
		s, err := unroll(&choice{Sampler: a, rng: Rand(1, 1, i)}, conv(8, 8))
		if err != nil {
			t.Fatal(err)
		}
		seen[steps(s)] = true
	}
	for _, limit := range []string{"0", "16", "64", "512"} {
		if want := `[["PR", 3, 0, "auto_unroll_max_step$` + limit + `"]]`; !seen[want] {
			t.Errorf("no state has the steps %s", want)
		}
	}
	if len(seen) != 4 {
		t.Errorf("steps are %v", seen)
	}
	kept, err := unroll(&choice{Sampler: a, rng: Rand(1, 1, 1), unrolled: map[int]int{3: 64}}, conv(8, 8))
	if err != nil || steps(kept) != `[["PR", 3, 0, "auto_unroll_max_step$64"]]` {
		t.Errorf("a limit is not kept: %s, %v", steps(kept), err)
	}
}

// Named loops of the innermost tile are unrolled, unless something else was
// decided for them.
func TestUnrollInner(t *testing.T) {
	s := conv(8, 8)
	s.Stages[3].Op.Attrs.AlwaysUnrollInner = []string{"k", "o"}
	s = apply1(t, s, schedule.Split{At: 3, Iter: 2, Lengths: []int64{3}, InnerToOuter: true})
	got, err := unrollInner(s, 3)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, it := range got.Stages[3].Iters {
		names = append(names, it.Ann.String()+" "+it.Name)
	}
	// i o k.0 k.1 r, from the inside: r, k.1, then k.0 has no new axis
	if text := strings.Join(names, ", "); text != "for i, for o, for k.0, unroll k.1, for r" {
		t.Errorf("loops %s", text)
	}
}

func TestVectorize(t *testing.T) {
	tiled := apply1(t, scale(8, 8), schedule.Split{At: 1, Iter: 0, Lengths: []int64{2}, InnerToOuter: true})
	for _, c := range []struct {
		name string
		s    *schedule.State
		want []string // one of them
	}{
		{"one short loop", scale(100, 8), []string{`[["AN", 1, 1, 2]]`}},
		{"several, but never all that fit", scale(100, 2, 2, 2), []string{`[["AN", 1, 3, 2]]`, `[["FU", 1, [2, 3]], ["AN", 1, 2, 2]]`}},
		{"fused loops are shorter than a single one", scale(100, 2, 4, 4), []string{`[["AN", 1, 3, 2]]`}},
		{"one of a tiled stage", tiled, []string{`[["SP", 1, 0, 0, [2], 1], ["AN", 1, 2, 2]]`}},
		{"a loop as long as a vector may be", scale(100, 64), []string{`[["AN", 1, 1, 2]]`}},
		{"a long loop is split by a multiple of the width", scale(100, 96),
			[]string{`[["SP", 1, 1, 96, [8], 1], ["AN", 1, 2, 2]]`, `[["SP", 1, 1, 96, [16], 1], ["AN", 1, 2, 2]]`, `[["SP", 1, 1, 96, [32], 1], ["AN", 1, 2, 2]]`}},
		{"a long loop that no width divides stays", scale(100, 97), []string{`[]`}},
		{"an annotated loop stays", apply1(t, scale(100, 8), schedule.Annotate{At: 1, Iter: 1, Ann: schedule.Unroll}), []string{`[["AN", 1, 1, 1]]`}},
	} {
		a := sampler(t, 32, 2)
		seen := map[string]bool{}
		for i := range 40 {
			got, err := vectorize(&choice{Sampler: a, rng: Rand(1, 2, i)}, c.s)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			seen[steps(got)] = true
		}
		for _, w := range c.want {
			if !seen[w] {
				t.Errorf("%s: never %s", c.name, w)
			}
			delete(seen, w)
		}
		for s := range seen {
			t.Errorf("%s: %s", c.name, s)
		}
	}
}

// A reduction is no vector, and neither is a loop with a stage inside.
func TestVectorizeStops(t *testing.T) {
	a := sampler(t, 32, 2)
	s := apply1(t, conv(8, 8), schedule.ComputeAt{At: 3, Target: 4, TargetIter: 1})
	s, err := s.InferBound()
	if err != nil {
		t.Fatal(err)
	}
	got, err := vectorize(&choice{Sampler: a, rng: Rand(1, 2, 3)}, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, stage := range []int{3, 4} {
		for _, it := range got.Stages[stage].Iters {
			if it.Ann == schedule.Vectorize {
				t.Errorf("loop %s of stage %d is a vector", it.Name, stage)
			}
		}
	}
}
