package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wmtune/wmtune/graph/compile"
)

// TestSecondSignalEndsTheProcess: work that does not look at its context does not outlive
// the grace period after the second signal; what is being written is written first.
func TestSecondSignalEndsTheProcess(t *testing.T) {
	signals, ended := make(chan os.Signal, 2), make(chan int, 1)
	ctx, in := interruptsOf(t.Context(), signals, func() bool { return true }, 10*time.Millisecond, func(code int) { ended <- code })
	defer in.stop()
	signals <- os.Interrupt
	<-in.Finish
	if ctx.Err() != nil {
		t.Error("the first signal cancels")
	}
	in.keeping.Lock()
	signals <- os.Interrupt
	<-ctx.Done()
	select {
	case <-ended:
		t.Error("the process ends while results are written")
	case <-time.After(50 * time.Millisecond):
	}
	in.keeping.Unlock()
	if code := <-ended; code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
}

// TestOneSignalEndsTheProcess: without a round to finish, one signal is enough.
func TestOneSignalEndsTheProcess(t *testing.T) {
	signals, ended := make(chan os.Signal, 2), make(chan int, 1)
	ctx, in := interruptsOf(t.Context(), signals, func() bool { return false }, time.Millisecond, func(code int) { ended <- code })
	defer in.stop()
	signals <- os.Interrupt
	<-ctx.Done()
	if code := <-ended; code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
}

// TestStoppedInTime: a command that stops within the grace period ends by itself.
func TestStoppedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which no time passes while the command stops
		signals, ended := make(chan os.Signal, 2), make(chan int, 1)
		ctx, in := interruptsOf(t.Context(), signals, func() bool { return false }, grace, func(code int) { ended <- code })
		signals <- os.Interrupt
		signals <- os.Interrupt
		<-ctx.Done()
		in.stop()
		select {
		case <-ended:
			t.Error("the process ends though the command has stopped")
		case <-time.After(3 * grace):
		}
	})
}

// TestCompileFailure: after one Ctrl-C a compilation that stopped says how to go on; one that failed says why.
func TestCompileFailure(t *testing.T) {
	signals := make(chan os.Signal, 2)
	ctx, in := interruptsOf(t.Context(), signals, func() bool { return true }, time.Minute, func(int) {})
	defer in.stop()
	signals <- os.Interrupt
	<-in.Finish
	c := &compileCommand{}
	full := errors.New("the disk is full")
	if err := c.failure(ctx, in, full); err != full {
		t.Errorf("%v, want: %v", err, full)
	}
	err := c.failure(ctx, in, fmt.Errorf("tune: %w", compile.ErrStopped))
	if !errors.Is(err, errInterrupted) || !strings.Contains(err.Error(), "interrupted: without a record database") {
		t.Error(err)
	}
	signals <- os.Interrupt
	<-ctx.Done()
	if err = c.failure(ctx, in, ctx.Err()); !errors.Is(err, errInterrupted) || !strings.HasSuffix(err.Error(), goOn) {
		t.Error(err)
	}
}
