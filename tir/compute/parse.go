package compute

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// Parse reads a DAG in the form of Text, which docs/manual/workload-file.md describes.
// An error names the line and says what is wrong with it. The ops may stand in
// any order in which each comes after those that it reads; they are numbered in
// TVM's order whatever it is.
func Parse(text string) (*DAG, error) {
	statements, err := lexStatements(strings.TrimPrefix(text, "\ufeff")) // as some editors write it
	if err != nil {
		return nil, err
	}
	p := parser{b: NewBuilder(), tensors: map[string]*parsedTensor{}}
	for _, s := range statements {
		if err := p.statement(s); err != nil {
			return nil, err
		}
	}
	if p.outputs == nil {
		return nil, fmt.Errorf("line %d: no output: end with a line such as \"output relu\"", strings.Count(text, "\n")+1)
	}
	if err := p.allRead(); err != nil {
		return nil, err
	}
	return p.b.Build(p.outputs...)
}

// allRead returns an error if no result of an op is read or is an output.
func (p *parser) allRead() error {
	read := map[*Op]bool{}
	for _, t := range p.tensors {
		if t.read {
			read[p.b.producer[t.Buffer]] = true
		}
	}
	for _, ref := range p.order {
		if t := p.tensors[ref]; !read[p.b.producer[t.Buffer]] {
			return lineError(t.line, "%s is never read and is no output: remove it, or add it to the outputs", ref)
		}
	}
	return nil
}

// maxElems bounds the elements of a tensor and the points of an op, so that no
// product of extents overflows.
const maxElems = 1 << 48

type parsedTensor struct {
	Tensor
	line int
	read bool // or an output
}

// A parser reads one statement after the other. Tokens are what is left of the
// statement at hand, and line that of the last one taken.
type parser struct {
	b       *Builder
	tensors map[string]*parsedTensor // by name and label
	order   []string                 // of tensors
	outputs []Tensor

	tokens []token
	line   int
	vars   map[string]*tir.Var
	extent map[*tir.Var]int64
	depth  int

	looked map[string]bool // indices of the expression that were looked at everywhere, with their conditions
	work   int64           // nodes that were evaluated for that, in the whole text
}

func (p *parser) fail(format string, args ...any) error { return lineError(p.line, format, args...) }

// peek returns the token n after the next one.
func (p *parser) peek(n int) token {
	if n < len(p.tokens) {
		return p.tokens[n]
	}
	return token{line: p.line}
}

func (p *parser) take() token {
	t := p.peek(0)
	if len(p.tokens) > 0 {
		p.tokens = p.tokens[1:]
	}
	p.line = t.line
	return t
}

// accept takes the next token if it is the given word or sign.
func (p *parser) accept(text string) bool {
	if t := p.peek(0); t.kind != endToken && t.text == text {
		p.take()
		return true
	}
	return false
}

func (p *parser) expect(sign, where string) error {
	if !p.accept(sign) {
		t := p.take()
		return p.fail("expected %q %s, found %s", sign, where, t)
	}
	return nil
}

// name takes a name; what says of what.
func (p *parser) name(what string) (string, error) {
	t := p.take()
	if t.kind != nameToken {
		return "", p.fail("expected the name of %s, found %s", what, t)
	}
	return t.text, nil
}

// int takes a whole number without a suffix.
func (p *parser) int(what string) (int64, error) {
	minus := p.accept("-")
	t := p.take()
	v, err := strconv.ParseInt(t.text, 10, 64)
	if t.kind != numberToken || err != nil {
		return 0, p.fail("expected %s, a whole number, found %s", what, t)
	}
	if minus {
		v = -v
	}
	return v, nil
}

func (p *parser) end() error {
	if len(p.tokens) > 0 {
		t := p.take()
		return p.fail("unexpected %s after the end of the statement", t)
	}
	return nil
}

func (p *parser) statement(tokens []token) error {
	p.tokens, p.line = tokens, tokens[0].line
	p.vars, p.extent, p.depth = map[string]*tir.Var{}, map[*tir.Var]int64{}, 0
	read := p.op
	if p.peek(1).kind == nameToken {
		switch p.peek(0).text {
		case "input":
			read = p.input
		case "output":
			read = p.output
		}
	}
	if err := read(); err != nil {
		return err
	}
	return p.end()
}

// define makes a tensor known by its name and label.
func (p *parser) define(ref string, t Tensor, line int) {
	p.tensors[ref] = &parsedTensor{Tensor: t, line: line}
	p.order = append(p.order, ref)
}

// undefined returns an error if a tensor is known already.
func (p *parser) undefined(ref string) error {
	if t := p.tensors[ref]; t != nil {
		return p.fail("tensor %s is defined in line %d already: choose another name, or add a label, as in %s@2",
			ref, t.line, withoutLabel(ref))
	}
	return nil
}

func withoutLabel(ref string) string {
	name, _, _ := strings.Cut(ref, "@")
	return name
}

// lookup returns a known tensor.
func (p *parser) lookup(ref string) (*parsedTensor, error) {
	t := p.tensors[ref]
	if t == nil {
		known := strings.Join(p.order[:min(len(p.order), 20)], " ")
		if known == "" {
			known = "none"
		}
		return nil, p.fail("unknown tensor %s: known here are: %s", ref, known)
	}
	return t, nil
}

