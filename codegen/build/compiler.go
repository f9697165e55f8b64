package build

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/codegen/native"
)

// A Form is what a module is compiled to.
type Form string

// The forms of output.
const (
	Object   Form = "object"   // ELF relocatable
	Assembly Form = "assembly" // text
)

// Options say how to compile a module. The zero value is an object of a kernel
// for this machine.
type Options struct {
	Form     Form     // "" means Object
	CPU      string   // LLVM's name; "" means this machine's, features included
	Features []string // that are on beyond those of CPU; ignored if CPU is ""
	Triple   string   // "" means this machine's; another one goes with a CPU of its own

	// Link is the text of a module to be linked into the output, of which only
	// the functions named in Keep stay visible.
	Link string
	Keep []string
}

// Info describes the compiler of a worker and the machine that it runs on.
type Info struct {
	Library  string   // path or soname of libLLVM
	Major    int      // version of LLVM
	Triple   string   // of the code it generates
	CPU      string   // LLVM's name of this processor: good for scheduling, wrong about vector width
	Features []string // LLVM features that this processor has, sorted

	FeatureString string // the same, and what it lacks, as LLVM writes them: "+avx2,-avx512f"
}

// A compiler compiles modules, in a worker.
type compiler struct {
	lib      *library
	info     Info
	machines map[string]uintptr
}

func newCompiler(path string) (*compiler, error) {
	lib, err := load(path)
	if err != nil {
		return nil, err
	}
	c := &compiler{lib: lib, machines: map[string]uintptr{}}
	c.info = Info{
		Library: lib.path, Major: lib.major,
		Triple:        lib.message(lib.GetDefaultTargetTriple()),
		CPU:           lib.message(lib.GetHostCPUName()),
		FeatureString: lib.message(lib.GetHostCPUFeatures()),
	}
	c.info.Features = featuresOn(c.info.FeatureString)
	if _, err := c.compile([]byte(probe), Options{}); err != nil {
		return nil, fmt.Errorf("build: %s does not work: %w", lib.path, err)
	}
	return c, nil
}

// probe is compiled when a worker starts, to test the list of passes.
const probe = `define float @probe(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %q = getelementptr float, ptr %p, i64 %i
  %x = load float, ptr %q, align 4
  %t = fadd float %s, %x
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret float %t
}
`

// compile returns the text or object that ir becomes. The error is about ir.
func (c *compiler) compile(ir []byte, opt Options) ([]byte, error) {
	machine, err := c.machine(opt)
	if err != nil {
		return nil, err
	}
	l := c.lib
	ctx := l.ContextCreate()
	defer l.ContextDispose(ctx)
	module, err := c.parse(ctx, ir)
	if err != nil {
		return nil, err
	}
	defer l.DisposeModule(module)
	if opt.Link != "" {
		if err := c.link(ctx, module, opt); err != nil {
			return nil, err
		}
	}
	l.SetTarget(module, c.triple(opt))
	layout := l.CreateTargetDataLayout(machine)
	l.SetModuleDataLayout(module, layout)
	l.DisposeTargetData(layout)
	if err := c.run(module, machine, l.kernel); err != nil {
		return nil, err
	}
	if opt.Link != "" {
		if err := c.run(module, machine, "globaldce"); err != nil {
			return nil, err
		}
	}
	kind := int32(1)
	switch opt.Form {
	case Assembly:
		kind = 0
	case Object, "":
	default:
		return nil, fmt.Errorf("build: unknown form %q", opt.Form)
	}
	var msg, buf uintptr
	if l.TargetMachineEmitToMemoryBuffer(machine, module, kind, &msg, &buf) != 0 {
		return nil, fmt.Errorf("generating code: %s", l.message(msg))
	}
	defer l.DisposeMemoryBuffer(buf)
	return native.Copy[byte](l.GetBufferStart(buf), uint64(l.GetBufferSize(buf))), nil
}

