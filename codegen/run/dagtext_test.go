package run_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// The text of a DAG in testdata/regressions is JSON, so that a program that failed
// once is kept whole, whatever becomes of the generator that made it: tensors as
// "A: float32[2, 3]", variables and tensors in expressions by name, expressions
// as lists that start with what they are. Tensors of one name have labels, as in
// "A@1".

type dagText struct {
	Ops     []opText
	Tensors []string // names, inputs first
	Outputs int
}

type opText struct {
	Name         string
	Results      []string // declarations
	Axes, Reduce []axisText
	Body         []any         `json:",omitempty"`
	Combine      *combinerText `json:",omitempty"`
	Attrs        compute.Attrs
	LayoutFree   []string `json:",omitempty"` // those of the attributes, by name
}

type axisText struct {
	Name   string
	Extent int64
}

type combinerText struct {
	Kind             compute.CombineKind
	Wide             bool `json:",omitempty"`
	Acc, Src         []string
	Result, Identity []any
}

// A dagWriter has the name, with its label, of each tensor.
type dagWriter map[*tir.Buffer]string

// formatDAG writes a DAG. Names must be unique among the variables of one op.
func formatDAG(d *compute.DAG) string {
	text, w, count := dagText{Outputs: d.Outputs}, dagWriter{}, map[string]int{}
	for _, op := range d.Ops {
		for _, b := range op.Results {
			w[b] = b.Name
			if n := count[b.Name]; n > 0 {
				w[b] = fmt.Sprintf("%s@%d", b.Name, n)
			}
			count[b.Name]++
		}
	}
	for _, b := range d.Tensors {
		text.Tensors = append(text.Tensors, w[b])
	}
	for _, op := range d.Ops {
		o := opText{Name: op.Name, Axes: axesText(op.Axes), Reduce: axesText(op.ReduceAxes), Attrs: op.Attrs}
		o.Attrs.LayoutFree = nil
		for _, b := range op.Attrs.LayoutFree {
			o.LayoutFree = append(o.LayoutFree, w[b])
		}
		for _, b := range op.Results {
			o.Results = append(o.Results, w[b]+strings.TrimPrefix(b.String(), b.Name))
		}
		o.Body = w.exprs(op.Body)
		if c := op.Combine; c != nil {
			o.Combine = &combinerText{Kind: c.Kind, Wide: c.Wide, Acc: varNames(c.Acc), Src: varNames(c.Src), Result: w.exprs(c.Result), Identity: w.exprs(c.Identity)}
		}
		text.Ops = append(text.Ops, o)
	}
	out, err := json.Marshal(text)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(out)
}

func axesText(axes []*compute.Axis) (list []axisText) {
	for _, a := range axes {
		list = append(list, axisText{a.Var.Name, a.Extent})
	}
	return list
}

// varNames names variables together with their types.
func varNames(vars []*tir.Var) (list []string) {
	for _, v := range vars {
		list = append(list, v.Name+": "+v.Type.String())
	}
	return list
}

func (w dagWriter) exprs(exprs []tir.Expr) (list []any) {
	for _, e := range exprs {
		list = append(list, w.expr(e))
	}
	return list
}

func (w dagWriter) expr(e tir.Expr) any {
	switch e := e.(type) {
	case *tir.Var:
		return e.Name
	case *tir.IntImm:
		return []any{"int", e.Type.String(), fmt.Sprint(e.Value)}
	case *tir.FloatImm:
		return []any{"float", e.Type.String(), fmt.Sprintf("%x", e.Value)}
	case *tir.Binary:
		return []any{"binary", e.Op.String(), w.expr(e.X), w.expr(e.Y)}
	case *tir.Not:
		return []any{"not", w.expr(e.X)}
	case *tir.Cast:
		return []any{"cast", e.To.String(), w.expr(e.X)}
	case *tir.Bitcast:
		return []any{"bitcast", e.To.String(), w.expr(e.X)}
	case *tir.Select:
		kind := "select"
		if e.Lazy {
			kind = "if"
		}
		return []any{kind, w.expr(e.Cond), w.expr(e.Then), w.expr(e.Else)}
	case *tir.Call:
		return append([]any{"call", e.Fn.String()}, w.exprs(e.Args)...)
	case *tir.Load:
		return append([]any{"load", w[e.Buffer]}, w.exprs(e.Index)...)
	}
	panic(fmt.Sprintf("BUG: expression %T", e))
}

// A dagReader turns the text back. It panics on errors: parseDAG recovers.
type dagReader struct {
	buffers map[string]*tir.Buffer
	vars    map[string]*tir.Var
}

