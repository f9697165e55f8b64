package llvm

import (
	"io"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// KernelSymbol is the function that EmitKernel defines.
const KernelSymbol = "wmtune_kernel"

// Scratch is how much memory a kernel of a model takes from wmtune_alloc, in bytes: each
// block is rounded up to 64. A function frees all that it took at its end, in any order.
type Scratch struct {
	Main int64 // the thread that calls the kernel, beside Body
	Body int64 // each thread, while it runs a part of a parallel loop
}

// EmitKernel is Emit for a kernel of a model, which has no state outside of its
// arguments. It defines one function, which other objects of the same library see:
//
//	void wmtune_kernel(ptr rt, ptr input, ..., ptr output, ...)
//
// What it calls takes rt, too, the state of a thread, and is called with that of its own:
//
//	void wmtune_parallel_for(ptr rt, void (*body)(ptr rt, ptr ctx, i64 lo, i64 hi), ptr ctx, i64 n)
//	ptr  wmtune_alloc(ptr rt, i64 bytes)
//	void wmtune_free(ptr rt, ptr block)
//
// The parameters listed in aliased may overlap others. The text depends on nothing else: the
// name of the function is not in it. The Packs of fn are left out.
func EmitKernel(w io.Writer, fn *tir.Func, t target.Target, aliased []int) (Scratch, error) {
	if err := refuse(fn); err != nil {
		return Scratch{}, err
	}
	m := newModule(fn, t)
	m.threaded, m.aliased = true, map[*tir.Buffer]bool{}
	for i, b := range fn.Params {
		if slices.Contains(aliased, i) {
			m.aliased[b] = true
			delete(m.inputs, b)
		}
	}
	f := m.function(fn, KernelSymbol)
	f.finish("hidden ")
	m.scratch.Main = f.heap
	return m.scratch, m.write(w, "kernel", "")
}

// rt is the argument for the state of the thread, with a comma; "" where there is none.
func (m *module) rt() string {
	if m.threaded {
		return "ptr %rt, "
	}
	return ""
}

// rtType is the type of rt in a declaration.
func (m *module) rtType() string {
	if m.threaded {
		return "ptr, "
	}
	return ""
}

// noalias is the attribute of a buffer's address that no other one leads to the buffer.
func (m *module) noalias(b *tir.Buffer) string {
	if m.aliased[b] {
		return ""
	}
	return "noalias "
}
