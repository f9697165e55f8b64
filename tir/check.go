package tir

import (
	"fmt"
	"slices"
	"strings"
)

// Check reports the first way in which f is not well formed, as an error that
// shows the statement, or nil. A well-formed function
//
//   - binds each variable once, in a loop around its uses;
//   - loads and stores parameters and buffers of an enclosing Alloc only, with
//     one Index expression per dimension, and never stores to an input;
//   - applies operators to operands of the types they take: arithmetic never to
//     F16 and BF16, which are storage types, but sums of products of F16 (IsHalfSum);
//   - reads bits as a type of the same width;
//   - stores asynchronously to shared memory only;
//   - multiplies tiles as MMA says;
//   - has functions to pack inputs that give one each, and are well formed;
//   - has constant extents on Unrolled, Vectorized, Vthread and ThreadBound
//     loops, and a thread name on the last kind only.
//
// It does not say whether loops may run in parallel or as vectors: see
// CheckLoops.
func Check(f *Func) error {
	c := checker{vars: map[*Var]varState{}, buffers: map[*Buffer]bufState{}}
	if f.Outputs < 0 || f.Outputs > len(f.Params) {
		return fmt.Errorf("tir: %s: %d outputs of %d parameters", f.Name, f.Outputs, len(f.Params))
	}
	for i, b := range f.Params {
		if _, ok := c.buffers[b]; ok {
			return fmt.Errorf("tir: %s: parameter %s is listed twice", f.Name, b.Name)
		}
		if err := checkBuffer(b); err != nil {
			return fmt.Errorf("tir: %s: parameter %s: %w", f.Name, b.Name, err)
		}
		c.buffers[b] = writable
		if i < len(f.Params)-f.Outputs {
			c.buffers[b] = readOnly
		}
	}
	if f.Body == nil {
		return fmt.Errorf("tir: %s: no body", f.Name)
	}
	if err := c.stmt(f.Body); err != nil {
		return fmt.Errorf("tir: %s: %w", f.Name, err)
	}
	for _, p := range f.Packs {
		if err := checkPack(f, p); err != nil {
			return fmt.Errorf("tir: %s: %w", f.Name, err)
		}
	}
	return nil
}

// checkPack checks a function that packs an input of f.
func checkPack(f, p *Func) error {
	if len(p.Params) != 2 || p.Outputs != 1 || p.Packs != nil {
		return fmt.Errorf("%s packs %d parameters into %d: it must take one and give one", p.Name, len(p.Params)-p.Outputs,
			p.Outputs)
	}
	if !slices.Contains(f.Inputs(), p.Params[1]) {
		return fmt.Errorf("%s packs %s, which is no input", p.Name, p.Params[1].Name)
	}
	return Check(p)
}

type varState uint8

const (
	inScope varState = iota + 1
	gone
)

type bufState uint8

const (
	readOnly bufState = iota + 1
	writable
	freed
)

type checker struct {
	vars    map[*Var]varState
	buffers map[*Buffer]bufState
}

// within names the statement that err was found in.
func within(s Stmt, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("in %q: %w", firstLine(s), err)
}

// firstLine returns the beginning of the text of s, which may be too broken to
// be printed.
func firstLine(s Stmt) (line string) {
	defer func() {
		if recover() != nil {
			line = fmt.Sprintf("a broken %T", s)
		}
	}()
	line, _, _ = strings.Cut(s.String(), "\n")
	return strings.TrimSpace(line)
}

