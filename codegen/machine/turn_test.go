package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/driver"
	"github.com/wmtune/wmtune/dataset/file"
)

// nobody is told that it waits.
func nobody() {}

// TestTurn: one process at a time has the turn, others wait until it is given back or they give up, and are told so.
// Each open file of one process counts as another.
func TestTurn(t *testing.T) {
	a := turn{filepath.Join(t.TempDir(), "gpu.lock")}
	release, err := a.take(t.Context(), nobody)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	told := 0
	if _, err := a.take(short, func() { told++ }); told != 1 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("taken twice: %v", err)
	}
	got := make(chan error)
	go func() {
		again, err := a.take(t.Context(), nobody)
		if err == nil {
			again()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Errorf("taken twice: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	release()
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// TestNoTurn: where there can be no file, or another user has a hand in it, nobody waits, and no link is followed.
func TestNoTurn(t *testing.T) {
	dir := t.TempDir()
	link, shared, foreign := filepath.Join(dir, "link"), filepath.Join(dir, "shared"), filepath.Join(dir, "foreign")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{shared, foreign} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(shared, 0o666); err != nil {
		t.Fatal(err)
	}
	paths := []string{"", filepath.Join(dir, "none", "gpu.lock"), link, shared}
	if os.Geteuid() == 0 && os.Chown(foreign, 12345, -1) == nil {
		paths = append(paths, foreign)
	}
	for _, path := range paths {
		a := turn{path}
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			release, err := a.take(ctx, nobody)
			if err != nil {
				t.Fatalf("%q: %v", path, err)
			}
			defer release()
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); err == nil {
		t.Error("a link was followed")
	}
}

// TestTurnFolder: the file is in the user's runtime folder, and in the cache if there is none that is the user's alone.
func TestTurnFolder(t *testing.T) {
	private, shared, cache := t.TempDir(), t.TempDir(), t.TempDir()
	for dir, mode := range map[string]os.FileMode{private: 0o700, shared: 0o777, cache: 0o700} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", cache)
	for runtime, want := range map[string]string{private: private, shared: filepath.Join(cache, "wmtune"),
		"": filepath.Join(cache, "wmtune"), ".": filepath.Join(cache, "wmtune")} {
		if own := fmt.Sprintf("/run/user/%d", os.Geteuid()); want != private && file.Private(own) == nil {
			want = own
		}
		t.Setenv("XDG_RUNTIME_DIR", runtime)
		if got := turnOf(driver.Device{Bus: "b"}).path; got != filepath.Join(want, "wmtune-gpu-b.lock") {
			t.Errorf("%q: %s, want it in %s", runtime, got, want)
		}
	}
	if info, err := os.Stat(filepath.Join(cache, "wmtune")); err == nil && info.Mode().Perm() != 0o700 {
		t.Error(info.Mode())
	}
}

// TestTurnsOfRuns: whatever times on the GPU waits for the turn.
func TestTurnsOfRuns(t *testing.T) {
	a := turn{filepath.Join(t.TempDir(), "gpu.lock")}
	release, err := a.take(t.Context(), nobody)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for name, run := range map[string]func(context.Context, presentRunner) error{
		"Run": func(ctx context.Context, g presentRunner) error {
			_, err := g.Run(ctx, nil, nil)
			return err
		},
		"Remeasure": func(ctx context.Context, g presentRunner) error {
			_, err := g.Remeasure(ctx, nil, nil)
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := run(ctx, presentRunner{&GPU{turn: a}}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

// TestTurnOfDevice: a turn is that of a GPU, whatever its number.
func TestTurnOfDevice(t *testing.T) {
	a, b := turnOf(driver.Device{Bus: "0000:3b:00.0"}), turnOf(driver.Device{Bus: "0000:d8:00.0"})
	if a == b || a != turnOf(driver.Device{Bus: "0000:3b:00.0", Name: "seen by another process"}) {
		t.Errorf("%v, %v", a, b)
	}
}
