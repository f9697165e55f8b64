package driver

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A fake driver, in C: two GPUs, or what FAKE says.
const fakeDriver = `
#include <string.h>
#include <stdlib.h>
static int says(const char *what) { const char *f = getenv("FAKE"); return f && !strcmp(f, what); }
int cuInit(unsigned flags) { return says("none") ? 100 : says("broken") ? 999 : 0; }
int cuDeviceGetCount(int *n) { *n = says("empty") ? 0 : 2; return 0; }
int cuDeviceGet(int *d, int i) { *d = 40 + i; return 0; }
int cuDeviceGetName(char *name, int n, int d) { strncpy(name, d == 40 ? "First" : "Second", n); return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) { *v = a == 75 ? 8 : a == 76 ? (d == 40 ? 6 : 9) : a == 16 ? 100 + d : -1; return says("attribute") ? 1 : 0; }
int cuDeviceTotalMem_v2(unsigned long *bytes, int d) { *bytes = (unsigned long)d << 30; return 0; }
`

// build compiles a fake driver.
func build(t *testing.T, src string) string {
	t.Helper()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("gcc is missing")
		}
		t.Skip("gcc is missing")
	}
	dir := t.TempDir()
	file, lib := filepath.Join(dir, "fake.c"), filepath.Join(dir, "libfake.so")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", lib, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return lib
}

func TestDevices(t *testing.T) {
	lib := build(t, fakeDriver)
	list, err := devices(lib)
	want := []Device{{"First", "sm_86", 140, 40 << 30}, {"Second", "sm_89", 141, 41 << 30}}
	if err != nil || len(list) != 2 || list[0] != want[0] || list[1] != want[1] {
		t.Errorf("%v, %v, want %v", list, err, want)
	}
}

// The fake driver asks its own environment, so each case is a process.
func TestDevicesRefuses(t *testing.T) {
	if lib := os.Getenv("FAKE_DRIVER"); lib != "" {
		_, err := devices(lib)
		t.Logf("says: %v; none: %v", err, errors.Is(err, ErrNone))
		return
	}
	lib := build(t, fakeDriver)
	for fake, want := range map[string]string{
		"none":      "says: no GPU is present: the driver finds none; none: true",
		"empty":     "says: no GPU is present: the driver finds none; none: true",
		"broken":    "says: driver: cuInit ends with code 999; none: false",
		"attribute": "says: driver: cuDeviceGetAttribute of GPU 0 ends with code 1; none: false",
	} {
		cmd := exec.Command(os.Args[0], "-test.run=TestDevicesRefuses", "-test.v")
		cmd.Env = append(os.Environ(), "FAKE="+fake, "FAKE_DRIVER="+lib)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s\nwant %s", fake, err, out, want)
		}
	}
	if _, err := devices(filepath.Join(t.TempDir(), "libcuda.so.1")); !errors.Is(err, ErrNone) {
		t.Errorf("no library: %v", err)
	}
	if _, err := devices(build(t, "int f;")); err == nil || errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "is no driver") {
		t.Errorf("another library: %v", err)
	}
}
