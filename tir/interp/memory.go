package interp

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// A memory is a buffer at run time.
type memory struct {
	buffer  *tir.Buffer
	strides []int64

	pages []*page // nil: not touched so far
	shift uint    // an element lies in page offset>>shift

	tracked    bool   // false: all elements are initialised
	generation uint32 // see page.written
	levels     int    // of nested concurrent loops, if races are looked for; see page.writer

	own bool // by a GPU thread

	underWay map[int64]int64 // elements that are stored asynchronously, and by which thread

	rest *Rest // nil unless only a part of the program runs
}

// position returns the indices of the element at offset, as text.
func (m *memory) position(offset int64) string {
	var parts []string
	for _, s := range m.strides {
		parts = append(parts, fmt.Sprint(offset/s))
		offset %= s
	}
	return m.buffer.Name + "[" + strings.Join(parts, ", ") + "]"
}

// address compiles the indices of an access of b: a function that checks them
// and returns the offset in elements.
func (c *compiler) address(b *tir.Buffer, index []tir.Expr) func(*frame, *memory) int64 {
	if len(index) != len(b.Shape) {
		panic(fmt.Sprintf("BUG: interp: %d indices for %s", len(index), b))
	}
	shape, strides := b.Shape, b.ElemStrides()
	fns := make([]intFn, len(index))
	for i, e := range index {
		fns[i] = c.intExpr(e)
	}
	outside := func(f *frame, m *memory, dim int, v int64) {
		f.fail("index %d of dimension %d of %s is outside of 0..%d", v, dim, b.Name, shape[dim]-1)
	}
	switch len(fns) {
	case 0:
		return func(*frame, *memory) int64 { return 0 }
	case 1:
		i0, n0, s0 := fns[0], uint64(shape[0]), strides[0]
		return func(f *frame, m *memory) int64 {
			a := i0(f)
			if uint64(a) >= n0 {
				outside(f, m, 0, a)
			}
			return a * s0
		}
	case 2:
		i0, n0, s0 := fns[0], uint64(shape[0]), strides[0]
		i1, n1, s1 := fns[1], uint64(shape[1]), strides[1]
		return func(f *frame, m *memory) int64 {
			a, b := i0(f), i1(f)
			if uint64(a) >= n0 {
				outside(f, m, 0, a)
			}
			if uint64(b) >= n1 {
				outside(f, m, 1, b)
			}
			return a*s0 + b*s1
		}
	}
	if len(fns) == 4 { // images
		return addressOf4([4]intFn(fns), [4]int64(shape), [4]int64(strides), outside)
	}
	return func(f *frame, m *memory) int64 {
		at := int64(0)
		for d, fn := range fns {
			i := fn(f)
			if uint64(i) >= uint64(shape[d]) {
				outside(f, m, d, i)
			}
			at += i * strides[d]
		}
		return at
	}
}

func addressOf4(fns [4]intFn, n, stride [4]int64, outside func(f *frame, m *memory, dim int, v int64)) func(
	*frame, *memory,
) int64 {
	i0, i1, i2, i3 := fns[0], fns[1], fns[2], fns[3]
	n0, n1, n2, n3 := uint64(n[0]), uint64(n[1]), uint64(n[2]), uint64(n[3])
	s0, s1, s2, s3 := stride[0], stride[1], stride[2], stride[3]
	return func(f *frame, m *memory) int64 {
		a, b, c, d := i0(f), i1(f), i2(f), i3(f)
		if uint64(a) >= n0 {
			outside(f, m, 0, a)
		}
		if uint64(b) >= n1 {
			outside(f, m, 1, b)
		}
		if uint64(c) >= n2 {
			outside(f, m, 2, c)
		}
		if uint64(d) >= n3 {
			outside(f, m, 3, d)
		}
		return a*s0 + b*s1 + c*s2 + d*s3
	}
}

// read returns the element that a load reads, after its checks.
func (c *compiler) read(e *tir.Load) func(*frame) element {
	slot, address, races := c.buffer(e.Buffer), c.address(e.Buffer, e.Index), c.opt.Races
	holes := c.part.Holes
	return func(f *frame) element {
		m := f.memories[slot]
		e := m.element(address(f, m))
		if m.underWay != nil {
			f.underWay(e, "reads")
		}
		if !holes && !e.initialised() {
			if m.rest == nil {
				f.fail("read of %s, which was not written", m.position(e.at))
			}
			m.rest.fill(e)
		}
		if races {
			if m.levels > 0 {
				f.touch(e, "reads")
			}
			if f.thread != nil && !m.own && m.tracked {
				f.thread.reads(f, e)
			}
		}
		return e
	}
}

func (c *compiler) loadFloat(e *tir.Load) floatFn {
	read, t := c.read(e), e.Buffer.Type
	return func(f *frame) float64 {
		e := read(f)
		return loadFloat(t, e.p.data, int(e.i))
	}
}

func (c *compiler) loadInt(e *tir.Load) intFn {
	read, t := c.read(e), e.Buffer.Type
	return func(f *frame) int64 {
		e := read(f)
		return loadInt(t, e.p.data, int(e.i))
	}
}

