package metaschedule

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestTrace: read by State, the trace of a state makes the same loops. TestLoops compares State with TVM, and
// python/tests/test_tvm_tune.py has TVM carry out traces. The states are those of traces that TVM drew.
func TestTrace(t *testing.T) {
	n := 0
	for _, d := range databases(t) {
		for i, r := range d.records {
			w := d.workloads[r.Workload]
			state, _, err := w.State(r.Trace)
			if err != nil {
				t.Fatal(err)
			}
			trace, err := w.Trace(state)
			if err != nil {
				t.Errorf("%s %d: %v", d.name, i, err)
				continue
			}
			checkTrace(t, fmt.Sprint(d.name, " ", i), w, state, trace)
			n++
		}
	}
	if n != 944 {
		t.Errorf("%d states have a trace; want 944", n)
	}
}

// TestTraceOfRandomSteps: so has a state of any steps, or it has none and that is said.
func TestTraceOfRandomSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	mapped, why := 0, map[string]int{}
	for _, d := range databases(t) {
		for i, w := range d.workloads {
			for range 40 {
				state, err := schedule.Replay(w.DAG, tirtest.RandomSteps(rng, w.DAG, 12))
				if err != nil {
					t.Fatal(err)
				}
				if state, err = state.InferBound(); err != nil {
					continue
				}
				trace, err := w.Trace(state)
				var unmapped *UnmappedError
				switch {
				case errors.As(err, &unmapped):
					why[unmapped.What]++
				case err != nil:
					t.Fatal(err)
				default:
					checkTrace(t, fmt.Sprint(d.name, " ", i), w, state, trace)
					mapped++
				}
			}
		}
	}
	if mapped < 1000 || len(why) < 5 {
		t.Errorf("%d states have a trace, others have none because of %v: the test does not try both", mapped, why)
	}
}

// checkTrace compares the loops of a state with those of its trace, which goes through its text.
func checkTrace(t *testing.T, name string, w *Workload, state *schedule.State, trace *Trace) {
	t.Helper()
	text, err := json.Marshal(trace)
	if err != nil {
		t.Fatal(err)
	}
	if trace, err = ParseTrace(text); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	back, _, err := w.State(trace)
	if err != nil {
		t.Errorf("%s: %v\n%s\n%s", name, err, state, text)
		return
	}
	got, want := blockLoops(t, back), blockLoops(t, state)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s\n%s\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"), state, text)
	}
}

var update = flag.Bool("update", false, "rewrite testdata/traces.txt")

// TestTraceText compares instructions with testdata/traces.txt.
func TestTraceText(t *testing.T) {
	var got strings.Builder
	for _, steps := range []string{
		// A product in the loops of what follows it, and its padding beside it.
		`[["SP", 4, 0, 8, [2], 1], ["SP", 4, 2, 4, [4], 1], ["RE", 4, [0, 2, 1, 3]], ["SP", 3, 0, 8, [4], 1],
		  ["SP", 3, 2, 4, [4], 1], ["SP", 3, 4, 16, [8], 1], ["RE", 3, [0, 2, 4, 1, 5, 3]], ["CA", 3, 4, 1], ["CA", 1, 4, 1],
		  ["FU", 4, [0, 1]], ["AN", 4, 0, 3], ["AN", 4, 2, 2], ["AN", 3, 5, 2], ["PR", 3, 0, "auto_unroll_max_step$16"]]`,
		// A copy of the result, and the padding inlined.
		`[["CI", 1], ["CHW", 3, "local"], ["CA", 3, 4, 0], ["AN", 4, 0, 3], ["AN", 3, 1, 1]]`,
		// The parts of a sum, of which two are computed at once.
		`[["CI", 1], ["SP", 3, 2, 16, [8], 1], ["RF", 3, 2, 2], ["AN", 4, 0, 3]]`,
		`[["SP", 3, 2, 16, [8], 1], ["RF", 3, 3, 0], ["CA", 3, 4, 0], ["AN", 3, 0, 2]]`,
	} {
		w, state := apply(t, steps)
		trace, err := w.Trace(state)
		if err != nil {
			t.Fatal(err)
		}
		checkTrace(t, steps, w, state, trace)
		fmt.Fprintf(&got, "%s\n", state)
		for _, in := range trace.Instructions {
			fmt.Fprintf(&got, "%v = %s(%s) %s\n", in.Outputs, in.Kind, in.Inputs, in.Attrs)
		}
		got.WriteString("\n")
	}
	if *update {
		if err := os.WriteFile("testdata/traces.txt", []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/traces.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// TestTraceless: states that TVM has no schedule for.
func TestTraceless(t *testing.T) {
	for what, steps := range map[string]string{
		"a step CHR":                                           `[["CHR", 0, "shared", [1]]]`,
		"a step SA":                                            `[["SA", 1, 0, 4, 1]]`,
		"a copy in the scope shared":                           `[["CHW", 3, "shared"]]`,
		"a copy of a copy":                                     `[["CHW", 3, "local"], ["CHW", 3, "local"]]`,
		"a copy of what is inlined":                            `[["CHW", 1, "local"], ["CI", 1]]`,
		"a copy that is inlined":                               `[["CHW", 3, "local"], ["CI", 4]]`,
		"a split by the lengths of outer pieces":               `[["SP", 3, 0, 8, [2], 0]]`,
		"a loop that is added around a block":                  `[["FU", 3, []]]`,
		"a loop that is blockIdx.x":                            `[["AN", 4, 0, 5]]`,
		"a loop that is unroll":                                `[["FU", 3, [1, 2]], ["AN", 3, 1, 1]]`,
		"a factored reduction in pieces that do not divide it": `[["SP", 3, 2, 16, [5], 1], ["RF", 3, 2, 2]]`,
		"a factored reduction of a stage that is not the program's": `[["SP", 3, 2, 16, [8], 1], ["RF", 3, 2, 2],
			["SP", 3, 3, 8, [2], 1], ["RF", 3, 3, 2]]`,
	} {
		w, state := apply(t, steps)
		var unmapped *UnmappedError
		trace, err := w.Trace(state)
		if !errors.As(err, &unmapped) || unmapped.What != what || !unmapped.TVM || trace != nil {
			t.Errorf("%s: got %v, want %s", steps, err, what)
		}
	}
}

// apply applies steps to the small program of testdata: x, w, a padding, a product, and what follows it.
func apply(t *testing.T, steps string) (*Workload, *schedule.State) {
	t.Helper()
	text, err := os.ReadFile("testdata/module-0.27.0.json")
	if err != nil {
		t.Fatal(err)
	}
	w, err := ParseModule(text)
	if err != nil {
		t.Fatal(err)
	}
	list, err := schedule.ParseSteps([]byte(steps))
	if err != nil {
		t.Fatal(err)
	}
	state, err := schedule.Replay(w.DAG, list)
	if err != nil {
		t.Fatal(steps, err)
	}
	if state, err = state.InferBound(); err != nil {
		t.Fatal(steps, err)
	}
	return w, state
}
