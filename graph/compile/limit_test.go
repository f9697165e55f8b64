package compile

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestWithinTime: a check that takes too long is an error that says so; one that the caller ends is the caller's.
func TestWithinTime(t *testing.T) {
	wait := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	c := &compilation{opt: Options{VerifyTime: time.Nanosecond}}
	if err := c.withinTime(t.Context(), wait); err == nil || !strings.Contains(err.Error(), "takes more than 1ns") ||
		!strings.Contains(err.Error(), "--verify-time") {
		t.Error(err)
	}
	late := func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}
	if err := c.withinTime(t.Context(), late); err != nil {
		t.Errorf("a check that ends well is not too late: %v", err)
	}
	wrong := errors.New("wrong")
	c.opt.VerifyTime = time.Hour
	if err := c.withinTime(t.Context(), func(context.Context) error { return wrong }); err != wrong {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := wrongResults(ended, wrong); err != wrong {
		t.Errorf("a check that was stopped found wrong results: %v", err)
	}
	if err := wrongResults(t.Context(), wrong); !errors.Is(err, wrong) || !strings.Contains(err.Error(), "results are wrong") {
		t.Error(err)
	}
	if err := c.withinTime(ended, wait); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "takes more") {
		t.Error(err)
	}
	c.opt.VerifyTime = 0
	if err := c.withinTime(t.Context(), func(ctx context.Context) error {
		if _, bounded := ctx.Deadline(); bounded {
			return wrong
		}
		return nil
	}); err != nil {
		t.Error("no limit is a limit")
	}
}
