package tir

// An Expr is an immutable scalar expression. The set of kinds is closed: Var,
// IntImm, FloatImm, Binary, Not, Cast, Bitcast, Select, Call and Load.
//
// Scalar arithmetic follows the operands' type: F16 and BF16 are storage types
// only, so a Load of one is followed by a Cast to F32 before arithmetic.
// Integer arithmetic wraps around.
type Expr interface {
	DType() DType
	String() string
	isExpr()
}

// A Var is a scalar variable: a loop variable or an axis. Its identity is its
// address; two Vars of one name are different variables.
type Var struct {
	Name string
	Type DType
}

// NewVar returns a new index variable.
func NewVar(name string) *Var { return &Var{Name: name, Type: Index} }

// IntImm is an integer or boolean constant. Of type U64 it has the value with the same bits.
type IntImm struct {
	Value int64
	Type  DType
}

// FloatImm is a floating-point constant.
type FloatImm struct {
	Value float64
	Type  DType
}

// A BinOp is an operator with two operands of one type.
type BinOp uint8

// The binary operators. Div is the quotient of floats, and truncates for
// integers; FloorDiv and FloorMod round toward minus infinity and need a
// positive divisor. Comparisons and And, Or have type Bool. Y of And is evaluated
// only where X holds, and Y of Or only where X does not. Of integers only
// are BitAnd, BitOr, BitXor, and the shifts by Y bits: Shl, and Shr, which fills
// in zeros or, of signed integers, copies of the sign. Shifting by as many bits
// as the type has, or more, leaves nothing but what is filled in; a negative
// count is more. The bitwise negation of x is x BitXor -1.
const (
	InvalidOp BinOp = iota
	Add
	Sub
	Mul
	Div
	FloorDiv
	FloorMod
	Min
	Max
	EQ
	NE
	LT
	LE
	GT
	GE
	And
	Or
	BitAnd
	BitOr
	BitXor
	Shl
	Shr
)

var binOps = [...]struct {
	name  string // as printed between the operands, or before them if call is set
	call  bool
	logic bool // has type Bool
}{
	Add:      {"+", false, false},
	Sub:      {"-", false, false},
	Mul:      {"*", false, false},
	Div:      {"/", false, false},
	FloorDiv: {"floordiv", true, false},
	FloorMod: {"floormod", true, false},
	Min:      {"min", true, false},
	Max:      {"max", true, false},
	EQ:       {"==", false, true},
	NE:       {"!=", false, true},
	LT:       {"<", false, true},
	LE:       {"<=", false, true},
	GT:       {">", false, true},
	GE:       {">=", false, true},
	And:      {"&&", false, true},
	Or:       {"||", false, true},
	BitAnd:   {"bitand", true, false},
	BitOr:    {"bitor", true, false},
	BitXor:   {"bitxor", true, false},
	Shl:      {"shl", true, false},
	Shr:      {"shr", true, false},
}

func (op BinOp) String() string { return binOps[op].name }

// BinOps lists the operators, in the order of the constants.
func BinOps() []BinOp {
	var list []BinOp
	for op := Add; int(op) < len(binOps); op++ {
		list = append(list, op)
	}
	return list
}

// IsBits reports whether op computes with the bits of integers.
func (op BinOp) IsBits() bool { return op >= BitAnd && op <= Shr }

// IsCompare reports whether op compares two numbers.
func (op BinOp) IsCompare() bool { return op >= EQ && op <= GE }

// Binary is X Op Y.
type Binary struct {
	Op   BinOp
	X, Y Expr
}

// Not is the negation of a Bool.
type Not struct{ X Expr }

// Cast converts X to another type. Float to integer truncates toward zero.
type Cast struct {
	X  Expr
	To DType

	// Term marks a term of a sum in float64, of float32: some of them may be added in float32 before.
	Term bool
}

// Bitcast reads the bits of X as another type of the same width; neither is Bool.
// Which bits a NaN has is not specified.
type Bitcast struct {
	X  Expr
	To DType
}

// Select is Then if Cond holds, else Else. Lazy means that the branch not
// taken must not be evaluated, as in the guard of a padded read (TVM's
// if_then_else); without it both may be.
type Select struct {
	Cond, Then, Else Expr
	Lazy             bool
}

// An Intrinsic names an intrinsic function of floats.
type Intrinsic uint8

// The intrinsic functions. All take and return one float type. Pow has two
// arguments, the others one. Round takes halves away from zero, as C's does, and
// RoundEven to the even number, as ONNX's QuantizeLinear and NumPy do.
// TF32, of float32, rounds to 10 bits of mantissa, halves away from zero, as
// cvt.rna.tf32.f32 does (PTX ISA, "cvt"): no workload has it, lowering makes it.
const (
	InvalidIntrinsic Intrinsic = iota
	Exp
	Log
	Sqrt
	Rsqrt
	Tanh
	Erf
	Sigmoid
	Abs
	Floor
	Ceil
	Round
	Pow
	TF32
	RoundEven
	Sin
	Cos
	Atan
)

