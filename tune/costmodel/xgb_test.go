package costmodel

import (
	"testing"

	"github.com/wmtune/wmtune/ranker/autotvm"
)

// TestXGBNames: a name says which features and which variants.
func TestXGBNames(t *testing.T) {
	for name, known := range map[string]bool{
		"xgb-curve": true, "xgb-knob:reg": true, "xgb-itervar:reg,ei": true, "xgb-relation:ucb": true, "xgb-curve:mean": true,
		"xgb-other": false, "xgb-": false, "xgb-curve:rank": false, "xgb": false, "gbt:reg": false,
	} {
		if Known(name) != known {
			t.Errorf("%s: known is %v", name, !known)
		}
	}
	o, err := xgbOptions("xgb-itervar:reg,ei")
	if want := (autotvm.Options{Features: autotvm.Itervar, Regression: true, Acquire: autotvm.EI}); err != nil || o != want {
		t.Errorf("%+v, %v", o, err)
	}
	s, err := Open(t.Context(), "xgb-curve:reg,ucb", Options{Seed: 4})
	if Unavailable(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := autotvm.Options{Features: autotvm.Curve, Regression: true, Acquire: autotvm.UCB, Seed: 4}
	if got := s.(*XGB).model.Options; got != want || !s.Traits().Untrained {
		t.Errorf("%+v, want %+v", got, want)
	}
}
