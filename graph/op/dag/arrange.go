package dag

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
)

// arrange has stages compute their elements in the order in which their only reader wants them:
//
//	m(q, i, j) += x[q, i, k]*y[q, k, j]           m(i, q, j) += x[q, i, k]*y[q, k, j]
//	a(q, i, j) = m[q, i, j]*2                =>   t(i, q, j) = m[i, q, j]*2
//	t(i, q, j) = a[q, i, j]
//
// The reader must read each element once, all in one place, and the index must be a transpose, or split dimensions of
// the stage. What a stage that only moves elements reads becomes that stage.
func arrange(d *compute.DAG) (*compute.DAG, error) {
	ops, tensors := slices.Clone(d.Ops), slices.Clone(d.Tensors)
	for i := len(ops) - 1; i >= 0; i-- {
		p := ops[i]
		if p.IsPlaceholder() || len(p.Results) != 1 || slices.Contains(tensors[len(tensors)-d.Outputs:], p.Results[0]) {
			continue
		}
		reader, index := onlyReader(ops, p.Results[0])
		if reader < 0 || !rearranges(ops[reader].Axes, index, p.Axes) || sharesName(ops[reader].Axes, p.ReduceAxes) {
			continue
		}
		r := ops[reader]
		b := &tir.Buffer{Name: p.Results[0].Name, Type: p.Results[0].Type, Shape: r.Results[0].Shape}
		if at := slices.Index(tensors, r.Results[0]); moves(r) && at >= 0 { // then p is what is asked for
			ops[reader], tensors[at] = inOrderOf(p, r.Axes, index, b), b
			for k, op := range ops[reader+1:] {
				ops[reader+1+k] = reading(op, r.Results[0], b, func(l *tir.Load) []tir.Expr { return l.Index })
			}
			ops = slices.Delete(ops, i, i+1)
			continue
		}
		axes := make([]*compute.Axis, len(r.Axes)) // of its own
		at := map[*tir.Var]tir.Expr{}
		for k, a := range r.Axes {
			axes[k] = compute.NewAxis(a.Var.Name, a.Extent)
			at[a.Var] = axes[k].Var
		}
		for k, e := range index {
			index[k] = tir.Substitute(e, at)
		}
		ops[i] = inOrderOf(p, axes, index, b)
		ops[reader] = reading(r, p.Results[0], b, func(*tir.Load) []tir.Expr { return compute.Vars(r.Axes) })
	}
	return compute.FromOps(tensors, d.Outputs, ops)
}

func sharesName(x, y []*compute.Axis) bool {
	return slices.ContainsFunc(x, func(a *compute.Axis) bool {
		return slices.ContainsFunc(y, func(b *compute.Axis) bool { return a.Var.Name == b.Var.Name })
	})
}

// onlyReader returns the place of the one op that reads b, at one index, and that index; -1 if there is none.
func onlyReader(ops []*compute.Op, b *tir.Buffer) (reader int, index []tir.Expr) {
	reader = -1
	several := false
	for i, op := range ops {
		for _, e := range op.Body {
			for l := range tir.ExprsIn[*tir.Load](e) {
				if l.Buffer == b {
					several = several || reader >= 0 && (reader != i || !slices.EqualFunc(index, l.Index, tir.EqualExpr))
					reader, index = i, slices.Clone(l.Index)
				}
			}
		}
	}
	if several || reader >= 0 && len(ops[reader].ReduceAxes) > 0 {
		return -1, nil
	}
	return reader, index
}

// rearranges reports whether index, over axes, goes through all elements of a stage with the axes of, each once, and in
// another order than that of its axes. Each index must be a sum of axes with the coefficients of a number system.
func rearranges(axes []*compute.Axis, index []tir.Expr, of []*compute.Axis) bool {
	used := map[*tir.Var]bool{}
	inPlace := len(axes) == len(of)
	for d, e := range index {
		v, isVar := e.(*tir.Var)
		inPlace = inPlace && (isVar && v == axes[d].Var || of[d].Extent == 1)
		if isConst(e, 0) && of[d].Extent == 1 {
			continue
		}
		extent := int64(1) // of the digits so far, from the lowest
		for digits := terms(e); len(digits) > 0; {
			k := slices.IndexFunc(digits, func(t term) bool { return t.scale == extent })
			if k < 0 || used[digits[k].v] {
				return false
			}
			at := slices.IndexFunc(axes, func(x *compute.Axis) bool { return x.Var == digits[k].v })
			if at < 0 {
				return false
			}
			used[digits[k].v] = true
			extent *= axes[at].Extent
			digits = slices.Delete(digits, k, k+1)
		}
		if extent != of[d].Extent {
			return false
		}
	}
	for _, x := range axes {
		if !used[x.Var] && x.Extent != 1 {
			return false
		}
	}
	return !inPlace
}

// A term is a variable times a number.
type term struct {
	v     *tir.Var
	scale int64
}

