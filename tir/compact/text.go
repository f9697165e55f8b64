// Package compact prints TensorIR functions as short text for models to read:
// one loop a line, types only where a buffer is declared, and no names but those
// that the order of first use gives. Programs that differ in names, in loops of
// one iteration, or in where an allocation ends have one text, so its hash identifies a state.
//
//	b0 f32[2^7,2^5]
//	b1 f32[2^5,2^6]
//	out b2 f32[2^7,2^6]
//	parallel l0 2^4
//	 for l1 2^3
//	  vector l2 2^6
//	   b2[l0*2^3+l1,l2]=0.0
//	  for l3 2^5
//	   vector l4 2^6
//	    b2[l0*2^3+l1,l4]=b2[l0*2^3+l1,l4]+b0[l0*2^3+l1,l3]*b1[l3,l4]
//
// Numbers are products of prime powers: 448 and 896 share all but one digit. //
// and % round toward minus infinity.
//
// The package must not know where functions come from (tir/lower), nor what reads
// the text.
package compact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"github.com/wmtune/wmtune/tir"
)

// An ID identifies a program up to names and loops of one iteration: the first
// half of the SHA-256 of its text.
type ID [16]byte

// String returns the ID as 32 hex digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// Identify returns the ID of a text.
func Identify(text []byte) ID {
	sum := sha256.Sum256(text)
	return ID(sum[:16])
}

// Text returns the text of f.
func Text(f *tir.Func) string { return string(Append(nil, f)) }

// Append appends the text of f, each line with its end. Functions that pack
// operands are left out: the caller chose no layout.
func Append(b []byte, f *tir.Func) []byte {
	p := printer{b: b, vars: map[*tir.Var]int{}, buffers: map[*tir.Buffer]int{}}
	for i, buf := range f.Params {
		word := ""
		if i >= len(f.Params)-f.Outputs {
			word = "out "
		}
		p.declare(word, buf, 0)
	}
	p.stmt(f.Body, 0)
	return p.b
}

// A printer writes one function.
type printer struct {
	b       []byte
	vars    map[*tir.Var]int // unit for a loop of one iteration
	loops   int
	buffers map[*tir.Buffer]int
}

// unit is what vars holds for a variable that is always 0.
const unit = -1

func (p *printer) text(s string) { p.b = append(p.b, s...) }

func (p *printer) number(n int64) { p.b, _ = appendNumber(p.b, n) }

func (p *printer) indent(depth int) {
	for range depth {
		p.b = append(p.b, ' ')
	}
}

// types are the short names of element types.
var types = [...]string{
	tir.Bool: "bool", tir.I8: "i8", tir.U8: "u8", tir.I32: "i32", tir.I64: "i64",
	tir.F16: "f16", tir.BF16: "bf16", tir.F32: "f32", tir.F64: "f64",
	tir.I16: "i16", tir.U16: "u16", tir.U32: "u32", tir.U64: "u64",
}

// declare writes the line of a buffer: its type, shape, memory if that is not the
// global one, and strides if they are padded.
func (p *printer) declare(word string, buf *tir.Buffer, depth int) {
	p.buffers[buf] = len(p.buffers)
	p.indent(depth)
	p.text(word)
	p.name('b', p.buffers[buf])
	p.text(" ")
	p.text(types[buf.Type])
	p.numbers(buf.Shape)
	if buf.Scope != "" && buf.Scope != tir.Global {
		p.text(" ")
		p.text(string(buf.Scope))
	}
	if padded(buf) {
		p.text(" strides")
		p.numbers(buf.Strides)
	}
	p.text("\n")
}

// padded reports whether the elements do not lie one after the other.
func padded(buf *tir.Buffer) bool {
	if buf.Strides == nil {
		return false
	}
	dense := tir.Buffer{Shape: buf.Shape}
	return !slices.Equal(buf.Strides, dense.ElemStrides())
}

func (p *printer) numbers(list []int64) {
	p.text("[")
	for i, n := range list {
		if i > 0 {
			p.text(",")
		}
		p.number(n)
	}
	p.text("]")
}

