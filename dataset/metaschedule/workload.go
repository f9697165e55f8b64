package metaschedule

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// An UnmappedError says that something is right for TVM and has no counterpart here.
type UnmappedError struct {
	What string
	TVM  bool // it is TVM that has none
}

func (e *UnmappedError) Error() string {
	if e.TVM {
		return e.What + " has no counterpart in TVM"
	}
	return e.What + " has no counterpart here"
}

// A Workload is a program of a database, without a schedule.
type Workload struct {
	DAG    *compute.DAG
	Blocks []Block // in the program's order
}

// A Block is what TVM calls an op. Traces name it.
type Block struct {
	Name string
	Op   *compute.Op
}

// ParseWorkload reads a line of a file of workloads: a hash, and the program in base64.
func ParseWorkload(line []byte) (*Workload, error) {
	var fields []json.RawMessage
	var text string
	if err := json.Unmarshal(line, &fields); err != nil || len(fields) != 2 {
		return nil, errors.New("no line of a file of workloads: it is no list of a hash and a program")
	}
	if json.Unmarshal(fields[1], &text) != nil {
		return nil, errors.New("its program is no text")
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("its program: %w", err)
	}
	start := bytes.IndexByte(data, '{') // the length of the text stands before it, in 8 bytes
	if start < 0 {
		return nil, errors.New("its program is no JSON")
	}
	return ParseModule(data[start:])
}

// ParseModule reads a module of TVM as tvm.ir.save_json writes it. The module has
// one function. The error is an *UnmappedError if the function has no counterpart.
func ParseModule(text []byte) (*Workload, error) {
	g, err := readGraph(text)
	if err != nil {
		return nil, err
	}
	p := &program{graph: g, vars: map[int]*tir.Var{}, tensors: map[int]compute.Tensor{}, reads: map[int]bool{},
		builder: compute.NewBuilder()}
	w := p.module()
	if p.err != nil {
		return nil, p.err
	}
	return w, nil
}

// last returns what follows the last dot of a name.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// A program is a function on its way to a DAG.
type program struct {
	*graph
	builder *compute.Builder
	vars    map[int]*tir.Var // of the block at hand
	tensors map[int]compute.Tensor
	free    []int        // buffers of weights
	reads   map[int]bool // buffers that the block at hand reads
	blocks  []made
	visited int
}

// A made block has its result, of which the DAG has the op.
type made struct {
	name   string
	result compute.Tensor
}

func (p *program) unmapped(format string, args ...any) {
	if p.err == nil {
		p.err = &UnmappedError{What: fmt.Sprintf(format, args...)}
	}
}

func (p *program) module() *Workload {
	f := p.root
	if p.kind(f) == "IRModule" {
		list := p.list(p.node(f, "functions"))
		if len(list) != 2 {
			p.unmapped("a module of %d functions", len(list)/2)
			return nil
		}
		f = list[1]
	}
	if kind := p.kind(f); kind != "PrimFunc" {
		p.fail("a %s where a function is to be", kind)
		return nil
	}
	params := p.params(f)
	p.weights(f, params)
	root := p.node(f, "body")
	if p.kind(root) == "SBlockRealize" {
		root = p.node(root, "block")
	}
	if kind := p.kind(root); kind != "SBlock" {
		p.unmapped("a function of %s", kind)
		return nil
	}
	body := p.node(root, "body")
	nests := []int{body}
	if p.kind(body) == "SeqStmt" {
		nests = p.list(p.node(body, "seq"))
	}
	p.inputs(params, nests)
	for _, n := range nests {
		p.nest(n)
	}
	if p.err != nil {
		return nil
	}
	return p.workload(params)
}

// params returns the buffers of a function's parameters.
func (p *program) params(f int) []int {
	params := p.list(p.node(f, "params"))
	if !p.has(f, "buffer_map") { // as of TVM 0.26, parameters are the buffers
		return params
	}
	buffers := p.list(p.node(f, "buffer_map"))
	for i, v := range params {
		at := slices.Index(buffers, v)
		if at < 0 || at%2 == 1 || at+1 == len(buffers) {
			p.unmapped("a parameter that is no buffer")
			return nil
		}
		params[i] = buffers[at+1]
	}
	return params
}

