package metaschedule

import (
	"github.com/wmtune/wmtune/tir"
)

// binary are the operators with operands a and b.
var binary = map[string]tir.BinOp{
	"Add": tir.Add, "Sub": tir.Sub, "Mul": tir.Mul, "Div": tir.Div, "FloorDiv": tir.FloorDiv, "FloorMod": tir.FloorMod,
	"Min": tir.Min, "Max": tir.Max, "EQ": tir.EQ, "NE": tir.NE, "LT": tir.LT, "LE": tir.LE, "GT": tir.GT, "GE": tir.GE,
	"And": tir.And, "Or": tir.Or,
}

// calls are the functions, by the last part of their names.
var calls = map[string]tir.Intrinsic{
	"exp": tir.Exp, "log": tir.Log, "sqrt": tir.Sqrt, "rsqrt": tir.Rsqrt, "tanh": tir.Tanh, "erf": tir.Erf,
	"sigmoid": tir.Sigmoid, "fabs": tir.Abs, "floor": tir.Floor, "ceil": tir.Ceil, "round": tir.Round,
	"nearbyint": tir.RoundEven, "pow": tir.Pow, "sin": tir.Sin, "cos": tir.Cos, "atan": tir.Atan,
}

// maxNodes bounds the nodes of the expressions of a program, each counted as often as it is referred to.
const maxNodes = 1 << 20

// expr returns the expression of a node. Whole numbers of 32 and 64 bits that are computed
// from variables of loops are of type Index.
func (p *program) expr(at int) tir.Expr {
	if p.visited++; p.visited > maxNodes {
		p.fail("more than %d nodes of expressions", maxNodes)
	}
	if !p.enter() {
		return tir.Int(0)
	}
	defer p.leave()
	kind := p.kind(at)
	if op, ok := binary[kind]; ok {
		return p.binary(op, p.expr(p.node(at, "a")), p.expr(p.node(at, "b")))
	}
	switch kind {
	case "Var":
		if v := p.vars[at]; v != nil {
			return v
		}
		p.fail("the variable of node %d is of no loop of its block", at)
	case "IntImm":
		v := &tir.IntImm{Value: p.int(at), Type: p.dtypeOf(at)}
		if v.Type == tir.I32 || v.Type == tir.I64 {
			v.Type = tir.Index
		}
		return v
	case "FloatImm":
		var v float64
		p.plain(at, "value", &v)
		return tir.Float(p.dtypeOf(at), v)
	case "TensorLoad", "BufferLoad":
		return p.load(at, kind)
	case "Cast":
		return &tir.Cast{X: p.expr(p.node(at, "value")), To: p.dtypeOf(at)}
	case "Not":
		return &tir.Not{X: p.expr(p.node(at, "a"))}
	case "Select":
		return p.branches(p.node(at, "condition"), p.node(at, "true_value"), p.node(at, "false_value"), false)
	case "Call":
		return p.call(at)
	default:
		p.unmapped("expressions of kind %s", kind)
	}
	return tir.Int(0)
}

// binary joins two operands. A whole constant takes the type of its partner.
func (p *program) binary(op tir.BinOp, x, y tir.Expr) tir.Expr {
	if x.DType() != y.DType() {
		switch c, ok := y.(*tir.IntImm); {
		case ok:
			y = &tir.IntImm{Value: c.Value, Type: x.DType()}
		default:
			if c, ok = x.(*tir.IntImm); ok {
				x = &tir.IntImm{Value: c.Value, Type: y.DType()}
			}
		}
	}
	if x.DType() != y.DType() {
		p.unmapped("operands of types %s and %s", x.DType(), y.DType())
	}
	return tir.Bin(op, x, y)
}

func (p *program) branches(cond, then, els int, lazy bool) tir.Expr {
	s := &tir.Select{Cond: p.expr(cond), Then: p.expr(then), Else: p.expr(els), Lazy: lazy}
	if s.Then.DType() != s.Else.DType() {
		p.unmapped("branches of types %s and %s", s.Then.DType(), s.Else.DType())
	}
	return s
}

func (p *program) load(at int, kind string) tir.Expr {
	field := "source"
	if kind == "BufferLoad" {
		field = "buffer"
	}
	buffer := p.node(at, field)
	t, ok := p.tensors[buffer]
	if !ok {
		p.unmapped("reading a buffer before a block writes it")
		return tir.Float(tir.F32, 0)
	}
	p.reads[buffer] = true
	var index []tir.Expr
	for _, i := range p.list(p.node(at, "indices")) {
		e := p.expr(i)
		if e.DType() != tir.Index {
			p.unmapped("an index of type %s", e.DType())
		}
		index = append(index, e)
	}
	if len(index) != len(t.Shape) {
		p.fail("node %d reads %d dimensions of a tensor of %d", at, len(index), len(t.Shape))
	}
	return t.At(index...)
}

func (p *program) call(at int) tir.Expr {
	op := p.node(at, "op")
	if p.kind(op) != "Op" {
		p.unmapped("calls of functions")
		return tir.Int(0)
	}
	name := last(p.text(op))
	args := p.list(p.node(at, "args"))
	if name == "if_then_else" && len(args) == 3 {
		return p.branches(args[0], args[1], args[2], true)
	}
	fn, ok := calls[name]
	if !ok || len(args) != fn.NumArgs() {
		p.unmapped("calls of %s", name)
		return tir.Int(0)
	}
	c := &tir.Call{Fn: fn}
	for _, a := range args {
		c.Args = append(c.Args, p.expr(a))
	}
	return c
}

// dtypeOf returns the type of an expression's node.
func (p *program) dtypeOf(at int) tir.DType {
	if p.has(at, "ty") { // as of TVM 0.26
		at = p.node(at, "ty")
	}
	return p.dtype(at)
}

// dtype returns the type that a field of that name holds, itself or as a type of its own.
func (p *program) dtype(at int) tir.DType {
	var of any
	p.plain(at, "dtype", &of)
	if _, text := of.(string); !text && p.err == nil { // as of TVM 0.26
		p.plain(p.node(at, "dtype"), "dtype", &of)
	}
	name, _ := of.(string)
	t, err := tir.ParseDType(name)
	if err != nil {
		p.unmapped("elements of type %s", name)
		return tir.F32
	}
	return t
}
