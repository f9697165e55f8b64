package vdla

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// Emit returns the instructions of a lowered program. Loops around what several units do are written out, and so are
// those of virtual threads; each nest that is left is a transfer or a computation. An error says which nest is none.
func Emit(f *tir.Func) (*Program, error) {
	e := &emitter{p: &Program{}, tensors: map[*tir.Buffer]int{}, places: map[*tir.Buffer]int64{},
		vars: map[*tir.Var]int64{}, kernels: map[string]int64{}}
	for i, b := range f.Params {
		e.tensors[b] = i
		e.p.Tensors = append(e.p.Tensors, Tensor{b.Name, b.Bytes(), i >= len(f.Params)-f.Outputs})
	}
	e.p.Instrs = []Instr{{Op: Load, Transfer: Transfer{Memory: Micro}}}
	if err := e.stmt(f.Body); err != nil {
		return nil, fmt.Errorf("vdla: %w", err)
	}
	e.p.Instrs[0].Row = int64(len(e.p.Micro)) * microBytes
	e.p.order()
	return e.p, nil
}

type emitter struct {
	p       *Program
	tensors map[*tir.Buffer]int
	places  map[*tir.Buffer]int64 // first bytes of what is on the chip
	top     [Micro]int64          // of what is taken of each memory
	vars    map[*tir.Var]int64    // of the loops that are written out
	kernels map[string]int64      // the first of some micro-operations, by their text
}

// memoryOf returns the memory that a scope stands for.
func memoryOf(b *tir.Buffer) (Memory, error) {
	switch {
	case b.Scope == tir.Inp && b.Type.Bytes() == 1:
		return Inp, nil
	case b.Scope == tir.Wgt && b.Type == tir.I8:
		if n := len(b.Shape); n < 2 || b.Shape[n-1]%Lanes != 0 || b.Shape[n-2]%Lanes != 0 || b.Strides != nil {
			return 0, fmt.Errorf("%s %v is not whole blocks of %d by %d", b.Name, b.Shape, Lanes, Lanes)
		}
		return Wgt, nil
	case b.Scope == tir.Local && b.Type == tir.I32:
		return Acc, nil
	}
	return 0, fmt.Errorf("%s is %s in %s memory: the chip has bytes in inp memory, int8 in wgt memory, and sums in int32",
		b.Name, b.Type, b.Scope)
}

func (e *emitter) stmt(s tir.Stmt) error {
	if n := nestOf(s); n != nil {
		return e.nest(n)
	}
	switch s := s.(type) {
	case *tir.Seq:
		for _, t := range s.Stmts {
			if err := e.stmt(t); err != nil {
				return err
			}
		}
		return nil
	case *tir.Pragma:
		return e.stmt(s.Body)
	case *tir.Block:
		return e.stmt(s.Body)
	case *tir.Alloc:
		m, err := memoryOf(s.Buffer)
		if err != nil {
			return err
		}
		return e.with(m, s.Buffer.Bytes(), func(at int64) error {
			e.places[s.Buffer] = at
			return e.stmt(s.Body)
		})
	case *tir.For:
		n, ok := arith.Eval(s.Extent, e.at)
		for i := int64(0); ok && i < n; i++ {
			e.vars[s.Var] = i
			if err := e.stmt(s.Body); err != nil {
				return err
			}
		}
		if ok {
			return nil
		}
	case *tir.If:
		c, ok := arith.Eval(s.Cond, e.at)
		switch {
		case ok && c != 0:
			return e.stmt(s.Then)
		case ok && s.Else != nil:
			return e.stmt(s.Else)
		case ok:
			return nil
		}
	}
	return fmt.Errorf("no instruction does this: %s", s)
}

// with has some bytes of a memory while f runs. What does not fit is refused when it is carried out.
func (e *emitter) with(m Memory, bytes int64, f func(at int64) error) error {
	unit, at := memories[m].unit, e.top[m]
	e.top[m] += (bytes + unit - 1) / unit * unit
	err := f(at)
	e.top[m] = at
	return err
}

