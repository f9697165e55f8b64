package annotate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestConvolveInRows: half of the samples of convolutions in tiles compute tiles and products in a loop over rows of
// tiles, with pieces of the axis of tiles that divide these rows, and enough rows for all cores.
func TestConvolveInRows(t *testing.T) {
	for _, c := range []struct {
		spec         string
		cores        int
		rows, across int64
		counts       int    // of numbers of rows at a time
		loops        string // of the reader down to the products, with rows of one tile
	}{
		{"conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=bias+relu", 2, 14, 14, 2,
			"parallel i0@i1.0@ (0,14): tiles, product"},
		{"conv2d:batch=2,h=20,w=28,ci=96,co=96,k=3,p=1,epilogue=bias", 2, 5, 7, 1,
			"parallel i0@i1.0@ (0,10): tiles, product"},
		{"conv3d:d=16,h=56,w=56,ci=64,co=64,k=3,p=1", 8, 14, 14, 1,
			"parallel n@i.0@ (0,14): tiles; for a (0,16): product"},
		{"conv2d:h=14,w=14,ci=256,co=256,k=3,p=1", 32, 7, 7, 0, ""},
		{"conv2d:batch=8,h=14,w=14,ci=256,co=256,k=3,p=1", 32, 4, 4, 1, "parallel n@i.0@ (0,32): tiles, product"},
	} {
		on := target.Generic(64, c.cores)
		policy := sketch.CPU
		policy.Doubt = 1
		w, err := tirop.Parse(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		sketches, err := sketch.Generate(t.Context(), policy, w.DAG, on)
		if err != nil {
			t.Fatal(err)
		}
		a, seen := New(CPU, on), map[string]int{}
		inRows, counts := 0, map[int64]bool{}
		const samples = 80
		for i := range samples {
			rng := Rand(1, 7, i)
			s, err := a.Sample(sketches[rng.IntN(len(sketches))], rng)
			if err != nil {
				t.Fatal(err)
			}
			tiles, product, local := stageNamed(s, ".tiles"), stageNamed(s, ".product"), stageNamed(s, ".product.local")
			at, ok := s.Attach.At(tiles)
			of, both := s.Attach.At(product)
			if ok != both {
				t.Fatalf("one of tiles and product is in rows: %s", s)
			}
			if !ok {
				continue
			}
			inRows++
			count := rowsAtATime(s, at.Stage, c.rows)
			counts[count] = true
			if jobs := s.Stages[at.Stage].Iters[0].Extent; c.rows%count != 0 || jobs < int64(c.cores) {
				t.Errorf("%s: %d rows of %d at a time, in %d iterations", c.spec, count, c.rows, jobs)
			}
			split := product
			if local >= 0 {
				split = local
			}
			for _, stage := range []int{tiles, split} {
				for _, k := range sketch.Splits(s, stage) {
					if sp := s.Steps[k].(schedule.Split); sp.Extent == c.rows*c.across {
						inner := int64(1)
						for _, l := range sp.Lengths {
							inner *= l
						}
						if count*c.across%inner != 0 {
							t.Errorf("%s: pieces %d of %d rows of %d tiles", c.spec, sp.Lengths, count, c.across)
						}
					}
				}
			}
			if count == 1 {
				seen[loopsOf(s, at, of)]++
			}
		}
		if c.counts > 0 && (inRows < samples/4 || inRows > samples*3/4) || len(counts) != c.counts {
			t.Errorf("%s: %d of %d samples in rows, %v at a time", c.spec, inRows, samples, counts)
		}
		if c.counts > 0 && (len(seen) != 1 || seen[c.loops] == 0) {
			t.Errorf("%s: loops %v, want %q", c.spec, seen, c.loops)
		}
	}
}

// stageNamed returns the last stage whose name ends so, -1 if there is none.
func stageNamed(s *schedule.State, end string) int {
	for i := len(s.Stages) - 1; i >= 0; i-- {
		if strings.HasSuffix(s.Stages[i].Op.Name, end) {
			return i
		}
	}
	return -1
}

// rowsAtATime returns by how much the loop over rows of tiles is split.
func rowsAtATime(s *schedule.State, reader int, rows int64) int64 {
	count := int64(1)
	for _, k := range sketch.Splits(s, reader)[:1] { // the last
		if sp := s.Steps[k].(schedule.Split); sp.Extent == rows && sp.Iter < 3 {
			count = sp.Lengths[0]
		}
	}
	return count
}

func loopsOf(s *schedule.State, tiles, product schedule.IterKey) string {
	iters := s.Stages[tiles.Stage].Iters
	text := func(from, end int) string {
		var list []string
		for _, it := range iters[from:end] {
			list = append(list, fmt.Sprintf("%s %s (0,%d)", it.Ann, it.Name, it.Extent))
		}
		return strings.Join(list, ": ")
	}
	if tiles == product {
		return text(0, tiles.Iter+1) + ": tiles, product"
	}
	return text(0, tiles.Iter+1) + ": tiles; " + text(tiles.Iter+1, product.Iter+1) + ": product"
}

// TestNotInRows: what is no convolution in tiles has none of its rows, and no convolution has them twice.
func TestNotInRows(t *testing.T) {
	on := target.Generic(64, 2)
	parsed := func(spec string) *compute.DAG {
		w, err := tirop.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		return w.DAG
	}
	sketches := func(d *compute.DAG) []*schedule.State {
		list, err := sketch.Generate(t.Context(), sketch.CPU, d, on)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for _, c := range []struct{ spec, why string }{
		{"conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,layout=NCHW", "tiles lie along memory, so no stage is computed for one"},
		{"conv3d:d=8,h=56,w=56,ci=64,co=64,k=3,p=1,layout=NCHW", "so do its"},
		{"conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,s=2", "it is direct"},
		{"conv2d_winograd:h=16,w=16,ci=64,co=64,p=1", "its stages are TVM's"},
		{"dense:m=64,n=64,k=64,epilogue=relu", "it is no convolution"},
	} {
		for _, s := range sketches(parsed(c.spec)) {
			for stage := range s.Stages {
				if _, ok := sketch.TileRowsOf(s, stage); ok {
					t.Errorf("%s has rows of tiles, but %s", c.spec, c.why)
				}
			}
		}
	}
	turned, err := compute.Parse(`input x: float32[18, 14, 3, 5]
input w: float32[3, 3, 5, 8]
y(j: 12, h: 16, n: 3, c: 8) = sum(r: 3, s: 3, k: 5) x[h + r, j + s, n, k]*w[r, s, k, c]
    layout_free w
output y
`)
	if err != nil {
		t.Fatal(err)
	}
	tiled := 0
	policy := sketch.CPU
	policy.Doubt = 1e9
	list, err := sketch.Generate(t.Context(), policy, turned, on)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		for stage := range s.Stages {
			if sketch.ComputedInTiles(s, stage) != nil {
				tiled++
			}
			if _, ok := sketch.TileRowsOf(s, stage); ok {
				t.Error("rows of tiles are not rows of the result")
			}
		}
	}
	if tiled == 0 {
		t.Error("no stage is computed in tiles")
	}
	d := parsed("conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=bias+relu")
	a := New(CPU, on)
	for i := range 20 {
		rng := Rand(1, 9, i)
		s, err := a.Sample(sketches(d)[0], rng)
		if err != nil {
			t.Fatal(err)
		}
		if s, err = schedule.Replay(d, schedule.Structure(s.Steps)); err != nil {
			t.Fatal(err)
		}
		r, ok := sketch.TileRowsOf(s, len(s.Stages)-1)
		_, placed := s.Attach.At(stageNamed(s, ".tiles"))
		if ok == placed {
			t.Errorf("rows %+v of a state that has its stages in rows: %v", r, placed)
		}
	}
}
