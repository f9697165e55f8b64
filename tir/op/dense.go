package op

// buildDense: dense is a layer of weights: m rows of k features to n features, the constant
// weights stored one output a row:
//
//	dense(i, j) += (x[i, k]*w[j, k])
func buildDense(g *graph, p *params) result {
	rows := p.int("batch") * p.int("m")
	return g.matmul("dense", "w", free, rows, p.int("n"), p.int("k"), transposed{y: true})
}
