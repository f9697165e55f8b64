package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/target"
)

// widen makes vectors of a loop that the schedule left scalar, where its
// iterations are independent and go along neighbours in memory. The vector loop
// sinks to the stores, past loops inside, so that a reduction accumulates
// vectors:
//
//	parallel c in 1280:                    parallel c in 40:
//	  alloc sum: float32[1] local            alloc sum: float32[1, 32] local
//	    sum[0] = 0                             vectorize l in 32:
//	    for k in 49:                             sum[0, l] = 0
//	      sum[0] = sum[0] + x[k, c]      =>    for k in 49:
//	    avg[c] = sum[0]*0.02                     vectorize l in 32:
//	                                               sum[0, l] = sum[0, l] + x[k, c*32 + l]
//	                                           vectorize l in 32:
//	                                             avg[c*32 + l] = sum[0, l]*0.02
//
// What does not fill a vector fills half or a quarter of one, if it can, and else
// remains a serial loop. A loop stays as it is if it has vector or parallel
// loops inside, if conditions or lengths of loops inside depend on it or on
// memory, if an access is not at neighbours (or, for reads, at one element)
// along it, if its variable stands anywhere but in indices and comparisons with
// a whole number of vectors, as where tensors are one behind the other (what
// whole vectors leave of such a loop stays), if two iterations may reach one
// element of what is stored, if temporaries would get large, or if too few
// iterations of a parallel loop were left.
func widen(f *tir.Func, cfg Config) (*tir.Func, error) {
	return eachBody(f, widener{cfg.Target.Hardware}.stmt), nil
}

type widener struct{ target.Hardware }

func (h widener) stmt(s tir.Stmt) tir.Stmt {
	f, ok := s.(*tir.For)
	if ok && f.Kind == tir.Vectorized {
		return s
	}
	if ok {
		if w, ok := h.wideLoop(f); ok {
			return w.stmt(h)
		}
		if t, ok := h.inDigits(f); ok {
			return t
		}
	}
	return tir.MapChildren(s, h.stmt)
}

// A wideLoop is a loop to be widened and what was found in it.
type wideLoop struct {
	loop   *tir.For
	extent int64
	lanes  int64
	inner  []*tir.For
	stored map[*tir.Buffer][]tir.Expr // to the index
	loads  []*tir.Load
	bounds []int64                     // that the variable is compared with
	local  map[*tir.Buffer]*tir.Buffer // allocated inside, to the wider one
	unfit  bool
}

func (h widener) wideLoop(f *tir.For) (*wideLoop, bool) {
	extent, ok := f.Extent.(*tir.IntImm)
	if !ok || f.Kind != tir.Serial && f.Kind != tir.Unrolled && f.Kind != tir.Parallel {
		return nil, false
	}
	w := &wideLoop{loop: f, extent: extent.Value, stored: map[*tir.Buffer][]tir.Expr{},
		local: map[*tir.Buffer]*tir.Buffer{}}
	w.visit(f.Body)
	if w.unfit || len(w.stored) == 0 || !w.independent() {
		return nil, false
	}
	return w, w.fit(h.Hardware)
}

// visit collects what is in the loop.
func (w *wideLoop) visit(s tir.Stmt) {
	switch s := s.(type) {
	case *tir.For:
		w.unfit = w.unfit || s.Kind != tir.Serial && s.Kind != tir.Unrolled
		w.inner = append(w.inner, s)
		w.uniform(s.Extent)
		w.visit(s.Body)
	case *tir.Store:
		w.expr(s.Value)
		w.store(s)
	case *tir.If:
		w.uniform(s.Cond)
		w.visit(s.Then)
		if s.Else != nil {
			w.visit(s.Else)
		}
	case *tir.Seq:
		for _, t := range s.Stmts {
			w.visit(t)
		}
	case *tir.Alloc:
		w.unfit = w.unfit || s.Buffer.Strides != nil
		w.local[s.Buffer] = nil
		w.visit(s.Body)
	case *tir.Block:
		w.visit(s.Body)
	case *tir.Pragma:
		w.visit(s.Body)
	default:
		w.unfit = true
	}
}

// uniform is for what stays outside of the vector loops.
func (w *wideLoop) uniform(e tir.Expr) {
	w.unfit = w.unfit || tir.Uses(e, w.loop.Var) || tir.Reads(e)
}

