package lowered

import (
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// values are those of the variables of the loops around, outermost first.
type values []int64

// eval returns the value of an index where the loops stand; 0 of what is read from memory.
func (w *walker) eval(e tir.Expr) int64 {
	v, _ := arith.Eval(e, func(e tir.Expr) (int64, bool) {
		for k := len(w.vars) - 1; k >= 0; k-- {
			if tir.Expr(w.vars[k]) == e {
				return w.env[k], true
			}
		}
		return 0, true
	})
	return v
}

// sampled is how many places of the loops a condition or a length is looked at.
const sampled = 32

// mean returns the mean of an expression over the iterations of the loops that it depends on: of all if they are few,
// of a fixed sample otherwise.
func (w *walker) mean(e tir.Expr) float64 {
	var used []int
	all := 1.0
	for k, v := range w.vars {
		if v != w.pinned && tir.Uses(e, v) {
			used = append(used, k)
			all *= w.around(k)
		}
	}
	if len(used) == 0 {
		return float64(w.eval(e))
	}
	kept := slices.Clone(w.env)
	sum, n := 0.0, int(min(all, 2*sampled))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		at := int64(i)
		for _, k := range used {
			extent := int64(w.around(k))
			if all <= 2*sampled {
				w.env[k] = at % extent
				at /= extent
			} else {
				w.env[k] = rng.Int64N(extent)
			}
		}
		sum += float64(w.eval(e))
	}
	copy(w.env, kept)
	return sum / float64(n)
}

// around returns the extent of loop k around.
func (w *walker) around(k int) float64 {
	if w.extents != nil {
		return w.extents[k]
	}
	return w.Loops[w.Around[k]].Extent
}

// holds returns the share of iterations in which a condition holds.
func (w *walker) holds(cond tir.Expr) float64 {
	share := w.mean(cond)
	return min(max(share, 1.0/256), 1-1.0/256)
}

// extent returns how many iterations a loop has, the mean if it depends on others.
func (w *walker) extent(e tir.Expr) float64 {
	if c, ok := e.(*tir.IntImm); ok {
		return float64(c.Value)
	}
	return max(1, w.mean(e))
}
