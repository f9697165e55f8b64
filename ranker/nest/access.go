package nest

import (
	"math"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// An Access is what a statement reads or writes of one tensor.
type Access struct {
	From   int // the stage that computes the tensor
	Write  bool
	Packed bool    // its layout follows the loops: a constant operand
	Bytes  float64 // of an element
	Whole  float64 // elements of the tensor
	dims   []dim
}

// A dim is how an index of an access depends on the axes: on each by a factor.
// Quotients have fractions, and remainders are cut at the divisor.
type dim struct {
	terms []term
	limit float64 // how many values it has at most
	shape float64
}

type term struct {
	axis   int
	factor float64
}

// axesOf lists the axes of an op, spatial ones first.
func axesOf(op *compute.Op) []*compute.Axis {
	return append(op.Axes[:len(op.Axes):len(op.Axes)], op.ReduceAxes...)
}

func accessTo(b *tir.Buffer, from int, index []tir.Expr, axes []*compute.Axis) Access {
	a := Access{From: from, Bytes: float64(b.Type.Bytes()), Whole: 1, dims: make([]dim, len(index))}
	for i, e := range index {
		shape := float64(b.Shape[i])
		a.Whole *= shape
		d := dim{limit: shape, shape: shape}
		d.add(e, 1, axes)
		a.dims[i] = d
	}
	return a
}

// add adds factor times e.
func (d *dim) add(e tir.Expr, factor float64, axes []*compute.Axis) {
	switch e := e.(type) {
	case *tir.Var:
		for k, x := range axes {
			if x.Var == e {
				d.term(k, factor)
			}
		}
	case *tir.Binary:
		c, constant := constantOf(e.Y)
		switch {
		case e.Op == tir.Add:
			d.add(e.X, factor, axes)
			d.add(e.Y, factor, axes)
		case e.Op == tir.Sub:
			d.add(e.X, factor, axes)
			d.add(e.Y, -factor, axes)
		case e.Op == tir.Mul && constant:
			d.add(e.X, factor*c, axes)
		case e.Op == tir.FloorDiv && constant:
			d.add(e.X, factor/c, axes)
		case e.Op == tir.FloorMod && constant:
			d.limit = min(d.limit, math.Abs(factor)*c)
			d.add(e.X, factor, axes)
		default:
			d.add(e.X, factor, axes)
			d.add(e.Y, factor, axes)
		}
	case *tir.Cast:
		d.add(e.X, factor, axes)
	case *tir.Select:
		d.add(e.Then, factor, axes)
	}
}

func constantOf(e tir.Expr) (float64, bool) {
	if c, ok := e.(*tir.IntImm); ok && c.Value != 0 {
		return float64(c.Value), true
	}
	return 0, false
}

func (d *dim) term(axis int, factor float64) {
	for k := range d.terms {
		if d.terms[k].axis == axis {
			d.terms[k].factor += factor
			return
		}
	}
	d.terms = append(d.terms, term{axis, factor})
}

// span returns over how many places the index runs, and how many of them it can
// touch, when each axis takes so many values in a row.
func (d *dim) span(counts []int64) (span, touched float64) {
	span, touched = 1, 1
	for _, t := range d.terms {
		n := float64(counts[t.axis])
		span += math.Abs(t.factor) * (n - 1)
		touched *= n
	}
	span = min(math.Ceil(span), d.limit)
	return span, min(touched, span)
}

// same reports whether two accesses are of the same elements.
func (a *Access) same(b *Access) bool {
	if a.From != b.From || a.Write != b.Write || len(a.dims) != len(b.dims) {
		return false
	}
	for i := range a.dims {
		x, y := &a.dims[i], &b.dims[i]
		if len(x.terms) != len(y.terms) {
			return false
		}
		for k := range x.terms {
			if x.terms[k] != y.terms[k] {
				return false
			}
		}
	}
	return true
}

// Elements returns how many elements are touched when each axis takes so many
// values in a row.
func (a *Access) Elements(counts []int64) float64 {
	n := 1.0
	for i := range a.dims {
		_, touched := a.dims[i].span(counts)
		n *= touched
	}
	return n
}

// Footprint returns how many bytes of whole cache lines are touched then. What is
// packed lies in one piece.
func (a *Access) Footprint(counts []int64, line float64) float64 {
	if a.Packed || len(a.dims) == 0 {
		return math.Ceil(a.Elements(counts)*a.Bytes/line) * line
	}
	run, i := 1.0, len(a.dims)-1 // elements in a row
	touched := 1.0               // of them
	for ; i >= 0; i-- {
		span, some := a.dims[i].span(counts)
		run, touched = run*span, touched*some
		if span < a.dims[i].shape {
			i--
			break
		}
	}
	lines := min(math.Ceil(run*a.Bytes/line), touched)
	for ; i >= 0; i-- {
		_, some := a.dims[i].span(counts)
		lines *= some
	}
	return min(lines*line, math.Ceil(a.Whole*a.Bytes/line)*line)
}

// Stride returns by how many elements the place in memory moves with one step of an
// axis: 0 if it does not, and 1 if the axis runs along memory or the access is
// packed for it.
func (a *Access) Stride(axis int) float64 {
	stride, row := 0.0, 1.0
	for i := len(a.dims) - 1; i >= 0; i-- {
		for _, t := range a.dims[i].terms {
			if t.axis == axis {
				stride += math.Abs(t.factor) * row
			}
		}
		row *= a.dims[i].shape
	}
	if a.Packed && stride > 0 {
		return 1
	}
	return stride
}
