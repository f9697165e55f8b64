package model

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// cTypes maps element types to C. Types that C lacks are passed as their bits.
var cTypes = map[tir.DType]struct{ name, note string }{
	tir.Bool: {"uint8_t", "bool: 0 or 1 in one byte"},
	tir.I8:   {"int8_t", ""},
	tir.U8:   {"uint8_t", ""},
	tir.I16:  {"int16_t", ""},
	tir.U16:  {"uint16_t", ""},
	tir.U32:  {"uint32_t", ""},
	tir.U64:  {"uint64_t", ""},
	tir.I32:  {"int32_t", ""},
	tir.I64:  {"int64_t", ""},
	tir.F16:  {"uint16_t", "float16: the bits of an IEEE 754 binary16"},
	tir.BF16: {"uint16_t", "bfloat16: the upper 16 bits of a float"},
	tir.F32:  {"float", ""},
	tir.F64:  {"double", ""},
}

// CIdentifier makes a name that C accepts.
func CIdentifier(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "kernel"
	}
	return tir.ShortName(b.String(), s)
}

// cNames returns names for parameters of a C function: those of tensors may be ones that C or
// C++ rejects, or equal ones. Results align with names.
func cNames(names []string) []string {
	used := map[string]bool{}
	list := make([]string, len(names))
	for i, name := range names {
		base := CIdentifier(name)
		switch {
		case strings.HasPrefix(base, "_"): // names that belong to the compiler
			base = "t" + base
		case cWords[base] || len(base) > 1 && strings.ToUpper(base) == base: // as macros are
			base += "_"
		}
		name = base
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
