package kernel

import "math"

// Softmax replaces a row by the softmax of it times scale, which must not be
// negative.
func Softmax(row []float32, scale float32) { best.softmax(row, scale) }

func (p *path) softmax(row []float32, scale float32) {
	if len(row) == 0 {
		return
	}
	sum := p.exps(row, scale, scale*p.most(row))
	one := 1 / sum
	for i := range row {
		row[i] *= one
	}
}

// exps replaces values by exp(scale*v - shift) and returns their sum.
func (p *path) exps(x []float32, scale, shift float32) float32 {
	whole := len(x) / p.lanes * p.lanes
	var sum float32
	if whole > 0 {
		sum = p.expSum(x[:whole], scale, shift)
	}
	if rest := x[whole:]; len(rest) > 0 {
		var tail [maxLanes]float32
		copy(tail[:], rest)
		p.expSum(tail[:p.lanes], scale, shift)
		for i := range rest {
			rest[i] = tail[i]
			sum += tail[i]
		}
	}
	return sum
}

// most returns the largest value.
func (p *path) most(x []float32) float32 {
	whole := len(x) / p.lanes * p.lanes
	if whole == 0 {
		return largestGo(x)
	}
	most := p.largest(x[:whole])
	for _, v := range x[whole:] {
		most = max(most, v)
	}
	return most
}

// GELU sets to[i] to x*Phi(x) of x[i] (Hendrycks and Gimpel 2016). The two may be the
// same.
func GELU(to, x []float32) { best.each(best.gelu, to, x) }

// Tanh sets to[i] to tanh(x[i]). The two may be the same.
func Tanh(to, x []float32) { best.each(best.tanh, to, x) }

// each calls f for whole registers, and for what is left in a register of its own.
func (p *path) each(f func(to, x []float32), to, x []float32) {
	whole := len(x) / p.lanes * p.lanes
	if whole > 0 {
		f(to[:whole], x[:whole])
	}
	if rest := x[whole:]; len(rest) > 0 {
		var tail [maxLanes]float32
		copy(tail[:], rest)
		f(tail[:p.lanes], tail[:p.lanes])
		copy(to[whole:len(x)], tail[:])
	}
}

// GELUGrad sets to[i] to the derivative of GELU at x[i], times grad[i]. To and grad
// may be the same.
func GELUGrad(to, x, grad []float32) { best.eachGrad(to, x, grad) }

func (p *path) eachGrad(to, x, grad []float32) {
	whole := len(x) / p.lanes * p.lanes
	if whole > 0 {
		p.geluGrad(to[:whole], x[:whole], grad[:whole])
	}
	if rest := x[whole:]; len(rest) > 0 {
		var a, b [maxLanes]float32
		copy(a[:], rest)
		copy(b[:], grad[whole:len(x)])
		p.geluGrad(b[:p.lanes], a[:p.lanes], b[:p.lanes])
		copy(to[whole:len(x)], b[:])
	}
}

// AddTimes adds a*x to a row.
func AddTimes(to []float32, a float32, x []float32) { best.axpy(to, a, x) }

func (p *path) axpy(to []float32, a float32, x []float32) {
	whole := len(x) / p.lanes * p.lanes
	if whole > 0 {
		p.addTimes(to[:whole], a, x[:whole])
	}
	for i, v := range x[whole:] {
		to[whole+i] += a * v
	}
}

// Dot returns the sum of products.
func Dot(x, y []float32) float32 { return best.dot(x, y) }

func (p *path) dot(x, y []float32) float32 {
	whole := len(x) / p.lanes * p.lanes
	var sum float32
	if whole > 0 {
		sum = p.sumTimes(x[:whole], y[:whole])
	}
	for i, v := range x[whole:] {
		sum += v * y[whole+i]
	}
	return sum
}

// LayerNorm sets a row to x normalised to mean 0 and variance 1, times gamma plus
// beta (Ba, Kiros and Hinton 2016). To may be x; a nil beta is zeros.
func LayerNorm(to, x, gamma, beta []float32, epsilon float32) {
	n := float32(len(x))
	mean := sum(x) / n
	for i, v := range x {
		to[i] = v - mean
	}
	to = to[:len(x)]
	scale := float32(1 / math.Sqrt(float64(Dot(to, to)/n+epsilon)))
	if beta == nil {
		for i, g := range gamma[:len(to)] {
			to[i] *= scale * g
		}
		return
	}
	beta = beta[:len(to)]
	for i, g := range gamma[:len(to)] {
		to[i] = to[i]*scale*g + beta[i]
	}
}

// sum adds up in four sums that do not wait for each other.
func sum(x []float32) float32 {
	var s [4]float32
	for ; len(x) >= 4; x = x[4:] {
		s[0] += x[0]
		s[1] += x[1]
		s[2] += x[2]
		s[3] += x[3]
	}
	for _, v := range x {
		s[0] += v
	}
	return s[0] + s[1] + (s[2] + s[3])
}

// constants is the number of rows of table.
const constants = 24

// table is what the assembly wants to know (vector_amd64.h names the rows): each
// number as often as the widest register has lanes. The first two bound what the
// exponential is taken of: below -80 it stays 2e-35, so that no product with it is a
// denormal number, which costs a hundred times as much.
var table = func() (t [constants][16]float32) {
	const (
		ln2 = math.Ln2
		hi  = 355.0 / 512 // exact in few bits, so that n*hi is exact
	)
	for row, v := range [constants]float32{
		-80, 88, math.Log2E, hi, float32(ln2 - hi),
		1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 0.5, 1,
		0.5, -0.5, math.Float32frombits(0x7fffffff), math.Float32frombits(0x80000000),
		0.3275911 / math.Sqrt2, 1.061405429 / 2, -1.453152027 / 2, 1.421413741 / 2, -0.284496736 / 2, 0.254829592 / 2,
		1 / (math.Sqrt2 * 1.772453850905516), -2,
	} {
		for lane := range t[row] {
			t[row][lane] = v
		}
	}
	return t
}()
