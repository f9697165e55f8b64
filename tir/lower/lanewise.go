package lower

import (
	"math"
	"math/bits"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// lanewise spreads a reduction along neighbours in memory over the lanes of
// vectors:
//
//	for k in 100:                         alloc T: float32[32] local
//	  C[i] = C[i] + A[i, k]               vectorize l in 32:
//	                                        T[l] = -0
//	                              =>      for k in 3:
//	                                        vectorize l in 32:
//	                                          T[l] = T[l] + A[i, k*32 + l]
//	                                      vectorize l in 16:
//	                                        T[l] = T[l] + T[l + 16]
//	                                      ... 8, 4
//	                                      vectorize l in 4:
//	                                        T[l] = T[l] + A[i, l + 96]
//	                                      ... 2, 1
//	                                      C[i] = C[i] + T[0]
//
// The sum of floats is that of other partial sums, as after a schedule's rfactor;
// the largest and the smallest of numbers are the same. Several vectors at once,
// if the extent allows, hide the latency of the addition.
//
// The loop may be one of several that run over the reduction. Then what is left of less than a vector is one part, with
// a mask, in place of several, of which each goes through the other loops. The loop may be around loops over elements
// of C, which then have partial sums of their own. It stays as it is if the body is
// not one store, if an operand is not at neighbours (or at one element) along
// the loop, if the loop's variable stands anywhere but in indices, if the partial
// sums do not fit the registers, or if it is inside a vector loop.
func lanewise(f *tir.Func, cfg Config) (*tir.Func, error) {
	return eachBody(f, laneSpreader{cfg.Target.Hardware}.stmt), nil
}

type laneSpreader struct{ target.Hardware }

func (h laneSpreader) stmt(s tir.Stmt) tir.Stmt {
	f, ok := s.(*tir.For)
	if ok && f.Kind == tir.Vectorized {
		return s
	}
	if ok {
		if r, ok := h.reductionOf(f); ok {
			return r.spread()
		}
		if t, ok := h.dots(f); ok {
			return t
		}
	}
	return tir.MapChildren(s, h.stmt)
}

// A reduction is a nest of loops around one store that adds to, or takes the
// extreme of, elements of C, and the loop of it that becomes vectors.
type reduction struct {
	loops []*tir.For // outermost first
	at    int        // index of the loop along neighbours
	store *tir.Store
	op    tir.BinOp
	value tir.Expr // what is added
	lanes int64    // of all vectors of one iteration
	mask  int64    // what is left of less than so many lanes, of one vector, is one part; 0: halves and quarters
	temp  *tir.Buffer
	index []tir.Expr    // of temp, but for the lane
	first *firstLargest // if not nil, the body is a step of it, store and value are those of values
}

// reductionOf returns the reduction whose outermost loop is f.
func (h laneSpreader) reductionOf(f *tir.For) (*reduction, bool) {
	r := &reduction{}
	if !r.nest(f, false) || r.first == nil && !r.accumulates() || r.isElement(f) {
		return nil, false
	}
	for r.at = len(r.loops) - 1; r.at >= 0; r.at-- {
		if !r.isElement(r.loops[r.at]) && r.neighbours(r.loops[r.at].Var) {
			return r, r.fit(h.Hardware)
		}
	}
	return nil, false
}

// nest collects the loops around the only store, which may be vectors.
func (r *reduction) nest(s tir.Stmt, vectors bool) bool {
	switch s := s.(type) {
	case *tir.For:
		if s.Kind != tir.Serial && s.Kind != tir.Unrolled && !(vectors && s.Kind == tir.Vectorized) {
			return false
		}
		r.loops = append(r.loops, s)
		return r.nest(s.Body, vectors)
	case *tir.Block:
		return r.nest(s.Body, vectors)
	case *tir.Pragma:
		return r.nest(s.Body, vectors)
	case *tir.Store:
		r.store = s
		return true
	case *tir.Alloc:
		if r.first = firstLargestOf(s); r.first != nil && !vectors {
			r.store, r.value = &tir.Store{Buffer: r.first.to[1].buffer, Index: r.first.to[1].index}, r.first.from[1]
			return true
		}
	}
	return false
}

// neutral elements, of floats.
var neutral = map[tir.BinOp]float64{tir.Add: math.Copysign(0, -1), tir.Max: math.Inf(-1), tir.Min: math.Inf(1)}

// accumulates reports whether the store is C = C op value, and value does not
// read C.
func (r *reduction) accumulates() bool {
	b, ok := r.store.Value.(*tir.Binary)
	if !ok || r.store.Buffer.Type != tir.F32 && r.store.Buffer.Type != tir.F64 {
		return false
	}
	if _, ok := neutral[b.Op]; !ok {
		return false
	}
	r.op, r.value = b.Op, b.Y
	if !tir.IsStored(b.X, r.store) {
		r.value = b.X
		if !tir.IsStored(b.Y, r.store) {
			return false
		}
	}
	return !tir.ReadsBuffer(r.value, r.store.Buffer)
}

// isElement reports whether a loop runs over elements of C.
func (r *reduction) isElement(l *tir.For) bool {
	return slices.ContainsFunc(r.store.Index, func(e tir.Expr) bool { return tir.Uses(e, l.Var) })
}

// neighbours reports whether each operand is at one element for all values of v,
// or at neighbours, and some are at neighbours.
func (r *reduction) neighbours(v *tir.Var) bool {
	some, all := false, true
	tir.VisitExpr(r.value, func(e tir.Expr) bool {
		l, ok := e.(*tir.Load)
		if !ok {
			all = all && e != tir.Expr(v)
			return all
		}
		step, affine := stepAlong(l, v)
		some = some || step == 1
		all = all && affine && (step == 0 || step == 1)
		return false
	})
	return some && all
}

// maxVectors is how many vectors hold the partial sums of one element: enough for the latency of an addition, few
// enough that their own sum is short. There are fewer if they would add once and leave much.
const maxVectors = 4

// fit chooses how many lanes there are. It reports false if the loop is too
// short for a vector, or if its extent or that of a loop over elements is not
// known.
func (r *reduction) fit(h target.Hardware) bool {
	extent, ok := r.loops[r.at].Extent.(*tir.IntImm)
	if !ok {
		return false
	}
	r.temp = &tir.Buffer{Name: r.store.Buffer.Name + ".lanes", Type: r.store.Buffer.Type, Scope: tir.Local}
	elements, alone := int64(1), true // whether no other loop runs over the reduction: each part repeats it
	for i, l := range r.loops {
		n, ok := l.Extent.(*tir.IntImm)
		if !r.isElement(l) {
			alone = alone && i == r.at
			if uses := slices.ContainsFunc(r.loops[:i], func(o *tir.For) bool { return tir.Uses(l.Extent, o.Var) }); uses {
				return false
			}
			continue
		}
		if !ok || n.Value < 1 {
			return false
		}
		elements *= n.Value
		r.temp.Shape = append(r.temp.Shape, n.Value)
		r.index = append(r.index, l.Var)
	}
	width := h.Lanes(r.bytes())
	if r.first != nil && !r.first.fits(r) {
		return false
	}
	parts := bits.OnesCount64(uint64(extent.Value % width))
	if parts > 1 && !alone && r.first == nil && h.VectorBytes >= maskBytes && !tir.HasExpr(r.value, hasOwnMask) {
		r.mask = width
	}
	room := max(h.VectorRegisters-4, 4) // some are for operands
	n := int64(maxVectors)
	if c, ok := r.value.(*tir.Cast); ok && c.Term {
		if alone && extent.Value <= maxTerms*n*width { // partial sums of so few terms are not wide
			r.value, r.temp.Type = c.X, c.X.DType()
		} else {
			n = 1 // terms are added in a tree, which hides the latency
		}
	}
	for ; n > 0; n /= 2 {
		lanes := n * width
		pays := alone && extent.Value >= 2*lanes || extent.Value >= lanes && extent.Value%lanes < width
		if width > 1 && pays && elements*n <= int64(room) {
			return r.has(lanes)
		}
	}
	for lanes := width / 2; lanes >= minPart && extent.Value < width && elements <= int64(room); lanes /= 2 {
		if extent.Value >= lanes && r.steps() >= partSteps*lanes {
			if r.mask > 0 && extent.Value > lanes && extent.Value < 2*lanes {
				lanes *= 2
			}
			return r.has(lanes)
		}
	}
	return false
}

// hasOwnMask reports whether an expression chooses by a condition, which would be another mask, or is the term of an
// instruction.
func hasOwnMask(e tir.Expr) bool {
	_, choice := e.(*tir.Select)
	c, cast := e.(*tir.Cast)
	return choice || cast && c.Term
}

// maskBytes is from which size on vectors have masks: smaller ones are read element by element.
const maskBytes = 32

// A loop shorter than a vector becomes a part of one, of minPart lanes at least, if the whole sum has partSteps such
// parts: to add up lanes takes as long as some of them.
const (
	minPart   = 4
	partSteps = 8
)

// bytes is the size of what a lane holds.
func (r *reduction) bytes() int {
	if r.first != nil {
		return r.first.bytes(r)
	}
	return termBytes(r.store)
}

func (r *reduction) has(lanes int64) bool {
	r.lanes, r.mask = lanes, min(r.mask, lanes)
	r.temp.Shape = append(r.temp.Shape, lanes)
	return true
}

// steps returns how many steps the nest has for each sum, as far as is known.
func (r *reduction) steps() int64 {
	n := int64(1)
	for _, l := range r.loops {
		if x, ok := l.Extent.(*tir.IntImm); ok && !r.isElement(l) {
			n *= x.Value
		}
	}
	return n
}

// spread returns what takes the place of the nest.
func (r *reduction) spread() tir.Stmt {
	t := r.temp
	if r.first != nil {
		r.first.allocate(r)
	}
	init := r.vector(r.lanes, func(l tir.Expr) tir.Stmt {
		if r.first != nil {
			return r.first.start(r.lane(l))
		}
		return &tir.Store{Buffer: t, Index: r.lane(l), Value: tir.Float(t.Type, neutral[r.op])}
	})
	extent := r.loops[r.at].Extent.(*tir.IntImm).Value
	left := extent % r.lanes
	list := []tir.Stmt{r.elements(init)}
	if extent >= r.lanes {
		list = append(list, r.part(0, extent/r.lanes, r.lanes))
	}
	for half := r.lanes / 2; half > 0; half /= 2 {
		if left > 0 && 2*half <= r.mask {
			list = append(list, r.masked(extent-left, left))
			left = 0
		}
		list = append(list, r.elements(r.halved(half)))
		if left >= half { // the partial sums that are left now fill a vector of this length
			list = append(list, r.part(extent-left, 1, half))
			left -= half
		}
	}
	if r.first != nil {
		return r.first.inTemporaries(tir.Sequence(append(list, r.elements(r.first.last(r.lane(tir.Int(0)))))...))
	}
	own := &tir.Load{Buffer: r.store.Buffer, Index: r.store.Index}
	list = append(list, r.elements(&tir.Store{Buffer: r.store.Buffer, Index: r.store.Index,
		Value: tir.Bin(r.op, own, inType(&tir.Load{Buffer: t, Index: r.lane(tir.Int(0))}, own.DType()))}))
	return &tir.Alloc{Buffer: t, Body: tir.Sequence(list...)}
}

// halved adds the upper half of lanes to the lower half, of so many lanes.
func (r *reduction) halved(half int64) tir.Stmt {
	other := func(l tir.Expr) []tir.Expr { return r.lane(tir.Bin(tir.Add, l, tir.Int(half))) }
	if r.first != nil {
		return r.first.vector(half, r.lane, func(l tir.Expr) []tir.Expr { return r.first.loads(other(l)) })
	}
	return r.vector(half, func(l tir.Expr) tir.Stmt {
		own, upper := &tir.Load{Buffer: r.temp, Index: r.lane(l)}, &tir.Load{Buffer: r.temp, Index: other(l)}
		return &tir.Store{Buffer: r.temp, Index: r.lane(l), Value: tir.Bin(r.op, own, upper)}
	})
}

// lane is the index of a partial sum.
func (r *reduction) lane(l tir.Expr) []tir.Expr {
	return append(slices.Clone(r.index), l)
}

func (r *reduction) vector(n int64, body func(l tir.Expr) tir.Stmt) tir.Stmt {
	l := tir.NewVar("l")
	return &tir.For{Var: l, Extent: tir.Int(n), Kind: tir.Vectorized, Body: body(l)}
}

// elements puts loops over the elements of C around s.
func (r *reduction) elements(s tir.Stmt) tir.Stmt {
	for _, l := range slices.Backward(r.loops) {
		if r.isElement(l) {
			s = &tir.For{Var: l.Var, Extent: l.Extent, Kind: l.Kind, Body: s}
		}
	}
	return tir.FreshLoops(s)
}

// masked is the nest over what is left of less than a vector, in which the other lanes add nothing.
func (r *reduction) masked(from, left int64) tir.Stmt {
	other := *r
	all := tir.NewVar(r.loops[r.at].Var.Name)
	at := map[*tir.Var]tir.Expr{r.loops[r.at].Var: all}
	nothing := tir.Float(r.value.DType(), neutral[r.op])
	other.value = tir.IfThenElse(tir.Bin(tir.LT, all, tir.Int(from+left)), tir.Substitute(r.value, at), nothing)
	other.loops = slices.Clone(r.loops)
	k := *r.loops[r.at]
	k.Var = all
	other.loops[r.at] = &k
	return other.part(from, 1, r.mask)
}

// part is the nest over n times so many lanes, from an element of the loop along neighbours on.
func (r *reduction) part(from, n, lanes int64) tir.Stmt {
	k := r.loops[r.at]
	place := func(l tir.Expr) map[*tir.Var]tir.Expr {
		at := l
		if n > 1 {
			at = tir.Bin(tir.Add, tir.Bin(tir.Mul, k.Var, tir.Int(lanes)), l)
		}
		if from > 0 {
			at = tir.Bin(tir.Add, at, tir.Int(from))
		}
		return map[*tir.Var]tir.Expr{k.Var: at}
	}
	var s tir.Stmt
	if r.first != nil {
		s = r.first.vector(lanes, r.lane, func(l tir.Expr) []tir.Expr { return substituteAll(r.first.from[:], place(l)) })
	} else {
		s = r.vector(lanes, func(l tir.Expr) tir.Stmt {
			own := &tir.Load{Buffer: r.temp, Index: r.lane(l)}
			value := tir.Substitute(r.value, place(l))
			return &tir.Store{Buffer: r.temp, Index: r.lane(l), Value: tir.Bin(r.op, own, value)}
		})
	}
	for i, l := range slices.Backward(r.loops) {
		c := *l
		c.Body = s
		if i == r.at {
			c.Extent = tir.Int(n)
		}
		if i != r.at || n > 1 {
			s = &c
		}
	}
	return tir.FreshLoops(s)
}
