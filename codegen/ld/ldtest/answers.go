// Package ldtest has modules of LLVM IR for tests of what links objects.
package ldtest

import (
	"context"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
)

// Compile compiles modules, each to an object of its own. It skips the test where there is no libLLVM.
func Compile(t testing.TB, modules ...string) (objects [][]byte) {
	t.Helper()
	b := buildtest.NeedLLVM(t, build.Config{})
	for _, ir := range modules {
		object, err := b.Compile(context.Background(), []byte(ir), build.Options{})
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	return objects
}

// Answers are modules with a function "answer", which stores 42 where its argument points to 0.
var Answers = []struct {
	Name    string
	Modules []string
}{
	{"constants, variables and zeros", []string{`
@table = private constant [3 x i64] [i64 1, i64 40, i64 2]
@sum = internal global i64 1
@zero = internal global [1000 x i64] zeroinitializer, align 64
define void @answer(ptr %out) {
  %i = load volatile i64, ptr @sum
  %p = getelementptr [3 x i64], ptr @table, i64 0, i64 %i
  %v = load i64, ptr %p
  %start = load i64, ptr %out
  %last = add i64 %start, 999
  %q = getelementptr [1000 x i64], ptr @zero, i64 0, i64 %last
  store volatile i64 1, ptr %q
  %w = load volatile i64, ptr %q
  %a = add i64 %v, %w
  %b = add i64 %a, %i
  store i64 %b, ptr %out
  ret void
}`}},
	{"between objects", []string{`
@there = external global i64
@text = private constant [4 x i8] c"abc\00"
declare i64 @twice(i64)
declare i64 @strlen(ptr)
define void @answer(ptr %out) {
  %v = load i64, ptr @there
  %w = call i64 @twice(i64 %v)
  %n = call i64 @strlen(ptr @text)
  %x = add i64 %w, %n
  store i64 %x, ptr %out
  ret void
}
define i64 @back() {
  ret i64 1
}`, `
declare i64 @back()
declare i64 @strlen(ptr)
@there = global i64 18
@text = private constant [2 x i8] c"d\00"
define i64 @twice(i64 %x) {
  %b = call i64 @back()
  %n = call i64 @strlen(ptr @text)
  %s = add i64 %x, %n
  %y = mul i64 %s, 2
  %z = add i64 %y, %b
  ret i64 %z
}`}},
	{"constants of two objects", []string{`
@table = private constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
declare i64 @other(i64)
define void @answer(ptr %out) {
  %i = load i64, ptr %out
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %v = load i32, ptr %p
  %w = zext i32 %v to i64
  %o = call i64 @other(i64 %w)
  store i64 %o, ptr %out
  ret void
}`, `
@table = private constant [4 x i32] [i32 41, i32 42, i32 43, i32 44]
define i64 @other(i64 %i) {
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %v = load i32, ptr %p
  %w = zext i32 %v to i64
  ret i64 %w
}`}},
	{"needed, and used if it is there", []string{`
declare extern_weak i64 @labs(i64)
declare i64 @other(i64)
define void @answer(ptr %out) {
  %none = icmp eq ptr @labs, null
  %v = select i1 %none, i64 1, i64 -42
  %w = call i64 @other(i64 %v)
  store i64 %w, ptr %out
  ret void
}`, `
declare i64 @labs(i64)
define ptr @address() {
  ret ptr @labs
}
define i64 @other(i64 %v) {
  %f = call ptr @address()
  %w = call i64 %f(i64 %v)
  ret i64 %w
}`}},
	{"used if it is there", []string{`
declare extern_weak i64 @labs(i64)
define void @answer(ptr %out) {
  %none = icmp eq ptr @labs, null
  %v = select i1 %none, i64 1, i64 42
  store i64 %v, ptr %out
  ret void
}`}},
	{"addresses in constants and variables", []string{`
declare i64 @labs(i64)
define internal i64 @plus(i64 %x) {
  %y = add i64 %x, 1
  ret i64 %y
}
@functions = internal global [2 x ptr] [ptr @labs, ptr @plus]
@fixed = internal constant [2 x ptr] [ptr @plus, ptr @labs]
define void @answer(ptr %out) {
  %f = load volatile ptr, ptr @functions
  %p = getelementptr [2 x ptr], ptr @functions, i64 0, i64 1
  %g = load volatile ptr, ptr %p
  %h = load volatile ptr, ptr @fixed
  %v = call i64 %f(i64 -40)
  %w = call i64 %g(i64 %v)
  %x = call i64 %h(i64 %w)
  store i64 %x, ptr %out
  ret void
}`}},
	{"addresses of functions of others", []string{`
declare i64 @labs(i64)
declare i64 @llabs(i64)
define void @answer(ptr %out) {
  %i = load i64, ptr %out
  %c = icmp eq i64 %i, 7
  %f = select i1 %c, ptr @llabs, ptr @labs
  %v = call i64 %f(i64 -42)
  store i64 %v, ptr %out
  ret void
}`}},
	{"mathematics", []string{`
declare double @pow(double, double)
define void @answer(ptr %out) {
  %i = load i64, ptr %out
  %d = sitofp i64 %i to double
  %e = fadd double %d, 1.764000e+03
  %v = call double @pow(double %e, double 5.000000e-01)
  %w = fptosi double %v to i64
  store i64 %w, ptr %out
  ret void
}`}},
	{"common variables", []string{`
@c = common global i64 0
declare i64 @get()
define void @answer(ptr %out) {
  store volatile i64 42, ptr @c
  %v = call i64 @get()
  store i64 %v, ptr %out
  ret void
}`, `
@c = external global i64
define i64 @get() {
  %v = load volatile i64, ptr @c
  ret i64 %v
}`}},
	{"strong before weak", []string{`
define weak i64 @value() {
  ret i64 1
}
define void @answer(ptr %out) {
  %v = call i64 @value()
  store i64 %v, ptr %out
  ret void
}`, `
define i64 @value() {
  ret i64 42
}`}},
	{"weak after strong", []string{`
define i64 @value() {
  ret i64 42
}
define void @answer(ptr %out) {
  %v = call i64 @value()
  store i64 %v, ptr %out
  ret void
}`, `
define weak i64 @value() {
  ret i64 1
}`}},
	{"weak and absent", []string{`
declare extern_weak i64 @nowhere()
define void @answer(ptr %out) {
  %none = icmp eq ptr @nowhere, null
  %v = select i1 %none, i64 42, i64 1
  store i64 %v, ptr %out
  ret void
}`}},
	{"functions of the C library", []string{`
declare double @fabs(double)
declare double @tan(double)
declare double @pow(double, double)
declare i64 @strtol(ptr, ptr, i32)
@text = private constant [3 x i8] c"41\00"
define void @answer(ptr %out) {
  %z = load volatile double, ptr @zero
  %t = call double @tan(double %z)
  %p = call double @pow(double 3.0, double %t)
  %i = fptosi double %p to i64
  %v = call i64 @strtol(ptr @text, ptr null, i32 10)
  %w = add i64 %v, %i
  store i64 %w, ptr %out
  ret void
}
@zero = internal global double 0.0`}},
	{"a jump table", []string{`
define internal i64 @choose(i64 %x) noinline {
  switch i64 %x, label %d [ i64 0, label %a
    i64 1, label %b
    i64 2, label %c
    i64 3, label %e
    i64 4, label %f ]
a:
  %a1 = call i64 asm sideeffect "mov $$7, $0", "=r"()
  ret i64 %a1
b:
  %b1 = call i64 asm sideeffect "mov $$9, $0", "=r"()
  ret i64 %b1
c:
  %c1 = call i64 asm sideeffect "mov $$11, $0", "=r"()
  ret i64 %c1
e:
  %e1 = call i64 asm sideeffect "mov $$42, $0", "=r"()
  ret i64 %e1
f:
  %f1 = call i64 asm sideeffect "mov $$13, $0", "=r"()
  ret i64 %f1
d:
  ret i64 0
}
@three = internal global i64 3
define void @answer(ptr %out) {
  %i = load volatile i64, ptr @three
  %v = call i64 @choose(i64 %i)
  store i64 %v, ptr %out
  ret void
}`}},
}
