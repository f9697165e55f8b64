// Package nvrtctest helps tests that compile CUDA C: it starts workers from the
// test binary itself, and decides what a missing NVRTC means.
//
// It is for tests only.
package nvrtctest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/wmtune/wmtune/codegen/nvrtc"
)

// Main is the body of TestMain: it makes the test binary a worker when started as
// "<binary> worker nvrtc", and runs the tests otherwise.
func Main(m *testing.M) int {
	if len(os.Args) == 3 && os.Args[1] == "worker" && os.Args[2] == "nvrtc" {
		if err := nvrtc.Worker(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	return m.Run()
}

// Command starts a worker from the running test binary; see Main.
func Command() []string { return []string{os.Args[0], "worker", "nvrtc"} }

// Need returns a compiler: that of WMTUNE_NVRTC, or the one installed. Without one
// it skips the test, or fails it where CI is set, as continuous integration
// services do.
func Need(t testing.TB) *nvrtc.Compiler {
	t.Helper()
	c, err := nvrtc.New(context.Background(), nvrtc.Config{Command: Command(), Library: os.Getenv("WMTUNE_NVRTC")})
	switch {
	case err == nil:
		return c
	case os.Getenv("CI") == "" && nvrtc.IsMissing(err):
		t.Skip(err)
	}
	t.Fatal(err)
	return nil
}
