package template

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestSplits: how many values splits have, as TVM 0.16 counts them.
func TestSplits(t *testing.T) {
	for _, c := range []struct {
		policy Policy
		extent int64
		counts [3]int // of 2, 3 and 4 pieces
	}{
		{Factors, 7, [3]int{2, 3, 4}}, {Verbose, 7, [3]int{4, 8, 13}}, {Factors, 56, [3]int{8, 30, 80}},
		{Verbose, 56, [3]int{10, 42, 119}}, {Factors, 100, [3]int{9, 36, 100}}, {Verbose, 100, [3]int{13, 70, 237}},
		{Factors, 224, [3]int{12, 63, 224}}, {Verbose, 224, [3]int{14, 84, 318}}, {Power2, 56, [3]int{6, 21, 56}},
	} {
		for i, want := range c.counts {
			if got := len(split("x", Split{Policy: c.policy, Extent: c.extent, Pieces: i + 2}).Values); got != want {
				t.Errorf("%d in %d pieces by %s: %d values, want %d", c.extent, i+2, c.policy, got, want)
			}
		}
	}
	var first [][]int64
	for _, v := range split("x", Split{Policy: Factors, Extent: 12, Pieces: 3}).Values[:8] {
		first = append(first, v.Lengths)
	}
	want := [][]int64{{-1, 1, 1}, {-1, 2, 1}, {-1, 3, 1}, {-1, 4, 1}, {-1, 6, 1}, {-1, 12, 1}, {-1, 1, 2}, {-1, 2, 2}}
	if !reflect.DeepEqual(first, want) {
		t.Errorf("the values of 12 in 3 begin with %d, want %d", first, want)
	}
}

// Layers of the paper's table 1.
var (
	c6 = Problem{Batch: 1, In: 128, Out: 128, Height: 28, Width: 28, KernelH: 3, KernelW: 3}
	c8 = Problem{Batch: 1, In: 128, Out: 256, Height: 14, Width: 14, KernelH: 1, KernelW: 1}
	d1 = Problem{Batch: 1, In: 32, Out: 32, Height: 112, Width: 112, KernelH: 3, KernelW: 3}
)

// TestSizes: how large spaces are, as TVM 0.16 counts them.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Problem
		want int64
	}{
		{"conv2d_NCHWc.x86", c6, 1024}, {"conv2d_NCHWc.x86", c8, 864}, {"conv2d_nchw.cuda", c6, 36864000},
		{"conv2d_nchw.cuda", c8, 2027520}, {"depthwise_conv2d_NCHWc.x86", d1, 648}, {"depthwise_conv2d_nchw.cuda", d1, 6585600},
		{"dense_pack.x86", Problem{Rows: 1024, Columns: 1024, Depth: 1024}, 239580},
		{"dense_nopack.x86", Problem{Rows: 1024, Columns: 1024, Depth: 1024}, 1331},
		{"batch_matmul.x86", Problem{Batch: 12, Rows: 128, Columns: 128, Depth: 64}, 448},
	} {
		s, err := Of(c.name, c.p)
		if err != nil || s.Len() != c.want {
			t.Errorf("%s of %+v: %d configurations, %v; want %d", c.name, c.p, s.Len(), err, c.want)
		}
	}
	if _, err := Of("conv2d_NCHWc", c6); err == nil {
		t.Error("a template that is none has a space")
	}
}

// TestIndex: an index of the convolution C6 has the knobs that TVM says, and the way back is the same.
func TestIndex(t *testing.T) {
	s, err := Of("conv2d_nchw.cuda", c6)
	if err != nil {
		t.Fatal(err)
	}
	const index = 6349528
	digits := s.Digits(index)
	if want := []int{88, 32, 2, 1, 0, 0, 1, 0}; !slices.Equal(digits, want) {
		t.Errorf("the knobs are %d, want %d", digits, want)
	}
	want := []float64{-1, 8, 1, 8, -1, 4, 1, 7, -1, 4, 1, 1, -1, 2, -1, 1, -1, 1, 512, 0}
	if got := s.Vector(index); !slices.Equal(got, want) {
		t.Errorf("the vector is %g, want %g", got, want)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		i := rng.Int64N(s.Len())
		if back := s.Index(s.Digits(i)); back != i {
			t.Fatalf("index %d comes back as %d", i, back)
		}
	}
	s, err = Of("conv2d_NCHWc.x86", c6)
	if want := []float64{-1, 64, -1, 2, -1, 16, 1}; err != nil || !slices.Equal(s.Vector(398), want) {
		t.Errorf("the vector is %g, want %g: %v", s.Vector(398), want, err)
	}
}

// TestWalk: a step leads to another configuration, and to each knob equally often in the end.
func TestWalk(t *testing.T) {
	s := Space{option("a", "0", "1", "2"), option("b", "true", "false"), option("c", "7")}
	rng, counts := rand.New(rand.NewPCG(3, 4)), make([]int, s.Len())
	at := int64(0)
	for range 12000 {
		next, err := s.Walk(at, rng)
		if err != nil || next == at {
			t.Fatal(next, at, err)
		}
		at = next
		counts[at]++
	}
	for i, n := range counts {
		if n < 1800 || n > 2200 {
			t.Errorf("configuration %d is visited %d times of 12,000, want about 2,000", i, n)
		}
	}
	if _, err := s[2:].Walk(0, rng); err == nil {
		t.Error("a space of one configuration has another")
	}
}
