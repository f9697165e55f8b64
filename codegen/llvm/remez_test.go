package llvm_test

import (
	"math"
	"math/big"
)

// A fit asks for the polynomial of a degree that is nearest to a function on an
// interval: the largest of weight(x) * |target(x) - polynomial(x)| is to be as
// small as possible.
type fit struct {
	lo, hi         float64
	degree         int
	target, weight func(x *big.Float) *big.Float
}

// minimax returns the coefficients, lowest power first, and the largest
// weighted error. It is Remez's exchange algorithm (E. Remez, "Sur la
// détermination des polynômes d'approximation de degré donnée", 1934) on points
// that lie as Chebyshev's do: a polynomial is best if its weighted error takes
// its largest size at degree+2 points with alternating signs. The polynomial
// that has errors of one size at chosen points is found by a linear system;
// the points move to where its error is largest until that is no larger.
func (f fit) minimax() ([]*big.Float, float64) {
	count := f.degree + 2
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
	for range 50 {
		c, level := f.level(at, xs, ys, ws)
		errs := make([]*big.Float, points)
		worst := 0.0
		for i := range xs {
			errs[i] = bigMul(ws[i], bigSub(ys[i], bigPolynomial(c, xs[i])))
			e, _ := errs[i].Float64()
			worst = max(worst, math.Abs(e))
		}
		if worst <= math.Abs(level)*1.0001 {
			return c, worst
		}
		at = exchange(errs, count)
	}
	panic("BUG: no convergence")
}

// level returns the polynomial whose weighted error at the chosen points is
// +e, -e, +e, ..., and e.
func (f fit) level(at []int, xs, ys, ws []*big.Float) (c []*big.Float, e float64) {
	n := len(at)
	rows := make([][]*big.Float, n)
	for r, i := range at {
		power := bigOf(1)
		for range n - 1 {
			rows[r] = append(rows[r], power)
			power = bigMul(power, xs[i])
		}
		sign := bigOf(float64(1 - r%2*2))
		rows[r] = append(rows[r], bigDiv(sign, ws[i]), ys[i])
	}
	solution := solve(rows)
	e, _ = solution[n-1].Float64()
	return solution[:n-1], e
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
