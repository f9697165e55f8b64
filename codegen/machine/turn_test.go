package machine

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/driver"
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

// TestNoTurn: where there can be no file, nobody waits.
func TestNoTurn(t *testing.T) {
	a := turn{filepath.Join(t.TempDir(), "none", "gpu.lock")}
	for range 2 {
		release, err := a.take(t.Context(), nobody)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
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
