package feature

import "fmt"

// maxDepth is the number of loops that may stand around a statement.
const maxDepth = 64

// Rows returns the features of a program: Columns numbers for each buffer that
// is stored to, in the order of the first stores. Those that are no one-hots are
// on a logarithmic scale. It is an error if loops are nested too deep.
//
// What is counted adds up over the stores to a buffer, such as the
// initialisation and the steps of a reduction; all else is of the last one. The
// cache line has so many bytes.
func Rows[N Number[N]](p *Program[N], line float64) ([]N, error) {
	x := &extractor[N]{p: p, line: line, touched: make([]touches[N], len(p.Loops)), row: make([]int, len(p.Buffers))}
	for i := range p.Stores {
		if len(p.Stores[i].Loops) > maxDepth {
			return nil, fmt.Errorf("feature: a statement is inside %d loops: at most %d are supported", len(p.Stores[i].Loops), maxDepth)
		}
		x.store(&p.Stores[i])
	}
	for _, a := range p.Allocs {
		x.alloc(a)
	}
	out := make([]N, 0, len(x.rows)*Columns)
	for _, r := range x.rows {
		out = r.appendTo(out)
	}
	return out, nil
}

// An extractor computes the features of a program, statement by statement.
type extractor[N Number[N]] struct {
	p       *Program[N]
	line    float64
	touched []touches[N] // by loop, by all statements so far
	row     []int        // by buffer: 1 + the index of its row, or 0
	rows    []*row[N]
	gpu     bool // a loop over threads has been seen

	stack   []*Loop[N] // around the statement at hand
	outer   N          // the product of their extents
	regions []region[N]
	sizes   []N // by loop and access: the elements touched inside the loop
}

// store takes a statement into account.
func (x *extractor[N]) store(s *Store[N]) {
	x.stack = x.stack[:0]
	var zero N
	x.outer = zero.Const(1)
	for _, l := range s.Loops {
		loop := &x.p.Loops[l]
		x.stack = append(x.stack, loop)
		x.outer = x.outer.Times(loop.Extent)
		x.gpu = x.gpu || loop.Kind.isGPU()
	}
	r := x.rowOf(s.Accesses[0].Buffer)
	r.count(s.Ops, x.outer)
	r.annotations(x.stack, x.gpu)
	x.touch(s)
	x.buffers(s, r)
	x.intensity(s, r)
	r.outerProd, r.loops, r.unroll = x.outer, len(s.Loops), s.Unroll
}

func (x *extractor[N]) rowOf(buffer int) *row[N] {
	if x.row[buffer] == 0 {
		x.rows = append(x.rows, new(row[N]))
		x.row[buffer] = len(x.rows)
	}
	return x.rows[x.row[buffer]-1]
}

// alloc takes an allocation into account, after all statements in it.
func (x *extractor[N]) alloc(a Alloc[N]) {
	r := x.rowOf(a.Buffer)
	outer := a.Size.Const(1)
	for _, l := range a.Loops {
		outer = outer.Times(x.p.Loops[l].Extent)
	}
	r.allocBytes = a.Size.Times(a.Size.Const(x.p.Buffers[a.Buffer].Bytes))
	r.allocProd = a.Size.Times(outer)
	r.allocOuter = outer
	r.allocInner = r.outerProd.Over(outer)
}
