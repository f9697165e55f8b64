package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// An interrupter turns signals into wishes: the first SIGINT or SIGTERM closes
// Finish (finish the round and keep it), the second cancels the context (stop
// now).
type interrupter struct {
	Finish <-chan struct{}
	stop   func()
	seen   chan struct{}
}

// interrupts starts to listen for signals. First is called at the first one, and
// reports whether there is something to be finished; if not, the context is
// cancelled at once. The second signal cancels it in any case, and a third ends
// the process.
func interrupts(parent context.Context, first func() bool) (context.Context, *interrupter) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	finish := make(chan struct{})
	quit := make(chan struct{})
	in := &interrupter{Finish: finish, seen: finish}
	in.stop = func() {
		signal.Stop(signals)
		close(quit)
		cancel()
	}
	go func() {
		select {
		case <-signals:
			close(finish)
			if !first() {
				cancel()
			}
		case <-quit:
			return
		}
		select {
		case <-signals:
			signal.Stop(signals)
			cancel()
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
