// Package lowered describes what only lowering shows of a candidate: the code that its
// loops become after all passes (registers, instructions by kind, spills), what each
// level of a cache is asked for, and how the work is spread over cores.
//
// It reads a lowered function and counts; nothing is compiled. It must not know how
// candidates come about, nor what is learned from the numbers.
package lowered

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// A Machine is what the numbers are held against. Sizes are in bytes.
type Machine struct {
	Cores, Vector, Registers, Line float64
	Cache                          [3]float64
}

// A loop is a loop around statements.
type loop struct {
	*tir.For
	extent float64
	number int  // of all loops of the program
	code   bool // its iterations stand in the code: unrolled, or lanes
}

// An access is what a statement reads or writes of one buffer, by the loops around it.
type access struct {
	buffer   *tir.Buffer
	write    bool
	register bool // of values that stay in registers
	dims     []dimension
	stride   []float64 // elements in memory that one step of a loop moves it by
	moves    []bool    // a loop moves it at all
}

// A dimension of an access says over how many elements each loop alone moves its index.
type dimension struct{ span []float64 }

// A statement is a store with all that is around it.
type statement struct {
	store    *tir.Store
	loops    []*loop // outermost first
	share    float64 // of the iterations in which it runs
	accesses []access
	mix      mix
	block    int // index into program.blocks
}

// A block is the code of one loop's body: what runs without a jump back.
type block struct {
	loops      []*loop // around it
	statements []*statement
}

// A program is the lowered function taken apart.
type program struct {
	machine    Machine
	statements []*statement
	blocks     []*block
	buffers    map[*tir.Buffer]*held
	loops      int
}

// A held buffer is one that the function allocates, or a parameter.
type held struct {
	*tir.Buffer
	inside   []*loop // loops around the allocation; nil of parameters
	param    bool
	register bool
}

// maxCopies is how many statements an unrolled loop may become in the code, as in codegen/llvm.
const maxCopies = 256

// newProgram takes a function apart.
func newProgram(f *tir.Func, m Machine) *program {
	p := &program{machine: m, buffers: map[*tir.Buffer]*held{}}
	for _, b := range f.Params {
		p.buffers[b] = &held{Buffer: b, param: true}
	}
	w := walker{program: p, share: 1}
	w.stmt(f.Body)
	p.findRegisters()
	for _, s := range p.statements {
		for i := range s.accesses {
			s.accesses[i].register = p.buffers[s.accesses[i].buffer].register
		}
		s.mix = p.count(s)
	}
	return p
}

// A walker collects statements.
type walker struct {
	*program
	loops []*loop
	share float64
	env   values
}

func (w *walker) stmt(s tir.Stmt) {
	switch s := s.(type) {
	case *tir.For:
		w.loop(s)
	case *tir.Store:
		w.store(s)
	case *tir.If:
		share, holds := w.share, w.holds(s.Cond)
		w.share = share * holds
		w.stmt(s.Then)
		if s.Else != nil {
			w.share = share * (1 - holds)
			w.stmt(s.Else)
		}
		w.share = share
	case *tir.Seq:
		for _, t := range s.Stmts {
			w.stmt(t)
		}
	case *tir.Alloc:
		w.buffers[s.Buffer] = &held{Buffer: s.Buffer, inside: slices.Clone(w.loops)}
		w.stmt(s.Body)
	case *tir.Block:
		w.stmt(s.Body)
	case *tir.Pragma:
		w.stmt(s.Body)
	}
}

func (w *walker) loop(s *tir.For) {
	l := &loop{For: s, number: w.program.loops}
	w.program.loops++
	l.extent = w.extent(s.Extent)
	if l.extent <= 0 {
		return
	}
	switch s.Kind {
	case tir.Vectorized:
		l.code = true
	case tir.Unrolled:
		l.code = copies(s) <= maxCopies
	}
	w.loops = append(w.loops, l)
	w.env = append(w.env, 0)
	w.stmt(s.Body)
	w.loops = w.loops[:len(w.loops)-1]
	w.env = w.env[:len(w.env)-1]
}

