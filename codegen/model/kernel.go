package model

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/ld"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// KernelOptions describe the export of a kernel.
type KernelOptions struct {
	Name string // of the function, or of the beginning of every symbol; "" means kernel
	Note string // text for the head of the header, such as the workload and its key
}

func (o KernelOptions) name() string {
	if o.Name == "" {
		return "kernel"
	}
	return o.Name
}

// ExportKernel compiles a program into the files of a kernel: kernel.ll, kernel.s, kernel.o, kernel.h, example.c, and
// kernel.so with a link of its SONAME. Object and library hold the run-time too, depend on the C library and its
// mathematics only, and show the function, those that pack its constant operands, and its thread pool's switch. An
// error about the program is a *build.CompileError.
func ExportKernel(
	ctx context.Context, b *build.Builder, fn *tir.Func, t target.Target, opt KernelOptions,
) ([]File, error) {
	return exportKernel(ctx, b, b.Info(), fn, t, opt)
}

// exportKernel is ExportKernel for a machine that info describes.
func exportKernel(
	ctx context.Context, b *build.Builder, info build.Info, fn *tir.Func, t target.Target, opt KernelOptions,
) ([]File, error) {
	k := newKernel(opt.name(), fn)
	if err := ValidKernelName(k.name); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	var text bytes.Buffer
	triple := cmp.Or(t.Triple(), info.Triple)
	library := llvm.Library{Main: k.name, Pack: k.packer, Features: info.FeaturesText(t.Features), Triple: triple}
	if err := llvm.EmitLibrary(&text, fn, t, library); err != nil {
		return nil, &build.CompileError{Status: measure.BuildError, Why: err.Error()}
	}
	options := build.For(t)
	options.Form = build.Assembly
	assembly, err := b.Compile(ctx, text.Bytes(), options)
	if err != nil {
		return nil, err
	}
	options.Form, options.Keep = build.Object, []string{k.name, k.name + "_pool_init"}
	for i := range fn.Params {
		if fn.Pack(i) != nil {
			options.Keep = append(options.Keep, k.packer(i))
		}
	}
	options.Link = strings.ReplaceAll(llvm.RuntimeFor(t.Triple()), "@wmtune_pool_init(", "@"+k.name+"_pool_init(")
	object, err := b.Compile(ctx, text.Bytes(), options)
	if err != nil {
		return nil, err
	}
	parsed, err := ld.Read(object)
	if err != nil {
		return nil, err
	}
	// The SONAME keeps kernels apart that are in one program. The library is never unloaded, because the threads of its
	// pool run in its code.
	soname := k.name + ".so"
	shared, err := parsed.Shared(ld.Options{Name: soname, NoDelete: true})
	if err != nil {
		return nil, err
	}
	files := []File{
		{Name: "kernel.ll", Data: text.Bytes()}, {Name: "kernel.s", Data: assembly}, {Name: "kernel.o", Data: object},
		{Name: "kernel.h", Data: k.header(opt.Note, t)}, {Name: "example.c", Data: k.exampleC()},
		{Name: "kernel.so", Data: shared},
	}
	if soname != "kernel.so" {
		files = append(files, File{Name: soname, Link: "kernel.so"}) // what the system looks for when a program starts
	}
	return files, nil
}

// A kernel is what an exported kernel calls its parameters in C.
type kernel struct {
	name          string
	fn            *tir.Func
	params, plain []portName // as fn takes them, and as its caller has them before they are packed
}

func newKernel(name string, fn *tir.Func) *kernel {
	k := &kernel{name: name, fn: fn}
	var plain []*tir.Buffer
	for i := range fn.Params {
		plain = append(plain, fn.Plain(i))
	}
	k.params, k.plain = bufferNames(fn.Params, nil), bufferNames(plain, nil)
	setRoles(k.params, fn)
	for i := range k.params {
		if fn.Pack(i) != nil {
			k.params[i].packer = k.packer(i)
		}
	}
	return k
}

// bufferNames returns parameters, called by names or, if these are nil, by those that C accepts.
func bufferNames(list []*tir.Buffer, names []string) []portName {
	if names == nil {
		for _, b := range list {
			names = append(names, b.Name)
		}
		names = cNames(names)
	}
	ports := make([]portName, len(list))
	for i, b := range list {
		ports[i] = portName{Port: Port{Name: names[i], Type: b.Type, Shape: b.GivenShape()}, c: names[i], size: b.Bytes(),
			elements: fmt.Sprint(b.Extent()), bytes: fmt.Sprint(b.Bytes()), strides: b.Strides}
	}
	return ports
}

// setRoles says which parameters of fn are read and which are written.
func setRoles(params []portName, fn *tir.Func) {
	for i := range params {
		params[i].role = "in  "
		if i >= len(fn.Inputs()) {
			params[i].role = "out "
		}
	}
}

// packer returns the name of the function that packs a parameter.
func (k *kernel) packer(param int) string { return k.name + "_pack_" + k.plain[param].c }