// expr notes the reads of an expression, in which the loop's variable must stand
// in indices only, or in conditions of a choice.
func (w *wideLoop) expr(e tir.Expr) {
	tir.VisitExpr(e, func(e tir.Expr) bool {
		if l, ok := e.(*tir.Load); ok {
			w.loads = append(w.loads, l)
			step, ok := w.step(l.Buffer, l.Index)
			w.unfit = w.unfit || !ok || step != 0 && step != 1
			return false
		}
		if c, ok := bound(e, w.loop.Var); ok {
			w.bounds = append(w.bounds, c)
			return false
		}
		if c, ok := e.(*tir.Select); ok && !c.Lazy {
			if other, ok := w.compared(c.Cond); ok {
				w.expr(other)
				w.expr(c.Then)
				w.expr(c.Else)
				return false
			}
		}
		w.unfit = w.unfit || e == tir.Expr(w.loop.Var)
		return !w.unfit
	})
}

// compared returns with what e compares the variable, of which the lanes have a vector.
func (w *wideLoop) compared(e tir.Expr) (other tir.Expr, ok bool) {
	b, ok := e.(*tir.Binary)
	if _, bounded := bound(e, w.loop.Var); !ok || bounded || !b.Op.IsCompare() {
		return nil, false
	}
	switch tir.Expr(w.loop.Var) {
	case b.X:
		return b.Y, true
	case b.Y:
		return b.X, true
	}
	return nil, false
}

// bound returns the constant c of e, if e is index < c or index >= c.
func bound(e, index tir.Expr) (int64, bool) {
	b, ok := e.(*tir.Binary)
	if !ok || b.Op != tir.LT && b.Op != tir.GE || !tir.EqualExpr(b.X, index) {
		return 0, false
	}
	c, ok := b.Y.(*tir.IntImm)
	if !ok {
		return 0, false
	}
	return c.Value, true
}

func (w *wideLoop) store(s *tir.Store) {
	step, ok := w.step(s.Buffer, s.Index)
	if _, local := w.local[s.Buffer]; local {
		return
	}
	first, found := w.stored[s.Buffer]
	w.unfit = w.unfit || !ok || step != 1 || found && !slices.EqualFunc(first, s.Index, tir.EqualExpr)
	w.stored[s.Buffer] = s.Index
}

// step returns how many elements lie between the places of an access in one
// iteration and the next: 0 for what is allocated inside. Indices must not look
// up other buffers.
func (w *wideLoop) step(b *tir.Buffer, index []tir.Expr) (step int64, ok bool) {
	_, local := w.local[b]
	for d, stride := range b.ElemStrides() {
		k, affine := arith.Coefficient(index[d], w.loop.Var)
		if !affine || local && k != 0 || tir.Reads(index[d]) {
			return 0, false
		}
		step += k * stride
	}
	return step, true
}

// independent reports whether no two iterations are at one element of what is
// stored: it is reached by one index, which is another one in each iteration of
// the loop and those inside.
func (w *wideLoop) independent() bool {
	for _, l := range w.loads {
		if index, ok := w.stored[l.Buffer]; ok && !slices.EqualFunc(index, l.Index, tir.EqualExpr) {
			return false
		}
	}
	for b, index := range w.stored {
		t := registerTile{buffer: b, index: index, loops: []*tir.For{w.loop}}
		for _, l := range w.inner {
			if !slices.ContainsFunc(index, func(e tir.Expr) bool { return tir.Uses(e, l.Var) }) {
				continue
			}
			if _, ok := l.Extent.(*tir.IntImm); !ok {
				return false
			}
			t.loops = append(t.loops, l)
		}
		if !t.distinct() {
			return false
		}
	}
	return true
}

// manyVectors is how many times the lanes of several vectors a loop has at least to leave more than a vector over.
const manyVectors = 16

// maxWideBytes is how large the temporaries of a widened loop may get: they stay on the stack.
const maxWideBytes = 32 << 10

// narrowest is how many bytes a vector has at least.
const narrowest = 16