func parseDAG(text string) (d *compute.DAG, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("dag: %v", v)
		}
	}()
	var t dagText
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return nil, fmt.Errorf("dag: %w", err)
	}
	p := &dagReader{buffers: map[string]*tir.Buffer{}}
	d = &compute.DAG{Outputs: t.Outputs}
	for _, o := range t.Ops {
		d.Ops = append(d.Ops, p.op(o))
	}
	for _, name := range t.Tensors {
		d.Tensors = append(d.Tensors, p.buffer(name))
	}
	return d, nil
}

func (p *dagReader) op(o opText) *compute.Op {
	p.vars = map[string]*tir.Var{}
	op := &compute.Op{Name: o.Name, Attrs: o.Attrs, Axes: p.axes(o.Axes), ReduceAxes: p.axes(o.Reduce), Body: p.exprs(o.Body)}
	for _, name := range o.LayoutFree {
		op.Attrs.LayoutFree = append(op.Attrs.LayoutFree, p.buffer(name))
	}
	if c := o.Combine; c != nil {
		op.Combine = &compute.Combiner{Kind: c.Kind, Wide: c.Wide, Acc: p.newVars(c.Acc), Src: p.newVars(c.Src), Identity: p.exprs(c.Identity)}
		op.Combine.Result = p.exprs(c.Result)
	}
	for _, decl := range o.Results {
		name, rest, _ := strings.Cut(decl, ": ")
		typ, shape, _ := strings.Cut(rest, "[")
		plain, _, _ := strings.Cut(name, "@")
		b := &tir.Buffer{Name: plain, Type: dtype(typ)}
		shape, more, _ := strings.Cut(shape, "]")
		if more != "" {
			panic("tensor " + decl)
		}
		for part := range strings.SplitSeq(shape, ", ") {
			var n int64
			if part == "" {
				continue
			}
			if _, err := fmt.Sscan(part, &n); err != nil {
				panic(err)
			}
			b.Shape = append(b.Shape, n)
		}
		p.buffers[name] = b
		op.Results = append(op.Results, b)
	}
	return op
}

func (p *dagReader) axes(list []axisText) (axes []*compute.Axis) {
	for _, a := range list {
		v := tir.NewVar(a.Name)
		p.vars[a.Name] = v
		axes = append(axes, &compute.Axis{Var: v, Extent: a.Extent})
	}
	return axes
}

func (p *dagReader) newVars(list []string) (vars []*tir.Var) {
	for _, decl := range list {
		name, typ, _ := strings.Cut(decl, ": ")
		v := &tir.Var{Name: name, Type: dtype(typ)}
		p.vars[name] = v
		vars = append(vars, v)
	}
	return vars
}

func (p *dagReader) buffer(name string) *tir.Buffer {
	b := p.buffers[name]
	if b == nil {
		panic("no tensor " + name)
	}
	return b
}

func (p *dagReader) exprs(list []any) (exprs []tir.Expr) {
	for _, e := range list {
		exprs = append(exprs, p.expr(e))
	}
	return exprs
}

func (p *dagReader) expr(e any) tir.Expr {
	if name, ok := e.(string); ok {
		v := p.vars[name]
		if v == nil {
			panic("no variable " + name)
		}
		return v
	}
	list := e.([]any)
	sub := func(i int) tir.Expr { return p.expr(list[i]) }
	word := func(i int) string { return list[i].(string) }
	switch word(0) {
	case "int":
		v := &tir.IntImm{Type: dtype(word(1))}
		if _, err := fmt.Sscan(word(2), &v.Value); err != nil {
			panic(err)
		}
		return v
	case "float":
		v := &tir.FloatImm{Type: dtype(word(1))}
		if _, err := fmt.Sscan(word(2), &v.Value); err != nil {
			panic(err)
		}
		return v
	case "binary":
		for _, op := range tir.BinOps() {
			if op.String() == word(1) {
				return tir.Bin(op, sub(2), sub(3))
			}
		}
	case "not":
		return &tir.Not{X: sub(1)}
	case "cast":
		return &tir.Cast{To: dtype(word(1)), X: sub(2)}
	case "bitcast":
		return &tir.Bitcast{To: dtype(word(1)), X: sub(2)}
	case "select", "if":
		return &tir.Select{Cond: sub(1), Then: sub(2), Else: sub(3), Lazy: word(0) == "if"}
	case "call":
		for _, f := range tir.Intrinsics() {
			if f.String() == word(1) {
				return &tir.Call{Fn: f, Args: p.exprs(list[2:])}
			}
		}
	case "load":
		return &tir.Load{Buffer: p.buffer(word(1)), Index: p.exprs(list[2:])}
	}
	panic(fmt.Sprint("expression ", list))
}

func dtype(name string) tir.DType {
	t, err := tir.ParseDType(name)
	if err != nil {
		panic(err)
	}
	return t
}
