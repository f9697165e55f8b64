package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
)

// keepInside changes the fillings of inputs that indices are made of, where the
// indices lie outside of a dimension for some values:
//
//	t[start[b] + i, j], t: [64, 16], i: 8   start 0..63 => 0..56
//	t[int64(idx[i]) - 1], t: [100]          idx   0..99 => 1..100
//
// It is an error if an index lies outside for all the values that it finds. An index
// of which nothing is known, as of one that was a float, and one of a guarded read,
// which may not take place, are left to the guard or to the run of the reference.
func keepInside(d *compute.DAG, fills map[*tir.Buffer]filling) (map[*tir.Buffer]filling, error) {
	from := sources(d)
	before := newReach(d, fills).outside(d, from)
	if len(before) == 0 {
		return fills, nil
	}
	inner := demanded(d, fills, from, before)
	after := newReach(d, inner).outside(d, from)
	for _, x := range after {
		if !x.guarded {
			return nil, x.refusal()
		}
	}
	if len(after) > 0 && !slices.ContainsFunc(before, func(x access) bool { return !x.guarded }) {
		return fills, nil
	}
	return inner, nil
}

// An access is an index that lies outside of its dimension for some values of inputs.
type access struct {
	load    *tir.Load
	dim     int
	guarded bool
	values  arith.Interval
	inputs  []*tir.Buffer // that it is made of
}

func (x access) refusal() error {
	var names []string
	for _, b := range x.inputs {
		names = append(names, b.Name)
	}
	return fmt.Errorf("run: index %d of %s, %s, depends on %s in a way that wmtune cannot choose inputs for: it would "+
		"run from %d to %d, but the dimension from 0 to %d: wrap it in floormod, or in min and max",
		x.dim, x.load.Buffer.Name, x.load.Index[x.dim], strings.Join(names, " and "), x.values.Lo, x.values.Hi,
		x.load.Buffer.Shape[x.dim]-1)
}

// Indices returns the first and the last of the values that inputs may have which indices are made of, by their names.
// Those of others may be any. It is an error if an index may lie outside of its dimension whatever they are.
func Indices(d *compute.DAG) (map[string][2]int64, error) {
	fills, err := fillings(d)
	if err != nil {
		return nil, err
	}
	from, indices := sources(d), map[string][2]int64{}
	for _, op := range d.Ops {
		for _, body := range op.Body {
			for l := range tir.ExprsIn[*tir.Load](body) {
				for _, index := range l.Index {
					for _, b := range madeOf(index, from) {
						if x := fills[b].interval(b.Type); x.Known() {
							indices[b.Name] = [2]int64{x.Lo, x.Hi}
						}
					}
				}
			}
		}
	}
	return indices, nil
}

// sources returns, for each tensor of integers, the inputs that its values are made of.
func sources(d *compute.DAG) map[*tir.Buffer][]*tir.Buffer {
	from := map[*tir.Buffer][]*tir.Buffer{}
	for _, b := range d.Inputs() {
		if b.Type.IsInt() {
			from[b] = []*tir.Buffer{b}
		}
	}
	for _, op := range d.Ops { // producers come before readers
		for i, body := range op.Body {
			if op.Results[i].Type.IsInt() {
				from[op.Results[i]] = madeOf(body, from)
			}
		}
	}
	return from
}

// madeOf returns the inputs that the value of e is made of. Where it is read, which
// indices say, is another question.
func madeOf(e tir.Expr, from map[*tir.Buffer][]*tir.Buffer) (list []*tir.Buffer) {
	tir.VisitExpr(e, func(x tir.Expr) bool {
		l, ok := x.(*tir.Load)
		if !ok {
			return true
		}
		for _, b := range from[l.Buffer] {
			if !slices.Contains(list, b) {
				list = append(list, b)
			}
		}
		return false
	})
	return list
}

// outside returns the indices, of those made of inputs, that may be.
func (r *reach) outside(d *compute.DAG, from map[*tir.Buffer][]*tir.Buffer) (list []access) {
	for _, op := range d.Ops {
		r.enter(op)
		for _, body := range op.Body {
			r.eachLoad(body, false, func(l *tir.Load, guarded bool) {
				for dim, index := range l.Index {
					inputs := madeOf(index, from)
					if len(inputs) == 0 {
						continue
					}
					if x := r.values(index); x.Known() && !x.Within(arith.Between(0, l.Buffer.Shape[dim]-1)) {
						list = append(list, access{l, dim, guarded, x, inputs})
					}
				}
			})
		}
	}
	return list
}

// demands are what is asked of the elements of tensors so that indices lie inside.
type demands struct {
	*reach
	from   map[*tir.Buffer][]*tir.Buffer
	sought []*tir.Buffer // inputs that get other values
	on     map[*tir.Buffer]arith.Interval
}