// terms returns the terms that e is the sum of, or one of no variable if it is none.
func terms(e tir.Expr) []term {
	switch e := e.(type) {
	case *tir.Var:
		return []term{{e, 1}}
	case *tir.Binary:
		v, isVar := e.X.(*tir.Var)
		k, isConst := e.Y.(*tir.IntImm)
		switch {
		case e.Op == tir.Add:
			return append(terms(e.X), terms(e.Y)...)
		case e.Op == tir.Mul && isVar && isConst:
			return []term{{v, k.Value}}
		}
	}
	return []term{{}}
}

func isConst(e tir.Expr, v int64) bool {
	c, ok := e.(*tir.IntImm)
	return ok && c.Value == v
}

// inOrderOf returns p computing b, over axes, from which index follows that of p.
func inOrderOf(p *compute.Op, axes []*compute.Axis, index []tir.Expr, b *tir.Buffer) *compute.Op {
	at := map[*tir.Var]tir.Expr{}
	for d, a := range p.Axes {
		at[a.Var] = index[d]
	}
	k := *p
	k.Axes, k.Results, k.Body = axes, []*tir.Buffer{b}, nil
	for _, e := range p.Body {
		k.Body = append(k.Body, simplified(tir.Substitute(e, at), slices.Concat(axes, p.ReduceAxes)))
	}
	return &k
}

// reading returns op reading b, at index, where it reads old.
func reading(op *compute.Op, old, b *tir.Buffer, index func(l *tir.Load) []tir.Expr) *compute.Op {
	k := *op
	k.Body = nil
	for _, e := range op.Body {
		k.Body = append(k.Body, tir.SubstituteLoads(e, func(l *tir.Load) tir.Expr {
			if l.Buffer != old {
				return l
			}
			return &tir.Load{Buffer: b, Index: index(l)}
		}))
	}
	return &k
}

// simplified returns e, over axes, without quotients and remainders that the extents of the axes decide.
func simplified(e tir.Expr, axes []*compute.Axis) tir.Expr {
	if quotients(e) == 0 {
		return e
	}
	a := arith.NewSimplifier()
	for _, x := range axes {
		a.Bind(x.Var, 0, x.Extent-1)
	}
	return a.Expr(e)
}

// Quotients counts the quotients and remainders in the indices of a piece: each is an index that follows no loop.
func (p *Piece) Quotients() int {
	n := 0
	for _, op := range p.DAG.Ops {
		for _, e := range op.Body {
			n += quotients(e)
		}
	}
	return n
}

// Axes counts the axes of more than one element of the stages that reduce.
func (p *Piece) Axes() int {
	n := 0
	for _, op := range p.DAG.Ops {
		for _, a := range op.Axes {
			if len(op.ReduceAxes) > 0 && a.Extent > 1 {
				n++
			}
		}
	}
	return n
}

// Steps adds up how many elements products, which are stages with one axis to reduce, go on in each operand for each
// step along that axis.
func (p *Piece) Steps() int64 {
	sum := int64(0)
	for _, op := range p.DAG.Ops {
		if len(op.ReduceAxes) != 1 {
			continue
		}
		for _, e := range op.Body {
			for l := range tir.ExprsIn[*tir.Load](e) {
				for d, stride := range l.Buffer.ElemStrides() {
					for _, t := range terms(l.Index[d]) {
						if t.v == op.ReduceAxes[0].Var {
							sum += t.scale * stride
						}
					}
				}
			}
		}
	}
	return sum
}

// Neighbours counts the operands of products that lie side by side along the last axis to reduce, as instructions that
// multiply groups read them.
func (p *Piece) Neighbours() int {
	n := 0
	for _, op := range p.DAG.Ops {
		if len(op.ReduceAxes) == 0 {
			continue
		}
		sum := op.ReduceAxes[len(op.ReduceAxes)-1].Var
		for _, e := range op.Body {
			for l := range tir.ExprsIn[*tir.Load](e) {
				step := int64(0)
				for d, stride := range l.Buffer.ElemStrides() {
					for _, t := range terms(l.Index[d]) {
						if t.v == sum {
							step += t.scale * stride
						}
					}
				}
				if step == 1 {
					n++
				}
			}
		}
	}
	return n
}

// Moves reports whether a piece computes nothing: it has one stage, which moves elements.
func (p *Piece) Moves() bool {
	n := 0
	for _, op := range p.DAG.Ops {
		if !op.IsPlaceholder() && !moves(op) {
			return false
		}
		if !op.IsPlaceholder() {
			n++
		}
	}
	return n == 1
}

// quotients counts the quotients and remainders in e.
func quotients(e tir.Expr) int {
	n := 0
	for b := range tir.ExprsIn[*tir.Binary](e) {
		if b.Op == tir.FloorDiv || b.Op == tir.FloorMod {
			n++
		}
	}
	return n
}
