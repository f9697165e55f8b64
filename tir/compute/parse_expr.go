package compute

import (
	"math"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// A node is a parsed expression whose constants may have no type yet: they take
// that of what they meet.
type node struct {
	line int
	kind nodeKind
	typ  tir.DType // Invalid if only constants without a suffix say it
	frac bool      // a constant, or constants, with a fraction
	args []*node

	text   string // of a constant
	expr   tir.Expr
	op     tir.BinOp
	fn     tir.Intrinsic
	lazy   bool
	tensor Tensor
	ref    string // of the tensor
}

type nodeKind uint8

const (
	constNode nodeKind = iota
	exprNode           // expr, ready
	binaryNode
	notNode
	castNode
	bitcastNode
	selectNode
	callNode
	loadNode
)

// maxNesting bounds how deep parentheses may nest.
const maxNesting = 1000

// namedConstants are the constants that look like names.
var namedConstants = func() map[string]node {
	m := map[string]node{
		"true":  {kind: exprNode, typ: tir.Bool, expr: tir.BoolImm(true)},
		"false": {kind: exprNode, typ: tir.Bool, expr: tir.BoolImm(false)},
		"inf":   {kind: constNode, text: "inf", frac: true},
		"nan":   {kind: constNode, text: "nan", frac: true},
	}
	for t, s := range suffixes {
		if t.IsFloat() {
			m["inf_"+s] = node{kind: constNode, typ: t, text: "inf", frac: true}
			m["nan_"+s] = node{kind: constNode, typ: t, text: "nan", frac: true}
		}
	}
	return m
}()

// typedExpr takes an expression and gives its constants types, want if nothing
// in it says which.
func (p *parser) typedExpr(want tir.DType) (tir.Expr, error) {
	n, err := p.expr(1)
	if err != nil {
		return nil, err
	}
	line := p.line
	e, err := p.resolve(n, want, unguarded)
	p.line = line
	if err != nil {
		return nil, err
	}
	p.looked = map[string]bool{}
	return e, p.inside(e, place{})
}

// infix are the binary operators that stand between their operands.
var infix = func() map[string]tir.BinOp {
	m := map[string]tir.BinOp{}
	for _, op := range tir.BinOps() {
		if precedence(op) > 0 {
			m[op.String()] = op
		}
	}
	return m
}()

// expr takes an expression of operators that bind at least as tightly as min.
func (p *parser) expr(min int) (*node, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.fail("parentheses nest more than %d deep", maxNesting)
	}
	defer func() { p.depth-- }()
	x, err := p.operand()
	if err != nil {
		return nil, err
	}
	compared := false
	for {
		t := p.peek(0)
		op, ok := infix[t.text]
		prec := precedence(op)
		if !ok || t.kind != signToken || prec < min {
			return x, nil
		}
		if op.IsCompare() {
			if compared {
				p.take()
				return nil, p.fail("a comparison of a comparison: join them with &&, or use parentheses")
			}
			compared = true
		}
		p.take()
		y, err := p.expr(prec + 1)
		if err != nil {
			return nil, err
		}
		x = binaryNodeOf(t.line, op, x, y)
	}
}

func binaryNodeOf(line int, op tir.BinOp, x, y *node) *node {
	n := &node{line: line, kind: binaryNode, op: op, args: []*node{x, y}, typ: tir.Bool}
	if !op.IsCompare() && op != tir.And && op != tir.Or {
		n.typ, n.frac = sharedType(x, y)
	}
	return n
}

// sharedType returns the type that one of the nodes says, and whether one is a
// constant with a fraction.
func sharedType(list ...*node) (t tir.DType, frac bool) {
	for _, n := range list {
		if t == tir.Invalid {
			t = n.typ
		}
		frac = frac || n.frac
	}
	return t, frac
}

func (p *parser) operand() (*node, error) {
	t := p.take()
	switch {
	case t.kind == numberToken:
		return p.constant(t, "")
	case t.kind == nameToken:
		return p.named(t)
	case t.text == "(":
		n, err := p.expr(1)
		if err != nil {
			return nil, err
		}
		return n, p.expect(")", "after an expression in parentheses")
	case t.text == "!":
		n, err := p.expr(unaryPrecedence)
		return &node{line: t.line, kind: notNode, typ: tir.Bool, args: []*node{n}}, err
	case t.text == "-":
		if c := p.peek(0); c.kind == numberToken || c.kind == nameToken && namedConstants[c.text].frac {
			return p.constant(p.take(), "-")
		}
		return nil, p.fail("a minus sign before %s: write 0 - x for the negative of x", p.peek(0))
	}
	return nil, p.fail("expected an expression, found %s", t)
}

