package link

import (
	"bytes"
	"debug/elf"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/ld"
	"github.com/wmtune/wmtune/codegen/ld/ldtest"
)

func TestMain(m *testing.M) { os.Exit(buildtest.Main(m)) }

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
	for _, c := range ldtest.Answers() {
		t.Run(c.Name, func(t *testing.T) {
			if got := answerOf(t, Process(), ldtest.Compile(t, c.Modules...)...); got != 42 {
				t.Errorf("got %d", got)
			}
		})
	}
}

// TestLinkRefuses: what is wrong is named.
func TestLinkRefuses(t *testing.T) {
	objects := ldtest.Compile(t, "define void @f() {\n  ret void\n}\n", `
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
		{"another processor", "object 0: code for EM_AARCH64 cannot run in a process for amd64", [][]byte{arm}},
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
	object := ldtest.Compile(t, `
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
	object := ldtest.Compile(t, `
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
