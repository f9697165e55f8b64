package ld_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	. "github.com/wmtune/wmtune/codegen/ld"
	"github.com/wmtune/wmtune/codegen/ld/ldtest"
)

func TestMain(m *testing.M) { os.Exit(buildtest.Main(m)) }

// joined reads objects, makes one of them, and writes and reads that.
func joined(t testing.TB, objects ...[]byte) *Object {
	t.Helper()
	var list []*Object
	for _, data := range objects {
		o, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	all, err := Join(list...)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(all.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// TestShared: libraries load, and compute what they are to, with the libraries of this machine and without.
func TestShared(t *testing.T) {
	for _, c := range ldtest.Answers() {
		objects := ldtest.Compile(t, c.Modules...)
		for _, with := range [][]Library{System(), nil} {
			if with == nil && strings.Contains(c.Modules[0], "declare double") {
				continue // this program has no libm
			}
			data, err := joined(t, objects...).SharedWith(Options{Name: "answer.so"}, with)
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			f, err := elf.NewFile(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range f.Progs {
				if p.Type == elf.PT_GNU_RELRO && (p.Vaddr+p.Memsz)%4096 != 0 {
					t.Errorf("%s: its last page stays open: %v", c.Name, p)
				}
			}
			for _, s := range f.Sections {
				if s.Flags&elf.SHF_ALLOC != 0 && !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool {
					return p.Type == elf.PT_LOAD && p.Vaddr <= s.Addr && s.Addr+s.Size <= p.Vaddr+p.Memsz
				}) {
					t.Errorf("%s: section %s is not mapped", c.Name, s.Name)
				}
			}
			if got := answer(t, data); got != 42 {
				t.Errorf("%s, with %d libraries: %d", c.Name, len(with), got)
			}
		}
	}
}

// run runs a tool.
func run(t *testing.T, tool string, args ...string) {
	t.Helper()
	if text, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", tool, err, text)
	}
}

// answer loads a library and returns what its function stores.
func answer(t *testing.T, data []byte) int64 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "answer.so")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer purego.Dlclose(lib)
	fn, err := purego.Dlsym(lib, "answer")
	if err != nil {
		t.Error(err)
		return 0
	}
	out := make([]int64, 1)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&out[0])
	purego.SyscallN(fn, uintptr(unsafe.Pointer(&out[0])))
	return out[0]
}

// TestLinkers: the system's linker takes what Bytes writes, and makes libraries with the same names and needs.
func TestLinkers(t *testing.T) {
	tool := buildtest.NeedTool(t, "ld", "apt-get install binutils")
	for _, c := range ldtest.Answers() {
		o := joined(t, ldtest.Compile(t, c.Modules...)...)
		dir := t.TempDir()
		in, out := filepath.Join(dir, "answer.o"), filepath.Join(dir, "answer.so")
		if err := os.WriteFile(in, o.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		run(t, tool, "-shared", "-z", "now", "-z", "noexecstack", "-soname", "answer.so", "-o", out, in, "--as-needed",
			"-l:libm.so.6", "-l:libc.so.6")
		theirs, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := o.Shared(Options{Name: "answer.so"})
		if err != nil {
			t.Fatal(err)
		}
		// Where glibc has had a new version since 2.17, ours wants the one before.
		want := strings.ReplaceAll(describe(t, theirs), " pow GLIBC_2.29 ", " pow GLIBC_2.2.5 ")
		if got := describe(t, ours); got != want {
			t.Errorf("%s: got\n%s\nld has\n%s", c.Name, got, want)
		}
		if answer(t, theirs) != 42 {
			t.Errorf("%s: ld's library has another answer", c.Name)
		}
	}
}

// describe returns what a library shows and needs.
func describe(t *testing.T, data []byte) string {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		in := "defined"
		if s.Section == elf.SHN_UNDEF {
			in = "needed"
		}
		list = append(list, fmt.Sprint(in, " ", s.Name, " ", s.Version, " ", s.Library, " ", elf.ST_BIND(s.Info)))
	}
	slices.Sort(list)
	libraries, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	name, err := f.DynString(elf.DT_SONAME)
	if err != nil {
		t.Fatal(err)
	}
	flags, err := f.DynValue(elf.DT_FLAGS_1)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s\n%v %v %v", strings.Join(list, "\n"), libraries, name, flags)
}