func (c *checker) stmt(s Stmt) error {
	switch s := s.(type) {
	case *For:
		return c.loop(s)
	case *Store:
		return within(s, c.store(s))
	case *If:
		return c.ifStmt(s)
	case *Seq:
		if len(s.Stmts) == 0 {
			return fmt.Errorf("empty sequence")
		}
		for _, t := range s.Stmts {
			if err := c.stmt(t); err != nil {
				return err
			}
		}
		return nil
	case *Alloc:
		if _, ok := c.buffers[s.Buffer]; ok {
			return fmt.Errorf("buffer %s is allocated twice or is a parameter", s.Buffer.Name)
		}
		if err := checkBuffer(s.Buffer); err != nil {
			return fmt.Errorf("alloc %s: %w", s.Buffer.Name, err)
		}
		c.buffers[s.Buffer] = writable
		err := c.stmt(s.Body)
		c.buffers[s.Buffer] = freed
		return err
	case *Block:
		return c.stmt(s.Body)
	case *Pragma:
		return c.stmt(s.Body)
	case *Barrier, *Wait:
		return nil
	case *MMA:
		return within(s, c.mma(s))
	case nil:
		return fmt.Errorf("nil statement")
	}
	panic(fmt.Sprintf("BUG: tir: checking a %T", s))
}

func (c *checker) loop(s *For) error {
	if err := within(s, c.loopHead(s)); err != nil {
		return err
	}
	c.vars[s.Var] = inScope
	err := c.stmt(s.Body)
	c.vars[s.Var] = gone
	return err
}

func (c *checker) loopHead(s *For) error {
	switch {
	case s.Var == nil:
		return fmt.Errorf("loop has no variable")
	case s.Var.Type != Index:
		return fmt.Errorf("loop variable %s has type %s, want %s", s.Var.Name, s.Var.Type, Index)
	case c.vars[s.Var] != 0:
		return fmt.Errorf("variable %s is bound twice", s.Var.Name)
	case s.Body == nil:
		return fmt.Errorf("loop has no body")
	case (s.Kind == ThreadBound) != (s.Thread != ""):
		return fmt.Errorf("%s loop with thread name %q", s.Kind, s.Thread)
	}
	if err := c.typed(s.Extent, Index); err != nil {
		return fmt.Errorf("extent: %w", err)
	}
	switch s.Kind {
	case Unrolled, Vectorized, Vthread, ThreadBound, Tensorized:
		if _, ok := s.Extent.(*IntImm); !ok {
			return fmt.Errorf("%s loop needs a constant extent", s.Kind)
		}
	}
	return nil
}

func (c *checker) ifStmt(s *If) error {
	if err := within(s, c.typed(s.Cond, Bool)); err != nil {
		return err
	}
	if s.Then == nil {
		return fmt.Errorf("if without a statement")
	}
	if err := c.stmt(s.Then); err != nil {
		return err
	}
	if s.Else != nil {
		return c.stmt(s.Else)
	}
	return nil
}

func (c *checker) store(s *Store) error {
	if err := c.access(s.Buffer, s.Index); err != nil {
		return err
	}
	if c.buffers[s.Buffer] == readOnly {
		return fmt.Errorf("store to input %s", s.Buffer.Name)
	}
	if s.Async && s.Buffer.Scope != Shared {
		return fmt.Errorf("asynchronous store to %s, which is not in shared memory", s.Buffer.Name)
	}
	return c.typed(s.Value, s.Buffer.Type)
}

func (c *checker) access(b *Buffer, index []Expr) error {
	switch c.buffers[b] {
	case 0:
		return fmt.Errorf("buffer %s is neither a parameter nor allocated", b.Name)
	case freed:
		return fmt.Errorf("buffer %s is used after its alloc ends", b.Name)
	}
	if len(index) != len(b.Shape) {
		return fmt.Errorf("%d indices for %s, which has %d dimensions", len(index), b.Name, len(b.Shape))
	}
	for _, e := range index {
		if err := c.typed(e, Index); err != nil {
			return fmt.Errorf("index of %s: %w", b.Name, err)
		}
	}
	return nil
}

// typed checks e and that its type is want.
func (c *checker) typed(e Expr, want DType) error {
	if err := c.expr(e); err != nil {
		return err
	}
	if t := e.DType(); t != want {
		return fmt.Errorf("%s has type %s, want %s", e, t, want)
	}
	return nil
}

