package tir

import (
	"fmt"
	"strings"
)

// The tile that a warp adds to at once, as mma.sync does (PTX ISA, "Matrix Fragments for
// mma.m16n8k16", "Matrix Fragments for mma.m16n8k8").
const (
	MMARows = 16 // of the result and of the first operand
	MMACols = 8  // of the result and of the second operand

	WarpLanes = 32                            // threads of a warp
	MMAElems  = MMARows * MMACols / WarpLanes // of the result that one lane has
)

// MMADepth returns how many steps of the sum one product of operands of type t makes, 0 if
// tensor cores do not multiply them. A row of the first operand is 32 bytes.
func MMADepth(t DType) int64 {
	for _, i := range instructions {
		if i.Scopes == block && i.A == t {
			return i.Depth
		}
	}
	return 0
}

// MMA adds the product of two tiles in shared memory, of one type, to a tile of float32 of
// which each lane of a warp has 4 elements:
//
//	tile[m, n] += sum over k < depth of A[m, k]*B[k, n]        m < 16, n < 8, depth as of MMADepth
//
// Elements of float32 are rounded to tf32 before (see TF32). Each product is exact in
// float32; the order of the sum is open. All lanes of a warp carry it out together, and
// what they read was written before the last barrier.
type MMA struct {
	Buffer *Buffer // of scope Local; its last dimension is the 4 elements of a lane
	Index  []Expr  // of the tile: of all dimensions but the last
	A, B   Operand
	Lane   Expr // number of the thread in its warp, 0 to 31
}

// An Operand is a tile of a buffer: its first element, and by how much each index is
// larger on the next row and in the next column. These are of the last dimensions: before
// those there may be others, whose indices stay.
type Operand struct {
	First    *Load
	Row, Col []int64
}

// At returns the element on a row and in a column.
func (o Operand) At(row, col Expr) *Load {
	index := append([]Expr(nil), o.First.Index...)
	for d := range o.Row {
		at := len(index) - len(o.Row) + d
		index[at] = moved(moved(index[at], row, o.Row[d]), col, o.Col[d])
	}
	return &Load{Buffer: o.First.Buffer, Index: index}
}

func moved(e, by Expr, times int64) Expr {
	switch times {
	case 0:
		return e
	case 1:
		return Bin(Add, e, by)
	}
	return Bin(Add, e, Bin(Mul, by, Int(times)))
}

// Strides returns how many elements on the next row and the next column are.
func (o Operand) Strides() (row, col int64) {
	strides := o.First.Buffer.ElemStrides()
	strides = strides[len(strides)-len(o.Row):]
	for d, s := range strides {
		row, col = row+s*o.Row[d], col+s*o.Col[d]
	}
	return row, col
}

func (*MMA) isStmt() {}

// Depth returns how many steps of the sum s makes.
func (s *MMA) Depth() int64 { return MMADepth(s.A.First.Buffer.Type) }

// Rounds reports whether s rounds what it multiplies to tf32.
func (s *MMA) Rounds() bool { return s.A.First.Buffer.Type == F32 }

// Rounds reports whether f rounds what it multiplies somewhere to tf32.
func (f *Func) Rounds() bool {
	return Has(f.Body, func(s Stmt) bool {
		m, ok := s.(*MMA)
		return ok && m.Rounds()
	})
}

// MMAPlace returns the row and the column in its tile of an element, 0 to 3, of a lane.
func MMAPlace(lane, elem Expr) (row, col Expr) {
	row = Bin(Add, Bin(FloorDiv, lane, Int(4)), Bin(Mul, Bin(FloorDiv, elem, Int(2)), Int(MMARows/2)))
	col = Bin(Add, Bin(Mul, Bin(FloorMod, lane, Int(4)), Int(2)), Bin(FloorMod, elem, Int(2)))
	return row, col
}

// exprs calls f for the expressions of s.
func (s *MMA) exprs(f func(Expr)) {
	for _, e := range s.Index {
		f(e)
	}
	f(s.A.First)
	f(s.B.First)
	f(s.Lane)
}

