package annotate

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

func TestMovable(t *testing.T) {
	s := conv(8, 8)
	for stage, want := range []bool{false, true, false, false, false} {
		if got := Movable(s, stage); got != want {
			t.Errorf("stage %s: movable %v", s.Stages[stage].Op.Name, got)
		}
	}
	if !Movable(apply1(t, s, schedule.ComputeInline{At: 1}), 1) {
		t.Error("an inlined padding cannot be taken out again")
	}
	if Movable(apply1(t, s, schedule.Split{At: 1, Iter: 0, Lengths: []int64{2}, InnerToOuter: true}), 1) {
		t.Error("a tiled stage can be moved")
	}
}

func TestLocations(t *testing.T) {
	tile := func(steps ...schedule.Step) *schedule.State { return apply1(t, conv(8, 8), steps...) }
	sp := func(at, iter int, lengths ...int64) schedule.Step {
		return schedule.Split{At: at, Iter: iter, Lengths: lengths, InnerToOuter: true}
	}
	for _, c := range []struct {
		name string
		s    *schedule.State
		want string
	}{
		{"outside the reduction", tile(), "[{3 0} {3 1}]"},
		{"loops that run once are left out", tile(sp(3, 0, 8), sp(3, 2, 4)), "[{3 1} {3 2} {3 3} {3 4} {3 5}]"},
		{"a tiled reader: down to the spatial loops after the reduction",
			tile(sp(3, 0, 2), schedule.Reorder{At: 3, Order: []int{0, 2, 3, 1, 4}}), "[{3 0} {3 1} {3 2}]"},
		{"not inside an unrolled loop", tile(schedule.Annotate{At: 3, Iter: 1, Ann: schedule.Unroll}), "[{3 0}]"},
		{"around the reader, if it is inside a loop", tile(schedule.ComputeAt{At: 3, Target: 4, TargetIter: 1}), "[{3 0} {3 1} {4 0}]"},
	} {
		s := c.s
		if c.name != "around the reader, if it is inside a loop" {
			var err error
			if s, err = s.InferBound(); err != nil {
				t.Fatal(err)
			}
		}
		if got := fmt.Sprint(Locations(s, 1)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got := Locations(conv(8, 8), 4); got != nil {
		t.Errorf("an output can be computed in %v", got)
	}
}

func TestInlinable(t *testing.T) {
	s := conv(8, 8)
	if !Inlinable(target.Target{}, s, 1) {
		t.Error("a padding with one reader")
	}
	if Inlinable(target.Target{}, s, 3) {
		t.Error("a reduction")
	}
	if Inlinable(target.Target{}, s, 4) {
		t.Error("an output")
	}
	s = parsed(t, "input x: float32[8]\ny(i: 8) = x[i] + 1\nz(i: 8) = y[i]*2\nw(i: 8) = z[i]*3\noutput w\n")
	if !Inlinable(target.Target{}, s, 2) || Inlinable(target.Target{}, apply1(t, s, schedule.ComputeAt{At: 1, Target: 2, TargetIter: 0}), 2) {
		t.Error("a stage in which one is computed")
	}
}

// A stage that a sketch did not inline, since its reader would become too large, is not inlined either.
func TestInlinableIsBounded(t *testing.T) {
	text := "input t0: float32[64]\n"
	for i := range 18 {
		text += fmt.Sprintf("t%d(i: 64) = t%d[i]*t%d[i] + 1\n", i+1, i, i)
	}
	d, err := compute.Parse(text + "output t18\n")
	if err != nil {
		t.Fatal(err)
	}
	list, err := sketch.Generate(t.Context(), sketch.CPU, d, target.Generic(32, 2))
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for i, st := range list[0].Stages {
		if st.At != schedule.AtRoot || st.Op.IsPlaceholder() || list[0].IsOutput(i) {
			continue
		}
		kept++
		if Inlinable(target.Target{}, list[0], i) {
			t.Errorf("%s may be inlined into what reads it", st.Op.Name)
		}
	}
	if kept == 0 {
		t.Error("all stages are inlined")
	}
}

// All places are drawn: at the root, in each loop, and inlined.
func TestChangeComputeLocation(t *testing.T) {
	a := sampler(t, 32, 2)
	seen := map[string]bool{}
	for i := range 64 {
		s, err := changeComputeLocation(&choice{Sampler: a, rng: Rand(1, 3, i)}, conv(8, 8))
		if err != nil {
			t.Fatal(err)
		}
		seen[steps(s)] = true
		for _, st := range s.Stages {
			for _, it := range st.Iters {
				if st.At != schedule.Inlined && it.Extent == schedule.Unknown {
					t.Fatalf("loop %s has no bounds after %s", it.Name, steps(s))
				}
			}
		}
	}
	for _, want := range []string{`[["CR", 1]]`, `[["CI", 1]]`, `[["CA", 1, 3, 0]]`, `[["CA", 1, 3, 1]]`} {
		if !seen[want] {
			t.Errorf("never %s", want)
		}
		delete(seen, want)
	}
	for s := range seen {
		t.Errorf("unexpected %s", s)
	}
}

// TestPaddingOfFewColumns: a padding is not inlined where a test of a place is for few products.
func TestPaddingOfFewColumns(t *testing.T) {
	of := func(channels, columns int) *schedule.State {
		d, err := compute.Parse(fmt.Sprintf(`input x: float32[64, %[1]d]
input w: float32[3, %[1]d, %[2]d]
pad(i: 66, k: %[1]d) = if_then_else((i >= 1) && (i < 65), x[min(max(i - 1, 0), 63), k], 0f)
conv(i: 64, j: %[2]d) = sum(r: 3, k: %[1]d) pad[i + r, k]*w[r, k, j]
output conv
`, channels, columns))
		if err != nil {
			t.Fatal(err)
		}
		return schedule.New(d)
	}
	for _, c := range []struct {
		bytes, channels, columns int
		want                     bool
	}{
		{64, 3, 4, false},
		{64, 15, 1, false},
		{64, 16, 1, true}, // products of a place
		{64, 3, 8, true},  // half of a vector
		{16, 3, 4, true},
	} {
		at := slices.IndexFunc(of(c.channels, c.columns).Stages, func(st *schedule.Stage) bool { return st.Op.Name == "pad" })
		if got := Inlinable(target.Generic(c.bytes, 2), of(c.channels, c.columns), at); got != c.want {
			t.Errorf("%v: inlinable %v", c, got)
		}
	}
}
