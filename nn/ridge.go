package nn

import (
	"errors"
	"iter"

	"gonum.org/v1/gonum/mat"
)

// Ridge fits y = x*w by least squares with a penalty on the squares of w (Hoerl and Kennard 1970). Rows are an x of so
// many inputs and a y of so many outputs; w has a row of each input.
func Ridge(rows iter.Seq2[[]float64, []float64], inputs, outputs int, penalty float64) (w *mat.Dense, err error) {
	left, right := mat.NewSymDense(inputs, nil), mat.NewDense(inputs, outputs, nil)
	for x, y := range rows {
		v := mat.NewVecDense(inputs, x)
		left.SymRankOne(left, 1, v)
		right.RankOne(right, 1, v, mat.NewVecDense(outputs, y))
	}
	for k := range inputs {
		left.SetSym(k, k, left.At(k, k)+penalty)
	}
	var factors mat.Cholesky
	if !factors.Factorize(left) {
		return nil, errors.New("nn: a linear map cannot be fitted: its rows hold what is no number")
	}
	w = mat.NewDense(inputs, outputs, nil)
	var ill mat.Condition // the penalty bounds what it does
	if err := factors.SolveTo(w, right); err != nil && !errors.As(err, &ill) {
		return nil, err
	}
	return w, nil
}
