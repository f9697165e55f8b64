package interp

import "github.com/wmtune/wmtune/tir"

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
