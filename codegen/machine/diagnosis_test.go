package machine

import (
	"context"
	"errors"
	"testing"
)

// A countdown is cancelled when it is asked for the n-th time.
type countdown struct {
	context.Context
	cancel func()
	n      int
}

func (c *countdown) count() {
	if c.n--; c.n == 0 {
		c.cancel()
	}
}

func (c *countdown) Err() error { c.count(); return c.Context.Err() }

func (c *countdown) Done() <-chan struct{} { c.count(); return c.Context.Done() }

// TestDiagnoseCancelled: who ends it, whenever that is, is not told that there is no compiler.
func TestDiagnoseCancelled(t *testing.T) {
	for n := 1; ; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		at := &countdown{ctx, cancel, n}
		d, err := Diagnose(at, Options{}, "", nil)
		if at.n > 0 { // it was not asked so often
			cancel()
			return
		}
		if d != nil && d.LLVMError != "" || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at %d: %+v, %v", n, d, err)
		}
	}
}
