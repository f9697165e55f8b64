package interp

import (
	"iter"
	"math"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// A GPU block runs one coroutine per thread. Each runs until a barrier; when all
// wait there, all go on. A thread that runs ahead as far as it may makes a
// missing barrier show as a read of an unwritten or of a wrong element.

// A block is the threads that share memory and barriers.
type block struct {
	shared map[*tir.Alloc]*memory
	at     *tir.Barrier // that the first thread to come to one waits at
}

// A thread is one coroutine of a block.
type thread struct {
	block  *block
	number int64
	index  map[string]int64 // by name: threadIdx.x, ...
	wait   func(struct{}) bool

	arrivals []arrival // asynchronous stores that it has not waited for
}

// sharedMemory returns the block's memory for s. It is one piece for the whole
// life of the block, as on the device.
func (b *block) sharedMemory(f *frame, s *tir.Alloc) *memory {
	m := b.shared[s]
	if m == nil {
		m = newMemory(s.Buffer).track(0)
		b.shared[s] = m
	}
	return m
}

// threadLoop compiles a loop bound to threadIdx. The outermost one starts the
// block: a thread for each point of the box of all thread loops inside. In a
// thread, the loop runs its body once, with the thread's own index.
func (c *compiler) threadLoop(s *tir.For) stmtFn {
	outermost := len(c.threads) == 0
	c.threads = append(c.threads, s)
	body := c.stmt(s.Body)
	c.threads = c.threads[:len(c.threads)-1]
	slot, extent := c.slot(s.Var), s.Extent.(*tir.IntImm).Value

	inThread := func(f *frame) {
		i := f.thread.index[s.Thread]
		if i >= extent {
			return
		}
		f.vars[slot], f.active[slot] = i, true
		body(f)
		f.active[slot] = false
	}
	if !outermost {
		return inThread
	}
	names, extents := blockShape(s)
	return func(f *frame) {
		f.at = s
		runBlock(f, names, extents, inThread)
	}
}

// blockShape returns the names of the thread loops in s and their greatest
// extents, in the order of appearance.
func blockShape(s *tir.For) (names []string, extents []int64) {
	tir.Visit(s, func(t tir.Stmt) bool {
		l, ok := t.(*tir.For)
		if !ok || l.Kind != tir.ThreadBound || !strings.HasPrefix(l.Thread, "threadIdx.") {
			return true
		}
		n := l.Extent.(*tir.IntImm).Value
		for i, name := range names {
			if name == l.Thread {
				extents[i] = max(extents[i], n)
				return true
			}
		}
		names, extents = append(names, l.Thread), append(extents, n)
		return true
	})
	return names, extents
}

func runBlock(f *frame, names []string, extents []int64, body stmtFn) {
	b := &block{shared: map[*tir.Alloc]*memory{}}
	total := int64(1)
	for _, n := range extents {
		total *= n
	}
	var resume []func() (struct{}, bool)
	f.run.epoch++
	f.run.block = f.run.epoch
	for _, number := range f.run.order(upTo(total)) {
		t := &thread{block: b, number: number, index: map[string]int64{}}
		for i := len(names) - 1; i >= 0; i-- { // neighbours differ in the innermost, as on a GPU
			t.index[names[i]] = number % extents[i]
			number /= extents[i]
		}
		g := f.fork(t)
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			defer func() {
				if p := recover(); p != nil && p != any(cancelled{}) {
					panic(p)
				}
			}()
			t.wait = yield
			body(g)
		})
		defer stop()
		resume = append(resume, next)
	}
	for len(resume) > 0 {
		waiting := 0
		b.at = nil
		for _, next := range resume {
			if _, ok := next(); ok {
				waiting++
			}
		}
		if waiting == 0 {
			return
		}
		if waiting < len(resume) {
			f.fail("%d of %d threads end while the others wait at a barrier", len(resume)-waiting, len(resume))
		}
		f.run.epoch++
		if b.at.Scope != tir.Warp {
			f.run.block = f.run.epoch
		}
	}
}

// cancelled ends a coroutine whose block failed.
type cancelled struct{}

// barrier compiles a barrier: a thread waits until all of its block have come to
// it.
func (c *compiler) barrier(s *tir.Barrier) stmtFn {
	return func(f *frame) {
		t := f.thread
		if t == nil {
			f.fail("barrier outside of thread loops")
		}
		if t.block.at == nil {
			t.block.at = s
		}
		if t.block.at != s {
			f.fail("thread %d waits at another barrier than the threads before it", t.number)
		}
		if !t.wait(struct{}{}) {
			panic(cancelled{})
		}
	}
}

