package llvm

import (
	"fmt"
	"io"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// Symbol is the entry point of every emitted module:
//
//	void wmtune_kernel(void **args)
//
// args holds the data pointers of the function's parameters in order, each
// aligned to 64 bytes.
const Symbol = "wmtune_kernel"

// PackSymbol returns the entry point of the function that packs parameter i:
//
//	void wmtune_pack_1(void **args)
//
// args holds the data pointers of the tensor as the caller has it, and of the
// parameter.
func PackSymbol(i int) string { return fmt.Sprintf("wmtune_pack_%d", i) }

// Emit writes fn as a module of LLVM IR text. Besides Symbol, and PackSymbol of
// the parameters that are packed, it defines nothing that other objects see, and
// it may call wmtune_parallel_for, wmtune_alloc, wmtune_free and memory functions;
// for processors without instructions for them also floor, ceil and round of the C
// library.
//
// It is an error if fn holds what only a GPU has: virtual threads, thread
// bindings, barriers, or shared memory.
func Emit(w io.Writer, fn *tir.Func, t target.Target) error {
	if err := refuse(fn); err != nil {
		return err
	}
	m := newModule(fn, t)
	m.entry(fn, "kernel.main", Symbol)
	for i := range fn.Params {
		if p := fn.Pack(i); p != nil {
			m.entry(p, fmt.Sprintf("pack.main.%d", i), PackSymbol(i))
		}
	}
	return m.write(w, fn.Name, "")
}

// entry writes fn, called name, and a function called symbol that calls it with
// the data pointers in an array.
func (m *module) entry(fn *tir.Func, name, symbol string) {
	m.function(fn, name).finish("internal ")
	kernel := newFunction(m, nil, symbol)
	kernel.params = []param{{decl: "ptr %args"}}
	args := make([]string, len(fn.Params))
	for i := range fn.Params {
		slot := kernel.instr(fmt.Sprintf("getelementptr ptr, ptr %%args, i64 %d", i))
		args[i] = "ptr " + kernel.instr(fmt.Sprintf("load ptr, ptr %s, align 8", slot))
	}
	kernel.line("call void @%s(%s)", name, strings.Join(args, ", "))
	kernel.finish("")
}

// A Library says what EmitLibrary writes beside a function's body.
type Library struct {
	Main     string                 // name of the function
	Pack     func(param int) string // name of the one that packs a parameter
	Features string                 // which the processor has, and lacks though its name implies them, as LLVM writes them
	Triple   string                 // of the code
}

// EmitLibrary is Emit for a library: instead of Symbol it defines a function
// called Main that takes the data pointers as its arguments,
//
//	void Main(const T *input, ..., U *output, ...)
//
// and one for each parameter that is packed. The text says which processor it is for.
// So other tools compile it to the same code, and so does
// a code generator: of a function it reads these, and not those of its own target.
func EmitLibrary(w io.Writer, fn *tir.Func, t target.Target, l Library) error {
	if err := refuse(fn); err != nil {
		return err
	}
	m := newModule(fn, t)
	m.triple = l.Triple
	m.function(fn, l.Main).finish("")
	for i := range fn.Params {
		if p := fn.Pack(i); p != nil {
			m.function(p, l.Pack(i)).finish("")
		}
	}
	attributes := ""
	if t.CPU != "" && t.CPU != "generic" {
		attributes += fmt.Sprintf(" \"target-cpu\"=%q", t.CPU)
	}
	if l.Features != "" {
		attributes += fmt.Sprintf(" \"target-features\"=%q", l.Features)
	}
	return m.write(w, fn.Name, attributes)
}

func newModule(fn *tir.Func, t target.Target) *module {
	m := &module{target: t, seen: map[string]bool{}, inputs: map[*tir.Buffer]bool{},
		packed: map[*tir.Buffer]bool{}, ahead: map[*tir.For][]fetch{}}
	for i, b := range fn.Inputs() {
		m.inputs[b], m.inputs[fn.Plain(i)] = true, true
		if fn.Pack(i) != nil {
			m.packed[b] = true
		}
	}
	return m
}

// function writes the body of fn as a function of its data pointers.
func (m *module) function(fn *tir.Func, name string) *function {
	f := newFunction(m, nil, name)
	for i, b := range fn.Params {
		ref := f.fresh(b.Name)
		f.buffers[b] = &storage{ref: ref, strides: b.ElemStrides()}
		access := "readonly "
		if i >= len(fn.Params)-fn.Outputs {
			access = ""
		}
		f.params = append(f.params, param{decl: fmt.Sprintf("ptr noalias %salign %d %s", access, alignment, ref)})
	}
	m.limitCopies(fn.Body)
	m.tiled = 0
	for a := range tir.StmtsIn[*tir.Alloc](fn.Body) {
		if a.Buffer.Scope == tir.Tile {
			m.tiled++
		}
	}
	f.stmt(fn.Body)
	f.settleStraight()
	return f
}

func (m *module) write(w io.Writer, name, attributes string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "; %s\n; for %s\n\n", strings.ReplaceAll(name, "\n", " "), m.target)
	if m.triple != "" {
		fmt.Fprintf(&b, "target triple = %q\n\n", m.triple)
	}
	for _, d := range m.declare {
		b.WriteString(d + "\n")
	}
	for _, body := range m.bodies {
		b.WriteString("\n" + body)
	}
	bits := 8 * m.target.Hardware.VectorBytes
	fmt.Fprintf(&b, "\nattributes #0 = { nounwind \"prefer-vector-width\"=\"%d\" \"min-legal-vector-width\"=\"%d\"%s }\n",
		bits, bits, attributes)
	_, err := io.WriteString(w, b.String())
	return err
}

// refuse returns an error for what a CPU cannot run.
func refuse(fn *tir.Func) error {
	var err error
	tir.Visit(fn.Body, func(s tir.Stmt) bool {
		switch s := s.(type) {
		case *tir.For:
			if s.Kind == tir.Vthread || s.Kind == tir.ThreadBound {
				err = fmt.Errorf("llvm: loop %s is a %s loop: a CPU has none", s.Var.Name, s.Kind)
			}
		case *tir.Barrier:
			err = fmt.Errorf("llvm: barrier: a CPU has none")
		case *tir.Wait:
			err = fmt.Errorf("llvm: wait: a CPU has no asynchronous stores")
		case *tir.MMA:
			err = fmt.Errorf("llvm: mma: a CPU has no warps")
		case *tir.Alloc:
			if s.Buffer.Scope == tir.Shared || s.Buffer.Scope == tir.Warp {
				err = fmt.Errorf("llvm: buffer %s has scope %s: a CPU has none", s.Buffer.Name, s.Buffer.Scope)
			}
		}
		return err == nil
	})
	return err
}
