package model_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// TestRuntimeInStep: runtime.ll is what runtime.sh makes of runtime.c as it is, and levels.ll of levels.c.
func TestRuntimeInStep(t *testing.T) {
	for made, sources := range map[string][]string{
		"runtime.ll": {"pool.h", "processor.h", "runtime.c", "sha256.h"}, "plans.ll": {"plans.c"},
		"state.ll":  {"plans.c", "state.c"},
		"levels.ll": {"levels.c", "processor.h"}, "levels_aarch64.ll": {"levels.c", "processor.h"},
		"runtime_aarch64.ll": {"aarch64/cpuid.h", "aarch64/immintrin.h", "pool.h", "processor.h", "runtime.c", "sha256.h"},
	} {
		hash := sha256.New()
		for _, name := range sources {
			source, err := os.ReadFile(filepath.Join("runtime", name))
			if err != nil {
				t.Fatal(err)
			}
			hash.Write(source)
		}
		text, err := os.ReadFile(filepath.Join("runtime", made))
		if err != nil {
			t.Fatal(err)
		}
		if first, _, _ := strings.Cut(string(text), "\n"); !strings.Contains(first, hex.EncodeToString(hash.Sum(nil))) {
			t.Errorf("the source of %s has changed: run runtime/runtime.sh", made)
		}
	}
}

// TestPool runs the pool under sanitizers, and the two ways to compute a SHA-256.
func TestPool(t *testing.T) {
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	for _, sanitizer := range []string{"thread", "address,undefined"} {
		t.Run(sanitizer, func(t *testing.T) {
			exe := filepath.Join(t.TempDir(), "pool")
			if out, err := tryCommand(t.Context(), "testdata", cc, "-std=c11", "-O1", "-g", "-fsanitize="+sanitizer,
				"-Wno-unknown-pragmas", "pool.c", "-o", exe, "-lpthread"); err != nil {
				buildtest.Lack(t, "needs cc with sanitizers: %v\n%s", err, out)
			}
			out, err := tryCommand(t.Context(), "", exe)
			if err != nil && strings.Contains(out, "unexpected memory mapping") {
				// gcc's thread sanitizer does not know where newer kernels put random addresses.
				out, err = tryCommand(t.Context(), "", buildtest.NeedTool(t, "setarch", "apt-get install util-linux"), "-R", exe)
			}
			if err != nil || out != "ok\n" {
				t.Errorf("%v\n%s", err, out)
			}
			hashes := command(t, "", exe, "hashes")
			data := make([]byte, 300)
			for i := range data {
				data[i] = byte(i * 31)
			}
			for n, got := range strings.Split(strings.TrimSpace(hashes), "\n") {
				if sum := sha256.Sum256(data[:n]); got != hex.EncodeToString(sum[:]) {
					t.Fatalf("sha256 of %d bytes: %s", n, got)
				}
			}
		})
	}
}

// TestLife uses a bundle in the ways of testdata/life.c, with the object and the library.
func TestLife(t *testing.T) {
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	p, w := scaled("two")
	dir := folder(t, needBundle(t, p, model.Options{}), w)
	prepareLife(t, dir, w)
	uses := []string{"threads", "forks", "busy", "reopen", "unload", "errors", "sources", "overlaps", "modes", "profile", "sharing"}
	for name, with := range map[string][]string{
		"object":  {"two.o", "-lm", "-lpthread", "-ldl"},
		"library": {"./two.so", "-Wl,-rpath,$ORIGIN", "-lm"},
	} {
		command(t, dir, cc, slices.Concat([]string{"life.c", "-std=gnu11", "-o", name}, strict, with)...)
		for _, what := range uses {
			if what == "unload" && name == "library" {
				continue // it is loaded for good
			}
			t.Run(name+" "+what, func(t *testing.T) {
				if out, err := tryCommand(t.Context(), dir, "./"+name, what); err != nil || out != "ok\n" {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
	}
}

// TestOutputOfNothing: an output without elements overlaps nothing, wherever its address is.
func TestOutputOfNothing(t *testing.T) {
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	p, w := scaled("two")
	for _, shape := range [][]int64{{0}, {3, 0}} {
		p.Outputs = append(p.Outputs, model.Port{Name: fmt.Sprint("z", len(shape)), Type: tir.F32, Shape: shape})
	}
	dir := folder(t, needBundle(t, p, model.Options{}), w)
	const code = `#include "two.h"
#include <stdio.h>
int main(void)
{
	static _Alignas(64) float x[800], y[800];
	two_context *c;
	int failed = two_open(&c, "two.weights", 1);
	failed = failed || two_call(c, x, y, y + 16, y + 16) || two_call(c, x, y, x + 1, x + 799);
	failed = failed || two_call(c, x, y, 0, y) || !two_call(c, x, 0, y, y);
	puts(failed ? "failed" : "ok");
	two_close(c);
}
`
	if err := os.WriteFile(filepath.Join(dir, "nothing.c"), []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, dir, cc, "nothing.c", "-std=gnu11", "-o", "nothing", "two.o", "-lm", "-lpthread", "-ldl")
	if out := command(t, dir, "./nothing"); out != "ok\n" {
		t.Error(out)
	}
}

// TestQuiet: a run allocates nothing, and makes no system calls beside those of the pool.
func TestQuiet(t *testing.T) {
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	p, w := scaled("two")
	dir := folder(t, needBundle(t, p, model.Options{}), w)
	code, err := os.ReadFile("testdata/quiet.c")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "quiet.c"), code, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	command(t, dir, cc, "quiet.c", "-std=gnu11", "-o", "quiet", "-O1", "two.o", "-lm", "-lpthread")
	out, err := tryCommand(t.Context(), dir, "./quiet")
	if strings.HasPrefix(out, "skip: ") {
		buildtest.Lack(t, "needs a kernel that can forbid system calls: %s", out)
	}
	if err != nil || out != "ok\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// prepareLife puts testdata/life.c and the files that it wants into a folder.
func prepareLife(t *testing.T, dir string, w []byte) {
	t.Helper()
	code, err := os.ReadFile("testdata/life.c")
	if err != nil {
		t.Fatal(err)
	}
	other := append([]byte(nil), w...)
	other[len(w)/2]++
	for name, data := range map[string][]byte{"life.c": code, "short.weights": w[:len(w)-1],
		"long.weights": append(w[:len(w):len(w)], 0), "other.weights": other} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestValgrind: no error and no leak. The code is for processors that valgrind knows.
func TestValgrind(t *testing.T) {
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	valgrind := buildtest.NeedTool(t, "valgrind", "apt-get install valgrind")
	p, w := scaled("two")
	dir := folder(t, needBundleFor(t, p, model.Options{}, target.Generic(16, 2)), w)
	prepareLife(t, dir, w)
	for _, name := range []string{"life", "example"} {
		command(t, dir, cc, slices.Concat([]string{name + ".c", "-std=gnu11", "-o", name}, strict,
			[]string{"two.o", "-lm", "-lpthread"})...)
	}
	watch := []string{"--error-exitcode=9", "--leak-check=full", "--fair-sched=yes", "--show-leak-kinds=all",
		"--errors-for-leak-kinds=definite,possible", "-q"}
	for _, args := range []string{"./example", "./life errors", "./life sources", "./life overlaps", "./life profile", "./life forks"} {
		out := command(t, dir, valgrind, append(slices.Clip(watch), strings.Fields(args)...)...)
		if strings.Contains(out, "== ") {
			t.Errorf("%s: %s", args, out)
		}
	}
}