// fit chooses how many lanes there are: several vectors, if possible, whose
// operations hide each other's latency; or half or a quarter of a vector.
func (w *wideLoop) fit(h target.Hardware) bool {
	bytes := termBytes(w.loop.Body)
	width := h.Lanes(bytes)
	for lanes := w.vectors() * width; lanes > 1 && lanes*int64(bytes) >= narrowest; lanes /= 2 {
		if w.extent < lanes || w.extent%lanes >= width && w.extent < manyVectors*lanes ||
			slices.ContainsFunc(w.bounds, func(c int64) bool { return c%lanes != 0 }) {
			continue
		}
		if w.loop.Kind == tir.Parallel && w.extent/lanes < int64(h.Cores) {
			continue
		}
		bytes := int64(0)
		for b := range w.local {
			bytes += b.Bytes() * lanes
		}
		if bytes <= maxWideBytes {
			w.lanes = lanes
			return true
		}
	}
	return false
}

// Rows of which a loop inside reads some columns, one after the other, are far apart from so many bytes on: what a core
// fetches ahead is within a page, so more of each row is read at once.
const (
	farBytes    = 2048
	mostVectors = 16
)

// vectors returns how many vectors an iteration has at most.
func (w *wideLoop) vectors() int64 {
	if len(w.local)+len(w.stored) > 1 { // they have sums of their own, in registers
		return maxVectors
	}
	for _, l := range w.inner {
		for _, x := range w.loads {
			if step, ok := stepAlong(x, l.Var); ok && step*int64(x.Buffer.Type.Bytes()) >= farBytes {
				return mostVectors
			}
		}
	}
	return maxVectors
}

// stmt returns what takes the place of the loop.
func (w *wideLoop) stmt(h widener) tir.Stmt {
	for b := range w.local {
		wider := *b
		wider.Shape = append(slices.Clone(b.Shape), w.lanes)
		w.local[b] = &wider
	}
	wide := *w.loop
	wide.Extent = tir.Int(w.extent / w.lanes)
	wide.Body = w.sink(w.loop.Body)
	rest := w.extent % w.lanes
	if rest == 0 {
		return &wide
	}
	v := tir.NewVar(w.loop.Var.Name)
	at := map[*tir.Var]tir.Expr{w.loop.Var: tir.Bin(tir.Add, v, tir.Int(w.extent-rest))}
	tail := tir.FreshLoops(tir.SubstituteStmt(w.loop.Body, at))
	return tir.Sequence(&wide, h.stmt(&tir.For{Var: v, Extent: tir.Int(rest), Body: tail}))
}

// sink puts the vector loop around each store of s.
func (w *wideLoop) sink(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.Store:
		return w.vector(s)
	case *tir.Alloc:
		return &tir.Alloc{Buffer: w.local[s.Buffer], Body: w.sink(s.Body)}
	}
	return tir.MapChildren(s, w.sink)
}

// vector is the loop over the lanes of a store. Temporaries have one more
// dimension.
func (w *wideLoop) vector(s *tir.Store) tir.Stmt {
	l := tir.NewVar(w.loop.Var.Name)
	place := tir.Bin(tir.Add, tir.Bin(tir.Mul, w.loop.Var, tir.Int(w.lanes)), l)
	at := map[*tir.Var]tir.Expr{w.loop.Var: place}
	lane := func(b *tir.Buffer, index []tir.Expr) (*tir.Buffer, []tir.Expr) {
		if wider := w.local[b]; wider != nil {
			return wider, append(slices.Clone(index), l)
		}
		return b, index
	}
	c := tir.SubstituteStmt(s, at).(*tir.Store)
	value := tir.SubstituteLoads(c.Value, func(x *tir.Load) tir.Expr {
		b, index := lane(x.Buffer, x.Index)
		return &tir.Load{Buffer: b, Index: index}
	})
	value = tir.MapExpr(value, func(e tir.Expr) tir.Expr {
		if c, ok := bound(e, place); ok { // all lanes are on one side of it
			return tir.Bin(e.(*tir.Binary).Op, w.loop.Var, tir.Int(c/w.lanes))
		}
		return e
	})
	b, index := lane(c.Buffer, c.Index)
	return &tir.For{Var: l, Extent: tir.Int(w.lanes), Kind: tir.Vectorized,
		Body: &tir.Store{Buffer: b, Index: index, Value: value}}
}
