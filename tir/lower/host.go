package lower

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// An Order is the order in which a host runs the threads of a block.
type Order uint8

// The orders of threads. Threads that share memory run in no order on a GPU, so a
// program that is right computes the same in both.
const (
	Forward  Order = iota // from the first thread to the last
	Backward              // from the last to the first
)

// OnHost returns a program for a CPU that computes what f, a program of a GPU,
// does. Loops over blocks become loops, the outermost a parallel one. Loops over
// threads are split at the barriers (see splitter), so that what is between two
// barriers is done by one thread after another:
//
//	bind i in 4 blockIdx.x:              parallel i in 4:
//	  bind t in 32 threadIdx.x:            alloc A.shared: float32[32] local
//	    alloc A.shared: float32[32] shared   A.shared[...] = nan
//	    A.shared[t] = A[i, t]        =>      for t in 32:
//	    barrier shared                         A.shared[t] = A[i, t]
//	    C[i, t] = A.shared[31 - t]           for t in 32:
//	                                           C[i, t] = A.shared[31 - t]
//
// Shared memory is one piece for the whole life of a block. A thread's own buffer
// that outlives a barrier gets an element for each thread. Buffers are allocated
// full of NaN, or of a large number if they hold none, so that what is read before
// it is written shows.
//
// A barrier that is missing shows, too: a thread that reads what another one writes
// between the same two barriers, or writes what another one reads, gets the wrong
// element in one of the two orders.
//
// Of a product of tiles that a warp computes, each thread computes its own elements: see
// perLaneProducts.
//
// What is stored asynchronously is there after the first barrier behind its wait: see
// landing.
//
// It is an error if the thread loops are not directly in each other, or name a
// dimension twice; if a barrier is under a condition, in a vector, or in a loop of
// no constant length: some threads might not come by; or if a buffer is shared by
// the threads of a warp.
func OnHost(f *tir.Func, order Order) (*tir.Func, error) {
	h := &host{order: order}
	g := *f
	g.Body = h.stmt(f.Body)
	if h.err != nil {
		return nil, fmt.Errorf("lower: on host: %s: %w", f.Name, h.err)
	}
	return &g, nil
}

// A host rewrites the statements of a function that are outside of thread loops.
type host struct {
	order    Order
	parallel bool // inside a parallel loop
	err      error
}

func (h *host) stmt(s tir.Stmt) tir.Stmt {
	switch s := s.(type) {
	case *tir.For:
		if isThreadLoop(s) {
			return h.block(s)
		}
		return h.loop(s)
	case *tir.Alloc:
		b := *s.Buffer
		if b.Scope == tir.Shared {
			b.Scope = tir.Local
		}
		body := h.stmt(onBuffers(s.Body, map[*tir.Buffer]element{s.Buffer: {buffer: &b}}))
		return &tir.Alloc{Buffer: &b, Body: tir.Sequence(poisoned(&b, nil), body)}
	}
	return tir.MapChildren(s, h.stmt)
}

// loop rewrites a loop that is not over threads.
func (h *host) loop(s *tir.For) tir.Stmt {
	c := *s
	outer := h.parallel
	switch {
	case s.Kind == tir.ThreadBound && !outer:
		c.Kind = tir.Parallel
	case s.Kind == tir.ThreadBound || s.Kind == tir.Vthread:
		c.Kind = tir.Serial
	}
	c.Thread = ""
	h.parallel = outer || c.Kind == tir.Parallel
	c.Body = h.stmt(s.Body)
	h.parallel = outer
	return &c
}

// block returns what one block does, of which s is the outermost thread loop.
func (h *host) block(s *tir.For) tir.Stmt {
	p := splitter{order: h.order}
	body := tir.Stmt(s)
	for l, ok := s, true; ok && isThreadLoop(l); l, ok = body.(*tir.For) {
		if slices.ContainsFunc(p.loops, func(o *tir.For) bool { return o.Thread == l.Thread }) {
			h.fail("two loops in each other are bound to %s", l.Thread)
		}
		p.loops = append(p.loops, l)
		body = l.Body
	}
	h.refuse(body)
	if h.err != nil {
		return s
	}
	body = landing(perLaneProducts(body))
	m := &blockMemory{loops: p.loops}
	return m.around(p.split(m.stmt(body)))
}

