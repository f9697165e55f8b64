package sketch

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/winograd"
)

// TestConvolveInTiles: convolutions that the estimate likes in tiles are computed so, in all tiles that may be the
// fastest, and directly too where that may be. Others, and those of the policy without the rule, stay as they are.
func TestConvolveInTiles(t *testing.T) {
	const untiled = int64(winograd.Untiled)
	for _, c := range []struct {
		text string
		want []int64 // tiles of the sketches
	}{
		{"conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=bias+relu", []int64{4}},
		{"conv3d:d=16,h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=bias+relu", []int64{4}},
		{"conv2d:h=14,w=14,ci=256,co=256,k=3,p=1", []int64{2, 4}},
		{"conv2d:h=7,w=7,ci=512,co=512,k=3,p=1", []int64{untiled, 2}}, // many weights
		{"conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,s=2", []int64{untiled}},
		{"conv2d:h=56,w=56,ci=64,co=64,k=1", []int64{untiled}},
		{"conv2d:h=112,w=112,ci=3,co=16,k=3,p=1", []int64{untiled}}, // moves more than it spares
		{"matmul:m=64,n=64,k=64", []int64{untiled}},
	} {
		w, err := op.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := tilesOf(t, cpu(2), w.DAG); !slices.Equal(got, c.want) {
			t.Errorf("%s: tiles %d, want %d", c.text, got, c.want)
		}
		if got := tilesOf(t, direct(cpu(2)), w.DAG); !slices.Equal(got, []int64{untiled}) {
			t.Errorf("%s: tiles %d without the rule", c.text, got)
		}
	}
}

// tilesOf returns the tiles of Winograd's algorithm that the sketches of d have, Untiled if one has none.
func tilesOf(t *testing.T, g *Generator, d *compute.DAG) []int64 {
	list, err := generate(t, g, d)
	if err != nil {
		t.Fatal(err)
	}
	var tiles []int64
	for _, s := range list {
		tile := int64(winograd.Untiled)
		for _, step := range s.Steps {
			if w, ok := step.(schedule.Winograd); ok {
				tile = w.Tile
			}
		}
		if !slices.Contains(tiles, tile) {
			tiles = append(tiles, tile)
		}
	}
	slices.Sort(tiles)
	return tiles
}

// TestTransformInTiles: the first of two transforms of a tile is computed just before the second, which is unrolled;
// the inverse in what reads it.
func TestTransformInTiles(t *testing.T) {
	w, err := op.Parse("conv2d:h=16,w=16,ci=64,co=64,k=3,p=1,epilogue=relu")
	if err != nil {
		t.Fatal(err)
	}
	list, err := generate(t, cpu(2), w.DAG)
	if err != nil {
		t.Fatal(err)
	}
	placed := map[string]string{}
	list = slices.DeleteFunc(list, func(s *schedule.State) bool { return len(s.Prepared) == 0 })
	s := list[0]
	for i, st := range s.Stages {
		if at, ok := s.Attach.At(i); ok {
			placed[st.Op.Name] = s.Stages[at.Stage].Op.Name
			if it := s.Stages[at.Stage].Iters; at.Iter+1 < len(it) && strings.HasPrefix(st.Op.Name, "conv2d.rows") &&
				(it[at.Iter].Ann == schedule.Unroll || it[at.Iter+1].Ann != schedule.Unroll) {
				t.Errorf("%s is not right before the unrolled loops", st.Op.Name)
			}
		}
	}
	for stage, reader := range map[string]string{"conv2d.rows": "conv2d.tiles", "conv2d.columns": "conv2d.inverse",
		"conv2d.inverse": "relu"} {
		if placed[stage] != reader {
			t.Errorf("%s is computed in %q, want %s", stage, placed[stage], reader)
		}
	}
	// One vector is transformed at a time; TVM's convolution in tiles has other lengths to be chosen.
	own, err := op.Parse("conv2d_winograd:h=16,w=16,ci=64,co=64,p=1")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := generate(t, cpu(2), own.DAG)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		s     *schedule.State
		stage string
		want  int64
	}{{s, "conv2d.tiles", 8}, {theirs[0], "data_pack", schedule.OpenLength}} {
		i := slices.IndexFunc(c.s.Stages, func(st *schedule.Stage) bool { return st.Op.Name == c.stage })
		splits := Splits(c.s, i)
		if l := c.s.Steps[splits[0]].(schedule.Split).Lengths; len(l) != 1 || l[0] != c.want {
			t.Errorf("channels of %s are split by %v, want %d", c.stage, l, c.want)
		}
	}
	// Outputs have loops of their own.
	d, err := compute.Parse(`input x: float32[34, 34, 64]
t1(a: 4, b: 4, p: 64, c: 64) = sum(r: 4) x[floordiv(p, 8)*4 + a, floormod(p, 8)*4 + r, c]*select(r == b, 1f, 2f)
    simplify_const_tensor_indices a, b, r
t2(a: 4, b: 4, p: 64, c: 64) = sum(r: 4) t1[r, b, p, c]*select(r == a, 1f, 3f)
    simplify_const_tensor_indices a, b, r
output t1, t2
`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := generate(t, cpu(2), d); err != nil {
		t.Error(err)
	}
	// What is read elsewhere than at the reader's own place would be computed again and again.
	d, err = compute.Parse(`input x: float32[34, 34, 64]
t1(a: 4, b: 4, p: 64, c: 64) = sum(r: 4) x[floordiv(p, 8)*4 + a, floormod(p, 8)*4 + r, c]*select(r == b, 1f, 2f)
    simplify_const_tensor_indices a, b, r
t2(a: 4, b: 4, p: 64, c: 64) = sum(r: 4) t1[r, b, 63 - p, c]*select(r == a, 1f, 3f)
    simplify_const_tensor_indices a, b, r
output t2
`)
	if err != nil {
		t.Fatal(err)
	}
	if list, err = generate(t, cpu(2), d); err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if _, ok := s.Attach.At(1); ok {
			t.Errorf("t1 is computed in t2, which reads it elsewhere: %s", schedule.FormatSteps(s.Steps))
		}
	}
	// A stage that several read, or whose reader has no unrolled loops, is left to the other rules.
	fresh, err := schedule.New(w.DAG).Apply(schedule.Winograd{At: 3, Tile: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, st := range fresh.Stages {
		if whenTransformed(cpu(2), fresh, i) != Skip {
			t.Errorf("%s is to be computed in tiles that are not there yet", st.Op.Name)
		}
	}
}
