package build

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

func signature(name string, fn *tir.Func) string {
	var parts []string
	for i, p := range cParams(fn) {
		c := "const "
		if i >= len(fn.Params)-fn.Outputs {
			c = ""
		}
		parts = append(parts, c+cTypes[fn.Params[i].Type].name+" *"+p)
	}
	return "void " + name + "(" + strings.Join(parts, ", ") + ")"
}

// header documents the function for its callers in C.
func header(name string, fn *tir.Func, t target.Target, note string) []byte {
	var b strings.Builder
	guard := strings.ToUpper(name) + "_H"
	fmt.Fprintf(&b, "/* %s: a kernel made by wmtune.\n", name)
	for line := range strings.Lines(note) {
		fmt.Fprintf(&b, " * %s\n", strings.ReplaceAll(strings.TrimRight(line, "\n"), "*/", "* /"))
	}
	fmt.Fprintf(&b, " *\n * Compiled for: %s\n * It faults on a processor without these features.\n */\n", t)
	fmt.Fprintf(&b, "#ifndef %s\n#define %s\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
		guard, guard)

	b.WriteString("/* Arguments, in order. Each points to a dense row-major array that starts at a\n * multiple of 64 " +
		"bytes; no two may overlap.\n *\n")
	for i, p := range cParams(fn) {
		buf := fn.Params[i]
		role := "in "
		if i >= len(fn.Params)-fn.Outputs {
			role = "out"
		}
		fmt.Fprintf(&b, " *   %s %s: %s%s", role, p, cTypes[buf.Type].name, cShape(buf.GivenShape()))
		if buf.Strides != nil {
			fmt.Fprintf(&b, ", strides in elements %s", cShape(buf.Strides))
		}
		fmt.Fprintf(&b, ", %d bytes", buf.Bytes())
		if n := cTypes[buf.Type].note; n != "" {
			fmt.Fprintf(&b, " (%s)", n)
		}
		if fn.Pack(i) != nil {
			fmt.Fprintf(&b, ", made by %s", packName(name, fn, i))
		}
		b.WriteString("\n")
	}
	b.WriteString(" *\n * Every element of the outputs is written, whatever was there before; inputs are\n * only read.\n")
	b.WriteString(threadsNote(name, fn))
	fmt.Fprintf(&b, " */\n%s;\n%s", signature(name, fn), packHeader(name, fn))
	fmt.Fprintf(&b, `
/* Starts the threads of the kernel: so many, the caller included, thread i on
 * processor cpus[i], or wherever the system likes if cpus is null. Only the
 * first call has an effect, and none is needed. */
void %s(int64_t threads, const int32_t *cpus);
`, poolSymbol(name))
	b.WriteString("\n#ifdef __cplusplus\n}\n#endif\n#endif\n")
	return []byte(b.String())
}

// threadsNote says how the function uses threads.
func threadsNote(name string, fn *tir.Func) string {
	parallel := false
	tir.Visit(fn.Body, func(s tir.Stmt) bool {
		l, ok := s.(*tir.For)
		parallel = parallel || ok && l.Kind == tir.Parallel
		return true
	})
	if !parallel {
		return " *\n * It runs in the calling thread, and may be called by several at once.\n"
	}
	return " *\n * It runs on a pool of threads, which the first call starts: one for each\n" +
		" * processor that the process may use, at most 64, unless " + poolSymbol(name) + " said\n" +
		" * otherwise. The calling thread works too. All threads round, and flush denormal\n" +
		" * numbers or not, as the calling one does (MXCSR). Several threads may call it at\n" +
		" * once; only one of the calls gets the pool, the others run in their own thread.\n"
}

func cShape(shape []int64) string {
	var b strings.Builder
	for _, d := range shape {
		fmt.Fprintf(&b, "[%d]", d)
	}
	return b.String()
}