func isThreadLoop(l *tir.For) bool {
	return l.Kind == tir.ThreadBound && strings.HasPrefix(l.Thread, "threadIdx.")
}

func (h *host) fail(format string, args ...any) {
	if h.err == nil {
		h.err = fmt.Errorf(format, args...)
	}
}

// refuse looks for what a block must not have inside its thread loops.
func (h *host) refuse(s tir.Stmt) {
	tir.Visit(s, func(t tir.Stmt) bool {
		switch t := t.(type) {
		case *tir.For:
			if isThreadLoop(t) {
				h.fail("loop %s over %s is not directly inside the other thread loops", t.Var.Name, t.Thread)
			}
			if !hasBarrier(t) {
				break
			}
			if n, ok := t.Extent.(*tir.IntImm); !ok || n.Value < 1 {
				h.fail("barrier in loop %s of length %s: only if it is a constant do all threads come by as often", t.Var.Name,
					t.Extent)
			}
			if t.Kind != tir.Serial && t.Kind != tir.Unrolled && t.Kind != tir.Vthread {
				h.fail("barrier in %s loop %s", t.Kind, t.Var.Name)
			}
		case *tir.If:
			if hasBarrier(t) {
				h.fail("barrier under condition %s: some threads may not come by", t.Cond)
			}
		case *tir.Alloc:
			if t.Buffer.Scope == tir.Warp {
				h.fail("buffer %s is shared by the threads of a warp, which are not told apart", t.Buffer.Name)
			}
		}
		return h.err == nil
	})
}

func hasBarrier(s tir.Stmt) bool {
	return tir.Has(s, func(t tir.Stmt) bool {
		_, ok := t.(*tir.Barrier)
		return ok
	})
}

// blockMemory takes the buffers out of thread loops that live longer than from
// one barrier to the next.
type blockMemory struct {
	loops  []*tir.For    // over threads
	shared []*tir.Buffer // by the threads
	own    []*tir.Buffer // by one thread each: they have a dimension for each of loops
}

func (m *blockMemory) stmt(s tir.Stmt) tir.Stmt {
	a, ok := s.(*tir.Alloc)
	if !ok {
		if l, ok := s.(*tir.For); ok && l.Kind == tir.Vthread {
			c := *l
			c.Kind = tir.Serial
			s = &c
		}
		return tir.MapChildren(s, m.stmt)
	}
	b := *a.Buffer
	b.Scope = tir.Local
	to := element{buffer: &b}
	switch {
	case a.Buffer.Scope == tir.Shared:
		m.shared = append(m.shared, &b)
	case hasBarrier(a.Body):
		strides, size := b.ElemStrides(), b.Extent()
		for k := len(m.loops) - 1; k >= 0; k-- {
			n := m.loops[k].Extent.(*tir.IntImm).Value
			b.Shape = slices.Insert(slices.Clone(b.Shape), 0, n)
			strides = slices.Insert(slices.Clone(strides), 0, size)
			size *= n
		}
		if b.Strides != nil {
			b.Strides = strides
		}
		for _, l := range m.loops {
			to.index = append(to.index, l.Var)
		}
		m.own = append(m.own, &b)
	}
	body := m.stmt(onBuffers(a.Body, map[*tir.Buffer]element{a.Buffer: to}))
	switch {
	case a.Buffer.Scope == tir.Shared:
		return body // which may not be where its memory begins: other threads are elsewhere
	case to.index != nil:
		return tir.Sequence(poisoned(&b, to.index), body)
	}
	return &tir.Alloc{Buffer: &b, Body: tir.Sequence(poisoned(&b, nil), body)}
}

