package build

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// cTypes maps element types to C. Types that C lacks are passed as their bits.
var cTypes = map[tir.DType]struct{ name, note string }{
	tir.Bool: {"uint8_t", "bool: 0 or 1 in one byte"},
	tir.I8:   {"int8_t", ""},
	tir.U8:   {"uint8_t", ""},
	tir.I32:  {"int32_t", ""},
	tir.I64:  {"int64_t", ""},
	tir.F16:  {"uint16_t", "float16: the bits of an IEEE 754 binary16"},
	tir.BF16: {"uint16_t", "bfloat16: the upper 16 bits of a float"},
	tir.F32:  {"float", ""},
	tir.F64:  {"double", ""},
	tir.I16:  {"int16_t", ""},
	tir.U16:  {"uint16_t", ""},
	tir.U32:  {"uint32_t", ""},
	tir.U64:  {"uint64_t", ""},
}

// cParams names the arguments: buffers may have names that C or C++ refuses, or equal ones.
func cParams(fn *tir.Func) []string {
	used := map[string]bool{}
	list := make([]string, len(fn.Params))
	for i, b := range fn.Params {
		base := CIdentifier(b.Name)
		switch {
		case strings.HasPrefix(base, "_"): // names that belong to the compiler
			base = "t" + base
		case cWords[base] || len(base) > 1 && strings.ToUpper(base) == base: // as macros are
			base += "_"
		}
		name := base
		for n := 2; used[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		used[name] = true
		list[i] = name
	}
	return list
}

// cWords are names that a parameter in a header cannot have: keywords of C11 and C++20, the
// types of elements, and what is a macro though not in capitals of several letters.
var cWords = wordSet(`
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
co_return co_yield compl concept const consteval constexpr constinit const_cast continue decltype default delete do
double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict
return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try
typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq
int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t
I complex errno i386 imaginary linux noreturn stderr stdin stdout unix`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

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
	fmt.Fprintf(&b, "#ifndef %s\n#define %s\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", guard, guard)

	b.WriteString("/* Arguments, in order. Each points to a dense row-major array that starts at a\n * multiple of 64 bytes; no two may overlap.\n *\n")
	for i, p := range cParams(fn) {
		buf := fn.Params[i]
		role := "in "
		if i >= len(fn.Params)-fn.Outputs {
			role = "out"
		}
		fmt.Fprintf(&b, " *   %s %s: %s%s", role, p, cTypes[buf.Type].name, cShape(buf.Shape))
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
		" * processor that the process may use, unless " + poolSymbol(name) + " said otherwise.\n" +
		" * The calling thread works too. Several threads may call it at once; only one\n" +
		" * of the calls gets the pool, the others run in their own thread.\n"
}

func cShape(shape []int64) string {
	var b strings.Builder
	for _, d := range shape {
		fmt.Fprintf(&b, "[%d]", d)
	}
	return b.String()
}
