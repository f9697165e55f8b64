package cuda

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// An Emitter writes a program as CUDA C: Emit or EmitRolled.
type Emitter func(w io.Writer, f *tir.Func, t target.Target) error

// Emit writes f as CUDA C for a GPU: the kernels of Kernels, in order, after a
// comment that says how to launch them. The text includes no header.
//
// Index arithmetic is in 32 bits where that is known to be enough. Mathematical
// functions are CUDA's accurate ones. It is an error if t is no GPU, if f copies asynchronously
// or multiplies tiles and t cannot, and in the cases of Kernels.
func Emit(w io.Writer, f *tir.Func, t target.Target) error { return emit(w, f, t, false) }

// EmitRolled is Emit but that only those loops are unrolled that a thread's own arrays need
// to be in registers, whatever f asks for, and the compiler is told to unroll no others: a
// tile that fits the registers then fits them, where loads that unrolled loops have under way
// do not.
func EmitRolled(w io.Writer, f *tir.Func, t target.Target) error { return emit(w, f, t, true) }

func emit(w io.Writer, f *tir.Func, t target.Target, rolled bool) error {
	if t.Kind != target.CUDA {
		return fmt.Errorf("cuda: the target is %s: it must be a GPU such as \"cuda -arch=sm_80\"", t)
	}
	if err := checkAsync(f, t); err != nil {
		return err
	}
	if err := checkTensor(f, t); err != nil {
		return err
	}
	if rolled {
		f = serial(f)
	}
	kernels, err := Kernels(f)
	if err != nil {
		return err
	}
	m := &module{needed: map[string]bool{}, rolled: rolled}
	var bodies []string
	for i := range kernels {
		bodies = append(bodies, m.kernel(&kernels[i]))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "// %s, for %s. Launch, in this order:\n", strings.ReplaceAll(f.Name, "\n", " "), t)
	for _, k := range kernels {
		fmt.Fprintf(&b, "//   %s\n", k.Launch())
	}
	for _, ws := range Workspaces(f, kernels) {
		fmt.Fprintf(&b, "// %s is a workspace: %d bytes of any content\n", nameOf(kernels, ws), ws.Bytes())
	}
	for _, h := range helpers {
		if m.needed[h.name] {
			b.WriteString("\n" + h.text)
		}
	}
	for _, body := range bodies {
		b.WriteString("\n" + body)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// nameOf returns the name of an argument.
func nameOf(kernels []Kernel, b *tir.Buffer) string {
	for _, k := range kernels {
		if i := slices.Index(k.Args, b); i >= 0 {
			return k.Names[i]
		}
	}
	panic("BUG: cuda: no kernel takes " + b.Name)
}

// Launch returns the call of k as one writes it in CUDA C, such as
//
//	C_kernel<<<dim3(4, 1, 1), dim3(32, 1, 1)>>>(A, B, C)
func (k *Kernel) Launch() string {
	return fmt.Sprintf("%s<<<dim3(%d, %d, %d), dim3(%d, %d, %d)>>>(%s)", k.Name,
		k.Grid.X, k.Grid.Y, k.Grid.Z, k.Block.X, k.Block.Y, k.Block.Z, strings.Join(k.Names, ", "))
}

// A module is the text of one program while it is written.
type module struct {
	needed map[string]bool
	rolled bool // EmitRolled
}

// kernel returns the definition of k.
func (m *module) kernel(k *Kernel) string {
	w := newWriter(m, k)
	params := make([]string, len(k.Args))
	for i, b := range k.Args {
		constant := "const "
		if k.written[b] {
			constant = ""
		}
		params[i] = fmt.Sprintf("%s%s* __restrict__ %s", constant, typeName(b.Type), k.Names[i])
	}
	w.depth++
	w.stmt(k.body)
	return fmt.Sprintf("extern \"C\" __global__ void __launch_bounds__(%d)\n%s(%s) {\n%s}\n",
		k.Block.Count(), k.Name, strings.Join(params, ", "), w.text.String())
}
