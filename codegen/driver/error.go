package driver

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/wmtune/wmtune/codegen/native"
)

// ErrNone is the error of a machine without a GPU, or without its driver.
var ErrNone = errors.New("no GPU is present")

// Codes of the driver that callers tell apart (cuda.h, CUresult).
const (
	InvalidValue         = 1
	OutOfMemory          = 2
	InvalidImage         = 200
	NoBinaryForGPU       = 209
	InvalidPTX           = 218
	UnsupportedPTX       = 222
	NotFound             = 500
	LaunchOutOfResources = 701
	LaunchTimeout        = 702

	noDevice = 100
)

// An Error is a failed call of the driver.
type Error struct {
	Call string // "cuLaunchKernel"
	Code int32
	Name string // the driver's for the code: "CUDA_ERROR_ILLEGAL_ADDRESS"
	Text string // the driver's words
}

func (e *Error) Error() string {
	text := e.Name
	if text == "" {
		text = fmt.Sprintf("code %d", e.Code)
	}
	if e.Text != "" {
		text += " (" + e.Text + ")"
	}
	return "driver: " + e.Call + ": " + text
}

// harmless are the codes after which a context can be used as before.
var harmless = []int32{InvalidValue, OutOfMemory, InvalidImage, NoBinaryForGPU, InvalidPTX, UnsupportedPTX,
	NotFound, LaunchOutOfResources}

// Poisons reports whether the context may be useless from now on.
func (e *Error) Poisons() bool { return !slices.Contains(harmless, e.Code) }

// failed makes the error of a code.
func (d *Driver) failed(call string, code int32) error {
	return &Error{call, code, d.errorText(d.cu.GetErrorName, code), d.errorText(d.cu.GetErrorString, code)}
}

// errorText asks the driver for its word for a code, "" if it has none. It does not go by
// call, which asks for the words of what fails.
func (d *Driver) errorText(fn uintptr, code int32) string {
	var text uintptr
	if r, _, _ := purego.SyscallN(fn, uintptr(code), uintptr(unsafe.Pointer(&text))); int32(r) != 0 {
		return ""
	}
	return native.String(text)
}
