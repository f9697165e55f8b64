package compute

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// commonOps are the operators of the common combiners.
var commonOps = map[CombineKind]tir.BinOp{Sum: tir.Add, MaxOf: tir.Max, MinOf: tir.Min}

// NewCombiner returns a common combiner for values of type t.
func NewCombiner(kind CombineKind, t tir.DType) *Combiner {
	acc, src := &tir.Var{Name: "x", Type: t}, &tir.Var{Name: "y", Type: t}
	op := commonOps[kind]
	if op == tir.InvalidOp {
		panic("BUG: compute: no common combiner of this kind")
	}
	return &Combiner{
		Kind: kind, Acc: []*tir.Var{acc}, Src: []*tir.Var{src},
		Result:   []tir.Expr{tir.Bin(op, acc, src)},
		Identity: []tir.Expr{identity(kind, t)},
	}
}

// wideSum is the word for a sum of float32 that is Wide.
const wideSum = "wide_sum"

// wideTerms is how many roundings a wide sum counts at most: lowering adds some numbers in float32 before.
const wideTerms = 8

// Roundings returns how many roundings of its type count in a reduction of n values.
func (c *Combiner) Roundings(n float64) float64 {
	if c != nil && c.Wide {
		return min(n, wideTerms)
	}
	return n
}

// NewFirstLargest returns the combiner of pairs of a place and a value, without the pair to start from. The order of
// the folding does not matter: equals are told apart by their places.
func NewFirstLargest(acc, src []*tir.Var) *Combiner {
	first := tir.Bin(tir.Or, tir.Bin(tir.GT, acc[1], src[1]),
		tir.Bin(tir.And, tir.Bin(tir.EQ, acc[1], src[1]), tir.Bin(tir.LT, acc[0], src[0])))
	c := &Combiner{Kind: FirstLargest, Acc: acc, Src: src}
	for i := range acc {
		c.Result = append(c.Result, &tir.Select{Cond: first, Then: acc[i], Else: src[i]})
	}
	return c
}

// check returns an error if c of an op reads a tensor, or a variable that is no value to fold.
func (c *Combiner) check(op string) (err error) {
	for i, e := range slices.Concat(c.Identity, c.Result) {
		clause, values := "from", []*tir.Var(nil)
		if i >= len(c.Identity) {
			clause, values = "fold", slices.Concat(c.Acc, c.Src)
		}
		tir.VisitExpr(e, func(e tir.Expr) bool {
			switch e := e.(type) {
			case *tir.Load:
				err = fmt.Errorf("compute: %s: %s reads tensor %s", op, clause, e.Buffer.Name)
			case *tir.Var:
				if !slices.Contains(values, e) {
					err = fmt.Errorf("compute: %s: %s reads %s, which is no value to fold", op, clause, e.Name)
				}
			}
			return err == nil
		})
	}
	return err
}

// recognized returns c, or the combiner of the kind FirstLargest of which c, as read from a text, is the fold.
func (c *Combiner) recognized() *Combiner {
	if len(c.Result) != 2 || c.Acc[0].Type.IsFloat() || c.Acc[0].Type == tir.Bool || c.Acc[1].Type == tir.Bool {
		return c
	}
	largest := NewFirstLargest(c.Acc, c.Src)
	if !slices.EqualFunc(largest.Fold(), c.Result, tir.EqualExpr) {
		return c
	}
	largest.Identity = c.Identity
	return largest
}

// Neutral reports whether several partial results may each start from the identity
// and then be folded: of a sum that counts it again each time unless it is 0,
// of a maximum or minimum it may be any number, and of other combiners folding
// with it changes nothing, which is up to who wrote them.
func (c *Combiner) Neutral() bool {
	if c.Kind != Sum {
		return true
	}
	switch e := c.Identity[0].(type) {
	case *tir.IntImm:
		return e.Value == 0
	case *tir.FloatImm:
		return e.Value == 0
	}
	return false
}

// Start returns what folding starts from: Identity, but an infinity where that is the extreme finite number of the type
// in a maximum or minimum, to which an infinite element must not lose.
func (c *Combiner) Start() []tir.Expr {
	if c.Kind == Sum || c.Kind == Tuple {
		return c.Identity
	}
	list := slices.Clone(c.Identity)
	last := len(list) - 1
	kind := MaxOf
	if c.Kind == MinOf {
		kind = MinOf
	}
	if e, ok := list[last].(*tir.FloatImm); ok && sameConst(e, identity(kind, e.Type)) {
		list[last] = tir.Float(e.Type, math.Copysign(math.Inf(1), e.Value))
	}
	return list
}

// Fold returns what a step of the reduction computes: Result, but a NaN is the largest value for FirstLargest, as for
// numpy's argmax. (For tir.Max and tir.Min it is the result in any case.) A pair (p, x) then goes before (q, y) if
//
//	!(x <= (y == y ? y : inf)) && (p < q || y == y) || x == y && p < q
//
// This form asks least of x, for which the next step waits.
func (c *Combiner) Fold() []tir.Expr {
	if c.Kind != FirstLargest || !c.Acc[1].Type.IsFloat() {
		return c.Result
	}
	x, y, t := c.Acc[1], c.Src[1], c.Acc[1].Type
	isNumber := tir.Bin(tir.EQ, y, y)
	earlier := tir.Bin(tir.LT, c.Acc[0], c.Src[0])
	atMost := tir.Bin(tir.LE, x, &tir.Select{Cond: isNumber, Then: y, Else: tir.Float(t, math.Inf(1))})
	first := tir.Bin(tir.Or, tir.Bin(tir.And, &tir.Not{X: atMost}, tir.Bin(tir.Or, earlier, isNumber)),
		tir.Bin(tir.And, tir.Bin(tir.EQ, x, y), earlier))
	list := make([]tir.Expr, len(c.Result))
	for i, e := range c.Result {
		s := *e.(*tir.Select)
		s.Cond = first
		list[i] = &s
	}
	return list
}

// identity returns the value that leaves any other unchanged: 0, or the
// smallest or largest finite value of the type, as TVM has it.
func identity(kind CombineKind, t tir.DType) tir.Expr {
	if kind == Sum {
		return tir.Const(t, 0)
	}
	if t.IsFloat() {
		most := Largest(t)
		if kind == MaxOf {
			most = -most
		}
		return tir.Float(t, most)
	}
	lo, hi, ok := t.IntRange()
	if !ok {
		lo, hi = 0, -1 // of a U64: all bits
	}
	if kind == MaxOf {
		return &tir.IntImm{Value: lo, Type: t}
	}
	return &tir.IntImm{Value: hi, Type: t}
}