func (c *compiler) parse(ctx uintptr, ir []byte) (uintptr, error) {
	l := c.lib
	text := append(ir[:len(ir):len(ir)], 0)
	buf := l.CreateMemoryBufferWithMemoryRangeCopy(&text[0], uintptr(len(ir)), "kernel.ll")
	var module, msg uintptr
	if l.ParseIRInContext(ctx, buf, &module, &msg) != 0 { // takes buf
		return 0, fmt.Errorf("reading IR: %s", l.message(msg))
	}
	failed := l.VerifyModule(module, 2, &msg) != 0 // 2: return the status
	text2 := l.message(msg)
	if failed {
		l.DisposeModule(module)
		return 0, fmt.Errorf("checking IR: %s", text2)
	}
	return module, nil
}

// link adds opt.Link to a module and hides all that is not to be kept, so that
// two libraries with the same run-time do not clash.
func (c *compiler) link(ctx, module uintptr, opt Options) error {
	l := c.lib
	other, err := c.parse(ctx, []byte(opt.Link))
	if err != nil {
		return err
	}
	if l.LinkModules2(module, other) != 0 {
		return errors.New("linking IR: a symbol is defined twice")
	}
	for fn := l.GetFirstFunction(module); fn != 0; fn = l.GetNextFunction(fn) {
		c.hide(fn, opt.Keep)
	}
	for v := l.GetFirstGlobal(module); v != 0; v = l.GetNextGlobal(v) {
		c.hide(v, opt.Keep)
	}
	return nil
}

// hide makes a definition internal unless it is to be kept.
func (c *compiler) hide(global uintptr, keep []string) {
	const internal = 8
	var n uintptr
	p := c.lib.GetValueName2(global, &n)
	if c.lib.IsDeclaration(global) == 0 && !slices.Contains(keep, string(native.Copy[byte](p, uint64(n)))) {
		c.lib.SetLinkage(global, internal)
	}
}

func (c *compiler) run(module, machine uintptr, list string) error {
	opt := c.lib.CreatePassBuilderOptions()
	defer c.lib.DisposePassBuilderOptions(opt)
	if err := c.lib.RunPasses(module, list, machine, opt); err != 0 {
		return fmt.Errorf("optimising: %s", c.lib.errorMessage(err))
	}
	return nil
}

// machine returns the code generator for opt's processor; each is made once.
func (c *compiler) machine(opt Options) (uintptr, error) {
	cpu, features := opt.CPU, ""
	switch {
	case cpu == "":
		cpu, features = c.info.CPU, c.info.FeatureString
	default:
		features = c.info.FeaturesText(opt.Features)
	}
	triple := c.triple(opt)
	key := triple + " " + cpu + " " + features
	if m, ok := c.machines[key]; ok {
		return m, nil
	}
	l := c.lib
	var target, msg uintptr
	if l.GetTargetFromTriple(triple, &target, &msg) != 0 {
		return 0, fmt.Errorf("build: %s has no code generator for %s: %s", l.path, triple, l.message(msg))
	}
	const aggressive, pic, defaultModel = 3, 2, 0
	m := l.CreateTargetMachine(target, triple, cpu, features, aggressive, pic, defaultModel)
	if m == 0 {
		return 0, fmt.Errorf("build: LLVM has no code generator for %s", cpu)
	}
	c.machines[key] = m
	return m, nil
}

func (c *compiler) triple(opt Options) string {
	if opt.Triple != "" {
		return opt.Triple
	}
	return c.info.Triple
}

// FeaturesText returns how LLVM writes features that are on. If they are this machine's, those that it lacks are off:
// the name of its processor may imply them.
func (i Info) FeaturesText(on []string) string {
	switch {
	case len(on) == 0:
		return ""
	case slices.Equal(on, i.Features):
		return i.FeatureString
	}
	return "+" + strings.Join(on, ",+")
}

// featuresOn returns the names with a plus in a feature string, sorted.
func featuresOn(s string) []string {
	var list []string
	for f := range strings.SplitSeq(s, ",") {
		if name, on := strings.CutPrefix(f, "+"); on {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