// weights notes which parameters are constant.
func (p *program) weights(f int, params []int) {
	attrs := p.node(f, "attrs")
	if p.kind(attrs) != "DictAttrs" {
		return
	}
	list := p.lookup(p.node(attrs, "__dict__"), "layout_free_buffers")
	if list < 0 {
		return
	}
	for _, n := range p.list(list) {
		if i := p.int(n); i >= 0 && i < int64(len(params)) {
			p.free = append(p.free, params[i])
		}
	}
}

// inputs makes placeholders of the parameters that no nest writes.
func (p *program) inputs(params, nests []int) {
	written := map[int]bool{}
	for _, n := range nests {
		for depth := 0; p.kind(n) == "For" && depth < maxDepth; depth++ {
			n = p.node(n, "body")
		}
		if p.kind(n) != "SBlockRealize" {
			p.unmapped("a nest of %s", p.kind(n))
			return
		}
		if body := p.node(p.node(n, "block"), "body"); p.kind(body) == "BufferStore" {
			written[p.node(body, "buffer")] = true
		}
	}
	for _, b := range params {
		if p.err == nil && !written[b] {
			name, t, shape := p.buffer(b)
			p.tensors[b] = p.builder.Placeholder(name, t, shape...)
		}
	}
}

// buffer returns what a buffer is declared as.
func (p *program) buffer(at int) (name string, t tir.DType, shape []int64) {
	name = p.text(p.node(at, "name"))
	if p.kind(at) == "Var" { // as of TVM 0.26 its type says all else
		if at = p.node(at, "ty"); p.kind(at) != "BufferType" {
			p.unmapped("a parameter that is no buffer")
			return name, tir.F32, nil
		}
	}
	if len(p.list(p.node(at, "strides"))) > 0 {
		p.unmapped("a buffer with strides")
	}
	for _, n := range p.list(p.node(at, "shape")) {
		if p.kind(n) != "IntImm" {
			p.unmapped("a shape that is not known")
			return name, tir.F32, nil
		}
		shape = append(shape, p.int(n))
	}
	return name, p.dtype(at), shape
}

// nest makes an op of a block in loops that run over its axes one by one.
func (p *program) nest(at int) {
	var loops []int
	for depth := 0; p.kind(at) == "For" && depth < maxDepth; depth++ {
		loops = append(loops, p.node(at, "loop_var"))
		at = p.node(at, "body")
	}
	block := p.node(at, "block")
	if !slices.Equal(p.list(p.node(at, "iter_values")), loops) {
		p.unmapped("a workload with a schedule")
		return
	}
	var axes, reduce []*compute.Axis
	clear(p.vars)
	for _, iter := range p.list(p.node(block, "iter_vars")) {
		axis := p.axis(iter)
		var kind int
		switch p.plain(iter, "iter_type", &kind); kind { // upstream: IterVarType of tirx/var.h
		case 0:
			if axes = append(axes, axis); reduce != nil {
				p.unmapped("a block with spatial axes behind others")
			}
		case 2:
			reduce = append(reduce, axis)
		default:
			p.unmapped("an axis of kind %d", kind)
		}
	}
	if p.err == nil {
		p.op(block, axes, reduce)
	}
}

func (p *program) axis(iter int) *compute.Axis {
	v, dom := p.node(iter, "var"), p.node(iter, "dom")
	name := strings.TrimPrefix(p.text(p.node(v, "name")), "v_") // as TVM names the variable of a block's axis
	extent := p.node(dom, "extent")
	if p.kind(extent) != "IntImm" || p.int(p.node(dom, "min")) != 0 {
		p.unmapped("an axis that does not run from 0 to a number")
		return nil
	}
	axis := compute.NewAxis(name, p.int(extent))
	p.vars[v] = axis.Var
	return axis
}

