package compute

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// Text returns the text of d that determines it: what Parse reads, and what
// users write in workload files (docs/manual/workload-file.md). Inputs come first, in
// the order of Tensors, then the other ops in the order of Ops:
//
//	input x: float32[128, 64]
//	input w: float32[64, 32]
//	dense(i: 128, j: 32) = sum(k: 64) x[i, k]*w[k, j]
//	relu(i: 128, j: 32) = max(dense[i, j], 0)
//	output relu
//
// Tensors of one name are told apart by a label, as in placeholder@2. Names that
// are not made of letters, digits, _ and . are printed as they are, and Parse
// refuses them.
func (d *DAG) Text() string {
	p := textPrinter{refs: tensorRefs(d)}
	for _, b := range d.Inputs() {
		fmt.Fprintf(&p.w, "input %s: %s%s\n", p.refs[b], b.Type, shapeText(b.Shape))
	}
	for _, op := range d.Ops {
		if !op.IsPlaceholder() {
			p.op(op)
		}
	}
	p.w.WriteString("output " + p.tensors(d.Results()) + "\n")
	return p.w.String()
}

// tensorRefs gives each tensor of d a name of its own.
func tensorRefs(d *DAG) map[*tir.Buffer]string {
	list := append([]*tir.Buffer(nil), d.Inputs()...)
	for _, op := range d.Ops {
		if !op.IsPlaceholder() {
			list = append(list, op.Results...)
		}
	}
	count := map[string]int{}
	for _, b := range list {
		count[b.Name]++
	}
	refs, seen := map[*tir.Buffer]string{}, map[string]int{}
	for _, b := range list {
		refs[b] = b.Name
		if count[b.Name] > 1 {
			seen[b.Name]++
			refs[b] = b.Name + "@" + strconv.Itoa(seen[b.Name])
		}
	}
	return refs
}

type textPrinter struct {
	w    strings.Builder
	refs map[*tir.Buffer]string
}

func (p *textPrinter) tensors(list []*tir.Buffer) string {
	names := make([]string, len(list))
	for i, b := range list {
		names[i] = p.refs[b]
	}
	return strings.Join(names, ", ")
}

func (p *textPrinter) op(op *Op) {
	head, arrow := op.Name, ""
	if refs := p.tensors(op.Results); len(op.Results) == 1 && op.Results[0].Name == op.Name {
		head = refs
	} else if refs != strings.Join(resultNames(op.Name, len(op.Results)), ", ") {
		arrow = " -> " + refs
	}
	p.w.WriteString(head + "(" + axesText(op.Axes) + ")" + arrow + " = ")
	want := make([]tir.DType, len(op.Body))
	if op.Combine == nil {
		p.exprs(op.Body, want)
	} else {
		p.reduction(op, want)
	}
	p.attrs(op.Attrs)
	p.w.WriteString("\n")
}

// resultNames returns the names of the results of an op for which no others are
// given.
func resultNames(op string, n int) []string {
	if n == 1 {
		return []string{op}
	}
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s.v%d", op, i)
	}
	return list
}

func axesText(axes []*Axis) string {
	list := make([]string, len(axes))
	for i, a := range axes {
		list[i] = fmt.Sprintf("%s: %d", a.Var.Name, a.Extent)
	}
	return strings.Join(list, ", ")
}

// combineNames are the reductions that have a word of their own.
var combineNames = map[CombineKind]string{Sum: "sum", MaxOf: "max", MinOf: "min"}

func (p *textPrinter) reduction(op *Op, want []tir.DType) {
	c, reduce := op.Combine, "("+axesText(op.ReduceAxes)+") "
	types := make([]tir.DType, len(op.Body))
	for i, e := range op.Body {
		types[i] = e.DType()
	}
	if word := combineNames[c.Kind]; word != "" && len(op.Body) == 1 && c.isCommon() {
		if c.Wide {
			word = wideSum
		}
		p.w.WriteString(word + reduce)
		p.exprs(op.Body, want)
		if !sameConst(c.Identity[0], NewCombiner(c.Kind, types[0]).Identity[0]) {
			p.w.WriteString("\n    from ")
			p.exprs(c.Identity, types)
		}
		return
	}
	p.w.WriteString("reduce" + reduce)
	p.exprs(op.Body, want)
	p.w.WriteString("\n    from ")
	p.exprs(c.Identity, types)
	p.w.WriteString("\n    fold (" + varNames(c.Acc) + ") (" + varNames(c.Src) + ") ")
	p.exprs(c.Fold(), types)
}

