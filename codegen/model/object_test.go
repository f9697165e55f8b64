package model_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
)

// globals returns the symbols that a file shows and those that it needs.
func globals(t *testing.T, data []byte) (defined, undefined []string) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	symbols, _ := f.DynamicSymbols()
	if f.Type == elf.ET_REL {
		symbols, _ = f.Symbols()
	}
	for _, s := range symbols {
		switch {
		case elf.ST_BIND(s.Info) == elf.STB_LOCAL:
		case s.Section == elf.SHN_UNDEF:
			undefined = append(undefined, s.Name)
		default:
			defined = append(defined, s.Name)
		}
	}
	slices.Sort(defined)
	return defined, undefined
}

// TestSymbols: a bundle shows the functions of its header, and one for those who verify it, and needs nothing but the
// C library. It has no variables.
func TestSymbols(t *testing.T) {
	p, w := scaled("two")
	for _, embed := range [][]byte{nil, w} {
		bundle := needBundle(t, p, model.Options{Embed: embed})
		for _, data := range [][]byte{bundle.Object, bundle.Shared} {
			defined, undefined := globals(t, data)
			want := []string{"two_bytes", "two_close", "two_denormals", "two_error", "two_flush_denormals", "two_open",
				"two_open_memory", "two_open_read", "two_profile", "two_run", "two_steps", "two_watch"}
			if !slices.Equal(defined, want) {
				t.Errorf("shows %v", defined)
			}
			for _, name := range undefined {
				if strings.Contains(name, "wmtune") || strings.HasPrefix(name, "two") || strings.HasPrefix(name, "__tls") {
					t.Errorf("needs %s", name)
				}
			}
			f, err := elf.NewFile(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range f.Sections {
				if s.Size > 0 && (s.Name == ".data" || s.Name == ".bss") {
					t.Errorf("has variables: %s, %d bytes", s.Name, s.Size)
				}
				if s.Flags&elf.SHF_TLS != 0 {
					t.Errorf("has thread-local variables: %s", s.Name)
				}
			}
		}
		f, err := elf.NewFile(bytes.NewReader(bundle.Shared))
		if err != nil {
			t.Fatal(err)
		}
		if name, err := f.DynString(elf.DT_SONAME); err != nil || !slices.Equal(name, []string{"two.so"}) {
			t.Errorf("SONAME %v %v", name, err)
		}
	}
}

// TestOldGlibc: a bundle, of one level or several, runs with glibc 2.17, that of manylinux2014, and with each later one.
func TestOldGlibc(t *testing.T) {
	one, _ := scaled("two")
	several, _ := levels(t, "two")
	oldGlibc(t, needBundle(t, one, model.Options{}))
	oldGlibc(t, needBundle(t, several, model.Options{}))
}

func oldGlibc(t *testing.T, bundle *model.Bundle) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(bundle.Shared))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.ImportedSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		var release, minor int
		if _, err := fmt.Sscanf(s.Version, "GLIBC_%d.%d", &release, &minor); err == nil && (release != 2 || minor > 17) {
			t.Errorf("needs %s of %s", s.Name, s.Version)
		}
	}
	libraries, err := f.ImportedLibraries()
	if want := []string{"libc.so.6", "libpthread.so.0"}; err != nil || !slices.Equal(libraries, want) {
		t.Errorf("needs the libraries %v, want %v, in which threads were (%v)", libraries, want, err)
	}
}

// TestTwoBundles: two bundles are in one program, as objects, as libraries, and both in one
// library; each has its weights, one of them inside.
func TestTwoBundles(t *testing.T) {
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	p, w := scaled("first")
	dir := folder(t, needBundle(t, p, model.Options{}), w)
	p, _ = scaled("second")
	for _, f := range needBundle(t, p, model.Options{Embed: w}).Files("") {
		if strings.HasPrefix(f.Name, "second") {
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	const code = `
#include <stdio.h>
#include "first.h"
#include "second.h"
static float x[800], y[800], z[800];
int main(void) {
	first_context *a;
	second_context *b;
	int e = first_open(&a, "first.weights", 2), f = second_open(&b, NULL, 2);
	x[0] = 1, x[799] = 2;
	for (int i = 0; i < 100 && !e && !f; i++) e = first_call(a, x, y), f = second_call(b, y, z);
	printf("%s, %s: %g %g, %g %g\n", first_error(e), second_error(f), y[0], y[799], z[0], z[799]);
	first_close(a), second_close(b);
	return 0;
}
`
	if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, dir, cc, "-shared", "first.o", "second.o", "-o", "both.so", "-lm", "-lpthread")
	libraries := []string{"-lm", "-lpthread", "-Wl,-rpath,$ORIGIN"}
	for _, with := range [][]string{
		{"first.o", "second.o"}, {"./both.so"}, {"./first.so", "./second.so"}, {"first.o", "./second.so"},
	} {
		command(t, dir, cc, slices.Concat([]string{"main.c", "-o", "main"}, strict, with, libraries)...)
		if out := command(t, dir, "./main"); out != "no error, no error: 1.5 802, 2.25 321602\n" {
			t.Errorf("with %v: %s", with, out)
		}
	}
}
