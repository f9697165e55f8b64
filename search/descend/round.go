package descend

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/schedule"
)

// tiles are the splits that a descent gives lengths.
type tiles struct {
	splits []split
	inner  int64           // the most that an innermost piece may have
	seen   map[string]bool // lengths that were found
}

// A split is one of them.
type split struct {
	step    int
	extent  int64
	lengths []int64 // of the seed
	vars    []int   // by length; below 0 if it is no variable
}

func newTiles(seed *schedule.State, vars []schedule.Length, inner int64) *tiles {
	t := &tiles{inner: inner, seen: map[string]bool{}}
	for k, v := range vars {
		if len(t.splits) == 0 || t.splits[len(t.splits)-1].step != v.Step {
			lengths := seed.Steps[v.Step].(schedule.Split).Lengths
			t.splits = append(t.splits, split{v.Step, v.Extent, lengths, slices.Repeat([]int{-1}, len(lengths))})
		}
		t.splits[len(t.splits)-1].vars[v.Part] = k
	}
	return t
}

// near returns the lengths nearest to a point that were not found before: those that divide, and where few do,
// those that need not.
func (t *tiles) near(y []float64) []map[int][]int64 {
	var list []map[int][]int64
	even, uneven, sparse := map[int][]int64{}, map[int][]int64{}, false
	for _, s := range t.splits {
		even[s.step] = s.near(y, t.inner, arith.Divisors)
		uneven[s.step] = even[s.step]
		if arith.Sparse(s.extent) {
			sparse = true
			uneven[s.step] = s.near(y, t.inner, handy)
		}
	}
	for _, lengths := range []map[int][]int64{even, uneven}[:1+count(sparse)] {
		if key := fmt.Sprint(lengths); !t.seen[key] {
			t.seen[key] = true
			list = append(list, lengths)
		}
	}
	return list
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// near returns the lengths nearest to a point, the innermost first, of those that are allowed for what is left.
func (s *split) near(y []float64, inner int64, allowed func(rest int64) []int64) []int64 {
	lengths, rest := slices.Clone(s.lengths), s.extent
	for k := len(lengths) - 1; k >= 0; k-- {
		want := math.Log(float64(lengths[k]))
		if v := s.vars[k]; v >= 0 {
			want = y[v]
		}
		most := rest
		if k == len(lengths)-1 {
			most = min(most, max(inner, s.lengths[k]))
		}
		lengths[k] = nearest(want, allowed(rest), most)
		rest = max(rest/lengths[k], 1)
	}
	return lengths
}

// nearest returns the number of an ascending list, at most most, of which the logarithm is nearest to want; of
// two, the smaller.
func nearest(want float64, list []int64, most int64) int64 {
	best := int64(1)
	for _, v := range list {
		if v <= most && math.Abs(math.Log(float64(v))-want) < math.Abs(math.Log(float64(best))-want) {
			best = v
		}
	}
	return best
}

// sizes are those of pieces that need not divide, as package annotate draws them.
var sizes = []int64{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}

func handy(int64) []int64 { return sizes }