// copies returns how many statements s becomes in the code.
func copies(s tir.Stmt) float64 {
	switch s := s.(type) {
	case *tir.For:
		n := copies(s.Body)
		if c, ok := s.Extent.(*tir.IntImm); ok && s.Kind == tir.Unrolled && n*float64(c.Value) <= maxCopies {
			n *= float64(c.Value)
		} else if ok && s.Kind == tir.Unrolled {
			n = maxCopies + 1
		} else if ok && s.Kind == tir.Vectorized {
			n *= math.Ceil(float64(c.Value) / 16)
		}
		return n
	case *tir.If:
		n := copies(s.Then)
		if s.Else != nil {
			n += copies(s.Else)
		}
		return n
	case *tir.Seq:
		n := 0.0
		for _, t := range s.Stmts {
			n += copies(t)
		}
		return n
	case *tir.Alloc:
		return copies(s.Body)
	case *tir.Block:
		return copies(s.Body)
	case *tir.Pragma:
		return copies(s.Body)
	}
	return 1
}

func (w *walker) store(s *tir.Store) {
	st := &statement{store: s, loops: slices.Clone(w.loops), share: w.share}
	w.access(st, s.Buffer, s.Index, true)
	tir.VisitExpr(s.Value, func(e tir.Expr) bool {
		if l, ok := e.(*tir.Load); ok {
			w.access(st, l.Buffer, l.Index, false)
		}
		return true
	})
	around := st.loops
	for len(around) > 0 && around[len(around)-1].code {
		around = around[:len(around)-1]
	}
	last := len(w.blocks) - 1
	if last < 0 || !sameLoops(w.blocks[last].loops, around) {
		w.blocks = append(w.blocks, &block{loops: around})
		last++
	}
	st.block = last
	w.blocks[last].statements = append(w.blocks[last].statements, st)
	w.statements = append(w.statements, st)
}

func sameLoops(a, b []*loop) bool { return slices.Equal(a, b) }

// maxAccesses bounds the accesses of one statement that are looked at.
const maxAccesses = 24

// access describes how the loops move an access, unless the statement has the same one already.
func (w *walker) access(st *statement, b *tir.Buffer, index []tir.Expr, write bool) {
	if len(st.accesses) == maxAccesses {
		return
	}
	n := len(w.loops)
	a := access{buffer: b, write: write, dims: make([]dimension, len(index)), stride: make([]float64, n),
		moves: make([]bool, n)}
	strides := b.ElemStrides()
	spans := make([]float64, len(index)*n)
	for d, e := range index {
		a.dims[d].span = spans[d*n : (d+1)*n]
		base := w.eval(e)
		for k, l := range w.loops {
			if !tir.Uses(e, l.Var) {
				continue
			}
			step, far := 0.0, 0.0
			last := int64(l.extent) - 1
			for _, v := range []int64{1, last, last / 2, last/2 + 1, 2, 3} {
				if v < 1 || v > last {
					continue
				}
				w.env[k] = v
				moved := math.Abs(float64(w.eval(e) - base))
				if v == 1 {
					step = moved
				}
				far = max(far, moved)
			}
			w.env[k] = 0
			a.dims[d].span[k] = far
			a.stride[k] += step * float64(strides[d])
			a.moves[k] = a.moves[k] || far > 0
		}
	}
	for i := range st.accesses {
		if st.accesses[i].write == write && st.accesses[i].same(&a) {
			return
		}
	}
	st.accesses = append(st.accesses, a)
}

// same reports whether two accesses move alike in one buffer.
func (a *access) same(b *access) bool {
	if a.buffer != b.buffer {
		return false
	}
	for d := range a.dims {
		if !slices.Equal(a.dims[d].span, b.dims[d].span) {
			return false
		}
	}
	return slices.Equal(a.stride, b.stride)
}

// findRegisters finds the temporaries whose elements are at places that the code names: they become values.
func (p *program) findRegisters() {
	for _, h := range p.buffers {
		h.register = !h.param && h.Scope == tir.Local && h.Bytes() <= 8<<10
	}
	for _, s := range p.statements {
		for i := range s.accesses {
			a := &s.accesses[i]
			h := p.buffers[a.buffer]
			for k, l := range s.loops {
				if a.moves[k] && !l.code {
					h.register = false
				}
			}
		}
	}
}
