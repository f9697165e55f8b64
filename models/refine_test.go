package models

import (
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// rowsAlone is a ranker that has no use for values.
type rowsAlone struct{ *fakeParts }

func (r rowsAlone) Score(features [][]float32, _ []float32) []float64 {
	return r.fakeParts.Score(features, nil)
}

// refinedModel is a fake model whose refiner sees how many lines of cache a state has besides its features: 8 less
// twice the feature. Looks counts how many states it looked at.
func refinedModel(f *fakeParts, looks *atomic.Int32) *Model {
	m := fakeModel(f)
	m.parts.refiner = rowsAlone{f}
	m.parts.closer = func(row []float32, s *schedule.State, _ target.Target, l target.Layout) ([]float32, error) {
		looks.Add(1)
		if row[0] == 3 {
			return nil, errors.New("it cannot be lowered")
		}
		return []float32{row[0], 8 - 2*row[0] + float32(l)}, nil
	}
	return m
}

// TestRefine: a closer look is the score and what the refiner says, whatever the number of workers; what cannot be
// lowered is -Inf; what was looked at is not looked at again.
func TestRefine(t *testing.T) {
	task := testTask(t, "matmul:m=256,n=256,k=64")
	states := append(splits(t, task, 60), schedule.New(task.DAG))
	var first []float64
	for _, workers := range []int{1, 2, 7} {
		var looks atomic.Int32
		m := refinedModel(&fakeParts{z0: make([]float32, 4)}, &looks)
		m.Workers = workers
		scores, err := m.Score(t.Context(), task, states)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Refine(t.Context(), task, target.Keep, states)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			feature := float64(i % 8)
			want := scores[i] + feature + 8 - 2*feature
			if i < 60 && feature == 3 {
				want = math.Inf(-1)
			}
			if i == 60 { // it has no steps
				want = scores[i] + 8
			}
			if v-want > 1e-6 || want-v > 1e-6 {
				t.Errorf("state %d: %v, want %v", i, v, want)
			}
		}
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Errorf("%d workers: other values", workers)
		}
		before := looks.Load()
		again, err := m.Refine(t.Context(), task, target.Keep, states[:20])
		if err != nil || !slices.Equal(again, got[:20]) || looks.Load() != before {
			t.Errorf("again: %v, %d looks", err, looks.Load()-before)
		}
		if other, err := m.Refine(t.Context(), task, target.Rewrite, states[:1]); err != nil || other[0] == got[0] {
			t.Errorf("in another layout: %v, %v", other, err)
		}
	}
}

// TestRefinePassesOver: the refiner is shown a state without the decisions that no training has.
func TestRefinePassesOver(t *testing.T) {
	task, plain, padded := paddedState(t)
	m := refinedModel(&fakeParts{z0: make([]float32, 4)}, &atomic.Int32{})
	m.parts.closer = func(row []float32, s *schedule.State, _ target.Target, _ target.Layout) ([]float32, error) {
		return []float32{float32(schedule.Extras(s.Steps))}, nil
	}
	got, err := m.Refine(t.Context(), task, target.Keep, []*schedule.State{plain, padded})
	if err != nil || got[0] != got[1] {
		t.Errorf("%v, %v", got, err)
	}
}

// TestRefineNothing: without a refiner, and for a task unlike the training, there is no closer look; a damaged one
// is an error.
func TestRefineNothing(t *testing.T) {
	task := testTask(t, "matmul:m=256,n=256,k=64")
	states := splits(t, task, 4)
	if got, err := fakeModel(&fakeParts{z0: make([]float32, 4)}).Refine(t.Context(), task, target.Keep,
		states); got != nil ||
		err != nil {
		t.Errorf("without a refiner: %v, %v", got, err)
	}
	var looks atomic.Int32
	m := refinedModel(&fakeParts{z0: make([]float32, 4)}, &looks)
	m.manifest.OOD.Operators = []string{"another kind"}
	if got, err := m.Refine(t.Context(), task, target.Keep, states); got != nil || err != nil || looks.Load() > 0 {
		t.Errorf("a task unlike the training: %v, %v", got, err)
	}
	m = refinedModel(&fakeParts{z0: make([]float32, 4)}, &looks)
	m.parts.refiner = &fakeParts{nan: true}
	if _, err := m.Refine(t.Context(), task, target.Keep, states); err == nil || !strings.Contains(err.Error(),
		"damaged") {
		t.Errorf("a refiner that says NaN: %v", err)
	}
}
