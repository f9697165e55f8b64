package encoder

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// A ridge is a linear probe: what is told is the mean plus a product.
type ridge struct {
	weights *mat.Dense // Size x columns
	z, y    []float64  // means
}

// ridgePenalty is what keeps weights small, times the number of rows: vectors have
// length 1, so their 128 numbers vary by about 1/128.
const ridgePenalty = 1e-5

// fitRidge fits a probe that tells columns of y from rows of z (Hoerl and Kennard
// 1970).
func fitRidge(z, y [][]float64) (*ridge, error) {
	r := &ridge{z: means(z), y: means(y)}
	n, cols := len(r.z), len(r.y)
	left, right := mat.NewSymDense(n, nil), mat.NewDense(n, cols, nil)
	x, t := mat.NewVecDense(n, nil), mat.NewVecDense(cols, nil)
	for i := range z {
		for k, v := range z[i] {
			x.SetVec(k, v-r.z[k])
		}
		for k, v := range y[i] {
			t.SetVec(k, v-r.y[k])
		}
		left.SymRankOne(left, 1, x)
		right.RankOne(right, 1, x, t)
	}
	for k := range n {
		left.SetSym(k, k, left.At(k, k)+ridgePenalty*float64(len(z)))
	}
	var factors mat.Cholesky
	if !factors.Factorize(left) {
		return nil, errors.New("encoder: a probe cannot be fitted: vectors hold what is no number")
	}
	r.weights = mat.NewDense(n, cols, nil)
	if err := factors.SolveTo(r.weights, right); err != nil {
		var ill mat.Condition
		if !errors.As(err, &ill) {
			return nil, err
		}
	}
	return r, nil
}

func means(rows [][]float64) []float64 {
	out := make([]float64, len(rows[0]))
	for _, row := range rows {
		for k, v := range row {
			out[k] += v / float64(len(rows))
		}
	}
	return out
}

func (r *ridge) tell(z []float64) []float64 {
	out := append([]float64(nil), r.y...)
	for k := range out {
		for i, v := range z {
			out[k] += (v - r.z[i]) * r.weights.At(i, k)
		}
	}
	return out
}
