package op

import "fmt"

// winogradPoints are where the polynomials of the Cook-Toom algorithm are
// evaluated, besides infinity. All are powers of two, so that every entry of
// the matrices A and B is exact in binary.
var winogradPoints = []float64{0, -1, 1, 0.5, -2, -0.5, 2}

// A winogradSet holds the matrices of F(tile, 3): for a signal d and a kernel g,
//
//	y = Aᵀ((G g) ⊙ (Bᵀ d))
//
// are tile outputs of the convolution (a correlation, as neural networks have
// it). A is side×tile, B side×side and G side×3, where side = tile+2.
type winogradSet struct{ output, input, kernel [][]float64 }

// winogradMatrices makes the matrices for a tile of 2, 4 or 6. Column i of B
// holds the coefficients of the product of (x - q) over all points q but the
// i-th p; row i of A the powers of p; row i of G the powers of p divided by that
// product at p. The last point is infinity.
func winogradMatrices(tile int64) winogradSet {
	side := int(tile) + winogradSize - 1
	points := winogradPoints[:side-1]
	m := winogradSet{zeros(side, int(tile)), zeros(side, side), zeros(side, winogradSize)}
	for i, p := range points {
		poly, at := []float64{1}, 1.0
		for j, q := range points {
			if j != i {
				poly, at = timesRoot(poly, q), at*(p-q)
			}
		}
		if i == 0 && poly[0] < 0 { // B begins with a positive number, by convention
			at = -at
			for k := range poly {
				poly[k] = plain(-poly[k])
			}
		}
		for k, c := range poly {
			m.input[k][i] = c
		}
		power := 1.0
		for k := range max(int(tile), winogradSize) {
			if k < int(tile) {
				m.output[i][k] = plain(power)
			}
			if k < winogradSize {
				m.kernel[i][k] = plain(power / at)
			}
			power *= p
		}
	}
	poly := []float64{1}
	for _, q := range points {
		poly = timesRoot(poly, q)
	}
	for k, c := range poly {
		m.input[k][side-1] = c
	}
	m.output[side-1][tile-1], m.kernel[side-1][winogradSize-1] = 1, 1
	return m
}

// timesRoot returns the coefficients of poly(x)*(x - root), the lowest first.
func timesRoot(poly []float64, root float64) []float64 {
	list := make([]float64, len(poly)+1)
	for i, c := range poly {
		list[i+1] += c
		list[i] = plain(list[i] - root*c)
	}
	return list
}

// plain turns minus zero into zero.
func plain(v float64) float64 { return v + 0 }

func zeros(rows, columns int) [][]float64 {
	m := make([][]float64, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

// WinogradKernel returns the matrix G, of tile+2 rows and 3 columns, by which
// the weights of conv2d_winograd are to be transformed: G g Gᵀ. Tile is 2, 4
// or 6.
func WinogradKernel(tile int64) ([][]float64, error) {
	if tile != 2 && tile != 4 && tile != 6 {
		return nil, fmt.Errorf("op: no Winograd algorithm with tiles of %d: take 2, 4 or 6", tile)
	}
	return winogradMatrices(tile).kernel, nil
}
