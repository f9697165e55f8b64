package compute

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// maxInsidePoints bounds the points at which an index is looked at.
const maxInsidePoints = 1 << 17

// maxInsideWork bounds the nodes of indices and conditions that are evaluated for a whole text: about a second.
const maxInsideWork = 1 << 25

// span returns the least and the largest value of e over the axes of the op at hand, or false if they are not known
// exactly, as where an axis occurs twice. Seen are the axes so far.
func (p *parser) span(e tir.Expr, seen map[*tir.Var]bool) (arith.Interval, bool) {
	if seen == nil {
		seen = map[*tir.Var]bool{}
	}
	switch e := e.(type) {
	case *tir.IntImm:
		return arith.Point(e.Value), true
	case *tir.Var:
		n, isAxis := p.extent[e]
		once := isAxis && !seen[e]
		seen[e] = true
		return arith.Between(0, n-1), once
	case *tir.Binary:
		x, okX := p.span(e.X, seen)
		y, okY := p.span(e.Y, seen)
		r, exact := x.Apply(e.Op, y)
		return r, okX && okY && exact
	}
	return arith.Interval{}, false
}

// A place is where a read stands: the conditions that hold there.
type place struct {
	conds []tir.Expr
	open  bool // some depend on elements
}

// inside is an error if e reads outside of a tensor at some point of the axes, as far as indices, and
// all conditions of if_then_else around them, depend on axes alone. It looks where span
// does not: at all points, if they are few enough.
func (p *parser) inside(e tir.Expr, at place) error {
	switch e := e.(type) {
	case *tir.Select:
		then, other := at, at
		if e.Lazy {
			then, other = at.and(e.Cond), at.and(&tir.Not{X: e.Cond})
		}
		if err := p.inside(e.Cond, at); err != nil {
			return err
		}
		if err := p.inside(e.Then, then); err != nil {
			return err
		}
		return p.inside(e.Else, other)
	case *tir.Load:
		for d, i := range e.Index {
			if err := p.inside(i, at); err != nil {
				return err
			}
			if err := p.insideDimension(e.Buffer, d, i, at); err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	tir.Operands(e, func(x tir.Expr) {
		if err == nil {
			err = p.inside(x, at)
		}
	})
	return err
}

// and adds what c demands.
func (at place) and(c tir.Expr) place {
	if b, ok := c.(*tir.Binary); ok && b.Op == tir.And {
		return at.and(b.X).and(b.Y)
	}
	if !isClosed(c) {
		return place{at.conds, true}
	}
	return place{append(slices.Clip(at.conds), c), at.open}
}

// isClosed reports whether e depends on axes alone.
func isClosed(e tir.Expr) bool {
	closed := true
	tir.VisitExpr(e, func(e tir.Expr) bool {
		switch e := e.(type) {
		case *tir.Load, *tir.Call, *tir.Bitcast:
			closed = false
		case *tir.Cast:
			closed = closed && !e.To.IsFloat() && !e.X.DType().IsFloat()
		}
		return closed
	})
	return closed
}

func (p *parser) insideDimension(b *tir.Buffer, d int, index tir.Expr, at place) error {
	all := arith.Between(0, b.Shape[d]-1)
	if x, ok := p.span(index, nil); at.open || !isClosed(index) || ok && x.Within(all) {
		return nil
	}
	axes, points := p.axesOf(append([]tir.Expr{index}, at.conds...))
	if points > maxInsidePoints {
		// Conditions on other axes hold somewhere.
		at.conds = slices.DeleteFunc(slices.Clone(at.conds), func(c tir.Expr) bool {
			return !slices.ContainsFunc(axes, func(v *tir.Var) bool { return tir.Uses(c, v) && tir.Uses(index, v) })
		})
		if axes, points = p.axesOf(append([]tir.Expr{index}, at.conds...)); points > maxInsidePoints {
			return nil
		}
	}
	work := points * int64(tir.Nodes(index)+tir.Nodes(at.conds...))
	key := fmt.Sprint(b.Shape[d], index, at.conds)
	if p.looked[key] || p.work+work > maxInsideWork {
		return nil
	}
	p.looked[key], p.work = true, p.work+work
	point := map[tir.Expr]int64{}
	value := func(e tir.Expr) (int64, bool) { v, ok := point[e]; return v, ok }
	fails := func(cond tir.Expr) bool { v, ok := arith.Eval(cond, value); return !ok || v == 0 }
	for k := range points {
		for i := len(axes) - 1; i >= 0; i-- {
			n := p.extent[axes[i]]
			point[axes[i]], k = k%n, k/n
		}
		v, ok := arith.Eval(index, value)
		if !ok || arith.Point(v).Within(all) || slices.ContainsFunc(at.conds, fails) {
			continue
		}
		var where []string
		for _, a := range axes {
			where = append(where, fmt.Sprintf("%s = %d", a.Name, point[a]))
		}
		return p.fail("index %d of %s, %s, is %d where %s, but the dimension runs from 0 to %d: guard it with if_then_else",
			d, b.Name, index, v, strings.Join(where, ", "), b.Shape[d]-1)
	}
	return nil
}

// axesOf returns the axes in the expressions, in a fixed order, and the number of their points.
func (p *parser) axesOf(list []tir.Expr) (axes []*tir.Var, points int64) {
	seen := map[*tir.Var]bool{}
	points = 1
	for _, e := range list {
		tir.VisitExpr(e, func(e tir.Expr) bool {
			if v, ok := e.(*tir.Var); ok && !seen[v] {
				seen[v] = true
				axes = append(axes, v)
				points = min(points*p.extent[v], maxInsidePoints+1)
			}
			return true
		})
	}
	return axes, points
}
