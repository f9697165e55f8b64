package llvm_test

import (
	"math"
	"math/big"
)

// A fit asks for the ratio of polynomials of two degrees that is nearest to a
// function on an interval: the largest of weight(x) * |target(x) - ratio(x)| is to
// be as small as possible. The one below is 1 at 0, and just 1 if its degree is 0.
type fit struct {
	lo, hi         float64
	degree, below  int
	target, weight func(x *big.Float) *big.Float
}

// A ratio is two polynomials, lowest power first.
type ratio struct{ above, below []*big.Float }

func (r ratio) at(x *big.Float) *big.Float {
	return bigDiv(bigPolynomial(r.above, x), bigPolynomial(r.below, x))
}

// minimax returns the coefficients and the largest weighted error. It is Remez's
// exchange algorithm (E. Remez, "Sur la détermination des polynômes
// d'approximation de degré donnée", 1934) on points that lie as Chebyshev's do: a
// ratio is best if its weighted error takes its largest size, with alternating
// signs, at one more point than it has coefficients. The ratio that has errors of
// one size at chosen points is found by linear systems; the points move to where
// its error is largest until that is no larger.
func (f fit) minimax() (ratio, float64) {
	count := f.degree + f.below + 2
	points := 40 * count
	xs, ys, ws := make([]*big.Float, points), make([]*big.Float, points), make([]*big.Float, points)
	for i := range xs {
		angle := math.Pi * (float64(i) + 0.5) / float64(points)
		xs[i] = bigOf((f.lo+f.hi)/2 - (f.hi-f.lo)/2*math.Cos(angle))
		ys[i], ws[i] = f.target(xs[i]), f.weight(xs[i])
	}
	at := make([]int, count)
	for i := range at {
		at[i] = (2*i + 1) * points / (2 * count)
	}
	r := ratio{below: []*big.Float{bigOf(1)}}
	level := bigOf(0)
	for range 50 {
		r, level = f.level(at, xs, ys, ws, r, level)
		errs := make([]*big.Float, points)
		worst := 0.0
		for i := range xs {
			errs[i] = bigMul(ws[i], bigSub(ys[i], r.at(xs[i])))
			e, _ := errs[i].Float64()
			worst = max(worst, math.Abs(e))
		}
		if e, _ := level.Float64(); worst <= math.Abs(e)*1.0001 {
			return r, worst
		}
		at = exchange(errs, count)
	}
	panic("BUG: no convergence")
}

// level returns the ratio whose weighted error at the chosen points is +e, -e, +e,
// ..., and e, starting from others. At each point above(x) is (y -+ e/weight) *
// below(x): Newton's method solves this, in one step if below is 1.
func (f fit) level(at []int, xs, ys, ws []*big.Float, r ratio, e *big.Float) (ratio, *big.Float) {
	for range 50 {
		rows := make([][]*big.Float, len(at))
		for k, i := range at {
			unit := bigDiv(bigOf(float64(1-k%2*2)), ws[i])
			y := bigSub(ys[i], bigMul(unit, e))
			power := bigOf(1)
			for range f.degree + 1 {
				rows[k] = append(rows[k], power)
				power = bigMul(power, xs[i])
			}
			power = bigSub(bigOf(0), bigMul(y, xs[i]))
			for range f.below {
				rows[k] = append(rows[k], power)
				power = bigMul(power, xs[i])
			}
			slope := bigMul(unit, bigPolynomial(r.below, xs[i]))
			rows[k] = append(rows[k], slope, bigAdd(y, bigMul(slope, e)))
		}
		c := solve(rows)
		above, below, next := c[:f.degree+1], c[f.degree+1:len(c)-1], c[len(c)-1]
		r = ratio{above, append([]*big.Float{bigOf(1)}, below...)}
		change, _ := bigDiv(bigSub(next, e), next).Float64()
		if e = next; f.below == 0 || math.Abs(change) < 1e-8 {
			return r, e
		}
	}
	panic("BUG: no convergence")
}

// solve eliminates with pivoting; each row ends with its right-hand side.
func solve(rows [][]*big.Float) []*big.Float {
	n := len(rows)
	for k := range n {
		best := k
		for r := k + 1; r < n; r++ {
			if new(big.Float).Abs(rows[r][k]).Cmp(new(big.Float).Abs(rows[best][k])) > 0 {
				best = r
			}
		}
		rows[k], rows[best] = rows[best], rows[k]
		for r := range n {
			if r == k {
				continue
			}
			factor := bigDiv(rows[r][k], rows[k][k])
			for c := k; c <= n; c++ {
				rows[r][c] = bigSub(rows[r][c], bigMul(factor, rows[k][c]))
			}
		}
	}
	x := make([]*big.Float, n)
	for k := range x {
		x[k] = bigDiv(rows[k][n], rows[k][k])
	}
	return x
}

// exchange returns count points with errors of alternating signs, as large as
// possible: the largest of each run of one sign, and of these, while there are
// too many, those that remain without the smaller end.
func exchange(errs []*big.Float, count int) []int {
	var at []int
	for i, e := range errs {
		last := len(at) - 1
		switch {
		case last < 0 || e.Sign()*errs[at[last]].Sign() < 0:
			at = append(at, i)
		case new(big.Float).Abs(e).Cmp(new(big.Float).Abs(errs[at[last]])) > 0:
			at[last] = i
		}
	}
	for len(at) > count {
		if new(big.Float).Abs(errs[at[0]]).Cmp(new(big.Float).Abs(errs[at[len(at)-1]])) < 0 {
			at = at[1:]
		} else {
			at = at[:len(at)-1]
		}
	}
	return at
}

func bigPolynomial(c []*big.Float, x *big.Float) *big.Float {
	p := c[len(c)-1]
	for k := len(c) - 2; k >= 0; k-- {
		p = bigAdd(bigMul(p, x), c[k])
	}
	return p
}
