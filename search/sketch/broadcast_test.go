package sketch

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

func parsed(t *testing.T, text string) *schedule.State {
	t.Helper()
	d, err := compute.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return schedule.New(d)
}

// stageOf returns the number of the stage of a name.
func stageOf(t *testing.T, s *schedule.State, name string) int {
	t.Helper()
	for i, st := range s.Stages {
		if st.Op.Name == name {
			return i
		}
	}
	t.Fatalf("no stage %s in\n%s", name, s)
	return -1
}

// Scales of rows and columns behind a product read several elements again and again, as what is
// tiled does; the product's tiles are computed in them all the same, and they are not tiled themselves.
func TestScaledProduct(t *testing.T) {
	s := parsed(t, `input x: float32[512, 512]
input w: float32[512, 512]
input p: float32[512]
input q: float32[512]
y(i: 512, j: 512) = sum(k: 512) x[i, k]*w[k, j]
z(i: 512, j: 512) = y[i, j]*p[i]*q[j]
output z
`)
	y, z := stageOf(t, s, "y"), stageOf(t, s, "z")
	if !s.Current.Access().NeedsMultiLevelTiling(s.Stages[z].Op) || NeedsTiling(s, z) || !NeedsTiling(s, y) {
		t.Error("the scales are to be tiled, or the product is not")
	}
	if reader, ok := TileReader(s, y); !ok || reader != z {
		t.Errorf("the tiles of the product belong in stage %d, %v", reader, ok)
	}
	output := outputToo(s, y)
	if !NeedsTiling(output, z) {
		t.Error("behind a product that is an output, and so stays outside, the scales are not tiled")
	}
	for _, g := range []*Generator{cpu(4), gpu()} {
		sketches, err := generate(t, g, s.DAG)
		if err != nil {
			t.Fatal(err)
		}
		fused := 0
		for _, s := range sketches {
			y, z := stageOf(t, s, "y"), stageOf(t, s, "z")
			if at, ok := s.Attach.At(y); ok && at.Stage == z {
				fused++
			}
			for _, st := range s.Stages {
				if st.Op.Name == "z.local" || st.Op.Name == "y.shared" {
					t.Errorf("%s: the scales have a copy of their own\n%s", g.Policy.Tiling, s)
				}
			}
		}
		// A CPU has a sketch without tiling the reduction alone, and the factored ones.
		if fused == 0 || g.Fuse == AlwaysFuse && fused != len(sketches) {
			t.Errorf("%s: %d of %d sketches have the product inside the scales", g.Policy.Tiling, fused, len(sketches))
		}
	}
}

// An outer product is tiled inside no sum over what it lacks: a tile of it would be computed for every
// step of the sum. It keeps no other one from being tiled.
func TestOuterProducts(t *testing.T) {
	s := parsed(t, `input a: float32[64]
input b: float32[64]
input c: float32[16]
y(i: 64, j: 64) = exp(a[i])*b[j]
z(i: 64, j: 64) = sum(k: 16) y[i, j]*c[k]
output z
`)
	y, z := stageOf(t, s, "y"), stageOf(t, s, "z")
	if reader, ok := ElementwiseReader(s, y); !ok || reader != z || !NeedsTiling(s, y) {
		t.Fatal("the test says nothing")
	}
	if _, ok := TileReader(s, y); ok {
		t.Error("a sum may hold tiles")
	}
	checkWhen(t, cpu(4), whenTiledAndFused, []whenCase{{"a reader that reduces", s, y, Skip}})
	checkWhen(t, cpu(4), whenCached, []whenCase{{"a reader that reduces", s, y, Apply}})
	twice := parsed(t, `input a: float32[64]
input b: float32[64]
y(i: 64, j: 64) = exp(a[i])*b[j]
z(i: 64, j: 64) = y[i, j]*a[i]*b[j]
output z
`)
	if !NeedsTiling(twice, stageOf(t, twice, "z")) {
		t.Error("what walks the elements of no reduction is not tiled")
	}
	for _, g := range []*Generator{cpu(4), gpu()} {
		if sketches, err := generate(t, g, s.DAG); err != nil || len(sketches) == 0 {
			t.Errorf("%s: %d sketches, %v", g.Policy.Tiling, len(sketches), err)
		}
	}
}

// A reader that was tiled before holds no tiles of another stage.
func TestTiledReader(t *testing.T) {
	s := state(epilogue(matmul(64, 64, 64), "D", relu)...)
	if _, ok := TileReader(s, 2); !ok {
		t.Fatal("the test says nothing")
	}
	s = apply(t, s, schedule.Split{At: 3, Iter: 0, Extent: 64, Lengths: []int64{4}, InnerToOuter: true})
	if _, ok := TileReader(s, 2); ok {
		t.Error("a tiled reader may hold tiles")
	}
}

// Only what products read directly is copied into shared memory, and for them only; an outer
// product has no reduction along which it would read a copy again.
func TestSharingReaders(t *testing.T) {
	s := parsed(t, `input x: float32[64, 64]
input v: float32[64]
input w: float32[64, 64]
half(i: 64, k: 64) = x[i, k]/2
outer(i: 64, j: 64, k: 64) = x[i, k]*v[j]
first(i: 64, j: 64) = sum(k: 64) x[i, k]*w[k, j]
second(i: 64, j: 64) = sum(k: 64) half[i, k]*w[k, j]
last(i: 64, j: 64) = sum(k: 64) x[i, k]*w[j, k]
output outer, first, second, last
`)
	s = apply(t, s, schedule.ComputeInline{At: stageOf(t, s, "half")})
	x := stageOf(t, s, "x")
	if readers := s.Readers(x); len(readers) != 4 {
		t.Fatalf("x has readers %v", readers)
	}
	want := []int{stageOf(t, s, "first"), stageOf(t, s, "last")}
	if got := sharingReaders(s, x); !slices.Equal(got, want) {
		t.Errorf("readers %v share x, want %v", got, want)
	}
	got, err := cacheRead(gpu(), s, x)
	if err != nil {
		t.Fatal(err)
	}
	shared := 0
	for i, st := range got[0].State.Stages {
		if IsShared(st) {
			shared++
			if len(got[0].State.Readers(i)) != 1 {
				t.Errorf("stage %d has readers %v", i, got[0].State.Readers(i))
			}
		}
	}
	if shared != 2 || whenCacheRead(gpu(), got[0].State, x) != Skip {
		t.Errorf("%d copies, or x is copied again", shared)
	}
}

// A product that reads only a later result of a reduction shares no copy of it: CacheRead copies the first result.
func TestLaterResultIsNotShared(t *testing.T) {
	s := parsed(t, `input x: float32[64, 64]
input w: float32[64, 64]
top(i: 64) -> at, value = reduce(k: 64) {int64(k), x[i, k]}
    from {9223372036854775807, -inf}
    fold (ka, a) (kb, b) {select(a > b || a == b && ka < kb, ka, kb), max(a, b)}
y(i: 64, j: 64) = sum(k: 64) (x[i, k] - value[i])*w[k, j]
output y, at
`)
	if got := sharingReaders(s, stageOf(t, s, "top")); len(got) > 0 {
		t.Errorf("readers %v share a copy of the first result", got)
	}
	for _, policy := range []Policy{CUDA, GPU} {
		list, err := Generate(t.Context(), policy, s.DAG, gpu().Target)
		if err != nil || len(list) == 0 {
			t.Errorf("%d sketches: %v", len(list), err)
		}
	}
}
