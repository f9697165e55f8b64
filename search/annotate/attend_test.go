package annotate

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestAttendInRows: all samples of attention compute all stages in loops over rows of the output, in tiles that go
// together; so does what mutation makes of them. AutoScheduler's do not.
func TestAttendInRows(t *testing.T) {
	d, err := compute.Parse(tirtest.AttentionText)
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range []target.Target{target.Generic(32, 2), target.Generic(64, 2)} {
		sketches, err := sketch.Generate(t.Context(), sketch.CPU, d, on)
		if err != nil {
			t.Fatal(err)
		}
		a := New(CPU, on)
		for i := range 60 {
			rng := Rand(1, 2, i)
			s, err := a.Sample(sketches[rng.IntN(len(sketches))], rng)
			if err != nil {
				t.Fatal(err)
			}
			checkRows(t, s)
			steps, ok := a.MutateAttention(d, schedule.Structure(s.Steps), rng)
			if !ok {
				t.Fatal("no tiles of attention to mutate")
			}
			if s, err = a.Remake(s, steps, rng); err != nil {
				t.Fatal(err)
			}
			checkRows(t, s)
		}
	}
	for _, queries := range []string{"8", "16", "50"} { // few rows, and some that no tile divides
		d, err := compute.Parse(strings.ReplaceAll(tirtest.AttentionText, "120", queries))
		if err != nil {
			t.Fatal(err)
		}
		on := target.Generic(64, 2)
		sketches, err := sketch.Generate(t.Context(), sketch.CPU, d, on)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 30 {
			rng := Rand(1, 5, i)
			s, err := New(CPU, on).Sample(sketches[rng.IntN(len(sketches))], rng)
			if err != nil {
				t.Fatal(err)
			}
			for stage := range s.Stages {
				if g := attentionOf(s, stage); g != nil {
					if count, rows := rowTile(s, s.Steps, g.product, g.queries); count > 1 && count*rows > g.queries {
						t.Errorf("%d x %d rows of %d", count, rows, g.queries)
					}
				}
			}
		}
	}
	sketches, err := sketch.Generate(t.Context(), sketch.AutoScheduler, d, target.Generic(32, 2))
	if err != nil {
		t.Fatal(err)
	}
	a, rooted := New(AutoScheduler, target.Generic(32, 2)), 0
	for i := range 20 {
		rng := Rand(1, 3, i)
		s, err := a.Sample(sketches[rng.IntN(len(sketches))], rng)
		if err != nil {
			continue
		}
		if _, ok := a.MutateAttention(d, schedule.Structure(s.Steps), rng); ok {
			t.Error("AutoScheduler's tiles of attention are drawn as ours")
		}
		for stage, st := range s.Stages {
			if !st.Op.IsPlaceholder() && st.At == schedule.AtRoot && !s.IsOutput(stage) {
				rooted++
			}
		}
	}
	if rooted == 0 {
		t.Error("AutoScheduler's samples compute all stages in the output")
	}
}

func checkRows(t *testing.T, s *schedule.State) {
	t.Helper()
	var g *attention
	output := -1
	for stage, st := range s.Stages {
		if st.Op.IsPlaceholder() || st.At == schedule.Inlined {
			continue
		}
		switch {
		case s.IsOutput(stage):
			g, output = attentionOf(s, stage), stage
		case st.At == schedule.AtRoot:
			t.Fatalf("%s has loops of its own:\n%s", st.Op.Name, s)
		case Movable(s, stage):
			t.Errorf("%s may be moved", st.Op.Name)
		}
	}
	if g == nil || !g.placed || g.scores < 0 {
		t.Fatalf("no attention:\n%s", s)
	}
	count, rows := rowTile(s, s.Steps, g.product, g.queries)
	blocks := 4 * ((120 + count*rows - 1) / (count * rows))
	if it := s.Stages[output].Iters[0]; it.Ann != schedule.Parallel || it.Extent != blocks {
		t.Errorf("the first loop is %v, want %d iterations in parallel", it, blocks)
	}
	inner, each := rowTile(s, s.Steps, g.scores, g.queries)
	if g.queries != 120 || 120%rows != 0 || count*rows != inner*each {
		t.Errorf("tiles of %d x %d rows of %d, and %d x %d of the scores", count, rows, g.queries, inner, each)
	}
	for _, stage := range []int{g.product, g.scores} {
		for _, at := range sketch.SpatialSplits(s, stage)[1:] {
			if sp := s.Steps[at].(schedule.Split); sp.Extent == 4 && (sp.Lengths[0] != 1 || sp.Lengths[2] != 1) {
				t.Errorf("a tile has several heads: %v", sp.Lengths)
			}
		}
	}
}

func TestDrawRows(t *testing.T) {
	c := &choice{rng: Rand(1, 4, 0)}
	for range 50 {
		if n := c.drawRows(1500, 6, 13); 1500%n != 0 || n < 6 || n > 13 {
			t.Fatalf("%d rows of 1500", n)
		}
		if n := c.drawRows(197, 6, 13); n < 6 || n > 13 {
			t.Fatalf("%d rows of 197", n)
		}
	}
}
