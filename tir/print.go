package tir

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"strconv"
	"strings"
)

// The text of expressions is TVM's, because the md5 of a compute DAG printed
// with it is the workload key of public tuning logs.

func (e *Var) String() string      { return exprString(e) }
func (e *IntImm) String() string   { return exprString(e) }
func (e *FloatImm) String() string { return exprString(e) }
func (e *Binary) String() string   { return exprString(e) }
func (e *Not) String() string      { return exprString(e) }
func (e *Cast) String() string     { return exprString(e) }
func (e *Bitcast) String() string  { return exprString(e) }
func (e *Select) String() string   { return exprString(e) }
func (e *Call) String() string     { return exprString(e) }
func (e *Load) String() string     { return exprString(e) }

func exprString(e Expr) string {
	var b strings.Builder
	p := printer{w: &b}
	p.expr(e)
	return b.String()
}

func (s *For) String() string     { return stmtString(s) }
func (s *Store) String() string   { return stmtString(s) }
func (s *If) String() string      { return stmtString(s) }
func (s *Seq) String() string     { return stmtString(s) }
func (s *Alloc) String() string   { return stmtString(s) }
func (s *Block) String() string   { return stmtString(s) }
func (s *Pragma) String() string  { return stmtString(s) }
func (s *Barrier) String() string { return stmtString(s) }
func (s *Wait) String() string    { return stmtString(s) }
func (s *MMA) String() string     { return stmtString(s) }

func stmtString(s Stmt) string {
	var b strings.Builder
	p := printer{w: &b}
	p.stmt(s, 0)
	return b.String()
}

// String returns the declaration of b, such as "C: float32[64, 64] local".
func (b *Buffer) String() string { return b.decl(b.Name) }

func (b *Buffer) decl(name string) string {
	s := fmt.Sprintf("%s: %s[%s]", name, b.Type, joinInts(b.Shape))
	if b.Scope != "" && b.Scope != Global {
		s += " " + string(b.Scope)
	}
	if b.Strides != nil {
		s += " strides[" + joinInts(b.Strides) + "]"
	}
	return s
}

func joinInts(list []int64) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = strconv.FormatInt(v, 10)
	}
	return strings.Join(parts, ", ")
}

// String returns the whole function as text; see Fprint.
func (f *Func) String() string {
	var b strings.Builder
	Fprint(&b, f)
	return b.String()
}

// Fprint writes f as indented text. Distinct variables or buffers of one name
// are told apart by a suffix, so the text determines the program. The functions
// that pack its inputs follow.
func Fprint(w io.Writer, f *Func) {
	p := printer{w: w, names: newNames()}
	p.text("func ", f.Name, "(")
	for i, b := range f.Params {
		if i > 0 {
			p.text(", ")
		}
		if i == len(f.Params)-f.Outputs {
			p.text("out ")
		}
		p.text(b.decl(p.bufferName(b)))
	}
	p.text("):\n")
	p.stmt(f.Body, 1)
	for _, pack := range f.Packs {
		Fprint(w, pack)
	}
}

// names gives each variable and buffer of a function a name of its own.
type names struct {
	of   map[any]string // *Var or *Buffer
	used map[string]int
}

func newNames() *names { return &names{of: map[any]string{}, used: map[string]int{}} }

func (n *names) name(key any, want string) string {
	if s, ok := n.of[key]; ok {
		return s
	}
	s := want
	for n.used[s] > 0 {
		n.used[want]++
		s = want + "_" + strconv.Itoa(n.used[want]-1)
	}
	n.used[s]++
	n.of[key] = s
	return s
}

// A printer writes expressions and statements. Names, if not nil, makes names
// unique; without it they print as they are.
type printer struct {
	w     io.Writer
	names *names
}

func (p *printer) text(parts ...string) {
	for _, s := range parts {
		io.WriteString(p.w, s)
	}
}

func (p *printer) varName(v *Var) string {
	if p.names == nil {
		return v.Name
	}
	return p.names.name(v, v.Name)
}

func (p *printer) bufferName(b *Buffer) string {
	if p.names == nil {
		return b.Name
	}
	return p.names.name(b, b.Name)
}

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *Var:
		p.text(p.varName(e))
	case *IntImm:
		if e.Type == I32 || e.Type == I64 {
			p.text(strconv.FormatInt(e.Value, 10))
			return
		}
		p.text("(", e.Type.String(), ")", e.Type.FormatInt(e.Value))
	case *FloatImm:
		p.text(floatText(e))
	case *Binary:
		p.binary(e)
	case *Not:
		p.text("!")
		p.expr(e.X)
	case *Cast:
		if e.Term {
			p.text("term_")
		}
		p.text(e.To.String(), "(")
		p.expr(e.X)
		p.text(")")
	case *Bitcast:
		p.text("bitcast_", e.To.String(), "(")
		p.expr(e.X)
		p.text(")")
	case *Select:
		if e.Lazy {
			p.text("tir.if_then_else(")
		} else {
			p.text("select(")
		}
		p.exprs([]Expr{e.Cond, e.Then, e.Else})
		p.text(")")
	case *Call:
		p.text("tir.", e.Fn.String(), "(")
		p.exprs(e.Args)
		p.text(")")
	case *Load:
		p.text(p.bufferName(e.Buffer), "[")
		p.exprs(e.Index)
		p.text("]")
	default:
		panic(fmt.Sprintf("BUG: tir: printing a %T", e))
	}
}

