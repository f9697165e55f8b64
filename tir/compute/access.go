package compute

import (
	"math"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/tir"
)

// Access is the static analysis of how the ops of a DAG read each other, with
// the predicates that AutoScheduler's sketch rules ask for (upstream:
// src/auto_scheduler/compute_dag.cc, AccessAnalyzer). It is immutable.
type Access struct {
	dag      *DAG
	producer map[*tir.Buffer]*Op
	reads    map[*Op][]Read // by reader, in first-read order of the producers
	readBy   map[*Op][]*Op  // by producer, readers in stage order
	common   sync.Map       // of commonToReader, by op and reader
}

// A Read is everything that an op reads of one producer.
type Read struct {
	From  *Op
	Loads []*tir.Load // in the order of the bodies, repeated ones included
}

// Access returns the analysis of d, made on the first call.
func (d *DAG) Access() *Access {
	d.analyse.Do(func() { d.access = newAccess(d) })
	return d.access
}

func newAccess(d *DAG) *Access {
	a := &Access{dag: d, producer: map[*tir.Buffer]*Op{}, reads: map[*Op][]Read{}, readBy: map[*Op][]*Op{}}
	for _, op := range d.Ops {
		for _, r := range op.Results {
			a.producer[r] = op
		}
	}
	for _, op := range d.Ops {
		a.reads[op] = a.readsOf(op)
		for _, r := range a.reads[op] {
			a.readBy[r.From] = append(a.readBy[r.From], op)
		}
	}
	return a
}

func (a *Access) readsOf(op *Op) []Read {
	var list []Read
	for _, b := range op.Reads() {
		p := a.producer[b]
		if !slices.ContainsFunc(list, func(r Read) bool { return r.From == p }) {
			list = append(list, Read{From: p})
		}
	}
	for _, e := range op.Body {
		tir.VisitExpr(e, func(e tir.Expr) bool {
			if l, ok := e.(*tir.Load); ok {
				i := slices.IndexFunc(list, func(r Read) bool { return r.From == a.producer[l.Buffer] })
				list[i].Loads = append(list[i].Loads, l)
			}
			return true
		})
	}
	return list
}

// Reads returns what op reads, per producer.
func (a *Access) Reads(op *Op) []Read { return a.reads[op] }

// Producers returns the ops that op reads, in first-read order. Skip, which may
// be nil, tells the ops to look through, such as inlined ones: what they read
// is returned instead of them.
func (a *Access) Producers(op *Op, skip func(*Op) bool) []*Op {
	return lookThrough(op, skip, func(op *Op) []*Op {
		from := make([]*Op, len(a.reads[op]))
		for i, r := range a.reads[op] {
			from[i] = r.From
		}
		return from
	})
}

// lookThrough returns the ops next to op, in the order in which they are met. It goes on from those that skip tells,
// once from each: there may be very many paths.
func lookThrough(op *Op, skip func(*Op) bool, next func(*Op) []*Op) []*Op {
	var list []*Op
	met := map[*Op]bool{}
	var walk func(*Op)
	walk = func(op *Op) {
		for _, n := range next(op) {
			switch {
			case met[n]:
				continue
			case skip != nil && skip(n):
				walk(n)
			default:
				list = append(list, n)
			}
			met[n] = true
		}
	}
	walk(op)
	return list
}

// DirectProducers returns the ops that op itself reads, in first-read order.
func (a *Access) DirectProducers(op *Op) []*Op { return a.Producers(op, nil) }

// Consumers returns the ops that read op, in stage order, looking through those
// that skip tells; skip may be nil.
func (a *Access) Consumers(op *Op, skip func(*Op) bool) []*Op {
	list := lookThrough(op, skip, func(op *Op) []*Op { return a.readBy[op] })
	slices.SortStableFunc(list, func(x, y *Op) int { return slices.Index(a.dag.Ops, x) - slices.Index(a.dag.Ops, y) })
	return list
}