// input reads: input x: float32[128, 64]
func (p *parser) input() error {
	p.take()
	ref, err := p.name("an input")
	if err != nil {
		return err
	}
	line := p.line
	if err := p.undefined(ref); err != nil {
		return err
	}
	if err := p.expect(":", "and a type after the name of the input"); err != nil {
		return err
	}
	t, err := tir.ParseDType(p.take().text)
	if err != nil {
		return p.fail("%v", err)
	}
	if err := p.expect("[", "and the extents after the type"); err != nil {
		return err
	}
	var shape []int64
	elems := int64(1)
	for !p.accept("]") {
		if len(shape) > 0 {
			if err := p.expect(",", "or \"]\" after an extent"); err != nil {
				return err
			}
		}
		n, err := p.extentOf(fmt.Sprintf("dimension %d of %s", len(shape), ref), &elems)
		if err != nil {
			return err
		}
		shape = append(shape, n)
	}
	p.define(ref, p.b.Placeholder(withoutLabel(ref), t, shape...), line)
	return nil
}

// extentOf takes an extent, and multiplies elems by it.
func (p *parser) extentOf(what string, elems *int64) (int64, error) {
	n, err := p.int("the extent of " + what)
	switch {
	case err != nil:
		return 0, err
	case n < 1:
		return 0, p.fail("%s has extent %d: must be at least 1", what, n)
	case n > maxElems / *elems:
		return 0, p.fail("more than 2^48 elements with %s", what)
	}
	*elems *= n
	return n, nil
}

// output reads: output a, b
func (p *parser) output() error {
	p.take()
	if p.outputs != nil {
		return p.fail("a second output line: list all outputs in one, separated by commas")
	}
	for {
		ref, err := p.name("an output")
		if err != nil {
			return err
		}
		t, err := p.lookup(ref)
		switch {
		case err != nil:
			return err
		case p.b.producer[t.Buffer].IsPlaceholder():
			return p.fail("output %s is an input", ref)
		case slices.Contains(p.outputs, t.Tensor):
			return p.fail("output %s is listed twice", ref)
		}
		t.read = true
		p.outputs = append(p.outputs, t.Tensor)
		if !p.accept(",") {
			return nil
		}
	}
}

// op reads: name(i: 4, j: 8) = expression, or a reduction, then clauses.
func (p *parser) op() error {
	ref, err := p.name("a tensor, input or output at the beginning of a line")
	if err != nil {
		return err
	}
	line, points := p.line, int64(1)
	axes, err := p.axes("the name of an op", &points)
	if err != nil {
		return err
	}
	var refs []string
	if p.accept("->") {
		if ref != withoutLabel(ref) {
			return p.fail("op %s: labels belong to tensors, and these are named after \"->\"", ref)
		}
		if refs, err = p.names("a result"); err != nil {
			return err
		}
	}
	if err := p.expect("=", "after the axes"); err != nil {
		return err
	}
	op := &Op{Name: withoutLabel(ref), Axes: axes}
	if err := p.value(op, points); err != nil {
		return err
	}
	if refs == nil {
		if len(op.Body) > 1 && ref != op.Name {
			return p.fail("%s has several results: name them after \"->\" and label those", ref)
		}
		refs = resultNames(ref, len(op.Body))
	}
	if len(refs) != len(op.Body) {
		return p.fail("%s has %d results but %d values", ref, len(refs), len(op.Body))
	}
	for i, r := range refs {
		if err := p.undefined(r); err != nil {
			return err
		}
		if slices.Contains(refs[:i], r) {
			return p.fail("%s has two results called %s", ref, r)
		}
	}
	if err := p.attrs(op); err != nil {
		return err
	}
	for i, t := range p.b.Reduce(op.Name, op.Axes, op.ReduceAxes, op.Combine, op.Body, op.Attrs) {
		t.Name = withoutLabel(refs[i])
		p.define(refs[i], t, line)
	}
	if p.b.err != nil {
		return p.fail("%s", strings.TrimPrefix(p.b.err.Error(), "compute: "))
	}
	return nil
}

func (p *parser) names(what string) ([]string, error) {
	var list []string
	for {
		n, err := p.name(what)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
		if !p.accept(",") {
			return list, nil
		}
	}
}

// axes takes axes in parentheses and makes their variables known.
func (p *parser) axes(after string, points *int64) ([]*Axis, error) {
	if err := p.expect("(", "and axes after "+after); err != nil {
		return nil, err
	}
	axes := []*Axis{}
	for !p.accept(")") {
		if len(axes) > 0 {
			if err := p.expect(",", "or \")\" after an axis"); err != nil {
				return nil, err
			}
		}
		name, err := p.varName("an axis")
		if err != nil {
			return nil, err
		}
		if err := p.expect(":", "and an extent after axis "+name); err != nil {
			return nil, err
		}
		n, err := p.extentOf("axis "+name, points)
		if err != nil {
			return nil, err
		}
		a := NewAxis(name, n)
		p.vars[name], p.extent[a.Var] = a.Var, n
		axes = append(axes, a)
	}
	return axes, nil
}

// varName takes the name of a new variable.
func (p *parser) varName(what string) (string, error) {
	name, err := p.name(what)
	switch _, constant := namedConstants[name]; {
	case err != nil:
		return "", err
	case constant:
		return "", p.fail("%s cannot be called %s, which is a constant", what, name)
	case strings.Contains(name, "@"):
		return "", p.fail("%s cannot have a label, as %s has", what, name)
	case p.vars[name] != nil:
		return "", p.fail("two axes or variables are called %s", name)
	}
	return name, nil
}