func (p *printer) stmt(s tir.Stmt, depth int) {
	switch s := s.(type) {
	case *tir.For:
		p.loop(s, depth)
	case *tir.Store:
		p.indent(depth)
		if s.Async {
			p.text("async ")
		}
		p.element(s.Buffer, s.Index)
		p.text("=")
		p.expr(s.Value, loosest)
		p.text("\n")
	case *tir.If:
		p.indent(depth)
		p.text("if ")
		p.expr(s.Cond, loosest)
		p.text("\n")
		p.stmt(s.Then, depth+1)
		if s.Else != nil {
			p.indent(depth)
			p.text("else\n")
			p.stmt(s.Else, depth+1)
		}
	case *tir.Seq:
		for _, t := range s.Stmts {
			p.stmt(t, depth)
		}
	case *tir.Alloc:
		p.declare("alloc ", s.Buffer, depth)
		p.stmt(s.Body, depth)
	case *tir.Block:
		p.stmt(s.Body, depth) // what a statement computes says whose it is
	case *tir.Pragma:
		p.indent(depth)
		p.text(s.Key)
		p.text(" ")
		p.number(s.Value)
		p.text("\n")
		p.stmt(s.Body, depth+1)
	case *tir.Barrier:
		p.indent(depth)
		p.text("barrier ")
		p.text(string(s.Scope))
		p.text("\n")
	case *tir.Wait:
		p.indent(depth)
		p.text("wait\n")
	case *tir.MMA:
		p.mma(s, depth)
	default:
		panic(fmt.Sprintf("BUG: compact: printing a %T", s))
	}
}

// mma writes the product of two tiles: the tile of the result, and the first elements of the others
// with how their indices move on the next row and in the next column.
func (p *printer) mma(s *tir.MMA, depth int) {
	p.indent(depth)
	p.text("mma ")
	p.element(s.Buffer, s.Index)
	for _, o := range []tir.Operand{s.A, s.B} {
		p.text(" ")
		p.element(o.First.Buffer, o.First.Index)
		p.numbers(o.Row)
		p.numbers(o.Col)
	}
	p.text("\n")
}

// kinds are the words of kinds of loops; a loop bound to threads has their name.
var kinds = [...]string{
	tir.Serial: "for", tir.Unrolled: "unroll", tir.Vectorized: "vector", tir.Parallel: "parallel", tir.Vthread: "vthread",
	tir.Tensorized: "for",
}

func (p *printer) loop(s *tir.For, depth int) {
	if n, ok := s.Extent.(*tir.IntImm); ok && n.Value == 1 {
		p.vars[s.Var] = unit
		p.stmt(s.Body, depth)
		return
	}
	p.vars[s.Var] = p.loops
	p.loops++
	p.indent(depth)
	if s.Kind == tir.ThreadBound {
		p.text(s.Thread)
	} else {
		p.text(kinds[s.Kind])
	}
	p.text(" ")
	p.name('l', p.vars[s.Var])
	p.text(" ")
	p.expr(s.Extent, loosest)
	p.text("\n")
	p.stmt(s.Body, depth+1)
}

// maxPrime bounds the primes that numbers are taken apart into; what is left of
// one is written as it is.
const maxPrime = 997

// AppendNumber writes n as texts do: a product of prime powers.
func AppendNumber(b []byte, n int64) []byte {
	b, _ = appendNumber(b, n)
	return b
}

// appendNumber writes n as a product of prime powers: 448 is 2^6*7. Composite
// reports whether it is a product.
func appendNumber(b []byte, n int64) (text []byte, composite bool) {
	if n < 4 {
		return strconv.AppendInt(b, n, 10), false
	}
	factors := 0
	power := func(p int64, exp int) {
		if factors > 0 {
			b = append(b, '*')
		}
		factors++
		b = strconv.AppendInt(b, p, 10)
		if exp > 1 {
			b = append(b, '^')
			b = strconv.AppendInt(b, int64(exp), 10)
		}
	}
	for p := int64(2); p <= maxPrime && p*p <= n; p++ {
		exp := 0
		for n%p == 0 {
			n /= p
			exp++
		}
		if exp > 0 {
			power(p, exp)
		}
	}
	if n > 1 {
		power(n, 1)
	}
	return b, factors > 1
}