// How a kernel uses threads, for its header.
const (
	oneThread = ` * It runs in the calling thread, and may be called by several at once.
`
	poolOfThreads = ` * It runs on a pool of threads, which the first call starts: one for each
 * processor that the process may use, at most 64, unless @NAME@_pool_init said
 * otherwise. The calling thread works too. All threads round, and flush denormal
 * numbers or not, as the calling one does (MXCSR). Several threads may call it at
 * once; only one of the calls gets the pool, the others run in their own thread.
`
	tileNote = ` *
 * It uses tile registers (AMX). Ask Linux for them once in the process, before the
 * first call: it ends the process otherwise. They are not to be had if this is not 0:
 *
 *     syscall(SYS_arch_prctl, 0x1023, 18)      <sys/syscall.h>, <unistd.h>
`
	tileRequest = `	extern long syscall(long number, ...);
	if (syscall(158L, 0x1023L, 18L)) { /* arch_prctl: tile registers */
		fprintf(stderr, "Linux refuses the process tile registers (AMX)\n");
		return 1;
	}
`
)

// hasTiles reports whether fn uses tile registers.
func hasTiles(fn *tir.Func) bool {
	return tir.Has(fn.Body, func(s tir.Stmt) bool {
		a, ok := s.(*tir.Alloc)
		return ok && a.Buffer.Scope == tir.Tile
	})
}

// header documents the function for its callers in C.
func (k *kernel) header(note string, t target.Target) []byte {
	var parameters []string
	for i, p := range k.params {
		constant := "const "
		if i >= len(k.fn.Inputs()) {
			constant = ""
		}
		parameters = append(parameters, constant+p.typ()+" *"+p.c)
	}
	threads := oneThread
	if isParallel(k.fn) {
		threads = strings.ReplaceAll(poolOfThreads, "@NAME@", k.name)
	}
	if hasTiles(k.fn) {
		threads += tileNote
	}
	h := header{k.name, "a kernel made", strings.ToUpper(k.name) + "_H", "stdint", "kernel.h"}
	return h.text(note, t.String(), map[string]string{
		"THREADS": threads, "PORTS": portNotes(k.params), "PARAMETERS": strings.Join(parameters, ", "),
		"PACKS": k.packHeader(),
	})
}

// packHeader documents the functions that pack parameters.
func (k *kernel) packHeader() string {
	var b strings.Builder
	for i, packed := range k.params {
		p, plain := k.fn.Pack(i), k.plain[i]
		if p == nil {
			continue
		}
		fmt.Fprintf(&b, "\n/* Packs %s: %s%s, %d bytes, which is constant, for %s: one call is\n * enough. All of "+
			"the result is written:\n *\n", plain.c, plain.typ(), dims(plain.Shape), plain.size, k.name)
		if p.Element != nil {
			fmt.Fprintf(&b, " *   %s\n", strings.TrimSpace(renamed(p, packed.c, plain.c).String()))
		}
		if p.Note != "" {
			fmt.Fprintf(&b, " *\n * %s\n", strings.Join(lines(p.Note, 84), "\n * "))
		}
		fmt.Fprintf(&b, " */\nvoid %s(const %s *%s, %s *%s);\n", packed.packer, plain.typ(), plain.c, packed.typ(), packed.c)
	}
	return b.String()
}

// lines returns a text in lines of so many bytes.
func lines(text string, width int) (list []string) {
	for _, word := range strings.Fields(text) {
		if n := len(list) - 1; n >= 0 && len(list[n])+1+len(word) <= width {
			list[n] += " " + word
		} else {
			list = append(list, word)
		}
	}
	return list
}

// renamed returns what packs an element with the names that the tensors have in C.
func renamed(p *tir.Func, packed, plain string) *tir.Store {
	s := p.Element
	value := tir.SubstituteLoads(s.Value, func(l *tir.Load) tir.Expr {
		if l.Buffer != p.Params[0] {
			return l
		}
		return &tir.Load{Buffer: &tir.Buffer{Name: plain, Type: l.Buffer.Type}, Index: l.Index}
	})
	return &tir.Store{Buffer: &tir.Buffer{Name: packed}, Index: s.Index, Value: value}
}

// exampleC returns a C program that packs the arrays that are to be packed, and calls the function.
func (k *kernel) exampleC() []byte {
	inputs := len(k.fn.Inputs())
	e := newExampleC(k.plain[:inputs], k.plain[inputs:])
	args, prepare := e.args, ""
	if hasTiles(k.fn) {
		prepare = tileRequest
	}
	for i, p := range k.params {
		if p.packer != "" {
			name := "packed_" + p.c
			e.array(p.typ(), name, p.bytes, "NULL")
			prepare += fmt.Sprintf("\t%s(%s, %s); /* once */\n", p.packer, args[i], name)
			args[i] = name
		}
	}
	return e.program(map[string]string{
		"NAME": k.name, "FILE": "kernel", "CALL": k.name + "(" + wrapped(args, "\t\t\t") + ")", "PREPARE": prepare,
		"CHECK": "", "CONTEXT": "", "OPEN": "", "CLOSE": "",
	})
}
