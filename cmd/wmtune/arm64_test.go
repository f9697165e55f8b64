package main

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
)

// TestArm64: wmtune for linux/arm64 searches, compiles and runs on a machine of its own. QEMU is that machine, and
// .ci/arm64-root its system.
func TestArm64(t *testing.T) {
	root, err := filepath.Abs("../../.ci/arm64-root")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(root); err != nil {
		buildtest.Lack(t, "nobody tests wmtune on linux/arm64: sh .ci/deps test")
	}
	tool, dir := buildtest.Arm64(t), t.TempDir()
	emulator := []string{"qemu-aarch64", "-cpu", "max", "-L", root}
	on := func(want string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), emulator[0], append(append(emulator[1:], tool), args...)...)
		cmd.Env = append(os.Environ(), emulatorVariable+"="+strings.Join(emulator, " "))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil || !strings.Contains(out.String(), want) {
			t.Fatalf("%s: %v, and it does not say %q\n%s", args, err, want, out.String())
		}
	}
	on("neon", "doctor", "--quick", "--json")
	kernel, bundle := filepath.Join(dir, "kernel"), filepath.Join(dir, "cnn")
	on("the choice of world among 4 checked candidates, not timed", "search", "--trials", "4", "--workload",
		"matmul:m=16,n=32,k=8", "--out", kernel)
	on("not timed; weights", "compile", cnn, "--dim", "batch=2", "--database", "none", "--name", "cnn",
		"--out", bundle)
	on("y: float32[2 4 8 5]", "run", bundle)
	for _, name := range []string{filepath.Join(kernel, "kernel.so"), filepath.Join(bundle, "cnn.so")} {
		f, err := elf.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if f.Machine != elf.EM_AARCH64 {
			t.Errorf("%s is for %s", name, f.Machine)
		}
		f.Close()
	}
}