// IsOutput reports whether op computes a result of the program, or nobody reads
// it. AutoScheduler knows the second kind only.
func (a *Access) IsOutput(op *Op) bool {
	if op.IsPlaceholder() {
		return false
	}
	if len(a.readBy[op]) == 0 {
		return true
	}
	return slices.ContainsFunc(op.Results, func(b *tir.Buffer) bool { return slices.Contains(a.dag.Results(), b) })
}

// StrictlyInlineable reports whether recomputing op wherever it is read costs
// next to nothing: simple accesses that keep the order of the axes and use none
// twice, no exp, no choice between values. A constant tensor, which reads
// nothing, always is.
func (a *Access) StrictlyInlineable(op *Op) bool {
	if op.IsPlaceholder() {
		return false
	}
	if len(a.reads[op]) == 0 {
		return true
	}
	for _, r := range a.reads[op] {
		for _, l := range r.Loads {
			if s, ok := shapeOfAccess(op, l); !ok || s.duplicated || !s.ordered {
				return false
			}
		}
	}
	dear := false
	for _, e := range op.Body {
		tir.VisitExpr(e, func(e tir.Expr) bool {
			switch e := e.(type) {
			case *tir.Select:
				c, ok := e.Cond.(*tir.Binary) // a maximum or a minimum is no choice
				dear = dear || !ok || !tir.EqualExpr(c.X, e.Then) || !tir.EqualExpr(c.Y, e.Else)
			case *tir.Call:
				dear = dear || e.Fn == tir.Exp
			}
			return !dear
		})
	}
	return !dear
}

// NeedsMultiLevelTiling reports whether op reads some element more than once
// across its spatial axes: two producers miss an axis of an extent above 1, or one
// does and op reduces. Ops with constant-tensor indices (Winograd's transforms)
// are tiled by a rule of their own. A number that is an input lies in a register: TVM counts it, too.
func (a *Access) NeedsMultiLevelTiling(op *Op) bool {
	if op.IsPlaceholder() || len(op.Attrs.SimplifyConstTensorIndices) > 0 {
		return false
	}
	missing := 0
	for _, r := range a.reads[op] {
		number := r.From.IsPlaceholder() && r.From.Results[0].Elems() == 1
		if !number && missesAxis(op, r) {
			missing++
		}
	}
	return missing >= 2 || missing >= 1 && len(op.ReduceAxes) > 0
}

// missesAxis reports whether a spatial axis of an extent above 1 is in no index
// of a read.
func missesAxis(op *Op, r Read) bool {
	used := map[*tir.Var]bool{}
	for _, l := range r.Loads {
		for _, e := range l.Index {
			tir.VisitExpr(e, func(e tir.Expr) bool {
				if v, ok := e.(*tir.Var); ok {
					used[v] = true
				}
				return true
			})
		}
	}
	return slices.ContainsFunc(op.Axes, func(x *Axis) bool { return x.Extent > 1 && !used[x.Var] })
}

// CommonOuterIterators returns how many leading dimensions op and a reader of
// it, direct or by way of others, share: of one extent, and read at the reader's
// own axis, a constant shift allowed. It is the least along all paths, and 0 if
// there is no path.
func (a *Access) CommonOuterIterators(op, reader *Op) int {
	least := min(a.commonToReader(op, reader), len(op.Results[0].Shape))
	return max(least, 0)
}

// noPath is what commonToReader returns where no path leads to the reader.
const noPath = -1

// commonToReader returns the least that commonOuter says on the paths from op to a
// reader; of the reader itself, more than any shape has. It is found out once: a walk
// along each path would take as long as there are paths.
func (a *Access) commonToReader(op, reader *Op) int {
	if op == reader {
		return math.MaxInt
	}
	key := [2]*Op{op, reader}
	if n, ok := a.common.Load(key); ok {
		return n.(int)
	}
	least := noPath
	for _, next := range a.readBy[op] {
		n := a.commonToReader(next, reader)
		if n == noPath {
			continue
		}
		if n = min(n, a.commonOuter(op, next)); least == noPath || n < least {
			least = n
		}
	}
	a.common.Store(key, least)
	return least
}

