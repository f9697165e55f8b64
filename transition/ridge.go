package transition

import "math"

// ridge fits y = W'[x; 1] by least squares with a penalty on W, and returns W by
// rows of x, the constant last.
func ridge(x, y [][]float32, penalty float64) [][]float64 {
	n, k := len(x[0])+1, len(y[0])
	a, b := make([][]float64, n), make([][]float64, n)
	for i := range a {
		a[i], b[i] = make([]float64, n), make([]float64, k)
		a[i][i] = penalty
	}
	row := make([]float64, n)
	row[n-1] = 1
	for s, v := range x {
		for i, u := range v {
			row[i] = float64(u)
		}
		for i, u := range row {
			if u == 0 {
				continue
			}
			for j := range i + 1 {
				a[i][j] += u * row[j]
			}
			for j, w := range y[s] {
				b[i][j] += u * float64(w)
			}
		}
	}
	cholesky(a, b)
	return b
}

// cholesky solves a*w = b in place; of a, which is symmetric and positive, the lower
// half is read.
func cholesky(a, b [][]float64) {
	n := len(a)
	for i := range n {
		for j := 0; j <= i; j++ {
			sum := a[i][j]
			for k := range j {
				sum -= a[i][k] * a[j][k]
			}
			if i == j {
				a[i][i] = math.Sqrt(sum)
			} else {
				a[i][j] = sum / a[j][j]
			}
		}
	}
	for i := range n {
		for k := range i {
			for c := range b[i] {
				b[i][c] -= a[i][k] * b[k][c]
			}
		}
		for c := range b[i] {
			b[i][c] /= a[i][i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			for c := range b[i] {
				b[i][c] -= a[k][i] * b[k][c]
			}
		}
		for c := range b[i] {
			b[i][c] /= a[i][i]
		}
	}
}
