package interp

import "github.com/wmtune/wmtune/tir"

// An arrival is an element that a thread has stored asynchronously and not waited for.
type arrival struct {
	m  *memory
	at int64
	do func() // writes it
}

// storeAsync compiles an asynchronous store: the value is computed now, and is there
// when the thread waits. In the meantime an access by whatever thread is a fault. Races
// are looked for when the store begins and when it ends.
func (c *compiler) storeAsync(s *tir.Store, mark func(f *frame, m *memory, at int64)) stmtFn {
	slot, address, t := c.buffer(s.Buffer), c.address(s.Buffer, s.Index), s.Buffer.Type
	var value func(f *frame) func(m *memory, at int64)
	if t.IsFloat() {
		v := c.floatExpr(s.Value)
		value = func(f *frame) func(*memory, int64) {
			x := v(f)
			return func(m *memory, at int64) { storeFloat(t, m.data, int(at), x) }
		}
	} else {
		v := c.intExpr(s.Value)
		value = func(f *frame) func(*memory, int64) {
			x := v(f)
			return func(m *memory, at int64) { storeInt(t, m.data, int(at), x) }
		}
	}
	return func(f *frame) {
		f.at = s
		if f.thread == nil {
			f.fail("asynchronous store outside of thread loops")
		}
		write := value(f)
		m := f.memories[slot]
		at := address(f, m)
		f.underWay(m, at, "writes")
		if c.opt.Races && !m.own {
			f.thread.writes(f, m, at)
		}
		if m.underWay == nil {
			m.underWay = map[int64]int64{}
		}
		m.underWay[at] = f.thread.number
		f.thread.arrivals = append(f.thread.arrivals, arrival{m, at, func() {
			mark(f, m, at)
			write(m, at)
		}})
	}
}

// underWay refuses an access of an element that is being stored asynchronously.
func (f *frame) underWay(m *memory, at int64, verb string) {
	if by, ok := m.underWay[at]; ok {
		f.fail("thread %d %s %s, which thread %d stores asynchronously and has not waited for", f.thread.number, verb, m.position(at), by)
	}
}

// wait compiles a wait: what the thread has stored asynchronously arrives.
func (c *compiler) wait(s *tir.Wait) stmtFn {
	return func(f *frame) {
		f.at = s
		if f.thread == nil {
			f.fail("wait outside of thread loops")
		}
		for _, a := range f.thread.arrivals {
			delete(a.m.underWay, a.at)
			a.do()
		}
		f.thread.arrivals = f.thread.arrivals[:0]
	}
}
