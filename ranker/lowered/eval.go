package lowered

import (
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// values are those of the variables of the loops around, outermost first.
type values []int64

// eval returns the value of an index where the loops stand; 0 of what is read from memory.
func (w *walker) eval(e tir.Expr) int64 {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Value
	case *tir.Var:
		for k := len(w.loops) - 1; k >= 0; k-- {
			if w.loops[k].Var == e {
				return w.env[k]
			}
		}
	case *tir.Cast:
		return w.eval(e.X)
	case *tir.Not:
		return 1 - w.eval(e.X)
	case *tir.Select:
		if w.eval(e.Cond) != 0 {
			return w.eval(e.Then)
		}
		return w.eval(e.Else)
	case *tir.Binary:
		return binary(e.Op, w.eval(e.X), w.eval(e.Y))
	}
	return 0
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func binary(op tir.BinOp, x, y int64) int64 {
	switch op {
	case tir.Add:
		return x + y
	case tir.Sub:
		return x - y
	case tir.Mul:
		return x * y
	case tir.Min:
		return min(x, y)
	case tir.Max:
		return max(x, y)
	case tir.EQ:
		return truth(x == y)
	case tir.NE:
		return truth(x != y)
	case tir.LT:
		return truth(x < y)
	case tir.LE:
		return truth(x <= y)
	case tir.GT:
		return truth(x > y)
	case tir.GE:
		return truth(x >= y)
	case tir.And:
		return x & y
	case tir.Or:
		return x | y
	case tir.Div, tir.FloorDiv, tir.FloorMod:
		if y == 0 {
			return 0
		}
		q := x / y
		if op != tir.Div && x%y != 0 && (x < 0) != (y < 0) {
			q--
		}
		if op == tir.FloorMod {
			return x - q*y
		}
		return q
	}
	return 0
}

// sampled is how many places of the loops a condition or a length is looked at.
const sampled = 32

// mean returns the mean of an expression over the iterations of the loops that it depends on: of all if they are few,
// of a fixed sample otherwise.
func (w *walker) mean(e tir.Expr) float64 {
	var used []int
	all := 1.0
	for k, l := range w.loops {
		if tir.Uses(e, l.Var) {
			used = append(used, k)
			all *= l.extent
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
			extent := int64(w.loops[k].extent)
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
