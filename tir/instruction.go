package tir

import (
	"math"
	"slices"
	"strings"
)

// An Instruction multiplies two tiles and adds the product to a third one:
//
//	C[m, n] += sum over k < Depth of A[m, k]*B[k, n]        m < Rows, n < Cols
//
// Operands are converted to the type of C, exactly, before they are multiplied. The steps of a sum lie side by side in
// memory: the group of an element of A, and that of each column of B.
//
// A row of the table says what an instruction computes and who has it. It says nothing of how it is written: emitters
// have a writer for each row (codegen/llvm/dot.go, codegen/cuda/mma.go, codegen/vdla). What it computes is the loops
// that it takes the place of (see For.Instruction), so the interpreter, the checker and machines without it need to
// know nothing of it.
type Instruction struct {
	Name              string
	Rows, Cols, Depth int64 // of one row: each lane has a column
	A, B, C           DType
	Wraps             bool // sums wrap around; else they are of floats, and their order is the instruction's

	// Needs has features of LLVM's, of which a processor has one if it has the instruction. Rates says how many times as
	// many products it makes as a fused multiply-add of float32 does, by how the name of the processor begins: the first
	// that fits counts.
	Needs []string
	Rates []Rate

	// Scopes are of A, B and C, if A and B must be in memories of an accelerator, or in the memory that the threads of a
	// GPU's block share: then a warp carries the instruction out, as MMA says. C may be a tile in registers (tileFiles).
	Scopes [3]Scope
}

// A copy of an operand in which the steps of an instruction lie side by side pays if each element is read GroupedReads
// times, and all together GroupedWork times. An instruction of rate 4 makes a product in 0.005 ns, a multiply-add in
// 0.017: a copy of 0.3 ns pays from 25 on.
const (
	GroupedReads = 24
	GroupedWork  = 1 << 18
)

// A TileFile is the registers that hold the tiles of an instruction.
type TileFile struct {
	Registers  int64 // how many there are
	GroupBytes int64 // bytes of a column that a tile of B has side by side
}

var tileFiles = map[Scope]TileFile{
	Tile:   {8, 4},  // AMX has registers of its own, of 16 lines
	Pair:   {32, 8}, // NEON has tiles in vectors
	Halves: {32, 4}, // a multiply-add of float16 has twice as many lanes as float32 has
}

// TileFile returns the registers of the tiles that the instruction multiplies; ok is false if it multiplies none. See
// TileLoops.
func (i *Instruction) TileFile() (f TileFile, ok bool) {
	f, ok = tileFiles[i.Scopes[2]]
	return f, ok
}

// IsTile reports whether the instruction multiplies tiles that are in registers.
func (i *Instruction) IsTile() bool {
	_, ok := i.TileFile()
	return ok
}

// MostTiles returns how many tiles may be added to at once: two registers are for what a product multiplies.
func (i *Instruction) MostTiles() int64 {
	f, _ := i.TileFile()
	return f.Registers - 2
}

// leastFull is the part of a tile that must be full: it takes as long as a whole one.
const leastFull = 4

// IsWorth reports whether a tile of so many products is full enough.
func (i *Instruction) IsWorth(products int64) bool {
	return leastFull*products >= i.Rows*i.Cols*i.Depth
}

// Group returns how many steps of the sum lie side by side in memory.
func (i *Instruction) Group() int64 {
	if f, ok := i.TileFile(); ok {
		return f.GroupBytes / int64(i.B.Bytes())
	}
	return i.Depth
}

// A Rate is how fast an instruction is on processors whose name begins so.
type Rate struct {
	CPU  string
	Rate float64
}

// Rates that were measured with loops of nothing but the instruction: on Zen 4 and on Sapphire Rapids. Those of NEON
// are of the products in a register; no such processor was at hand.
var (
	always4 = []Rate{{"", 4}}
	always2 = []Rate{{"", 2}}
	ofZen   = []Rate{{"znver", 2}, {"", 0.5}} // Intel has a slow vdpbf16ps beside its tiles
	ofChip  = []Rate{{"vdla", 16}}            // the accelerator has nothing else that multiplies
	tiles29 = []Rate{{"", 29}}
	tiles15 = []Rate{{"", 15}}
	always8 = []Rate{{"", 8}}
)

var (
	anywhere = [3]Scope{}
	chip     = [3]Scope{Inp, Wgt}
	block    = [3]Scope{Shared, Shared}
	inTiles  = [3]Scope{"", "", Tile}
	inPairs  = [3]Scope{"", "", Pair}
	inHalves = [3]Scope{"", "", Halves}
)

