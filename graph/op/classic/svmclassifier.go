package classic

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// An svmClassifier compares classes in pairs, by support vectors. The class that wins most often is the label.
type svmClassifier struct {
	*kernel
	labels
	pairs        [][]float64 // of each pair of classes: coefficients of all vectors
	probA, probB []float64   // for probabilities of pairs
	post         transform
}

func svmClassifierOf(n *graph.Node) (*svmClassifier, error) {
	k, err := kernelOf(n)
	if err != nil {
		return nil, err
	}
	c := &svmClassifier{kernel: k, labels: labelsOf(n), probA: n.Floats("prob_a"), probB: n.Floats("prob_b")}
	if c.post, err = transformOf(n); err != nil {
		return nil, err
	}
	per, classes := n.Ints("vectors_per_class"), int64(len(c.labels))
	if classes < 2 || classes == 2 && c.post == probit || len(per) == 0 {
		return nil, op.Unsupported("%d classes of %v vectors, with post_transform %s: that", classes, per, c.post)
	}
	count := int(classes * (classes - 1) / 2)
	if array.SumBy(per, array.Plain) != k.count || int64(len(per)) != classes || len(k.rho) < count ||
		int64(len(k.coefficients)) < (classes-1)*k.count ||
		len(c.probA) != len(c.probB) || len(c.probA) > 0 && len(c.probA) < count {
		return nil, fmt.Errorf("vectors_per_class, coefficients, rho, prob_a or prob_b do not fit %d classes", classes)
	}
	first := []int64{0}
	for _, v := range per {
		first = append(first, first[len(first)-1]+v)
	}
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			list := make([]float64, k.count)
			copy(list[first[i]:first[i+1]], k.coefficients[(j-1)*k.count+first[i]:])
			copy(list[first[j]:first[j+1]], k.coefficients[i*k.count+first[j]:])
			c.pairs = append(c.pairs, list)
		}
	}
	return c, nil
}

func (c *svmClassifier) columns() int64 {
	if c.probA == nil && len(c.labels) > 2 {
		return int64(len(c.pairs))
	}
	return int64(len(c.labels))
}

// eachPair calls do for each pair of classes.
func (c *svmClassifier) eachPair(do func(pair, i, j int)) {
	pair := 0
	for i := range c.labels {
		for j := i + 1; j < len(c.labels); j++ {
			do(pair, i, j)
			pair++
		}
	}
}

func (c *svmClassifier) score(row []float64) (int64, []float64) {
	s := c.compare(row)
	votes, scores := make([]float64, len(c.labels)), make([]float64, len(c.pairs))
	c.eachPair(func(pair, i, j int) {
		if scores[pair] = array.Dot(s, c.pairs[pair]) + c.rho[pair]; scores[pair] > 0 {
			votes[i]++
		} else {
			votes[j]++
		}
	})
	label := c.labels[argmax(votes)]
	switch {
	case c.probA != nil:
		for i, v := range scores {
			scores[i] = min(max(array.Logistic(-v*c.probA[i]-c.probB[i]), probLimit), 1-probLimit)
		}
		return label, c.post.apply(couple(scores, len(c.labels)))
	case len(c.labels) > 2:
		return label, c.post.apply(scores)
	case c.post == plain:
		return label, []float64{-scores[0], scores[0]}
	}
	return label, c.post.pair(scores[0])
}

// probLimit bounds probabilities of pairs.
const probLimit = 1e-7

func (c *svmClassifier) nodes(d *op.Decomposer, x *graph.Value) (label, scores *graph.Value) {
	pairs, classes := int64(len(c.pairs)), int64(len(c.labels))
	votes, others := make([]float64, pairs*classes), make([]float64, classes)
	c.eachPair(func(pair, i, j int) {
		votes[pair*len(c.labels)+i], votes[pair*len(c.labels)+j] = 1, -1
		others[j]++
	})
	s := d.Apply("Gemm", []*graph.Value{c.compareNodes(d, x), constant(d, pairs, c.count, slices.Concat(c.pairs...)),
		constant(d, 1, pairs, c.rho[:pairs])}, graph.IntAttr("transB", 1))
	won := d.Cast(apply(d, "Greater", s, d.Number(s, 0)), tir.F32)
	label = c.largest(d, apply(d, "Gemm", won, constant(d, pairs, classes, votes), constant(d, 1, classes, others)))
	switch {
	case c.probA != nil:
		a, b := constant(d, 1, pairs, c.probA[:pairs]), constant(d, 1, pairs, c.probB[:pairs])
		r := apply(d, "Add", apply(d, "Mul", s, a), b)
		r = apply(d, "Clip", apply(d, "Sigmoid", apply(d, "Neg", r)), d.Number(r, probLimit), d.Number(r, 1-probLimit))
		r = d.Apply("wmtune.Couple", []*graph.Value{r}, graph.IntAttr("classes", classes))
		return label, c.post.nodes(d, r)
	case classes > 2:
		return label, c.post.nodes(d, s)
	case c.post == plain:
		return label, beside(d, apply(d, "Neg", s), s)
	}
	return label, c.post.pairNodes(d, s)
}

// coupleRounds and coupleLimit end the iteration; the latter is divided by the number of classes.
const (
	coupleRounds = 100
	coupleLimit  = 0.005
)

