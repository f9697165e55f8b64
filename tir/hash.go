package tir

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Hash returns a hash of what f computes and how: functions that differ in
// names only (of the function, blocks, variables, buffers) have the same. It is
// stable over processes and releases; a change of the encoding is a change of
// the data set's format.
func (f *Func) Hash() [16]byte {
	h := hasher{vars: map[*Var]uint64{}, buffers: map[*Buffer]uint64{}, buf: make([]byte, 0, 4096)}
	h.num(uint64(len(f.Params)), uint64(f.Outputs))
	for _, b := range f.Params {
		h.buffer(b)
	}
	h.stmt(f.Body)
	for _, p := range f.Packs {
		h.tag(hashPack)
		h.buffer(p.Params[0])
		h.buffer(p.Params[1])
		h.stmt(p.Body)
	}
	sum := sha256.Sum256(h.buf)
	return [16]byte(sum[:16])
}

// The tags of statements and expressions in a hash.
const (
	hashVar = iota + 1
	hashInt
	hashFloat
	hashBinary
	hashNot
	hashCast
	hashSelect
	hashLazy
	hashCall
	hashLoad
	hashFor
	hashStore
	hashIf
	hashIfElse
	hashSeq
	hashAlloc
	hashBlock
	hashInit
	hashPragma
	hashBarrier
	hashPack
	hashAsync
	hashWait
	hashMMA
	hashBitcast
)

// A hasher encodes a function as bytes, with variables and buffers numbered
// in the order of appearance.
type hasher struct {
	vars    map[*Var]uint64
	buffers map[*Buffer]uint64
	buf     []byte
}

func (h *hasher) tag(t byte) { h.buf = append(h.buf, t) }

func (h *hasher) num(list ...uint64) {
	for _, v := range list {
		h.buf = binary.AppendUvarint(h.buf, v)
	}
}

func (h *hasher) text(s string) {
	h.num(uint64(len(s)))
	h.buf = append(h.buf, s...)
}

func (h *hasher) varRef(v *Var) {
	n, ok := h.vars[v]
	if !ok {
		n = uint64(len(h.vars))
		h.vars[v] = n
	}
	h.num(n, uint64(v.Type))
}

// buffer encodes b's number, and what it is at its first appearance.
func (h *hasher) buffer(b *Buffer) {
	if n, ok := h.buffers[b]; ok {
		h.num(n)
		return
	}
	n := uint64(len(h.buffers))
	h.buffers[b] = n
	h.num(n, uint64(b.Type), uint64(len(b.Shape)))
	for i, d := range b.Shape {
		h.num(uint64(d), uint64(b.ElemStrides()[i]))
	}
	if b.Scope == "" {
		h.text(string(Global))
	} else {
		h.text(string(b.Scope))
	}
}

func (h *hasher) exprs(list []Expr) {
	h.num(uint64(len(list)))
	for _, e := range list {
		h.expr(e)
	}
}

func (h *hasher) expr(e Expr) {
	switch e := e.(type) {
	case *Var:
		h.tag(hashVar)
		h.varRef(e)
	case *IntImm:
		h.tag(hashInt)
		h.num(uint64(e.Type), uint64(e.Value))
	case *FloatImm:
		h.tag(hashFloat)
		h.num(uint64(e.Type), math.Float64bits(e.Value))
	case *Binary:
		h.tag(hashBinary)
		h.num(uint64(e.Op))
	case *Not:
		h.tag(hashNot)
	case *Cast:
		h.tag(hashCast)
		h.num(uint64(e.To))
		if e.Term {
			h.num(1)
		}
	case *Bitcast:
		h.tag(hashBitcast)
		h.num(uint64(e.To))
	case *Select:
		h.tag(hashSelect)
		if e.Lazy {
			h.tag(hashLazy)
		}
	case *Call:
		h.tag(hashCall)
		h.num(uint64(e.Fn), uint64(len(e.Args)))
	case *Load:
		h.tag(hashLoad)
		h.buffer(e.Buffer)
		h.num(uint64(len(e.Index)))
	}
	Operands(e, h.expr)
}

func (h *hasher) stmt(s Stmt) {
	switch s := s.(type) {
	case *For:
		h.tag(hashFor)
		h.num(uint64(s.Kind))
		h.text(s.Thread)
		if s.Instruction != nil {
			h.text(s.Instruction.Name)
		}
		h.varRef(s.Var)
		h.expr(s.Extent)
		h.stmt(s.Body)
	case *Store:
		if s.Async {
			h.tag(hashAsync)
		}
		h.tag(hashStore)
		h.buffer(s.Buffer)
		h.exprs(s.Index)
		h.expr(s.Value)
	case *If:
		if s.Else == nil {
			h.tag(hashIf)
		} else {
			h.tag(hashIfElse)
		}
		h.expr(s.Cond)
		h.stmt(s.Then)
		if s.Else != nil {
			h.stmt(s.Else)
		}
	case *Seq:
		h.tag(hashSeq)
		h.num(uint64(len(s.Stmts)))
		for _, t := range s.Stmts {
			h.stmt(t)
		}
	case *Alloc:
		h.tag(hashAlloc)
		h.buffer(s.Buffer)
		h.stmt(s.Body)
	case *Block:
		if s.Init {
			h.tag(hashInit)
		} else {
			h.tag(hashBlock)
		}
		h.stmt(s.Body)
	case *Pragma:
		h.tag(hashPragma)
		h.text(s.Key)
		h.num(uint64(s.Value))
		h.stmt(s.Body)
	case *Barrier:
		h.tag(hashBarrier)
		h.text(string(s.Scope))
	case *Wait:
		h.tag(hashWait)
	case *MMA:
		h.mma(s)
	default:
		panic(fmt.Sprintf("BUG: tir: hashing a %T", s))
	}
}

// EqualExpr reports whether x and y have one structure, of the same variables
// and buffers.
func EqualExpr(x, y Expr) bool {
	if x == y {
		return true
	}
	switch x := x.(type) {
	case *Var:
		return false
	case *IntImm:
		y, ok := y.(*IntImm)
		return ok && *x == *y
	case *FloatImm:
		y, ok := y.(*FloatImm)
		return ok && x.Type == y.Type && math.Float64bits(x.Value) == math.Float64bits(y.Value)
	case *Binary:
		y, ok := y.(*Binary)
		return ok && x.Op == y.Op && EqualExpr(x.X, y.X) && EqualExpr(x.Y, y.Y)
	case *Not:
		y, ok := y.(*Not)
		return ok && EqualExpr(x.X, y.X)
	case *Cast:
		y, ok := y.(*Cast)
		return ok && x.To == y.To && x.Term == y.Term && EqualExpr(x.X, y.X)
	case *Bitcast:
		y, ok := y.(*Bitcast)
		return ok && x.To == y.To && EqualExpr(x.X, y.X)
	case *Select:
		y, ok := y.(*Select)
		return ok && x.Lazy == y.Lazy && EqualExpr(x.Cond, y.Cond) && EqualExpr(x.Then, y.Then) && EqualExpr(x.Else, y.Else)
	case *Call:
		y, ok := y.(*Call)
		return ok && x.Fn == y.Fn && slices.EqualFunc(x.Args, y.Args, EqualExpr)
	case *Load:
		y, ok := y.(*Load)
		return ok && x.Buffer == y.Buffer && slices.EqualFunc(x.Index, y.Index, EqualExpr)
	}
	panic(fmt.Sprintf("BUG: tir: comparing a %T", x))
}
