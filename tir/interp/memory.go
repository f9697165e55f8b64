package interp

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// A memory is a buffer at run time.
type memory struct {
	buffer  *tir.Buffer
	data    []byte
	strides []int64

	// written holds, per element, the generation in which it was written; an
	// element of another generation is uninitialised. Nil: all are initialised.
	written    []uint32
	generation uint32

	// writer, if races are looked for, holds per concurrent loop and element
	// the iteration that wrote it last; see frame.touch.
	writer [][]int64

	own     bool      // by a GPU thread
	touched []touched // by the threads of a GPU block, if races are looked for

	underWay map[int64]int64 // elements that are stored asynchronously, and by which thread

	rest *Rest // nil unless only a part of the program runs
}

func newMemory(b *tir.Buffer, levels int) *memory {
	m := &memory{buffer: b, strides: b.ElemStrides(), data: make([]byte, b.Bytes()), generation: 1}
	m.written = make([]uint32, b.Extent())
	m.watch(levels)
	return m
}

// watch makes m remember who wrote each element, for so many nested concurrent
// loops.
func (m *memory) watch(levels int) {
	for range levels {
		m.writer = append(m.writer, make([]int64, m.buffer.Extent()))
	}
}

// clear makes every element of m uninitialised.
func (m *memory) clear() {
	m.generation++
	for _, w := range m.writer {
		clear(w)
	}
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

// unwritten returns the offset of an element of the shape that was never
// written, or -1.
func (m *memory) unwritten() int64 {
	index := make([]int64, len(m.strides))
	for range m.buffer.Elems() {
		at := int64(0)
		for d, i := range index {
			at += i * m.strides[d]
		}
		if m.written[at] != m.generation {
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

func addressOf4(fns [4]intFn, n, stride [4]int64, outside func(f *frame, m *memory, dim int, v int64)) func(*frame, *memory) int64 {
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

// read returns the memory and offset that a load reads, after its checks.
func (c *compiler) read(e *tir.Load) func(*frame) (*memory, int64) {
	slot, address, races := c.buffer(e.Buffer), c.address(e.Buffer, e.Index), c.opt.Races
	holes := c.part.Holes
	return func(f *frame) (*memory, int64) {
		m := f.memories[slot]
		at := address(f, m)
		if m.underWay != nil {
			f.underWay(m, at, "reads")
		}
		if m.written != nil && m.written[at] != m.generation && !holes {
			if m.rest == nil {
				f.fail("read of %s, which was not written", m.position(at))
			}
			m.rest.fill(m, at)
		}
		if races {
			if m.writer != nil {
				f.touch(m, at, "reads")
			}
			if f.thread != nil && !m.own && m.written != nil {
				f.thread.reads(f, m, at)
			}
		}
		return m, at
	}
}

func (c *compiler) loadFloat(e *tir.Load) floatFn {
	read, t := c.read(e), e.Buffer.Type
	return func(f *frame) float64 {
		m, at := read(f)
		return loadFloat(t, m.data, int(at))
	}
}

func (c *compiler) loadInt(e *tir.Load) intFn {
	read, t := c.read(e), e.Buffer.Type
	return func(f *frame) int64 {
		m, at := read(f)
		return loadInt(t, m.data, int(at))
	}
}

func (c *compiler) store(s *tir.Store) stmtFn {
	slot, address, t := c.buffer(s.Buffer), c.address(s.Buffer, s.Index), s.Buffer.Type
	races := c.opt.Races
	mark := func(f *frame, m *memory, at int64) {
		if m.underWay != nil {
			f.underWay(m, at, "writes")
		}
		if m.written != nil {
			m.written[at] = m.generation
		}
		if races {
			if m.writer != nil {
				f.touch(m, at, "writes")
				f.claim(m, at)
			}
			if f.thread != nil && !m.own {
				f.thread.writes(f, m, at)
			}
		}
		if m.rest != nil {
			m.rest.note(at)
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
			at := address(f, m)
			mark(f, m, at)
			storeFloat(t, m.data, int(at), v)
		}
	}
	value := c.intExpr(s.Value)
	return func(f *frame) {
		f.at = s
		v := value(f)
		m := f.memories[slot]
		at := address(f, m)
		mark(f, m, at)
		storeInt(t, m.data, int(at), v)
	}
}
