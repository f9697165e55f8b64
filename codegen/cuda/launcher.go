package cuda

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// Sources are a program as files that a project in C or C++ can take in.
type Sources struct {
	Kernel   []byte // kernel.cu: what Emit writes
	Launcher []byte // kernel_launch.c: loads the kernels and launches them, by CUDA's driver API
	Header   []byte // kernel_launch.h
}

// ExportOptions describe an export.
type ExportOptions struct {
	Name string // what the names in the header begin with; "" means the program's name
	Note string // text for the head of each file, such as the workload and its key

	Rolled bool // the kernels are those of EmitRolled
}

// Export returns f as sources. The errors are those of Emit, and of a name that is
// none in C.
func Export(f *tir.Func, t target.Target, opt ExportOptions) (Sources, error) {
	name := opt.Name
	if name == "" {
		name = identifier(f.Name)
	}
	if name != identifier(name) {
		return Sources{}, fmt.Errorf("cuda: %q is not a name that functions in C can begin with: use "+
			"letters, digits and single _", name)
	}
	var text bytes.Buffer
	if err := emit(&text, f, t, opt.Rolled); err != nil {
		return Sources{}, err
	}
	kernels, err := Kernels(f)
	if err != nil {
		return Sources{}, err
	}
	l := launcher{name: name, f: f, t: t, note: opt.Note, kernels: kernels, workspaces: Workspaces(f, kernels),
		params: paramNames(f)}
	return Sources{
		Kernel:   []byte(commented(opt.Note) + text.String()),
		Launcher: []byte(l.source()),
		Header:   []byte(l.header()),
	}, nil
}

// commented returns text as comments.
func commented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("// " + strings.TrimRight(line, "\\\n") + "\n")
	}
	return b.String()
}

// paramNames returns the names that kernels give the parameters of f.
func paramNames(f *tir.Func) []string {
	names := newNames()
	list := make([]string, len(f.Params))
	for i, p := range f.Params {
		list[i] = names.fresh(p.Name)
	}
	return list
}

// A launcher writes the C around a program's kernels.
type launcher struct {
	name       string
	f          *tir.Func
	t          target.Target
	note       string
	kernels    []Kernel
	workspaces []*tir.Buffer
	params     []string
}

func (l *launcher) header() string {
	var b strings.Builder
	guard := strings.ToUpper(l.name) + "_LAUNCH_H"
	fmt.Fprintf(&b, "%s// The kernels of kernel.cu, for %s: how to load and launch them. The "+
		"errors are\n// the driver's.\n", commented(l.note), l.t)
	fmt.Fprintf(&b, "#ifndef %s\n#define %s\n\n#include <cuda.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
		guard, guard)
	fmt.Fprintf(&b, "typedef struct {\n\tCUmodule module;\n\tCUfunction kernel[%d];\n", len(l.kernels))
	if len(l.workspaces) > 0 {
		fmt.Fprintf(&b, "\tCUdeviceptr workspace[%d];\n", len(l.workspaces))
	}
	fmt.Fprintf(&b, `} %[1]s_program;

// Loads the kernels into the current context, and allocates what they need for
// themselves. The image is what kernel.cu was compiled to, a cubin or PTX that
// ends in a zero:
//
//	nvcc -arch=%[2]s -cubin kernel.cu
CUresult %[1]s_load(%[1]s_program *program, const void *image);

`, l.name, l.t.Arch)
	b.WriteString("// Puts a run of all kernels into a stream. The arguments are dense row-major arrays\n")
	fmt.Fprintf(&b, "// in the GPU's memory that start at a multiple of %d bytes; no two may overlap:\n//\n", Alignment)
	for i, p := range l.f.Params {
		role := "in "
		if i >= len(l.f.Inputs()) {
			role = "out"
		}
		fmt.Fprintf(&b, "//\t%s %s: %s[%s], %d bytes\n", role, l.params[i], p.Type, shapeText(p.Shape), p.Bytes())
	}
	b.WriteString("//\n// Every element of the outputs is written; inputs are only read.\n")
	if len(l.workspaces) > 0 {
		b.WriteString("// One run of a program must have ended before the next one begins: they use the\n// same memory.\n")
	}
	fmt.Fprintf(&b, "%s;\n\n// Gives back what was loaded and allocated.\nvoid %s_unload(%s_program *program);\n",
		l.signature(), l.name, l.name)
	b.WriteString("\n#ifdef __cplusplus\n}\n#endif\n#endif\n")
	return b.String()
}

