package model

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

const cudaTurns = ` * One run of a program must have ended before the next one begins: they use the
 * same memory.
`

// ExportCUDA returns f as files that a project in C or C++ can take in: kernel.cu, and kernel_launch.c and
// kernel_launch.h, which load and launch its kernels by CUDA's driver API. Emit is cuda.Emit or cuda.EmitRolled. The
// errors are those of emit, and of a name that is none in C.
func ExportCUDA(f *tir.Func, t target.Target, emit cuda.Emitter, opt KernelOptions) ([]File, error) {
	name := opt.name()
	if name != cuda.Identifier(name) {
		return nil, fmt.Errorf("cuda: %q is not a name that functions in C can begin with: use "+
			"letters, digits and single _", name)
	}
	var note strings.Builder
	for line := range strings.Lines(opt.Note) {
		note.WriteString("// " + strings.TrimRight(line, "\\\n") + "\n")
	}
	text := bytes.NewBufferString(note.String())
	if err := emit(text, f, t); err != nil {
		return nil, err
	}
	kernels, err := cuda.Kernels(f)
	if err != nil {
		return nil, err
	}
	params := bufferNames(f.Params, cuda.ParamNames(f))
	setRoles(params, f)
	words := cudaWords(f, kernels, params)
	words["NAME"], words["NOTE"] = name, note.String()
	signature := "CUresult " + name + "_launch(" + name + "_program *program"
	for _, p := range params {
		signature += ", CUdeviceptr " + p.c
	}
	words["SIGNATURE"] = signature + ", CUstream stream)"
	launcher := fillTemplate("kernel_launch.c", words)
	words["ARCH"], words["ALIGNMENT"], words["PORTS"] = t.Arch, fmt.Sprint(cuda.Alignment), portNotes(params)
	h := header{name, "kernels made", strings.ToUpper(name) + "_LAUNCH_H", "cuda", "kernel_launch.h"}
	return []File{
		{Name: "kernel.cu", Data: text.Bytes()}, {Name: "kernel_launch.c", Data: launcher},
		{Name: "kernel_launch.h", Data: h.text(opt.Note, t.String(), words)},
	}, nil
}

// cudaWords returns what the texts say of kernels and the memory that they need for themselves.
func cudaWords(f *tir.Func, kernels []cuda.Kernel, params []portName) map[string]string {
	launches, workspaces := cuda.Launches(f, kernels)
	words := map[string]string{"KERNELS": fmt.Sprint(len(launches)), "WORKSPACES": "", "TURNS": ""}
	var loads, runs, frees strings.Builder
	for i, l := range launches {
		fmt.Fprintf(&loads, "\tif (result == CUDA_SUCCESS)\n\t\tresult = "+
			"cuModuleGetFunction(&program->kernel[%d], program->module, %q);\n", i, l.Kernel)
		args := make([]string, len(l.Args))
		for j, at := range l.Args {
			args[j] = fmt.Sprintf("&program->workspace[%d]", at-len(params))
			if at < len(params) {
				args[j] = "&" + params[at].c
			}
		}
		fmt.Fprintf(&runs, "\tif (result == CUDA_SUCCESS) { // %s\n\t\tvoid *args[] = {%s};\n", l.Kernel,
			strings.Join(args, ", "))
		fmt.Fprintf(&runs, "\t\tresult = cuLaunchKernel(program->kernel[%d], %d, %d, %d, %d, %d, %d, 0, "+
			"stream, args, NULL);\n\t}\n", i, l.Grid[0], l.Grid[1], l.Grid[2], l.Block[0], l.Block[1], l.Block[2])
	}
	for i, size := range workspaces {
		fmt.Fprintf(&loads, "\tif (result == CUDA_SUCCESS)\n\t\tresult = cuMemAlloc(&program->workspace[%d], %d);\n", i, size)
		fmt.Fprintf(&frees, "\tif (program->workspace[%d])\n\t\tcuMemFree(program->workspace[%d]);\n", i, i)
		words["WORKSPACES"] = fmt.Sprintf("\tCUdeviceptr workspace[%d];\n", len(workspaces))
		words["TURNS"] = cudaTurns
	}
	words["LOADS"], words["LAUNCHES"], words["FREES"] = loads.String(), runs.String(), frees.String()
	return words
}
