package op

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A Split says along which axes a tensor is reduced. The result keeps the others, and the reduced ones with extent 1 if
// Keep is set.
type Split struct {
	Shape []int64
	Axes  []int // in order
	Keep  bool
}

// Result is the shape of the result.
func (s Split) Result() []int64 {
	r := []int64{}
	for d, n := range s.Shape {
		switch {
		case !slices.Contains(s.Axes, d):
			r = append(r, n)
		case s.Keep:
			r = append(r, 1)
		}
	}
	return r
}

// Reduced has the extents of the axes.
func (s Split) Reduced() []int64 {
	list := make([]int64, len(s.Axes))
	for i, d := range s.Axes {
		list[i] = s.Shape[d]
	}
	return list
}

// Count is the number of elements that become one.
func (s Split) Count() int64 {
	n := int64(1)
	for _, d := range s.Reduced() {
		n *= d
	}
	return n
}

// At returns where the result has what the element of the tensor at a position goes into.
func (s Split) At(position []tir.Expr) []tir.Expr {
	var list []tir.Expr
	for d, e := range position {
		switch {
		case !slices.Contains(s.Axes, d):
			list = append(list, e)
		case s.Keep:
			list = append(list, tir.Int(0))
		}
	}
	return list
}

// Place returns the place of an element among those that become one, in row-major order.
func (s Split) Place(at []tir.Expr) tir.Expr {
	var e tir.Expr = tir.Int(0)
	for i, d := range s.Axes {
		if i == 0 {
			e = at[d]
		} else {
			e = add(mul(e, tir.Int(s.Shape[d])), at[d])
		}
	}
	return e
}

// FoldSplit adds a stage that folds a value for each element of a tensor.
func (g *Builder) FoldSplit(key string, s Split, kind compute.CombineKind, value Reader) compute.Tensor {
	return g.FoldAll(key, s, compute.NewCombiner(kind, g.arith), func(at []tir.Expr) []tir.Expr {
		return []tir.Expr{value(at)}
	})[0]
}

// FoldAll is FoldSplit of several values at once.
func (g *Builder) FoldAll(key string, s Split, c *compute.Combiner, values func(at []tir.Expr) []tir.Expr,
) []compute.Tensor {
	st := g.stage(key, s.Result(), s.Reduced())
	at := make([]tir.Expr, len(s.Shape))
	kept, reduced := st.index(), compute.Vars(st.Reduce)
	for d := range s.Shape {
		if !slices.Contains(s.Axes, d) {
			at[d], kept = kept[0], kept[1:]
			continue
		}
		at[d], reduced = reduced[0], reduced[1:]
		if s.Keep {
			kept = kept[1:]
		}
	}
	return g.FoldTo(st, c, values(at)...)
}

// matrix adds an m×n input that is reduced along an axis, which stays with extent 1. It refuses a batch of columns: the
// problems lie one below the other.
func (p *params) matrix(g *Builder) (compute.Tensor, Split) {
	axis := int(p.int("axis"))
	if b := p.int("batch"); b > 1 && axis == 0 {
		g.refuse("batch=%d with axis=0: a column would run through all %d problems; put them side by side, n=%d", b, b,
			b*p.int("n"))
	}
	x := g.input("x", g.store, p.int("batch")*p.int("m"), p.int("n"))
	return x, Split{Shape: x.Shape, Axes: []int{axis}, Keep: true}
}

// buildSum: sum adds up each row (axis=1) or column (axis=0) of an m×n matrix:
//
//	sum(i, o) += x[i, r]
func buildSum(g *Builder, p *params) result {
	x, s := p.matrix(g)
	return result{g.FoldSplit("sum", s, compute.Sum, g.reader(x)), 1}
}

// buildExtreme: max and min take the largest or the smallest element of each row or column:
//
//	max(i, o) max= x[i, r]
func buildExtreme(key string, kind compute.CombineKind) func(g *Builder, p *params) result {
	return func(g *Builder, p *params) result {
		g.types.result = g.store
		x, s := p.matrix(g)
		return result{g.FoldSplit(key, s, kind, g.reader(x)), 1}
	}
}

// buildMean: mean divides the sum of each row or column by its length:
//
//	sum(i, o) += x[i, r]
//	mean(i, o) = (sum[i, o]*0.00130208f)
//
// It refuses integers.
func buildMean(g *Builder, p *params) result {
	g.needFloat("a mean")
	x, s := p.matrix(g)
	return g.scaled("mean", g.FoldSplit("sum", s, compute.Sum, g.reader(x)), s.Count())
}

// scaled divides sums by the number of summands.
func (g *Builder) scaled(key string, sum compute.Tensor, n int64) result {
	s := g.stage(key, sum.Shape, nil)
	return result{g.Pointwise(s, mul(sum.At(s.index()...), g.constant(1/float64(n)))), 1}
}

// buildVariance: variance is that of each row or column, given its mean as a second input:
//
//	sub(i, j) = (x[i, j] - mean[i, 0])
//	sq(i, j) = (sub[i, j]*sub[i, j])
//	sum(i, o) += sq[i, r]
//	var(i, o) = (sum[i, o]*0.00130208f)
//
// It refuses integers.
func buildVariance(g *Builder, p *params) result {
	g.needFloat("a variance")
	x, s := p.matrix(g)
	mean := g.input("mean", g.store, s.Result()...)
	st := g.stage("sub", x.Shape, nil)
	diff := g.Pointwise(st, sub(g.read(x, st.index()...), g.read(mean, s.At(st.index())...)))
	st = g.stage("sq", x.Shape, nil)
	square := g.Pointwise(st, mul(diff.At(st.index()...), diff.At(st.index()...)))
	return g.scaled("var", g.FoldSplit("sum", s, compute.Sum, g.reader(square)), s.Count())
}

