package annotate

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/target"
)

// sampled returns the bytes that sampling a state of a chain of stages allocates, and
// those that it holds.
func sampled(t *testing.T, stages int) (allocated, held float64) {
	t.Helper()
	text := "input t0: float32[64, 64]\n"
	for i := range stages {
		text += fmt.Sprintf("t%d(i: 64, j: 64) = exp(t%d[i, j]*0.001)\n", i+1, i)
	}
	d, err := compute.Parse(text + fmt.Sprintf("output t%d\n", stages))
	if err != nil {
		t.Fatal(err)
	}
	on := target.Generic(32, 2)
	list, err := sketch.Generate(t.Context(), sketch.CPU, d, on)
	if err != nil {
		t.Fatal(err)
	}
	a := New(CPU, on)
	const n = 32
	var before, after, rest runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	states, err := a.Population(t.Context(), list, n, 1, 0, 1)
	if err != nil || len(states) < n/2 {
		t.Fatalf("%d states, %v", len(states), err)
	}
	runtime.ReadMemStats(&after)
	runtime.GC()
	runtime.ReadMemStats(&rest)
	allocated = float64(after.TotalAlloc-before.TotalAlloc) / float64(len(states))
	held = (float64(rest.HeapAlloc) - float64(before.HeapAlloc)) / float64(len(states))
	runtime.KeepAlive(states)
	return allocated, held
}

// TestManyStages: what a state takes to be made and to be held grows with its stages, and
// not with their square.
func TestManyStages(t *testing.T) {
	sampled(t, 8)
	few, _ := sampled(t, 50)
	many, held := sampled(t, 400)
	if many > 1.5*8*few {
		t.Errorf("a state of 50 stages allocates %.0f KB, one of 400 stages %.0f KB", few/1e3, many/1e3)
	}
	if held > 1000*400 {
		t.Errorf("a state of 400 stages holds %.0f bytes a stage", held/400)
	}
	t.Logf("%.0f KB, %.0f KB, %.0f bytes a stage held", few/1e3, many/1e3, held/400)
}
