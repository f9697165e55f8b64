package machine

import (
	"context"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/codegen/vdla"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// A Form is a text that a lowered program of a kind of target becomes.
type Form struct {
	Kind    target.Kind
	Name    string
	Comment string // what begins a comment in the text
	text    func(ctx context.Context, p *Printer, f *tir.Func, t target.Target) (string, error)
}

// Forms lists the forms.
func Forms() []Form {
	return []Form{
		{target.LLVM, "llvm", ";", llvmText},
		{target.LLVM, "asm", "#", asmText},
		{target.CUDA, "cuda", "//", cudaText},
		{target.CUDA, "usage", "#", usageText},
		{target.VDLA, "vdla", "#", acceleratorText},
	}
}

// A Printer writes lowered programs in the forms of their targets. It starts compilers
// when a form first needs them; Close ends them. The zero value has the default Options.
type Printer struct {
	Options Options
	builder *build.Builder
	gpus    map[string]openedGPU // by architecture
}

// An openedGPU is what opening a compiler gave: without NVRTC, it is not looked for again for each program.
type openedGPU struct {
	GPUCompiler
	err error
}

// gpuCompiler returns the compiler for a GPU; nvrtc.IsMissing tells the error that there is none.
func (p *Printer) gpuCompiler(ctx context.Context, t target.Target) (*GPUCompiler, error) {
	g, ok := p.gpus[t.Arch]
	if !ok {
		if g.GPUCompiler, g.err = newGPUCompiler(t); g.err == nil {
			g.compiler, g.err = OpenNVRTC(ctx, p.Options, t.Arch, 0)
		}
		if p.gpus == nil {
			p.gpus = map[string]openedGPU{}
		}
		p.gpus[t.Arch] = g
	}
	return &g.GPUCompiler, g.err
}

// Text returns a lowered program of target t in a form.
func (p *Printer) Text(ctx context.Context, form Form, f *tir.Func, t target.Target) (string, error) {
	if form.Kind != t.Kind {
		return "", fmt.Errorf("it was measured on target %s", t.Kind)
	}
	return form.text(ctx, p, f, t)
}

// Close ends what was started.
func (p *Printer) Close() {
	if p.builder != nil {
		p.builder.Close()
	}
}

func llvmText(_ context.Context, _ *Printer, f *tir.Func, t target.Target) (string, error) {
	var text strings.Builder
	err := llvm.Emit(&text, f, t)
	return text.String(), err
}

func acceleratorText(_ context.Context, _ *Printer, f *tir.Func, _ target.Target) (string, error) {
	p, err := vdla.Emit(f)
	if err != nil {
		return "", err
	}
	return p.String(), nil
}

// asmText compiles for the target, which need not be this machine.
func asmText(ctx context.Context, p *Printer, f *tir.Func, t target.Target) (string, error) {
	ir, err := llvmText(ctx, p, f, t)
	if err != nil {
		return "", err
	}
	if p.builder == nil {
		command, err := p.Options.workerCommand("build")
		if err != nil {
			return "", err
		}
		if p.builder, err = build.New(ctx, build.Config{Command: command, LLVM: p.Options.Libraries.LLVM}); err != nil {
			return "", err
		}
	}
	opt := build.For(t)
	opt.Form = build.Assembly
	asm, err := p.builder.Compile(ctx, []byte(ir), opt)
	return string(asm), err
}

// cudaText writes the text that is compiled, timed and exported: of a program that spills, that of cuda.EmitRolled.
func cudaText(ctx context.Context, p *Printer, f *tir.Func, t target.Target) (string, error) {
	var text strings.Builder
	emit := cuda.Emit
	switch g, err := p.gpuCompiler(ctx, t); {
	case nvrtc.IsMissing(err):
		text.WriteString("// Not compiled (NVRTC is missing). If it spills, wmtune unrolls fewer of its loops.\n")
	case err != nil:
		return "", err
	default:
		code, err := g.compile(ctx, f)
		if err != nil && !IsRejected(err) {
			return "", err
		}
		if code.rolled {
			text.WriteString("// Unrolled for registers only: else it spills.\n")
			emit = cuda.EmitRolled
		}
	}
	err := emit(&text, f, t)
	return text.String(), err
}