var intrinsics = [...]struct {
	name string
	args int
}{
	Exp:     {"exp", 1},
	Log:     {"log", 1},
	Sqrt:    {"sqrt", 1},
	Rsqrt:   {"rsqrt", 1},
	Tanh:    {"tanh", 1},
	Erf:     {"erf", 1},
	Sigmoid: {"sigmoid", 1},
	Abs:     {"fabs", 1},
	Floor:   {"floor", 1},
	Ceil:    {"ceil", 1},
	Round:   {"round", 1},
	Pow:     {"pow", 2},
	TF32:    {"tf32", 1},

	RoundEven: {"roundeven", 1},
	Sin:       {"sin", 1},
	Cos:       {"cos", 1},
	Atan:      {"atan", 1},
}

// Intrinsics lists the intrinsic functions that workloads have: all but TF32.
func Intrinsics() []Intrinsic {
	return []Intrinsic{Exp, Log, Sqrt, Rsqrt, Tanh, Erf, Sigmoid, Abs, Floor, Ceil, Round, RoundEven, Pow, Sin, Cos, Atan}
}

// String returns the name without the "tir." that prints before it.
func (f Intrinsic) String() string { return intrinsics[f].name }

// NumArgs returns the number of arguments that f takes.
func (f Intrinsic) NumArgs() int { return intrinsics[f].args }

// Call applies an intrinsic function.
type Call struct {
	Fn   Intrinsic
	Args []Expr
}

// Load reads one element of a buffer. There is one index per dimension.
type Load struct {
	Buffer *Buffer
	Index  []Expr
}

func (*Var) isExpr()      {}
func (*IntImm) isExpr()   {}
func (*FloatImm) isExpr() {}
func (*Binary) isExpr()   {}
func (*Not) isExpr()      {}
func (*Cast) isExpr()     {}
func (*Bitcast) isExpr()  {}
func (*Select) isExpr()   {}
func (*Call) isExpr()     {}
func (*Load) isExpr()     {}

func (e *Var) DType() DType      { return e.Type }
func (e *IntImm) DType() DType   { return e.Type }
func (e *FloatImm) DType() DType { return e.Type }
func (e *Binary) DType() DType {
	if binOps[e.Op].logic {
		return Bool
	}
	return e.X.DType()
}
func (e *Not) DType() DType     { return Bool }
func (e *Cast) DType() DType    { return e.To }
func (e *Bitcast) DType() DType { return e.To }
func (e *Select) DType() DType  { return e.Then.DType() }
func (e *Call) DType() DType    { return e.Args[0].DType() }
func (e *Load) DType() DType    { return e.Buffer.Type }

// Int returns an index constant.
func Int(v int64) *IntImm { return &IntImm{Value: v, Type: Index} }

// BoolImm returns a Bool constant.
func BoolImm(v bool) *IntImm {
	if v {
		return &IntImm{Value: 1, Type: Bool}
	}
	return &IntImm{Value: 0, Type: Bool}
}

// Float returns a float constant of type t.
func Float(t DType, v float64) *FloatImm { return &FloatImm{Value: v, Type: t} }

// Const returns v as a constant of type t, which may be any type.
func Const(t DType, v float64) Expr {
	if t.IsFloat() {
		return Float(t, v)
	}
	return &IntImm{Value: t.Truncate(v), Type: t}
}

// Bin returns x op y, as written; see arith.Simplify for folding.
func Bin(op BinOp, x, y Expr) Expr { return &Binary{Op: op, X: x, Y: y} }

// IfThenElse returns a lazy Select.
func IfThenElse(cond, then, els Expr) Expr {
	return &Select{Cond: cond, Then: then, Else: els, Lazy: true}
}

// AllOf returns the conjunction of conds, which are joined from the left, or
// true if there are none.
func AllOf(conds ...Expr) Expr {
	if len(conds) == 0 {
		return BoolImm(true)
	}
	e := conds[0]
	for _, c := range conds[1:] {
		e = Bin(And, e, c)
	}
	return e
}

// Conjuncts returns the conditions that cond joins by &&.
func Conjuncts(cond Expr) []Expr {
	if b, ok := cond.(*Binary); ok && b.Op == And {
		return append(Conjuncts(b.X), Conjuncts(b.Y)...)
	}
	return []Expr{cond}
}

// IsZero reports whether e is the number 0.
func IsZero(e Expr) bool {
	switch e := e.(type) {
	case *IntImm:
		return e.Value == 0
	case *FloatImm:
		return e.Value == 0
	}
	return false
}

// TableSize is the number of bytes of a table that has one for each byte.
const TableSize = 256

// TablePlace returns the byte at which l reads such a table, a vector whose elements have 8 bits, or nil.
func TablePlace(l *Load) Expr {
	if len(l.Index) != 1 || l.Buffer.Type.Bytes() != 1 || l.Buffer.Elems() != TableSize {
		return nil
	}
	if c, ok := l.Index[0].(*Cast); ok && c.X.DType() == U8 {
		return c.X
	}
	return nil
}
