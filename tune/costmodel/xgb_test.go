package costmodel

import (
	"testing"

	"github.com/wmtune/wmtune/ranker/autotvm"
	"github.com/wmtune/wmtune/tir/target"
)

// TestXGBNames: a name says which features and which variants.
func TestXGBNames(t *testing.T) {
	for name, known := range map[string]bool{
		"xgb-curve": true, "xgb-knob:reg": true, "xgb-itervar:reg,ei": true, "xgb-relation:ucb": true, "xgb-curve:mean": true,
		"treegru": true, "treegru:reg": true, "treegru:ei": false, "treegrub": false,
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

// TestLearns: the scorers that say so by their name learn from logs before a search, and no others.
func TestLearns(t *testing.T) {
	for _, name := range Names() {
		s, err := Open(t.Context(), name, Options{Seed: 4, Kind: target.LLVM})
		if Unavailable(err) {
			t.Logf("SKIPPED: %v", err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Traits().Pretrain != nil; got != Learns(name) {
			t.Errorf("%s: it has a function that learns from logs: %v", name, got)
		}
		if end := s.Traits().Close; end != nil {
			end()
		}
	}
}
