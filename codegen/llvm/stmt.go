package llvm

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

func (f *function) stmt(s tir.Stmt) {
	switch s := s.(type) {
	case *tir.For:
		f.loop(s)
	case *tir.Store:
		f.store(s)
	case *tir.If:
		f.branch(s)
	case *tir.Seq:
		for _, t := range s.Stmts {
			f.stmt(t)
		}
	case *tir.Alloc:
		if s.Buffer.InTiles() {
			f.inTiles(s.Buffer, s.Body)
			return
		}
		f.allocate(s.Buffer)
		f.stmt(s.Body)
	case *tir.Block:
		f.stmt(s.Body)
	case *tir.Pragma:
		f.stmt(s.Body)
	default:
		panic(fmt.Sprintf("BUG: llvm: statement %T", s))
	}
}

// branch emits an If: as a jump, or if the condition differs between lanes, by
// guarding what is stored.
func (f *function) branch(s *tir.If) {
	cond := f.expr(s.Cond)
	if cond.n > 1 {
		f.under(cond, s.Then)
		if s.Else != nil {
			f.under(f.not(cond), s.Else)
		}
		return
	}
	f.when(cond, func() { f.stmt(s.Then) })
	if s.Else != nil {
		f.when(f.not(cond), func() { f.stmt(s.Else) })
	}
}

func (f *function) under(cond value, s tir.Stmt) {
	f.guards = append(f.guards, cond)
	f.scope(func() { f.stmt(s) })
	f.guards = f.guards[:len(f.guards)-1]
}

// Limits of stack allocation, in bytes; what is larger comes from the heap.
const (
	maxStackBuffer = 32 << 10
	maxStack       = 192 << 10
)

// allocate gives b memory for the whole call, in the entry block: what is
// allocated inside a loop is the same memory each time.
func (f *function) allocate(b *tir.Buffer) {
	if _, ok := f.buffers[b]; ok {
		return // the body of an unrolled loop, again
	}
	name := f.fresh(b.Name)
	s := &storage{ref: name, strides: b.ElemStrides()}
	f.buffers[b] = s
	elems := f.lengthen(s, b)
	if size := elems * int64(b.Type.Bytes()); size <= maxStackBuffer && f.stack+size <= maxStack {
		f.stack += size
		s.stack = true
		f.entry = append(f.entry, fmt.Sprintf("  %s = alloca [%d x %s], align %d", name, elems, memoryType(b.Type),
			alignment))
		return
	}
	*s = storage{ref: name, strides: b.ElemStrides()}
	f.heap += (b.Bytes() + alignment - 1) / alignment * alignment
	f.m.need("declare noalias align 64 ptr @wmtune_alloc(" + f.m.rtType() + "i64) nounwind")
	f.m.need("declare void @wmtune_free(" + f.m.rtType() + "ptr) nounwind")
	f.entry = append(f.entry, fmt.Sprintf("  %s = call noalias align %d ptr @wmtune_alloc(%si64 %d)", name,
		alignment, f.m.rt(), b.Bytes()))
	f.exit = append(f.exit, fmt.Sprintf("  call void @wmtune_free(%sptr %s)", f.m.rt(), name))
}

// lengthen makes the rows of a temporary so long that the last vector of a row
// may be stored whole, and returns how many elements the temporary then has. A
// masked store would keep it from becoming registers.
func (f *function) lengthen(s *storage, b *tir.Buffer) int64 {
	last := len(b.Shape) - 1
	if !f.m.hasMasks() || b.Strides != nil || last < 0 {
		return b.Extent()
	}
	row := int64(0)
	for _, c := range f.m.chunks(b.Shape[last], f.m.target.Hardware.Lanes(b.Type.RegisterBytes())) {
		row += c.n
	}
	if row == b.Shape[last] {
		return b.Extent()
	}
	longer := *b
	longer.Shape = append(slices.Clone(b.Shape[:last]), row)
	s.strides, s.room = longer.ElemStrides(), row
	return longer.Extent()
}
