package transition

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// ridge fits y = W'[x; 1] by least squares with a penalty on W, and returns W by
// rows of x, the constant last.
func ridge(x, y [][]float32, penalty float64) ([][]float64, error) {
	n, k := len(x[0])+1, len(y[0])
	left, right := mat.NewSymDense(n, nil), mat.NewDense(n, k, nil)
	row, told := mat.NewVecDense(n, nil), mat.NewVecDense(k, nil)
	row.SetVec(n-1, 1)
	for s := range x {
		for i, v := range x[s] {
			row.SetVec(i, float64(v))
		}
		for i, v := range y[s] {
			told.SetVec(i, float64(v))
		}
		left.SymRankOne(left, 1, row)
		right.RankOne(right, 1, row, told)
	}
	for i := range n {
		left.SetSym(i, i, left.At(i, i)+penalty)
	}
	var factors mat.Cholesky
	if !factors.Factorize(left) {
		return nil, errors.New("transition: a linear map cannot be fitted: states hold what is no number")
	}
	w := mat.NewDense(n, k, nil)
	var ill mat.Condition // the penalty bounds what it does
	if err := factors.SolveTo(w, right); err != nil && !errors.As(err, &ill) {
		return nil, err
	}
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = w.RawRowView(i)
	}
	return rows, nil
}
