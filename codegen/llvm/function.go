package llvm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/target"
)

// A module collects the text of functions and what they declare.
type module struct {
	target  target.Target
	triple  string   // "" leaves it to the compiler
	bodies  []string // definitions, in order of completion
	declare []string // in order of first use
	seen    map[string]bool
	par     int // outlined parallel loops so far
	inputs  map[*tir.Buffer]bool
	packed  map[*tir.Buffer]bool // inputs that are packed ahead of time
	ahead   map[*tir.For][]fetch // what loops fetch ahead

	epilogues int // outlined so far
	tiled     int // buffers of tiles of the function being written

	copyLimit int64 // see limitCopies

	// Of a kernel of a model, see EmitKernel.
	threaded bool // every function takes ptr %rt first
	scratch  Scratch
}

// need adds a declaration or global once.
func (m *module) need(text string) {
	if !m.seen[text] {
		m.seen[text] = true
		m.declare = append(m.declare, text)
	}
}

// A function is the text of one LLVM function while it is written, and what
// the names of TensorIR stand for in it.
type function struct {
	m        *module
	parent   *function // of an outlined loop; nil for the kernel
	name     string
	product  bool // the loop being written computes one
	rows     bool // short rows are written abreast
	params   []param
	entry    []string // stack allocations and what must run first
	lines    []string
	exit     []string // what runs before returning
	next     int      // number of the next value
	block    string   // label of the block being written
	stack    int64    // bytes of stack allocated
	heap     int64    // bytes of other temporaries
	cse      []map[string]string
	atoms    []atom
	vars     map[*tir.Var]arith.Linear
	buffers  map[*tir.Buffer]*storage
	lane     *lanes
	guards   []value
	tile     *tile               // that is being written, or nil
	dotsFrom int64               // the first column that instructions of a tile read from memory (dotColumns); 0: none
	repeats  []*tir.For          // loops around the statement being written whose bodies are repeated
	chain    *tir.Store          // the reduction being stored, or nil
	late     []*lateNaN          // accumulators to which NaN is still to be written
	held     map[*tir.Buffer]int // see hold: 1 + where masks are initialised
	tiles    []tileValues        // of the buffers of tiles around what is being written
	loaded   map[string]string   // see tileLoad
	// how many operands of comparisons, conversions to integers and the like are being evaluated
	jumps int

	attributes string // of its own, with a space after each
}

// A param is an argument of an outlined function: what it is called here and
// the caller's operand.
type param struct {
	decl string // "ptr noalias align 64 %A"
	arg  string // "ptr %A.3" in the caller
}

// lanes says that code is being written for n consecutive values of variable
// v at once, the first of which is base.
type lanes struct {
	v    *tir.Var
	base arith.Linear
	n    int64
	atom int // 0..n-1

	// valid is the number of lanes that count. What the others, at the end,
	// compute is discarded: they must not fault, nor be stored.
	valid int64
}

// storage is where a buffer lives.
type storage struct {
	ref     string  // operand without type
	strides []int64 // of elements; those of the buffer, or longer rows

	stack bool // it is on the stack, or becomes registers

	// room is the length of a row, which may be longer than the last dimension
	// of the buffer: what lies beyond that is nobody's. 0 if there is no more.
	room int64
}

func newFunction(m *module, parent *function, name string) *function {
	return &function{
		m: m, parent: parent, name: name, block: "entry",
		cse:  []map[string]string{{}},
		vars: map[*tir.Var]arith.Linear{}, buffers: map[*tir.Buffer]*storage{}, held: map[*tir.Buffer]int{},
	}
}

// line writes one instruction that has no result.
func (f *function) line(format string, args ...any) {
	f.loaded = nil
	f.lines = append(f.lines, "  "+fmt.Sprintf(format, args...))
}

// instr writes an instruction with a result and returns its name.
func (f *function) instr(text string) string {
	name := f.fresh("")
	f.lines = append(f.lines, "  "+name+" = "+text)
	return name
}

// pure is instr for an instruction that depends on its operands only: an equal
// one written before, in this block or one that dominates it, is used again.
func (f *function) pure(text string) string {
	for _, scope := range f.cse {
		if name, ok := scope[text]; ok {
			return name
		}
	}
	name := f.instr(text)
	f.cse[len(f.cse)-1][text] = name
	return name
}

// fresh returns an unused value name with a readable hint.
func (f *function) fresh(hint string) string {
	f.next++
	if hint == "" {
		return "%v" + strconv.Itoa(f.next)
	}
	return "%" + identifier(hint) + "." + strconv.Itoa(f.next)
}

// label returns an unused label.
func (f *function) label(hint string) string {
	f.next++
	return hint + "." + strconv.Itoa(f.next)
}

// begin starts a block. The code before it must have ended with a branch.
func (f *function) begin(label string) {
	f.loaded = nil
	f.lines = append(f.lines, label+":")
	f.block = label
}

// scope runs body, which writes code that does not dominate what follows.
func (f *function) scope(body func()) {
	f.cse = append(f.cse, map[string]string{})
	body()
	f.cse = f.cse[:len(f.cse)-1]
}

// straight is scope for a body that others jump to and from.
func (f *function) straight(body func()) {
	f.scope(func() {
		body()
		f.settleStraight()
	})
}

// finish writes the whole definition to the module.
func (f *function) finish(linkage string) {
	var b strings.Builder
	b.WriteString("define " + linkage + "void @" + f.name + "(")
	if f.m.threaded {
		b.WriteString("ptr %rt")
		if len(f.params) > 0 {
			b.WriteString(", ")
		}
	}
	for i, p := range f.params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.decl)
	}
	b.WriteString(") " + f.attributes + "#0 {\nentry:\n")
	for _, list := range [][]string{f.entry, f.lines, f.exit, {"  ret void"}} {
		for _, s := range list {
			if s != "" {
				b.WriteString(strings.TrimSuffix(s, "\n") + "\n")
			}
		}
	}
	b.WriteString("}\n")
	f.m.bodies = append(f.m.bodies, b.String())
}

// identifier makes a name that LLVM reads without quotes.
func identifier(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r == '.', r == '$', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	return tir.ShortName(b.String(), s)
}