// demanded returns fillings with new ones for the inputs of indices that lie outside:
// those values that all their readers can do with. An input for which there are none
// keeps its filling.
func demanded(d *compute.DAG, fills map[*tir.Buffer]filling, from map[*tir.Buffer][]*tir.Buffer,
	outside []access) map[*tir.Buffer]filling {
	most := maps.Clone(fills)
	m := demands{from: from, on: map[*tir.Buffer]arith.Interval{}}
	for _, x := range outside {
		for _, b := range x.inputs {
			m.sought = append(m.sought, b)
			most[b] = filling{Low: -farIndex, High: farIndex, Limited: b.Type == tir.I64}
			if b.Type == tir.U64 {
				most[b] = filling{Low: 0, High: farIndex, Limited: true}
			}
		}
	}
	m.reach = newReach(d, most)
	for _, op := range slices.Backward(d.Ops) { // readers first
		m.enter(op)
		for i, body := range op.Body {
			if x, ok := m.on[op.Results[i]]; ok {
				m.ask(body, eachOf(op, i, x))
			}
			m.eachLoad(body, false, func(l *tir.Load, _ bool) {
				for dim, index := range l.Index {
					m.ask(index, arith.Between(0, l.Buffer.Shape[dim]-1))
				}
			})
		}
	}
	inner := maps.Clone(fills)
	for _, b := range m.sought {
		x, asked := m.on[b]
		if x = x.And(most[b].interval(b.Type)); asked && x.Lo <= x.Hi {
			inner[b] = filling{Low: x.Lo, High: x.Hi, Limited: true, Index: true}
		}
	}
	return inner
}

// farIndex is beyond any index, and near enough to calculate with.
const farIndex = 1 << 50

// eachOf returns what is asked of the values that a result of op is made of.
func eachOf(op *compute.Op, i int, x arith.Interval) arith.Interval {
	if op.Combine == nil || op.Combine.Kind != compute.Sum {
		return x
	}
	if from, ok := op.Combine.Identity[i].(*tir.IntImm); ok {
		x = arith.Between(x.Lo-from.Value, x.Hi-from.Value)
	}
	return over(x, terms(op))
}

// over returns the values that are in x when they are multiplied by n.
func over(x arith.Interval, n int64) arith.Interval {
	if n < 0 {
		return over(arith.Between(-x.Hi, -x.Lo), -n)
	}
	return arith.Between(-arith.FloorDiv(-x.Lo, n), arith.FloorDiv(x.Hi, n))
}

// ask says that the value of e should be among those wanted.
func (m *demands) ask(e tir.Expr, want arith.Interval) {
	if m.values(e).Within(want) || !m.isSought(e) {
		return
	}
	switch e := e.(type) {
	case *tir.Load:
		if x, ok := m.on[e.Buffer]; ok {
			want = want.And(x)
		}
		m.on[e.Buffer] = want
	case *tir.Cast:
		m.ask(e.X, want)
	case *tir.Select:
		if taken := m.branches(e, func(x tir.Expr) { m.ask(x, want) }); taken != nil {
			m.ask(taken, want)
		}
	case *tir.Binary:
		m.askOperands(e, want)
	}
}

// isSought reports whether values are sought of which e is made.
func (m *demands) isSought(e tir.Expr) bool {
	return slices.ContainsFunc(madeOf(e, m.from), func(b *tir.Buffer) bool { return slices.Contains(m.sought, b) })
}

// askOperands asks of the operands what makes e be among the values wanted, whatever
// the axes are. If both depend on inputs, either has half of the room.
func (m *demands) askOperands(e *tir.Binary, want arith.Interval) {
	x, y := m.operand(e.X), m.operand(e.Y)
	okX, okY := x.Known(), y.Known()
	half := (want.Hi - want.Lo) / 2
	switch {
	case e.Op == tir.Min || e.Op == tir.Max:
		m.ask(e.X, want)
		m.ask(e.Y, want)
	case e.Op == tir.Add && okY:
		m.ask(e.X, arith.Between(want.Lo-y.Lo, want.Hi-y.Hi))
	case e.Op == tir.Add && okX:
		m.ask(e.Y, arith.Between(want.Lo-x.Lo, want.Hi-x.Hi))
	case e.Op == tir.Add:
		m.ask(e.X, arith.Between(want.Lo, want.Lo+half))
		m.ask(e.Y, arith.Between(0, want.Hi-want.Lo-half))
	case e.Op == tir.Sub && okY:
		m.ask(e.X, arith.Between(want.Lo+y.Hi, want.Hi+y.Lo))
	case e.Op == tir.Sub && okX:
		m.ask(e.Y, arith.Between(x.Hi-want.Hi, x.Lo-want.Lo))
	case e.Op == tir.Sub:
		m.ask(e.X, arith.Between(want.Lo+half, want.Hi))
		m.ask(e.Y, arith.Between(0, half))
	case e.Op == tir.Mul && okY && y.IsPoint() && y.Lo != 0:
		m.ask(e.X, over(want, y.Lo))
	case e.Op == tir.Mul && okX && x.IsPoint() && x.Lo != 0:
		m.ask(e.Y, over(want, x.Lo))
	case (e.Op == tir.Div || e.Op == tir.FloorDiv) && okY && y.IsPoint() && y.Lo > 0:
		m.ask(e.X, arith.Between(want.Lo*y.Lo, want.Hi*y.Lo+y.Lo-1))
	case e.Op == tir.FloorMod && okY && y.Lo > 0: // it is what is left of those below
		m.ask(e.X, want.And(arith.Between(0, y.Lo-1)))
	}
}

// operand returns the values of an operand, if none are sought that it is made of.
func (m *demands) operand(e tir.Expr) arith.Interval {
	if m.isSought(e) {
		return arith.Anything
	}
	return m.values(e)
}