func (e *emitter) at(x tir.Expr) (int64, bool) {
	v, ok := x.(*tir.Var)
	if !ok {
		return 0, false
	}
	n, ok := e.vars[v]
	return n, ok
}

// A nest is loops around one store, under conditions.
type nest struct {
	loops []*tir.For
	conds []tir.Expr
	store *tir.Store
}

// nestOf returns s as a nest, nil if it is none. What is unrolled stands for several instructions.
func nestOf(s tir.Stmt) *nest {
	n := &nest{}
	for {
		switch t := s.(type) {
		case *tir.For:
			if _, ok := t.Extent.(*tir.IntImm); !ok || t.Kind == tir.Unrolled {
				return nil
			}
			n.loops, s = append(n.loops, t), t.Body
		case *tir.If:
			if t.Else != nil {
				return nil
			}
			n.conds, s = append(n.conds, t.Cond), t.Then
		case *tir.Pragma:
			s = t.Body
		case *tir.Block:
			s = t.Body
		case *tir.Store:
			n.store = t
			return n
		default:
			return nil
		}
	}
}

// nest emits what one store does.
func (e *emitter) nest(n *nest) error {
	b, err := e.boxOf(n.loops, n.conds)
	if err != nil || b.empty() {
		return err
	}
	switch store := n.store; {
	case store.Buffer.InGlobal():
		return e.storeOut(b, store)
	case store.Buffer.Scope == tir.Local:
		if c, ok := store.Value.(*tir.IntImm); ok {
			return e.set(b, store, c.Value)
		}
		return e.product(b, store)
	default:
		return e.loadIn(n.loops, b, store)
	}
}

// An axis is a loop of an instruction: by how much each place that it reads or writes grows, by dimension.
type axis struct {
	n  int64
	by [][]int64
}

// A box is the iterations of some loops for which all conditions hold.
type box struct {
	loops []*tir.For
	lo, n []int64
}

func (b *box) empty() bool { return slices.ContainsFunc(b.n, func(n int64) bool { return n < 1 }) }

