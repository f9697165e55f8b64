package annotate

import (
	"cmp"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A windowAxis is an axis of an image over which a window slides, partly beyond the edges.
type windowAxis struct {
	split      int // of the axis
	rows, taps int64
	hits       []hit // all hold where a step of a row does not multiply padding
}

// A hit is the condition first + row*r + tap*k >= 0 on row r and step k of the window.
type hit struct{ row, tap, first int64 }

// Tiles have one row of an axis if tiles of typicalRows have so many times as many steps as needed, and if another
// axis has enoughRows: 14x14 pixels with a dilation of 2 take 5 % longer with one row.
const (
	typicalRows = 8
	muchPadding = 1.1
	enoughRows  = 2 * enoughAccumulators
)

// apart sets the grain of axes of an image of which each tile should have one row, since much of what their window
// meets is padding. Lowering leaves out a step of the window where all rows of a tile meet padding
// (tir/lower/padding.go). The last axis, of columns, is none of them, nor is the longest.
func (a *Sampler) apart(ops []*compute.Op, op *compute.Op, inner int, group []schedule.Step, grains []int64) {
	if a.Target.Hardware.WarpSize > 0 || !a.suitsMatter() || !isTile(group) {
		return
	}
	list := windowAxes(ops, op, inner, group)
	padding := func(w *windowAxis) float64 { return float64(w.steps(typicalRows)) / float64(max(w.steps(1), 1)) }
	slices.SortStableFunc(list, func(v, w *windowAxis) int { return -cmp.Compare(padding(v), padding(w)) })
	for _, w := range list {
		if padding(w) >= muchPadding && hasRows(group, grains, w.split) {
			grains[w.split] = oneRow
		}
	}
}

// hasRows reports whether an axis other than that of a split, of those of one row and of columns, is long enough for a
// tile.
func hasRows(group []schedule.Step, grains []int64, but int) bool {
	for i, step := range group {
		sp := step.(schedule.Split)
		if len(sp.Lengths) < len(group[0].(schedule.Split).Lengths) || IsColumnSplit(group, i) {
			break
		}
		if i != but && grains[i] != oneRow && sp.Extent >= enoughRows {
			return true
		}
	}
	return false
}

// windowAxes returns the axes along which a factor of a sum is 0 at some places of a window, but for that of columns.
func windowAxes(ops []*compute.Op, op *compute.Op, inner int, group []schedule.Step) []*windowAxis {
	var list []*windowAxis
	note := func(cond tir.Expr) {
		w, space, ok := windowOf(op, cond)
		if !ok {
			return
		}
		pieces := inner
		for i, step := range group {
			sp := step.(schedule.Split)
			if at := sp.Iter - pieces; at < len(op.Axes) && op.Axes[at] == space && !IsColumnSplit(group, i) {
				w.split = i
				k := slices.IndexFunc(list, func(o *windowAxis) bool { return o.split == i && o.taps == w.taps })
				if k < 0 {
					list = append(list, &w)
				} else {
					list[k].hits = append(list[k].hits, w.hits...)
				}
			}
			pieces += len(sp.Lengths)
		}
	}
	for _, body := range op.Body {
		tir.VisitExpr(body, func(e tir.Expr) bool {
			switch e := e.(type) {
			case *tir.Select:
				if tir.IsZero(e.Else) {
					for _, c := range tir.Conjuncts(e.Cond) {
						note(c)
					}
				}
			case *tir.Load:
				for _, c := range zeroBeyond(ops, e) {
					note(c)
				}
			}
			return true
		})
	}
	return list
}

// zeroBeyond returns what must hold for an element of what another stage pads not to be 0.
func zeroBeyond(ops []*compute.Op, l *tir.Load) []tir.Expr {
	i := slices.IndexFunc(ops, func(o *compute.Op) bool { return slices.Contains(o.Results, l.Buffer) })
	if i < 0 || len(ops[i].Body) != 1 || len(ops[i].ReduceAxes) > 0 {
		return nil
	}
	choice, ok := ops[i].Body[0].(*tir.Select)
	if !ok || !tir.IsZero(choice.Else) {
		return nil
	}
	at := map[*tir.Var]tir.Expr{}
	for d, axis := range ops[i].Axes {
		at[axis.Var] = l.Index[d]
	}
	return tir.Conjuncts(tir.Substitute(choice.Cond, at))
}

// windowOf returns the window of a condition on one axis of the result and one of the sum.
func windowOf(op *compute.Op, cond tir.Expr) (w windowAxis, space *compute.Axis, ok bool) {
	b, ok := cond.(*tir.Binary)
	if !ok || tir.Reads(cond) {
		return w, nil, false
	}
	only := func(axes []*compute.Axis) *compute.Axis {
		uses := func(a *compute.Axis) bool { return tir.Uses(cond, a.Var) }
		i := slices.IndexFunc(axes, uses)
		if i < 0 || slices.ContainsFunc(axes[i+1:], uses) {
			return nil
		}
		return axes[i]
	}
	space, window := only(op.Axes), only(op.ReduceAxes)
	if space == nil || window == nil {
		return w, nil, false
	}
	// The condition is over >= 0.
	over := tir.Bin(tir.Sub, b.X, b.Y)
	switch b.Op {
	case tir.GE:
	case tir.LE:
		over = tir.Bin(tir.Sub, b.Y, b.X)
	case tir.GT:
		over = tir.Bin(tir.Sub, over, tir.Int(1))
	case tir.LT:
		over = tir.Bin(tir.Sub, tir.Bin(tir.Sub, b.Y, b.X), tir.Int(1))
	default:
		return w, nil, false
	}
	row, ok1 := arith.Coefficient(over, space.Var)
	tap, ok2 := arith.Coefficient(over, window.Var)
	first, ok3 := arith.Eval(over, func(e tir.Expr) (int64, bool) {
		return 0, e == tir.Expr(space.Var) || e == tir.Expr(window.Var)
	})
	w = windowAxis{rows: space.Extent, taps: window.Extent, hits: []hit{{row, tap, first}}}
	return w, space, ok1 && ok2 && ok3
}

// steps returns how many steps of the window the rows have in all, with tiles of so many rows.
func (w *windowAxis) steps(tile int64) int64 {
	n := int64(0)
	for from := int64(0); from < w.rows; from += tile {
		rows := min(tile, w.rows-from)
		for k := range w.taps {
			for r := range rows {
				if w.meets(from+r, k) {
					n += rows
					break
				}
			}
		}
	}
	return n
}

// meets reports whether a step of a row does not multiply padding.
func (w *windowAxis) meets(row, tap int64) bool {
	for _, h := range w.hits {
		if h.row*row+h.tap*tap+h.first < 0 {
			return false
		}
	}
	return true
}
