package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// An interrupter turns signals into wishes: the first SIGINT or SIGTERM closes
// Finish (finish the round and keep it), the second, or the first without a round, cancels
// the context (stop now), and ends the process if it has not stopped after a grace period.
type interrupter struct {
	Finish <-chan struct{}
	stop   func()
	seen   chan struct{}

	keeping sync.Mutex // held while results are written
}

// grace is how long a command may take to stop after its context was cancelled.
const grace = 1500 * time.Millisecond

// interrupts starts to listen for signals. It calls first at the first one. First
// reports whether there is work to finish; if not, the context is
// cancelled at once. The second signal cancels it in any case. The process ends with exit
// code 130 if the work has not stopped when the grace period is over; a third signal ends
// it at once.
func interrupts(parent context.Context, first func() bool) (context.Context, *interrupter) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	return interruptsOf(parent, signals, first, grace, func(code int) {
		fmt.Fprintln(os.Stderr, "wmtune: interrupted, and ended in the middle of its work")
		os.Exit(code)
	})
}

// interruptsOf is interrupts of a channel of signals, a grace period and a way to end the
// process.
func interruptsOf(
	parent context.Context, signals chan os.Signal, first func() bool, grace time.Duration, exit func(code int),
) (context.Context, *interrupter) {
	ctx, cancel := context.WithCancel(parent)
	finish := make(chan struct{})
	quit := make(chan struct{})
	in := &interrupter{Finish: finish, seen: finish}
	in.stop = func() {
		signal.Stop(signals)
		close(quit)
		cancel()
	}
	go func() {
		var late <-chan time.Time // after the context was cancelled
		select {
		case <-signals:
			close(finish)
			if !first() {
				cancel()
				late = time.After(grace)
			}
		case <-quit:
			return
		}
		select {
		case <-signals:
			signal.Stop(signals)
			cancel()
			late = time.After(grace)
		case <-late:
			late = time.After(0)
		case <-quit:
			return
		}
		select {
		case <-late:
			in.keeping.Lock()
			exit(exitInterrupted)
		case <-quit:
		}
	}()
	return ctx, in
}

// Seen reports whether a signal came.
func (in *interrupter) Seen() bool {
	select {
	case <-in.seen:
		return true
	default:
		return false
	}
}

// interruptible does something that Ctrl-C ends at once.
func interruptible(ctx context.Context, then string, do func(ctx context.Context) error) error {
	ctx, signals := interrupts(ctx, func() bool { return false })
	defer signals.stop()
	return interruption(ctx, signals, do(ctx), then)
}
