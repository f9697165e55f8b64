package native

import (
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// TestOpen: the first name that is there is loaded, a path wins over names, and the error
// says what was tried.
func TestOpen(t *testing.T) {
	l, err := Open("", "libnothing.so.7", "libc.so.6", "libm.so.6")
	if err != nil || l.Path != "libc.so.6" {
		t.Fatalf("got %+v, %v", l, err)
	}
	if l, err = Open("libm.so.6", "libc.so.6"); err != nil || l.Path != "libm.so.6" {
		t.Fatalf("got %+v, %v", l, err)
	}
	broken := filepath.Join(t.TempDir(), "libbroken.so")
	if err := os.WriteFile(broken, []byte("no library"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = Open("", "libnothing.so.7", broken, "libnothing.so.8")
	if err == nil || !strings.HasPrefix(err.Error(), "tried libnothing.so.7, "+broken+": ") || !strings.HasSuffix(err.Error(), ", libnothing.so.8") {
		t.Errorf("names: %v", err)
	}
	head := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 57)...)
	head[16], head[18], head[20], head[52] = 3, byte(elf.EM_S390), 1, 64 // a shared library, version 1, size of the head
	if err := os.WriteFile(broken, head, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err = Open(broken); err == nil || !strings.Contains(err.Error(), "it is for EM_S390 processors") {
		t.Errorf("another processor's: %v", err)
	}
	if _, err = Open("/no/such.so", "libc.so.6"); err == nil || !strings.Contains(err.Error(), "/no/such.so: cannot open") {
		t.Errorf("path: %v", err)
	}
}

func TestBind(t *testing.T) {
	l, err := Open("libc.so.6")
	if err != nil {
		t.Fatal(err)
	}
	var length func(s string) uintptr
	var strerror func(code int32) uintptr
	var address uintptr
	if err := l.Bind(Symbols{"strlen": &length, "strerror": &strerror, "puts": &address}); err != nil {
		t.Fatal(err)
	}
	if n := length("hello"); n != 5 || address == 0 {
		t.Errorf("puts is at %#x, strlen returns %d", address, n)
	}
	if s := String(strerror(2)); s != "No such file or directory" || String(0) != "" {
		t.Errorf("strerror returns %q", s)
	}
	if err := l.Bind(Symbols{"no_such_function": &address}); err == nil || !strings.Contains(err.Error(), "no_such_function") {
		t.Errorf("a function that is missing: %v", err)
	}
}

func TestCopy(t *testing.T) {
	list := []float32{1, 2, 3}
	got := Copy[float32](uintptr(unsafe.Pointer(&list[0])), 2)
	list[0] = 9
	if !slices.Equal(got, []float32{1, 2}) {
		t.Errorf("got %v", got)
	}
}
