package interp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

type stmtFn func(*frame)

// A compiler turns a function into closures. Variables and buffers get slots.
type compiler struct {
	opt        Options
	part       Part
	slots      map[*tir.Var]int
	varNames   []string
	floatSlots int
	buffers    map[*tir.Buffer]int
	level      int // number of concurrent loops around
	levels     int // its maximum
	threads    []*tir.For
}

func newCompiler(opt Options) *compiler {
	return &compiler{opt: opt, slots: map[*tir.Var]int{}, buffers: map[*tir.Buffer]int{}}
}

// slot returns the place of an integer variable in a frame.
func (c *compiler) slot(v *tir.Var) int {
	n, ok := c.slots[v]
	if !ok {
		n = len(c.varNames)
		c.slots[v] = n
		c.varNames = append(c.varNames, v.Name)
	}
	return n
}

// floatSlot returns the place of a float variable in a frame.
func (c *compiler) floatSlot(v *tir.Var) int {
	n, ok := c.slots[v]
	if !ok {
		n = c.floatSlots
		c.slots[v] = n
		c.floatSlots++
	}
	return n
}

func (c *compiler) declare(b *tir.Buffer) int {
	n := len(c.buffers)
	c.buffers[b] = n
	return n
}

func (c *compiler) buffer(b *tir.Buffer) int {
	n, ok := c.buffers[b]
	if !ok {
		panic(fmt.Sprintf("BUG: interp: %s is neither a parameter nor allocated", b.Name))
	}
	return n
}

func (c *compiler) stmt(s tir.Stmt) stmtFn {
	switch s := s.(type) {
	case *tir.Store:
		return c.store(s)
	case *tir.For:
		return c.loop(s)
	case *tir.If:
		return c.ifStmt(s)
	case *tir.Seq:
		list := make([]stmtFn, len(s.Stmts))
		for i, t := range s.Stmts {
			list[i] = c.stmt(t)
		}
		return func(f *frame) {
			for _, run := range list {
				run(f)
			}
		}
	case *tir.Alloc:
		return c.alloc(s)
	case *tir.Block:
		return c.stmt(s.Body)
	case *tir.Pragma:
		return c.stmt(s.Body)
	case *tir.Barrier:
		return c.barrier(s)
	case *tir.Wait:
		return c.wait(s)
	case *tir.MMA:
		return c.mma(s)
	}
	panic(fmt.Sprintf("BUG: interp: statement %T", s))
}

func (c *compiler) ifStmt(s *tir.If) stmtFn {
	cond, then := c.intExpr(s.Cond), c.stmt(s.Then)
	if s.Else == nil {
		return func(f *frame) {
			f.at = s
			if cond(f) != 0 {
				then(f)
			}
		}
	}
	els := c.stmt(s.Else)
	return func(f *frame) {
		f.at = s
		if cond(f) != 0 {
			then(f)
		} else {
			els(f)
		}
	}
}

// concurrent reports whether the iterations of s are independent of each other
// for good: nothing makes one wait for another.
func concurrent(s *tir.For) bool {
	return s.Kind == tir.Parallel || s.Kind == tir.Vectorized ||
		s.Kind == tir.ThreadBound && strings.HasPrefix(s.Thread, "blockIdx.")
}

func (c *compiler) loop(s *tir.For) stmtFn {
	if s.Kind == tir.ThreadBound && strings.HasPrefix(s.Thread, "threadIdx.") {
		return c.threadLoop(s)
	}
	if !concurrent(s) {
		return c.serialLoop(s)
	}
	extent, slot := c.intExpr(s.Extent), c.slot(s.Var)
	only, part := c.part.Only[s]
	level := c.level
	c.level++
	c.levels = max(c.levels, c.level)
	body := c.stmt(s.Body)
	c.level--
	return func(f *frame) {
		f.at = s
		n := extent(f)
		f.active[slot] = true
		f.first[level] = f.run.next + 1
		if !part {
			only = upTo(n)
		}
		for _, i := range f.run.order(only) {
			f.run.next++
			f.iteration[level] = f.run.next
			f.vars[slot] = i
			body(f)
		}
		f.first[level], f.iteration[level] = 0, 0
		f.active[slot] = false
	}
}

// serialLoop compiles a loop whose iterations run in order. What takes long are such loops
// in others, so each looks whether the run is to end.
func (c *compiler) serialLoop(s *tir.For) stmtFn {
	extent, slot, body := c.intExpr(s.Extent), c.slot(s.Var), c.stmt(s.Body)
	if only, part := c.part.Only[s]; part {
		return func(f *frame) {
			f.at = s
			f.active[slot] = true
			for _, i := range only {
				f.vars[slot] = i
				body(f)
			}
			f.active[slot] = false
		}
	}
	return func(f *frame) {
		f.run.poll()
		f.at = s
		n := extent(f)
		f.active[slot] = true
		for i := range n {
			f.vars[slot] = i
			body(f)
		}
		f.active[slot] = false
	}
}

// upTo returns 0..n-1.
func upTo(n int64) []int64 {
	list := make([]int64, max(n, 0))
	for i := range list {
		list[i] = int64(i)
	}
	return list
}

// order returns the iterations of a concurrent loop in the order in which they
// are to run.
func (r *run) order(list []int64) []int64 {
	list = slices.Clone(list)
	if r.opt.Shuffle {
		r.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	if r.opt.Reverse {
		slices.Reverse(list)
	}
	return list
}

func (c *compiler) alloc(s *tir.Alloc) stmtFn {
	slot := c.declare(s.Buffer)
	body := c.stmt(s.Body)
	shared, rest := s.Buffer.Scope == tir.Shared, c.part.Rests[s.Buffer]
	return func(f *frame) {
		if shared && f.thread != nil {
			f.memories[slot] = f.thread.block.sharedMemory(f, s)
			body(f)
			return
		}
		m := f.memories[slot]
		if m == nil {
			if rest == nil {
				m = newMemory(s.Buffer).track(f.run.watched())
			} else {
				m = memoryOf(s.Buffer, make([]byte, s.Buffer.Bytes())).track(f.run.watched())
				rest.attach(m)
			}
			m.own = f.thread != nil
			f.memories[slot] = m
		}
		m.clear()
		body(f)
	}
}
