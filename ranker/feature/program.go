package feature

// A Program is loop nests as the features see them. Statements are in the order
// of the text; numbers that depend on how loops were split are of type N.
type Program[N Number[N]] struct {
	Loops   []Loop[N]
	Buffers []Buffer
	Stores  []Store[N]
	Allocs  []Alloc[N]
}

// A Loop runs its variable from 0 to Extent-1.
type Loop[N Number[N]] struct {
	Extent N
	Kind   Kind

	// Place is the loop with whose statements those of this one are counted when
	// reuse is looked for: itself, or an earlier one.
	Place int
}

// A Kind says how a loop is carried out.
type Kind uint8

// The kinds of loops. A loop over threads of a GPU is one in each nest that
// names the threads.
const (
	Serial Kind = iota
	Unrolled
	Vectorized
	Parallel
	Vthread
	BlockX
	BlockY
	BlockZ
	ThreadX
	ThreadY
	ThreadZ
)

func (k Kind) isGPU() bool { return k >= Vthread }

// A Buffer is an array.
type Buffer struct {
	Name  string
	Shape []float64 // of the whole tensor, even if a part of it is allocated
	Bytes float64   // of an element
}

// A Store writes one element of a buffer in each iteration of the loops that it
// is in.
type Store[N Number[N]] struct {
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

func (a Arithmetic) total() int { return a.AddSub + a.Mul + a.DivMod + a.Compare + a.Math }

// An Access is all that one Store does to one buffer. The first Access of a
// Store is to the buffer that it writes; the others are in the order in which
// they are first read.
type Access[N Number[N]] struct {
	Buffer int
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

// An Index is Const plus its terms. Terms are in the order in which TVM would
// write them.
type Index[N Number[N]] struct {
	Terms []Term[N]
	Const N
}

// A Term is Coef*floor((x mod Upper)/Lower), where x is the variable of a loop,
// or an Index if Of is not nil.
type Term[N Number[N]] struct {
	Coef         N
	Loop         int
	Of           *Index[N]
	Lower, Upper N    // used only if they are there
	Divided      bool // there is a Lower
	Reduced      bool // there is an Upper
}

// An Alloc gives statements a buffer of so many elements.
type Alloc[N Number[N]] struct {
	Buffer int
	Size   N
	Loops  []int // that it is in, outermost first
}
