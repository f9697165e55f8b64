package lower

import "github.com/wmtune/wmtune/tir"

// Bounds of unrolling.
const (
	maxUnrollDepth = 8   // loops unrolled into one another automatically
	maxUnrolled    = 512 // operations, of vectors mostly, that one loop may become
	loopOps        = 4   // what a loop that stays adds to them: a compiler's time grows with blocks, too
	edgeShare      = 4   // edges get this part of the steps that the interior may have
)

// unroll marks the loops whose body an emitter is to repeat: those annotated
// so, and within a pragma, small enough serial ones:
//
//	pragma auto_unroll_max_step=16      for k in 8:
//	for k in 8:                           unroll i in 4:
//	  for i in 4:                  =>       unroll j in 2:
//	    for j in 2:                           C[i, j] = ...
//	      C[i, j] = ...
//
// A serial loop is unrolled if its extent times the stores in its body, unrolled
// loops expanded, is at most the pragma's value, and no loop inside stays one;
// the store of a vectorized loop counts once (tir/transforms/unroll_loop.cc). A
// loop within another one's pragma obeys the innermost. Beyond that, no loop is
// unrolled into more than maxUnrolled operations, not even an annotated one,
// since compile time grows with them and speed does not; and the steps allowed in
// an else branch, which is where edges are, are a quarter.
//
// The pragmas are gone afterwards.
func unroll(f *tir.Func, cfg Config) (*tir.Func, error) {
	u := unroller{vectorBytes: int64(cfg.Target.Hardware.VectorBytes)}
	if u.vectorBytes == 0 {
		u.vectorBytes = 32
	}
	body, _ := u.stmt(f.Body, 0)
	g := *f
	g.Body = body
	return &g, nil
}

type unroller struct{ vectorBytes int64 }

// An expansion is what a statement becomes when its unrolled loops are
// expanded.
type expansion struct {
	steps int64 // stores
	ops   int64 // the same, a vectorized store counted by the operations that it takes, and loops that stay
	depth int   // of unrolled loops
	loops bool  // one stays
}

func (e expansion) plus(o expansion) expansion {
	return expansion{e.steps + o.steps, e.ops + o.ops, max(e.depth, o.depth), e.loops || o.loops}
}

// stmt unrolls loops in s; auto_unroll_max_step is limit.
func (u unroller) stmt(s tir.Stmt, limit int64) (tir.Stmt, expansion) {
	switch s := s.(type) {
	case *tir.For:
		return u.loop(s, limit)
	case *tir.Store, *tir.MMA:
		return s, expansion{steps: 1, ops: 1}
	case *tir.If:
		c := *s
		var e, els expansion
		c.Then, e = u.stmt(s.Then, limit)
		if s.Else != nil {
			c.Else, els = u.stmt(s.Else, limit/edgeShare)
			e = e.plus(els)
		}
		return &c, e
	case *tir.Seq:
		list := make([]tir.Stmt, len(s.Stmts))
		var sum expansion
		for i, t := range s.Stmts {
			var e expansion
			list[i], e = u.stmt(t, limit)
			sum = sum.plus(e)
		}
		return &tir.Seq{Stmts: list}, sum
	case *tir.Alloc:
		body, e := u.stmt(s.Body, limit)
		return &tir.Alloc{Buffer: s.Buffer, Body: body}, e
	case *tir.Block:
		body, e := u.stmt(s.Body, limit)
		return &tir.Block{Name: s.Name, Init: s.Init, Body: body}, e
	case *tir.Pragma:
		if s.Key == UnrollKey {
			return u.stmt(s.Body, s.Value)
		}
		body, e := u.stmt(s.Body, limit)
		return &tir.Pragma{Key: s.Key, Value: s.Value, Body: body}, e
	}
	return s, expansion{}
}

func (u unroller) loop(s *tir.For, limit int64) (tir.Stmt, expansion) {
	c := *s
	body, e := u.stmt(s.Body, limit)
	c.Body = body
	n, constant := s.Extent.(*tir.IntImm)
	if s.Kind == tir.Tensorized {
		return &c, expansion{steps: 1, ops: 1}
	}
	if s.Kind == tir.Vectorized && constant {
		e.ops *= u.vectors(s, n.Value)
		return &c, e
	}
	unrolled := s.Kind == tir.Unrolled ||
		s.Kind == tir.Serial && constant && !e.loops && e.depth <= maxUnrollDepth && n.Value*e.steps <= limit
	if unrolled && n.Value*e.ops <= maxUnrolled {
		c.Kind = tir.Unrolled
		e.steps, e.ops, e.depth = n.Value*e.steps, n.Value*e.ops, e.depth+1
		return &c, e
	}
	if c.Kind == tir.Unrolled {
		c.Kind = tir.Serial
	}
	e.loops, e.ops = true, e.ops+loopOps
	return &c, e
}

// vectors returns the number of operations that the lanes of a loop take: one
// per register that they fill, or one per lane if an access of elements that are
// not neighbours takes the vectors apart.
func (u unroller) vectors(s *tir.For, lanes int64) int64 {
	bytes, scattered := int64(1), false
	access := func(b *tir.Buffer, index []tir.Expr) {
		for d, e := range index {
			if tir.Uses(e, s.Var) && (d < len(index)-1 || b.ElemStrides()[d] != 1) {
				scattered = true
			}
		}
	}
	tir.Visit(s.Body, func(t tir.Stmt) bool {
		if st, ok := t.(*tir.Store); ok {
			bytes = max(bytes, int64(st.Buffer.Type.Bytes()))
			access(st.Buffer, st.Index)
			for l := range tir.ExprsIn[*tir.Load](st.Value) {
				access(l.Buffer, l.Index)
			}
		}
		return true
	})
	if scattered {
		return lanes
	}
	return max(1, (lanes*bytes+u.vectorBytes-1)/u.vectorBytes)
}
