// Package tir is TensorIR, the program form between a schedule and the code
// emitters: scalar expressions, buffers, loops, blocks and functions, with a
// printer, a structural hash and a checker.
//
// Everything here is an immutable value that prints. A transformation returns a
// new tree and shares what it did not change.
//
// The package must not know where programs come from (compute DAGs, schedules),
// how they are transformed (tir/lower) or what they are emitted as (codegen).
package tir

// A Scope says where a buffer lives.
type Scope string

// The memory scopes. On a CPU, Local is a per-thread temporary that should
// stay in registers or on the stack. Warp and Shared are of GPUs. Inp and Wgt are an
// accelerator's, of the first and the second operand of products; Local is that of sums there.
// Tile is registers that only loads and stores of tiles and products of them reach (TileLoops). Pair is vectors that
// hold tiles of two rows, and Halves those that hold two sums of float16 for each element of one row.
const (
	Global Scope = "global"
	Shared Scope = "shared"
	Warp   Scope = "warp"
	Local  Scope = "local"
	Inp    Scope = "inp"
	Wgt    Scope = "wgt"
	Tile   Scope = "tile"
	Pair   Scope = "pair"
	Halves Scope = "halves"
)

// A Buffer is a named, typed, dense array of a constant shape. Its identity is
// its address.
type Buffer struct {
	Name  string
	Type  DType
	Shape []int64 // no dimensions: a scalar
	Scope Scope   // "" means Global

	// Strides, if not nil, holds the distance in elements between neighbours
	// along each dimension; nil means row-major without padding.
	Strides []int64

	// Given, if not nil, is the shape that callers know, of which dimensions became one.
	Given []int64
}

// Elems returns the number of elements of the shape, padding not counted.
func (b *Buffer) Elems() int64 {
	n := int64(1)
	for _, d := range b.Shape {
		n *= d
	}
	return n
}

// InGlobal reports whether the buffer is in memory that all threads see.
func (b *Buffer) InGlobal() bool { return b.Scope == Global || b.Scope == "" }

// InTiles reports whether the buffer is registers of tiles.
func (b *Buffer) InTiles() bool {
	_, ok := tileFiles[b.Scope]
	return ok
}

// GivenShape returns Given, or what nil stands for.
func (b *Buffer) GivenShape() []int64 {
	if b.Given != nil {
		return b.Given
	}
	return b.Shape
}

// ElemStrides returns Strides, or what nil stands for.
func (b *Buffer) ElemStrides() []int64 {
	if b.Strides != nil {
		return b.Strides
	}
	s := make([]int64, len(b.Shape))
	n := int64(1)
	for i := len(s) - 1; i >= 0; i-- {
		s[i] = n
		n *= b.Shape[i]
	}
	return s
}

// Extent returns the number of elements that b occupies, padding included.
func (b *Buffer) Extent() int64 {
	n := int64(1)
	for i, s := range b.ElemStrides() {
		n += s * (b.Shape[i] - 1)
	}
	return n
}

// Bytes returns the size of b in memory, padding included.
func (b *Buffer) Bytes() int64 { return b.Extent() * int64(b.Type.Bytes()) }

// A Stmt is an immutable statement. The set of kinds is closed: For, Store,
// If, Seq, Alloc, Block, Pragma, Barrier, Wait and MMA.
type Stmt interface {
	String() string
	isStmt()
}

// A ForKind says how the iterations of a loop are carried out.
type ForKind uint8

// The kinds of loops. The iterations of every kind but Serial, Unrolled and Tensorized are
// independent of each other.
const (
	Serial      ForKind = iota
	Unrolled            // the body repeated with constants; the extent is constant
	Vectorized          // one vector operation; the extent is constant
	Parallel            // on the thread pool
	Vthread             // virtual thread of a GPU
	ThreadBound         // one iteration per GPU thread or block named by Thread
	Tensorized          // the steps of a sum that Instruction, or if that is nil one that fits, makes at once
)

// For runs Body with Var = 0, 1, ... Extent-1.
type For struct {
	Var    *Var
	Extent Expr // of type Index; not positive: no iteration
	Kind   ForKind
	Thread string // for ThreadBound: "blockIdx.x", "threadIdx.y", ...
	Body   Stmt

	Instruction *Instruction // for Tensorized: what carries it out, in all lanes of the vector that it is in
}

// Store writes one element of a buffer. An asynchronous one, which only shared memory
// has, is under way until the thread's next Wait: the element is written at some time in
// between, and nobody may access it until then.
type Store struct {
	Buffer *Buffer
	Index  []Expr
	Value  Expr
	Async  bool
}

// If runs Then if Cond holds, else Else, which may be nil.
type If struct {
	Cond       Expr
	Then, Else Stmt
}

// Seq runs its statements in order.
type Seq struct{ Stmts []Stmt }

// Alloc gives Body an uninitialised buffer.
type Alloc struct {
	Buffer *Buffer
	Body   Stmt
}

// Block marks Body as the computation of one stage, or as its
// initialisation; it has no effect of its own.
type Block struct {
	Name string // of the stage
	Init bool   // initialises a reduction
	Body Stmt
}

// Pragma gives Body an advice; it has no effect on what Body computes.
type Pragma struct {
	Key   string // "auto_unroll_max_step"
	Value int64
	Body  Stmt
}

// Barrier makes all threads of a GPU block wait for each other, or, if its scope is Warp, those of each warp.
type Barrier struct{ Scope Scope }

// Wait makes a thread wait until all that it has stored asynchronously is there. Others
// see it after the next Barrier.
type Wait struct{}

func (*For) isStmt()     {}
func (*Store) isStmt()   {}
func (*If) isStmt()      {}
func (*Seq) isStmt()     {}
func (*Alloc) isStmt()   {}
func (*Block) isStmt()   {}
func (*Pragma) isStmt()  {}
func (*Barrier) isStmt() {}
func (*Wait) isStmt()    {}

// A Func is a program: it reads and writes its parameters. It does not read an
// output before writing it, and does not write an input.
type Func struct {
	Name    string
	Params  []*Buffer // inputs, then outputs
	Outputs int       // number of parameters at the end that are outputs
	Body    Stmt

	// Packs make inputs that are not laid out as the caller's are: each has one
	// input, the caller's tensor, and one output, which is an input of this
	// function. They run once for constant tensors, ahead of any number of calls.
	Packs []*Func

	// Growth is how many times larger the rounding errors may be than those of the sums that the program stands for, by
	// its algorithm; 0 means 1.
	Growth float64

	// Element, of one of Packs, is the store that makes an element of its output, as it was before passes rewrote
	// the loops around it: it tells readers of headers what the layout is. Note says what else the function computes.
	Element *Store
	Note    string
}

// Pack returns the function that makes parameter i, or nil if the caller has it
// as it is.
func (f *Func) Pack(i int) *Func {
	for _, p := range f.Packs {
		if p.Params[1] == f.Params[i] {
			return p
		}
	}
	return nil
}

// Plain returns the parameter that the caller has for parameter i: the same one,
// or what it is packed from.
func (f *Func) Plain(i int) *Buffer {
	if p := f.Pack(i); p != nil {
		return p.Params[0]
	}
	return f.Params[i]
}

// Inputs returns the parameters that are read.
func (f *Func) Inputs() []*Buffer { return f.Params[:len(f.Params)-f.Outputs] }

// Results returns the parameters that are written.
func (f *Func) Results() []*Buffer { return f.Params[len(f.Params)-f.Outputs:] }
