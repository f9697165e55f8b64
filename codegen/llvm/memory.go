package llvm

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// alignment of every buffer: of arguments by the ABI, of temporaries by
// construction. One cache line.
const alignment = 64

// storageOf returns where b lives; a buffer of the caller becomes an argument.
func (f *function) storageOf(b *tir.Buffer) *storage {
	if s, ok := f.buffers[b]; ok {
		return s
	}
	if f.parent == nil {
		panic("BUG: llvm: buffer " + b.Name + " is not allocated")
	}
	outer := f.parent.storageOf(b)
	name := f.fresh(b.Name)
	f.params = append(f.params, param{
		decl: fmt.Sprintf("ptr noalias align %d %s", alignment, name),
		arg:  "ptr " + outer.ref,
	})
	s := *outer
	s.ref, s.stack = name, false
	f.buffers[b] = &s
	return &s
}

// A place is where an access goes.
type place struct {
	off    arith.Linear // in elements
	inside bool         // every index is within the shape in all lanes that count
	room   bool         // all lanes are in memory that is the row's own
}

// place returns where an access of b goes.
func (f *function) place(b *tir.Buffer, index []tir.Expr) place {
	s := f.storageOf(b)
	p := place{inside: true}
	for d, e := range index {
		x := f.index(e)
		in, _ := f.bounds(x)
		p.inside = p.inside && in.Within(arith.Between(0, b.Shape[d]-1))
		p.off = p.off.Plus(s.strides[d], x)
		if d == len(index)-1 && s.room > 0 && f.lane != nil {
			_, u := f.split(x)
			p.room = u.IsConst() && u.Const+f.lane.valid == b.Shape[d] && u.Const+f.lane.n <= s.room
		}
	}
	return p
}

// overreads reports whether reading all lanes at p may leave the buffer though
// those that count do not.
func (f *function) overreads(b *tir.Buffer, p place) bool {
	if !f.lane.partial() || p.room {
		return false
	}
	in, ok := f.bounds(p.off)
	return !ok || in.Hi+f.lane.n-f.lane.valid >= b.Extent()
}

// shape of an access by the lanes.
type access uint8

const (
	uniform access = iota // one element for all lanes
	unit                  // neighbours
	scatter               // anything else
)

func (f *function) accessOf(off arith.Linear) access {
	v, _ := f.split(off)
	switch {
	case len(v.Terms) == 0:
		return uniform
	case len(v.Terms) == 1 && v.Terms[0].Atom == f.lane.atom && v.Terms[0].Factor == 1:
		return unit
	}
	return scatter
}

// address returns a pointer to the element at a uniform offset. The variable
// part is computed apart from the constant one, so that neighbours share it.
func (f *function) address(b *tir.Buffer, off arith.Linear) string {
	return f.after(f.storageOf(b).ref, b, off)
}

// after returns a pointer to the element of b at an offset from another one.
func (f *function) after(p string, b *tir.Buffer, off arith.Linear) string {
	typ := memoryType(b.Type)
	if !off.IsConst() {
		rest := off
		rest.Const = 0
		p = f.pure(fmt.Sprintf("getelementptr %s, ptr %s, i64 %s", typ, p, f.text(rest)))
	}
	if off.Const != 0 {
		p = f.pure(fmt.Sprintf("getelementptr %s, ptr %s, i64 %d", typ, p, off.Const))
	}
	return p
}

// alignmentAt returns the alignment in bytes of an address at a uniform offset.
func alignmentAt(b *tir.Buffer, off arith.Linear) int64 {
	size := int64(b.Type.Bytes())
	g := off.Const * size
	for _, t := range off.Terms {
		g |= t.Factor * size
	}
	if g == 0 {
		return alignment
	}
	return min(alignment, g&-g)
}

// load reads an element, or one per lane. Under guards it reads only where
// they hold, unless the place is inside the buffer in any case.
func (f *function) load(e *tir.Load) value {
	v, _ := f.loadOr(e, nil)
	return v
}

