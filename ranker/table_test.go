package ranker

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/ranker/lowered"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestTables: tables have the columns that they name, and no model of one is read as one of the other.
func TestTables(t *testing.T) {
	for _, table := range []Table{Steps, Lowered, Launched} {
		names := table.Names()
		slices.Sort(names)
		if len(names) != table.Columns() || len(slices.Compact(names)) != table.Columns() {
			t.Errorf("table %d: %d names of %d columns", table, len(names), table.Columns())
		}
	}
	_, files := trained(t)
	for _, other := range []Table{Lowered, Launched} {
		if Steps.Digest() == other.Digest() {
			t.Errorf("table %d has the digest of the first", other)
		}
		if _, err := other.Load(files); err == nil {
			t.Errorf("a ranker of steps was read as one of table %d", other)
		}
	}
}

// TestCloser: random states that can be lowered have rows of numbers, the same each time; a row begins with the
// features of the steps; for a GPU nothing is lowered.
func TestCloser(t *testing.T) {
	rows := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		_, d := tirtest.RandomDAG(r)
		to := target.Generic(32<<(seed%2), 3)
		s, err := schedule.Replay(d, tirtest.RandomSteps(r, d, 12))
		if err == nil {
			s, err = s.InferBound()
		}
		if err != nil {
			t.Fatal(err)
		}
		features, err := Features(s, to)
		if err != nil {
			t.Fatal(err)
		}
		row, err := Closer(features, s, to, target.Rewrite)
		if err != nil {
			continue
		}
		rows++
		if len(row) != Lowered.Columns() || !slices.Equal(row[:Columns], features) {
			t.Fatalf("seed %d: %d columns", seed, len(row))
		}
		for i, v := range row {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Fatalf("seed %d: %s is %v", seed, Lowered.Names()[i], v)
			}
		}
		if again, _ := Closer(features, s, to, target.Rewrite); !slices.Equal(row, again) {
			t.Fatalf("seed %d: another row the second time", seed)
		}
		gpu, err := Closer(features, s, target.Target{Kind: target.CUDA}, target.Keep)
		if err != nil || !slices.Equal(gpu[Columns:], make([]float32, lowered.Columns)) {
			t.Fatalf("seed %d: a GPU has columns of a lowered program, %v", seed, err)
		}
	}
	if rows < 100 {
		t.Errorf("only %d of 200 states were lowered", rows)
	}
}

// BenchmarkCloser lowers a tiled product and describes what comes of it.
func BenchmarkCloser(b *testing.B) {
	d := dagOf(b, "dense:m=128,n=768,k=768,epilogue=bias+gelu")
	s := schedule.New(d)
	for _, step := range stepsOf(b, `[["SP", 2, 0, 128, [4, 1, 6], 1], ["SP", 2, 4, 768, [4, 1, 16], 1],
		["SP", 2, 8, 768, [8], 1], ["RE", 2, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]], ["AN", 2, 9, 2]]`) {
		var err error
		if s, err = s.Apply(step); err != nil {
			b.Fatal(err)
		}
	}
	s, err := s.InferBound()
	if err != nil {
		b.Fatal(err)
	}
	to := target.Generic(32, 2)
	features, err := Features(s, to)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Closer(features, s, to, target.Rewrite); err != nil {
			b.Fatal(err)
		}
	}
}
