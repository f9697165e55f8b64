package llvm

import (
	"io"

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
// The text does not depend on the name of fn. The Packs of fn are left out.
func EmitKernel(w io.Writer, fn *tir.Func, t target.Target) (Scratch, error) {
	if err := refuse(fn); err != nil {
		return Scratch{}, err
	}
	m := newModule(fn, t)
	m.threaded = true
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
