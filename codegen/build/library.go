package build

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/codegen/native"
)

// sonames lists the libraries that are looked for, best first: LLVM 19, with
// which everything is measured, then newer ones, then older ones. Of those, 16
// has passed all tests.
var sonames = []string{
	"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so",
	"libLLVM.so.20.1", "libLLVM.so.21.1",
	"libLLVM.so.18.1", "libLLVM-18.so.1",
	"libLLVM-17.so.1", "libLLVM-16.so.1",
}

// pipelines holds the passes for kernels, which are vectorised and unrolled
// already, from a version of LLVM on. A worker runs its list once when it
// starts. From LLVM 18 on instcombine must be told not to insist on a fixpoint.
var pipelines = []struct {
	major  int
	passes string
}{
	{18, "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm)," +
		"loop(indvars,loop-unroll-full),sroa,early-cse,instcombine<no-verify-fixpoint>,loop-mssa(licm))"},
	{minMajor, "function(sroa,early-cse,simplifycfg,instcombine,loop-mssa(licm)," +
		"loop(indvars,loop-unroll-full),sroa,early-cse,instcombine,loop-mssa(licm))"},
}

// minMajor is the oldest LLVM that reads what codegen/llvm emits.
const minMajor = 16

// A library is a loaded libLLVM. Its exported fields are functions of the C API,
// without the LLVM before their names; pointers are uintptr.
type library struct {
	path   string
	major  int
	kernel string // passes

	GetVersion          func(major, minor, patch *uint32)
	DisposeMessage      func(msg uintptr)
	GetErrorMessage     func(err uintptr) uintptr
	DisposeErrorMessage func(msg uintptr)

	ContextCreate  func() uintptr
	ContextDispose func(ctx uintptr)

	CreateMemoryBufferWithMemoryRangeCopy func(data *byte, size uintptr, name string) uintptr
	GetBufferStart                        func(buf uintptr) uintptr
	GetBufferSize                         func(buf uintptr) uintptr
	DisposeMemoryBuffer                   func(buf uintptr)

	ParseIRInContext    func(ctx, buf uintptr, module, msg *uintptr) int32
	VerifyModule        func(module uintptr, action int32, msg *uintptr) int32
	SetTarget           func(module uintptr, triple string)
	SetModuleDataLayout func(module, layout uintptr)
	DisposeModule       func(module uintptr)
	PrintModuleToString func(module uintptr) uintptr
	LinkModules2        func(into, from uintptr) int32 // disposes of from
	GetFirstFunction    func(module uintptr) uintptr
	GetNextFunction     func(fn uintptr) uintptr
	GetFirstGlobal      func(module uintptr) uintptr
	GetNextGlobal       func(global uintptr) uintptr
	GetValueName2       func(value uintptr, length *uintptr) uintptr
	IsDeclaration       func(global uintptr) int32
	SetLinkage          func(global uintptr, linkage int32)

	GetTargetFromTriple             func(triple string, target, msg *uintptr) int32
	GetDefaultTargetTriple          func() uintptr
	GetHostCPUName                  func() uintptr
	GetHostCPUFeatures              func() uintptr
	CreateTargetMachine             func(target uintptr, triple, cpu, features string, opt, reloc, model int32) uintptr
	DisposeTargetMachine            func(machine uintptr)
	CreateTargetDataLayout          func(machine uintptr) uintptr
	DisposeTargetData               func(layout uintptr)
	TargetMachineEmitToMemoryBuffer func(machine, module uintptr, kind int32, msg, buf *uintptr) int32

	CreatePassBuilderOptions  func() uintptr
	DisposePassBuilderOptions func(opt uintptr)
	RunPasses                 func(module uintptr, passes string, machine, opt uintptr) uintptr
}

// errNoLibrary means that libLLVM is not installed.
var errNoLibrary = errors.New("libLLVM is not installed: on Debian, apt-get install libllvm19; elsewhere install " +
	"LLVM 19's shared library, or set WMTUNE_LLVM to the path of one")

// load opens the library at path, or if that is empty the first of sonames that
// is installed.
func load(path string) (*library, error) {
	handle, err := native.Open(path, sonames...)
	switch {
	case err != nil && path != "":
		return nil, fmt.Errorf("build: loading libLLVM: %w", err)
	case err != nil:
		return nil, fmt.Errorf("build: %w (%v)", errNoLibrary, err)
	}
	l := &library{path: handle.Path}
	if err := handle.BindFields("LLVM", l); err != nil {
		return nil, fmt.Errorf("build: %s: no libLLVM of version %d or later: %v; apt-get install libllvm19", l.path,
			minMajor, err)
	}
	var major, minor, patch uint32
	l.GetVersion(&major, &minor, &patch)
	l.major = int(major)
	if l.major < minMajor {
		return nil, fmt.Errorf("build: %s is LLVM %d: version %d or later is needed; apt-get install libllvm19",
			l.path, major, minMajor)
	}
	for _, p := range pipelines {
		if l.major >= p.major {
			l.kernel = p.passes
			break
		}
	}
	if err := initialize(handle, "X86"); err != nil {
		return nil, fmt.Errorf("build: %s: no libLLVM with code for x86: %v; apt-get install libllvm19", l.path, err)
	}
	// Others are for objects that run elsewhere; a libLLVM may lack them.
	_ = initialize(handle, "AArch64")
	return l, nil
}

// initialize makes LLVM ready to generate code for an architecture.
func initialize(handle *native.Library, architecture string) error {
	for _, part := range []string{"TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser"} {
		var initialize func()
		if err := handle.Bind(native.Symbols{"LLVMInitialize" + architecture + part: &initialize}); err != nil {
			return err
		}
		initialize()
	}
	return nil
}

// message copies and frees a message of LLVM.
func (l *library) message(p uintptr) string {
	if p == 0 {
		return ""
	}
	s := native.String(p)
	l.DisposeMessage(p)
	return strings.TrimSpace(s)
}

// errorMessage returns what an error of LLVM says, and frees both. Such a text has a way of its own to be freed.
func (l *library) errorMessage(err uintptr) string {
	p := l.GetErrorMessage(err)
	defer l.DisposeErrorMessage(p)
	return strings.TrimSpace(native.String(p))
}
