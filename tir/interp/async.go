package interp

import "github.com/wmtune/wmtune/tir"

// An arrival is an element that a thread has stored asynchronously and not waited for.
type arrival struct {
	element
	do func() // writes it
}

// storeAsync compiles an asynchronous store: the value is computed now, and is there
// when the thread waits. In the meantime an access by whatever thread is a fault. Races
// are looked for when the store begins and when it ends.
func (c *compiler) storeAsync(s *tir.Store, mark func(f *frame, e element)) stmtFn {
	slot, address, t := c.buffer(s.Buffer), c.address(s.Buffer, s.Index), s.Buffer.Type
	var value func(f *frame) func(e element)
	if t.IsFloat() {
		v := c.floatExpr(s.Value)
		value = func(f *frame) func(element) {
			x := v(f)
			return func(e element) { storeFloat(t, e.p.data, int(e.i), x) }
		}
	} else {
		v := c.intExpr(s.Value)
		value = func(f *frame) func(element) {
			x := v(f)
			return func(e element) { storeInt(t, e.p.data, int(e.i), x) }
		}
	}
	return func(f *frame) {
		f.at = s
		if f.thread == nil {
			f.fail("asynchronous store outside of thread loops")
		}
		write := value(f)
		m := f.memories[slot]
		e := m.element(address(f, m))
		f.underWay(e, "writes")
		if c.opt.Races && !m.own {
			f.thread.writes(f, e)
		}
		if m.underWay == nil {
			m.underWay = map[int64]int64{}
		}
		m.underWay[e.at] = f.thread.number
		f.thread.arrivals = append(f.thread.arrivals, arrival{e, func() {
			mark(f, e)
			write(e)
		}})
	}
}

// underWay refuses an access of an element that is being stored asynchronously.
func (f *frame) underWay(e element, verb string) {
	if by, ok := e.m.underWay[e.at]; ok {
		f.fail("thread %d %s %s, which thread %d stores asynchronously and has not waited for", f.thread.number, verb,
			e.m.position(e.at), by)
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
