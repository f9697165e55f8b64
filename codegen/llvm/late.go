package llvm

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// Maxima and minima of reductions, which must be NaN if an element is. x86 has no such maximum, and looking for NaN in
// each element before the next one is folded costs a comparison and a selection. Here a mask beside the accumulator
// remembers whether an element was NaN, which costs one instruction, and the accumulator gets its NaN late:
//
//	m[i] = max(m[i], x[i])   =>   mask[i] = isnan(mask[i]) || isnan(x[i]) ? all ones, which is a NaN, : 0
//	...                           m[i] = x[i] > m[i] ? x[i] : m[i]
//	                              ...
//	                              m[i] = m[i] | mask[i]
//
// The last line is written when m is read for something else, or where the code branches; but after the loop, if a loop
// does nothing else with m.

// A lateNaN is an accumulator in memory whose NaN is still to be written.
type lateNaN struct {
	buffer *tir.Buffer
	off    arith.Linear // of the first lane
	typ    tir.DType
	n      int64
	mask   string // place of the mask on the stack
	held   bool   // until the end of a loop
	blank  bool   // the mask has no value yet
	odd    string // an element that was not looked at, or ""
}

// extremeFold returns the element that s folds into its accumulator by a maximum or minimum of floats.
func extremeFold(s *tir.Store) (tir.Expr, bool) {
	e, ok := s.Value.(*tir.Binary)
	if !ok || e.Op != tir.Max && e.Op != tir.Min {
		return nil, false
	}
	if t := e.DType(); t != tir.F32 && t != tir.F64 {
		return nil, false
	}
	if tir.IsStored(e.X, s) {
		return e.Y, true
	}
	return e.X, tir.IsStored(e.Y, s)
}

// foldExtreme emits s if it folds vectors by a maximum or minimum whose NaN can be late.
func (f *function) foldExtreme(s *tir.Store) bool {
	element, ok := extremeFold(s)
	if !ok || f.lane == nil || len(f.guards) > 0 {
		return false
	}
	p := f.place(s.Buffer, s.Index)
	if f.accessOf(p.off) != unit || f.lane.partial() && !p.room {
		return false
	}
	x := f.expr(element)
	if x.isNumber() {
		return false
	}
	x = f.fenced(f.spread(x, f.lane.n))
	_, off := f.split(p.off)
	l := f.lateAt(s.Buffer, off, x)
	if l == nil {
		return false
	}
	acc := f.loadAt(s.Buffer, off, x.n, value{}, nil)
	f.storeAt(s.Buffer, off, f.result(x, f.larger(s.Value.(*tir.Binary).Op, x, acc)))
	f.see(l, x)
	return true
}

// lateAt returns what is known of the accumulator at off, into which x is folded; nil if too much is known already.
func (f *function) lateAt(b *tir.Buffer, off arith.Linear, x value) *lateNaN {
	for _, l := range f.late {
		if d := l.off.Minus(off); l.buffer == b && l.n == x.n && d.IsConst() && d.Const == 0 {
			return l
		}
	}
	f.settle(func(l *lateNaN) bool {
		d := l.off.Minus(off)
		return l.buffer == b && !(d.IsConst() && (d.Const >= x.n || d.Const <= -l.n))
	})
	if len(f.late) >= f.m.maxLate() {
		f.settleStraight()
		if len(f.late) >= f.m.maxLate() {
			return nil
		}
	}
	l := &lateNaN{buffer: b, off: off, typ: x.typ, n: x.n, mask: f.fresh("nan")}
	f.late = append(f.late, l)
	f.entry = append(f.entry, fmt.Sprintf("  %s = alloca %s", l.mask, f.maskType(l)))
	if before := f.held[b]; before > 0 && off.IsConst() {
		l.held = true
		f.lines[before-1] += fmt.Sprintf("  store %s %s, ptr %s\n", f.maskType(l), f.nothingSeen(l), l.mask)
	} else {
		l.blank = true
	}
	return l
}

// maxLate is how many accumulators fit the registers together with their masks.
func (m *module) maxLate() int {
	if m.hasMasks() {
		return 6 // of 7 registers for masks
	}
	return 3 * m.target.Hardware.VectorRegisters / 8
}

// maskType is that of a mask: one bit a lane, 0 if NaN was seen, where the processor has such masks; otherwise floats
// all of whose bits are 1 if NaN was seen, and 0 if not.
func (f *function) maskType(l *lateNaN) string {
	if f.m.hasMasks() {
		return vectorType("i1", l.n)
	}
	return vectorType(scalarType(l.typ), l.n)
}

func (f *function) nothingSeen(l *lateNaN) string {
	if f.m.hasMasks() {
		return splatText("i1", "true", l.n)
	}
	return "zeroinitializer"
}

