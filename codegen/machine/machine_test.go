package machine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/target"
)

// TestMain lets the test binary be a worker.
func TestMain(m *testing.M) {
	if os.Getenv(embeds) != "" {
		if _, err := Open(context.Background(), "llvm", Options{Workers: 1}); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	WorkerMain()
	os.Exit(m.Run())
}

// embeds makes the test binary a program that opens a machine without WorkerMain.
const embeds = "WMTUNE_TEST_EMBEDS"

// TestNoWorkerMain: a program that opens a machine and never calls WorkerMain ends at once with
// a sentence that says what to do, and does not start itself again and again.
func TestNoWorkerMain(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(cmd.Environ(), embeds+"=1")
	out, err := cmd.CombinedOutput()
	for _, want := range []string{"is not wmtune's build worker", "must call machine.WorkerMain() first in its main function", "WorkerCommand"} {
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %s: no %q", err, out, want)
		}
	}
	if strings.Count(string(out), "\n") != 1 {
		t.Errorf("%s", out)
	}
}

// testOptions are those of a machine whose libraries the environment names.
func testOptions(workers int) Options {
	return Options{Workers: workers, Libraries: Libraries{
		LLVM: os.Getenv("WMTUNE_LLVM"), NVRTC: os.Getenv("WMTUNE_NVRTC"), CUDA: os.Getenv("WMTUNE_CUDA"),
	}}
}

// TestLayoutFor: a kind that lacks a layout has its default instead, unless somebody asked for the layout.
func TestLayoutFor(t *testing.T) {
	for _, c := range []struct {
		kind    target.Kind
		l, want target.Layout
		asked   bool
		fails   bool
	}{
		{target.LLVM, target.Rewrite, target.Rewrite, true, false},
		{target.LLVM, target.Keep, target.Keep, true, false},
		{target.CUDA, target.Rewrite, target.Keep, false, false},
		{target.CUDA, target.Rewrite, target.Rewrite, true, true},
		{target.CUDA, target.Keep, target.Keep, true, false},
	} {
		if got, err := LayoutFor(c.kind, c.l, c.asked); got != c.want || (err != nil) != c.fails {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}
