package link

import (
	"bytes"
	"context"
	"debug/elf"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/ld"
)

func TestMain(m *testing.M) { os.Exit(buildtest.Main(m)) }

// compileAll compiles modules, each to an object of its own.
func compileAll(t testing.TB, modules ...string) (objects [][]byte) {
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

func nobody(string) uintptr { return 0 }

// answer links objects, calls their function "answer", which stores a number
// where its argument points, and returns the number.
func answerOf(t *testing.T, external Resolver, objects ...[]byte) int64 {
	t.Helper()
	img, err := Link(external, objects...)
	if err != nil {
		t.Fatal(err)
	}
	defer img.Close()
	fn, err := img.Symbol("answer")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]int64, 1)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&out[0])
	purego.SyscallN(fn, uintptr(unsafe.Pointer(&out[0])))
	return out[0]
}

func TestLink(t *testing.T) {
	for _, c := range []struct {
		name    string
		want    int64
		modules []string
	}{
		{"constants and variables", 42, []string{`
@table = private constant [3 x i64] [i64 1, i64 40, i64 2]
@sum = internal global i64 1
@zero = internal global [1000 x i64] zeroinitializer, align 64
define void @answer(ptr %out) {
  %i = load volatile i64, ptr @sum
  %p = getelementptr [3 x i64], ptr @table, i64 0, i64 %i
  %v = load i64, ptr %p
  %q = getelementptr [1000 x i64], ptr @zero, i64 0, i64 999
  store volatile i64 1, ptr %q
  %w = load volatile i64, ptr %q
  %a = add i64 %v, %w
  %b = add i64 %a, %i
  store i64 %b, ptr %out
  ret void
}`}},
		{"between objects", 42, []string{`
@there = external global i64
declare i64 @twice(i64)
define void @answer(ptr %out) {
  %v = load i64, ptr @there
  %w = call i64 @twice(i64 %v)
  store i64 %w, ptr %out
  ret void
}
define i64 @back() {
  ret i64 1
}`, `
declare i64 @back()
@there = global i64 20
define i64 @twice(i64 %x) {
  %b = call i64 @back()
  %y = add i64 %x, %b
  %z = mul i64 %y, 2
  ret i64 %z
}`}},
		{"pointers in data", 42, []string{`
declare i64 @labs(i64)
define internal i64 @plus(i64 %x) {
  %y = add i64 %x, 2
  ret i64 %y
}
@functions = internal global [2 x ptr] [ptr @labs, ptr @plus]
define void @answer(ptr %out) {
  %f = load volatile ptr, ptr @functions
  %p = getelementptr [2 x ptr], ptr @functions, i64 0, i64 1
  %g = load volatile ptr, ptr %p
  %v = call i64 %f(i64 -40)
  %w = call i64 %g(i64 %v)
  store i64 %w, ptr %out
  ret void
}`}},
		{"strong before weak", 42, []string{`
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
		{"weak and absent", 42, []string{`
declare extern_weak i64 @nowhere()
define void @answer(ptr %out) {
  %none = icmp eq ptr @nowhere, null
  %v = select i1 %none, i64 42, i64 1
  store i64 %v, ptr %out
  ret void
}`}},
		{"common", 42, []string{`
@c = common global i64 0
define void @answer(ptr %out) {
  store volatile i64 42, ptr @c
  %v = load volatile i64, ptr @c
  store i64 %v, ptr %out
  ret void
}`}},
		{"functions of the C library", 42, []string{`
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
		{"a jump table", 42, []string{`
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
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := answerOf(t, Process(), compileAll(t, c.modules...)...); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

// TestLinkRefuses: what is wrong is named.
func TestLinkRefuses(t *testing.T) {
	objects := compileAll(t, "define void @f() {\n  ret void\n}\n", `
declare void @missing()
define void @f() {
  call void @missing()
  ret void
}`)
	arm := bytes.Clone(objects[0])
	arm[18] = 183 // e_machine: EM_AARCH64
	shared := bytes.Clone(objects[0])
	shared[16] = 3 // e_type: ET_DYN
	for _, c := range []struct {
		name, want string
		objects    [][]byte
	}{
		{"not ELF", "no ELF object", [][]byte{[]byte("hello, world, this is text")}},
		{"empty", "no ELF object", [][]byte{nil}},
		{"another processor", "a file of type ET_REL for EM_AARCH64, not an object for x86-64", [][]byte{arm}},
		{"a library", "a file of type ET_DYN for EM_X86_64", [][]byte{shared}},
		{"twice", "symbol f is defined twice", [][]byte{objects[0], objects[0]}},
		{"undefined", "symbol missing is not defined", [][]byte{objects[1]}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Link(nobody, c.objects...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestRelocationKinds: the kinds that a compiler of position-independent code
// does not make are refused by name, or checked for reach.
func TestRelocationKinds(t *testing.T) {
	object := compileAll(t, `
@v = internal global i64 7
define void @answer(ptr %out) {
  %x = load volatile i64, ptr @v
  store i64 %x, ptr %out
  ret void
}`)[0]
	patch := func(kind byte) []byte {
		o, err := ld.Read(object)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, s := range o.Sections {
			for i := range s.Relocs {
				s.Relocs[i].Kind = elf.R_X86_64(kind)
				n++
			}
		}
		if n == 0 {
			t.Fatal("no relocation to patch")
		}
		return o.Bytes()
	}
	for kind, want := range map[byte]string{
		10: "relocation R_X86_64_32 against",  // needs an address below 4 GiB
		11: "relocation R_X86_64_32S against", // or in the highest 2 GiB
		23: "relocation R_X86_64_TPOFF32 against",
		37: "relocation R_X86_64_IRELATIVE against",
	} {
		_, err := Link(nobody, patch(kind))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("kind %d: got %v, want %q", kind, err, want)
		}
	}
}

// TestLinkGarbage: damaged objects are refused or linked, but nothing panics. The
// result is not called.
func TestLinkGarbage(t *testing.T) {
	object := compileAll(t, `
declare i64 @labs(i64)
@table = private constant [3 x i64] [i64 1, i64 40, i64 2]
@functions = internal global [1 x ptr] [ptr @labs]
define void @answer(ptr %out) {
  %f = load volatile ptr, ptr @functions
  %v = call i64 %f(i64 -40)
  store i64 %v, ptr %out
  ret void
}`)[0]
	r := rand.New(rand.NewPCG(1, 2))
	linked := 0
	for range 3000 {
		bad := bytes.Clone(object)
		for range 1 + r.IntN(4) {
			bad[r.IntN(len(bad))] = byte(r.Uint32())
		}
		if r.IntN(10) == 0 {
			bad = bad[:r.IntN(len(bad))]
		}
		if img, err := Link(Process(), bad); err == nil {
			linked++
			img.Close()
		}
	}
	if linked == 0 {
		t.Error("every damaged object is refused: the test damages too much")
	}
}
