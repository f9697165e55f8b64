package lower

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
)

// A firstLargest is a step of a reduction to the first largest element, as statements:
//
//	next0 = select(c, P[i], k)
//	next1 = select(c, V[i], x[i, k])
//	P[i] = next0
//	V[i] = next1
//
// Its lanes hold pairs (see lanewise). The order of pairs does not matter: equals are told apart by their places.
// Places have 32 bits in lanes if they fit, so that a vector has as many of them as of float32.
type firstLargest struct {
	to    [2]element  // place and value
	from  [2]tir.Expr // the pair that is compared with them
	fold  func(t tir.DType) *compute.Combiner
	lanes [2]*tir.Buffer
}

// firstLargestOf returns the step that s is, or nil.
func firstLargestOf(s *tir.Alloc) *firstLargest {
	var next [2]*tir.Buffer
	var body tir.Stmt = s
	for d := range next {
		a, ok := body.(*tir.Alloc)
		if !ok {
			return nil
		}
		next[d], body = a.Buffer, a.Body
	}
	list, ok := body.(*tir.Seq)
	if !ok || len(list.Stmts) != 4 {
		return nil
	}
	var stores [4]*tir.Store
	for i, t := range list.Stmts {
		if stores[i], ok = t.(*tir.Store); !ok {
			return nil
		}
	}
	p := &firstLargest{}
	for d := range next {
		choice, ok := stores[d].Value.(*tir.Select)
		to := stores[d+2]
		kept := &tir.Store{Buffer: next[d], Index: stores[d].Index}
		if !ok || stores[d].Buffer != next[d] || !tir.IsStored(to.Value, kept) || !tir.IsStored(choice.Then, to) {
			return nil
		}
		p.to[d], p.from[d] = element{to.Buffer, to.Index}, choice.Else
	}
	return p.checked(stores[0].Value.(*tir.Select).Cond, stores[1].Value.(*tir.Select).Cond)
}

// checked returns p if both conditions are those of the first largest, of operands that do not read the result.
func (p *firstLargest) checked(conds ...tir.Expr) *firstLargest {
	value := p.to[1].buffer.Type
	if p.to[0].buffer.Type != tir.I64 || p.from[0].DType() != tir.I64 || p.from[1].DType() != value ||
		value == tir.Bool || tir.Reads(p.from[0]) || slices.ContainsFunc(p.from[:], func(e tir.Expr) bool {
		return tir.ReadsBuffer(e, p.to[0].buffer) || tir.ReadsBuffer(e, p.to[1].buffer)
	}) {
		return nil
	}
	p.fold = func(place tir.DType) *compute.Combiner {
		pair := func(name string) []*tir.Var {
			return []*tir.Var{{Name: name, Type: place}, {Name: name, Type: value}}
		}
		return compute.NewFirstLargest(pair("x"), pair("y"))
	}
	want := p.folded(tir.I64, []tir.Expr{p.to[0].load(), p.to[1].load()}, p.from[:])[0].(*tir.Select).Cond
	if slices.ContainsFunc(conds, func(e tir.Expr) bool { return !tir.EqualExpr(e, want) }) {
		return nil
	}
	return p
}

// folded returns the pair that comes of two pairs.
func (p *firstLargest) folded(place tir.DType, x, y []tir.Expr) []tir.Expr {
	c := p.fold(place)
	at := map[*tir.Var]tir.Expr{}
	for d := range x {
		at[c.Acc[d]], at[c.Src[d]] = x[d], y[d]
	}
	return substituteAll(c.Fold(), at)
}

// fits reports whether the reduction has no element but one, and loops of known lengths.
func (p *firstLargest) fits(r *reduction) bool {
	return !slices.ContainsFunc(r.loops, func(l *tir.For) bool { return r.isElement(l) || !runs(l) })
}

