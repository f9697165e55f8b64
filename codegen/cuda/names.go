package cuda

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// names gives out identifiers of C++, each once.
type names struct{ used map[string]bool }

func newNames() *names {
	n := &names{used: map[string]bool{}}
	for word := range strings.FieldsSeq(reserved) {
		n.used[word] = true
	}
	return n
}

// reserved are the names that mean something else in CUDA C: keywords, what
// the emitted text and the launcher themselves use, and common macros.
const reserved = `
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl const
const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false
float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
protected public register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch
template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
while xor xor_eq restrict NULL
blockDim blockIdx gridDim threadIdx warpSize dim3
float2 float4 double2 int2 int4 short2 short4 ushort2 ushort4 uint2 uint4 main
sin sinf cos cosf atan atanf
exp expf log logf sqrt sqrtf rsqrt rsqrtf tanh tanhf erf erff fabs fabsf floor floorf ceil ceilf round roundf rint rintf
pow powf
fmaxf fminf fmax fmin max min abs sigmoid y0 y1 yn j0 j1 jn gamma
min_of max_of floor_div floor_mod half_to_float float_to_half double_to_half bfloat_to_float float_to_bfloat
float_to_u64
shift_left shift_right
copy_async wait_async mma_half mma_bfloat mma_tf32 to_tf32
program stream image result args cuLaunchKernel CUresult CUdeviceptr CUstream CUDA_SUCCESS
char8_t co_await co_return co_yield concept consteval constinit requires typeof
EOF complex errno i386 imaginary linux noreturn stderr stdin stdout unix`

// fresh returns an unused identifier that is or begins with hint, as far as
// that is one.
func (n *names) fresh(hint string) string {
	base := Identifier(hint)
	name := base
	for i := 1; n.used[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	n.used[name] = true
	return name
}

// ParamNames returns the names that kernels give the parameters of f.
func ParamNames(f *tir.Func) []string {
	names := newNames()
	list := make([]string, len(f.Params))
	for i, p := range f.Params {
		list[i] = names.fresh(p.Name)
	}
	return list
}

// Identifier makes a name of C of s. What begins with an underscore belongs to
// the compiler, and so does what has two in a row.
func Identifier(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case r >= '0' && r <= '9':
			b.WriteString("n")
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "v"
	}
	return tir.ShortName(b.String(), s)
}
