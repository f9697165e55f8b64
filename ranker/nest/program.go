package nest

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Program is loop nests as features see them. Statements are in the order of the text; numbers that depend on how
// loops were split are of type N.
type Program[N any] struct {
	Loops   []Loop[N]
	Buffers []*tir.Buffer
	Nests   []Nest[N]
	Allocs  []Alloc[N]
}

// A Loop runs its variable from 0 to Extent-1.
type Loop[N any] struct {
	Extent N
	Ann    schedule.Annotation // how it is carried out
	Reduce bool                // it only reduces

	// Place is the loop with whose statements those of this one are counted when reuse is looked for: itself, or an
	// earlier one (package feature).
	Place int
}

// A Nest is a statement, which writes one element of a buffer in each iteration of the loops around it.
type Nest[N any] struct {
	Loops    []int // that it is in, outermost first
	Ops      Ops   // of the value
	Accesses []Access[N]
	Unroll   int // the limit of automatic unrolling that is in force
}

// Ops counts the operations of an expression, as it is written.
type Ops struct {
	Float, Int Arithmetic
	Bool       int // and, or, not
	Select     int
}

// Arithmetic counts operations on values of one class.
type Arithmetic struct{ AddSub, Mul, DivMod, Compare, Math int }

// Total adds them up.
func (a Arithmetic) Total() int { return a.AddSub + a.Mul + a.DivMod + a.Compare + a.Math }

// An Access is all that a statement does to one buffer. The first Access of a Nest is to the buffer that it
// writes; the others are in the order in which they are first read.
type Access[N any] struct {
	Buffer int // in Program.Buffers
	Mode   Mode
	At     [][]Index[N] // for each place in the text, the indices
}

// A Mode says what is done to a buffer.
type Mode uint8

// The modes of accesses.
const (
	Read Mode = iota
	Write
	ReadWrite // of one element: a reduction
)

// An Index is Const plus its terms. Terms are in the order in which TVM would write them.
type Index[N any] struct {
	Terms []Term[N]
	Const N
}

// A Term is Coef*floor((x mod Upper)/Lower), where x is the variable of a loop, or an Index if Of is not nil.
type Term[N any] struct {
	Coef         N
	Loop         int
	Of           *Index[N]
	Lower, Upper N    // used only if they are there
	Divided      bool // there is a Lower
	Reduced      bool // there is an Upper
	Most         N    // the largest value without Coef while the loop runs, if Bounded: there is no need to compute it
	Bounded      bool // there is a Most
}

// An Alloc gives statements a buffer of so many elements.
type Alloc[N any] struct {
	Buffer int
	Size   N
	Loops  []int // that it is in, outermost first
}

// A Writer writes down a program, from the outside to the inside.
type Writer[N any] struct {
	Program[N]
	Around []int // the loops around what is written next
	number map[*tir.Buffer]int
}

// Buffer returns the number of a buffer in the program.
func (w *Writer[N]) Buffer(b *tir.Buffer) int {
	n, known := w.number[b]
	if !known {
		if w.number == nil {
			w.number = map[*tir.Buffer]int{}
		}
		n = len(w.Buffers)
		w.number[b] = n
		w.Buffers = append(w.Buffers, b)
	}
	return n
}

// Enter opens a loop, and returns its number.
func (w *Writer[N]) Enter(l Loop[N]) int {
	w.Around = append(w.Around, len(w.Loops))
	w.Loops = append(w.Loops, l)
	return len(w.Loops) - 1
}

// Leave closes the innermost loop, and returns its number.
func (w *Writer[N]) Leave() int {
	last := w.Around[len(w.Around)-1]
	w.Around = w.Around[:len(w.Around)-1]
	return last
}

// Write writes a statement in the loops that are open, and returns their numbers.
func (w *Writer[N]) Write(n Nest[N]) []int {
	n.Loops = slices.Clone(w.Around)
	w.Nests = append(w.Nests, n)
	return n.Loops
}

// Alloc writes the allocation of a buffer there.
func (w *Writer[N]) Alloc(b *tir.Buffer, size N) {
	w.Allocs = append(w.Allocs, Alloc[N]{w.Buffer(b), size, slices.Clone(w.Around)})
}
