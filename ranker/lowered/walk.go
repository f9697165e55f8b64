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

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Machine is what the numbers are held against. Sizes are in bytes.
type Machine struct {
	Cores, Vector, Registers, Line float64
	Cache                          [3]float64
}

// A statement is a nest of the program, with what it becomes in the code.
type statement struct {
	store    *tir.Store
	loops    []nest.Loop[float64] // outermost first
	numbers  []int                // theirs in the program
	share    float64              // of the iterations in which it runs
	accesses []access
	mix      mix
	block    int       // index into reading.blocks
	varying  []varying // what makes iterations of the parallel loop around differ
}

// An access is what a statement reads or writes of one buffer, by the loops around it.
type access struct {
	nest.Access[float64]
	register bool        // of values that stay in registers
	span     [][]float64 // over how many elements each loop alone moves each index
	stride   []float64   // elements in memory that one step of a loop moves it by
	moves    []bool      // a loop moves it at all
}

// A block is the code of one loop's body: what runs without a jump back.
type block struct {
	loops      []nest.Loop[float64] // around it
	numbers    []int                // theirs in the program
	statements []*statement
}

// A reading is the nests of a lowered function, and what its code does in them. A loop that is annotated as unrolled or
// as vectorized has its iterations in the code.
type reading struct {
	nest.Writer[float64]
	machine    Machine
	params     int    // of the buffers, those that are parameters, which come first
	registers  []bool // by buffer
	statements []*statement
	blocks     []*block
}

// inCode reports whether the iterations of a loop stand in the code.
func inCode(l nest.Loop[float64]) bool {
	return l.Ann == schedule.Unroll || l.Ann == schedule.Vectorize
}

// maxCopies is how many statements an unrolled loop may become in the code, as in codegen/llvm.
const maxCopies = 256

// read reads a function.
func read(f *tir.Func, m Machine) *reading {
	p := &reading{machine: m, params: len(f.Params)}
	for _, b := range f.Params {
		p.Buffer(b)
	}
	w := walker{reading: p, share: 1}
	w.stmt(f.Body)
	p.findRegisters()
	for _, s := range p.statements {
		for i := range s.accesses {
			s.accesses[i].register = p.registers[s.accesses[i].Buffer]
		}
		s.mix = p.count(s)
	}
	return p
}

// A walker collects statements.
type walker struct {
	*reading
	vars  []*tir.Var // of the loops around
	env   values
	share float64

	varying []varying // around the statement
	extents []float64 // of the loops around, where Around is no longer theirs
	pinned  *tir.Var  // a variable that keeps its value in env; nil if none does
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
		forget := w.vary(s.Cond, false)
		w.stmt(s.Then)
		forget()
		if s.Else != nil {
			w.share = share * (1 - holds)
			forget = w.vary(s.Cond, true)
			w.stmt(s.Else)
			forget()
		}
		w.share = share
	case *tir.Seq:
		for _, t := range s.Stmts {
			w.stmt(t)
		}
	case *tir.Alloc:
		w.Buffer(s.Buffer)
		w.stmt(s.Body)
	case *tir.Block:
		w.stmt(s.Body)
	case *tir.Pragma:
		w.stmt(s.Body)
	}
}

func (w *walker) loop(s *tir.For) {
	l := nest.Loop[float64]{Extent: w.extent(s.Extent)}
	switch {
	case s.Kind == tir.Vectorized:
		l.Ann = schedule.Vectorize
	case s.Kind == tir.Unrolled && copies(s) <= maxCopies:
		l.Ann = schedule.Unroll
	case s.Kind == tir.Parallel:
		l.Ann = schedule.Parallel
	}
	if l.Extent <= 0 {
		return
	}
	defer w.vary(s.Extent, false)()
	w.Enter(l)
	w.vars, w.env = append(w.vars, s.Var), append(w.env, 0)
	w.stmt(s.Body)
	w.Leave()
	w.vars, w.env = w.vars[:len(w.vars)-1], w.env[:len(w.env)-1]
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
	st := &statement{store: s, share: w.share, varying: slices.Clone(w.varying)}
	for _, k := range w.Around {
		st.loops = append(st.loops, w.Loops[k])
	}
	w.access(st, s.Buffer, s.Index, nest.Write)
	tir.VisitExpr(s.Value, func(e tir.Expr) bool {
		if l, ok := e.(*tir.Load); ok {
			w.access(st, l.Buffer, l.Index, nest.Read)
		}
		return true
	})
	n := nest.Nest[float64]{Accesses: make([]nest.Access[float64], len(st.accesses))}
	for i := range st.accesses {
		n.Accesses[i] = st.accesses[i].Access
	}
	st.numbers = w.Write(n)
	around := st.code()
	last := len(w.blocks) - 1
	if last < 0 || !slices.Equal(w.blocks[last].numbers, st.numbers[:around]) {
		w.blocks = append(w.blocks, &block{loops: st.loops[:around], numbers: st.numbers[:around]})
		last++
	}
	st.block = last
	w.blocks[last].statements = append(w.blocks[last].statements, st)
	w.statements = append(w.statements, st)
}

// maxAccesses bounds the accesses of one statement that are looked at.
const maxAccesses = 24

// access describes how the loops move an access, unless the statement has the same one already.
func (w *walker) access(st *statement, b *tir.Buffer, index []tir.Expr, mode nest.Mode) {
	if len(st.accesses) == maxAccesses {
		return
	}
	n := len(st.loops)
	a := access{Access: nest.Access[float64]{Buffer: w.Buffer(b), Mode: mode}, span: make([][]float64, len(index)),
		stride: make([]float64, n), moves: make([]bool, n)}
	strides := b.ElemStrides()
	spans := make([]float64, len(index)*n)
	for d, e := range index {
		a.span[d] = spans[d*n : (d+1)*n]
		base := w.eval(e)
		for k, l := range st.loops {
			if !tir.Uses(e, w.vars[k]) {
				continue
			}
			step, far := 0.0, 0.0
			last := int64(l.Extent) - 1
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
			a.span[d][k] = far
			a.stride[k] += step * float64(strides[d])
			a.moves[k] = a.moves[k] || far > 0
		}
	}
	for i := range st.accesses {
		if st.accesses[i].Mode == mode && st.accesses[i].same(&a) {
			return
		}
	}
	st.accesses = append(st.accesses, a)
}

// same reports whether two accesses move alike in one buffer.
func (a *access) same(b *access) bool {
	return a.Buffer == b.Buffer && slices.EqualFunc(a.span, b.span, slices.Equal) && slices.Equal(a.stride, b.stride)
}

// findRegisters finds the temporaries whose elements are at places that the code names: they become values.
func (p *reading) findRegisters() {
	p.registers = make([]bool, len(p.Buffers))
	for i, b := range p.Buffers {
		p.registers[i] = i >= p.params && b.Scope == tir.Local && b.Bytes() <= 8<<10
	}
	for _, s := range p.statements {
		for _, a := range s.accesses {
			for k, l := range s.loops {
				if a.moves[k] && !inCode(l) {
					p.registers[a.Buffer] = false
				}
			}
		}
	}
}
