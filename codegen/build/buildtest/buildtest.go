// Package buildtest helps tests that need a compiler: it starts workers from
// the test binary itself, and decides what a missing libLLVM means.
//
// It is for tests only.
package buildtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
)

// Main is the body of TestMain: it makes the test binary a build worker when
// started as "<binary> worker build", and runs the tests otherwise.
func Main(m *testing.M) int {
	if len(os.Args) == 3 && os.Args[1] == "worker" && os.Args[2] == "build" {
		if err := build.Worker(os.Stdin, os.Stdout); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			return 1
		}
		return 0
	}
	return m.Run()
}

// Command starts a worker from the running test binary; see Main.
func Command() []string { return []string{os.Args[0], "worker", "build"} }

// NeedLLVM returns a builder, which ends with the test. Without libLLVM it skips the
// test, or fails it where CI is set, as continuous integration services do.
func NeedLLVM(t testing.TB, cfg build.Config) *build.Builder {
	t.Helper()
	cfg.Command = Command()
	b, err := build.New(context.Background(), cfg)
	switch {
	case err == nil:
		t.Cleanup(func() { b.Close() })
		return b
	case os.Getenv("CI") == "" && strings.Contains(err.Error(), "is not installed"):
		t.Skip(err)
	}
	t.Fatal(err)
	return nil
}

// NeedTool returns the path of a program. Without it the test is skipped, or
// fails where CI is set; install says how to get it.
func NeedTool(t testing.TB, name, install string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	Lack(t, "needs %s: %s", name, install)
	return ""
}

// Lack skips a test for what this machine lacks, or fails it where CI is set.
func Lack(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Arm64 builds wmtune for linux/arm64 and returns its path. Without QEMU it skips a test, or fails it where CI is set.
func Arm64(t testing.TB) (path string) {
	t.Helper()
	NeedTool(t, "qemu-aarch64", "apt-get install qemu-user libc6-arm64-cross")
	path = filepath.Join(t.TempDir(), "wmtune-arm64")
	build := exec.Command(NeedTool(t, "go", "go.dev"), "build", "-o", path, "github.com/wmtune/wmtune/cmd/wmtune")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}
