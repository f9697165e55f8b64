package llvm_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/llvm"
)

// TestRuntimeInStep: runtime.ll is what runtime.sh makes of runtime.c, and of the pool of whole models, as they are.
func TestRuntimeInStep(t *testing.T) {
	hash := sha256.New()
	for _, name := range []string{"../model/runtime/pool.h", "../model/runtime/processor.h", "runtime/runtime.c"} {
		source, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		hash.Write(source)
	}
	first, _, _ := strings.Cut(llvm.RuntimeIR(), "\n")
	if other, _, _ := strings.Cut(llvm.RuntimeFor("aarch64"), "\n"); other != first {
		t.Errorf("runtime_aarch64.ll is of another source: run runtime/runtime.sh")
	}
	if !strings.Contains(first, hex.EncodeToString(hash.Sum(nil))) {
		t.Errorf("the source has changed: run runtime/runtime.sh")
	}
}

// TestBlocks takes temporaries in the ways of testdata/blocks.c, under sanitizers.
func TestBlocks(t *testing.T) {
	cc := buildtest.NeedTool(t, "cc", "apt-get install gcc libc6-dev")
	for name, c := range map[string]struct{ flag, arg []string }{
		"thread":  {flag: []string{"-fsanitize=thread"}},
		"address": {flag: []string{"-fsanitize=address,undefined"}},
		"limits":  {arg: []string{"limits"}},
	} {
		t.Run(name, func(t *testing.T) {
			exe := filepath.Join(t.TempDir(), "blocks")
			build := exec.Command(cc, append(c.flag, "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra",
				"-Wno-unused-function", "-Wno-unknown-pragmas", "testdata/blocks.c", "-o", exe, "-lpthread")...)
			if out, err := build.CombinedOutput(); err != nil {
				buildtest.Lack(t, "needs cc with sanitizers: %v\n%s", err, out)
			}
			out, err := exec.Command(exe, c.arg...).CombinedOutput()
			if err != nil && strings.Contains(string(out), "unexpected memory mapping") {
				// gcc's thread sanitizer does not know where newer kernels put random addresses.
				setarch := buildtest.NeedTool(t, "setarch", "apt-get install util-linux")
				out, err = exec.Command(setarch, "-R", exe).CombinedOutput()
			}
			if err != nil || string(out) != "ok\n" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
