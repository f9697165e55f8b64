package machine

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// TestTurn: one process at a time has the turn, others wait until it is given back or they give up. Each open file of one
// process counts as another.
func TestTurn(t *testing.T) {
	a := turn{filepath.Join(t.TempDir(), "gpu.lock")}
	release, err := a.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := a.take(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("taken twice: %v", err)
	}
	got := make(chan error)
	go func() {
		again, err := a.take(t.Context())
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
		if _, err := a.take(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
