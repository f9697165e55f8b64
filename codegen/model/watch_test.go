package model_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
)

// TestWatch: of each call in a loop the first few are told, with what lay there before and after it; a run that ends
// with a check, a crash and an error of who watches are errors, and only the first leaves the worker alive.
func TestWatch(t *testing.T) {
	p, w := scaled("two")
	calls := p.Steps
	p.Inputs = append(p.Inputs, model.Port{Name: "n", Type: tir.I64, Shape: []int64{1}})
	p.Steps = []model.Step{model.Loop{Trip: model.Place{Space: model.Input, Index: 1}, Body: calls}}
	l, err := load(t, needBundle(t, p, model.Options{Embed: w}), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	x, factors := floats(l.Input(0)), floats(w)
	for i := range x {
		x[i] = float32(i%7) - 3
	}
	asInts(l.Input(1))[0] = 3
	arena, out := model.Place{Space: model.Arena, Offset: 64}, model.Place{Space: model.Output}
	taps := [][]model.Tap{{{Place: model.Place{Space: model.Input}, Bytes: 3200}, {Place: arena, Bytes: 3200}},
		{{Place: out, Bytes: 3200, Before: true}, {Place: out, Bytes: 3200}}}
	var told []int
	see := func(call int, data [][]byte) error {
		told = append(told, call)
		a, b := floats(data[0]), floats(data[1])
		for i := range x {
			product := x[i] * factors[i]
			want := []float32{x[i], product}
			if call == 1 {
				if want = []float32{product + x[i], product + x[i]}; len(told) == 2 {
					want[0] = 0 // nothing was there before the first iteration
				}
			}
			if a[i] != want[0] || b[i] != want[1] {
				t.Fatalf("call %d, time %d, element %d: %v and %v, want %v", call, len(told), i, a[i], b[i], want)
			}
		}
		return nil
	}
	reached, err := l.Watch(t.Context(), taps, 2, see)
	if err != nil || !slices.Equal(reached, []int{3, 3}) || !slices.Equal(told, []int{0, 1, 0, 1}) {
		t.Errorf("told %v, reached %v, %v", told, reached, err)
	}
	if err := l.Run(t.Context()); err != nil {
		t.Errorf("a run that is not watched: %v", err)
	}
	asInts(l.Input(1))[0] = 0
	if reached, err = l.Watch(t.Context(), taps, 2, see); err != nil || !slices.Equal(reached, []int{0, 0}) {
		t.Errorf("no iteration: %v, %v", reached, err)
	}
	asInts(l.Input(1))[0] = 1
	enough := errors.New("enough")
	if _, err = l.Watch(t.Context(), taps, 2, func(int, [][]byte) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("an error of who watches: %v", err)
	}
	if err := l.Run(t.Context()); err == nil {
		t.Error("a run after the worker was ended")
	}
	crash, err := load(t, needBundle(t, wild(), model.Options{}), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	asInts(crash.Input(0))[0] = 1 << 40
	var gone *model.CrashError
	if _, err := crash.Watch(t.Context(), make([][]model.Tap, 2), 1, func(int, [][]byte) error { return nil }); !errors.As(err, &gone) {
		t.Errorf("a crash: %v", err)
	}
}
