package op

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFromHashAnyShapes: whatever shapes a log claims, there is a DAG that has
// them, or an error, and soon.
func TestFromHashAnyShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	extents := []int64{1, 1, 2, 3, 4, 6, 7, 8, 14, 16, maxLogExtent, maxLogExtent + 1, 0, -1, 1 << 62}
	for _, l := range logDAGs {
		built := 0
		for range 300 {
			var shapes [][]int64
			var flat []int64
			few := 4 + rng.IntN(len(extents)-4) // mostly small ones, which fit together now and then
			for _, rank := range l.ranks {
				s := make([]int64, rank)
				for i := range s {
					s[i] = extents[rng.IntN(few)]
				}
				shapes, flat = append(shapes, s), append(flat, s...)
			}
			split, err := SplitShapes(l.hash, flat)
			if err != nil || !slices.EqualFunc(split, shapes, slices.Equal) {
				t.Fatalf("%s: %v became %v, %v", l.hash, shapes, split, err)
			}
			d, err := FromHash(l.hash, shapes)
			if err != nil {
				continue
			}
			built++
			for i, b := range d.Tensors {
				if !slices.Equal(b.Shape, shapes[i]) {
					t.Errorf("%s: %v became a DAG of %v", l.hash, shapes, b.Shape)
				}
			}
		}
		t.Logf("%s: %d of 300 were DAGs", l.hash, built)
	}
}

func TestSplitShapesRefuses(t *testing.T) {
	const matmul = "f3351bf9aef587a2fb1bf57b0fc78601" // ranks 2, 2, 2
	for n := range 9 {
		_, err := SplitShapes(matmul, make([]int64, n))
		if (err == nil) != (n == 6) {
			t.Errorf("%d extents: %v", n, err)
		}
	}
	if _, err := SplitShapes("unknown", nil); err == nil {
		t.Error("an unknown hash has shapes")
	}
}