// constant returns the node of a number or of inf and nan.
func (p *parser) constant(t token, sign string) (*node, error) {
	if c, ok := namedConstants[t.text]; ok {
		c.line, c.text = t.line, sign+c.text
		return &c, nil
	}
	n := &node{line: t.line, kind: constNode, text: sign + t.text}
	end := len(t.text) - len(suffixOf(t.text))
	if s := t.text[end:]; s != "" {
		for dt, have := range suffixes {
			if have == s {
				n.typ = dt
			}
		}
		if s == "f" {
			n.typ = tir.F32
		}
		if n.typ == tir.Invalid {
			return nil, p.fail("number %s: unknown suffix %s: known are i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64",
				t.text, s)
		}
		n.text = sign + t.text[:end]
	}
	n.frac = strings.ContainsAny(n.text, ".eE") || n.typ.IsFloat()
	return n, nil
}

// suffixOf returns the letters and digits after a number, from the first letter
// that is not of an exponent.
func suffixOf(s string) string {
	for i := 0; i < len(s); i++ {
		if !isLetter(s[i]) {
			continue
		}
		if s[i]|0x20 == 'e' && i+1 < len(s) && !isLetter(s[i+1]) {
			continue
		}
		return s[i:]
	}
	return ""
}

// named returns the node of a constant, a variable, a read, a cast or a call.
func (p *parser) named(t token) (*node, error) {
	switch p.peek(0).text {
	case "[":
		return p.load(t)
	case "(":
		return p.call(t)
	}
	if c, ok := namedConstants[t.text]; ok {
		c.line = t.line
		return &c, nil
	}
	v := p.vars[t.text]
	if v == nil {
		if p.tensors[t.text] != nil {
			return nil, p.fail("tensor %s without indices: write %s[...]", t.text, t.text)
		}
		return nil, p.fail("unknown name %s: neither an axis of this op nor a constant", t.text)
	}
	return &node{line: t.line, kind: exprNode, typ: v.Type, expr: v}, nil
}