// commonOuter is CommonOuterIterators for a direct reader.
func (a *Access) commonOuter(op, reader *Op) int {
	var loads []*tir.Load
	for _, r := range a.reads[reader] {
		if r.From == op {
			loads = r.Loads
		}
	}
	from, to := op.Results[0].Shape, reader.Results[0].Shape
	n := 0
	for n < min(len(from), len(to)) && from[n] == to[n] {
		for _, l := range loads {
			if v, ok := shiftedVar(l.Index[n]); !ok || v != reader.Axes[n].Var {
				return n
			}
		}
		n++
	}
	return n
}

// ElementwiseMatch reports whether the path from op to reader goes through one reader each time, all results of one
// shape, and every read is of the element at the reader's own axes, each exactly once, in order. An axis of extent 1
// may be read at 0, which TVM's does not allow.
//
// One reader each time is TVM's rule, and sketches follow from it. More than one path would be as right: x*sigmoid(x)
// could hold tiles of x. What a model's group computes along such paths is therefore made one op (graph/op, join.go).
func (a *Access) ElementwiseMatch(op, reader *Op) bool {
	for at := op; at != reader; {
		if len(a.readBy[at]) != 1 || at.IsPlaceholder() {
			return false
		}
		next := a.readBy[at][0]
		if !a.ReadsInPlace(next, at) {
			return false
		}
		at = next
	}
	return true
}

// ReadsInPlace reports whether op has results of the shape of from's, and reads it, if at all, at its own axes, each
// exactly once, in order, a constant shift allowed.
func (a *Access) ReadsInPlace(op, from *Op) bool {
	for _, r := range op.Results {
		if !slices.Equal(r.Shape, from.Results[0].Shape) {
			return false
		}
	}
	for _, r := range a.reads[op] {
		if r.From != from {
			continue
		}
		for _, l := range r.Loads {
			if s, ok := shapeOfAccess(op, l); !ok || s.missing || s.duplicated || !s.ordered {
				return false
			}
		}
	}
	return true
}

// An accessShape says how a simple access uses the spatial axes of its op: each of its indices is a constant, or a
// spatial axis plus or minus an optional constant. An axis of extent 1 is never missing.
type accessShape struct{ missing, duplicated, ordered bool }

// shapeOfAccess returns the shape of a load, or false if it is not simple.
func shapeOfAccess(op *Op, l *tir.Load) (accessShape, bool) {
	s := accessShape{ordered: true}
	count := make([]int, len(op.Axes))
	last := -1
	for _, e := range l.Index {
		if _, ok := e.(*tir.IntImm); ok {
			continue
		}
		v, ok := shiftedVar(e)
		i := slices.IndexFunc(op.Axes, func(x *Axis) bool { return x.Var == v })
		if !ok || i < 0 {
			return s, false
		}
		count[i]++
		s.ordered = s.ordered && i >= last
		last = i
	}
	for i, n := range count {
		s.missing = s.missing || n == 0 && op.Axes[i].Extent > 1
		s.duplicated = s.duplicated || n > 1
	}
	return s, true
}

// shiftedVar returns v if e is v, v + c, c + v or v - c.
func shiftedVar(e tir.Expr) (*tir.Var, bool) {
	if b, ok := e.(*tir.Binary); ok && (b.Op == tir.Add || b.Op == tir.Sub) {
		if _, ok := b.Y.(*tir.IntImm); ok {
			e = b.X
		} else if _, ok := b.X.(*tir.IntImm); ok && b.Op == tir.Add {
			e = b.Y
		}
	}
	v, ok := e.(*tir.Var)
	return v, ok
}