// couple makes probabilities of classes of those that one class of a pair has: the second method of Wu, Lin and Weng
// ("Probability estimates for multi-class classification by pairwise coupling", 2004), by the iteration of libsvm.
func couple(pairs []float64, classes int) []float64 {
	r, q := make([][]float64, classes), make([][]float64, classes)
	p, qp := make([]float64, classes), make([]float64, classes)
	for i := range r {
		r[i], q[i], p[i] = make([]float64, classes), make([]float64, classes), 1/float64(classes)
	}
	at := 0
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			r[i][j], r[j][i] = pairs[at], 1-pairs[at]
			at++
		}
	}
	for i := range classes {
		for j := range classes {
			if i != j {
				q[i][i] += r[j][i] * r[j][i]
				q[i][j] = -r[j][i] * r[i][j]
			}
		}
	}
	for range coupleRounds {
		total, off := 0.0, 0.0
		for i := range p {
			qp[i] = array.Dot(q[i], p)
			total += p[i] * qp[i]
		}
		for i := range p {
			off = max(off, math.Abs(qp[i]-total))
		}
		if off < coupleLimit/float64(classes) {
			break
		}
		for i := range p {
			by := (total - qp[i]) / q[i][i]
			p[i] += by
			total = (total + by*(by*q[i][i]+2*qp[i])) / (1 + by) / (1 + by)
			for j := range p {
				qp[j] = (qp[j] + by*q[i][j]) / (1 + by)
				p[j] /= 1 + by
			}
		}
	}
	return p
}

func inferCouple(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	return []op.Type{{DType: x.Type, Shape: []int64{x.Shape[0], n.Int("classes", 0)}}}, nil
}

func evalCouple(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	pairs, classes := in[0].Shape[1], n.Int("classes", 0)
	r := graph.NewTensor(in[0].Type, in[0].Shape[0], classes)
	for i := range in[0].Shape[0] {
		copy(r.F[i*classes:], couple(in[0].F[i*pairs:(i+1)*pairs], int(classes)))
	}
	return []*graph.Tensor{r}, nil
}

// opaqueCouple is couple for each row, in float64: roundings must not decide which round is the last. After it, what is
// left of the others changes nothing.
func opaqueCouple(n *graph.Node) (*tir.Func, error) {
	x, out := Parameter("pairs", n.Inputs[0]), Parameter("out", n.Outputs[0])
	k, typ := out.Shape[1], tir.F64
	r, q, p, qp := Scratch("r", typ, k, k), Scratch("q", typ, k, k), Scratch("p", typ, k), Scratch("qp", typ, k)
	total, off, by := Scratch("total", typ, 1), Scratch("off", typ, 1), Scratch("by", typ, 1)
	zero, number := tir.Int(0), func(v float64) tir.Expr { return tir.Float(typ, v) }
	set := func(b *tir.Buffer, v tir.Expr) tir.Stmt { return Store(b, v, zero) }
	get := func(b *tir.Buffer) tir.Expr { return Load(b, zero) }
	each := func(name string, body func(i tir.Expr) tir.Stmt) tir.Stmt { return Loop(name, k, body) }
	row := tir.NewVar("row")
	var list []tir.Stmt
	at := int64(0)
	for i := range k {
		for j := i + 1; j < k; j++ {
			v := Cast(Load(x, row, tir.Int(at)), typ)
			list = append(list, Store(r, v, tir.Int(i), tir.Int(j)), Store(r, Sub(number(1), v), tir.Int(j), tir.Int(i)))
			at++
		}
		list = append(list, Store(r, number(0), tir.Int(i), tir.Int(i)))
	}
	list = append(list, each("i", func(i tir.Expr) tir.Stmt {
		return Seq(Store(p, number(1/float64(k)), i), each("j", func(j tir.Expr) tir.Stmt {
			return Store(q, Neg(Mul(Load(r, j, i), Load(r, i, j))), i, j)
		}), each("j", func(j tir.Expr) tir.Stmt {
			return Store(q, Add(Load(q, i, i), Square(Load(r, j, i))), i, i)
		}))
	}))
	step := func(i tir.Expr) tir.Stmt {
		qi, one := Load(q, i, i), Add(number(1), get(by))
		return Seq(set(by, Quo(Sub(get(total), Load(qp, i)), qi)), Store(p, Add(Load(p, i), get(by)), i),
			set(total, Quo(Quo(Add(get(total), Mul(get(by), Add(Mul(get(by), qi), Mul(number(2), Load(qp, i))))), one), one)),
			each("j", func(j tir.Expr) tir.Stmt {
				return Seq(Store(qp, Quo(Add(Load(qp, j), Mul(get(by), Load(q, i, j))), one), j),
					Store(p, Quo(Load(p, j), one), j))
			}))
	}
	round := Seq(set(total, number(0)), set(off, number(0)),
		each("i", func(i tir.Expr) tir.Stmt {
			return Seq(Store(qp, number(0), i), each("j", func(j tir.Expr) tir.Stmt {
				return Store(qp, Add(Load(qp, i), Mul(Load(q, i, j), Load(p, j))), i)
			}), set(total, Add(get(total), Mul(Load(p, i), Load(qp, i)))))
		}),
		each("i", func(i tir.Expr) tir.Stmt {
			return set(off, MaxOf(get(off), Fn(tir.Abs, Sub(Load(qp, i), get(total)))))
		}),
		&tir.If{Cond: Ge(get(off), number(coupleLimit/float64(k))), Then: each("i", step)})
	list = append(list, Loop("round", coupleRounds, func(tir.Expr) tir.Stmt { return round }),
		each("i", func(i tir.Expr) tir.Stmt { return Store(out, Cast(Load(p, i), out.Type), row, i) }))
	all := &tir.For{Var: row, Extent: tir.Int(out.Shape[0]), Kind: tir.Parallel,
		Body: Allocs(Seq(list...), r, q, p, qp, total, off, by)}
	return NewFunc("Couple", 1, all, x, out), nil
}
