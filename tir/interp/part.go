package interp

import "github.com/wmtune/wmtune/tir"

// A Part is what RunPart runs of a program, in place of all of it.
type Part struct {
	// Only holds, of some loops, the iterations to run, in ascending order; see
	// Sample. Loops that it does not name run whole.
	Only map[*tir.For][]int64

	// Rests holds what stands in for the elements that are not computed then: of
	// the outputs, and of buffers that are allocated outside of all loops.
	Rests map[*tir.Buffer]*Rest

	// Holes says that values do not matter: what is left out may be missing
	// anywhere, and outputs need not be written.
	Holes bool
}

// A Rest makes the elements of a buffer that a part of a program reads and does
// not write, and notes those that it writes.
type Rest struct {
	Make func(t *Tensor, at int64) // sets the element at an offset

	// Set by RunPart: the contents, and the offsets of the elements that the
	// program wrote, in the order in which it did so first.
	Contents *Tensor
	Wrote    []int64

	mine []bool // by offset: the program wrote it
}

// attach makes m, of one page, the memory of a buffer that has a rest.
func (r *Rest) attach(m *memory) {
	m.rest = r
	r.Contents = m.tensor()
	r.Wrote, r.mine = nil, make([]bool, m.buffer.Extent())
}

// fill makes an element that was not written.
func (r *Rest) fill(e element) {
	r.Make(r.Contents, e.at)
	e.initialise()
}

// note notes a write.
func (r *Rest) note(at int64) {
	if !r.mine[at] {
		r.mine[at] = true
		r.Wrote = append(r.Wrote, at)
	}
}
