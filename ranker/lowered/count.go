package lowered

import (
	"math"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A mix counts the instructions of one run of a piece of code.
type mix struct {
	vectors  float64 // copies of a statement, a vector each
	multiply float64 // products that are added to something: one instruction
	floats   float64 // other operations of floats
	slow     float64 // divisions and roots
	calls    float64 // functions such as exp
	loads    float64
	stores   float64
	lanes    float64 // loads and stores that take lanes apart
	same     float64 // loads that all lanes share
	selects  float64 // of elements: guards of padding
	casts    float64
	index    float64 // operations of indices that each copy needs: quotients, remainders

	scalar float64 // copies that have one lane
	used   float64 // lanes that work, over all copies
	wide   float64 // lanes that there are
	chain  float64 // the longest chain of copies that wait for each other
	copied float64 // copies that compute nothing
}

// fields lists what adds up.
func (m *mix) fields() []*float64 {
	return []*float64{&m.vectors, &m.multiply, &m.floats, &m.slow, &m.calls, &m.loads, &m.stores, &m.lanes, &m.same,
		&m.selects, &m.casts, &m.index, &m.scalar, &m.used, &m.wide, &m.copied}
}

// add adds n runs of another piece.
func (m *mix) add(o mix, n float64) {
	from := o.fields()
	for i, f := range m.fields() {
		*f += n * *from[i]
	}
	m.chain = max(m.chain, o.chain)
}

// operations returns the instructions of arithmetic.
func (m *mix) operations() float64 {
	return m.multiply + m.floats + 8*m.slow + 20*m.calls + m.selects + m.casts + m.index
}

// all returns all instructions.
func (m *mix) all() float64 { return m.operations() + m.loads + m.stores + 2*m.lanes }

// code returns the loops of a statement whose iterations stand in the code.
func (s *statement) code() int {
	n := len(s.loops)
	for n > 0 && inCode(s.loops[n-1]) {
		n--
	}
	return n
}

// count counts the instructions of a statement in one run of its block.
func (p *reading) count(s *statement) mix {
	var m mix
	from := s.code()
	lanes, vector := 1.0, -1
	copies := 1.0
	for k := from; k < len(s.loops); k++ {
		if s.loops[k].Ann == schedule.Vectorize && vector < 0 {
			lanes, vector = s.loops[k].Extent, k
		} else {
			copies *= s.loops[k].Extent
		}
	}
	width := max(1, p.machine.Vector/float64(max(1, tir.ElementBytes(s.store))))
	parts := math.Ceil(lanes / width)
	m.vectors = copies * parts
	m.used, m.wide = copies*lanes, m.vectors*width
	if lanes == 1 {
		m.scalar = copies
	}
	fold := 0.0
	tir.VisitExpr(s.store.Value, func(e tir.Expr) bool {
		n := m.vectors
		switch e := e.(type) {
		case *tir.Load:
			for _, i := range e.Index {
				m.index += copies * quotients(i)
			}
			return false
		case *tir.Binary:
			switch x, y := product(e.X), product(e.Y); {
			case !e.X.DType().IsFloat():
				m.index += copies / 4
			case e.Op == tir.Add && (x || y):
				m.multiply += n
				m.floats -= n // the product
			case e.Op == tir.Div:
				m.slow += n
			default:
				m.floats += n
			}
		case *tir.Call:
			switch e.Fn {
			case tir.Sqrt, tir.Rsqrt:
				m.slow += n
			case tir.Abs, tir.Floor, tir.Ceil, tir.Round, tir.RoundEven:
				m.floats += n
			default:
				m.calls += n
			}
		case *tir.Select:
			m.selects += n
		case *tir.Cast:
			m.casts += n
		}
		return true
	})
	if m.multiply+m.floats+m.slow+m.calls == 0 {
		m.copied = m.vectors
	}
	for i := range s.accesses {
		a := &s.accesses[i]
		distinct := 1.0 // places of the code that the access is at
		for k := from; k < len(s.loops); k++ {
			if k != vector && a.moves[k] {
				distinct *= s.loops[k].Extent
			}
		}
		if a.Mode == nest.Write {
			fold = copies / distinct
		}
		p.countAccess(&m, a, vector, distinct, parts, lanes)
	}
	m.chain = fold
	return m
}

// countAccess counts the instructions of one access, which is at so many places of the code.
func (p *reading) countAccess(m *mix, a *access, vector int, distinct, parts, lanes float64) {
	if a.register {
		return
	}
	stride := 0.0
	if vector >= 0 {
		stride = a.stride[vector]
	}
	n := distinct
	switch {
	case vector < 0:
	case stride == 0 && !a.moves[vector]:
		if a.Mode == nest.Read {
			m.same += n
		}
	case stride == 1:
		n *= parts
	default:
		n *= lanes
		m.lanes += n
	}
	if a.Mode == nest.Write {
		m.stores += n
	} else {
		m.loads += n
	}
}

// product reports whether an expression is a product of floats.
func product(e tir.Expr) bool {
	b, ok := e.(*tir.Binary)
	return ok && b.Op == tir.Mul && b.X.DType().IsFloat()
}

// quotients counts the quotients and remainders of an index.
func quotients(e tir.Expr) float64 {
	n := 0.0
	tir.VisitExpr(e, func(e tir.Expr) bool {
		if b, ok := e.(*tir.Binary); ok && (b.Op == tir.FloorDiv || b.Op == tir.FloorMod) {
			n++
		}
		return true
	})
	return n
}