// place is the type of places in lanes.
func (p *firstLargest) place(r *reduction) tir.DType {
	s := arith.NewSimplifier()
	for _, l := range r.loops {
		if n, ok := l.Extent.(*tir.IntImm); ok {
			s.Bind(l.Var, 0, n.Value-1)
		}
	}
	if lo, hi, ok := s.Bounds(p.from[0]); ok && lo >= 0 && hi < math.MaxInt32 {
		return tir.I32
	}
	return tir.I64
}

// bytes is the size of the larger one of a place and a value.
func (p *firstLargest) bytes(r *reduction) int {
	return max(p.place(r).Bytes(), p.to[1].buffer.Type.RegisterBytes())
}

// allocate makes the buffers of lanes. Temp of the reduction, which has their shape, is that of values.
func (p *firstLargest) allocate(r *reduction) {
	places := *r.temp
	places.Name, places.Type = p.to[0].buffer.Name+".lanes", p.place(r)
	p.lanes = [2]*tir.Buffer{&places, r.temp}
}

func (p *firstLargest) inTemporaries(s tir.Stmt) tir.Stmt {
	return &tir.Alloc{Buffer: p.lanes[0], Body: &tir.Alloc{Buffer: p.lanes[1], Body: s}}
}

// start sets a lane to what loses to every pair: each lane gets one.
func (p *firstLargest) start(lane []tir.Expr) tir.Stmt {
	place, value := p.lanes[0].Type, p.lanes[1].Type
	_, most, _ := place.IntRange()
	least := compute.NewCombiner(compute.MaxOf, value).Start()[0]
	return tir.Sequence(&tir.Store{Buffer: p.lanes[0], Index: lane, Value: &tir.IntImm{Value: most, Type: place}},
		&tir.Store{Buffer: p.lanes[1], Index: lane, Value: least})
}

// loads reads a pair of a lane.
func (p *firstLargest) loads(lane []tir.Expr) []tir.Expr {
	return []tir.Expr{&tir.Load{Buffer: p.lanes[0], Index: lane}, &tir.Load{Buffer: p.lanes[1], Index: lane}}
}

// vector compares the pairs of so many lanes with others.
func (p *firstLargest) vector(n int64, lane func(tir.Expr) []tir.Expr, from func(tir.Expr) []tir.Expr) tir.Stmt {
	l := tir.NewVar("l")
	to := []element{{p.lanes[0], lane(l)}, {p.lanes[1], lane(l)}}
	other := from(l)
	other[0] = inType(other[0], p.lanes[0].Type)
	return p.step(to, other, []int64{n}, []tir.Expr{l}, func(s tir.Stmt) tir.Stmt {
		return &tir.For{Var: l, Extent: tir.Int(n), Kind: tir.Vectorized, Body: s}
	})
}

// last compares the result with the pair of a lane.
func (p *firstLargest) last(lane []tir.Expr) tir.Stmt {
	other := p.loads(lane)
	other[0] = inType(other[0], tir.I64)
	return p.step(p.to[:], other, nil, nil, func(s tir.Stmt) tir.Stmt { return s })
}

// step is to = fold(to, from). Both numbers of a pair are found before one is stored, in buffers of a shape around the
// loops.
func (p *firstLargest) step(
	to []element, from []tir.Expr, shape []int64, index []tir.Expr, loops func(tir.Stmt) tir.Stmt,
) tir.Stmt {
	folded := p.folded(to[0].buffer.Type, []tir.Expr{to[0].load(), to[1].load()}, from)
	var find, keep []tir.Stmt
	var next []*tir.Buffer
	for d, t := range to {
		b := &tir.Buffer{Name: t.buffer.Name + ".next", Type: t.buffer.Type, Scope: tir.Local, Shape: shape}
		n := element{b, index}
		next = append(next, b)
		find, keep = append(find, n.store(folded[d])), append(keep, t.store(n.load()))
	}
	s := loops(tir.Sequence(append(find, keep...)...))
	for _, b := range slices.Backward(next) {
		s = &tir.Alloc{Buffer: b, Body: s}
	}
	return s
}
