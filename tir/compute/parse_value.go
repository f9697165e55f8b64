package compute

import "github.com/wmtune/wmtune/tir"

// value reads what an op computes: one expression or several in braces, or a
// reduction of such.
func (p *parser) value(op *Op, points int64) error {
	word, reduces := p.peek(0).text, p.peek(1).text == "(" && p.peek(2).kind == nameToken && p.peek(3).text == ":"
	if !reduces {
		var err error
		op.Body, err = p.bodies(nil)
		return err
	}
	p.take()
	kind, known := Tuple, word == "reduce"
	if word == wideSum {
		kind, known = Sum, true
	}
	for _, k := range []CombineKind{Sum, MaxOf, MinOf} {
		if word == combineNames[k] {
			kind, known = k, true
		}
	}
	if !known {
		return p.fail("unknown reduction %s: known are sum max min wide_sum reduce", word)
	}
	var err error
	if op.ReduceAxes, err = p.axes("the reduction", &points); err != nil {
		return err
	}
	if op.Body, err = p.bodies(nil); err != nil {
		return err
	}
	if kind == Tuple {
		return p.tuple(op)
	}
	if err := p.common(op, kind); err != nil {
		return err
	}
	op.Combine.Wide = word == wideSum
	if t := op.Body[0].DType(); op.Combine.Wide && t != tir.F32 {
		return p.fail("%s of %s: only float32 has one", wideSum, t)
	}
	return nil
}

func isProduct(e tir.Expr) bool {
	_, _, ok := tir.Factors(e)
	return ok
}

// common reads the rest of a sum, maximum or minimum: where it starts from.
func (p *parser) common(op *Op, kind CombineKind) error {
	t := op.Body[0].DType()
	switch {
	case len(op.Body) > 1:
		return p.fail("%s of %d values: only reduce takes several", combineNames[kind], len(op.Body))
	case t == tir.F16 && kind == Sum && isProduct(op.Body[0]):
	case t == tir.Bool || t == tir.F16 || t == tir.BF16:
		return p.fail("%s of %s: cast to float32 or int32 first", combineNames[kind], t)
	}
	op.Combine = NewCombiner(kind, t)
	if !p.accept("from") {
		return nil
	}
	from, err := p.bodiesOf([]tir.DType{t}, "from")
	if err != nil {
		return err
	}
	op.Combine.Identity = from
	return nil
}

// tuple reads the rest of a reduction that says itself how it folds:
//
//	from {0, -inf} fold (ai, a) (bi, b) {select(a > b, ai, bi), max(a, b)}
func (p *parser) tuple(op *Op) error {
	types := make([]tir.DType, len(op.Body))
	for i, e := range op.Body {
		types[i] = e.DType()
	}
	c := &Combiner{}
	if err := p.expect("from", "and the values to start from after what is reduced"); err != nil {
		return err
	}
	var err error
	if c.Identity, err = p.bodiesOf(types, "from"); err != nil {
		return err
	}
	if err := p.expect("fold", "and how to fold two values after those to start from"); err != nil {
		return err
	}
	p.vars, p.extent = map[string]*tir.Var{}, map[*tir.Var]int64{}
	for _, list := range []*[]*tir.Var{&c.Acc, &c.Src} {
		if err := p.expect("(", "and names of values to fold"); err != nil {
			return err
		}
		for !p.accept(")") {
			if len(*list) > 0 {
				if err := p.expect(",", "or \")\" after a name"); err != nil {
					return err
				}
			}
			name, err := p.varName("a value to fold")
			if err != nil {
				return err
			}
			if len(*list) == len(types) {
				return p.fail("more names to fold than the %d values that are reduced", len(types))
			}
			v := &tir.Var{Name: name, Type: types[len(*list)]}
			p.vars[name] = v
			*list = append(*list, v)
		}
		if len(*list) != len(types) {
			return p.fail("%d names to fold, but %d values are reduced", len(*list), len(types))
		}
	}
	if c.Result, err = p.bodiesOf(types, "fold"); err != nil {
		return err
	}
	op.Combine = c.recognized()
	return nil
}

// bodies takes an expression, or several in braces; want may be nil.
func (p *parser) bodies(want []tir.DType) ([]tir.Expr, error) {
	wanted := func(i int) tir.DType {
		if i < len(want) {
			return want[i]
		}
		return tir.Invalid
	}
	if !p.accept("{") {
		e, err := p.typedExpr(wanted(0))
		return []tir.Expr{e}, err
	}
	var list []tir.Expr
	for {
		e, err := p.typedExpr(wanted(len(list)))
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		if p.accept("}") {
			return list, nil
		}
		if err := p.expect(",", "or \"}\" after a value"); err != nil {
			return nil, err
		}
	}
}

// bodiesOf takes as many expressions as there are types.
func (p *parser) bodiesOf(types []tir.DType, clause string) ([]tir.Expr, error) {
	list, err := p.bodies(types)
	if err != nil {
		return nil, err
	}
	if len(list) != len(types) {
		return nil, p.fail("%s has %d values, but %d are reduced", clause, len(list), len(types))
	}
	for i, e := range list {
		if t := e.DType(); t != types[i] {
			return nil, p.fail("%s: %s has type %s, but what is reduced has type %s", clause, e, t, types[i])
		}
	}
	return list, nil
}
