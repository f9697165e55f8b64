package ld

import (
	"debug/elf"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// newest is the newest glibc that a shared library wants, where the one of this machine still has symbols of that age:
// that of manylinux2014.
var newest = []int{2, 17}

// A library is one that a shared library may need: the versions of what it defines, by name; "" is none.
type library struct {
	name     string
	versions map[string]string
	moved    map[string]bool // has a version that is newer than newest, too
}

// folders are where ld looks for the C library.
var folders = []string{
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/local/lib64", "/lib", "/usr/lib",
}

// system returns the libraries of C of this machine. One that is not found is left out: then the program
// that loads a shared library has to have it. Threads are in libc from glibc 2.34 on, and in libpthread before, whose
// name later ones have, too; that has much of libc, so libc comes first.
var system = sync.OnceValue(func() []library { return find(folders, ofC...) })

var ofC = []string{"libm.so.6", "libc.so.6", ofThreads}

const ofThreads = "libpthread.so.0"

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
			if l, err := readVersions(filepath.Join(folder, name)); err == nil {
				list = append(list, l)
				break
			}
		}
	}
	return list
}

// readVersions returns what a shared library defines. Of several versions of a name the newest counts that glibc 2.17
// has, so that a library that is made here runs with that one, too; without such a version the default one.
func readVersions(path string) (library, error) {
	f, err := elf.Open(path)
	if err != nil {
		return library{}, err
	}
	defer f.Close()
	if f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 {
		return library{}, elf.ErrNoSymbols
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return library{}, err
	}
	l := library{filepath.Base(path), map[string]string{}, map[string]bool{}}
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF {
			continue
		}
		age, old := ageOf(s.Version)
		was, early := ageOf(l.versions[s.Name])
		if old && (!early || slices.Compare(age, was) > 0) || !old && !early && !s.VersionIndex.IsHidden() {
			l.versions[s.Name] = s.Version
		}
		if !old && !s.VersionIndex.IsHidden() {
			l.moved[s.Name] = true
		}
	}
	maps.DeleteFunc(l.moved, func(name string, _ bool) bool {
		_, early := ageOf(l.versions[name])
		return !early
	})
	return l, nil
}

// ageOf returns the numbers of a version of glibc, if that is no newer than newest.
func ageOf(version string) (age []int, old bool) {
	numbers, ok := strings.CutPrefix(version, "GLIBC_")
	for text := range strings.SplitSeq(numbers, ".") {
		n, err := strconv.Atoi(text)
		ok = ok && err == nil
		age = append(age, n)
	}
	return age, ok && slices.Compare(age, newest) <= 0
}