// around returns s within the allocations of the block.
func (m *blockMemory) around(s tir.Stmt) tir.Stmt {
	for _, b := range m.shared {
		s = tir.Sequence(poisoned(b, nil), s)
	}
	for _, b := range slices.Concat(m.own, m.shared) {
		s = &tir.Alloc{Buffer: b, Body: s}
	}
	return s
}

// onBuffers replaces buffers, whose indices get more before them.
func onBuffers(s tir.Stmt, to map[*tir.Buffer]element) tir.Stmt {
	expr := func(e tir.Expr) tir.Expr {
		return tir.SubstituteLoads(e, func(l *tir.Load) tir.Expr {
			if t, ok := to[l.Buffer]; ok {
				return &tir.Load{Buffer: t.buffer, Index: slices.Concat(t.index, l.Index)}
			}
			return l
		})
	}
	return tir.MapStmt(s, func(s tir.Stmt) tir.Stmt {
		t, ok := to[written(s)]
		if !ok {
			return s
		}
		switch s := s.(type) {
		case *tir.Store:
			return &tir.Store{Buffer: t.buffer, Index: slices.Concat(t.index, s.Index), Value: s.Value, Async: s.Async}
		case *tir.MMA:
			c := *s
			c.Buffer, c.Index = t.buffer, slices.Concat(t.index, s.Index)
			return &c
		}
		panic("BUG: lower: on another buffer: " + s.String())
	}, expr)
}

// poisoned returns the loops that fill b, or the part of it at the first indices,
// with what no program computes.
func poisoned(b *tir.Buffer, at []tir.Expr) tir.Stmt {
	index := slices.Clone(at)
	var vars []*tir.Var
	for range b.Shape[len(at):] {
		v := tir.NewVar("at")
		vars, index = append(vars, v), append(index, v)
	}
	s := tir.Stmt(&tir.Store{Buffer: b, Index: index, Value: tir.Const(b.Type, poisonOf(b.Type))})
	for d := len(vars) - 1; d >= 0; d-- {
		s = &tir.For{Var: vars[d], Extent: tir.Int(b.Shape[len(at)+d]), Body: s}
	}
	return s
}

func poisonOf(t tir.DType) float64 {
	switch {
	case t.IsFloat():
		return math.NaN()
	case t == tir.Bool:
		return 1
	}
	return math.Pow(2, float64(8*t.Bytes()-2))
}

// perLaneProducts has each thread compute its own elements of the tiles that its warp
// multiplies:
//
//	mma C[0] += A[0, 0] by [1, 0] and [0, 1] * B[0, 0] by [1, 0] and [0, 1] in lane t
//	=>
//	for e in 4:
//	  for k in 16:
//	    C[0, e] = C[0, e] + A[t/4 + e/2*8, k]*B[k, t%4*2 + e%2]        in float32
//
// Operands of float32 are rounded to tf32 as tensor cores do.
// Nothing is lost by it: what a warp reads was there before the last barrier.
func perLaneProducts(s tir.Stmt) tir.Stmt {
	return tir.MapStmt(s, func(s tir.Stmt) tir.Stmt {
		if m, ok := s.(*tir.MMA); ok {
			return laneProduct(m)
		}
		return s
	}, nil)
}

func laneProduct(m *tir.MMA) tir.Stmt {
	e, k := tir.NewVar("e"), tir.NewVar("k")
	row, col := tir.MMAPlace(m.Lane, e)
	own := element{m.Buffer, append(m.Index[:len(m.Index):len(m.Index)], e)}
	wide := func(l *tir.Load) tir.Expr {
		if m.Rounds() {
			return &tir.Call{Fn: tir.TF32, Args: []tir.Expr{l}}
		}
		return &tir.Cast{X: l, To: tir.F32}
	}
	product := tir.Bin(tir.Mul, wide(m.A.At(row, k)), wide(m.B.At(k, col)))
	return &tir.For{Var: e, Extent: tir.Int(tir.MMAElems), Body: &tir.For{
		Var: k, Extent: tir.Int(m.Depth()), Body: own.store(tir.Bin(tir.Add, own.load(), product)),
	}}
}
