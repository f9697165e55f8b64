package compute

import "github.com/wmtune/wmtune/tir"

// Widen returns d with every float type replaced by float64, for reference
// results. Other types stay. Its Ops and Tensors are in the order of those of d,
// with names and axes alike.
//
//	C(i) = float32(A[i])*0.1f      with A: float16[8]
//	=>
//	C(i) = A[i]*(float64)0.1       with A: float64[8]
//
// Constants keep the value that they have in their own type, so that candidate
// and reference compute with the same numbers. So do elements that ops store in
// 16 bits: who reads them, reads them rounded, since what is made of them may be
// something else altogether, such as the position of the largest. What a reduction folds in 16 bits is rounded, too.
// The elements themselves are not rounded in the results of Widen(d), nor is anything of other types.
//
//	D(i) = exp(float32(C[i]))      with C: float16[8]
//	=>
//	D(i) = exp(float64(float32(float16(float32(C[i])))))      with C: float64[8]
//
// By way of float32, as that is what candidates round.
func Widen(d *DAG) *DAG {
	w := widening{buffers: map[*tir.Buffer]*tir.Buffer{}, vars: map[*tir.Var]*tir.Var{}, inputs: map[*tir.Buffer]bool{},
		bits: map[*tir.Var]tir.Expr{}}
	for _, b := range d.Inputs() {
		w.inputs[b] = true
	}
	wide := &DAG{Outputs: d.Outputs}
	for _, op := range d.Ops {
		wide.Ops = append(wide.Ops, w.op(op))
	}
	for _, b := range d.Tensors {
		wide.Tensors = append(wide.Tensors, w.buffers[b])
	}
	return wide
}

func wideType(t tir.DType) tir.DType {
	if t.IsFloat() {
		return tir.F64
	}
	return t
}

type widening struct {
	buffers map[*tir.Buffer]*tir.Buffer
	vars    map[*tir.Var]*tir.Var // of combiners
	inputs  map[*tir.Buffer]bool
	bits    map[*tir.Var]tir.Expr // what stands for a Bitcast, to what is widened of it
}

func (w *widening) op(op *Op) *Op {
	c := *op
	c.Results = nil
	for _, b := range op.Results {
		n := *b
		n.Type = wideType(b.Type)
		w.buffers[b] = &n
		c.Results = append(c.Results, &n)
	}
	if op.IsPlaceholder() {
		return &c
	}
	if op.Combine != nil {
		c.Combine = &Combiner{
			Kind: op.Combine.Kind, Acc: w.newVars(op.Combine.Acc), Src: w.newVars(op.Combine.Src),
			Result: w.exprs(op.Combine.Result), Identity: w.exprs(op.Combine.Start()),
		}
	}
	c.Body = nil
	for _, e := range op.Body {
		if op.Combine == nil {
			e = w.element(e)
		} else {
			e = w.expr(e)
		}
		c.Body = append(c.Body, e)
	}
	c.Attrs.LayoutFree = nil
	for _, b := range op.Attrs.LayoutFree {
		c.Attrs.LayoutFree = append(c.Attrs.LayoutFree, w.buffers[b])
	}
	return &c
}

func (w *widening) newVars(list []*tir.Var) []*tir.Var {
	out := make([]*tir.Var, len(list))
	for i, v := range list {
		out[i] = &tir.Var{Name: v.Name, Type: wideType(v.Type)}
		w.vars[v] = out[i]
	}
	return out
}

func (w *widening) exprs(list []tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(list))
	for i, e := range list {
		out[i] = w.expr(e)
	}
	return out
}

// expr widens an expression. The bits of a float that is read as another type are those that it has in its own, which
// what is widened does not say any more: so each Bitcast is widened first, and a variable stands for it.
func (w *widening) expr(e tir.Expr) tir.Expr {
	e = tir.MapExpr(e, func(e tir.Expr) tir.Expr {
		b, ok := e.(*tir.Bitcast)
		if !ok {
			return e
		}
		x := tir.MapExpr(b.X, w.leaf)
		switch from := b.X.DType(); {
		case from == tir.F32:
			x = &tir.Cast{X: x, To: from}
		case isHalf(from):
			x = &tir.Cast{X: &tir.Cast{X: x, To: tir.F32}, To: from}
		}
		x = &tir.Bitcast{X: x, To: b.To}
		if b.To.IsFloat() {
			x = toFloat64(x)
		}
		v := &tir.Var{Name: "bits", Type: b.To}
		w.bits[v] = x
		return v
	})
	return tir.MapExpr(e, w.leaf)
}

// element widens the value of an element, which is not rounded where it is stored. What is folded is no element: a fold
// may compare it.
func (w *widening) element(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Cast:
		if isHalf(e.To) {
			return toFloat64(w.element(e.X))
		}
	case *tir.Select:
		return &tir.Select{Cond: w.expr(e.Cond), Then: w.element(e.Then), Else: w.element(e.Else), Lazy: e.Lazy}
	case *tir.Load:
		return &tir.Load{Buffer: w.buffers[e.Buffer], Index: w.exprs(e.Index)}
	}
	return w.expr(e)
}

func (w *widening) leaf(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Var:
		if v, ok := w.vars[e]; ok {
			return v
		}
		if bits, ok := w.bits[e]; ok {
			return bits
		}
	case *tir.FloatImm:
		return tir.Float(tir.F64, tir.Rounded(e.Type, e.Value))
	case *tir.Load:
		l := &tir.Load{Buffer: w.buffers[e.Buffer], Index: e.Index}
		if isHalf(e.Buffer.Type) && !w.inputs[e.Buffer] {
			return roundTo(l, e.Buffer.Type)
		}
		return l
	case *tir.Cast:
		switch {
		case isHalf(e.To):
			return roundTo(toFloat64(e.X), e.To)
		case e.To.IsFloat():
			return toFloat64(e.X)
		}
	}
	return e
}

func isHalf(t tir.DType) bool { return t == tir.F16 || t == tir.BF16 }

// toFloat64 returns e, which is widened, as a float64.
func toFloat64(e tir.Expr) tir.Expr {
	if e.DType() == tir.F64 {
		return e
	}
	return &tir.Cast{X: e, To: tir.F64}
}

// roundTo returns the float64 e rounded to 16 bits.
func roundTo(e tir.Expr, half tir.DType) tir.Expr {
	for _, t := range []tir.DType{tir.F32, half, tir.F32, tir.F64} {
		e = &tir.Cast{X: e, To: t}
	}
	return e
}
