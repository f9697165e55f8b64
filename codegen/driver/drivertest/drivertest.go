// Package drivertest helps tests that need a GPU and have none: it builds a driver
// that runs kernels on the processor, and a compiler whose output that driver loads.
// They take the place of libcuda, NVML and NVRTC, so the whole way of a candidate can be
// gone, its faults included. What times they give says nothing of any GPU.
//
// It is for tests only.
package drivertest

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed src/fake.cc
var driverText []byte

//go:embed src/nvml.cc
var clockText []byte

//go:embed src/nvrtc.cc
var compilerText []byte

// kernelFlags are those that the fake driver compiles with. An access that is
// misaligned traps.
const kernelFlags = "-std=c++17 -O1 -w -fPIC -fno-strict-aliasing -fsanitize=alignment " +
	"-fsanitize-undefined-trap-on-error"

// Driver builds the fake driver, with an NVML beside it, and returns its path. What it compiles it keeps in a
// folder of the test. FAKE_GPU, of the process that loads it, describes the GPU;
// see src/fake.cc; FAKE_CLOCK how fast it runs, see src/nvml.cc. The turn at the GPU is the test's own: tests of other
// packages, which run at the same time, have a GPU of that name, too.
func Driver(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", dir)
	lib := build(t, driverText, filepath.Join(dir, "libcuda.so.1"), fmt.Sprintf("-DFOLDER=%q", dir),
		fmt.Sprintf("-DFLAGS=%q", kernelFlags))
	build(t, clockText, filepath.Join(dir, "libnvidia-ml.so.1"))
	text, err := os.ReadFile(shim(t))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "shim.h"), text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	run(t, append(strings.Fields(kernelFlags), "-x", "c++-header", filepath.Join(dir, "shim.h"), "-o",
		filepath.Join(dir, "shim.h.gch"))...)
	return lib
}

// NVRTC builds the fake compiler and returns its path.
func NVRTC(t testing.TB) string {
	t.Helper()
	return build(t, compilerText, filepath.Join(t.TempDir(), "libnvrtc.so"))
}

// NVRTCs builds fake compilers of CUDA 12 and 13 and returns the folder that they are in. As of the real ones, the
// newer does not know sm_70.
func NVRTCs(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for version, archs := range map[string]string{"12": "70 75 86", "13": "75 86"} {
		build(t, compilerText, filepath.Join(dir, "libnvrtc.so."+version), "-DVERSION="+version,
			fmt.Sprintf("-DARCHS=%q", archs))
	}
	return dir
}

// build compiles a library.
func build(t testing.TB, text []byte, lib string, more ...string) string {
	t.Helper()
	src := lib + ".cc"
	if err := os.WriteFile(src, text, 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, append([]string{"-std=c++17", "-O1", "-Wall", "-shared", "-fPIC", "-o", lib, src, "-ldl"}, more...)...)
	return lib
}

// run runs g++. Without it the test is skipped, or fails where CI is set.
func run(t testing.TB, args ...string) {
	t.Helper()
	compiler, err := exec.LookPath("g++")
	switch {
	case err != nil && os.Getenv("CI") == "":
		t.Skip("needs g++: on Debian, apt-get install g++")
	case err != nil:
		t.Fatal("needs g++: on Debian, apt-get install g++")
	}
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("g++: %v\n%s", err, out)
	}
}

// shim returns the path of the header that makes C++ of CUDA C. Tests run in the
// folder of their package.
func shim(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		path := filepath.Join(dir, "codegen", "cuda", "testdata", "shim.h")
		if _, e := os.Stat(path); e == nil {
			return path
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no codegen/cuda/testdata/shim.h above the test's folder")
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal(err)
	return ""
}
