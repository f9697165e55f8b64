package annotate

import (
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/schedule"
)

// fillTileSize fills the open lengths of all splits at random. Most are drawn
// such that vectors fill the registers, and that the innermost tile of a reduction
// is held in as many registers as hide the latency of its additions.
//
//	SP 2 0 512 [None, None, None]  =>  SP 2 0 512 [2, 1, 4]
func fillTileSize(c *choice, s *schedule.State) (*schedule.State, error) {
	steps := slices.Clone(s.Steps)
	for i := 0; i < len(steps); {
		if !isOpen(steps[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(steps) && isOpen(steps[end]) && steps[end].(schedule.Split).At == steps[i].(schedule.Split).At {
			end++
		}
		// Steps behind may number the stages otherwise.
		so, err := schedule.Replay(s.DAG, steps[:i])
		if err != nil {
			return nil, err
		}
		group := steps[i:end]
		st := so.Stages[group[0].Stage()]
		inner := len(st.Iters) - len(st.Op.Axes) - len(st.Op.ReduceAxes) // pieces of axes whose splits are not open
		c.fillTile(steps[i:], end-i, operandsOf(st.Op, inner, group), c.grainsOf(so.Current.Ops, st.Op, inner, group))
		i = end
	}
	return schedule.Replay(s.DAG, steps)
}

func isOpen(step schedule.Step) bool {
	sp, ok := step.(schedule.Split)
	return ok && slices.Contains(sp.Lengths, schedule.OpenLength)
}

// fillGroup fills the open splits of one stage, the first steps of a list; behind them there may be splits of that
// stage that are not open. A piece that becomes a vector is drawn again if it does not fill vector registers:
// AutoScheduler leaves that to luck, and two thirds of its samples have fewer lanes than the machine. Two redraws leave
// a third, for loops that are better short.
func (c *choice) fillGroup(steps []schedule.Step, open int) {
	group := steps[:open]
	for i, step := range group {
		sp := step.(schedule.Split)
		n := len(sp.Lengths)
		if fixed := fixedPieces(sp); fixed != nil { // steps of a sum that an instruction makes at once
			loose := Loose(sp, fixed)
			if len(loose.Lengths) == 0 {
				continue
			}
			group[i] = Tightened(sp, fixed, c.Lengths(loose.Extent, len(loose.Lengths), false, c.rng))
			continue
		}
		columns := IsColumnSplit(steps, i)
		if !columns && c.threes(group, sp) {
			rows := threes[c.rng.IntN(len(threes))]
			sp.Lengths = append(handyLengths(sp.Extent/rows, n-1, sp.Extent, c.rng), rows)
			group[i] = sp
			continue
		}
		sp.Lengths = c.Lengths(sp.Extent, n, columns, c.rng)
		for redraw := 0; redraw < c.Tiles.VectorRedraws && columns && !c.fillsVectors(sp); redraw++ {
			sp.Lengths = c.Lengths(sp.Extent, n, columns, c.rng)
		}
		group[i] = sp
	}
}

// threes are the numbers of rows that threes draws, and leastTiles how many of the larger ones an extent must have:
// one in so many tiles is not whole.
var threes = []int64{6, 6, 3}

const leastTiles = 4

// threes draws whether a row loop of a reduction has three or six rows in a tile, though they do not divide it. With 16
// registers, of which 13 hold sums, tiles of powers of two have 8 sums: just enough to keep two units busy that take
// four cycles for each. Libraries multiply with 12 sums: six rows by two vectors, or three by four.
func (c *choice) threes(group []schedule.Step, sp schedule.Split) bool {
	sums := c.Target.Hardware.VectorRegisters - spareRegisters
	few := sums >= enoughAccumulators && sums < 2*enoughAccumulators
	return few && isTile(group) && len(sp.Lengths) == len(group[0].(schedule.Split).Lengths) && sp.Extent%3 != 0 &&
		sp.Extent >= leastTiles*threes[0] && c.rng.Float64() < c.Tiles.Threes
}

// isVectorSplit reports whether the innermost piece of split i becomes the
// innermost spatial loop of its stage: tiling splits the spatial loops first, and
// into more pieces than the others, and reorders them within each level in the
// same order.
func isVectorSplit(steps []schedule.Step, i int) bool {
	sp := steps[i].(schedule.Split)
	if i+1 == len(steps) {
		return true
	}
	next, ok := steps[i+1].(schedule.Split)
	return !ok || next.At != sp.At || len(next.Lengths) < len(sp.Lengths)
}

// IsColumnSplit reports whether split i of a stage is that of its innermost spatial loop. The last split of a reduction
// is of a reduce loop, in fewer pieces than the first.
func IsColumnSplit(steps []schedule.Step, i int) bool {
	first := i
	for first > 0 {
		sp, ok := steps[first-1].(schedule.Split)
		if !ok || sp.At != steps[i].Stage() {
			break
		}
		first--
	}
	pieces := func(i int) int { return len(steps[i].(schedule.Split).Lengths) }
	return isVectorSplit(steps, i) && pieces(i) == pieces(first)
}

// lanes returns how many 4-byte elements a vector register holds.
func (a *Sampler) lanes() int64 { return a.Target.Hardware.Lanes(4) }

// fillsVectors reports whether the innermost piece of a split is a whole number
// of vector registers of 4-byte elements.
func (a *Sampler) fillsVectors(sp schedule.Split) bool {
	return sp.Lengths[len(sp.Lengths)-1]%a.lanes() == 0
}

// mostIterations bounds the loops whose lengths are looked for: finding the divisors of more takes long.
const mostIterations = 1 << 40

// HasLengths reports whether the lengths of a split can be changed: there are some, all are known, and one does not
// divide a loop into more iterations than a loop can have. Records of others may have any.
func HasLengths(sp schedule.Split) bool {
	inside := int64(1)
	for _, l := range sp.Lengths {
		if l < 1 || l > mostIterations/inside {
			return false
		}
		inside *= l
	}
	return len(sp.Lengths) > 0 && sp.Extent <= mostIterations
}

// Lengths returns n random lengths for a split of an extent: inner pieces,
// outermost first, the last at most MaxInner. They are drawn uniformly from all
// tuples whose product divides the extent, as in AutoScheduler. If the extent
// has few divisors, or becomes vectors and is no whole number of them, half of the
// draws are tuples of handy sizes instead, whose product is at most the extent.
func (a *Sampler) Lengths(extent int64, n int, vector bool, rng *rand.Rand) []int64 {
	if a.Tiles.Handy && a.Uneven(extent, vector) && rng.IntN(2) == 0 {
		return handyLengths(extent, n, a.MaxInner, rng)
	}
	return a.tiles.draw(extent, n, a.MaxInner, rng)
}

// Uneven reports whether an extent has few divisors, or none that is a whole number of
// vectors although it becomes vectors and is longer than one.
func (a *Sampler) Uneven(extent int64, vector bool) bool {
	if !vector || !a.Tiles.Handy || a.Target.Hardware.WarpSize > 0 {
		return arith.Sparse(extent)
	}
	return arith.Sparse(extent) || extent > a.lanes() && extent%a.lanes() != 0
}

// handy are the sizes of pieces that do not divide: small ones, and multiples
// of vector widths.
var handy = []int64{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}

// handyLengths draws each length from the handy sizes that still fit, the
// innermost first.
func handyLengths(extent int64, n int, maxInner int64, rng *rand.Rand) []int64 {
	lengths := make([]int64, n)
	room := extent
	for i := n - 1; i >= 0; i-- {
		limit := room
		if i == n-1 {
			limit = min(limit, maxInner)
		}
		fits, _ := slices.BinarySearch(handy, limit+1)
		lengths[i] = handy[rng.IntN(fits)]
		room /= lengths[i]
	}
	return lengths
}

// A tileTable counts the ways to split extents, to draw from them uniformly
// without listing them.
type tileTable struct {
	mu    sync.Mutex
	count map[tileKey]int64
}

type tileKey struct {
	extent   int64
	n        int
	maxInner int64
}

// draw returns one of the tuples of n divisors whose product divides extent and
// whose last is at most maxInner.
func (t *tileTable) draw(extent int64, n int, maxInner int64, rng *rand.Rand) []int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count == nil {
		t.count = map[tileKey]int64{}
	}
	lengths := make([]int64, 0, n)
	for left := n; left > 0; left-- {
		k := rng.Int64N(t.ways(extent, left, maxInner))
		for _, d := range arith.Divisors(extent) {
			w := t.waysAfter(extent/d, d, left-1, maxInner)
			if k < w {
				lengths = append(lengths, d)
				extent /= d
				break
			}
			k -= w
		}
	}
	return lengths
}

// ways counts the tuples of n lengths for an extent.
func (t *tileTable) ways(extent int64, n int, maxInner int64) int64 {
	key := tileKey{extent, n, maxInner}
	if w, ok := t.count[key]; ok {
		return w
	}
	var w int64
	for _, d := range arith.Divisors(extent) {
		w += t.waysAfter(extent/d, d, n-1, maxInner)
	}
	t.count[key] = w
	return w
}

// waysAfter counts how a tuple can go on after length d, when n lengths and an
// extent of rest are left.
func (t *tileTable) waysAfter(rest, d int64, n int, maxInner int64) int64 {
	switch {
	case n > 0:
		return t.ways(rest, n, maxInner)
	case d <= maxInner:
		return 1
	}
	return 0
}