// loadOr is load, and reports whether the value is certainly a constant where
// the guards do not hold; nil is 0.
func (f *function) loadOr(e *tir.Load, other *tir.FloatImm) (v value, certain bool) {
	b := e.Buffer
	f.settleBuffer(b)
	p := f.place(b, e.Index)
	guard, guarded := f.guard()
	guarded = guarded && !p.inside
	if !guarded {
		guard = value{}
	}
	switch f.accessOf(p.off) {
	case uniform:
		if guarded && guard.n > 1 {
			return f.loadAt(b, p.off, 1, f.anyLane(guard), other), false
		}
		return f.loadAt(b, p.off, 1, guard, other), guarded
	case unit:
		_, u := f.split(p.off)
		switch over := f.overreads(b, p); {
		case over && guarded && guard.n > 1:
			return f.loadMasked(b, f.address(b, u), u, f.both(f.lane.counting(), guard), other), true
		case over && guarded:
			p := f.orConstant(f.address(b, u), guard, other, f.lane.n*int64(b.Type.Bytes()))
			return f.loadMasked(b, p, u, f.lane.counting(), nil), true
		case over:
			return f.loadMasked(b, f.address(b, u), u, f.lane.counting(), nil), false
		case guarded && guard.n > 1:
			return f.loadMasked(b, f.address(b, u), u, guard, other), true
		}
		return f.loadAt(b, u, f.lane.n, guard, other), guarded
	}
	if !guarded {
		if v, ok := f.alternate(b, p); ok {
			return v, false
		}
		if v, ok := f.transposed(b, p); ok {
			return v, false
		}
	}
	if v, ok := f.lookup(e); ok {
		return v, false
	}
	if v, ok := f.gathered(e, p, guard, other); ok {
		return v, guarded
	}
	list := make([]value, f.lane.valid)
	certain = true
	f.eachLane(func(l int64) {
		var c bool
		list[l], c = f.loadOr(e, other)
		certain = certain && c
	})
	return f.collect(list), certain
}

// loadAt reads n neighbours, or a constant if there is a guard and it, a scalar, is false.
func (f *function) loadAt(b *tir.Buffer, off arith.Linear, n int64, guard value, other *tir.FloatImm) value {
	p, align := f.address(b, off), alignmentAt(b, off)
	if guard.ref != "" {
		p = f.orConstant(p, guard, other, n*int64(b.Type.Bytes()))
	}
	typ := vectorType(memoryType(b.Type), n)
	return f.widen(b.Type, f.read(b, fmt.Sprintf("load %s%s, ptr %s, align %d", f.onStack(b, off), typ, p, align)), n)
}

// orConstant returns a pointer from which a constant of so many bytes is read instead where the guard, a scalar, is
// false. That is cheaper than a jump, and LLVM makes a jump of a selection. It is cheaper than a mask without lanes,
// too: if the address is in no page, the processor takes 126 ns to read nothing (Zen 5, a convolution's tiles that meet
// padding).
func (f *function) orConstant(p string, guard value, other *tir.FloatImm, bytes int64) string {
	return f.pure(fmt.Sprintf("select i1 %s, ptr %s, ptr %s", guard.ref, p, f.m.constants(other, bytes)))
}

// constants returns the place of so many bytes of a constant, of 64 at least; nil is 0. A vector may have more: the
// elements that a comparison of int64 reads do not count for how many lanes there are.
func (m *module) constants(c *tir.FloatImm, bytes int64) string {
	const global = "%s = private unnamed_addr constant %s, align 64"
	size, suffix := int64(64), ""
	if bytes > size {
		size, suffix = bytes, fmt.Sprintf(".%d", bytes)
	}
	var v value
	if c != nil {
		v = floatValue(c.Type, c.Value)
	}
	if c == nil || v.ref == floatZero { // of float32, 1e-50 is 0
		name := "@wmtune.zeros" + suffix
		m.need(fmt.Sprintf(global, name, fmt.Sprintf("[%d x i8] zeroinitializer", size)))
		return name
	}
	typ, n := scalarType(c.Type), size/int64(c.Type.Bytes())
	list := splatText(typ, v.ref, n)
	name := fmt.Sprintf("@wmtune.%s.%s%s", typ, v.ref[2:], suffix)
	m.need(fmt.Sprintf(global, name, fmt.Sprintf("[%d x %s] [%s]", n, typ, list[1:len(list)-1])))
	return name
}

// loadMasked reads neighbours from p, which is at off, in the lanes where mask holds; others are a constant, nil being
// 0.
func (f *function) loadMasked(b *tir.Buffer, p string, off arith.Linear, mask value, other *tir.FloatImm) value {
	align, n := alignmentAt(b, off), f.lane.n
	mem := memoryType(b.Type)
	typ, bits := vectorType(mem, n), vectorType("i1", n)
	name := "@llvm.masked.load." + mangle(mem, n) + ".p0"
	rest := "zeroinitializer"
	if other != nil {
		rest = splatText(mem, floatValue(other.Type, other.Value).ref, n)
	}
	f.m.need(fmt.Sprintf("declare %s %s(ptr, i32 immarg, %s, %s)", typ, name, bits, typ))
	return f.widen(b.Type, f.read(b, fmt.Sprintf("call %s %s(ptr %s, i32 %d, %s %s, %s %s)",
		typ, name, p, align, bits, mask.ref, typ, rest)), n)
}

