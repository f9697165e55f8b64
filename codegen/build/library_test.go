package build

import (
	"strings"
	"testing"
	"unsafe"
)

// TestErrorMessage: the text of an error is freed as LLVM says, once, and not as other messages are.
func TestErrorMessage(t *testing.T) {
	text := []byte("no such pass\n\x00")
	at := uintptr(unsafe.Pointer(&text[0]))
	freed := []uintptr{}
	l := &library{
		CreatePassBuilderOptions:  func() uintptr { return 0 },
		DisposePassBuilderOptions: func(uintptr) {},
		RunPasses:                 func(uintptr, string, uintptr, uintptr) uintptr { return 7 },
		GetErrorMessage:           func(uintptr) uintptr { return at },
		DisposeErrorMessage:       func(p uintptr) { freed = append(freed, p) },
		DisposeMessage:            func(uintptr) { t.Error("freed as a message of another kind") },
	}
	err := (&compiler{lib: l}).run(0, 0, "pass")
	if err == nil || !strings.HasSuffix(err.Error(), ": no such pass") {
		t.Errorf("%v", err)
	}
	if len(freed) != 1 || freed[0] != at {
		t.Errorf("freed %x, want %x", freed, at)
	}
}
