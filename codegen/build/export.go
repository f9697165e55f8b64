package build

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/codegen/ld"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// A Library is a program in the forms that other programs can use. Object and
// Shared hold the run-time too, depend on the C library and its mathematics
// only, and show the function, those that pack its constant operands, and its
// thread pool's switch.
type Library struct {
	Name     string // of the C function
	IR       []byte // LLVM IR text, as emitted
	Assembly []byte
	Object   []byte // ELF relocatable
	Shared   []byte // ELF shared library
	Header   []byte // C
	Example  []byte // a C program that calls the function
}

// A File is the contents of one file.
type File struct {
	Name string
	Data []byte
	Link string // if not "", the file is a symbolic link to the one of this name
}

// Files returns what the library consists of: kernel.ll, kernel.s, kernel.o,
// kernel.h, example.c, and kernel.so with a link of its SONAME.
func (l Library) Files() []File {
	list := []File{
		{Name: "kernel.ll", Data: l.IR}, {Name: "kernel.s", Data: l.Assembly}, {Name: "kernel.o", Data: l.Object},
		{Name: "kernel.h", Data: l.Header}, {Name: "example.c", Data: l.Example}, {Name: "kernel.so", Data: l.Shared},
	}
	if so := soname(l.Name); so != "kernel.so" {
		list = append(list, File{Name: so, Link: "kernel.so"}) // what the system looks for when a program starts
	}
	return list
}

// LibraryOptions describe an export.
type LibraryOptions struct {
	Name string // of the function; "" means the program's, made a C identifier
	Note string // text for the head of the header, such as the workload and its key
}

// Library compiles a program into its exportable forms. An error about the
// program is a *CompileError.
func (b *Builder) Library(ctx context.Context, fn *tir.Func, t target.Target, opt LibraryOptions) (Library, error) {
	lib := Library{Name: opt.Name}
	if lib.Name == "" {
		lib.Name = CIdentifier(fn.Name)
	}
	if err := ValidName(lib.Name); err != nil {
		return Library{}, fmt.Errorf("build: %w", err)
	}
	var ir bytes.Buffer
	names := llvm.LibraryNames{Main: lib.Name, Pack: func(i int) string { return packName(lib.Name, fn, i) }}
	if err := llvm.EmitLibrary(&ir, fn, t, b.info.featureString(t.Features), names); err != nil {
		return Library{}, &CompileError{measure.BuildError, err.Error()}
	}
	lib.IR = withTriple(ir.Bytes(), b.info.Triple)

	options := Options{CPU: t.CPU, Features: t.Features, Form: Assembly}
	var err error
	if lib.Assembly, err = b.Compile(ctx, lib.IR, options); err != nil {
		return Library{}, err
	}
	options.Form = Object
	options.Keep = []string{lib.Name, poolSymbol(lib.Name)}
	for _, k := range packsOf(fn) {
		options.Keep = append(options.Keep, packName(lib.Name, fn, k.Param))
	}
	options.Link = strings.ReplaceAll(llvm.RuntimeIR(), "@wmtune_pool_init(", "@"+poolSymbol(lib.Name)+"(")
	if lib.Object, err = b.Compile(ctx, lib.IR, options); err != nil {
		return Library{}, err
	}
	lib.Header = header(lib.Name, fn, t, opt.Note)
	lib.Example = example(lib.Name, fn)
	lib.Shared, err = shared(lib.Object, lib.Name)
	return lib, err
}

// soname is the SONAME of the shared library of a function.
func soname(name string) string { return name + ".so" }

func poolSymbol(name string) string { return name + "_pool_init" }

// withTriple adds the triple, which the emitter leaves to the worker.
func withTriple(ir []byte, triple string) []byte {
	head, rest, _ := bytes.Cut(ir, []byte("\n\n"))
	return bytes.Join([][]byte{head, []byte("\n\ntarget triple = \"" + triple + "\"\n\n"), rest}, nil)
}

// shared makes a shared library. The SONAME keeps kernels apart that are in one program. The library is never
// unloaded, because the threads of its pool run in its code.
func shared(object []byte, name string) ([]byte, error) {
	o, err := ld.Read(object)
	if err != nil {
		return nil, err
	}
	return o.Shared(ld.Options{Name: soname(name), NoDelete: true})
}

// CIdentifier makes a name that C accepts.
func CIdentifier(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "kernel"
	}
	return tir.ShortName(b.String(), s)
}