func (c *checker) expr(e Expr) error {
	switch e := e.(type) {
	case nil:
		return fmt.Errorf("nil expression")
	case *Var:
		switch c.vars[e] {
		case 0:
			return fmt.Errorf("variable %s is not bound", e.Name)
		case gone:
			return fmt.Errorf("variable %s is used outside its loop", e.Name)
		}
		return nil
	case *IntImm:
		if e.Type.IsFloat() || e.Type == Invalid {
			return fmt.Errorf("integer constant of type %s", e.Type)
		}
		return nil
	case *FloatImm:
		if !e.Type.IsFloat() {
			return fmt.Errorf("float constant of type %s", e.Type)
		}
		return nil
	case *Binary:
		return c.binary(e)
	case *Not:
		return c.typed(e.X, Bool)
	case *Cast:
		if e.To == Invalid {
			return fmt.Errorf("cast to %s", e.To)
		}
		return c.expr(e.X)
	case *Bitcast:
		return c.bitcast(e)
	case *Select:
		if err := c.typed(e.Cond, Bool); err != nil {
			return err
		}
		if err := c.expr(e.Then); err != nil {
			return err
		}
		return c.typed(e.Else, e.Then.DType())
	case *Call:
		return c.call(e)
	case *Load:
		return c.access(e.Buffer, e.Index)
	}
	panic(fmt.Sprintf("BUG: tir: checking a %T", e))
}

func (c *checker) binary(e *Binary) error {
	if e.Op == InvalidOp || int(e.Op) >= len(binOps) {
		return fmt.Errorf("operator number %d", e.Op)
	}
	if err := c.expr(e.X); err != nil {
		return err
	}
	t := e.X.DType()
	if err := c.typed(e.Y, t); err != nil {
		return err
	}
	switch {
	case e.Op == And || e.Op == Or:
		if t != Bool {
			return fmt.Errorf("%s of %s in %s", e.Op, t, e)
		}
	case e.Op == EQ || e.Op == NE:
		if t == F16 || t == BF16 {
			return fmt.Errorf("%s of %s, a storage type, in %s: cast to float32 first", e.Op, t, e)
		}
	case t == Bool:
		return fmt.Errorf("%s of bool in %s", e.Op, e)
	case (t == F16 || t == BF16) && !IsHalfSum(e.Op, t):
		return fmt.Errorf("%s of %s, a storage type, in %s: cast to float32 first", e.Op, t, e)
	case t.IsFloat() && (e.Op == FloorDiv || e.Op == FloorMod || e.Op.IsBits()):
		return fmt.Errorf("%s of %s in %s", e.Op, t, e)
	}
	return nil
}

func (c *checker) bitcast(e *Bitcast) error {
	if err := c.expr(e.X); err != nil {
		return err
	}
	if from := e.X.DType(); e.To == Invalid || e.To == Bool || from == Bool || from.Bytes() != e.To.Bytes() {
		return fmt.Errorf("bits of %s as %s in %s", from, e.To, e)
	}
	return nil
}

func (c *checker) call(e *Call) error {
	if e.Fn == InvalidIntrinsic || int(e.Fn) >= len(intrinsics) {
		return fmt.Errorf("intrinsic number %d", e.Fn)
	}
	if len(e.Args) != e.Fn.NumArgs() {
		return fmt.Errorf("%d arguments for %s, which takes %d", len(e.Args), e.Fn, e.Fn.NumArgs())
	}
	for _, a := range e.Args {
		if err := c.typed(a, e.Args[0].DType()); err != nil {
			return err
		}
	}
	if t := e.DType(); t != F32 && (t != F64 || e.Fn == TF32) {
		return fmt.Errorf("%s of %s in %s", e.Fn, t, e)
	}
	return nil
}

func checkBuffer(b *Buffer) error {
	if b.Type == Invalid || int(b.Type) >= len(dtypes) {
		return fmt.Errorf("element type %s", b.Type)
	}
	for _, d := range b.Shape {
		if d < 1 {
			return fmt.Errorf("extent %d in shape [%s]", d, joinInts(b.Shape))
		}
	}
	if b.Strides == nil {
		return nil
	}
	if len(b.Strides) != len(b.Shape) {
		return fmt.Errorf("%d strides for %d dimensions", len(b.Strides), len(b.Shape))
	}
	inner := int64(1) // elements that the dimensions inside occupy
	for i := len(b.Shape) - 1; i >= 0; i-- {
		if b.Strides[i] < inner {
			return fmt.Errorf("stride %d of dimension %d is less than %d: elements overlap", b.Strides[i], i, inner)
		}
		inner = b.Strides[i]*(b.Shape[i]-1) + inner
	}
	return nil
}

