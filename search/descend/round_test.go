package descend

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/searchtest"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

func randOf(i int) *rand.Rand { return rand.New(rand.NewPCG(uint64(i), 7)) }

// TestNear: the nearest divisor is the one that a walk over all numbers finds, and pieces divide.
func TestNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for extent := int64(1); extent <= 2000; extent++ {
		want := rng.Float64() * math.Log(float64(extent)+1)
		best := int64(1)
		for v := int64(1); v <= extent; v++ {
			if extent%v == 0 && math.Abs(math.Log(float64(v))-want) < math.Abs(math.Log(float64(best))-want) {
				best = v
			}
		}
		if got := nearest(want, arith.Divisors(extent), extent); got != best {
			t.Fatalf("extent %d: %d is nearest to %v, want %d", extent, got, math.Exp(want), best)
		}
		s := split{extent: extent, lengths: []int64{1, 1, 1}, vars: []int{0, 1, 2}}
		y := []float64{rng.Float64() * 4, rng.Float64() * 4, rng.Float64() * 4}
		even, any := s.near(y, 64, arith.Divisors), s.near(y, 64, handy)
		if p := even[0] * even[1] * even[2]; extent%p != 0 || even[2] > 64 {
			t.Fatalf("extent %d: pieces %v", extent, even)
		}
		if p := any[0] * any[1] * any[2]; p > extent || any[2] > 64 {
			t.Fatalf("extent %d: pieces %v that need not divide", extent, any)
		}
	}
}

// TestLimits: what is over limits is 0 exactly where they are kept, and its slopes are those of differences.
func TestLimits(t *testing.T) {
	refused, limited := 0, 0
	searchtest.Each(t, []string{"paper22", "bert"}, 1, func(kind target.Kind, name string, source search.Source, s *schedule.State) {
		splits, _ := source.Traits().Tiles(s)
		free := func(i int) bool {
			for _, k := range splits {
				if k == i {
					return true
				}
			}
			return false
		}
		if len(splits) == 0 {
			return
		}
		r, err := s.Bounds()
		if err != nil {
			t.Fatal(err)
		}
		var vars []schedule.Length
		for _, i := range splits {
			sp := r.State.Steps[i].(schedule.Split)
			for k, l := range sp.Lengths {
				vars = append(vars, schedule.Length{Step: i, Part: k, Extent: sp.Extent, Value: l})
			}
		}
		l, err := newLimits(searchtest.Target(t, kind), s, vars, free)
		if err != nil {
			refused++ // lengths that do not divide
			return
		}
		limited++
		y, by := make([]float64, len(vars)), make([]float64, len(vars))
		for k, v := range vars {
			y[k] = math.Log(float64(v.Value))
		}
		if v := l.value(y, by); v > 1e-9 {
			t.Errorf("%v %s: a candidate of the space is over limits by %v", kind, name, v)
		}
		for k := range y {
			y[k] = math.Log(float64(vars[k].Extent)) + 1
		}
		if v := l.value(y, by); v <= 0 {
			t.Errorf("%v %s: lengths beyond extents are not over limits", kind, name)
		}
		const h = 1e-6
		scratch := make([]float64, len(vars))
		for k := range y {
			y[k] += h
			up := l.value(y, scratch)
			y[k] -= 2 * h
			down := l.value(y, scratch)
			y[k] += h
			if want := (up - down) / (2 * h); math.Abs(want-by[k]) > 1e-3*max(1, math.Abs(want)) {
				t.Errorf("%v %s: slope %d is %v, by differences %v", kind, name, k, by[k], want)
			}
		}
	})
	if limited == 0 || refused*10 > limited {
		t.Errorf("%d states have no limits, %d have", refused, limited)
	}
}