// see looks for NaN in an element: at once, in a second one with the same instruction if masks are bits, and in the
// first two of straight-line code.
func (f *function) see(l *lateNaN, x value) {
	switch {
	case l.odd != "":
		f.look(l, l.odd, x.ref)
	case l.blank || f.m.hasMasks():
		l.odd = x.ref
	default:
		f.look(l, "", x.ref)
	}
}

// look adds to a mask whether x or y is NaN; x may be empty where masks are floats.
func (f *function) look(l *lateNaN, x, y string) {
	typ, mask := f.maskType(l), ""
	if !l.blank {
		mask = f.instr(fmt.Sprintf("load %s, ptr %s", typ, l.mask))
	}
	if x == "" {
		x = mask
	}
	if f.m.hasMasks() {
		numbers := f.pure(fmt.Sprintf("fcmp ord %s %s, %s", vectorType(scalarType(l.typ), l.n), x, y))
		if mask != "" {
			numbers = f.pure(fmt.Sprintf("and %s %s, %s", typ, mask, numbers))
		}
		mask = numbers
	} else {
		nan := f.pure(fmt.Sprintf("fcmp uno %s %s, %s", typ, x, y))
		bits := f.pure(fmt.Sprintf("sext %s %s to %s", vectorType("i1", l.n), nan, l.bits()))
		mask = f.pure(fmt.Sprintf("bitcast %s %s to %s", l.bits(), bits, typ))
	}
	f.line("store %s %s, ptr %s", typ, mask, l.mask)
	l.odd, l.blank = "", false
}

// bits is the type of the accumulator as integers.
func (l *lateNaN) bits() string { return vectorType(fmt.Sprintf("i%d", 8*l.typ.Bytes()), l.n) }

// settleStraight writes the NaN of accumulators where straight-line code ends.
func (f *function) settleStraight() {
	f.settle(func(l *lateNaN) bool { return !l.held })
	for _, l := range f.late {
		if l.odd != "" {
			f.look(l, l.odd, l.odd)
		}
	}
}

// settleBuffer writes the NaN of accumulators in b.
func (f *function) settleBuffer(b *tir.Buffer) {
	f.settle(func(l *lateNaN) bool { return l.buffer == b })
}

func (f *function) settle(which func(*lateNaN) bool) {
	var kept []*lateNaN
	for _, l := range f.late {
		if !which(l) {
			kept = append(kept, l)
			continue
		}
		if l.odd != "" {
			f.look(l, l.odd, l.odd)
		}
		acc := f.loadAt(l.buffer, l.off, l.n, value{}, nil)
		typ := f.typeOf(acc)
		mask := f.instr(fmt.Sprintf("load %s, ptr %s", f.maskType(l), l.mask))
		if f.m.hasMasks() {
			acc.ref = f.choose(mask, l.n, typ, acc.ref, splatText(scalarType(l.typ), floatNaN, l.n))
		} else {
			x := f.pure(fmt.Sprintf("bitcast %s %s to %s", typ, acc.ref, l.bits()))
			y := f.pure(fmt.Sprintf("bitcast %s %s to %s", typ, mask, l.bits()))
			both := f.pure(fmt.Sprintf("or %s %s, %s", l.bits(), x, y))
			acc.ref = f.pure(fmt.Sprintf("bitcast %s %s to %s", l.bits(), both, typ))
		}
		f.storeAt(l.buffer, l.off, acc)
	}
	f.late = kept
}

const floatNaN = "0x7FF8000000000000"

// hold runs body, which writes the loop s, and lets the NaN of accumulators with which the loop does nothing else than
// to fold into them wait for its end.
func (f *function) hold(s *tir.For, body func()) {
	list := slices.DeleteFunc(folded(s), func(b *tir.Buffer) bool { return f.held[b] > 0 })
	if len(list) == 0 {
		body()
		return
	}
	f.settleStraight()
	f.lines = append(f.lines, "")
	before := len(f.lines) // after the line where masks are initialised
	for _, b := range list {
		f.held[b] = before
	}
	body()
	for _, b := range list {
		delete(f.held, b)
	}
	for _, l := range f.late {
		if slices.Contains(list, l.buffer) {
			l.held = false
		}
	}
}

// folded returns the buffers to which s does nothing else than to fold into them by a maximum or minimum.
func folded(s *tir.For) []*tir.Buffer {
	var list, others []*tir.Buffer
	reads := func(e tir.Expr) {
		for l := range tir.ExprsIn[*tir.Load](e) {
			others = append(others, l.Buffer)
		}
	}
	tir.Visit(s.Body, func(t tir.Stmt) bool {
		store, ok := t.(*tir.Store)
		if !ok {
			tir.Exprs(t, reads)
			return true
		}
		if e, ok := extremeFold(store); ok {
			list = append(list, store.Buffer)
			reads(e)
		} else {
			others = append(others, store.Buffer)
			reads(store.Value)
		}
		for _, e := range store.Index {
			reads(e)
		}
		return true
	})
	list = slices.DeleteFunc(list, func(b *tir.Buffer) bool { return slices.Contains(others, b) })
	return list
}
