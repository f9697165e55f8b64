package vdla

// A Program is a stream of instructions. Each unit takes its own, in their order.
type Program struct {
	Tensors []Tensor
	Micro   []MicroOp // what loads of Micro read
	Instrs  []Instr
}

// A Tensor is one in the memory outside of the chip.
type Tensor struct {
	Name   string
	Bytes  int64
	Output bool
}

// A MicroOp has numbers of vectors and blocks, which are added to those of the instruction: the sums that are written,
// and the operands. Vector operations read sums at the second number.
type MicroOp [3]int64

// An Op is what an instruction does.
type Op uint8

// The operations.
const (
	Load   Op = iota // from a tensor to a memory
	Zero             // a memory
	Store            // from Acc to a tensor
	Store8           // so, the lowest byte of each sum
	Gemm             // a vector of sums += a vector of Inp times a block of Wgt
	GemmU            // so, with a vector of uint8
	Set              // vector operations: a vector of sums = another one, or a constant
	Add              // ... += ...
	Max
	Min
	Shr // to the right, filling in the sign
	Push
	Pop
)

var opNames = [...]string{
	Load: "load", Zero: "zero", Store: "store", Store8: "store8", Gemm: "gemm", GemmU: "gemmu", Set: "set", Add: "add",
	Max: "max", Min: "min", Shr: "shr", Push: "push", Pop: "pop",
}

func (o Op) String() string { return opNames[o] }

// An Instr is one instruction. Loads, stores and zeros use Transfer; Gemm and vector operations use Compute; Push and
// Pop are of a unit, to and from another.
type Instr struct {
	Op          Op
	Unit, Other Unit // of Push and Pop
	Transfer
	Compute
}

// A Transfer moves rows of bytes that lie together on both sides. Row counts those on the chip.
type Transfer struct {
	Memory Memory
	At     int64 // first byte in the memory
	Tensor int
	From   int64 // first byte in the tensor
	Row    int64 // bytes
	Rows   []Dim // nested loops over the rows, the outermost first
}

// A Dim is a loop of a transfer: by how many bytes the next iteration is farther in memory and tensor.
type Dim struct{ Extent, Near, Far int64 }

// A Compute carries out micro-operations for each iteration of its loops.
type Compute struct {
	Base  MicroOp
	First int64 // micro-operation in Micro
	Count int64
	Loops []Loop
	Imm   int64 // second operand of vector operations
	IsImm bool
}

// A Loop is by how much the numbers of a Compute grow.
type Loop struct {
	Extent int64
	By     MicroOp
}

// What an instruction has room for.
const (
	maxRows  = 4 // loops of a transfer
	maxLoops = 2 // loops of a Compute
)

func (o Op) multiplies() bool { return o == Gemm || o == GemmU }

// unit returns the unit that carries out an instruction.
func (in *Instr) unit() Unit {
	switch in.Op {
	case Load, Zero:
		return Loader
	case Store, Store8:
		return Storer
	case Push, Pop:
		return in.Unit
	}
	return Executor
}

// rows calls f for each row of a transfer, with its place in the memory and in the tensor.
func (t *Transfer) rows(f func(near, far int64)) { nested(t.Rows, t.At, t.From, f) }

func nested(dims []Dim, near, far int64, f func(near, far int64)) {
	if len(dims) == 0 {
		f(near, far)
		return
	}
	for i := range dims[0].Extent {
		nested(dims[1:], near+i*dims[0].Near, far+i*dims[0].Far, f)
	}
}

// count returns how many rows a transfer has.
func (t *Transfer) count() int64 {
	n := int64(1)
	for _, d := range t.Rows {
		n *= d.Extent
	}
	return n
}

// cycles returns how many rows a Compute works on.
func (c *Compute) cycles() int64 {
	n := c.Count
	for _, l := range c.Loops {
		n *= l.Extent
	}
	return n
}

// each calls f with the numbers of each micro-operation of each iteration.
func (c *Compute) each(micro []MicroOp, f func(at MicroOp)) {
	var loop func(loops []Loop, base MicroOp)
	loop = func(loops []Loop, base MicroOp) {
		if len(loops) == 0 {
			for _, m := range micro {
				f(MicroOp{base[0] + m[0], base[1] + m[1], base[2] + m[2]})
			}
			return
		}
		for range loops[0].Extent {
			loop(loops[1:], base)
			for k := range base {
				base[k] += loops[0].By[k]
			}
		}
	}
	loop(c.Loops, c.Base)
}