// isCommon reports whether the only result of c is what its kind says.
func (c *Combiner) isCommon() bool {
	e, ok := c.Result[0].(*tir.Binary)
	return ok && e.Op == commonOps[c.Kind] && e.X == tir.Expr(c.Acc[0]) && e.Y == tir.Expr(c.Src[0])
}

func sameConst(x, y tir.Expr) bool {
	switch x := x.(type) {
	case *tir.IntImm:
		y, ok := y.(*tir.IntImm)
		return ok && *x == *y
	case *tir.FloatImm:
		y, ok := y.(*tir.FloatImm)
		return ok && x.Type == y.Type && math.Float64bits(x.Value) == math.Float64bits(y.Value)
	}
	return false
}

func varNames(vars []*tir.Var) string {
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = v.Name
	}
	return strings.Join(names, ", ")
}

func (p *textPrinter) attrs(a Attrs) {
	for _, row := range attrWords {
		if names := *row.axes(&a); len(names) > 0 {
			p.w.WriteString("\n    " + row.word + " " + strings.Join(names, ", "))
		}
	}
	if len(a.LayoutFree) > 0 {
		p.w.WriteString("\n    layout_free " + p.tensors(a.LayoutFree))
	}
	if a.FLOP != 0 {
		p.w.WriteString("\n    flop " + strconv.FormatInt(a.FLOP, 10))
	}
}

// attrWords are the attributes that list axes.
var attrWords = []struct {
	word string
	axes func(*Attrs) *[]string
}{
	{"simplify_const_tensor_indices", func(a *Attrs) *[]string { return &a.SimplifyConstTensorIndices }},
	{"no_split_at_inner", func(a *Attrs) *[]string { return &a.NoSplitAtInner }},
	{"always_unroll_inner", func(a *Attrs) *[]string { return &a.AlwaysUnrollInner }},
}

// exprs prints one expression, or several in braces; want is what the reader
// knows of their types.
func (p *textPrinter) exprs(list []tir.Expr, want []tir.DType) {
	if len(list) == 1 {
		p.expr(list[0], want[0], 0)
		return
	}
	p.w.WriteString("{")
	for i, e := range list {
		if i > 0 {
			p.w.WriteString(", ")
		}
		p.expr(e, want[i], 0)
	}
	p.w.WriteString("}")
}

// precedence returns how tightly a binary operator binds; 0 for those that are
// written as calls.
func precedence(op tir.BinOp) int {
	switch op {
	case tir.Or:
		return 1
	case tir.And:
		return 2
	case tir.EQ, tir.NE, tir.LT, tir.LE, tir.GT, tir.GE:
		return 3
	case tir.Add, tir.Sub:
		return 4
	case tir.Mul, tir.Div:
		return 5
	}
	return 0
}

const unaryPrecedence = 6

// expr prints e with parentheses if it binds less tightly than min. A constant
// of type want needs no suffix.
func (p *textPrinter) expr(e tir.Expr, want tir.DType, min int) {
	switch e := e.(type) {
	case *tir.Var:
		p.w.WriteString(e.Name)
	case *tir.IntImm:
		p.w.WriteString(intLiteral(e, want))
	case *tir.FloatImm:
		p.w.WriteString(floatLiteral(e, want))
	case *tir.Binary:
		p.binary(e, want, min)
	case *tir.Not:
		p.w.WriteString("!")
		p.expr(e.X, tir.Bool, unaryPrecedence)
	case *tir.Cast:
		p.call(e.To.String(), []tir.Expr{e.X}, []tir.DType{tir.Invalid})
	case *tir.Bitcast:
		p.call(bitcastWord+e.To.String(), []tir.Expr{e.X}, []tir.DType{tir.Invalid})
	case *tir.Select:
		name := "select"
		if e.Lazy {
			name = "if_then_else"
		}
		t := operandWant(want, e.Then, e.Else)
		p.call(name, []tir.Expr{e.Cond, e.Then, e.Else}, []tir.DType{tir.Bool, t, t})
	case *tir.Call:
		p.call(e.Fn.String(), e.Args, repeat(operandWant(want, e.Args...), len(e.Args)))
	case *tir.Load:
		p.w.WriteString(p.refs[e.Buffer] + "[")
		p.list(e.Index, repeat(tir.Index, len(e.Index)))
		p.w.WriteString("]")
	default:
		panic(fmt.Sprintf("BUG: compute: text of a %T", e))
	}
}

