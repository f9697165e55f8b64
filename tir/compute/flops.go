package compute

import (
	"github.com/wmtune/wmtune/tir"
)

// FLOPs returns the number of operations of one run of d, counted as TVM's
// AutoScheduler does (src/auto_scheduler/compute_dag.cc), so that figures
// compare: one for each operator whose operands have the class of type
// (float, signed, unsigned or bool, bfloat16) of the op's result, which leaves
// index arithmetic out of float ops; nothing for loads, casts, operators on bits
// and calls, exp included; the longer branch of a select, but both of a lazy one. A reduction
// counts its combiner and source for every point, once per result. Attrs.FLOP
// overrides the count of an op.
func (d *DAG) FLOPs() float64 {
	total := 0.0
	for _, op := range d.Ops {
		switch {
		case op.IsPlaceholder():
		case op.Attrs.FLOP != 0:
			total += float64(op.Attrs.FLOP)
		default:
			total += extentProduct(op.Axes) * op.flopsPerElement()
		}
	}
	return total
}

func (op *Op) flopsPerElement() float64 {
	class := typeClassOf(op.Results[0].Type)
	n := 0.0
	for _, e := range op.Body {
		n += exprFLOPs(e, class)
	}
	if op.Combine == nil {
		return n
	}
	for _, e := range op.Combine.Result {
		n += exprFLOPs(e, class)
	}
	return n * extentProduct(op.ReduceAxes) * float64(len(op.Results))
}

func exprFLOPs(e tir.Expr, class typeClass) float64 {
	n := 0.0
	switch e := e.(type) {
	case *tir.Load:
		return 0
	case *tir.Binary:
		if typeClassOf(e.X.DType()) == class && !e.Op.IsBits() { // both operands have one type; TVM calls for bits
			n++
		}
	case *tir.Not:
		if class == unsigned {
			n++
		}
	case *tir.Select:
		if !e.Lazy {
			return exprFLOPs(e.Cond, class) + max(exprFLOPs(e.Then, class), exprFLOPs(e.Else, class))
		}
	}
	tir.Operands(e, func(x tir.Expr) { n += exprFLOPs(x, class) })
	return n
}

// A typeClass is what TVM calls the type code.
type typeClass uint8

const (
	signed typeClass = iota
	unsigned
	float
	bfloat
)

func typeClassOf(t tir.DType) typeClass {
	switch {
	case t == tir.BF16:
		return bfloat
	case t.IsFloat():
		return float
	case t.IsUnsigned() || t == tir.Bool:
		return unsigned
	}
	return signed
}

func extentProduct(axes []*Axis) float64 {
	n := 1.0
	for _, a := range axes {
		n *= float64(a.Extent)
	}
	return n
}