// shapeText returns a shape as "16, 40".
func shapeText(shape []int64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
}

func (l *launcher) signature() string {
	var b strings.Builder
	fmt.Fprintf(&b, "CUresult %s_launch(%s_program *program", l.name, l.name)
	for _, p := range l.params {
		b.WriteString(", CUdeviceptr " + p)
	}
	return b.String() + ", CUstream stream)"
}

func (l *launcher) source() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s#include \"kernel_launch.h\"\n\n#include <stddef.h>\n#include <string.h>\n\n", commented(l.note))
	fmt.Fprintf(&b, "CUresult %s_load(%s_program *program, const void "+
		"*image)\n{\n\tmemset(program, 0, sizeof *program);\n", l.name, l.name)
	b.WriteString("\tCUresult result = cuModuleLoadData(&program->module, image);\n")
	for i, k := range l.kernels {
		fmt.Fprintf(&b, "\tif (result == CUDA_SUCCESS)\n\t\tresult = "+
			"cuModuleGetFunction(&program->kernel[%d], program->module, %q);\n", i, k.Name)
	}
	for i, ws := range l.workspaces {
		fmt.Fprintf(&b, "\tif (result == CUDA_SUCCESS)\n\t\tresult = cuMemAlloc(&program->workspace[%d], %d);\n", i,
			ws.Bytes())
	}
	fmt.Fprintf(&b, "\tif (result != CUDA_SUCCESS)\n\t\t%s_unload(program);\n\treturn result;\n}\n\n", l.name)

	fmt.Fprintf(&b, "%s\n{\n\tCUresult result = CUDA_SUCCESS;\n", l.signature())
	for i := range l.kernels {
		l.launch(&b, i)
	}
	b.WriteString("\treturn result;\n}\n\n")

	fmt.Fprintf(&b, "void %s_unload(%s_program *program)\n{\n", l.name, l.name)
	for i := range l.workspaces {
		fmt.Fprintf(&b, "\tif (program->workspace[%d])\n\t\tcuMemFree(program->workspace[%d]);\n", i, i)
	}
	b.WriteString("\tif (program->module)\n\t\tcuModuleUnload(program->module);\n\tmemset(program, " +
		"0, sizeof *program);\n}\n")
	return b.String()
}

// launch writes the launch of one kernel.
func (l *launcher) launch(b *strings.Builder, i int) {
	k := &l.kernels[i]
	args := make([]string, len(k.Args))
	for j, a := range k.Args {
		args[j] = "&" + l.argument(a)
	}
	fmt.Fprintf(b, "\tif (result == CUDA_SUCCESS) { // %s\n\t\tvoid *args[] = {%s};\n", k.Name, strings.Join(args, ", "))
	fmt.Fprintf(b, "\t\tresult = cuLaunchKernel(program->kernel[%d], %d, %d, %d, %d, %d, %d, 0, "+
		"stream, args, NULL);\n\t}\n", i,
		k.Grid.X, k.Grid.Y, k.Grid.Z, k.Block.X, k.Block.Y, k.Block.Z)
}

// argument returns the variable of an argument.
func (l *launcher) argument(a *tir.Buffer) string {
	for i, p := range l.f.Params {
		if p == a {
			return l.params[i]
		}
	}
	for i, ws := range l.workspaces {
		if ws == a {
			return fmt.Sprintf("program->workspace[%d]", i)
		}
	}
	panic("BUG: cuda: " + a.Name + " is neither a parameter nor a workspace")
}