func (c *compiler) store(s *tir.Store) stmtFn {
	slot, address, t := c.buffer(s.Buffer), c.address(s.Buffer, s.Index), s.Buffer.Type
	races := c.opt.Races
	mark := func(f *frame, e element) {
		m := e.m
		if m.underWay != nil {
			f.underWay(e, "writes")
		}
		e.initialise()
		if races {
			if m.levels > 0 {
				f.touch(e, "writes")
				f.claim(e)
			}
			if f.thread != nil && !m.own {
				f.thread.writes(f, e)
			}
		}
		if m.rest != nil {
			m.rest.note(e.at)
		}
	}
	if s.Async {
		return c.storeAsync(s, mark)
	}
	if t.IsFloat() {
		value := c.floatExpr(s.Value)
		return func(f *frame) {
			f.at = s
			v := value(f)
			m := f.memories[slot]
			e := m.element(address(f, m))
			mark(f, e)
			storeFloat(t, e.p.data, int(e.i), v)
		}
	}
	value := c.intExpr(s.Value)
	return func(f *frame) {
		f.at = s
		v := value(f)
		m := f.memories[slot]
		e := m.element(address(f, m))
		mark(f, e)
		storeInt(t, e.p.data, int(e.i), v)
	}
}

// A page holds neighbouring elements of a memory, and what is known of each.
type page struct {
	elems int64
	data  []byte

	// written holds, per element, the generation of the memory in which it was
	// written; an element of another generation is uninitialised.
	written []uint32

	// writer holds, per concurrent loop that is watched and element, the iteration
	// that wrote it last; see frame.touch.
	writer []int64

	touched []touched // by the threads of a GPU block; nil before the first access
}

// pageShift makes pages small: of a large buffer, a block touches short pieces of rows
// that lie far from each other.
const pageShift = 8

// newMemory returns memory of zeros for b. A page is made when it is first touched, so
// that where a part of a program runs, memory follows what that part touches.
func newMemory(b *tir.Buffer) *memory {
	m := &memory{buffer: b, strides: b.ElemStrides(), generation: 1, shift: pageShift}
	m.pages = make([]*page, (b.Extent()+1<<pageShift-1)>>pageShift)
	return m
}

// memoryOf returns memory whose contents are data: one page, however large.
func memoryOf(b *tir.Buffer, data []byte) *memory {
	return &memory{
		buffer: b, strides: b.ElemStrides(), generation: 1, shift: 62,
		pages: []*page{{elems: b.Extent(), data: data}},
	}
}

// track makes m know which elements are written, none so far, and who wrote each, for
// so many nested concurrent loops. Memory that does not is initialised.
func (m *memory) track(levels int) *memory {
	m.tracked, m.levels = true, levels
	for _, p := range m.pages {
		if p != nil {
			m.note(p)
		}
	}
	return m
}

// note makes place for what is known of the elements of a page.
func (m *memory) note(p *page) {
	if m.tracked {
		p.written = make([]uint32, p.elems)
		p.writer = make([]int64, int64(m.levels)*p.elems)
	}
}

// An element is a place in a memory.
type element struct {
	m  *memory
	p  *page
	at int64 // from the start of the memory
	i  int64 // from the start of the page
}

// element returns the element at an offset.
func (m *memory) element(at int64) element {
	p := m.pages[at>>(m.shift&63)]
	if p == nil {
		p = m.makePage(at)
	}
	return element{m, p, at, at & (1<<(m.shift&63) - 1)}
}

func (m *memory) makePage(at int64) *page {
	number := at >> m.shift
	p := &page{elems: min(1<<m.shift, m.buffer.Extent()-number<<m.shift)}
	p.data = make([]byte, p.elems*int64(m.buffer.Type.Bytes()))
	m.note(p)
	m.pages[number] = p
	return p
}

// initialised reports whether an element was written.
func (e element) initialised() bool {
	return !e.m.tracked || e.p.written[e.i] == e.m.generation
}

// initialise notes that an element is written.
func (e element) initialise() {
	if e.m.tracked {
		e.p.written[e.i] = e.m.generation
	}
}

// clear makes every element of m uninitialised.
func (m *memory) clear() {
	m.generation++
	for _, p := range m.pages {
		if p != nil {
			clear(p.writer)
		}
	}
}

// unwritten returns the offset of an element of the shape that was never
// written, or -1.
func (m *memory) unwritten() int64 {
	index := make([]int64, len(m.strides))
	for range m.buffer.Elems() {
		at := int64(0)
		for d, i := range index {
			at += i * m.strides[d]
		}
		if !m.element(at).initialised() {
			return at
		}
		for d := len(index) - 1; d >= 0; d-- {
			if index[d]++; index[d] < m.buffer.Shape[d] {
				break
			}
			index[d] = 0
		}
	}
	return -1
}

// tensor returns the contents of memory that is one page.
func (m *memory) tensor() *Tensor {
	if len(m.pages) != 1 {
		panic("BUG: interp: " + m.buffer.Name + " lies in pages")
	}
	return &Tensor{Type: m.buffer.Type, Data: m.pages[0].data}
}