// buildSoftmax: softmax is exp(x)/sum(exp(x)) over each row of an m×n matrix, shifted by the
// row's largest element so that nothing overflows:
//
//	maxelem(i) max= x[i, k1]
//	exp(i, j) = tir.exp((x[i, j] - maxelem[i]))
//	expsum(i) += exp[i, k2]
//	norm(i, j) = (exp[i, j]/expsum[i])
//
// It refuses integers.
func buildSoftmax(g *Builder, p *params) result {
	return g.softmax(p.int("batch")*p.int("m"), p.int("n"))
}

// softmax works over the last of any number of dimensions.
func (g *Builder) softmax(shape ...int64) result {
	g.needFloat("softmax")
	last := len(shape) - 1
	x := g.input("x", g.store, shape...)
	split := Split{Shape: shape, Axes: []int{last}}
	exp, sum := g.Powers(split, g.reader(x), sub)
	s := g.stage("norm", shape, nil)
	return result{g.Pointwise(s, tir.Bin(tir.Div, exp.At(s.index()...), sum.At(split.At(s.index())...))), last}
}

// Powers adds the stages of a softmax but for the last: powers of e, and their sums. The power of an element follows
// from it and the largest one.
func (g *Builder) Powers(s Split, x Reader, power func(x, largest tir.Expr) tir.Expr) (exp, sum compute.Tensor) {
	largest := g.FoldSplit("maxelem", s, compute.MaxOf, x)
	st := g.stage("exp", s.Shape, nil)
	exp = g.Pointwise(st, call(tir.Exp, power(x(st.index()), largest.At(s.At(st.index())...))))
	return exp, g.FoldSplit("expsum", s, compute.Sum, g.reader(exp))
}

// layernormEpsilon is added to the variance, as in BERT.
const layernormEpsilon = 1e-5

// buildLayerNorm: layernorm shifts and scales each row of an m×n matrix to mean 0 and variance
// 1, and then each column by constants. The variance is taken about the mean,
// which costs a second pass and does not cancel:
//
//	sum(i) += x[i, k1]
//	mean(i) = (sum[i]*0.00130208f)
//	sqsum(i) += ((x[i, k2] - mean[i])*(x[i, k2] - mean[i]))
//	inv(i) = tir.rsqrt(((sqsum[i]*0.00130208f) + 1e-05f))
//	norm(i, j) = ((((x[i, j] - mean[i])*inv[i])*gamma[j]) + beta[j])
//
// It refuses integers.
func buildLayerNorm(g *Builder, p *params) result {
	g.needFloat("layernorm")
	m, n := p.int("batch")*p.int("m"), p.int("n")
	x := g.input("x", g.store, m, n)
	gamma, beta := g.input("gamma", g.store, n), g.input("beta", g.store, n)
	rows := Rows{Rows: []int64{m}, Row: []int64{n}, Epsilon: layernormEpsilon}
	mean, inv := g.Moments(rows, g.reader(x))
	s, norm := g.Normalized(rows, g.reader(x), mean, inv)
	return result{g.Pointwise(s, add(mul(norm, g.read(gamma, s.at(1))), g.read(beta, s.at(1)))), 1}
}

// Rows are the rows of a tensor, which a norm shifts and scales: all of the last dimensions.
type Rows struct {
	Rows, Row []int64 // extents
	Epsilon   float64 // added to the variance
}

// Moments adds the stages of the mean of each row and of the inverse of its standard deviation.
func (g *Builder) Moments(r Rows, x Reader) (mean, inv compute.Tensor) {
	s := g.stage("row_sum", r.Rows, r.Row)
	sum := g.Fold(s, compute.Sum, x(s.all()))
	s = g.stage("row_mean", r.Rows, nil)
	mean = g.Pointwise(s, g.mean(sum.At(s.index()...), r.Row))
	s = g.stage("row_sqsum", r.Rows, r.Row)
	diff := sub(x(s.all()), mean.At(s.index()...))
	return mean, g.inverse(r, g.Fold(s, compute.Sum, mul(diff, diff)))
}

// Inverse adds the stages of the inverse of the root of the mean square of each row.
func (g *Builder) Inverse(r Rows, x Reader) compute.Tensor {
	s := g.stage("row_squares", r.Rows, r.Row)
	return g.inverse(r, g.Fold(s, compute.Sum, mul(x(s.all()), x(s.all()))))
}

func (g *Builder) inverse(r Rows, squares compute.Tensor) compute.Tensor {
	s := g.stage("row_inv", r.Rows, nil)
	mean := g.mean(squares.At(s.index()...), r.Row)
	return g.Pointwise(s, call(tir.Rsqrt, add(mean, g.constant(r.Epsilon))))
}

// mean is that of the elements of a row, from their sum.
func (g *Builder) mean(sum tir.Expr, row []int64) tir.Expr {
	n := int64(1)
	for _, d := range row {
		n *= d
	}
	if g.style.model {
		return Mean(sum, n)
	}
	return mul(sum, g.constant(1/float64(n)))
}

// Normalized begins the last stage of a norm, and returns an element without its scale. Mean may have no Buffer.
func (g *Builder) Normalized(r Rows, x Reader, mean, inv compute.Tensor) (*Stage, tir.Expr) {
	s := g.stage("norm", slices.Concat(r.Rows, r.Row), nil)
	row := s.index()[:len(r.Rows)]
	v := x(s.index())
	if mean.Buffer != nil {
		v = sub(v, mean.At(row...))
	}
	return s, mul(v, inv.At(row...))
}
