package kernel

import "math"

// The routines in Go, for processors without our assembly and for tests.

func tileGo[T number](c []T, ldc int, a, b []T) {
	const rows, columns = 6, 16
	var sum [rows * columns]T
	for len(a) >= rows && len(b) >= columns {
		for r, x := range a[:rows] {
			row := sum[r*columns:][:columns]
			for k, y := range b[:columns] {
				row[k] += x * y
			}
		}
		a, b = a[rows:], b[columns:]
	}
	for r := range rows {
		row := c[r*ldc:][:columns]
		for k := range row {
			row[k] += sum[r*columns+k]
		}
	}
}

// expGo is the exponential with the bounds that the assembly has.
func expGo(x float32) float32 {
	return float32(math.Exp(float64(min(max(x, table[0][0]), table[1][0]))))
}

func expSumGo(x []float32, scale, shift float32) float32 {
	var sum float32
	for i, v := range x {
		x[i] = expGo(v*scale - shift)
		sum += x[i]
	}
	return sum
}

// phi returns the normal distribution.
func phi(x float64) float64 { return 0.5 + 0.5*math.Erf(x/math.Sqrt2) }

func geluGo(to, x []float32) {
	for i, v := range x {
		to[i] = float32(float64(v) * phi(float64(v)))
	}
}

func geluGradGo(to, x, grad []float32) {
	for i, v := range x {
		x := float64(v)
		to[i] = float32(phi(x)+x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)) * grad[i]
	}
}

func tanhGo(to, x []float32) {
	for i, v := range x {
		to[i] = float32(math.Tanh(float64(v)))
	}
}

func largestGo(x []float32) float32 {
	most := x[0]
	for _, v := range x[1:] {
		most = max(most, v)
	}
	return most
}

func axpyGo[T number](to []T, a T, x []T) {
	for i, v := range x {
		to[i] += a * v
	}
}

func dotGo[T number](x, y []T) T {
	var sum T
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