// A touched element is one that threads of a block have accessed: which, and in
// which stretch between two barriers. In one stretch they run in no order that a
// program may rely on. Warps run in no order until all threads of the block have waited.
type touched struct {
	writer, reader         int64 // a thread; of several readers, several
	writerEpoch, readEpoch int64

	readers    int64 // the warp of all that have read it since the block waited; of several warps, several
	blockEpoch int64 // when they did
}

const several = -1

// warp returns the number of a thread's warp.
func (t *thread) warp() int64 { return t.number / tir.WarpLanes }

// byThreads returns what is known of an element of a memory that threads share.
func (e element) byThreads() *touched {
	if e.p.touched == nil {
		e.p.touched = make([]touched, e.p.elems)
	}
	return &e.p.touched[e.i]
}

// races reports whether another thread has written an element so that no barrier orders it before what t does now.
func (t *thread) races(f *frame, known *touched) bool {
	return known.writerEpoch == f.run.epoch && known.writer != t.number ||
		known.writerEpoch >= f.run.block && known.writer/tir.WarpLanes != t.warp()
}

// reads refuses a read of what another thread wrote in this stretch.
func (t *thread) reads(f *frame, e element) {
	known, now := e.byThreads(), f.run.epoch
	if t.races(f, known) {
		f.fail("race: thread %d reads %s, which thread %d wrote with no barrier between", t.number, e.m.position(e.at),
			known.writer)
	}
	switch {
	case known.readEpoch != now:
		known.reader, known.readEpoch = t.number, now
	case known.reader != t.number:
		known.reader = several
	}
	switch {
	case known.blockEpoch < f.run.block:
		known.readers, known.blockEpoch = t.warp(), now
	case known.readers != t.warp():
		known.readers = several
	}
}

// writes refuses a write of what another thread read or wrote in this stretch.
func (t *thread) writes(f *frame, e element) {
	known, now := e.byThreads(), f.run.epoch
	if t.races(f, known) {
		f.fail("race: thread %d writes %s, which thread %d wrote with no barrier between", t.number, e.m.position(e.at),
			known.writer)
	}
	if known.readEpoch == now && known.reader != t.number ||
		known.blockEpoch >= f.run.block && known.readers != t.warp() {
		f.fail("race: thread %d writes %s, which others read with no barrier between", t.number, e.m.position(e.at))
	}
	known.writer, known.writerEpoch = t.number, now
}

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

// mma compiles the product of two tiles: a thread computes the 4 elements of the tile that
// are its own. What it reads must have been written before the last barrier, even if by
// itself: on a GPU, other lanes of its warp read it, too.
func (c *compiler) mma(s *tir.MMA) stmtFn {
	e, k := tir.NewVar("e"), tir.NewVar("k")
	elem, depth, lane := c.slot(e), c.slot(k), c.intExpr(s.Lane)
	row, col := tir.MMAPlace(s.Lane, e)
	a, b := c.operand(s.A.At(row, k)), c.operand(s.B.At(k, col))
	own := &tir.Load{Buffer: s.Buffer, Index: append(s.Index[:len(s.Index):len(s.Index)], e)}
	place := c.read(own)
	return func(f *frame) {
		f.at = s
		if f.thread == nil {
			f.fail("mma outside of thread loops")
		}
		if want, got := f.thread.index["threadIdx.x"], lane(f); want != got || got >= tir.WarpLanes {
			f.fail("mma: thread %d along threadIdx.x is said to be lane %d", want, got)
		}
		f.active[elem], f.active[depth] = true, true
		for i := range int64(tir.MMAElems) {
			f.vars[elem] = i
			own := place(f)
			sum := loadFloat(tir.F32, own.p.data, int(own.i))
			for j := range s.Depth() {
				f.vars[depth] = j
				sum = float64(float32(sum + float64(float32(a(f)*b(f)))))
			}
			storeFloat(tir.F32, own.p.data, int(own.i), sum)
		}
		f.active[elem], f.active[depth] = false, false
	}
}

// operand compiles a load of an element of shared memory that any lane of the warp may carry out.
func (c *compiler) operand(l *tir.Load) floatFn {
	read, t := c.read(l), l.Buffer.Type
	return func(f *frame) float64 {
		e := read(f)
		if c.opt.Races {
			known := e.byThreads()
			if known.writerEpoch == f.run.epoch {
				f.fail("race: a warp reads %s, which thread %d wrote with no barrier between", e.m.position(e.at), known.writer)
			}
			known.reader = several
		}
		v := loadFloat(t, e.p.data, int(e.i))
		if t == tir.F32 {
			return float64(roundTF32(float32(v)))
		}
		return v
	}
}

// roundTF32 rounds to 10 bits of mantissa, halves away from zero: as tensor cores take what
// they multiply.
func roundTF32(v float32) float32 {
	if v != v {
		return v
	}
	const left = 23 - 10 // bits that are not kept
	return math.Float32frombits((math.Float32bits(v) + 1<<(left-1)) &^ (1<<left - 1))
}
