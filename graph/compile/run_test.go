package compile

import (
	"errors"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tune"
)

// TestOptionErrors: options that mean nothing are a *tune.OptionError, before a model is looked at.
func TestOptionErrors(t *testing.T) {
	for _, c := range []struct {
		opt  Options
		says string
	}{
		{Options{Name: "m", Trials: -1}, "trials -1"}, {Options{Name: "m", Time: -1}, "time -1ns"},
		{Options{Name: "m", Threads: -1}, "threads -1"}, {Options{Name: "m", Threads: 257}, "at most 256 threads"},
		{Options{}, "cannot name a library"}, {Options{Name: "int"}, "word of C"},
		{Options{Name: "m", Named: "wrld"}, `unknown scorer "wrld": known are `},
		{Options{Name: "m", Named: "wrld"}, `did you mean "world"?`},
	} {
		_, err := Run(t.Context(), Machine{}, nil, c.opt)
		var bad *tune.OptionError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
	if err := (&Options{Name: "m", Scorer: search.Random{}, Named: "mine"}).check(); err != nil {
		t.Errorf("a scorer of one's own: %v", err)
	}
}