// CheckLoops reports the first loop of f that an emitter could not carry out as
// its kind says, or nil. Beyond Check, it demands that
//
//   - a Parallel loop is in no other Parallel loop, vector or GPU thread;
//   - a Vectorized loop contains no Alloc, no Barrier, no Wait, no MMA and no loop but serial,
//     unrolled and tensorized ones of one extent in all lanes;
//   - each Store in a Vectorized loop has an index that depends on the lane;
//   - a Barrier and a Wait are in a thread loop, an MMA in one of whole warps.
func CheckLoops(f *Func) error {
	if err := checkLoops(f.Body, nil); err != nil {
		return fmt.Errorf("tir: %s: %w", f.Name, err)
	}
	return nil
}

// checkLoops checks s, which is inside the given loops, outermost first.
func checkLoops(s Stmt, around []*For) error {
	lane := innermostVector(around)
	switch s := s.(type) {
	case *For:
		if err := within(s, checkNesting(s, around, lane)); err != nil {
			return err
		}
		return checkLoops(s.Body, append(around[:len(around):len(around)], s))
	case *Store:
		if lane == nil {
			return nil
		}
		for _, e := range s.Index {
			if Uses(e, lane.Var) {
				return nil
			}
		}
		return within(s, fmt.Errorf("the store does not depend on lane %s: all lanes write one element", lane.Var.Name))
	case *If:
		if err := checkLoops(s.Then, around); err != nil || s.Else == nil {
			return err
		}
		return checkLoops(s.Else, around)
	case *Seq:
		for _, t := range s.Stmts {
			if err := checkLoops(t, around); err != nil {
				return err
			}
		}
		return nil
	case *Alloc:
		if lane != nil {
			return fmt.Errorf("alloc of %s in vectorized loop %s", s.Buffer.Name, lane.Var.Name)
		}
		return checkLoops(s.Body, around)
	case *Block:
		return checkLoops(s.Body, around)
	case *Pragma:
		return checkLoops(s.Body, around)
	case *Barrier:
		return ofThreads("barrier", around, lane)
	case *Wait:
		return ofThreads("wait", around, lane)
	case *MMA:
		return within(s, mmaLoops(around, lane))
	}
	panic(fmt.Sprintf("BUG: tir: checking a %T", s))
}

// ofThreads checks what only threads do, one by one.
func ofThreads(what string, around []*For, lane *For) error {
	if lane != nil {
		return fmt.Errorf("%s in vectorized loop %s", what, lane.Var.Name)
	}
	for _, l := range around {
		if l.Kind == ThreadBound && strings.HasPrefix(l.Thread, "threadIdx.") {
			return nil
		}
	}
	return fmt.Errorf("%s outside of thread loops", what)
}

func innermostVector(around []*For) *For {
	for i := len(around) - 1; i >= 0; i-- {
		if around[i].Kind == Vectorized {
			return around[i]
		}
	}
	return nil
}

func checkNesting(s *For, around []*For, lane *For) error {
	if lane != nil {
		if s.Kind != Unrolled && s.Kind != Serial && s.Kind != Tensorized {
			return fmt.Errorf("%s loop in vectorized loop %s", s.Kind, lane.Var.Name)
		}
		if Uses(s.Extent, lane.Var) {
			return fmt.Errorf("the extent differs between the lanes of %s", lane.Var.Name)
		}
	}
	if s.Kind != Parallel {
		return nil
	}
	for _, l := range around {
		if l.Kind == Parallel || l.Kind == ThreadBound || l.Kind == Vthread {
			return fmt.Errorf("parallel loop in %s loop %s", l.Kind, l.Var.Name)
		}
	}
	return nil
}