// read writes an instruction that reads b. Inputs do not change, so that of
// them an equal read before is used again.
func (f *function) read(b *tir.Buffer, text string) string {
	if f.m.inputs[b] {
		return f.pure(text)
	}
	return f.instr(text)
}

// anyLane returns whether mask holds in some lane that counts.
func (f *function) anyLane(mask value) value {
	if f.lane.partial() {
		mask = f.both(mask, f.lane.counting())
	}
	typ := f.typeOf(mask)
	name := "@llvm.vector.reduce.or." + mangle("i1", mask.n)
	f.m.need(fmt.Sprintf("declare i1 %s(%s)", name, typ))
	return value{typ: tir.Bool, n: 1, ref: f.pure(fmt.Sprintf("call i1 %s(%s %s)", name, typ, mask.ref))}
}

// eachLane writes scalar code for each lane that counts in turn.
func (f *function) eachLane(body func(l int64)) {
	outer, guards := f.lane, f.guards
	saved := f.vars[outer.v]
	for l := range outer.valid {
		f.guards = make([]value, len(guards))
		for i, g := range guards {
			f.guards[i] = f.laneOf(g, l)
		}
		f.vars[outer.v] = outer.base.AddConst(l)
		f.lane = nil
		body(l)
		f.lane = outer
	}
	f.vars[outer.v], f.guards = saved, guards
}

// store writes an element, or one per lane where the guards hold.
func (f *function) store(s *tir.Store) {
	if f.foldExtreme(s) {
		return
	}
	f.chain = nil
	if s.Value.DType().IsFloat() {
		f.chain = s
	}
	v := f.expr(s.Value)
	f.chain = nil
	f.assign(s, v)
}

// assign writes v to the element of s, or one per lane.
func (f *function) assign(s *tir.Store, v value) {
	f.settleBuffer(s.Buffer)
	p := f.place(s.Buffer, s.Index)
	mask, masked := f.guard()
	access := f.accessOf(p.off)
	if access == uniform && masked {
		access = scatter // one lane at most stores: the guards see to it
	}
	switch access {
	case uniform:
		if v.n > 1 {
			panic("BUG: llvm: lanes store to one element")
		}
		f.storeAt(s.Buffer, p.off, v)
	case unit:
		_, u := f.split(p.off)
		v = f.spread(v, f.lane.n)
		switch partial := f.lane.partial() && !p.room; {
		case partial && masked:
			f.storeMasked(s.Buffer, u, v, f.both(f.lane.counting(), mask))
		case partial:
			f.storeMasked(s.Buffer, u, v, f.lane.counting())
		case masked:
			f.storeMasked(s.Buffer, u, v, f.spread(mask, f.lane.n))
		default:
			f.storeAt(s.Buffer, u, v)
		}
	default:
		f.eachLane(func(l int64) {
			p := f.place(s.Buffer, s.Index)
			write := func() { f.storeAt(s.Buffer, p.off, f.laneOf(v, l)) }
			if masked {
				f.when(f.laneOf(mask, l), write)
			} else {
				write()
			}
		})
	}
}

func (f *function) storeAt(b *tir.Buffer, off arith.Linear, v value) {
	p := f.address(b, off)
	f.line("store %s%s %s, ptr %s, align %d", f.onStack(b, off), vectorType(memoryType(b.Type), v.n), f.narrow(v), p,
		alignmentAt(b, off))
}

func (f *function) storeMasked(b *tir.Buffer, off arith.Linear, v, mask value) {
	p, mem := f.address(b, off), memoryType(b.Type)
	typ, bits := vectorType(mem, v.n), vectorType("i1", v.n)
	name := "@llvm.masked.store." + mangle(mem, v.n) + ".p0"
	f.m.need(fmt.Sprintf("declare void %s(%s, ptr, i32 immarg, %s)", name, typ, bits))
	f.line("call void %s(%s %s, ptr %s, i32 %d, %s %s)", name, typ, f.narrow(v), p, alignmentAt(b, off), bits, mask.ref)
}

// when runs body if a scalar condition holds.
func (f *function) when(cond value, body func()) {
	if cond.isConst {
		if cond.ref == "true" {
			body()
		}
		return
	}
	f.settleStraight()
	then, end := f.label("then"), f.label("end")
	f.line("br i1 %s, label %%%s, label %%%s", cond.ref, then, end)
	f.begin(then)
	f.straight(body)
	f.line("br label %%%s", end)
	f.begin(end)
}