func (p *printer) exprs(list []Expr) {
	for i, e := range list {
		if i > 0 {
			p.text(", ")
		}
		p.expr(e)
	}
}

func (p *printer) binary(e *Binary) {
	o := binOps[e.Op]
	if o.call {
		p.text(o.name, "(")
		p.exprs([]Expr{e.X, e.Y})
		p.text(")")
		return
	}
	sep := " " + o.name + " "
	if e.Op == Mul || e.Op == Div {
		sep = o.name
	}
	p.text("(")
	p.expr(e.X)
	p.text(sep)
	p.expr(e.Y)
	p.text(")")
}

// floatText prints six significant digits, as C++ streams do by default, and
// an "f" for float32.
func floatText(e *FloatImm) string {
	s := formatG6(e.Value)
	switch e.Type {
	case F32:
		return s + "f"
	case F16:
		return s + "h"
	}
	return fmt.Sprintf("(%s)%s", e.Type, s)
}

func formatG6(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+"))
	}
	s := strconv.FormatFloat(v, 'g', 6, 64)
	mant, exp, hasExp := strings.Cut(s, "e")
	if strings.Contains(mant, ".") {
		mant = strings.TrimRight(strings.TrimRight(mant, "0"), ".")
	}
	if hasExp {
		return mant + "e" + exp
	}
	return mant
}

var forKinds = [...]string{
	Serial: "for", Unrolled: "unroll", Vectorized: "vectorize", Parallel: "parallel", Vthread: "vthread",
	ThreadBound: "bind", Tensorized: "tensorize",
}

func (k ForKind) String() string { return forKinds[k] }

func (p *printer) stmt(s Stmt, depth int) {
	indent := strings.Repeat("  ", depth)
	switch s := s.(type) {
	case *For:
		p.text(indent, s.Kind.String(), " ", p.varName(s.Var), " in ")
		p.expr(s.Extent)
		if s.Kind == ThreadBound {
			p.text(" ", s.Thread)
		}
		if s.Instruction != nil {
			p.text(" by ", s.Instruction.Name)
		}
		p.text(":\n")
		p.stmt(s.Body, depth+1)
	case *Store:
		p.text(indent)
		if s.Async {
			p.text("async ")
		}
		p.text(p.bufferName(s.Buffer), "[")
		p.exprs(s.Index)
		p.text("] = ")
		p.expr(s.Value)
		p.text("\n")
	case *If:
		p.text(indent, "if ")
		p.expr(s.Cond)
		p.text(":\n")
		p.stmt(s.Then, depth+1)
		if s.Else != nil {
			p.text(indent, "else:\n")
			p.stmt(s.Else, depth+1)
		}
	case *Seq:
		for _, t := range s.Stmts {
			p.stmt(t, depth)
		}
	case *Alloc:
		p.text(indent, "alloc ", s.Buffer.decl(p.bufferName(s.Buffer)), "\n")
		p.stmt(s.Body, depth)
	case *Block:
		name := s.Name
		if s.Init {
			name += " init"
		}
		p.text(indent, "block ", name, ":\n")
		p.stmt(s.Body, depth+1)
	case *Pragma:
		p.text(indent, "pragma ", s.Key, "=", strconv.FormatInt(s.Value, 10), "\n")
		p.stmt(s.Body, depth)
	case *Barrier:
		p.text(indent, "barrier ", string(s.Scope), "\n")
	case *Wait:
		p.text(indent, "wait\n")
	case *MMA:
		p.mma(s, depth)
	default:
		panic(fmt.Sprintf("BUG: tir: printing a %T", s))
	}
}

// maxName is the length of identifiers in emitted code: LLVM cuts names of values at 1,024 bytes, and emitters append
// to them.
const maxName = 200

// ShortName returns an identifier as it is if it has at most maxName bytes, else its beginning and a hash of all of
// name, the text that it was made from. Emitters use it for the names of tensors and variables, which may have any
// length.
func ShortName(identifier, name string) string {
	if len(identifier) <= maxName {
		return identifier
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return fmt.Sprintf("%s_%016x", identifier[:maxName-17], h.Sum64())
}