// op makes the op of a block: it stores an element, or adds to it.
func (p *program) op(block int, axes, reduce []*compute.Axis) {
	name, store := p.text(p.node(block, "name_hint")), p.node(block, "body")
	if p.kind(store) != "BufferStore" {
		p.unmapped("a block of %s", p.kind(store))
		return
	}
	buffer, value := p.node(store, "buffer"), p.node(store, "value")
	if !p.inOrder(p.list(p.node(store, "indices")), axes) {
		p.unmapped("a block that does not write its elements in order")
		return
	}
	clear(p.reads)
	var body tir.Expr
	var combine *compute.Combiner
	if init := p.node(block, "init"); p.kind(init) == "None" {
		if len(reduce) > 0 {
			p.unmapped("a reduction that starts from what was there")
			return
		}
		body = p.expr(value)
	} else {
		body, combine = p.reduction(buffer, value, init)
	}
	if p.err != nil {
		return
	}
	_, declared, _ := p.buffer(buffer)
	if declared != body.DType() {
		if !onlyIndex(declared, body.DType()) {
			p.unmapped("a block of %s that stores %s", body.DType(), declared)
			return
		}
		body = &tir.Cast{X: body, To: declared}
	}
	var attrs compute.Attrs
	for _, b := range p.free {
		if p.reads[b] {
			attrs.LayoutFree = append(attrs.LayoutFree, p.tensors[b].Buffer)
		}
	}
	t := p.builder.Reduce(name, axes, reduce, combine, []tir.Expr{body}, attrs)[0]
	p.tensors[buffer] = t
	p.blocks = append(p.blocks, made{name, t})
}

// onlyIndex reports whether a value is an index where a number of 32 bits is declared.
func onlyIndex(declared, body tir.DType) bool { return declared == tir.I32 && body == tir.Index }

// inOrder reports whether indices are the variables of axes one by one.
func (p *program) inOrder(indices []int, axes []*compute.Axis) bool {
	return slices.EqualFunc(indices, axes, func(at int, a *compute.Axis) bool { return p.vars[at] == a.Var })
}

// combiners are the ways to fold, by the kinds of their nodes.
var combiners = map[string]compute.CombineKind{"Add": compute.Sum, "Max": compute.MaxOf, "Min": compute.MinOf}

// reduction returns what a block folds and how: its value is an operator of the element
// itself and the source.
func (p *program) reduction(buffer, value, init int) (tir.Expr, *compute.Combiner) {
	kind, ok := combiners[p.kind(value)]
	if !ok {
		p.unmapped("a reduction by %s", p.kind(value))
		return nil, nil
	}
	self, source := p.node(value, "a"), p.node(value, "b")
	if !p.isSelf(self, buffer) {
		self, source = source, self
	}
	if !p.isSelf(self, buffer) {
		p.unmapped("a reduction that does not fold into its element")
		return nil, nil
	}
	body := p.expr(source)
	if p.err != nil {
		return nil, nil
	}
	c := compute.NewCombiner(kind, body.DType())
	start := p.expr(p.node(init, "value"))
	if p.err == nil && start.String() != c.Identity[0].String() {
		if f, ok := start.(*tir.FloatImm); !ok || kind == compute.Sum || !extreme(f.Value, c.Identity[0]) {
			p.unmapped("a reduction that starts from %s", start)
		}
	}
	return body, c
}

// extreme reports whether a value is at least as extreme as the identity of a maximum or a minimum.
func extreme(v float64, identity tir.Expr) bool {
	f, ok := identity.(*tir.FloatImm)
	return ok && (f.Value < 0 && v <= f.Value || f.Value > 0 && v >= f.Value)
}

// isSelf reports whether a node reads the buffer that its block writes.
func (p *program) isSelf(at, buffer int) bool {
	switch p.kind(at) {
	case "TensorLoad":
		return p.node(at, "source") == buffer
	case "BufferLoad":
		return p.node(at, "buffer") == buffer
	}
	return false
}

func (p *program) workload(params []int) *Workload {
	var outputs []compute.Tensor
	for _, b := range params {
		if t, ok := p.tensors[b]; ok && slices.ContainsFunc(p.blocks, func(m made) bool { return m.result == t }) {
			outputs = append(outputs, t)
		}
	}
	dag, err := p.builder.BuildNeeded(outputs...)
	if err != nil {
		p.unmapped("a program (%v)", err)
		return nil
	}
	w := &Workload{DAG: dag}
	for _, m := range p.blocks {
		if op := dag.Producer(m.result.Buffer); op != nil {
			w.Blocks = append(w.Blocks, Block{m.name, op})
		}
	}
	return w
}