// instructions is the table, of instructions that compute the same the widest first.
var instructions = []*Instruction{
	{"tdpbusd", 16, 16, 64, U8, I8, I32, true, []string{"amx-int8"}, tiles29, inTiles},
	{"tdpbssd", 16, 16, 64, I8, I8, I32, true, []string{"amx-int8"}, tiles29, inTiles},
	{"tdpbsud", 16, 16, 64, I8, U8, I32, true, []string{"amx-int8"}, tiles29, inTiles},
	{"tdpbuud", 16, 16, 64, U8, U8, I32, true, []string{"amx-int8"}, tiles29, inTiles},
	{"tdpbf16ps", 16, 16, 32, BF16, BF16, F32, false, []string{"amx-bf16"}, tiles15, inTiles},
	{"vpdpbusd.512", 1, 16, 4, U8, I8, I32, true, []string{"avx512vnni"}, always4, anywhere},
	{"vpdpbusd.256", 1, 8, 4, U8, I8, I32, true, []string{"avxvnni", "avx512vnni"}, always4, anywhere},
	{"vpmaddwd.512", 1, 16, 2, U8, I8, I32, true, []string{"avx512bw"}, always2, anywhere},
	{"vpmaddwd.256", 1, 8, 2, U8, I8, I32, true, []string{"avx2"}, always2, anywhere},
	{"vpmaddwd.512.words", 1, 16, 2, I16, I8, I32, true, []string{"avx512bw"}, always2, anywhere},
	{"vpmaddwd.256.words", 1, 8, 2, I16, I8, I32, true, []string{"avx2"}, always2, anywhere},
	{"vdpbf16ps.512", 1, 16, 2, BF16, BF16, F32, false, []string{"avx512bf16"}, ofZen, anywhere},
	{"vfmaddph.512", 1, 16, 2, F16, F16, F16, false, []string{"avx512fp16"}, always2, inHalves},
	{"vfmaddph.256", 1, 8, 2, F16, F16, F16, false, []string{"avx512fp16"}, always2, inHalves},
	{"fmla.8h", 1, 4, 2, F16, F16, F16, false, []string{"fullfp16"}, always2, inHalves},
	{"smmla", 2, 2, 8, I8, I8, I32, true, []string{"i8mm"}, always8, inPairs},
	{"usmmla", 2, 2, 8, U8, I8, I32, true, []string{"i8mm"}, always8, inPairs},
	{"ummla", 2, 2, 8, U8, U8, I32, true, []string{"i8mm"}, always8, inPairs},
	{"usdot", 1, 4, 4, U8, I8, I32, true, []string{"i8mm"}, always4, anywhere},
	{"sdot", 1, 4, 4, I8, I8, I32, true, []string{"dotprod"}, always4, anywhere},
	{"udot", 1, 4, 4, U8, U8, I32, true, []string{"dotprod"}, always4, anywhere},
	{"bfdot", 1, 4, 2, BF16, BF16, F32, false, []string{"bf16"}, always2, anywhere},
	{"vdla.gemm", 1, 16, 16, I8, I8, I32, true, []string{"vdla"}, ofChip, chip},
	{"vdla.gemmu", 1, 16, 16, U8, I8, I32, true, []string{"vdla"}, ofChip, chip},
	{"mma.m16n8k16.f16", MMARows, MMACols, 16, F16, F16, F32, false, []string{"sm_80"}, nil, block},
	{"mma.m16n8k16.bf16", MMARows, MMACols, 16, BF16, BF16, F32, false, []string{"sm_80"}, nil, block},
	{"mma.m16n8k8.tf32", MMARows, MMACols, 8, F32, F32, F32, false, []string{"sm_80"}, nil, block},
}

// Instructions returns the whole table.
func Instructions() []*Instruction { return slices.Clone(instructions) }

// InstructionsOf returns the instructions of a processor of some name and features, whose vectors have so many bytes:
// those that fill them, and that are faster than multiply-adds of float32.
func InstructionsOf(cpu string, has func(feature string) bool, vectorBytes int) []*Instruction {
	var list []*Instruction
	for _, i := range instructions {
		filled := i.Cols * int64(i.C.Bytes())
		if f, ok := i.TileFile(); ok {
			filled = i.Cols * f.GroupBytes
		}
		if filled == int64(vectorBytes) && i.RateOn(cpu) > 1 && slices.ContainsFunc(i.Needs, has) {
			list = append(list, i)
		}
	}
	return list
}

