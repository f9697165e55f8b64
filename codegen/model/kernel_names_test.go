package model_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/ld"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
)

// awkward are names that tensors may have: keywords of C11 and C++20, types and macros of the
// headers that the example includes, functions that it calls, and what it calls its own.
const awkward = `
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
co_return co_yield compl concept const consteval constexpr constinit const_cast continue decltype default delete do
double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict
return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try
typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq
_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local
int8_t uint8_t uint16_t int32_t int64_t uint32_t size_t FILE
NULL EOF I INT8_MAX RAND_MAX CLOCK_MONOTONIC stdin stderr errno linux unix __linux__ __LINE__ __func__ asm
printf fprintf exit free malloc memcpy aligned_alloc timespec
main now array best round i t p u x bytes f e h path state uniform to_float16 from_float16 argc argv check context
kernel kernel_pool_init in_x out_x packed_x x_2 x a.b a_b`

// TestAwkwardNames compiles the header, as C and as C++, and the example of a kernel whose
// tensors have awkward names, some more than one.
func TestAwkwardNames(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	names := strings.Fields(awkward)
	outputs := []string{"begin", "seconds", "clock_gettime"}
	fn := &tir.Func{Name: "main", Outputs: len(outputs)}
	i := tir.NewVar("i")
	var sum tir.Expr = tir.Float(tir.F32, 0)
	want, random := make([]float32, 8), randoms(1)
	read := func(name string, typ tir.DType) {
		for i := range want {
			want[i] += random.next(typ)
		}
		in := &tir.Buffer{Name: name, Type: typ, Shape: []int64{8}}
		fn.Params = append(fn.Params, in)
		sum = tir.Bin(tir.Add, sum, &tir.Cast{X: &tir.Load{Buffer: in, Index: []tir.Expr{i}}, To: tir.F32})
	}
	for _, name := range names {
		read(name, tir.F32)
	}
	for _, typ := range []tir.DType{tir.I8, tir.U8, tir.I32, tir.I64, tir.F16} { // whose types follow parameters called like them
		read("typed", typ)
	}
	var stores []tir.Stmt
	for _, name := range outputs {
		out := &tir.Buffer{Name: name, Type: tir.F32, Shape: []int64{8}}
		fn.Params = append(fn.Params, out)
		stores = append(stores, &tir.Store{Buffer: out, Index: []tir.Expr{i}, Value: sum})
	}
	fn.Body = &tir.For{Var: i, Extent: tir.Int(8), Body: tir.Sequence(stores...)}
	dir := exported(t, b, fn, "kernel")
	if got := runExample(t, dir); strings.Count(got, "[8]:"+printed(want)) != 2*len(outputs) {
		t.Errorf("got %s, want for each output twice %s", got, printed(want))
	}
	compileHeader(t, dir)
}

// compileHeader compiles a kernel's header after others, in C and in C++.
func compileHeader(t *testing.T, dir string) {
	t.Helper()
	tool := buildtest.NeedTool(t, "g++", "on Debian, apt-get install g++")
	for _, language := range []string{"c", "c++"} {
		args := []string{"-x", language, "-Wall", "-Werror", "-fsyntax-only"}
		for _, other := range []string{"math.h", "stdio.h", "stdlib.h", "complex.h", "errno.h", "time.h"} {
			args = append(args, "-include", other)
		}
		if language == "c++" {
			args = append(args, "-std=gnu++20")
		}
		command(t, dir, tool, append(args, "kernel.h")...)
	}
}

// TestPackedNames: a packed tensor is called like another one.
func TestPackedNames(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	fn := model.PackedFunc()
	fn.Params[0].Name, fn.Params[1].Name = "best", "in_kernel"
	fn.Packs[0].Params[0].Name, fn.Packs[1].Params[0].Name = "kernel", "best"
	dir := exported(t, b, fn, "kernel")
	if out := runExample(t, dir); strings.Count(out, packedLine()) != 2 {
		t.Errorf("got %s, want twice %s", out, packedLine())
	}
	compileHeader(t, dir)
}

// TestValidKernelName: functions have names of C that nobody else has.
func TestValidKernelName(t *testing.T) {
	if !ld.Defines("malloc") {
		buildtest.Lack(t, "needs the C library: apt-get install libc6")
	}
	for name, says := range map[string]string{
		"matmul": "", "_a1": "", "A": "", "wmtune_matmul": "", "exponent": "",
		"": "letters", "5a": "letters", "a-b": "letters", "é": "letters", strings.Repeat("a", 201): "200 at most",
		"int": "word of C", "class": "word of C", "errno": "word of C", "main": "word of C",
		"wmtune_alloc": "code generator", "exp": "C library", "malloc": "C library", "environ": "C library",
	} {
		err := model.ValidKernelName(name)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%q: %v, want %q", name, err, says)
		}
	}
}
