package compile

import (
	"context"
	"fmt"
	"time"
)

// A lateError says that the check of a bundle takes longer than it may. Err is where it stopped.
type lateError struct {
	limit time.Duration
	err   error
}

func (e *lateError) Unwrap() error { return e.err }

func (e *lateError) Error() string {
	return fmt.Sprintf("the bundle is not written, since its check takes more than %s (%v): make the model smaller, give "+
		"inputs that end its loops with --input, or allow more with --verify-time", e.limit, e.err)
}

// withinTime has do check the bundle within Options.VerifyTime. What the reference takes was estimated before; loops
// whose iterations depend on data were not.
func (c *compilation) withinTime(ctx context.Context, do func(ctx context.Context) error) error {
	if c.opt.VerifyTime <= 0 {
		return do(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, c.opt.VerifyTime)
	defer cancel()
	err := do(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return &lateError{c.opt.VerifyTime, err}
	}
	return err
}

// wrongResults says that a bundle is not written for what a check found. That a check was stopped says nothing of
// results.
func wrongResults(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("the bundle is not written, since its results are wrong: %w", err)
}