// boxOf returns the box of loops. Each condition must be about one loop, and hold for neighbours.
func (e *emitter) boxOf(loops []*tir.For, conds []tir.Expr) (*box, error) {
	b := &box{loops: loops, lo: make([]int64, len(loops))}
	for _, l := range loops {
		b.n = append(b.n, l.Extent.(*tir.IntImm).Value)
		e.vars[l.Var] = 0
	}
	for _, c := range conds {
		if err := e.restrict(b, c); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (e *emitter) restrict(b *box, cond tir.Expr) error {
	if and, ok := cond.(*tir.Binary); ok && and.Op == tir.And {
		if err := e.restrict(b, and.X); err != nil {
			return err
		}
		return e.restrict(b, and.Y)
	}
	about := -1
	for i, l := range b.loops {
		if tir.Uses(cond, l.Var) && about >= 0 {
			return fmt.Errorf("a condition on two loops of a transfer: %s", cond)
		} else if tir.Uses(cond, l.Var) {
			about = i
		}
	}
	holds := func(i int64) (bool, error) {
		if about >= 0 {
			e.vars[b.loops[about].Var] = i
			defer func() { e.vars[b.loops[about].Var] = 0 }()
		}
		v, ok := arith.Eval(cond, e.at)
		if !ok {
			return false, fmt.Errorf("a condition that is not known: %s", cond)
		}
		return v != 0, nil
	}
	if about < 0 {
		ok, err := holds(0)
		if !ok && len(b.n) > 0 {
			b.n[0] = 0
		} else if !ok {
			b.lo, b.n = []int64{0}, []int64{0}
		}
		return err
	}
	first, last, count := int64(0), int64(-1), int64(0)
	for i := b.lo[about]; i < b.lo[about]+b.n[about]; i++ {
		ok, err := holds(i)
		if err != nil {
			return err
		}
		if ok && count == 0 {
			first = i
		}
		if ok {
			last, count = i, count+1
		}
	}
	if count > 0 && count != last-first+1 {
		return fmt.Errorf("a condition with gaps: %s", cond)
	}
	b.lo[about], b.n[about] = first, count
	return nil
}

// An access is an element of a buffer in the first iteration of a box.
type access struct {
	buffer *tir.Buffer
	base   []int64
}

// axes returns what a box makes of some elements.
func (e *emitter) axes(b *box, list ...*tir.Load) ([]access, []axis, error) {
	accesses, axes := make([]access, len(list)), make([]axis, len(b.loops))
	for i, l := range b.loops {
		axes[i] = axis{b.n[i], make([][]int64, len(list))}
		e.vars[l.Var] = b.lo[i]
	}
	for k, l := range list {
		accesses[k] = access{l.Buffer, make([]int64, len(l.Index))}
		for d, index := range l.Index {
			var ok bool
			if accesses[k].base[d], ok = arith.Eval(index, e.at); !ok {
				return nil, nil, fmt.Errorf("an index that is not known: %s", index)
			}
			for i, loop := range b.loops {
				by, ok := arith.Coefficient(index, loop.Var)
				if !ok {
					return nil, nil, fmt.Errorf("an index that does not grow evenly: %s", index)
				}
				axes[i].by[k] = append(axes[i].by[k], by)
			}
		}
		if len(l.Index) == 0 {
			for i := range axes {
				axes[i].by[k] = []int64{}
			}
		}
	}
	return accesses, slices.DeleteFunc(axes, func(a axis) bool { return a.n == 1 }), nil
}

// inBlocks splits the axes along one of the last dimensions of an access into those of whole blocks, and 16 in a block.
func inBlocks(axes []axis, access, dims int) []axis {
	var list []axis
	for _, a := range axes {
		by := a.by[access]
		if !slices.Contains(by[max(0, len(by)-dims):], 1) || a.n <= Lanes || a.n%Lanes != 0 {
			list = append(list, a)
			continue
		}
		outer := axis{a.n / Lanes, make([][]int64, len(a.by))}
		for k := range a.by {
			for _, by := range a.by[k] {
				outer.by[k] = append(outer.by[k], by*Lanes)
			}
		}
		list = append(list, outer, axis{Lanes, a.by})
	}
	return list
}

// first returns the first byte of an access, in its memory or tensor.
func (e *emitter) first(a access) (int64, error) {
	at := e.places[a.buffer]
	if a.buffer.Scope != tir.Wgt {
		return at + dot(a.base, a.buffer.ElemStrides())*int64(a.buffer.Type.Bytes()), nil
	}
	for _, n := range a.base[len(a.base)-2:] {
		if n%Lanes != 0 {
			return 0, fmt.Errorf("%s is not read from the beginning of a block", a.buffer.Name)
		}
	}
	return at + dot(a.base, blockStrides(a.buffer)), nil
}

// bytes returns by how many bytes an access grows along an axis. In memory Wgt, blocks lie one after the other.
func bytes(b *tir.Buffer, a axis, by []int64) (int64, error) {
	if b.Scope != tir.Wgt {
		return dot(by, b.ElemStrides()) * int64(b.Type.Bytes()), nil
	}
	strides := blockStrides(b)
	for d, inBlock := range []int64{Lanes, 1} {
		at := len(by) - 2 + d
		switch {
		case by[at]%Lanes == 0:
		case by[at] == 1 && a.n == Lanes:
			strides[at] = inBlock
		default:
			return 0, fmt.Errorf("%s is not read in whole blocks", b.Name)
		}
	}
	return dot(by, strides), nil
}

// blockStrides returns how many bytes a step along each dimension is, for steps from block to block.
func blockStrides(b *tir.Buffer) []int64 {
	strides := b.ElemStrides()
	strides[len(strides)-1] = Lanes
	return strides
}

func dot(x, y []int64) (sum int64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}
