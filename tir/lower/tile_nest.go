package lower

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// A nestOfTile is loops that an instruction of tiles may carry out: over groups of steps of a sum, over rows, over the
// lanes of a vector, and over the steps of a group. Where there is one group, or one row, there may be no loop over it.
type nestOfTile struct {
	groups, rows, cols, steps *tir.For
	store                     *tir.Store
	x, y                      tir.Factor
	swapped                   bool // y stands first
}

// tileNest returns the nest whose outermost loop is l, nil if there is none.
func tileNest(l *tir.For) *nestOfTile {
	once := func(name string, l *tir.For) *tir.For {
		return &tir.For{Var: tir.NewVar(name), Extent: tir.Int(1), Body: l}
	}
	if l.Kind == tir.Vectorized {
		l = once("i", l)
	}
	if inner, ok := l.Body.(*tir.For); ok && inner.Kind == tir.Vectorized {
		l = once("k", l)
	}
	n := &nestOfTile{groups: l}
	ok := l.Kind == tir.Serial
	for _, inner := range []**tir.For{&n.rows, &n.cols, &n.steps} {
		if !ok {
			return nil
		}
		*inner, ok = l.Body.(*tir.For)
		l = *inner
	}
	if !ok || n.rows.Kind != tir.Serial || n.cols.Kind != tir.Vectorized ||
		n.steps.Kind != tir.Tensorized || n.steps.Instruction != nil {
		return nil
	}
	if n.store = tir.Accumulated(n.steps, true); n.store == nil {
		return nil
	}
	if n.x, n.y, ok = tir.Factors(n.store.Value.(*tir.Binary).Y); !ok || n.x.Cond != nil || n.y.Cond != nil ||
		n.x.Mask != 0 || n.y.Mask != 0 {
		return nil
	}
	if tir.Uses(n.x.Load, n.cols.Var) {
		n.x, n.y, n.swapped = n.y, n.x, true
	}
	return n
}

// suits reports whether an instruction can carry out the nest, and is worth it. The first operand moves with rows and
// steps, and groups of them lie side by side. The second one lies as the instruction reads it, and is there for the
// last group even if that has fewer steps. Sums of neighbouring columns are neighbours.
func (n *nestOfTile) suits(i *tir.Instruction) bool {
	if !i.IsTile() || n.x.Buffer.Type != i.A || n.y.Buffer.Type != i.B || n.store.Buffer.Type != i.C {
		return false
	}
	full := int64(1)
	limits := map[*tir.For]int64{n.groups: i.Depth / i.Group(), n.rows: i.Rows, n.cols: i.Cols, n.steps: i.Group()}
	for l, most := range limits {
		e, ok := l.Extent.(*tir.IntImm)
		if !ok || e.Value > most || l == n.steps && e.Value != most {
			return false
		}
		full *= e.Value
	}
	if !i.IsWorth(full) {
		return false
	}
	last := len(n.y.Index) - 1
	one := tir.EqualExpr(n.groups.Extent, tir.Int(1))
	return n.moves(n.x.Load, n.steps, 1) && (one || n.moves(n.x.Load, n.groups, i.Group())) &&
		n.moves(n.x.Load, n.cols, 0) &&
		n.moves(n.x.Load, n.rows, anyStride) && n.moves(n.y.Load, n.rows, 0) && n.moves(n.y.Load, n.groups, anyStride) &&
		n.moves(n.y.Load, n.cols, i.Group()) && last >= 0 && n.y.Index[last] == tir.Expr(n.steps.Var) &&
		n.y.Buffer.Shape[last] == i.Group() && n.moves(n.y.Load, n.steps, 1) &&
		n.movesStore(n.rows, anyStride) && n.movesStore(n.cols, 1) && n.movesStore(n.groups, 0) && n.movesStore(n.steps, 0)
}

// anyStride stands for any number of elements.
const anyStride = -1

// moves reports whether an element moves on by so many others from one iteration of a loop to the next.
func (n *nestOfTile) moves(e *tir.Load, l *tir.For, by int64) bool {
	stride, ok := arith.Stride(e.Buffer, e.Index, l.Var)
	return ok && (stride == by || by == anyStride && stride >= 0)
}

func (n *nestOfTile) movesStore(l *tir.For, by int64) bool {
	return n.moves(&tir.Load{Buffer: n.store.Buffer, Index: n.store.Index}, l, by)
}

// by returns the nest with an instruction that carries it out, whose first operand stands first.
func (n *nestOfTile) by(i *tir.Instruction) tir.Stmt {
	body := n.steps.Body
	if n.swapped {
		body = tir.MapStmt(body, func(s tir.Stmt) tir.Stmt {
			st, ok := s.(*tir.Store)
			if !ok {
				return s
			}
			sum := st.Value.(*tir.Binary)
			product := sum.Y.(*tir.Binary)
			value := tir.Bin(tir.Add, sum.X, tir.Bin(tir.Mul, product.Y, product.X))
			return &tir.Store{Buffer: st.Buffer, Index: st.Index, Value: value}
		}, nil)
	}
	for _, l := range []*tir.For{n.steps, n.cols, n.rows, n.groups} {
		c := *l
		c.Body, c.Instruction = body, i
		if c.Kind == tir.Serial {
			c.Kind = tir.Tensorized
		}
		body = &c
	}
	return body
}