func (p *textPrinter) binary(e *tir.Binary, want tir.DType, min int) {
	if e.DType() == tir.Bool {
		want = tir.Invalid // tells nothing of the operands
		if e.Op == tir.And || e.Op == tir.Or {
			want = tir.Bool
		}
	}
	t := operandWant(want, e.X, e.Y)
	prec := precedence(e.Op)
	if prec == 0 {
		p.call(e.Op.String(), []tir.Expr{e.X, e.Y}, []tir.DType{t, t})
		return
	}
	if prec < min {
		p.w.WriteString("(")
		defer p.w.WriteString(")")
	}
	left := prec
	if e.Op.IsCompare() {
		left++ // a comparison of comparisons has parentheses
	}
	p.expr(e.X, t, left)
	if e.Op == tir.Mul || e.Op == tir.Div {
		p.w.WriteString(e.Op.String())
	} else {
		p.w.WriteString(" " + e.Op.String() + " ")
	}
	p.expr(e.Y, t, prec+1)
}

func (p *textPrinter) call(name string, args []tir.Expr, want []tir.DType) {
	p.w.WriteString(name + "(")
	p.list(args, want)
	p.w.WriteString(")")
}

func (p *textPrinter) list(list []tir.Expr, want []tir.DType) {
	for i, e := range list {
		if i > 0 {
			p.w.WriteString(", ")
		}
		p.expr(e, want[i], 0)
	}
}

// operandWant returns what a reader knows of the type of operands that share
// one: what any of them that is not made of constants says, or else what the
// reader wants.
func operandWant(want tir.DType, operands ...tir.Expr) tir.DType {
	for _, e := range operands {
		if !constantsOnly(e) {
			return operands[0].DType()
		}
	}
	if want == operands[0].DType() {
		return want
	}
	return tir.Invalid
}

// constantsOnly reports whether the type of e is that of constants in it.
func constantsOnly(e tir.Expr) bool {
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Type != tir.Bool
	case *tir.FloatImm:
		return true
	case *tir.Binary:
		return e.DType() != tir.Bool && constantsOnly(e.X) && constantsOnly(e.Y)
	case *tir.Select:
		return constantsOnly(e.Then) && constantsOnly(e.Else)
	case *tir.Call:
		for _, a := range e.Args {
			if !constantsOnly(a) {
				return false
			}
		}
		return true
	}
	return false
}

func repeat(t tir.DType, n int) []tir.DType {
	list := make([]tir.DType, n)
	for i := range list {
		list[i] = t
	}
	return list
}

// bitcastWord and the name of a type are what a Bitcast is called.
const bitcastWord = "bitcast_"

// suffixes of constants.
var suffixes = map[tir.DType]string{
	tir.I8: "i8", tir.U8: "u8", tir.I32: "i32", tir.I64: "i64",
	tir.F16: "f16", tir.BF16: "bf16", tir.F32: "f32", tir.F64: "f64",
	tir.I16: "i16", tir.U16: "u16", tir.U32: "u32", tir.U64: "u64",
}

func intLiteral(e *tir.IntImm, want tir.DType) string {
	if e.Type == tir.Bool {
		return strconv.FormatBool(e.Value != 0)
	}
	s := e.Type.FormatInt(e.Value)
	if e.Type == want || want == tir.Invalid && e.Type == tir.Index {
		return s
	}
	return s + suffixes[e.Type]
}

func floatLiteral(e *tir.FloatImm, want tir.DType) string {
	s := strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(e.Value, 'g', -1, 64), "+"))
	if e.Type == want {
		return s
	}
	if math.IsInf(e.Value, 0) || math.IsNaN(e.Value) {
		s += "_"
	}
	return s + suffixes[e.Type]
}
