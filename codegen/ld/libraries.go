package ld

import (
	"debug/elf"
	"path/filepath"
	"slices"
	"sync"
)

// A library is one that a shared library may need: the versions of what it defines, by name; "" is none.
type library struct {
	name     string
	versions map[string]string
}

// folders are where ld looks for the C library.
var folders = []string{
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/local/lib64", "/lib", "/usr/lib",
}

// system returns the libraries of C of this machine. One that is not found is left out: then the program
// that loads a shared library has to have it. Threads are in libc from glibc 2.34 on, and in libpthread before;
// that has much of libc, too, so libc comes first.
var system = sync.OnceValue(func() []library { return find(folders, ofC...) })

var ofC = []string{"libm.so.6", "libc.so.6", "libpthread.so.0"}

// Defines reports whether the C library of this machine has a function or variable of a name.
func Defines(name string) bool {
	return slices.ContainsFunc(system(), func(l library) bool {
		_, ok := l.versions[name]
		return ok
	})
}

func find(folders []string, names ...string) []library {
	var list []library
	for _, name := range names {
		for _, folder := range folders {
			if versions, err := readVersions(filepath.Join(folder, name)); err == nil {
				list = append(list, library{name, versions})
				break
			}
		}
	}
	return list
}

// readVersions returns what a shared library defines. Of several versions of a name the default one counts.
func readVersions(path string) (map[string]string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 {
		return nil, elf.ErrNoSymbols
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && !s.VersionIndex.IsHidden() {
			versions[s.Name] = s.Version
		}
	}
	return versions, nil
}