// RateOn returns how many times as many products the instruction makes as a multiply-add of float32 on a processor.
func (i *Instruction) RateOn(cpu string) float64 {
	for _, r := range i.Rates {
		if strings.HasPrefix(cpu, r.CPU) {
			return r.Rate
		}
	}
	return 0
}

// Time returns how long the instruction takes for so many steps of a sum, in multiply-adds of float32. The last group
// takes as long as a whole one.
func (i *Instruction) Time(steps int64, cpu string) float64 {
	return float64((steps+i.Depth-1)/i.Depth*i.Depth) / i.RateOn(cpu)
}

// Multiplies reports whether the instruction multiplies elements of two types, in any order, for a sum of a third one.
func (i *Instruction) Multiplies(x, y, sum DType) bool {
	return sum == i.C && (x == i.A && y == i.B || x == i.B && y == i.A)
}

// Wider returns the instruction of a list that does what i does with a wider A, which i widens itself; nil if there is
// none.
func (i *Instruction) Wider(list []*Instruction) *Instruction {
	k := slices.IndexFunc(list, func(j *Instruction) bool {
		return j.Rows == i.Rows && j.Cols == i.Cols && j.Depth == i.Depth && j.B == i.B && j.C == i.C && j.A.IsInt() &&
			i.A.IsInt() && j.A.Bytes() > i.A.Bytes() && j.Scopes == i.Scopes
	})
	if k < 0 {
		return nil
	}
	return list[k]
}

// Accumulated returns the store that is all of a loop, if it adds to an element; else nil. There may be conditions
// around it if guards are allowed.
func Accumulated(l *For, guards bool) *Store {
	body := l.Body
	for {
		if b, ok := body.(*Block); ok {
			body = b.Body
		} else if c, ok := body.(*If); ok && guards && c.Else == nil {
			body = c.Then
		} else {
			break
		}
	}
	s, ok := body.(*Store)
	if !ok {
		return nil
	}
	sum, ok := s.Value.(*Binary)
	if !ok || sum.Op != Add || !IsStored(sum.X, s) {
		return nil
	}
	return s
}

// A Factor is an element that a product multiplies. Where Cond, if it is not nil, does not hold, it is the constant
// Else, as in a padded image. If Mask is not 0, the factor is a field of an element: (element>>Shift)&Mask.
type Factor struct {
	*Load
	Cond, Else Expr
	Shift      Expr
	Mask       int64
}

// Type returns the type of the factor: a field of up to 8 bits is a byte.
func (f Factor) Type() DType {
	if f.Mask != 0 {
		return U8
	}
	return f.Buffer.Type
}

// Fields returns the fields of each byte of a word that f is one of, if its shift is that of the lowest byte.
func (f Factor) Fields() Expr {
	mask := &IntImm{Value: I32.Wrap(f.Mask * 0x01010101), Type: I32}
	return Bin(BitAnd, Bin(Shr, f.Load, f.Shift), mask)
}

// Factors returns the two elements whose product e is, both in another type or not; ok is false if it is none.
func Factors(e Expr) (x, y Factor, ok bool) {
	product, ok := e.(*Binary)
	if !ok || product.Op != Mul {
		return x, y, false
	}
	x, y = factor(product.X), factor(product.Y)
	return x, y, x.Load != nil && y.Load != nil
}

func factor(e Expr) (f Factor) {
	if c, ok := e.(*Cast); ok {
		e = c.X
	}
	if s, ok := e.(*Select); ok && s.Lazy {
		if isPadding(s.Else) {
			f.Cond, f.Else, e = s.Cond, s.Else, s.Then
		}
	}
	if field, ok := e.(*Binary); ok && field.Op == BitAnd {
		mask, ok1 := field.Y.(*IntImm)
		word, ok2 := field.X.(*Binary)
		if ok1 && ok2 && word.Op == Shr && word.DType() == I32 && mask.Value > 0 && mask.Value < 1<<8 {
			f.Shift, f.Mask, e = word.Y, mask.Value, word.X
		}
	}
	f.Load, _ = e.(*Load)
	return f
}

// isPadding reports whether e is an integer or the zero of floats.
func isPadding(e Expr) bool {
	switch e := e.(type) {
	case *IntImm:
		return true
	case *FloatImm:
		return math.Float64bits(e.Value) == 0
	}
	return false
}