// TestHide: what is hidden is in no table of a library, and other objects may define it, too.
func TestHide(t *testing.T) {
	objects := ldtest.Compile(t, ldtest.Answers()[1].Modules...)
	o := joined(t, objects...)
	o.Rename(func(s string) string { return strings.Replace(s, "twice", "double", 1) })
	o.Hide(func(s string) bool { return s == "answer" })
	data, err := o.Shared(Options{Name: "answer.so", NoDelete: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := describe(t, data); got != "defined answer   STB_GLOBAL\n[] [answer.so] [9]" {
		t.Errorf("got %s", got)
	}
	if got := answer(t, data); got != 42 {
		t.Errorf("%d", got)
	}
	other, err := Read(ldtest.Compile(t, "define i64 @double() {\n  ret i64 1\n}")[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Join(o, other); err != nil {
		t.Error(err)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	all, err := f.Symbols()
	if err != nil || !slices.ContainsFunc(all, func(s elf.Symbol) bool { return s.Name == "double" && s.Size > 0 }) {
		t.Errorf("profilers do not see double: %v %v", all, err)
	}
}

// TestData: an object of data joins others.
func TestData(t *testing.T) {
	o, err := Read(ldtest.Compile(t, `
@numbers = external hidden constant [2 x i64]
define void @answer(ptr %out) {
  %p = getelementptr [2 x i64], ptr @numbers, i64 0, i64 1
  %v = load i64, ptr %p
  store i64 %v, ptr %out
  ret void
}`)[0])
	if err != nil {
		t.Fatal(err)
	}
	all, err := Join(o, Data("numbers", []byte{8: 42, 15: 0}, 64))
	if err != nil {
		t.Fatal(err)
	}
	data, err := all.Shared(Options{Name: "answer.so"})
	if err != nil {
		t.Fatal(err)
	}
	if got := answer(t, data); got != 42 {
		t.Errorf("%d", got)
	}
	if got := describe(t, data); strings.Contains(got, "numbers") {
		t.Errorf("it shows the data: %s", got)
	}
}

// TestErrors: what is not understood is said.
func TestErrors(t *testing.T) {
	object := func(ir string) *Object {
		o, err := Read(ldtest.Compile(t, ir)[0])
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	one, two := object("define void @f() {\n  ret void\n}"), object("define void @f() {\n  ret void\n}")
	if _, err := Join(one, two); err == nil || err.Error() != "ld: symbol f is defined twice" {
		t.Errorf("%v", err)
	}
	for says, ir := range map[string]string{
		"constructors are not run": "define internal void @f() {\n  ret void\n}\n" +
			"@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @f, ptr null }]",
		"thread-local variables": "@v = thread_local global i64 1",
		"of type STT_LOOS":       "define internal ptr @r() {\n  ret ptr null\n}\n@f = ifunc i64 (), ptr @r",
	} {
		if _, err := Read(ldtest.Compile(t, ir)[0]); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	data := ldtest.Compile(t, ldtest.Answers()[0].Modules[0])[0]
	for says, change := range map[string]func([]byte) []byte{
		"no ELF object":            func(d []byte) []byte { return d[1:] },
		"section .data is cut off": func(d []byte) []byte { return patch(t, d, ".data", sectionSize, 1<<20) },
		"code reaches 2 GB":        func(d []byte) []byte { return patch(t, d, ".bss", sectionSize, 1<<31) },
		"aligned to 8192: powers":  func(d []byte) []byte { return patch(t, d, ".data", sectionAlign, 8192) },
		"zeros that are no varia":  func(d []byte) []byte { return patch(t, d, ".bss", sectionFlags, uint64(elf.SHF_ALLOC)) },
		".data is of type SHT_GRO": func(d []byte) []byte { return patch(t, d, ".data", sectionType, uint64(elf.SHT_GROUP)) },
		".data is of type SHT_HAS": func(d []byte) []byte { return patch(t, d, ".data", sectionType, uint64(elf.SHT_HASH)) },
		"which is not loaded":      func(d []byte) []byte { return patch(t, d, ".data", sectionType, uint64(elf.SHT_NOTE)) },
		"not an object for x86-64": func(d []byte) []byte { d[18] = 3; return d }, // i386
		"a file of type ET_DYN":    func(d []byte) []byte { d[16] = 3; return d },
	} {
		d := change(bytes.Clone(data))
		if _, err := Read(d); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	for says, change := range map[string]func(*elf.R_X86_64, *int64, *int){
		"section .text has an address of": func(k *elf.R_X86_64, _ *int64, _ *int) { *k = elf.R_X86_64_64 },
		"compile with position-indep":     func(_ *elf.R_X86_64, _ *int64, section *int) { *section = Undefined },
		"R_X86_64_32S against":            func(k *elf.R_X86_64, _ *int64, _ *int) { *k = elf.R_X86_64_32S },
		"is too far away":                 func(_ *elf.R_X86_64, addend *int64, _ *int) { *addend = 1 << 40 },
	} {
		o, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		change(o.FirstReloc())
		if _, err := o.Shared(Options{Name: "a.so"}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// Fields of a section's header.
const sectionType, sectionFlags, sectionSize, sectionAlign = 4, 8, 32, 48

// patch changes a field of a section's header.
func patch(t *testing.T, data []byte, name string, field int, value uint64) []byte {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	table := binary.LittleEndian.Uint64(data[40:])
	for i, s := range f.Sections {
		if at := table + uint64(64*i+field); s.Name == name && field == sectionType {
			binary.LittleEndian.PutUint32(data[at:], uint32(value))
		} else if s.Name == name {
			binary.LittleEndian.PutUint64(data[at:], value)
		}
	}
	return data
}

// TestNames: what has a name and is not loaded, and what is hidden and not there.
func TestNames(t *testing.T) {
	const module = `
@note = constant [4 x i8] c"abc\00", section ".note.x"
declare hidden i64 @gone()
define void @answer(ptr %out) {
  store i64 42, ptr %out
  ret void
}`
	for _, join := range []bool{false, true} {
		o, err := Read(ldtest.Compile(t, module)[0])
		if err == nil && join {
			o, err = Join(o)
		}
		if err != nil {
			t.Fatal(err)
		}
		o.Bytes()
		data, err := o.Shared(Options{Name: "answer.so"})
		if err != nil {
			t.Fatal(err)
		}
		if got := answer(t, data); got != 42 {
			t.Errorf("%d", got)
		}
	}
	o, err := Read(ldtest.Compile(t, strings.Replace(module, "  store i64 42", "  %v = call i64 @gone()\n  store i64 %v", 1))[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Shared(Options{Name: "a.so"}); err == nil ||
		err.Error() != "ld: the hidden symbol gone is defined in no object" {
		t.Errorf("%v", err)
	}
}

// TestDamage: a damaged object is an error or makes a library, and never a panic.
func TestDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	good, bad := 0, 0
	var objects [][]byte
	for _, c := range ldtest.Answers() {
		objects = append(objects, ldtest.Compile(t, c.Modules...)...)
	}
	for _, data := range objects {
		for range 1000 {
			d := bytes.Clone(data)
			for range 1 + rng.IntN(3) {
				d[rng.IntN(len(d))] ^= 1 << rng.IntN(8)
			}
			o, err := Read(d)
			if err == nil && rng.IntN(2) == 0 {
				o, err = Join(o)
			}
			if err == nil {
				o.Bytes()
				_, err = o.Shared(Options{Name: "a.so"})
			}
			if err != nil {
				bad++
			} else {
				good++
			}
		}
	}
	if good < 100 || bad < 100 {
		t.Errorf("%d libraries and %d errors: the test does not try both", good, bad)
	}
}

// TestFind: a folder without libraries, and one with something else.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "libc.so.6"), []byte("GROUP ( libc.so.6 )"), 0o666); err != nil {
		t.Fatal(err)
	}
	if list := Find([]string{dir, filepath.Join(dir, "none")}, "libc.so.6"); list != nil {
		t.Errorf("found %v", list)
	}
}

// TestOldThreads: with a C library of before glibc 2.34, what makes threads needs libpthread, and nothing else does.
func TestOldThreads(t *testing.T) {
	dir := t.TempDir()
	old := func(name, body string) {
		data, err := joined(t, ldtest.Compile(t, body)...).SharedWith(Options{Name: name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const read, create = "define void @read() {\n  ret void\n}\n", "define void @pthread_create() {\n  ret void\n}\n"
	old("libc.so.6", read)
	old("libpthread.so.0", read+create)
	for name, want := range map[string]string{"read": "[libc.so.6]", "pthread_create": "[libpthread.so.0]"} {
		ir := "declare void @" + name + "()\ndefine void @f() {\n  call void @" + name + "()\n  ret void\n}\n"
		data, err := joined(t, ldtest.Compile(t, ir)...).SharedWith(Options{Name: "f.so"}, Find([]string{dir}, OfC...))
		if err != nil {
			t.Fatal(err)
		}
		if got := describe(t, data); !strings.Contains(got, "\n"+want+" ") {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestMovedThreads: with a C library of glibc 2.34 or later, what makes threads asks for their old versions, and for
// libpthread, where they were.
func TestMovedThreads(t *testing.T) {
	if !Defines("closefrom") { // which came with glibc 2.34, too
		if os.Getenv("CI") != "" {
			t.Fatal("this glibc is older than 2.34: nobody checks what is asked of a newer one")
		}
		t.Skip("SKIPPED: nobody checks what is asked of a new glibc: this one is older than 2.34")
	}
	for name, want := range map[string]string{
		"pthread_create": "needed pthread_create GLIBC_2.2.5 libc.so.6 STB_GLOBAL\n[libc.so.6 libpthread.so.0]",
		"memcpy":         "needed memcpy GLIBC_2.14 libc.so.6 STB_GLOBAL\n[libc.so.6]",
		"fstat":          "needed fstat GLIBC_2.33 libc.so.6 STB_GLOBAL\n[libc.so.6]", // glibc 2.17 has none
		"dlopen":         "needed dlopen GLIBC_2.2.5 libc.so.6 STB_GLOBAL\n[libc.so.6]",
	} {
		ir := "declare void @" + name + "()\ndefine void @f() {\n  call void @" + name + "()\n  ret void\n}\n"
		data, err := joined(t, ldtest.Compile(t, ir)...).Shared(Options{Name: "f.so"})
		if err != nil {
			t.Fatal(err)
		}
		if got := describe(t, data); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// BenchmarkShared: the library of a small kernel; ld takes 5 to 20 ms.
func BenchmarkShared(b *testing.B) {
	data := ldtest.Compile(b, ldtest.Answers()[0].Modules[0])[0]
	System()
	for b.Loop() {
		o, err := Read(data)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := o.Shared(Options{Name: "a.so"}); err != nil {
			b.Fatal(err)
		}
	}
}
