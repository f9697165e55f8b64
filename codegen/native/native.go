// Package native loads shared libraries without cgo, binds their functions and copies
// what C owns. It imports nothing of this module, so that every package may import it.
package native

import (
	"debug/elf"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// A Library is a loaded shared library. It is never unloaded.
type Library struct {
	Path   string // or soname: what the loader found
	handle uintptr
}

// Open loads the library at path, or if path is "" the first of names that the loader
// finds. The error says what was tried; what to install is for the caller to say.
func Open(path string, names ...string) (*Library, error) {
	if path != "" {
		names = []string{path}
	}
	var tried []string
	for _, name := range names {
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err == nil {
			return &Library{name, handle}, nil
		}
		text := err.Error()
		if other := foreign(name); other != "" {
			text = name + ": " + other
		}
		if len(names) > 1 && strings.HasPrefix(text, name+": cannot open shared object file: No such file") {
			text = name
		}
		tried = append(tried, text)
	}
	if len(names) > 1 {
		tried[0] = "tried " + tried[0]
	}
	return nil, errors.New(strings.Join(tried, ", "))
}

// foreign says that a library is for another processor, which the loader takes for a file that is not there; "" if it
// is not.
func foreign(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if f.Machine == map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH] {
		return ""
	}
	return fmt.Sprintf("it is for %s processors, this process for %s: copy it to a machine that it is for", f.Machine,
		runtime.GOARCH)
}

// Lookup returns the address of a symbol.
func (l *Library) Lookup(name string) (uintptr, error) { return purego.Dlsym(l.handle, name) }

// Symbols name functions of a library and the variables that they are bound to: pointers
// to variables of a function type with Go's types of the C parameters, or to a uintptr,
// which becomes the address.
type Symbols map[string]any

// Bind binds symbols. The error is about one that the library lacks.
func (l *Library) Bind(symbols Symbols) error {
	for _, name := range slices.Sorted(maps.Keys(symbols)) {
		addr, err := l.Lookup(name)
		if err != nil {
			return err
		}
		if p, ok := symbols[name].(*uintptr); ok {
			*p = addr
		} else {
			purego.RegisterFunc(symbols[name], addr)
		}
	}
	return nil
}

// BindFields binds the exported fields of a struct, which functions points to, as Bind does: each to the function whose
// name is the prefix and the field's.
func (l *Library) BindFields(prefix string, functions any) error {
	symbols, value := Symbols{}, reflect.ValueOf(functions).Elem()
	for i := range value.NumField() {
		if f := value.Type().Field(i); f.IsExported() {
			symbols[prefix+f.Name] = value.Field(i).Addr().Interface()
		}
	}
	return l.Bind(symbols)
}

// Copy copies n elements of memory that C owns.
func Copy[T any](p uintptr, n uint64) []T {
	return append([]T(nil), unsafe.Slice((*T)(pointer(p)), n)...)
}

// String copies a string that ends with a zero byte; it is "" if p is 0.
func String(p uintptr) string {
	if p == 0 {
		return ""
	}
	n := uintptr(0)
	for *(*byte)(pointer(p + n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(pointer(p)), n))
}

// pointer makes a pointer of an address that does not belong to Go; the detour is for go
// vet, which cannot know that.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