// mapped returns s with f applied to its expressions, s itself if they stay.
func (s *MMA) mapped(f func(Expr) Expr) *MMA {
	c := *s
	c.Index = make([]Expr, len(s.Index))
	same := true
	for i, e := range s.Index {
		c.Index[i] = f(e)
		same = same && c.Index[i] == e
	}
	c.A.First, c.B.First, c.Lane = loadOf(f(s.A.First)), loadOf(f(s.B.First)), f(s.Lane)
	if same && c.A.First == s.A.First && c.B.First == s.B.First && c.Lane == s.Lane {
		return s
	}
	return &c
}

func loadOf(e Expr) *Load {
	l, ok := e.(*Load)
	if !ok {
		panic("BUG: tir: the operand of an mma has become " + e.String())
	}
	return l
}

func (p *printer) mma(s *MMA, depth int) {
	p.text(strings.Repeat("  ", depth), "mma ", p.bufferName(s.Buffer), "[")
	p.exprs(s.Index)
	p.text("] += ")
	for i, o := range []Operand{s.A, s.B} {
		if i > 0 {
			p.text(" * ")
		}
		p.expr(o.First)
		p.text(" by [", joinInts(o.Row), "] and [", joinInts(o.Col), "]")
	}
	p.text(" in lane ")
	p.expr(s.Lane)
	p.text("\n")
}

func (h *hasher) mma(s *MMA) {
	h.tag(hashMMA)
	h.buffer(s.Buffer)
	h.exprs(s.Index)
	for _, o := range []Operand{s.A, s.B} {
		h.expr(o.First)
		for d := range o.Row {
			h.num(uint64(o.Row[d]), uint64(o.Col[d]))
		}
	}
	h.expr(s.Lane)
}

// mma checks what can be said of s without knowing where it reads.
func (c *checker) mma(s *MMA) error {
	last := len(s.Buffer.Shape) - 1
	switch {
	case s.Buffer.Type != F32 || s.Buffer.Scope != Local:
		return fmt.Errorf("the result is %s in %s memory: it must be float32 in local memory", s.Buffer.Type, s.Buffer.Scope)
	case last < 0 || s.Buffer.Shape[last] != MMAElems || s.Buffer.ElemStrides()[last] != 1:
		return fmt.Errorf("the last dimension of %s must be the %d elements of a lane, side by side", s.Buffer.Name, MMAElems)
	}
	if err := c.access(s.Buffer, append(s.Index[:len(s.Index):len(s.Index)], Int(0))); err != nil {
		return err
	}
	for _, o := range []Operand{s.A, s.B} {
		if o.First == nil {
			return fmt.Errorf("an operand is missing")
		}
		b := o.First.Buffer
		switch {
		case MMADepth(b.Type) == 0 || b.Type != s.A.First.Buffer.Type:
			return fmt.Errorf("operand %s is %s beside %s: both must be float16, bfloat16 or float32", b.Name, b.Type,
				s.A.First.Buffer.Type)
		case b.Scope != Shared:
			return fmt.Errorf("operand %s is in %s memory, not in shared memory", b.Name, b.Scope)
		case len(o.Row) != len(o.Col) || len(o.Row) > len(b.Shape):
			return fmt.Errorf("operand %s has %d dimensions, not %d and %d", b.Name, len(b.Shape), len(o.Row), len(o.Col))
		}
		if err := c.expr(o.First); err != nil {
			return err
		}
	}
	return c.typed(s.Lane, Index)
}

// mmaLoops checks that whole warps carry out an mma, one by one: it is inside a loop of 32
// threads bound to threadIdx.x.
func mmaLoops(around []*For, lane *For) error {
	if err := ofThreads("mma", around, lane); err != nil {
		return err
	}
	for _, l := range around {
		if n, ok := l.Extent.(*IntImm); ok && l.Thread == "threadIdx.x" && n.Value == WarpLanes {
			return nil
		}
	}
	return fmt.Errorf("mma outside of a loop over %d threads along threadIdx.x: a warp must be one", WarpLanes)
}