// list takes expressions up to a closing sign.
func (p *parser) list(end string) ([]*node, error) {
	p.take()
	var list []*node
	for !p.accept(end) {
		if len(list) > 0 {
			if err := p.expect(",", "or \""+end+"\" in a list"); err != nil {
				return nil, err
			}
		}
		n, err := p.expr(1)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func (p *parser) load(t token) (*node, error) {
	x, err := p.lookup(t.text)
	if err != nil {
		return nil, err
	}
	x.read = true
	index, err := p.list("]")
	if err != nil {
		return nil, err
	}
	if len(index) != len(x.Shape) {
		return nil, lineError(t.line, "%s is read with %d indices, but it has %d dimensions", t.text, len(index),
			len(x.Shape))
	}
	return &node{line: t.line, kind: loadNode, typ: x.Type, tensor: x.Tensor, ref: t.text, args: index}, nil
}

// callOps are the binary operators that are written as calls.
var callOps = []tir.BinOp{
	tir.FloorDiv, tir.FloorMod, tir.Min, tir.Max, tir.BitAnd, tir.BitOr, tir.BitXor, tir.Shl, tir.Shr,
}

func (p *parser) call(t token) (*node, error) {
	n, want := p.callee(t)
	if n == nil {
		return nil, p.fail("unknown function %s: known are %s", t.text, strings.Join(functionNames(), " "))
	}
	args, err := p.list(")")
	if err != nil {
		return nil, err
	}
	if len(args) != want {
		return nil, lineError(t.line, "%s has %d arguments, but takes %d", t.text, len(args), want)
	}
	n.args = args
	switch n.kind {
	case binaryNode, callNode:
		n.typ, n.frac = sharedType(args...)
	case selectNode:
		n.typ, n.frac = sharedType(args[1:]...)
	}
	return n, nil
}

// callee returns the node of a function, nil if there is none of that name, and
// how many arguments it takes.
func (p *parser) callee(t token) (n *node, args int) {
	switch t.text {
	case "if_then_else", "select":
		return &node{line: t.line, kind: selectNode, lazy: t.text != "select"}, 3
	}
	for _, op := range callOps {
		if op.String() == t.text {
			return &node{line: t.line, kind: binaryNode, op: op}, 2
		}
	}
	for _, fn := range tir.Intrinsics() {
		if fn.String() == t.text {
			return &node{line: t.line, kind: callNode, fn: fn}, fn.NumArgs()
		}
	}
	if to, err := tir.ParseDType(t.text); err == nil {
		return &node{line: t.line, kind: castNode, typ: to}, 1
	}
	if name, ok := strings.CutPrefix(t.text, bitcastWord); ok {
		if to, err := tir.ParseDType(name); err == nil {
			return &node{line: t.line, kind: bitcastNode, typ: to}, 1
		}
	}
	return nil, 0
}

func functionNames() []string {
	list := []string{"if_then_else", "select"}
	for _, op := range callOps {
		list = append(list, op.String())
	}
	for _, fn := range tir.Intrinsics() {
		list = append(list, fn.String())
	}
	for _, t := range tir.DTypes() {
		list = append(list, t.String())
	}
	return append(list, bitcastWord+"TYPE")
}

// A guard says whether an expression is evaluated only under a condition.
type guard uint8

const (
	unguarded guard = iota
	guarded
)

// resolve turns a node into an expression and checks its types. Constants get
// the type that another operand has, or else want, or else int64 or, with a
// fraction, float32.
func (p *parser) resolve(n *node, want tir.DType, g guard) (tir.Expr, error) {
	p.line = n.line
	switch n.kind {
	case exprNode:
		return n.expr, nil
	case constNode:
		return p.resolveConst(n, want)
	case binaryNode:
		return p.resolveBinary(n, want, g)
	case notNode:
		x, err := p.resolve(n.args[0], tir.Bool, g)
		if err != nil {
			return nil, err
		}
		return &tir.Not{X: x}, p.mustBe(n, x, tir.Bool, "the operand of !")
	case castNode:
		x, err := p.resolve(n.args[0], tir.Invalid, g)
		if err != nil {
			return nil, err
		}
		return &tir.Cast{X: x, To: n.typ}, nil
	case bitcastNode:
		return p.resolveBitcast(n, g)
	case selectNode:
		return p.resolveSelect(n, want, g)
	case callNode:
		return p.resolveCall(n, want, g)
	}
	return p.resolveLoad(n, g)
}

// mustBe returns an error if e has another type than t.
func (p *parser) mustBe(n *node, e tir.Expr, t tir.DType, what string) error {
	if have := e.DType(); have != t {
		return lineError(n.line, "%s, %s, has type %s instead of %s", what, e, have, t)
	}
	return nil
}

func (p *parser) resolveConst(n *node, want tir.DType) (tir.Expr, error) {
	t := n.typ
	if t == tir.Invalid {
		t = want
	}
	if t == tir.Invalid || t == tir.Bool {
		t = tir.Index
		if n.frac {
			t = tir.F32
		}
	}
	if t.IsFloat() {
		v, err := strconv.ParseFloat(n.text, 64)
		if err != nil {
			return nil, p.fail("number %s is out of range", n.text)
		}
		return tir.Float(t, v), nil
	}
	v, err := strconv.ParseInt(n.text, 10, 64)
	lo, hi, ok := t.IntRange()
	if !ok {
		var bits uint64
		bits, err = strconv.ParseUint(n.text, 10, 64)
		v, lo, hi = int64(bits), math.MinInt64, math.MaxInt64
	}
	if err != nil || v < lo || v > hi {
		return nil, p.fail("number %s is not of type %s", n.text, t)
	}
	return &tir.IntImm{Value: v, Type: t}, nil
}

// same resolves nodes that must have one type.
func (p *parser) same(list []*node, want tir.DType, what string, g guard) ([]tir.Expr, error) {
	t, frac := sharedType(list...)
	if t == tir.Invalid {
		t = want
	}
	if t == tir.Invalid && frac {
		t = tir.F32
	}
	out := make([]tir.Expr, len(list))
	for i, n := range list {
		var err error
		if out[i], err = p.resolve(n, t, g); err != nil {
			return nil, err
		}
		if have, first := out[i].DType(), out[0].DType(); have != first {
			return nil, lineError(n.line, "%s: %s has type %s and %s has type %s: cast one of them", what, out[0], first,
				out[i], have)
		}
	}
	return out, nil
}

func (p *parser) resolveBinary(n *node, want tir.DType, g guard) (tir.Expr, error) {
	if n.typ == tir.Bool && n.op.IsCompare() {
		want = tir.Invalid
	}
	xy, err := p.same(n.args, want, n.op.String(), g)
	if err != nil {
		return nil, err
	}
	t := xy[0].DType()
	switch {
	case n.op == tir.And || n.op == tir.Or:
		if t != tir.Bool {
			return nil, lineError(n.line, "%s of %s: its operands must be conditions", n.op, t)
		}
	case (t == tir.F16 || t == tir.BF16) && !(n.op == tir.Mul && t == tir.F16):
		return nil, lineError(n.line, "%s of %s, a type for storage only: cast to float32 first", n.op, t)
	case t == tir.Bool && n.op != tir.EQ && n.op != tir.NE:
		return nil, lineError(n.line, "%s of bool", n.op)
	case n.op.IsBits() && t.IsFloat():
		return nil, lineError(n.line, "%s of %s: only whole numbers have it", n.op, t)
	case n.op == tir.FloorDiv || n.op == tir.FloorMod:
		if t.IsFloat() {
			return nil, lineError(n.line, "%s of %s: only whole numbers have it", n.op, t)
		}
		if c, ok := xy[1].(*tir.IntImm); ok && c.Type.Number(c.Value) < 1 {
			return nil, lineError(n.line, "%s by %d: the divisor must be positive", n.op, c.Value)
		}
	case n.op == tir.Div:
		if c, ok := xy[1].(*tir.IntImm); ok && c.Value == 0 {
			return nil, lineError(n.line, "division by zero")
		}
	}
	return tir.Bin(n.op, xy[0], xy[1]), nil
}

func (p *parser) resolveBitcast(n *node, g guard) (tir.Expr, error) {
	x, err := p.resolve(n.args[0], tir.Invalid, g)
	if err != nil {
		return nil, err
	}
	if from := x.DType(); from == tir.Bool || n.typ == tir.Bool || from.Bytes() != n.typ.Bytes() {
		return nil, lineError(n.line, "%s%s of %s: its type must be as wide, and neither is bool", bitcastWord, n.typ, from)
	}
	return &tir.Bitcast{X: x, To: n.typ}, nil
}

func (p *parser) resolveSelect(n *node, want tir.DType, g guard) (tir.Expr, error) {
	cond, err := p.resolve(n.args[0], tir.Bool, g)
	if err != nil {
		return nil, err
	}
	if err := p.mustBe(n, cond, tir.Bool, "the condition"); err != nil {
		return nil, err
	}
	if n.lazy {
		g = guarded
	}
	xy, err := p.same(n.args[1:], want, "the values to choose from", g)
	if err != nil {
		return nil, err
	}
	return &tir.Select{Cond: cond, Then: xy[0], Else: xy[1], Lazy: n.lazy}, nil
}

func (p *parser) resolveCall(n *node, want tir.DType, g guard) (tir.Expr, error) {
	args, err := p.same(n.args, want, n.fn.String(), g)
	if err != nil {
		return nil, err
	}
	if t := args[0].DType(); t != tir.F32 && t != tir.F64 {
		return nil, lineError(n.line, "%s of %s: cast to float32 or float64 first", n.fn, t)
	}
	return &tir.Call{Fn: n.fn, Args: args}, nil
}

func (p *parser) resolveLoad(n *node, g guard) (tir.Expr, error) {
	index := make([]tir.Expr, len(n.args))
	for i, a := range n.args {
		e, err := p.resolve(a, tir.Index, g)
		if err != nil {
			return nil, err
		}
		if t := e.DType(); t != tir.Index {
			return nil, lineError(n.line, "index %d of %s, %s, has type %s: cast it to int64", i, n.ref, e, t)
		}
		extent := n.tensor.Shape[i]
		if x, ok := p.span(e, nil); ok && g == unguarded && !x.Within(arith.Between(0, extent-1)) {
			return nil, lineError(n.line, "index %d of %s, %s, runs from %d to %d, but the dimension from 0 to %d: "+
				"guard it with if_then_else",
				i, n.ref, e, x.Lo, x.Hi, extent-1)
		}
		if c, ok := e.(*tir.IntImm); ok && (c.Value < 0 || c.Value >= extent) {
			return nil, lineError(n.line, "index %d of %s is %d, but the dimension runs from 0 to %d", i, n.ref,
				c.Value, extent-1)
		}
		index[i] = e
	}
	return n.tensor.At(index...), nil
}
